import { covers } from '../../shared/trigger/keys';
import { type Coverage, type PollStart, positionAfter } from '../../shared/trigger/types';
import { beginState } from '../../shared/trigger/watch/begin';
import { observeRemoved } from '../../shared/trigger/watch/rules';
import { Draft } from './draft';
import { expected, forget, leave, observe } from './stations';
import type { SeenStation, Progress, StationKey, StationRule, StationRules, StationState } from './types';

export function begin(rules: StationRules, start: PollStart<StationState>): Draft {
	const { config, fleet, reportInitialState } = rules;
	const state = beginState<StationState>(rules, start, (former, incidents) => ({
		kept: {
			config,
			baseline: null,
			reportsBaseline: start.isFirst && reportInitialState,
			incidents,
			statuses: {},
			...(fleet && { known: [], knownBaseline: null }),
			// Events raised under other settings are still due, unless another platform or event is watched.
			backlog: former?.backlog ?? [],
		},
		notes: { waiting: {}, away: [] },
	}));
	return new Draft(state, start.now, start.basis);
}

/** What became of a station missing from the list. From `unsure` nothing is concluded. */
export type Whereabouts = SeenStation | 'elsewhere' | 'gone' | 'unsure';

export interface Seen {
	stations: readonly SeenStation[];
	coverage: Coverage;
	/** All stations in the part of the fleet that was read, if additions or removals are reported. */
	fleet?: { stations: readonly StationKey[]; coverage: Coverage };
}

/** Stations missing from the list. Each is looked up before anything is concluded about it. */
export function missingFrom(draft: Draft, seen: Seen): StationKey[] {
	const { stations, coverage } = seen;
	const shown = new Set(stations.map(({ station }) => station));
	const isMissing = (part: Coverage, present: ReadonlySet<StationKey>) => (station: StationKey) =>
		!present.has(station) && !draft.away.has(station) && covers(part, station);
	const missing = draft.list.baseline === undefined ? expected(draft).filter(isMissing(coverage, shown)) : [];
	const { fleet } = seen;
	if (draft.known && fleet && draft.knownList.baseline === undefined) {
		missing.push(...[...draft.known].filter(isMissing(fleet.coverage, new Set(fleet.stations))));
	}
	return [...new Set(missing)];
}

/**
 * Turns what a poll saw into events and the next state. Missing stations that are not in `whereabouts` could not be
 * looked up: they stay as they are.
 *
 * @param isCutShort whether something could not be read
 */
export function compare(
	draft: Draft,
	rules: StationRules,
	seen: Seen,
	whereabouts: ReadonlyMap<StationKey, Whereabouts>,
	isCutShort: boolean,
): void {
	const { rule, fleet } = rules;
	const { list, now } = draft;
	noteSeen(draft, rule, seen);
	noteProgress(list, seen.coverage);
	if (fleet && seen.fleet) noteFleet(draft, fleet, seen.fleet);
	for (const [station, found] of whereabouts) noteMissing(draft, rules, station, found);
	const isWhole = list.baseline === undefined && list.next === undefined && !isCutShort;
	draft.endRound({ isWhole, began: now }, rules);
}

function noteSeen(draft: Draft, rule: StationRule, { stations, coverage }: Seen): void {
	const isBaseline = draft.list.baseline !== undefined;
	for (const seen of stations) {
		draft.away.delete(seen.station);
		observe(draft, rule, seen, isBaseline);
	}
	if (isBaseline) return;
	const shown = new Set(stations.map(({ station }) => station));
	const isLeftOut = (station: StationKey) => !shown.has(station) && covers(coverage, station);
	// What the list leaves out is not in the state of interest, whatever could not be read of it.
	const unclear = new Set(expected(draft));
	for (const station of draft.unreadable.keys()) {
		if (!unclear.has(station) && isLeftOut(station)) draft.unreadable.addLook(station);
	}
	// Those with a status that is remembered are looked up first.
	if (rule.kind === 'statuses') return;
	for (const station of draft.waiting.keys()) {
		if (!draft.incidents.has(station) && isLeftOut(station)) draft.waiting.delete(station);
	}
}

function noteMissing(draft: Draft, { rule, fleet }: StationRules, station: StationKey, found: Whereabouts): void {
	if (typeof found === 'object') observe(draft, rule, found);
	else if (found === 'elsewhere') leave(draft, station);
	else if (found === 'gone') {
		if (rule.kind === 'inState') {
			observeRemoved(draft, rule, { key: station, subject: { station, dimension: rule.dimension } });
		}
		forget(draft, station);
		if (fleet?.removed) raiseFleet(draft, 'removed', station);
	}
}

function noteFleet(
	draft: Draft,
	rules: NonNullable<StationRules['fleet']>,
	{ stations, coverage }: NonNullable<Seen['fleet']>,
): void {
	for (const station of stations) {
		draft.away.delete(station);
		if (draft.known?.has(station)) continue;
		draft.known?.add(station);
		if (rules.added && draft.knownList.baseline === undefined) raiseFleet(draft, 'added', station);
	}
	noteProgress(draft.knownList, coverage);
}

function raiseFleet(draft: Draft, name: 'added' | 'removed', station: StationKey): void {
	draft.raise({ station, dimension: null }, { name, from: null, to: null }, { since: draft.now });
}

function noteProgress(list: Progress, coverage: Coverage): void {
	const next = positionAfter(coverage);
	if (list.baseline === undefined) list.next = next;
	else list.baseline = next;
}
