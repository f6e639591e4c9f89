import * as fc from 'fast-check';

import { Bench, MINUTE, statusFilter, text } from '../../support/stationTrigger/support.ts';
import { itHoldsInHistories } from '../../support/trigger/history.ts';
import { TriggerRig } from '../../support/trigger/rig.ts';
import { IN, OUT, OUT_OF_SERVICE, UNREADABLE } from '../../support/trigger/truth.ts';
import { WatchModel } from '../../support/trigger/watchModel.ts';

const bench = new Bench({ stations: 4 });
const DWELL_MINUTES = 4;
const BACK_MINUTES = 2;
const NAMES = {
	availability: { in: 'offline', out: 'backOnline' },
	filterMatch: { in: 'startedMatching', out: 'stoppedMatching' },
	unstable: { in: 'unstable', out: '' },
	statusChange: undefined,
};
const EVENTS = ['availability', 'filterMatch', 'statusChange', 'unstable'] as const;
type Event = (typeof EVENTS)[number];

const statuses = fc.record({
	NetworkStatus: fc.constantFrom(1, 1, 2, 3, null),
	Status: fc.constantFrom(1, 1, 1, 2, null),
	HardwareStatus: fc.constantFrom(1, 3, 3, null),
});
const KINDS = [
	'change',
	'change',
	'change',
	'change',
	'change',
	'change',
	'leave',
	'come',
	'pause',
	'noFleet',
] as const;

/** The stations, and the values that an event is about. */
function truthOf(event: Event, outOfService: boolean, isIn: (key: string) => boolean) {
	const rows = bench.platform.db.prepare('SELECT Id, NetworkStatus, Status, HardwareStatus FROM stations').all();
	const values = new Map<string, string>();
	for (const { Id, NetworkStatus: network, Status: status, HardwareStatus: hardware } of rows) {
		const key = String(Id);
		const service = !outOfService
			? undefined
			: status === null
				? UNREADABLE
				: status === 2
					? OUT_OF_SERVICE
					: undefined;
		if (event === 'statusChange') {
			values.set(`${key} NetworkStatus`, service ?? (network === null ? UNREADABLE : text(network)));
			values.set(`${key} HardwareStatus`, service ?? text(hardware));
		} else {
			const isNow = event === 'filterMatch' ? hardware === 3 : network !== 1;
			// What a list of stations in the state leaves out is not in it, whatever cannot be read of it.
			values.set(key, isNow || isIn(key) ? (service ?? (isNow ? IN : OUT)) : OUT);
		}
	}
	return { values, there: new Map(rows.map(({ Id }) => [`fleet ${text(Id)}`, true])) };
}

/** The list of all stations, where a filter is the state. */
const isFleetList = ({ path, query = '' }: { path: string; query?: string }) =>
	path === '/api/charging-stations/v1' && !query.includes('HardwareStatus') && !query.includes('"In"');

itHoldsInHistories('no event is lost, invented or doubled', {
	bench,
	path: '/api/charging-stations/v1',
	settings: fc.record({
		event: fc.constantFrom(...EVENTS),
		outages: fc.constantFrom(2, 3),
		hasDwell: fc.boolean(),
		hasBack: fc.boolean(),
		outOfService: fc.boolean(),
		fleet: fc.boolean(),
	}),
	changes: fc.record({ do: fc.constantFrom(...KINDS), id: fc.integer({ min: 1, max: 4 }), row: statuses }),
	async begin({ event, outages, hasDwell, hasBack, outOfService, output, ...drawn }, engine, complain) {
		bench.set({ NetworkStatus: 1, Status: 1, HardwareStatus: 1 });
		// Waits, and stations that come and go, are the subject of its tests of single cases.
		const isOften = event === 'unstable';
		const [minutesInState, fleet] = isOften ? [0, false] : [hasDwell ? DWELL_MINUTES : 0, drawn.fleet];
		const backMinutes = hasBack && !isOften ? BACK_MINUTES : 0;
		const names = NAMES[event];
		const isFleet = ({ event: told }: { event?: unknown }) => told === 'added' || told === 'removed';
		const model = new WatchModel(
			{
				rule: isOften ? { times: outages } : names ? 'state' : 'values',
				dwellMs: minutesInState * MINUTE,
				backMs: backMinutes * MINUTE,
				placeOf: (item) => {
					if (isFleet(item)) return `fleet ${text(item.stationId)}`;
					return [item.stationId, ...(names ? [] : [item.dimension])].map(text).join(' ');
				},
				...(names && { names }),
				...(fleet && { appears: 'added', vanishes: 'removed' }),
				// Where stations that come and go are told, the whole list is read, and each that it does not show is looked up.
				isLookedUp: (key, there) => there.has(`fleet ${key.replace(/ .*/, '')}`),
			},
			(isIn) => {
				const { values, there } = truthOf(event, outOfService, isIn);
				const hasFleet = !bench.platform.requests.some((request) => isFleetList(request) && request.status === 504);
				return { values, ...(fleet && hasFleet && { there }) };
			},
			complain,
		);
		const parameters = {
			event,
			outages,
			withinHours: 1,
			minutesInState,
			output,
			digestField: 'Status',
			dimensions: ['NetworkStatus', 'HardwareStatus'],
			filters: event === 'filterMatch' ? statusFilter('hardwareStatus', '3') : {},
			options: {
				fetchDetail: false,
				backAfterMinutes: backMinutes,
				outOfServiceValues: outOfService ? ['2'] : [],
				stationChanges: fleet ? ['added', 'removed'] : [],
			},
		};
		const rig = new TriggerRig(engine, parameters, bench.credential());
		await rig.activate();
		model.begin();
		return {
			rig,
			change({ do: what, id, row }) {
				if (what === 'noFleet') {
					if (event === 'filterMatch')
						bench.platform.faults.add({ kind: 'status', status: 504, match: isFleetList, times: Infinity });
				} else if (what === 'change') bench.set(row, id);
				else if (isOften) {
					// Only what is counted within an hour depends on the time between two polls.
					if (what === 'pause') bench.clock.forward(45 * MINUTE);
				} else if (what !== 'pause') {
					bench.remove(id);
					if (what === 'come') bench.add(id, `Station ${id}`, 2);
				}
			},
			judge: (poll) => model.judge(poll),
		};
	},
});
