import * as fc from 'fast-check';

import { Model, type Truth } from '../../support/chargePointTrigger/model.ts';
import { ChargePointBench, OUT_OF_ORDER } from '../../support/chargePointTrigger/support.ts';
import { MINUTE } from '../../support/stationTrigger/support.ts';
import { itHoldsInHistories } from '../../support/trigger/history.ts';

const bench = new ChargePointBench({ stations: 3 });
const DWELL_MINUTES = 4;
const CODES = [1, 1, 2, 3, null] as const;

function points(): Truth {
	const rows = bench.platform.db.prepare('SELECT EVSEs FROM stations').all();
	const entries = rows.flatMap(
		({ EVSEs }) => JSON.parse(String(EVSEs)) as Array<{ Id: number; Status: number | null }>,
	);
	return new Map(entries.map(({ Id, Status }) => [String(Id), Status]));
}

itHoldsInHistories('no event is lost, invented or doubled', {
	...{ bench, path: '/api/charging-stations/v1' },
	settings: fc.record({
		event: fc.constantFrom('outOfOrder' as const, 'inStatus' as const, 'statusChange' as const),
		hasDwell: fc.boolean(),
	}),
	changes: fc.record({
		do: fc.constant('change'),
		station: fc.integer({ min: 1, max: 3 }),
		// A third one comes and goes, where it matters that one is gone.
		codes: fc.array(fc.constantFrom(...CODES), { minLength: 2, maxLength: 3 }),
	}),
	// A list that shows no station is the subject of the tests of single cases.
	without: 'drift',
	async begin({ event, hasDwell, output }, engine, complain) {
		for (const id of bench.stations()) bench.points(id, 1, 1);
		const minutesInState = hasDwell || event === 'inStatus' ? DWELL_MINUTES : 0;
		const model = new Model({ event, dwellMs: minutesInState * MINUTE }, complain);
		const chosen = { outOfOrderValues: ['3'], heldStatuses: ['3'] };
		const parameters = { ...OUT_OF_ORDER, ...chosen, event, minutesInState, output, digestField: 'Status' };
		const rig = await bench.rig(engine, parameters);
		model.begin(points());
		return {
			rig,
			change: ({ station, codes }) => bench.points(station, ...(event === 'statusChange' ? codes.slice(0, 2) : codes)),
			judge: (poll) => model.judge(poll, points()),
		};
	},
});
