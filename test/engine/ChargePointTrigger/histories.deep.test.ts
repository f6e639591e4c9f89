import * as fc from 'fast-check';

import { ChargePointBench, OUT_OF_ORDER } from '../../support/chargePointTrigger/support.ts';
import { MINUTE, text } from '../../support/stationTrigger/support.ts';
import { itHoldsInHistories } from '../../support/trigger/history.ts';
import { IN, OUT, UNREADABLE, WatchModel } from '../../support/trigger/watchModel.ts';

const bench = new ChargePointBench({ stations: 3 });
const DWELL_MINUTES = 4;
const BROKEN = 3;
const EVENTS = {
	outOfOrder: { in: 'outOfOrder', out: 'backInOrder' },
	inStatus: { in: 'inStatus', out: 'leftStatus' },
	statusChange: undefined,
};

/** The statuses of charge points, by their Ids. */
function statuses(): Array<[id: string, status: number | null]> {
	const rows = bench.platform.db.prepare('SELECT EVSEs FROM stations').all();
	return rows
		.flatMap(({ EVSEs }) => JSON.parse(String(EVSEs)) as Array<{ Id: number; Status: number | null }>)
		.map(({ Id, Status }) => [String(Id), Status]);
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
		codes: fc.array(fc.constantFrom(1, 1, 2, BROKEN, null), { minLength: 2, maxLength: 3 }),
	}),
	// A list that shows no station is the subject of the tests of single cases.
	without: 'drift',
	async begin({ event, hasDwell, output }, engine, complain) {
		for (const id of bench.stations()) bench.points(id, 1, 1);
		const minutesInState = hasDwell || event === 'inStatus' ? DWELL_MINUTES : 0;
		const names = EVENTS[event];
		const meaningOf = (code: number) => (!names ? String(code) : code === BROKEN ? IN : OUT);
		const model = new WatchModel(
			{
				...{ rule: names ? 'state' : 'values', dwellMs: minutesInState * MINUTE },
				placeOf: ({ chargePointId }) => text(chargePointId),
				...(names && { names }),
			},
			() => ({
				values: new Map(statuses().map(([id, code]) => [id, code === null ? UNREADABLE : meaningOf(code)])),
			}),
			complain,
		);
		const chosen = { outOfOrderValues: [String(BROKEN)], heldStatuses: [String(BROKEN)] };
		const parameters = { ...OUT_OF_ORDER, ...chosen, event, minutesInState, output, digestField: 'Status' };
		const rig = await bench.rig(engine, parameters);
		model.begin();
		return {
			rig,
			change: ({ station, codes }) => bench.points(station, ...(names ? codes : codes.slice(0, 2))),
			judge: (poll) => model.judge(poll),
		};
	},
});
