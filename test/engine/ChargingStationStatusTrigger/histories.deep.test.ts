import * as fc from 'fast-check';

import { Model, type Truth } from '../../support/stationTrigger/model.ts';
import { OftenModel } from '../../support/stationTrigger/oftenModel.ts';
import { Bench, MINUTE, statusFilter } from '../../support/stationTrigger/support.ts';
import { itHoldsInHistories } from '../../support/trigger/history.ts';
import { TriggerRig } from '../../support/trigger/rig.ts';

const bench = new Bench({ stations: 4 });
const DWELL_MINUTES = 4;
const EVENTS = ['availability', 'filterMatch', 'statusChange', 'unstable'] as const;

const settings = fc.record({
	event: fc.constantFrom(...EVENTS),
	outages: fc.constantFrom(2, 3),
	hasDwell: fc.boolean(),
	outOfService: fc.boolean(),
	fleet: fc.boolean(),
});
const statuses = {
	NetworkStatus: fc.constantFrom(1, 1, 2, 3, null),
	Status: fc.constantFrom(1, 1, 1, 2, null),
	HardwareStatus: fc.constantFrom(1, 3, 3, null),
};
type Change =
	| { do: 'change'; id: number; row: Record<keyof typeof statuses, number | null> }
	| { do: 'leave' | 'come'; id: number }
	/** Time between two polls. Only what is counted within an hour depends on it. */
	| { do: 'pause' };
const id = fc.integer({ min: 1, max: 4 });
const changes = fc.oneof<Array<{ weight: number; arbitrary: fc.Arbitrary<Change> }>>(
	{ weight: 6, arbitrary: fc.record({ do: fc.constant('change' as const), id, row: fc.record(statuses) }) },
	{
		weight: 1,
		arbitrary: fc.record({ do: fc.constantFrom('leave' as const, 'come' as const), id: fc.constantFrom(2, 3) }),
	},
	{ weight: 1, arbitrary: fc.constant({ do: 'pause' as const }) },
);

function stations(): Map<number, Truth> {
	const rows = bench.platform.db.prepare('SELECT Id, NetworkStatus, Status, HardwareStatus FROM stations').all();
	return new Map(
		rows.map(({ Id, NetworkStatus: network, Status: status, HardwareStatus: hardware }) => [
			Number(Id),
			{ network, status, hardware } as Truth,
		]),
	);
}

itHoldsInHistories('no event is lost, invented or doubled', {
	...{ bench, settings, changes, path: '/api/charging-stations/v1' },
	async begin({ event, outages, hasDwell, outOfService, output, ...drawn }, engine, complain) {
		bench.set({ NetworkStatus: 1, Status: 1, HardwareStatus: 1 });
		// Waits, and stations that come and go, are the subject of its tests of single cases.
		const isOften = event === 'unstable';
		const [minutesInState, fleet] = isOften ? [0, false] : [hasDwell ? DWELL_MINUTES : 0, drawn.fleet];
		const model = isOften
			? new OftenModel({ outages, outOfService }, complain)
			: new Model({ event, dwellMs: minutesInState * MINUTE, outOfService, fleet }, complain);
		const parameters = {
			...{ event, outages, withinHours: 1, minutesInState, output, digestField: 'Status' },
			dimensions: ['NetworkStatus', 'HardwareStatus'],
			filters: event === 'filterMatch' ? statusFilter('hardwareStatus', '3') : {},
			options: {
				fetchDetail: false,
				outOfServiceValues: outOfService ? ['2'] : [],
				stationChanges: fleet ? ['added', 'removed'] : [],
			},
		};
		const rig = new TriggerRig(engine, parameters, bench.credential());
		await rig.activate();
		model.begin(stations());
		return {
			rig,
			change(step) {
				if (step.do === 'change') bench.set(step.row, step.id);
				else if (step.do === 'pause' && isOften) bench.clock.forward(45 * MINUTE);
				else if (step.do !== 'pause' && !isOften) {
					bench.remove(step.id);
					if (step.do === 'come') bench.add(step.id, `Station ${step.id}`, 2);
				}
			},
			judge: (poll) => model.judge(poll, stations()),
		};
	},
});
