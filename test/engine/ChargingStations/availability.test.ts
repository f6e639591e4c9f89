import isEqual from 'lodash/isEqual';
import uniq from 'lodash/uniq';
import { DateTime } from 'luxon';
import type { IDataObject, INodeParameters, INodeTypeDescription } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { setTimeOfDay } from '../../support/clock.ts';
import { credentialFor, loadPackage, runNode, type RunOptions } from '../../support/harness.ts';
import { idText } from '../../support/text.ts';

// Figures of random tables: test/unit/ChargingStations. Here: what is asked for, how it is told, and what a user should know.

const ZONE = 'Europe/Berlin';
/** Days of 24 hours around it. Where the clock is changed: everyNode/anyHour.deep.test.ts. */
const NOW = DateTime.fromISO('2026-11-18T12:00:00', { zone: ZONE });

let platform: StandIn;

beforeAll(async () => {
	setTimeOfDay(NOW.toMillis());
	platform = await startPlatform({ sessions: 0, stations: 31 });
});
afterAll(async () => {
	await platform.close();
	jest.useRealTimers();
});
beforeEach(() => platform.reset());

/** The availability of yesterday, by the rows of a table. */
async function availability(items: IDataObject[], parameters: INodeParameters = {}, node: RunOptions['node'] = {}) {
	const result = await runNode({
		type: 'chargingStations',
		credential: credentialFor(platform),
		timezone: ZONE,
		parameters: { operation: 'availability', period: 'yesterday', ...parameters },
		items,
		node,
	});
	const { json, error, hints } = result;
	const note = hints.map(({ message }) => message).join(' ');
	return { ...result, first: json[0] ?? {}, note, refusal: error && `${error.message} ${error.description}` };
}

const yesterday = NOW.minus({ days: 1 }).startOf('day');
const dayMinutes = yesterday.plus({ days: 1 }).diff(yesterday, 'minutes').minutes;
const at = (hour: number) => yesterday.plus({ hours: hour }).toISO() ?? '';
const incident = (id: number, from: number, to?: number): IDataObject => ({
	kind: 'incident',
	incidentId: `incident of ${id} at ${from}`,
	stationId: id,
	since: at(from),
	until: to === undefined ? null : at(to),
});
const watched = { kind: 'watching', since: at(-24), until: at(48), openIncidents: [], stations: 31, polls: 864 };
const excluded = { kind: 'excluded', stationId: 7, since: at(2), until: at(4) };
const everyDay = { kind: 'closed', weekdays: 'mon,tue,wed,thu,fri,sat,sun' };
const uptimeWithout = (minutes: number) => Math.floor((1_000_000 * (dayMinutes - minutes)) / dayMinutes) / 10_000;

const of = (...ids: number[]) => ({ filters: { id: [{ operator: 'In', values: ids.map(String) }] } });
const network = { result: 'network' };
const outages = { result: 'outages' };
const ASSUMED =
	'by station, as seen at each poll of the trigger, if that watched all the time: no row says when it did';

describe('an item per station', () => {
	it('has the uptime of each, even without incidents, for all rows at once', async () => {
		const items = [watched, incident(7, 2, 4), incident(7, 3, 5), incident(8, -2, 1)];
		const result = await availability(items);
		expect(result.json).toHaveLength(31);
		expect(platform.requests).toHaveLength(1);
		const [seven, eight, nine] = [7, 8, 9].map((id) => result.json.find(({ stationId }) => stationId === id));
		expect(seven).toMatchObject({
			downMinutes: 180,
			incidents: 1,
			longestMinutes: 180,
			meanTimeToRepairMinutes: 180,
			excludedMinutes: 0,
			unknownMinutes: 0,
			uptimePercent: uptimeWithout(180),
			from: yesterday.toISO({ suppressMilliseconds: true }),
			to: yesterday.plus({ days: 1 }).toISO({ suppressMilliseconds: true }),
			basis: 'by station, as seen every 5 minutes',
		});
		expect(eight).toMatchObject({ downMinutes: 60, incidents: 1 });
		expect(nine).toMatchObject({ uptimePercent: 100, downMinutes: 0, meanTimeToRepairMinutes: null });
		expect(typeof nine?.stationName).toBe('string');
		expect(result.note).toBe('');
		expect(result.items[0]?.pairedItem).toEqual({ item: 0 });
	});

	it('counts incidents of unknown length apart, those that begin in maintenance too, with a note', async () => {
		const maintenance = { ...excluded, stationId: 9 };
		const items = [watched, maintenance, incident(7, 2), incident(8, 2, 3), incident(9, 3), incident(6, -30)];
		const { json, note } = await availability(items);
		const ofUnknownLength = { incidentsOfUnknownLength: 1, incidents: 0, downMinutes: 0 };
		expect(json.filter(({ incidentsOfUnknownLength }) => incidentsOfUnknownLength !== 0)).toMatchObject([
			{ stationId: 7, ...ofUnknownLength },
			{ stationId: 9, ...ofUnknownLength },
		]);
		expect(note).toMatch(/Incidents of unknown length: 2\..*until/);
	});

	it('says when fewer stations were watched than are counted', async () => {
		const { note, first } = await availability([{ ...watched, stations: 4 }]);
		expect(first.stationsWatched).toBe(4);
		expect((await availability([{ ...watched, stations: null }])).first.stationsWatched).toBeNull();
		expect(note).toMatch(/watched 4 stations, but 31 are counted/);
	});
});

it('one item for the network is of the stations that match; others in the rows are in the item and in a note', async () => {
	const none = [
		{ ...excluded, stationId: 'Depot 1' },
		{ ...everyDay, stationId: '007', since: '22:00', until: '23:00' },
		// Of another time.
		{ ...excluded, stationId: 9999, since: at(-90), until: at(-80) },
	];
	const items = [
		watched,
		incident(7, 2, 4),
		incident(9, 1, 2),
		{ ...excluded, stationId: '*', since: at(9), until: at(10) },
	];
	const { json, note } = await availability([...items, ...none], { ...network, ...of(7, 8) });
	const stationsNotCounted = ['Depot 1', '007', '9'];
	const down = { downMinutes: 120, downMinutesByCause: { offline: 120 }, incidents: 1, longestMinutes: 120 };
	expect(json).toMatchObject([{ stations: 2, ...down, excludedMinutes: 120, stationsNotCounted }]);
	for (const result of ['stations', 'outages', 'chargePoints']) {
		const other = await availability([...items, ...none], { result, ...of(7, 8) });
		expect(other.json.every((item) => isEqual(item.stationsNotCounted, stationsNotCounted))).toBe(true);
		expect((await availability(items.slice(0, 2), { result, ...of(7, 8) })).first.stationsNotCounted).toEqual([]);
	}
	expect(note).toMatch(/^Rows of stations that no longer exist .* are not counted: Depot 1, 007, 9\. In stationId/);
});

it('items tell that the platform counts other stations than it sends, and nothing if it does not', async () => {
	for (const result of ['stations', 'network', 'outages', 'chargePoints']) {
		platform.reset();
		const asked = { result, ...of(7, 8) };
		expect((await availability([watched, incident(7, 2, 4)], asked)).first).not.toHaveProperty('listNotes');
		platform.behaviour.totalCount = { offBy: 1 };
		const { json } = await availability([watched, incident(7, 2, 4)], asked);
		const listNotes = [expect.stringMatching(/^The platform sent 2 charging stations but counts 3/)];
		expect(json).toEqual(json.map(() => expect.objectContaining({ listNotes }) as unknown));
		expect(json.length).toBeGreaterThan(0);
	}
});

it.each(['stations', 'network', 'outages', 'chargePoints'])(
	'a station that the platform lists twice counts once, and items say so: %s',
	async (result) => {
		const Items = [7, 7, 8].map((Id) => ({ Id, Name: `Station ${Id}` }));
		platform.faults.add({
			kind: 'reply',
			body: { Items, TotalCount: 3 },
			times: Infinity,
			match: { path: '/api/charging-stations/v1' },
		});
		const { json } = await availability([watched, incident(7, 2, 4)], { result });
		const listNotes = ["The platform's list has 3 rows for 2 stations. Each station counts once."];
		expect(json).toEqual(json.map(() => expect.objectContaining({ listNotes }) as unknown));
		const expected: Record<string, object[]> = {
			stations: [
				{ stationId: 7, incidents: 1 },
				{ stationId: 8, incidents: 0 },
			],
			network: [{ stations: 2, incidents: 1, downMinutes: 120 }],
			outages: [{ stationId: 7 }],
		};
		if (result in expected) expect(json).toMatchObject(expected[result] ?? []);
		else expect(uniq(json.map(({ chargePointId }) => chargePointId))).toHaveLength(json.length);
	},
);

it('items tell of which stations the charge points are missing', async () => {
	platform.faults.add({ kind: 'status', status: 404, times: Infinity, match: { path: '/api/charging-stations/v1/8' } });
	const { json } = await availability([watched], { result: 'chargePoints', ...of(7, 8) });
	const listNotes = [expect.stringMatching(/^These stations have no detail, so their charge points are missing: /)];
	expect(json).toEqual(json.map(() => expect.objectContaining({ stationId: 7, listNotes }) as unknown));
	expect(json.length).toBeGreaterThan(0);
});

it('items of the trigger about stations that were added or removed are skipped, and a note says how many', async () => {
	const presence = ['added', 'removed'].map((event) => ({ event, stationId: 7, stationName: 'A', detectedAt: at(3) }));
	const { event, ...sample } = { event: 'digest', events: [presence[0], incident(8, 1, 2)] };
	const { json, note } = await availability([watched, incident(7, 2, 4), ...presence, { event, ...sample }], of(7, 8));
	expect(json).toMatchObject([{ downMinutes: 120 }, { downMinutes: 60 }]);
	expect(note).toBe(
		'3 rows say that a station was added or removed. That tells nothing about uptime, so they are skipped.',
	);
	expect((await availability([watched, ...presence.slice(1)])).note).toMatch(/^1 row says .* so it is skipped\.$/);
});

it('time out of service is up, down or left out of the figures, as docs/uptime.md says', async () => {
	const outage = incident(7, 2, 8);
	const cause = 'outOfService';
	const repaired = { ...outage, kind: null, event: 'stoppedMatching', cause };
	const items = [watched, { ...watched, cause }, repaired];
	const counted = async (rows: IDataObject[], causes?: string) =>
		(await availability(rows, { ...of(7), options: causes === undefined ? {} : { countsAsDown: causes } })).first;
	expect(await counted([watched])).toMatchObject({ uptimePercent: 100, excludedMinutes: 0 });
	expect(await counted(items)).toMatchObject({ uptimePercent: 100, excludedMinutes: 0 });
	expect(await counted(items, 'offline, outOfService')).toMatchObject({ downMinutes: 360, uptimePercent: 75 });
	const left = [watched, { ...repaired, kind: 'excluded' }];
	expect(await counted(left)).toMatchObject({ uptimePercent: 100, excludedMinutes: 360 });
});

describe('what nobody watched', () => {
	const faulted = { ...watched, cause: 'faulted' };
	it.each<[string, IDataObject[], RegExp]>([
		['an empty table', [{}], /No row says that anything was watched, or that a station was down.*right table/],
		['outages of others', [incident(9999, 2, 4)], /none is about an outage of these stations/],
		['outages of another time', [incident(7, -90, -80)], /none is about an outage of these stations in this period/],
		['another cause', [watched, incident(7, 2, 4)], /anybody watched for faulted\.$/],
		['another time', [watched, { ...faulted, until: at(-1) }], /anybody watched for faulted in this period\.$/],
		[
			'each cause at another time',
			[
				{ ...watched, until: at(12) },
				{ ...faulted, since: at(12) },
			],
			/anybody watched for all of these at the same time: offline, faulted\.$/,
		],
	])('gives no uptime, with the reason, for %s', async (_, items, reason) => {
		const options = { countsAsDown: 'offline,faulted' };
		const { first, note } = await availability(items, { ...network, preset: 'unknownUp', options });
		expect(first).toMatchObject({ stations: 31, uptimePercent: null, lowestUptimePercent: null });
		expect(first.uptimeMissing).toMatch(reason);
		expect(note).toMatch(/Uptime cannot be given .*Report Watched Time Hourly.*Assume Always Watched/);
	});

	it('counts as watched without any row if the user says so', async () => {
		const { json, note } = await availability([{}], { ...network, options: { assumeAlwaysWatched: true } });
		const figures = { uptimePercent: 100, uptimeMissing: null, unknownMinutes: null, incidents: 0, basis: ASSUMED };
		expect(json).toMatchObject([{ stations: 31, ...figures }]);
		expect(note).toMatch(/hold only if the trigger ran all the time.*right table.*Report Watched Time Hourly/);
	});

	it('counts as watched where rows tell outages alone, and every item says so', async () => {
		const { json, note } = await availability([incident(7, 20)], of(7, 8));
		expect(json).toMatchObject([
			{ downMinutes: dayMinutes - 20 * 60, incidents: 1, unknownMinutes: null, basis: ASSUMED },
			{ uptimePercent: 100, unknownMinutes: null, basis: ASSUMED },
		]);
		expect(note).toMatch(/No row says what was watched.*Report Watched Time Hourly/);
	});

	it('is unknown for what could not be read, and for that alone', async () => {
		const unreadable = JSON.stringify([
			{ stationId: 7, chargePointId: null },
			{ stationId: '8', chargePointId: 81 },
		]);
		const items = [
			{ ...watched, until: at(10), unreadable: null },
			{ ...watched, since: at(10), until: at(12), unreadable },
			{ ...watched, since: at(12), unreadable: '' },
			incident(7, 9, 11),
			incident(8, 9, 11),
		];
		expect((await availability(items, of(7, 8))).json).toMatchObject([
			{ stationId: 7, downMinutes: 60, unknownMinutes: 120, longestMinutes: 60 },
			{ stationId: 8, downMinutes: 120, unknownMinutes: 0 },
		]);
	});
});

it.each<[string, IDataObject, INodeParameters, RegExp]>([
	['a bad row, by its number', { ...watched, since: 'x' }, {}, /Row 2 > since.*Nothing was sent/],
	['a yearly formula for one day', watched, { preset: 'minutesOfYear' }, /Formula.*needs a year.*Nothing was sent/],
	[
		'charge points as causes that make a station down',
		watched,
		{ options: { countsAsDown: 'offline,CHARGEPOINT' } },
		/Counts as Down.*not down because of one charge point.*One Item per Charge Point or One Item per Outage/,
	],
])('refuses %s before anything is sent', async (_, row, parameters, message) => {
	expect((await availability([watched, row], parameters)).refusal).toMatch(message);
	expect(platform.requests).toEqual([]);
});

describe('causes', () => {
	const faulted = { cause: 'faulted' };
	const both = [watched, { ...watched, ...faulted }];
	const rows = [...both, incident(7, 2, 4), { ...incident(7, 3, 6), ...faulted, incidentId: 'fault' }];
	const counts = (countsAsDown: string) => ({ ...of(7), options: { countsAsDown } });

	it('only offline counts unless asked, and a note names the causes that do not', async () => {
		const { json, note } = await availability(rows, of(7));
		expect(json).toMatchObject([{ downMinutes: 120, downMinutesByCause: { offline: 120 }, incidents: 1 }]);
		expect(note).toMatch(/in the rows, but do not count as down: faulted\..*Counts as Down/);
	});

	it('a time with two of them counts once in the sum, and in each cause', async () => {
		const { json, note } = await availability(rows, counts('Offline, FAULTED'));
		expect(json).toMatchObject([
			{
				downMinutes: 240,
				downMinutesByCause: { offline: 120, FAULTED: 180 },
				incidents: 1,
				basis: 'by station, as seen: offline every 5 minutes; FAULTED every 5 minutes',
			},
		]);
		expect(note).toBe('');
	});

	it('one that nobody watched for counts as watched if the user says so', async () => {
		const options = { countsAsDown: 'offline,faulted', assumeAlwaysWatched: true };
		const { json, note } = await availability([watched, incident(7, 11, 13)], { ...of(7), options });
		expect(json).toMatchObject([{ downMinutes: 120, unknownMinutes: 0 }]);
		expect(note).toMatch(/No row says when anybody watched for faulted, so all time counts as watched/);
	});

	it('an item per outage says why time of it is excluded', async () => {
		const items = [
			...rows,
			{ ...incident(7, 20, 22), ...faulted },
			{ ...excluded, since: at(5), until: at(8), reason: 'power cut' },
			{ ...excluded, since: at(5.5), until: at(6), reason: 'new meter' },
			{ ...everyDay, stationId: '*', since: '21:00', until: '02:00', reason: 'closed' },
		];
		const parameters = counts('offline,faulted');
		const stationId = 7;
		expect((await availability(items, { ...parameters, ...outages })).json).toMatchObject([
			{ stationId, cause: 'offline', minutes: 120, excludedMinutes: 0, unknownMinutes: 0, reason: null },
			{
				stationId,
				cause: 'faulted',
				minutes: 120,
				excludedMinutes: 60,
				reason: 'power cut; new meter',
				minutesBetweenPolls: 5,
			},
			{ stationId, cause: 'faulted', minutes: 60, excludedMinutes: 60, reason: 'closed' },
		]);
		const together = { downMinutes: 240, outageMinutes: 360, excludedOutageMinutes: 120 };
		expect((await availability(items, { ...parameters, ...network })).first).toMatchObject(together);
	});
});

it('the minutes of a year count all causes as the US does, and tell how much is unknown', async () => {
	const items = [
		watched,
		{ ...watched, cause: 'faulted' },
		incident(7, 2, 4),
		{ ...incident(7, 3, 6), cause: 'faulted' },
	];
	const counted = { ...of(7), preset: 'minutesOfYear', options: { countsAsDown: 'offline,faulted' } };
	const { first, note } = await availability(items, { ...counted, period: 'lastDays', days: 365 });
	expect(first).toMatchObject({ downMinutes: 240, uptimePercent: 99.9543 });
	expect(Number(first.lowestUptimePercent)).toBeLessThan(1);
	expect(note).toMatch(/Unknown time: \d+ minutes.*counts it as up.*uptime would be 0\.\d+ %/);
	const months = await availability(items, { ...counted, period: 'last12Months' });
	const startOfMonth = NOW.startOf('month');
	expect(months.first.to).toBe(startOfMonth.toISO({ suppressMilliseconds: true }));
});

describe('by charge point', () => {
	const chargePoint = { cause: 'chargePoint' };
	const both = [watched, { ...watched, ...chargePoint, polls: 144 }];
	const pointOf = (id: string | number, row: IDataObject): IDataObject => ({
		...row,
		...chargePoint,
		chargePointId: id,
		incidentId: `${idText(row.incidentId)} of ${id}`,
	});
	const points = { ...of(7, 8), result: 'chargePoints' };
	const setEntries = (station: number, ...entries: object[]) =>
		platform.db.prepare('UPDATE stations SET EVSEs = ? WHERE Id = ?').run(JSON.stringify(entries), station);
	const minutesDown = (json: IDataObject[]) =>
		json.map(({ stationId, chargePointId, downMinutes }) => [stationId, chargePointId, downMinutes]);

	beforeEach(() => {
		setEntries(7, { Id: 71 }, { Id: 72 }, { id: '73' });
		setEntries(8, { Id: 81 }, { Id: 72 });
	});

	it('an outage of one is down time of that one, and an outage of the station of all its charge points', async () => {
		const items = [...both, pointOf(72, incident(7, 2, 4)), pointOf('73', incident(7, 3, 4)), incident(7, 3, 5)];
		const { json, note } = await availability(items, points);
		expect(minutesDown(json)).toEqual([
			[7, 71, 120],
			[7, 72, 180],
			[7, '73', 120],
			[8, 81, 0],
			[8, 72, 0],
		]);
		expect(json[1]).toMatchObject({
			downMinutesByCause: { offline: 120, chargePoint: 120 },
			incidents: 1,
			uptimePercent: uptimeWithout(180),
			basis: 'by charge point, as seen: offline every 5 minutes; chargePoint every 30 minutes',
		});
		expect(note).toBe('');
		// The list, and a detail for each station.
		expect(platform.requests.filter(({ path }) => /\/[78]$/.test(path))).toHaveLength(2);
	});

	it('one that only has a status for too long is not down, and neither is its station', async () => {
		const told = { cause: 'inStatus', stationId: 7, chargePointId: '72', incidentId: 'a', since: at(2) };
		const rows = [
			{ ...told, event: 'inStatus', until: null },
			{ ...told, event: 'leftStatus', until: at(4) },
		];
		for (const parameters of [points, of(7, 8)]) {
			const { json } = await availability([...both, ...rows], parameters);
			expect(new Set(json.map(({ downMinutes }) => downMinutes))).toEqual(new Set([0]));
		}
	});

	it.each<[string, IDataObject[], string]>([
		['stations alone', [watched, incident(7, 2, 4)], 'share'],
		['nobody knows what', [incident(7, 2, 4), pointOf(72, incident(7, 2, 4))], 'unknownUp'],
	])('where %s were watched, there is no uptime, unless the user says so', async (_, items, preset) => {
		const { json, note } = await availability(items, { ...points, preset });
		const uptimeMissing = 'No row says that anybody watched for chargePoint.';
		expect(json).toMatchObject(Array.from({ length: 5 }, () => ({ uptimePercent: null, uptimeMissing })));
		expect(note).toMatch(/^Uptime cannot be given .*chargePoint\. .*Assume Always Watched/);
		const assumed = await availability(items, { ...points, preset, options: { assumeAlwaysWatched: true } });
		expect(assumed.first).toMatchObject({ uptimeMissing: null, downMinutes: 120 });
	});

	it('for a station, they are no down time, and a note says where they are', async () => {
		const note = /^Some rows are about charge points.*choose One Item per Charge Point\.$/;
		const outage = await availability([...both, pointOf(72, incident(7, 2, 4)), incident(8, 3, 5)], of(7, 8));
		expect(outage.json).toMatchObject([{ downMinutes: 0 }, { downMinutes: 120 }]);
		expect(outage.note).toMatch(note);
		expect((await availability([watched, { ...excluded, chargePointId: 72 }], of(7, 8))).note).toMatch(note);
	});

	it('each outage is listed with the charge point, of both kinds', async () => {
		const items = [...both, ...[72, 71].map((id) => pointOf(id, incident(7, 2, 4))), incident(7, 3, 5)];
		const options = { countsAsDown: 'offline,chargePoint' };
		const { json, note } = await availability(items, { ...of(7, 8), ...outages, options });
		expect(json).toMatchObject([
			{ stationId: 7, chargePointId: '72', cause: 'chargePoint', minutes: 120, minutesBetweenPolls: 30 },
			{ stationId: 7, chargePointId: '71', cause: 'chargePoint', minutes: 120 },
			{ stationId: 7, chargePointId: null, cause: 'offline', minutes: 120, minutesBetweenPolls: 5 },
		]);
		expect(note).toBe('');
	});

	it('those without Ids are known by their EvseId, as their alerts have it', async () => {
		setEntries(7, { EvseId: 'E*2' }, { EvseId: 'E*1' });
		const { json, note } = await availability([...both, pointOf('E*1', incident(7, 2, 4))], { ...points, ...of(7) });
		expect([minutesDown(json), note]).toEqual([
			[
				[7, 'E*2', 0],
				[7, 'E*1', 120],
			],
			'',
		]);
	});

	it('those without Ids are known by their places, and stations without any are named', async () => {
		setEntries(7, { Status: 1 }, { Status: 2 });
		setEntries(8);
		const gone = [pointOf('72', incident(7, 5, 6)), pointOf('81', incident(8, 5, 6))];
		const { json, note } = await availability([...both, pointOf('#2', incident(7, 2, 4)), ...gone], points);
		expect(minutesDown(json)).toEqual([
			[7, '#1', 0],
			[7, '#2', 120],
		]);
		expect(note).toMatch(
			/no charge points in their detail: "[^"]+"\. The charge points of these stations do not all have an Id.*: "[^"]+"\. Rows of stations or charge points that no longer exist.*: 8, charge point 72 of station 7\./,
		);
		const chargePointsNotCounted = [{ stationId: '7', chargePointId: '72' }];
		expect(json[0]).toMatchObject({ stationsNotCounted: ['8'], chargePointsNotCounted });
	});
});

it('gives one failed item when the node continues on errors', async () => {
	const { items } = await availability([watched, { kind: 'outage' }], {}, { continueOnFail: true });
	expect(items).toHaveLength(1);
	expect(idText(items[0]?.json.error)).toMatch(/Row 2/);
});

it('is not offered to AI tools', async () => {
	const { nodeTypes } = await loadPackage();
	const { properties } = nodeTypes.chargingStations?.type.description as INodeTypeDescription;
	expect(properties.find(({ name }) => name === 'operation')?.options).toContainEqual(
		expect.objectContaining({ value: 'availability', displayOptions: { hide: { '@tool': [true] } } }),
	);
});
