import { readFileSync } from 'node:fs';

import { DateTime } from 'luxon';
import type { INodeParameters } from 'n8n-workflow';

import { CHARGE_POINT_TRIGGER, points, setPoints } from '../../support/chargePointTrigger/support.ts';
import { FAILED, HOUR, SESSION_TRIGGER, SessionBench } from '../../support/sessionTrigger/support.ts';
import { ROWS_TRIGGER } from '../../support/rowsTrigger/support.ts';
import { MINUTE } from '../../support/stationTrigger/support.ts';
import { TriggerRig, type TriggerName } from '../../support/trigger/rig.ts';

const bench = new SessionBench({ stations: 6 });
const plays = bench.plays.bind(bench);

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

async function start(file: string, type?: TriggerName, named?: string): Promise<TriggerRig> {
	const rig = new TriggerRig('memory', triggerOf(file, named), bench.credential(), {}, type);
	await rig.activate();
	return rig;
}

it('offline-alert.json reports an outage of ten minutes and its end', async () => {
	const rig = await start('offline-alert.json');
	await plays(
		rig,
		[() => bench.set({ NetworkStatus: 2 }, 2, 3), 5, []],
		[() => bench.set({ NetworkStatus: 1 }, 2), 6, ['offline 3']],
		[() => bench.set({ NetworkStatus: 1 }, 3), 1, ['backOnline 3']],
	);
});

it('incidents-to-data-table.json: its second trigger reports faults, and what was watched for them', async () => {
	const rig = await start('incidents-to-data-table.json', undefined, 'Station Faulted or Repaired');
	bench.set({ HardwareStatus: 3 }, 2);
	await bench.minutes(rig, 62);
	expect(rig.items.map(({ event, cause, stationId }) => [event, cause, stationId])).toEqual([
		['startedMatching', 'faulted', 2],
		['watching', 'faulted', undefined],
	]);
});

it('new-fault-creates-a-ticket-once.json fires once for each new fault, with the full detail', async () => {
	const rig = await start('new-fault-creates-a-ticket-once.json');
	bench.set({ HardwareStatus: 2 }, 4);
	const fault = ['statusChanged 2 HardwareStatus 1>3'];
	await plays(
		rig,
		[() => bench.set({ HardwareStatus: 3 }, 2), 12, fault],
		[() => bench.set({ HardwareStatus: 1 }, 2), 12, []],
		[() => bench.set({ HardwareStatus: 3 }, 2), 12, fault],
	);
	expect(rig.items[0]?.station).toHaveProperty('EVSEs');
	expect(rig.items[1]?.eventId).not.toBe(rig.items[0]?.eventId);
});

it('failed-session-message.json reports failed sessions only', async () => {
	bench.start(1);
	const rig = await start('failed-session-message.json', SESSION_TRIGGER);
	bench.start(3);
	await plays(rig, [() => bench.start(2, { status: FAILED }), 2, ['failed 2']]);
	bench.become(4, 3);
	await plays(rig, [() => bench.become(FAILED, 1), 2, ['failed 1']]);
});

it('sessions-running-longer-than-a-day.json reports all that are now a day old in one item', async () => {
	bench.startAll(1, 2, { ago: 23.5 * HOUR });
	const rig = await start('sessions-running-longer-than-a-day.json', SESSION_TRIGGER);
	await bench.minutes(rig, 2);
	bench.clock.forward(29 * MINUTE);
	await bench.minutes(rig, 3);
	expect(rig.items).toMatchObject([{ event: 'digest', eventCount: 2, counts: { runningLong: 2 } }]);
});

it('charge-point-out-of-order.json reports a charge point that is broken for ten minutes, and its repair', async () => {
	setPoints(bench, 2, points(2, 1, 1));
	const rig = await start('charge-point-out-of-order.json', CHARGE_POINT_TRIGGER);
	await bench.minutes(rig, 11);
	setPoints(bench, 2, points(2, 1, 3));
	await bench.minutes(rig, 25);
	expect(rig.items).toMatchObject([{ event: 'digest', counts: { outOfOrder: 1 } }]);
	expect(rig.items[0]?.text).toMatch(/^Charge point 22 of .* has been out of order \(3\) since /);
	setPoints(bench, 2, points(2, 1, 1));
	await bench.minutes(rig, 15);
	expect(rig.items.map(({ counts }) => counts)).toEqual([{ outOfOrder: 1 }, { backInOrder: 1 }]);
});

it('stalled-session.json reports all that stand still in one message that a chat takes, and each that charges again', async () => {
	bench.startAll(1, 35, { energy: 5 });
	const rig = await start('stalled-session.json', SESSION_TRIGGER);
	await bench.minutes(rig, 40);
	expect(rig.items).toMatchObject([{ event: 'digest', eventCount: 35, counts: { stalled: 35 } }]);
	const lines = (rig.items[0]?.text as string).split('\n');
	expect(lines).toHaveLength(21);
	expect(lines[0]).toMatch(/^Session 1 \(started .*\) has stalled: its energy has not risen for 3\d minutes/);
	expect(lines.at(-1)).toBe('and 15 more');
	bench.energy(6, 2);
	await bench.minutes(rig, 5);
	expect(rig.items.map(({ counts }) => counts)).toEqual([{ stalled: 35 }, { resumed: 1 }]);
});

it('price-corrections.json reports a price of the last 60 days that is corrected, and nothing else', async () => {
	const weeksAgo = DateTime.utc().minus({ days: 50 }).toFormat("yyyy-MM-dd'T'HH:mm:ss");
	bench.startAll(1, 3);
	bench.platform.db.exec(`UPDATE sessions SET Price = 4, Status = 4, StartedAtUtc = '${weeksAgo}' WHERE Id <= 2`);
	const rig = await start('price-corrections.json', ROWS_TRIGGER);
	await bench.minutes(rig, 1);
	bench.platform.correctPrice(1, 12.5);
	bench.platform.correctPrice(3, 1);
	bench.platform.db.exec('UPDATE sessions SET EnergyConsumed = 99 WHERE Id = 2');
	await bench.minutes(rig, 2);
	expect(rig.items.map(({ text }) => text)).toEqual(['Row 1 of charging-sessions has changed: Price from 4 to 12.5.']);
});
