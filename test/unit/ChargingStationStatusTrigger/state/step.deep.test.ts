import * as fc from 'fast-check';

import { rowId } from '../../../../nodes/shared/trigger/keys';
import { WHOLE_LIST } from '../../../../nodes/shared/trigger/types';
import { STATION_EVENTS } from '../../../../nodes/ChargingStationStatusTrigger/events';
import { begin, compare, missingFrom } from '../../../../nodes/ChargingStationStatusTrigger/state/step';
import type { Seen, Whereabouts } from '../../../../nodes/ChargingStationStatusTrigger/state/step';
import type {
	SeenStation,
	StationEvent,
	StationKey,
	StationRules,
	StationState,
} from '../../../../nodes/ChargingStationStatusTrigger/state/types';
import { Model, ODD, type Truth } from '../../../support/stationTrigger/model.ts';
import { draws } from '../../../support/draws.ts';

const RUNS = draws(20_000);
const MINUTE = 60_000;
const IDS = [1, 2, 3, 4];

const truth: fc.Arbitrary<Truth> = fc.record({
	network: fc.constantFrom<Truth['network']>(1, 1, 2, 3, ODD),
	status: fc.constantFrom<Truth['status']>(1, 1, 1, 2, ODD),
	hardware: fc.constantFrom<Truth['hardware']>(1, 3, null, ODD),
});
const history = fc.record({
	mode: fc.constantFrom('availability' as const, 'statusChange' as const, 'filterMatch' as const),
	dwell: fc.boolean(),
	outOfService: fc.boolean(),
	start: fc.tuple(truth, truth, truth, truth),
	/** Each poll: what changed before it, and what the poll could see. */
	polls: fc.array(
		fc.record({
			id: fc.constantFrom(...IDS),
			becomes: truth,
			sight: fc.constantFrom('all' as const, 'all' as const, 'all' as const, 'list' as const, 'lookups' as const),
		}),
		{ minLength: 5, maxLength: 60, size: 'max' },
	),
});

type Mode = 'availability' | 'statusChange' | 'filterMatch';

/** The state machine without n8n and without a network: rows in, events out. */
class Machine {
	state: StationState | undefined;
	readonly events: StationEvent[] = [];
	private readonly rules: StationRules;

	constructor(
		private readonly mode: Mode,
		dwellMs: number,
		private readonly outOfService: boolean,
	) {
		this.rules = rulesFor(mode, dwellMs);
	}

	poll(now: number, fleet: ReadonlyMap<number, Truth>, sight: 'all' | 'list' | 'lookups'): StationEvent[] {
		const { state, rules, mode } = this;
		// As it comes back from a database.
		const saved = state && (JSON.parse(JSON.stringify(state)) as StationState);
		const basis = JSON.stringify(saved?.kept ?? 'none');
		const draft = begin(rules, {
			...{ state: saved, isFirst: !saved, hasCurrentNotes: true, basis, now, clockSetByMs: 0 },
		});
		const all = [...fleet].map(([id, station]) => this.observe(id, station));
		const isListed = ({ row, matches }: SeenStation) => (mode === 'availability' ? row.NetworkStatus !== 1 : matches);
		const listed = all.filter((seen) => mode === 'statusChange' || isListed(seen));
		const seen: Seen = { stations: sight === 'lookups' ? [] : listed, coverage: WHOLE_LIST };
		const whereabouts = new Map<StationKey, Whereabouts>();
		if (sight !== 'list') {
			for (const key of missingFrom(draft, seen)) {
				whereabouts.set(key, all.find(({ station }) => station === key) ?? 'gone');
			}
		}
		compare(draft, rules, seen, whereabouts, false);
		const events = draft.events.flatMap((event) => ('station' in event ? event : []));
		this.state = draft.toState([]);
		this.events.push(...events);
		return events;
	}

	private observe(id: number, { network, status, hardware }: Truth): SeenStation {
		return {
			station: String(id),
			row: { Id: id, NetworkStatus: written(network), Status: written(status), HardwareStatus: written(hardware) },
			matches: hardware === 3,
			outOfService: this.outOfService && (status === ODD ? undefined : status === 2),
		};
	}
}

const written = (status: Truth['hardware']) => (status === ODD ? [] : status);

function rulesFor(mode: Mode, dwellMs: number): StationRules {
	const minutesInState = dwellMs / MINUTE;
	const rule = {
		availability: STATION_EVENTS.availability.rule({
			...{ availabilityChanges: ['offline', 'back'], onlineValues: new Set([1]), minutesInState },
		}),
		filterMatch: STATION_EVENTS.filterMatch.rule({ matchChanges: ['starts', 'stops'], minutesInState }),
		statusChange: STATION_EVENTS.statusChange.rule({ dimensions: ['NetworkStatus', 'HardwareStatus'], minutesInState }),
	}[mode];
	const not = { reportInitialState: false, keepsIncidents: false, reportsWatching: false };
	return { config: 'place.settings', rule, ...not, usualMs: 0 };
}

const asItem = ({ name, station, dimension, from, to }: StationEvent) => ({
	event: name,
	stationId: rowId(station),
	...{ dimension, from, to },
});

it('gives the events that the independent model expects, whatever the history', () => {
	fc.assert(
		fc.property(history, ({ mode, dwell, outOfService, start, polls }) => {
			const faults: string[] = [];
			const dwellMs = dwell ? 4 * MINUTE : 0;
			const model = new Model({ event: mode, dwellMs, opening: true, closing: true, outOfService }, (what) =>
				faults.push(what),
			);
			const machine = new Machine(mode, dwellMs, outOfService);
			const fleet = new Map(start.map((station, index) => [index + 1, station]));
			let now = 1_800_000_000_000;
			expect(machine.poll(now, fleet, 'all')).toEqual([]);
			model.baseline(fleet);
			for (const { id, becomes, sight } of polls) {
				now += 1.5 * MINUTE;
				fleet.set(id, becomes);
				const events = machine.poll(now, fleet, sight);
				model.poll(now, fleet, events.map(asItem), sight);
			}
			expect(faults).toEqual([]);
		}),
		{ numRuns: RUNS },
	);
});

it('repeats an event from the same saved state with the same id, and gives the next event another', () => {
	const machine = new Machine('availability', 0, false);
	const fleet = (network: number) => new Map([[7, { network, status: 1, hardware: 1 }]]);
	machine.poll(1000, fleet(1), 'all');
	const beforeOutage = machine.state;
	const [first] = machine.poll(2000, fleet(2), 'all');
	const later = machine.state;
	machine.state = beforeOutage;
	const [repeated] = machine.poll(99_000, fleet(2), 'all');
	expect(repeated?.id).toBe(first?.id);
	machine.state = later;
	const [back] = machine.poll(3000, fleet(1), 'all');
	expect(back?.name).toBe('backOnline');
	expect(back?.id).not.toBe(first?.id);
});
