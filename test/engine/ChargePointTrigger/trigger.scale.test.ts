import { ChargePointBench, OUT_OF_ORDER, STATUS_CHANGE } from '../../support/chargePointTrigger/support.ts';

const STATIONS = 200;
/** A look at each station and three pages of the list, as in the table of docs/limits-and-cost.md. */
const REQUESTS = 203;
/** What a poll may take at most in the durable scheduler. */
const BUDGET_MS = 36_000;

// In real time, to see that a poll is done within its budget.
const bench = new ChargePointBench({ stations: STATIONS }, 1);

beforeEach(() => {
	for (const station of bench.stations()) bench.points(station, 1, 1, 2);
	bench.platform.behaviour.latencyMs = 50;
});

it('200 stations with three charge points each are looked at in one poll within its budget', async () => {
	const rig = await bench.rig('scheduler', { ...OUT_OF_ORDER, options: { mostStations: STATIONS } });
	rig.budgetMs = BUDGET_MS;
	await bench.minutes(rig, 1);
	for (const station of [1, 77, 200]) bench.points(station, 1, 3, 2);
	expect(await bench.requestsOf(async () => await bench.minutes(rig, 1))).toBe(REQUESTS);
	expect(rig.told()).toEqual(['outOfOrder 12', 'outOfOrder 772', 'outOfOrder 2002']);
	expect(rig.logs).toEqual([]);
});

it('they take two polls with the default, with as many requests and a small state', async () => {
	const rig = await bench.rig('memory', STATUS_CHANGE);
	await bench.minutes(rig, 1);
	for (const station of [3, 150]) bench.points(station, 1, 1, 1);
	expect(await bench.requestsOf(async () => await bench.minutes(rig, 2))).toBe(REQUESTS);
	expect(rig.told()).toEqual(['statusChanged 33 2>1', 'statusChanged 1503 2>1']);
	expect(rig.stateSize).toBeLessThan(20_000);
});

it('where the time of one poll is not enough, they come with later ones, each once', async () => {
	const rig = await bench.rig('memory', { ...STATUS_CHANGE, options: { mostStations: STATIONS } });
	rig.budgetMs = 1_500;
	for (const station of bench.stations()) bench.points(station, 1, 1, 3);
	await bench.minutes(rig, 1);
	expect(rig.items.length).toBeLessThan(STATIONS);
	for (let polls = 0; rig.items.length < STATIONS && polls < 60; polls++) await bench.minutes(rig, 1);
	expect(new Set(rig.told()).size).toBe(STATIONS);
	expect(rig.items).toHaveLength(STATIONS);
});
