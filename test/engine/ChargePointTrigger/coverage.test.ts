import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { ChargePointBench, OUT_OF_ORDER } from '../../support/chargePointTrigger/support.ts';
import { MINUTE, text } from '../../support/stationTrigger/support.ts';
import type { TriggerRig } from '../../support/trigger/rig.ts';

/** Which time was watched, and what could not be read in it: also everyNode/watchedTime.test.ts. */
const bench = new ChargePointBench({ stations: 6 });
const polls = bench.polls.bind(bench);

const watchingIn = (rig: TriggerRig) => rig.items.filter(({ event }) => event === 'watching');
const unreadableIn = (rig: TriggerRig) => watchingIn(rig).map(({ unreadable }) => unreadable);
const time = (value: unknown) => Date.parse(text(value));
const minutesOf = ({ from, to }: IDataObject) => Math.round((time(to) - time(from)) / MINUTE);
const messages = ({ errors }: TriggerRig) => errors.map(({ message }) => message);

async function start(options: INodeParameters = {}): Promise<TriggerRig> {
	return await bench.rig('memory', { ...OUT_OF_ORDER, options: { reportWatching: true, ...options } });
}

const clear = () => bench.platform.faults.clear();
/** Stations that cannot be read: this one, or all. */
const cannotRead = (station = '\\d+') =>
	bench.platform.faults.add({
		...{ kind: 'status', status: 500, times: Infinity },
		match: ({ path }) => new RegExp(`/${station}$`).test(path),
	});

it('with turns of several polls, reaches from the end of a turn to the beginning of a later one', async () => {
	const rig = await start({ mostStations: 2 });
	const began = bench.clock.now();
	await polls(rig, 3 * 12);
	const watching = watchingIn(rig);
	expect(watching.length).toBeGreaterThan(0);
	// The first turn ends 10 minutes after the first poll; a turn has three polls.
	expect(Math.round((time(watching[0]?.from) - began) / MINUTE)).toBe(10);
	for (const [index, item] of watching.entries()) {
		if (index > 0) expect(item.from).toEqual(watching[index - 1]?.to);
		expect(Math.round((time(item.to) - began) / MINUTE) % 15).toBe(0);
		expect(item).toMatchObject({ stations: 6, chargePoints: 12 });
	}
});

it('a station that cannot be read is named, and the others are watched all the time', async () => {
	const rig = await start();
	await polls(rig, 16);
	cannotRead('4');
	await polls(rig, 2);
	clear();
	await polls(rig, 20);
	expect(watchingIn(rig).map(minutesOf)).toEqual([60, 60, 60]);
	expect(unreadableIn(rig)).toEqual([[], [{ stationId: 4 }], []]);
	expect(watchingIn(rig)[1]?.text).toMatch(/Not watched all the time, because it could not be read: 1\.$/);
});

it('a turn in which no station can be read does not count; the next whole one closes the gap', async () => {
	const rig = await start();
	await polls(rig, 4);
	cannotRead();
	await polls(rig, 1);
	clear();
	await polls(rig, 9);
	expect(watchingIn(rig).map(minutesOf)).toEqual([60]);
});

it.each<[string, unknown]>([
	['null', null],
	['empty', ' '],
	['a list', [3]],
	['an object without a code', { Name: 'Works' }],
	['an object whose code is null', { Id: null }],
])('a status that is %s ends no incident, and that time is not watched', async (_, odd) => {
	const rig = await start();
	await polls(rig, 2);
	for (const status of [3, odd, 3]) {
		bench.points(3, 1, status);
		await polls(rig, 1);
	}
	await polls(rig, 21);
	bench.points(3, 1, 1);
	await polls(rig, 1);
	expect(rig.told()).toEqual(['outOfOrder 32', 'backInOrder 32']);
	const [begin, end] = rig.items.filter(({ event }) => event !== 'watching');
	expect(end?.incidentId).toBe(begin?.eventId);
	expect(unreadableIn(rig)[0]).toEqual([{ stationId: 3, chargePointId: '32' }]);
	expect(rig.errors).toEqual([]);
});

it('what cannot be read for an hour is said once while it lasts, also after a restart', async () => {
	const rig = await start();
	bench.points(3, 1, null);
	bench.platform.db.prepare('UPDATE stations SET EVSEs = ? WHERE Id = 5').run('null');
	await polls(rig, 12);
	expect(rig.errors).toEqual([]);
	// The poll before has an item to hand over.
	await polls(rig, 2);
	expect(messages(rig)).toEqual(['The status of 1 station and 1 charge point cannot be read, for an hour now']);
	expect((rig.errors[0] as Error & { description: string }).description).toMatch(/^The first is station 5\./);
	await polls(rig, 14);
	await rig.restart();
	await polls(rig, 14);
	expect(rig.errors).toHaveLength(1);
	bench.points(3, 1, 1);
	await polls(rig, 1);
	bench.points(3, 1, null);
	await polls(rig, 14);
	expect(rig.errors).toHaveLength(2);
});

it('what cannot be read is said for itself, although nothing could be read for hours before', async () => {
	const rig = await start({ reportWatching: false });
	cannotRead();
	await polls(rig, 7 * 12);
	const outage = expect.stringMatching(/^The charge points could not be read since/) as string;
	expect(messages(rig)).toEqual([outage, outage]);
	clear();
	cannotRead('4');
	await polls(rig, 3);
	expect(messages(rig).slice(2)).toEqual(['The status of 1 station cannot be read, for an hour now']);
});

it('charge points that are back without the field are unreadable: the trigger is not set up wrongly', async () => {
	const rig = await start();
	await polls(rig, 2);
	const match = ({ path }: { path: string }) => path.endsWith('/v1');
	bench.platform.faults.add({ kind: 'reply', status: 200, body: { Items: [], TotalCount: 0 }, match, times: Infinity });
	await polls(rig, 2);
	clear();
	for (const id of bench.stations()) bench.entries(id, { Id: id });
	await polls(rig, 14);
	expect(messages(rig)).toEqual(['The status of 6 charge points cannot be read, for an hour now']);
});

it('a time in which more than 200 charge points could not be read is not reported as watched', async () => {
	const many = Array.from({ length: 201 }, (_, index) => ({ Id: index + 1, Status: null }));
	bench.entries(3, ...many);
	const rig = await start();
	await polls(rig, 14);
	expect(watchingIn(rig)).toEqual([]);
	expect(messages(rig)[0]).toMatch(/^The status of 201 charge points/);
	expect(rig.stateSize).toBeLessThan(30_000);
});

it('looks that come later than a turn promises are a gap', async () => {
	const rig = await start({ mostStations: 3 });
	await polls(rig, 4);
	// Two polls are a turn, so looks may be up to 45 minutes apart.
	bench.clock.forward(25 * MINUTE);
	await polls(rig, 14);
	expect(watchingIn(rig)).toHaveLength(1);
	bench.clock.forward(50 * MINUTE);
	await polls(rig, 20);
	const [, before, after] = watchingIn(rig);
	expect(time(after?.from) - time(before?.to)).toBeGreaterThan(50 * MINUTE);
});
