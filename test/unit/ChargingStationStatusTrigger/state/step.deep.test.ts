import * as fc from 'fast-check';

import { apply, begin, finish, scanStart, unseen } from '../../../../nodes/ChargingStationStatusTrigger/state/step';
import type { Sighting, WatchRules, Whereabouts } from '../../../../nodes/ChargingStationStatusTrigger/state/step';
import { readState, writeState } from '../../../../nodes/ChargingStationStatusTrigger/state/store';
import type { StoredState } from '../../../../nodes/shared/trigger/stored';
import { WHOLE_LIST } from '../../../../nodes/shared/trigger/types';
import { rowId } from '../../../../nodes/shared/trigger/keys';
import type { Observation, StationKey, WatchEvent } from '../../../../nodes/ChargingStationStatusTrigger/state/types';
import { Model, type Truth } from '../../../support/stationTrigger/model.ts';

const RUNS = process.env.DEEP ? 20_000 : 500;
const MINUTE = 60_000;
const IDS = [1, 2, 3, 4];

const truth: fc.Arbitrary<Truth> = fc.record({
	network: fc.constantFrom(1, 1, 2, 3),
	status: fc.constantFrom(1, 1, 1, 2),
	hardware: fc.constantFrom(1, 3, null),
});
const history = fc.record({
	mode: fc.constantFrom('availability' as const, 'statusChange' as const, 'filterMatch' as const),
	dwell: fc.boolean(),
	outOfService: fc.boolean(),
	start: fc.tuple(truth, truth, truth, truth),
	/** Each poll: what changed before it, how far the list is read, whether lookups fail, whether the state is reloaded. */
	polls: fc.array(
		fc.record({
			id: fc.constantFrom(...IDS),
			becomes: truth,
			sight: fc.constantFrom('all' as const, 'all' as const, 'all' as const, 'list' as const, 'lookups' as const),
			reload: fc.boolean(),
		}),
		{ minLength: 5, maxLength: 60, size: 'max' },
	),
});

/** The state machine without n8n and without a network: rows in, events out. */
class Machine {
	private stored: StoredState = {};
	readonly events: WatchEvent[] = [];

	constructor(
		private readonly rules: WatchRules,
		private readonly outOfService: boolean,
	) {}

	poll(
		now: number,
		fleet: ReadonlyMap<number, Truth>,
		sight: 'all' | 'list' | 'lookups',
		reload: boolean,
	): WatchEvent[] {
		if (reload) this.stored = JSON.parse(JSON.stringify(this.stored)) as StoredState;
		const saved = readState(this.stored);
		const draft = begin(saved, this.rules, now, 'epoch');
		expect(scanStart(draft.state)).toBe(WHOLE_LIST.after);
		const all = [...fleet].map(([id, station]) => this.observe(id, station));
		const listed = all.filter(({ active }) => active || this.rules.watch.mode === 'statusChange');
		const sighting: Sighting = { seen: sight === 'lookups' ? [] : listed, coverage: WHOLE_LIST };
		const whereabouts = new Map<StationKey, Whereabouts>();
		if (sight !== 'list') {
			for (const key of unseen(draft, this.rules, sighting)) {
				whereabouts.set(key, all.find(({ station }) => station === key) ?? 'gone');
			}
		}
		apply(draft, this.rules, sighting, whereabouts);
		const { events } = draft;
		const outcome = finish(draft, []);
		if (events.length > 0) expect(outcome).toBe('save');
		if (outcome !== 'unchanged') writeState(this.stored, saved, draft.state);
		this.events.push(...events);
		return events;
	}

	private observe(id: number, { network, status, hardware }: Truth): Observation {
		const { mode } = this.rules.watch;
		return {
			station: String(id),
			active: mode === 'availability' ? network !== 1 : hardware === 3,
			outOfService: this.outOfService && status === 2,
			values: mode === 'statusChange' ? [String(network), hardware === null ? '-' : String(hardware)] : [],
		};
	}
}

function rulesFor(mode: 'availability' | 'statusChange' | 'filterMatch', dwellMs: number): WatchRules {
	const watch: WatchRules['watch'] =
		mode === 'statusChange'
			? { mode, dimensions: ['NetworkStatus', 'HardwareStatus'], from: new Map(), to: new Map(), afterMs: dwellMs }
			: { mode, opening: true, closing: true, openAfterMs: dwellMs, closeAfterMs: 0 };
	return { config: 'place.settings', seed: 'seed', watch, reportInitialState: false };
}

const asItem = ({ name, station, dimension, from, to }: WatchEvent) => ({
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
			const machine = new Machine(rulesFor(mode, dwellMs), outOfService);
			const fleet = new Map(start.map((station, index) => [index + 1, station]));
			let now = 1_800_000_000_000;
			expect(machine.poll(now, fleet, 'all', false)).toEqual([]);
			model.baseline(fleet);
			for (const { id, becomes, sight, reload } of polls) {
				now += 1.5 * MINUTE;
				fleet.set(id, becomes);
				const events = machine.poll(now, fleet, sight, reload);
				model.poll(now, fleet, events.map(asItem), sight);
			}
			expect(faults).toEqual([]);
			const ids = machine.events.map((event) => event.id);
			expect(new Set(ids).size).toBe(ids.length);
		}),
		{ numRuns: RUNS },
	);
});

it('raises the same event with the same id from the same saved state, and another id ever after', () => {
	const rules = rulesFor('availability', 0);
	const sighting = (active: boolean): Sighting => ({
		seen: active ? [{ station: '7', active, outOfService: false, values: [] }] : [],
		coverage: WHOLE_LIST,
	});
	const poll = (stored: StoredState, now: number, active: boolean) => {
		const saved = readState(stored);
		const draft = begin(saved, rules, now, 'epoch');
		const back: Observation = { station: '7', active: false, outOfService: false, values: [] };
		const missing = unseen(draft, rules, sighting(active)).map((key): [StationKey, Whereabouts] => [key, back]);
		apply(draft, rules, sighting(active), new Map(missing));
		const { events } = draft;
		finish(draft, []);
		writeState(stored, saved, draft.state);
		return events;
	};
	const stored: StoredState = {};
	poll(stored, 1000, false);
	const beforeOutage = JSON.parse(JSON.stringify(stored)) as StoredState;
	const [first] = poll(stored, 2000, true);
	const [repeated] = poll(beforeOutage, 99_000, true);
	expect(repeated?.id).toBe(first?.id);
	poll(stored, 3000, false);
	const [second] = poll(stored, 4000, true);
	expect(second?.name).toBe('offline');
	expect(second?.id).not.toBe(first?.id);
});
