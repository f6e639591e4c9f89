import * as fc from 'fast-check';

import { Model, type Truth } from '../../support/stationTrigger/model.ts';
import { OftenModel } from '../../support/stationTrigger/oftenModel.ts';
import { Bench, statusFilter } from '../../support/stationTrigger/support.ts';
import { interruptions, itHoldsInHistories, play } from '../../support/trigger/history.ts';
import { type Engine, TriggerRig } from '../../support/trigger/rig.ts';

const bench = new Bench({ stations: 4 });
const DWELL_MINUTES = 4;

const change = fc.record({
	do: fc.constant('change'),
	id: fc.integer({ min: 1, max: 4 }),
	network: fc.constantFrom(1, 1, 2, 3, null),
	status: fc.constantFrom(1, 1, 1, 2, null),
	hardware: fc.constantFrom(1, 3, 3, null),
});
/** Between a poll and the next one. Only what is counted within an hour depends on it. */
const PAUSE_MS = 45 * 60_000;
const pause = fc.record({ do: fc.constant('pause'), id: fc.constant(0) });
const move = fc.record({ do: fc.constantFrom('leave', 'come'), id: fc.constantFrom(2, 3) });
const history = fc.record({
	settings: fc.record({
		event: fc.constantFrom(
			'availability' as const,
			'filterMatch' as const,
			'statusChange' as const,
			'unstable' as const,
		),
		outages: fc.constantFrom(2, 3),
		hasDwell: fc.boolean(),
		outOfService: fc.boolean(),
		fleet: fc.boolean(),
		output: fc.constantFrom('items', 'digest'),
	}),
	/** Pages that are cut. */
	clamp: fc.constantFrom(undefined, undefined, 2),
	steps: fc.array(
		fc.oneof(
			{ weight: 4, arbitrary: change },
			{ weight: 1, arbitrary: move },
			{ weight: 1, arbitrary: pause },
			{ weight: 6, arbitrary: interruptions },
		),
		{ minLength: 8, maxLength: 40, size: 'max' },
	),
});

function stations(): Map<number, Truth> {
	const rows = bench.platform.db.prepare('SELECT Id, NetworkStatus, Status, HardwareStatus FROM stations').all();
	const truths = rows.map(({ Id, NetworkStatus: network, Status: status, HardwareStatus: hardware }) => [
		Number(Id),
		{ network, status, hardware } as Truth,
	]);
	return new Map(truths as Array<[number, Truth]>);
}

async function faultsOf({ settings, steps }: ReturnType<typeof history.generate>['value'], engine: Engine) {
	const { event, outages, hasDwell, outOfService, output } = settings;
	const faults: string[] = [];
	const complain = (what: string) => void faults.push(what);
	// Waits, and stations that come and go, are the subject of its tests of single cases.
	const isOften = event === 'unstable';
	const [minutesInState, fleet] = isOften ? [0, false] : [hasDwell ? DWELL_MINUTES : 0, settings.fleet];
	const model =
		event === 'unstable'
			? new OftenModel({ outages, outOfService }, complain)
			: new Model({ event, dwellMs: minutesInState * 60_000, outOfService, fleet }, complain);
	const parameters = {
		...{
			event,
			outages,
			withinHours: 1,
			minutesInState,
			output,
			digestField: 'Status',
			dimensions: ['NetworkStatus', 'HardwareStatus'],
		},
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
	const alerts = await play<{
		do: string;
		id: number;
		network?: number | null;
		status?: number | null;
		hardware?: number | null;
	}>({
		...{ bench, rig, steps, path: '/api/charging-stations/v1' },
		change({ do: what, id, network = 1, status = 1, hardware = 1 }) {
			if (what === 'pause' && isOften) bench.clock.forward(PAUSE_MS);
			if (['leave', 'come'].includes(what) && !isOften) bench.remove(id);
			if (what === 'come' && !isOften) bench.add(id, `Station ${id}`, 2);
			if (what === 'change') bench.set({ NetworkStatus: network, Status: status, HardwareStatus: hardware }, id);
		},
		judge: (poll) => model.judge(poll, stations()),
	});
	return [...faults, ...alerts.filter((alert) => !alert.includes('for an hour now'))];
}

itHoldsInHistories('no event is lost, invented or doubled', {
	...{ history, bench, faultsOf },
	begin: () => bench.set({ NetworkStatus: 1, Status: 1, HardwareStatus: 1 }),
});
