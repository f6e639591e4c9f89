import { ChargePointBench, OUT_OF_ORDER, STATUS_CHANGE } from '../../support/chargePointTrigger/support.ts';
import { short } from '../../support/stationTrigger/support.ts';
import { requestsOfTurn } from '../../support/stationTrigger/scaling.ts';
import { NIGHT_ENGINES } from '../../support/trigger/rig.ts';

const FLEET = 200;
const LATENCY_MS = 50;
/** What a poll may take at most in the durable scheduler, in milliseconds. */
const BUDGET_MS = 36_000;

// In real time, to see that a poll is done within its budget.
const bench = new ChargePointBench({ stations: FLEET }, 1);

describe.each(NIGHT_ENGINES)('200 stations with three charge points each, engine %s', (engine) => {
	beforeEach(() => {
		for (let station = 1; station <= FLEET; station++) bench.points(station, 1, 1, 2);
		bench.platform.behaviour.latencyMs = LATENCY_MS;
	});

	it('are looked at in one poll within its budget, with one request for each and three for the list', async () => {
		const rig = await bench.rig(engine, { ...OUT_OF_ORDER, options: { mostStations: FLEET } });
		rig.budgetMs = BUDGET_MS;
		bench.looks();
		for (const station of [1, 77, 200]) bench.points(station, 1, 3, 2);
		const requests = await bench.requestsOf(async () => await bench.minutes(rig, 1));
		expect(short(rig.items)).toEqual(['outOfOrder 12', 'outOfOrder 772', 'outOfOrder 2002']);
		expect(new Set(bench.looks()).size).toBe(FLEET);
		expect(requests).toBe(requestsOfTurn(FLEET, FLEET));
		expect(requests).toBe(FLEET + 3);
		expect(rig.logs).toEqual([]);
		console.info(`${engine}: state ${rig.stateSize} bytes`);
	});

	it('take two polls with the default, and the table of docs/queue-mode.md has their requests', async () => {
		const rig = await bench.rig(engine, STATUS_CHANGE);
		await bench.minutes(rig, 1);
		for (const station of [3, 150]) bench.points(station, 1, 1, 1);
		expect(await bench.requestsOf(async () => await bench.minutes(rig, 2))).toBe(requestsOfTurn(FLEET, 100));
		expect(short(rig.items)).toEqual(['statusChanged 33 2>1', 'statusChanged 1503 2>1']);
		expect(rig.stateSize).toBeLessThan(20_000);
	});

	it('come with later polls if the time of one is not enough, and none is left out', async () => {
		const rig = await bench.rig(engine, { ...STATUS_CHANGE, options: { mostStations: FLEET } });
		rig.budgetMs = 1_500;
		for (let station = 1; station <= FLEET; station++) bench.points(station, 1, 1, 3);
		let polls = 0;
		for (; rig.items.length < FLEET && polls < 60; polls++) await bench.minutes(rig, 1);
		expect(polls).toBeGreaterThan(1);
		expect(new Set(short(rig.items)).size).toBe(FLEET);
		expect(rig.items).toHaveLength(FLEET);
	});
});
