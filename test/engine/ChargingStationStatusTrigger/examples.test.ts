import { readFileSync } from 'node:fs';

import { DateTime } from 'luxon';
import type { INodeParameters } from 'n8n-workflow';

import { CHARGE_POINT_TRIGGER, points, setPoints } from '../../support/chargePointTrigger/support.ts';
import { FAILED, HOUR, SessionBench } from '../../support/sessionTrigger/support.ts';
import { ROWS_TRIGGER } from '../../support/rowsTrigger/support.ts';
import { MINUTE, short } from '../../support/stationTrigger/support.ts';
import { testManually, TriggerRig } from '../../support/trigger/rig.ts';

const bench = new SessionBench({ stations: 6 });

/** The trigger's parameters in a shipped example. */
function triggerOf(file: string, named?: string): INodeParameters {
	const { nodes } = JSON.parse(readFileSync(`examples/${file}`, 'utf8')) as {
		nodes: Array<{ name: string; type: string; parameters: INodeParameters }>;
	};
	const triggers = nodes.filter(({ type }) => /\.charg\w+Trigger$/.test(type));
	const trigger = triggers.find(({ name }) => named === undefined || name === named);
	if (!trigger) throw new Error(`${file} has no trigger`);
	return trigger.parameters;
}

it('offline-alert.json reports an outage of ten minutes and its end', async () => {
	const rig = new TriggerRig('memory', triggerOf('offline-alert.json'), bench.credential());
	await rig.activate();
	bench.set({ NetworkStatus: 2 }, 2, 3);
	await bench.minutes(rig, 5);
	bench.set({ NetworkStatus: 1 }, 2);
	await bench.minutes(rig, 6);
	expect(short(rig.items)).toEqual(['offline 3']);
	bench.set({ NetworkStatus: 1 }, 3);
	await bench.minutes(rig, 1);
	expect(short(rig.items)).toEqual(['offline 3', 'backOnline 3']);
});

it('incidents-to-data-table.json: its second trigger reports faults, and what was watched for them', async () => {
	const parameters = triggerOf('incidents-to-data-table.json', 'Station Faulted or Repaired');
	const rig = new TriggerRig('memory', parameters, bench.credential());
	await rig.activate();
	bench.set({ HardwareStatus: 3 }, 2);
	await bench.minutes(rig, 62);
	expect(rig.items.map(({ event, cause, stationId }) => [event, cause, stationId])).toEqual([
		['startedMatching', 'faulted', 2],
		['watching', 'faulted', undefined],
	]);
});

it('new-fault-creates-a-ticket-once.json fires once for each new fault, with the full detail', async () => {
	const rig = new TriggerRig('memory', triggerOf('new-fault-creates-a-ticket-once.json'), bench.credential());
	await rig.activate();
	bench.set({ HardwareStatus: 3 }, 2);
	bench.set({ HardwareStatus: 2 }, 4);
	await bench.minutes(rig, 12);
	expect(short(rig.items)).toEqual(['statusChanged 2 HardwareStatus 1>3']);
	expect(rig.items[0]?.station).toHaveProperty('EVSEs');
	bench.set({ HardwareStatus: 1 }, 2);
	await bench.minutes(rig, 12);
	bench.set({ HardwareStatus: 3 }, 2);
	await bench.minutes(rig, 12);
	expect(rig.items).toHaveLength(2);
	expect(rig.items[1]?.eventId).not.toBe(rig.items[0]?.eventId);
});

it('each manual test has new event ids, so that a node that drops repeats lets its items pass', async () => {
	const parameters = triggerOf('new-fault-creates-a-ticket-once.json');
	const tests = [
		await testManually(parameters, bench.credential()),
		await testManually(parameters, bench.credential()),
	];
	const ids = tests.flatMap((items) => (items ?? []).map(({ eventId }) => eventId));
	expect(ids).toHaveLength(6);
	expect(new Set(ids).size).toBe(6);
});

it('failed-session-message.json reports failed sessions only', async () => {
	bench.start(1);
	const rig = await bench.rig('memory', triggerOf('failed-session-message.json'));
	bench.start(2, { status: FAILED });
	bench.start(3);
	await bench.minutes(rig, 2);
	bench.become(FAILED, 1);
	bench.become(4, 3);
	await bench.minutes(rig, 2);
	expect(short(rig.items)).toEqual(['failed 2', 'failed 1']);
});

it('sessions-running-longer-than-a-day.json reports all that are now a day old in one item', async () => {
	for (const id of [1, 2]) bench.start(id, { ago: 23.5 * HOUR });
	const rig = await bench.rig('memory', triggerOf('sessions-running-longer-than-a-day.json'));
	await bench.minutes(rig, 2);
	bench.clock.forward(29 * MINUTE);
	await bench.minutes(rig, 3);
	expect(rig.items).toMatchObject([{ event: 'digest', eventCount: 2, counts: { runningLong: 2 } }]);
});

it('charge-point-out-of-order.json reports a charge point that is broken for ten minutes, and its repair', async () => {
	setPoints(bench, 2, points(2, 1, 1));
	const parameters = triggerOf('charge-point-out-of-order.json');
	const rig = new TriggerRig('memory', parameters, bench.credential(), {}, CHARGE_POINT_TRIGGER);
	await rig.activate();
	await bench.minutes(rig, 11);
	setPoints(bench, 2, points(2, 1, 3));
	await bench.minutes(rig, 25);
	expect(rig.items).toMatchObject([{ event: 'digest', counts: { outOfOrder: 1 } }]);
	expect(rig.items[0]?.text).toMatch(/^Charge point 22 of .* has been out of order \(3\) since /);
	setPoints(bench, 2, points(2, 1, 1));
	await bench.minutes(rig, 15);
	expect(rig.items.map(({ counts }) => counts)).toEqual([{ outOfOrder: 1 }, { backInOrder: 1 }]);
});

it('stalled-session.json reports all that stand still in one message, and each that charges again', async () => {
	for (const id of [1, 2]) bench.start(id, { energy: 5 });
	const rig = await bench.rig('memory', triggerOf('stalled-session.json'));
	await bench.minutes(rig, 40);
	expect(rig.items).toMatchObject([{ event: 'digest', counts: { stalled: 2 } }]);
	expect(rig.items[0]?.text).toMatch(/^Session 1 \(started .*\) has stalled: its energy has not risen for 3\d minutes/);
	bench.platform.db.exec('UPDATE sessions SET EnergyConsumed = 6 WHERE Id = 2');
	await bench.minutes(rig, 5);
	expect(rig.items.map(({ counts }) => counts)).toEqual([{ stalled: 2 }, { resumed: 1 }]);
});

it('price-corrections.json reports a price of the last 60 days that is corrected, and nothing else', async () => {
	const weeksAgo = DateTime.utc().minus({ days: 50 }).toFormat("yyyy-MM-dd'T'HH:mm:ss");
	for (const id of [1, 2, 3]) bench.start(id);
	bench.platform.db.exec(`UPDATE sessions SET Price = 4, Status = 4, StartedAtUtc = '${weeksAgo}' WHERE Id <= 2`);
	const parameters = triggerOf('price-corrections.json');
	const rig = new TriggerRig('memory', parameters, bench.credential(), {}, ROWS_TRIGGER);
	await rig.activate();
	await bench.minutes(rig, 1);
	bench.platform.correctPrice(1, 12.5);
	bench.platform.correctPrice(3, 1);
	bench.platform.db.exec('UPDATE sessions SET EnergyConsumed = 99 WHERE Id = 2');
	await bench.minutes(rig, 2);
	expect(rig.items.map(({ text }) => text)).toEqual(['Row 1 of charging-sessions has changed: Price from 4 to 12.5.']);
});

it('stalled-session.json sends one message that a chat takes when the whole network stands still', async () => {
	for (let id = 1; id <= 35; id++) bench.start(id, { energy: 5 });
	const rig = await bench.rig('memory', triggerOf('stalled-session.json'));
	await bench.minutes(rig, 40);
	const lines = (rig.items[0]?.text as string).split('\n');
	expect(rig.items).toMatchObject([{ eventCount: 35 }]);
	expect(lines).toHaveLength(21);
	expect(lines.at(-1)).toBe('and 15 more');
});
