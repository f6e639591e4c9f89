import type { INodeParameters } from 'n8n-workflow';

import { OUT_OF_ORDER } from '../../support/chargePointTrigger/support.ts';
import { list, ROWS_TRIGGER, SESSION_LIST } from '../../support/rowsTrigger/support.ts';
import { EXPIRED, FINISHED, SESSION_TRIGGER, SessionBench } from '../../support/sessionTrigger/support.ts';
import { ENGINES, TriggerRig, type TriggerName } from '../../support/trigger/rig.ts';

const bench = new SessionBench({ stations: 3 });
const MINUTES_APART = 10;
const POLLS_A_DAY = (24 * 60) / MINUTES_APART;

/** Triggers on a day on which there is nothing to tell. Sessions come and go as on any other day. */
const QUIET: Array<[TriggerName, INodeParameters]> = [
	['chargingStationStatusTrigger', { event: 'availability', options: { stationChanges: ['added', 'removed'] } }],
	['chargePointTrigger', { ...OUT_OF_ORDER, options: { reportWatching: false } }],
	[
		SESSION_TRIGGER,
		{
			...{ events: ['failed', 'stalled', 'resumed', 'runningLong'], stalledMinutes: 600 },
			options: { otherEndStatuses: [String(EXPIRED)] },
		},
	],
	[
		ROWS_TRIGGER,
		{ ...list(SESSION_LIST), filters: { other: [{ field: 'Status|number', numberOperator: 'Eq', value: '6' }] } },
	],
	[ROWS_TRIGGER, { ...list('/api/charging-stations/v1'), event: 'changedRow' }],
];

describe.each(ENGINES)('engine %s', (engine) => {
	it.each(QUIET)('%s, %j: a quiet day has two executions at most', async (type, parameters) => {
		const rig = new TriggerRig(engine, parameters, bench.credential(), {}, type);
		await rig.activate();
		const { length: atFirst } = rig.batches;
		for (let poll = 1; poll <= POLLS_A_DAY; poll++) {
			bench.start(poll);
			bench.energy(poll, poll);
			if (poll > 5) bench.become(poll % 7 === 0 ? EXPIRED : FINISHED, poll - 5);
			await bench.polls(rig, 1, MINUTES_APART * 60_000);
		}
		expect(rig.items).toEqual([]);
		expect(rig.errors).toEqual([]);
		expect(rig.batches.length - atFirst).toBeLessThanOrEqual(2);
	});
});
