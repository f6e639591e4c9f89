import { Bench, MINUTE, short } from '../../support/stationTrigger/support.ts';
import { ENGINES, TriggerRig } from '../../support/trigger/rig.ts';

const bench = new Bench({ stations: 6 });
const UNSTABLE = { event: 'unstable' };
const HOUR = 60 * MINUTE;

/** Station 3 loses its connection, and is back twenty minutes later. */
async function fails(rig: TriggerRig): Promise<void> {
	await fallsSilent(rig);
	bench.set({ NetworkStatus: 1 }, 3);
	await bench.polls(rig, 2, 10 * MINUTE);
}

/** Station 3 loses its connection, and is not back. */
async function fallsSilent(rig: TriggerRig): Promise<void> {
	bench.set({ NetworkStatus: 2 }, 3);
	await bench.polls(rig, 2, 10 * MINUTE);
}

const passes = async (rig: TriggerRig, hours: number) => await bench.polls(rig, 4 * hours, HOUR / 4);

describe.each(ENGINES)('Station Keeps Going Offline, engine %s', (engine) => {
	async function start(parameters: ConstructorParameters<typeof TriggerRig>[1] = {}) {
		const rig = new TriggerRig(engine, { ...UNSTABLE, ...parameters }, bench.credential());
		await rig.activate();
		return rig;
	}

	it('the third outage within a day is told when it begins, over restarts; then none before a day without', async () => {
		const rig = await start();
		for (let nth = 1; nth <= 2; nth++) {
			await fails(rig);
			await passes(rig, 5);
			await rig.restart();
		}
		expect(rig.take()).toEqual([]);
		bench.set({ NetworkStatus: 2 }, 3);
		await bench.polls(rig, 1);
		const [item, ...more] = rig.take();
		expect(more).toEqual([]);
		expect(item).toMatchObject({
			...{ event: 'unstable', stationId: 3, outages: 3, withinHours: 24, dimension: 'NetworkStatus' },
			...{ from: 'online', to: 'offline', since: item?.detectedAt, until: null, cause: null, incidentId: null },
		});
		expect(item?.text).toMatch(/ keeps going offline: 3 outages within 24 hours, now since \d\d:\d\d\.$/);
		bench.set({ NetworkStatus: 1 }, 3);
		for (let nth = 1; nth <= 3; nth++) {
			await fails(rig);
			await passes(rig, 20);
		}
		expect(rig.take()).toEqual([]);
		await passes(rig, 5);
		for (let nth = 1; nth <= 3; nth++) await fails(rig);
		expect(short(rig.take())).toEqual(['unstable 3']);
		expect(rig.errors).toEqual([]);
	});

	it('a batch that was not saved comes again with the same id', async () => {
		const rig = await start({ outages: 2 });
		await fails(rig);
		bench.set({ NetworkStatus: 2 }, 3);
		rig.loseSaves = true;
		await bench.polls(rig, 1);
		rig.loseSaves = false;
		await rig.restart();
		await bench.polls(rig, 1);
		const [lost, again, ...more] = rig.take();
		expect([lost?.event, again?.event, more]).toEqual(['unstable', 'unstable', []]);
		expect(again?.eventId).toBe(lost?.eventId);
	});
});

describe('Station Keeps Going Offline', () => {
	async function start(parameters: ConstructorParameters<typeof TriggerRig>[1] = {}) {
		const rig = new TriggerRig('memory', { ...UNSTABLE, outages: 2, ...parameters }, bench.credential());
		await rig.activate();
		return rig;
	}

	it.each([
		['too far apart', { withinHours: 1 }, async (rig: TriggerRig) => await passes(rig, 1)],
		['too short', { minutesInState: 30 }, async () => {}],
		['a return that is too short to count', { options: { backAfterMinutes: 30 } }, async () => {}],
	])('%s: not reported', async (_, parameters, between) => {
		const rig = await start(parameters);
		for (let nth = 1; nth <= 3; nth++) {
			await fails(rig);
			await between(rig);
		}
		expect(rig.items).toEqual([]);
	});

	it.each([
		['while the station is online', { options: { stationChanges: ['added'] } }, fails],
		['in an outage', {}, fallsSilent],
		['in an outage, where all stations are read', { options: { stationChanges: ['added'] } }, fallsSilent],
	])('fewer Outages chosen %s: told when the next one begins', async (_, options, secondOutage) => {
		const rig = await start({ ...options, outages: 3 });
		await fails(rig);
		await secondOutage(rig);
		await rig.republish({ parameters: { ...rig.parameters, outages: 2 } });
		await bench.polls(rig, 2);
		expect(rig.items).toEqual([]);
		bench.set({ NetworkStatus: 1 }, 3);
		await bench.polls(rig, 1);
		bench.set({ NetworkStatus: 2 }, 3);
		await bench.polls(rig, 1);
		const [item, ...more] = rig.items;
		expect(more).toEqual([]);
		expect(item).toMatchObject({ event: 'unstable', stationId: 3, since: item?.detectedAt });
	});

	it('a cut list is no return, and a station that is gone is forgotten', async () => {
		const rig = await start();
		bench.set({ NetworkStatus: 2 }, 3);
		await bench.polls(rig, 1);
		const isList = ({ path, query = '' }: { path: string; query?: string }) =>
			path === '/api/charging-stations/v1' && !query.includes('"In"');
		const body = { Items: [], TotalCount: 0 };
		bench.platform.faults.add({ kind: 'reply', status: 200, body, match: isList, times: 1 });
		await bench.polls(rig, 3);
		expect(rig.items).toEqual([]);
		bench.remove(3);
		await bench.polls(rig, 3);
		expect(rig.errors).toEqual([]);
		// It is looked for no more.
		expect(await bench.requestsOf(async () => await bench.polls(rig, 1))).toBe(1);
	});

	it('remembers at most a hundred bytes for each station, and asks as little as Goes Offline', async () => {
		const rig = await start({ outages: 8, withinHours: 168 });
		for (let nth = 1; nth <= 7; nth++) await fails(rig);
		const before = rig.stateSize;
		expect(rig.items).toEqual([]);
		expect(await bench.requestsOf(async () => await bench.polls(rig, 1))).toBe(1);
		bench.set({ NetworkStatus: 2 }, 3);
		await bench.polls(rig, 1);
		expect(rig.items).toHaveLength(1);
		expect(before - rig.stateSize).toBeGreaterThan(0);
		expect(before).toBeLessThan(303 + 100);
	});

	it.each([
		[{ outages: 1 }, /Outages.*from 2 to 8/],
		[{ withinHours: 0 }, /Within Hours.*from 1 to 168/],
	])('%j: refused before anything is sent', async (parameters, message) => {
		await expect(start(parameters)).rejects.toThrow(message);
	});
});
