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
		expect(hintText(result)).toMatch(/Incidents of stations that no longer exist.* are not counted: 9\./);
	});

	it('takes one empty item as a month without rows, and says what the figures are based on', async () => {
		const result = await run({ parameters: { result: 'network', period: 'lastMonth' }, items: [{}] });
		expect(result.json).toEqual([
			expect.objectContaining({
				stations: 250,
				uptimePercent: 100,
				unknownMinutes: null,
				incidents: 0,
				basis: 'by station, as seen at each poll of the trigger, if that watched all the time: no row says when it did',
			}),
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

	it('counts incidents of unknown length, leaving out those in maintenance, and adds a hint', async () => {
		const maintenance = { kind: 'excluded', stationId: 9, since: at(2), until: at(4) };
		const items = [watched, maintenance, incident(7, 2), incident(8, 2, 3), incident(9, 3), incident(6, -30)];
		const result = await run({ items });
		expect(result.error).toBeUndefined();
		const unknown = result.json.filter(({ incidentsOfUnknownLength }) => incidentsOfUnknownLength !== 0);
		expect(unknown).toEqual([
			expect.objectContaining({ stationId: '7', incidentsOfUnknownLength: 1, incidents: 0, downMinutes: 0 }),
		]);
		expect(hintText(result)).toMatch(/Incidents of unknown length: 1\..*until/);
		const [network] = (await run({ items, parameters: { result: 'network' } })).json;
		expect(network).toMatchObject({ incidentsOfUnknownLength: 1, incidents: 1, downMinutes: 60 });
	});

	it('says when fewer stations were watched than are counted', async () => {
		expect(hintText(await run({ items: [{ ...watched, stations: 40 }] }))).toMatch(
			/watched 40 stations, but 250 are counted/,
		);
	});

	it('shows unwatched time as unknown, and the formula decides how it counts', async () => {
		const items = [{ ...watched, until: at(6) }, { ...watched, since: at(12) }, incident(7, 5, 8)];
		const parameters = { result: 'network', filters: { id: [{ operator: 'In', values: ['7'] }] } };
		const [share] = (await run({ parameters, items })).json;
		const [up] = (await run({ parameters: { ...parameters, preset: 'unknownUp' }, items })).json;
		expect([share?.downMinutes, share?.unknownMinutes]).toEqual([60, 360]);
		expect(Number(up?.uptimePercent)).toBeGreaterThan(Number(share?.uptimePercent));
		expect(up?.formula).not.toEqual(share?.formula);
	});

	it('names a bad row by its number and refuses a yearly formula for one day, before anything is sent', async () => {
		const { error } = await run({
			parameters: { preset: 'minutesOfYear' },
			items: [watched, { ...watched, since: 'x' }],
		});
		const text = `${error?.message} ${error?.description}`;
		expect(text).toMatch(/Row 2 > since/);
		expect(text).toMatch(/Formula.*needs a year/);
		expect(platform.requests).toEqual([]);
		const year = await run({
			parameters: { preset: 'minutesOfYear', period: 'lastDays', days: 365 },
			items: [watched],
		});
		expect(year.error).toBeUndefined();
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
