import * as fc from 'fast-check';

import { Model, type Truth } from '../../support/chargePointTrigger/model.ts';
import { ChargePointBench, OUT_OF_ORDER } from '../../support/chargePointTrigger/support.ts';
import { interruptions, itHoldsInHistories, play } from '../../support/trigger/history.ts';
import type { Engine } from '../../support/trigger/rig.ts';

const bench = new ChargePointBench({ stations: 3 });
const DWELL_MINUTES = 4;
const CODES = [1, 1, 2, 3, null] as const;

const history = fc.record({
	event: fc.constantFrom('outOfOrder' as const, 'inStatus' as const, 'statusChange' as const),
	hasDwell: fc.boolean(),
	output: fc.constantFrom('items', 'digest'),
	clamp: fc.constantFrom(undefined, undefined, 2),
	steps: fc.array(
		fc.oneof(
			{
				weight: 4,
				arbitrary: fc.record({
					do: fc.constant('change'),
					station: fc.integer({ min: 1, max: 3 }),
					// A third one comes and goes, where it matters that one is gone.
					codes: fc.array(fc.constantFrom(...CODES), { minLength: 2, maxLength: 3 }),
				}),
			},
			// A list that shows no station is the subject of the tests of single cases.
			{ weight: 6, arbitrary: interruptions.filter((step) => step.do !== 'drift') },
		),
		{ minLength: 8, maxLength: 40, size: 'max' },
	),
});

type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

function points(): Truth {
	const rows = bench.platform.db.prepare('SELECT EVSEs FROM stations').all();
	const entries = rows.flatMap(
		({ EVSEs }) => JSON.parse(String(EVSEs)) as Array<{ Id: number; Status: number | null }>,
	);
	return new Map(entries.map(({ Id, Status }) => [String(Id), Status]));
}

async function faultsOf({ event, hasDwell, output, steps }: History, engine: Engine) {
	const faults: string[] = [];
	const minutesInState = hasDwell || event === 'inStatus' ? DWELL_MINUTES : 0;
	const model = new Model({ event, dwellMs: minutesInState * 60_000 }, (what) => faults.push(what));
	const parameters = {
		...OUT_OF_ORDER,
		outOfOrderValues: ['3'],
		heldStatuses: ['3'],
		event,
		minutesInState,
		output,
		digestField: 'Status',
	};
	const rig = await bench.rig(engine, parameters);
	model.begin(points());
	const alerts = await play<{ do: string; station: number; codes: Array<number | null> }>({
		...{ bench, rig, steps, path: '/api/charging-stations/v1' },
		change: ({ station, codes }) => bench.points(station, ...(event === 'statusChange' ? codes.slice(0, 2) : codes)),
		judge: (poll) => model.judge(poll, points()),
	});
	return [...faults, ...alerts.filter((alert) => !alert.includes('for an hour now'))];
}

itHoldsInHistories('no event is lost, invented or doubled', {
	...{ history, bench, faultsOf },
	begin() {
		for (const id of bench.stations()) bench.points(id, 1, 1);
	},
});
