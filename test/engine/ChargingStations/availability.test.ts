import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { credentialFor, loadPackage, runNode, type RunOptions } from '../../support/harness.ts';
import { idText } from '../../support/engine.ts';

const ZONE = 'Europe/Berlin';

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 10, stations: 250 });
});
afterAll(async () => await platform.close());
beforeEach(() => platform.reset());

const run = async ({ parameters, ...options }: Partial<RunOptions> = {}) =>
	await runNode({
		type: 'chargingStations',
		credential: credentialFor(platform),
		timezone: ZONE,
		parameters: { operation: 'availability', period: 'yesterday', ...parameters },
		...options,
	});

const hintText = ({ hints }: Awaited<ReturnType<typeof run>>) => hints.map(({ message }) => message).join(' ');

const yesterday = DateTime.now().setZone(ZONE).minus({ days: 1 }).startOf('day');
const at = (hour: number) => yesterday.plus({ hours: hour }).toISO() ?? '';
const incident = (id: number, from: number, to?: number): IDataObject => ({
	kind: 'incident',
	incidentId: `incident of ${id} at ${from}`,
	stationId: id,
	since: at(from),
	until: to === undefined ? null : at(to),
});
const dayMinutes = yesterday.plus({ days: 1 }).diff(yesterday, 'minutes').minutes;
const watched = { kind: 'watching', since: at(-24), until: at(48), openIncidents: [], stations: 250, polls: 864 };

describe('Charging Stations > Availability', () => {
	it('gives every station its uptime, even without incidents, and runs once for all rows', async () => {
		const result = await run({ items: [watched, incident(7, 2, 4), incident(7, 3, 5), incident(8, -2, 1)] });
		expect(result.error).toBeUndefined();
		expect(result.json).toHaveLength(250);
		expect(platform.requests.length).toBeLessThanOrEqual(3 + 3 * 4);
		const [seven, eight, nine] = [7, 8, 9].map((id) => result.json.find(({ stationId }) => stationId === String(id)));
		expect(seven).toMatchObject({
			downMinutes: 180,
			incidents: 1,
			longestMinutes: 180,
			meanTimeToRepairMinutes: 180,
			excludedMinutes: 0,
			unknownMinutes: 0,
			uptimePercent: Math.floor((100 * 10_000 * (dayMinutes - 180)) / dayMinutes) / 10_000,
			from: yesterday.toISO({ suppressMilliseconds: true }),
			to: yesterday.plus({ days: 1 }).toISO({ suppressMilliseconds: true }),
			basis: 'by station, as seen every 5 minutes',
		});
		expect(eight).toMatchObject({ downMinutes: 60, incidents: 1 });
		expect(nine).toMatchObject({ uptimePercent: 100, downMinutes: 0, meanTimeToRepairMinutes: null });
		expect(typeof nine?.stationName).toBe('string');
		expect(result.hints).toEqual([]);
		expect(result.items[0]?.pairedItem).toEqual({ item: 0 });
	});

	it('gives one item for the network, of the stations that match the filter', async () => {
		const filters = { id: [{ operator: 'In', values: ['7', '8'] }] };
		const result = await run({
			parameters: { result: 'network', filters },
			items: [watched, incident(7, 2, 4), incident(9, 1, 2)],
		});
		expect(result.json).toEqual([
			expect.objectContaining({ stations: 2, downMinutes: 120, incidents: 1, longestMinutes: 120 }),
		]);
		expect(hintText(result)).toMatch(/Rows of stations that no longer exist.* are not counted: 9\./);
	});

	it.each([
		['an empty table', [{}], /No row says that anything was watched, or that a station was down.*right table/],
		['a table of other stations', [incident(9999, 2, 4)], /none is about an outage of these stations/],
		['a table of another time', [incident(7, -90, -80)], /none is about an outage of these stations in this period/],
		['watched times of another time', [{ ...watched, until: at(-1) }], /anybody watched for offline in this period/],
		['a test of the trigger', [{ ...watched, sample: true }], /No row says that anything was watched/],
	])('gives no uptime, with the reason, for %s', async (_, items, reason) => {
		for (const preset of ['share', 'unknownUp']) {
			const result = await run({ parameters: { result: 'network', preset }, items });
			expect(result.json).toMatchObject([{ stations: 250, uptimePercent: null, lowestUptimePercent: null }]);
			expect(result.json[0]?.uptimeMissing).toMatch(reason);
			expect(hintText(result)).toMatch(/Uptime cannot be given .*Report Watched Time Hourly.*Assume Always Watched/);
		}
	});

	it('counts all time as watched without any row if the user says so', async () => {
		const options = { assumeAlwaysWatched: true };
		const result = await run({ parameters: { result: 'network', options }, items: [{}] });
		expect(result.json).toMatchObject([
			{
				stations: 250,
				uptimePercent: 100,
				uptimeMissing: null,
				unknownMinutes: null,
				incidents: 0,
				basis: 'by station, as seen at each poll of the trigger, if that watched all the time: no row says when it did',
			},
		]);
		expect(hintText(result)).toMatch(
			/hold only if the trigger ran all the time.*right table.*Report Watched Time Hourly/,
		);
	});

	it('assumes that all time was watched when rows do not say, and says so in every item', async () => {
		const result = await run({ items: [incident(7, 20)] });
		const [seven, eight] = [7, 8].map((id) => result.json.find(({ stationId }) => stationId === String(id)));
		expect(seven).toMatchObject({ downMinutes: dayMinutes - 20 * 60, incidents: 1, unknownMinutes: null });
		expect(eight).toMatchObject({
			uptimePercent: 100,
			unknownMinutes: null,
			basis: 'by station, as seen at each poll of the trigger, if that watched all the time: no row says when it did',
		});
		expect(hintText(result)).toMatch(/No row says what was watched.*Report Watched Time Hourly/);
	});

	it('counts incidents of unknown length, those that begin in maintenance too, and adds a hint', async () => {
		const maintenance = { kind: 'excluded', stationId: 9, since: at(2), until: at(4) };
		const items = [watched, maintenance, incident(7, 2), incident(8, 2, 3), incident(9, 3), incident(6, -30)];
		const result = await run({ items });
		expect(result.error).toBeUndefined();
		const unknown = result.json.filter(({ incidentsOfUnknownLength }) => incidentsOfUnknownLength !== 0);
		const ofUnknownLength = { incidentsOfUnknownLength: 1, incidents: 0, downMinutes: 0 };
		expect(unknown).toMatchObject([
			{ stationId: '7', ...ofUnknownLength },
			{ stationId: '9', ...ofUnknownLength },
		]);
		expect(hintText(result)).toMatch(/Incidents of unknown length: 2\..*until/);
		const [network] = (await run({ items, parameters: { result: 'network' } })).json;
		expect(network).toMatchObject({ incidentsOfUnknownLength: 2, incidents: 1, downMinutes: 60 });
	});

	it('names stations of which rows exclude time, but which are none that it counts', async () => {
		const excluded = { kind: 'excluded', since: at(2), until: at(4) };
		const closed = { kind: 'closed', weekdays: 'mon,tue,wed,thu,fri,sat,sun', since: '22:00', until: '23:00' };
		const none = [
			{ ...excluded, stationId: 'Depot 1' },
			{ ...closed, stationId: '007' },
			{ ...excluded, stationId: 9999, since: at(-90), until: at(-80) },
		];
		const items = [watched, { ...excluded, stationId: '*' }, { ...closed, stationId: 7 }, ...none];
		const result = await run({ items });
		expect(hintText(result)).toMatch(
			/^Rows of stations that no longer exist .* are not counted: Depot 1, 007\. In stationId/,
		);
	});

	it('counts an outage from the earliest begin that watching rows tell, whatever their order', async () => {
		const told = [3, 2].map((from) => {
			const open = [{ incidentId: 'a', stationId: 7, since: at(from) }];
			return { ...watched, since: at(4), until: at(6), openIncidents: open };
		});
		const filters = { id: [{ operator: 'In', values: ['7'] }] };
		for (const rows of [told, [...told].reverse()]) {
			const { json } = await run({ parameters: { filters }, items: [watched, ...rows] });
			expect(json).toMatchObject([{ downMinutes: 240 }]);
			const own = await run({
				parameters: { filters },
				items: [watched, ...rows, incident(7, 3), { ...incident(7, 5), incidentId: 'a' }],
			});
			expect(own.json).toMatchObject([{ downMinutes: 60 }]);
		}
	});

	it('takes the time of a watching row as unknown for what could not be read in it, and for that alone', async () => {
		const unreadable = [{ stationId: 7 }, { stationId: '8', chargePointId: 81 }];
		const rows = [
			{ ...watched, until: at(10), unreadable: null },
			{ ...watched, since: at(10), until: at(12), unreadable },
			{ ...watched, since: at(12), until: at(13), unreadable: JSON.stringify([{ stationId: 7, chargePointId: null }]) },
			{ ...watched, since: at(13), unreadable: '' },
		];
		const items = [...rows, incident(7, 9, 11), incident(8, 9, 11)];
		const filters = { id: [{ operator: 'In', values: ['7', '8'] }] };
		const stations = await run({ parameters: { filters }, items });
		expect(stations.error).toBeUndefined();
		expect(stations.json).toMatchObject([
			{ stationId: '7', downMinutes: 60, unknownMinutes: 180, longestMinutes: 60 },
			{ stationId: '8', downMinutes: 120, unknownMinutes: 0 },
		]);
		const [network] = (await run({ parameters: { filters, result: 'network' }, items })).json;
		expect(network).toMatchObject({ downMinutes: 180, unknownMinutes: 180 });
		const outages = (await run({ parameters: { filters, result: 'outages' }, items })).json;
		expect(outages).toMatchObject([
			{ stationId: '7', minutes: 60, unknownMinutes: 60 },
			{ stationId: '8', minutes: 120, unknownMinutes: 0 },
		]);
		const { error } = await run({ items: [watched, { ...watched, unreadable: [{ chargePointId: 81 }] }] });
		expect(`${error?.message} ${error?.description}`).toMatch(/Row 2 > unreadable > 1 > stationId/);
	});

	it('says when fewer stations were watched than are counted', async () => {
		expect(hintText(await run({ items: [{ ...watched, stations: 40 }] }))).toMatch(
			/watched 40 stations, but 250 are counted/,
		);
	});

	it('names a bad row by its number and refuses a yearly formula for one day, before anything is sent', async () => {
		const items = [watched, { ...watched, since: 'x' }];
		const refused = async (preset: string) => {
			const { error } = await run({ parameters: { preset }, items });
			return `${error?.message} ${error?.description}`;
		};
		expect(await refused('share')).toMatch(/Row 2 > since.*Nothing was sent/);
		expect(await refused('minutesOfYear')).toMatch(/Formula.*needs a year.*Nothing was sent/);
		expect(platform.requests).toEqual([]);
		const year = await run({
			parameters: { preset: 'minutesOfYear', period: 'lastDays', days: 365 },
			items: [watched],
		});
		expect(year.error).toBeUndefined();
	});

	describe('with causes', () => {
		const faulted = { cause: 'faulted' };
		const both = [watched, { ...watched, ...faulted }];
		const rows = [...both, incident(7, 2, 4), { ...incident(7, 3, 6), ...faulted, incidentId: 'fault' }];
		const filters = { id: [{ operator: 'In', values: ['7'] }] };
		const counts = (countsAsDown: string) => ({ filters, options: { countsAsDown } });

		it('counts offline alone unless asked, and names the causes that do not count', async () => {
			const result = await run({ parameters: { filters }, items: rows });
			expect(result.json).toMatchObject([{ downMinutes: 120, downMinutesByCause: { offline: 120 }, incidents: 1 }]);
			expect(hintText(result)).toMatch(/in the rows, but do not count as down: faulted\..*Counts as Down/);
		});

		it('counts a time with two causes once in the sum, and in each cause', async () => {
			const result = await run({ parameters: counts('Offline, FAULTED'), items: rows });
			expect(result.json).toMatchObject([
				{
					downMinutes: 240,
					downMinutesByCause: { offline: 120, FAULTED: 180 },
					incidents: 1,
					basis: 'by station, as seen: offline every 5 minutes; FAULTED every 5 minutes',
				},
			]);
			expect(result.hints).toEqual([]);
		});

		it('takes time as unknown in which one of the causes was not watched', async () => {
			const items = [watched, { ...watched, ...faulted, until: at(12) }, incident(7, 11, 13)];
			const [item] = (await run({ parameters: counts('offline,faulted'), items })).json;
			expect(item).toMatchObject({ downMinutes: 60, unknownMinutes: dayMinutes - 12 * 60 });
			const never = await run({ parameters: counts('offline,faulted'), items: [watched, incident(7, 11, 13)] });
			expect(never.json).toMatchObject([
				{
					uptimePercent: null,
					uptimeMissing: 'No row says that anybody watched for faulted.',
					unknownMinutes: dayMinutes,
				},
			]);
			expect(never.json[0]?.basis).toBe('by station, as seen: offline every 5 minutes; faulted never');
			const apart = [
				{ ...watched, until: at(12) },
				{ ...watched, ...faulted, since: at(12) },
			];
			expect((await run({ parameters: counts('offline,faulted'), items: apart })).json[0]?.uptimeMissing).toBe(
				'No row says that anybody watched for all of these at the same time: offline, faulted.',
			);
			const before = [watched, { ...watched, ...faulted, until: at(-1) }];
			expect((await run({ parameters: counts('offline,faulted'), items: before })).json[0]?.uptimeMissing).toBe(
				'No row says that anybody watched for faulted in this period.',
			);
			const options = { countsAsDown: 'offline,faulted', assumeAlwaysWatched: true };
			const assumed = await run({ parameters: { filters, options }, items: [watched, incident(7, 11, 13)] });
			expect(assumed.json).toMatchObject([{ downMinutes: 120, unknownMinutes: 0 }]);
			expect(hintText(assumed)).toMatch(/No row says when anybody watched for faulted, so all time counts as watched/);
		});

		it('gives one item for each outage, with why time of it is excluded', async () => {
			const items = [
				...rows,
				{ ...incident(7, 20, 22), ...faulted },
				{ kind: 'excluded', stationId: 7, since: at(5), until: at(8), reason: 'power cut' },
				{
					kind: 'closed',
					stationId: '*',
					weekdays: 'mon,tue,wed,thu,fri,sat,sun',
					since: '21:00',
					until: '02:00',
					reason: 'closed',
				},
			];
			const parameters = { ...counts('offline,faulted'), result: 'outages' };
			const { json, error } = await run({ parameters, items });
			expect(error).toBeUndefined();
			const stationId = '7';
			expect(json).toMatchObject([
				{ stationId, cause: 'offline', minutes: 120, excludedMinutes: 0, unknownMinutes: 0, reason: null },
				{ stationId, cause: 'faulted', minutes: 120, excludedMinutes: 60, reason: 'power cut', minutesBetweenPolls: 5 },
				{ stationId, cause: 'faulted', minutes: 60, excludedMinutes: 60, reason: 'closed' },
			]);
			const [network] = (await run({ parameters: { ...parameters, result: 'network' }, items })).json;
			expect(network).toMatchObject({ downMinutes: 240, outageMinutes: 360, excludedOutageMinutes: 120 });
		});

		it('names the first ten reasons of an outage, and how many more there are', async () => {
			const reason = (n: number) => ({
				...{ kind: 'excluded', stationId: 7, since: at(2 + n / 60), until: at(5), reason: `part ${n}` },
			});
			const items = [watched, incident(7, 1, 4), ...Array.from({ length: 13 }, (_, n) => reason(n))];
			const { json } = await run({ parameters: { filters, result: 'outages' }, items });
			const names = Array.from({ length: 10 }, (_, n) => `part ${n}`).join('; ');
			expect(json).toMatchObject([{ minutes: 60, excludedMinutes: 120, reason: `${names} and 3 more` }]);
		});

		it('gives the figure of the UK, where only faults are down and unknown time is up', async () => {
			const { json } = await run({
				parameters: { ...counts('faulted'), preset: 'unknownUp' },
				items: [
					watched,
					incident(7, 2, 4),
					{ ...watched, ...faulted, since: at(12) },
					{ ...incident(7, 3, 6), ...faulted },
				],
			});
			expect(json).toMatchObject([{ downMinutes: 0, unknownMinutes: 720, uptimePercent: 100 }]);
			const seen = await run({ parameters: { ...counts('faulted'), preset: 'unknownUp' }, items: rows });
			expect(seen.json).toMatchObject([{ downMinutes: 180, downMinutesByCause: { faulted: 180 } }]);
		});

		it('gives the figure of the US, where all causes are down in twelve months, and unknown time is told', async () => {
			const parameters = { ...counts('offline,faulted'), preset: 'minutesOfYear', period: 'lastDays', days: 365 };
			const result = await run({ parameters, items: rows });
			const [item] = result.json;
			expect(item).toMatchObject({ downMinutes: 240, uptimePercent: 99.9543 });
			expect(Number(item?.lowestUptimePercent)).toBeLessThan(1);
			expect(hintText(result)).toMatch(/Unknown time: \d+ minutes.*counts it as up.*uptime would be 0\.\d+ %/);
			const months = await run({ parameters: { ...parameters, period: 'last12Months' }, items: rows });
			expect(months.error).toBeUndefined();
			expect(months.json[0]?.to).toBe(
				DateTime.now().setZone(ZONE).startOf('month').toISO({ suppressMilliseconds: true }),
			);
		});
	});

	describe('by charge point', () => {
		const chargePoint = { cause: 'chargePoint' };
		const both = [watched, { ...watched, ...chargePoint, polls: 144 }];
		const of = (id: string | number, row: IDataObject): IDataObject => ({
			...{ ...row, ...chargePoint, chargePointId: id, incidentId: `${idText(row.incidentId)} of ${id}` },
		});
		const filters = { id: [{ operator: 'In', values: ['7', '8'] }] };
		const result = 'chargePoints';
		const setEntries = (station: number, ...entries: object[]) =>
			platform.db.prepare('UPDATE stations SET EVSEs = ? WHERE Id = ?').run(JSON.stringify(entries), station);
		const minutesDown = ({ json }: Awaited<ReturnType<typeof run>>) =>
			json.map(({ stationId, chargePointId, downMinutes }) => [stationId, chargePointId, downMinutes]);

		beforeEach(() => {
			setEntries(7, { Id: 71 }, { Id: 72 }, { id: '73' });
			setEntries(8, { Id: 81 }, { Id: 72 });
		});

		it('an outage of one is down time of that one, and an outage of the station of all its charge points', async () => {
			const items = [...both, of(72, incident(7, 2, 4)), of('73', incident(7, 3, 4)), incident(7, 3, 5)];
			const outcome = await run({ parameters: { filters, result }, items });
			expect(outcome.error).toBeUndefined();
			expect(minutesDown(outcome)).toEqual([
				['7', '71', 120],
				['7', '72', 180],
				['7', '73', 120],
				['8', '81', 0],
				['8', '72', 0],
			]);
			expect(outcome.json[1]).toMatchObject({
				downMinutesByCause: { offline: 120, chargePoint: 120 },
				incidents: 1,
				uptimePercent: Math.floor((100 * 10_000 * (dayMinutes - 180)) / dayMinutes) / 10_000,
				basis: 'by charge point, as seen: offline every 5 minutes; chargePoint every 30 minutes',
			});
			expect(outcome.hints).toEqual([]);
			// The list, and a detail for each station.
			expect(platform.requests.filter(({ path }) => /\/[78]$/.test(path))).toHaveLength(2);
		});

		it('a charge point that only has a status for too long is not down, and neither is its station', async () => {
			const told = { cause: 'inStatus', stationId: 7, chargePointId: '72', incidentId: 'a' };
			const events = [
				{ ...told, event: 'inStatus', since: at(2), until: null },
				{ ...told, event: 'leftStatus', since: at(2), until: at(4) },
			];
			for (const rows of [events, events.map((row) => ({ ...row, event: null, kind: 'incident' }))]) {
				const outcome = await run({ parameters: { filters, result }, items: [...both, ...rows] });
				expect(outcome.error).toBeUndefined();
				expect(minutesDown(outcome).every(([, , minutes]) => minutes === 0)).toBe(true);
				const stations = await run({ parameters: { filters }, items: [watched, ...rows] });
				expect(stations.json.map(({ downMinutes }) => downMinutes)).toEqual([0, 0]);
			}
		});

		it('without anybody who watched charge points, all time is unknown, and not up', async () => {
			for (const preset of ['share', 'unknownUp']) {
				const outcome = await run({ parameters: { filters, result, preset }, items: [watched, incident(7, 2, 4)] });
				expect(outcome.json).toHaveLength(5);
				for (const item of outcome.json) {
					expect(item).toMatchObject({ uptimePercent: null, unknownMinutes: dayMinutes });
					expect(item.uptimeMissing).toBe('No row says that anybody watched for chargePoint.');
				}
			}
			for (const items of [[incident(7, 2, 4)], [incident(7, 2, 4), of(72, incident(7, 2, 4))]]) {
				const outcome = await run({ parameters: { filters, result }, items });
				expect(outcome.json[0]).toMatchObject({
					uptimePercent: null,
					uptimeMissing: 'No row says that anybody watched for chargePoint.',
				});
				expect(hintText(outcome)).toMatch(/^Uptime cannot be given .*chargePoint\. .*Assume Always Watched/);
				const options = { assumeAlwaysWatched: true };
				const assumed = await run({ parameters: { filters, result, options }, items });
				expect(assumed.json[0]).toMatchObject({ uptimeMissing: null, downMinutes: 120 });
			}
			const partly = [watched, { ...watched, ...chargePoint, until: at(12) }];
			const { json } = await run({ parameters: { filters, result }, items: partly });
			expect(json[0]).toMatchObject({ uptimePercent: 100, unknownMinutes: dayMinutes - 720 });
		});

		it('one that could not be read is unknown alone, and one of a station that could not be read with it', async () => {
			const unreadable = JSON.stringify([{ stationId: '7', chargePointId: '72' }, { stationId: 8 }]);
			const rows = [
				{ ...watched, ...chargePoint, until: at(10) },
				{ ...watched, ...chargePoint, since: at(10), until: at(11), unreadable },
				{ ...watched, ...chargePoint, since: at(11) },
			];
			const { json } = await run({ parameters: { filters, result }, items: [watched, ...rows] });
			expect(json.map(({ chargePointId, unknownMinutes }) => [chargePointId, unknownMinutes])).toEqual([
				['71', 0],
				['72', 60],
				['73', 0],
				['81', 60],
				['72', 60],
			]);
		});

		it('for a station, they are no down time, and a note says where they are', async () => {
			const items = [...both, of(72, incident(7, 2, 4)), incident(8, 3, 5)];
			const outcome = await run({ parameters: { filters }, items });
			expect(outcome.json).toMatchObject([{ downMinutes: 0 }, { downMinutes: 120 }]);
			expect(outcome.hints).toHaveLength(1);
			expect(hintText(outcome)).toMatch(/^Some rows are about charge points.*choose One Item per Charge Point\.$/);
			const maintenance = { kind: 'excluded', stationId: 7, chargePointId: 72, since: at(2), until: at(4) };
			const excluded = await run({ parameters: { filters }, items: [watched, maintenance] });
			expect(hintText(excluded)).toMatch(/^Some rows are about charge points/);
			const options = { countsAsDown: 'offline,CHARGEPOINT' };
			const { error } = await run({ parameters: { filters, options }, items });
			expect(`${error?.message} ${error?.description}`).toMatch(
				/Counts as Down.*not down because of one charge point.*One Item per Charge Point or One Item per Outage/,
			);
		});

		it('each outage is listed with the charge point, of both kinds', async () => {
			const items = [...both, of(72, incident(7, 2, 4)), of(71, incident(7, 2, 4)), incident(7, 3, 5)];
			const options = { countsAsDown: 'offline,chargePoint' };
			const { json, hints } = await run({ parameters: { filters, result: 'outages', options }, items });
			expect(json).toMatchObject([
				{ stationId: '7', chargePointId: '72', cause: 'chargePoint', minutes: 120, minutesBetweenPolls: 30 },
				{ stationId: '7', chargePointId: '71', cause: 'chargePoint', minutes: 120 },
				{ stationId: '7', chargePointId: null, cause: 'offline', minutes: 120, minutesBetweenPolls: 5 },
			]);
			expect(hints).toEqual([]);
		});

		it('those without Ids are known by their places, and stations without any are named', async () => {
			setEntries(7, { Status: 1 }, { Status: 2 });
			setEntries(8);
			const items = [...both, of('#2', incident(7, 2, 4)), of('72', incident(7, 5, 6)), of('81', incident(8, 5, 6))];
			const outcome = await run({ parameters: { filters, result }, items });
			expect(minutesDown(outcome)).toEqual([
				['7', '#1', 0],
				['7', '#2', 120],
			]);
			expect(hintText(outcome)).toMatch(
				/no charge points in their detail: "[^"]+"\. The charge points of these stations do not all have an Id.*: "[^"]+"\. Rows of stations or charge points that no longer exist.*: charge point 72 of station 7, charge point 81 of station 8\./,
			);
		});

		it('of a year, each port has its own figure', async () => {
			const parameters = { filters, result, preset: 'minutesOfYear', period: 'lastDays', days: 365 };
			const items = [...both, of(72, incident(7, 2, 4)), incident(7, 3, 5)];
			const outcome = await run({ parameters, items });
			expect(outcome.json.map(({ uptimePercent }) => uptimePercent)).toEqual([99.9771, 99.9657, 99.9771, 100, 100]);
		});
	});

	it('gives one failed item when the node continues on errors', async () => {
		const { json, items } = await run({ items: [watched, { kind: 'outage' }], node: { continueOnFail: true } });
		expect(json).toHaveLength(1);
		expect(idText(items[0]?.error?.message)).toMatch(/Row 2/);
	});

	it('is not offered to AI tools', async () => {
		const { nodeTypes } = await loadPackage();
		const { type } = nodeTypes.chargingStations ?? {};
		const operation = (
			type as { description: { properties: Array<{ name: string; options?: unknown[] }> } } | undefined
		)?.description.properties.find(({ name }) => name === 'operation');
		expect(operation?.options).toContainEqual(
			expect.objectContaining({ value: 'availability', displayOptions: { hide: { '@tool': [true] } } }),
		);
	});
});
