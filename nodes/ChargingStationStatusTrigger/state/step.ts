import pickBy from 'lodash/pickBy';

import { covers } from '../../shared/trigger/keys';
import { isOfSamePlace } from '../../shared/trigger/hash';
import { positionAfter } from '../../shared/trigger/types';
import type { Coverage, PollStart } from '../../shared/trigger/types';
import { isStillWaiting } from '../../shared/trigger/watch/waiting';
import { raiseWatched } from './coverage';
import { adjustTimes, Draft } from './draft';
import type { Observation, Progress, StationKey, StationState } from './types';
import type { Watch } from './watch';

/** What is watched, and what of it is reported. */
export interface WatchRules {
	/** Fingerprint of the settings that give a state its meaning (`configOf`). A new one quietly begins a new state. */
	config: string;
	watch: Watch;
	/** Set if added or removed stations are reported. */
	fleet?: { added: boolean; removed: boolean };
	/** Whether the very first reading reports the state it finds. */
	reportInitialState: boolean;
	/** Whether reported incidents stay open when settings change, so that their end is reported too. */
	keepsIncidents: boolean;
	/** Whether to report once an hour what was watched. */
	reportsWatching: boolean;
	/** How far apart two polls may be: see `longestGapMs`. */
	longestGapMs: number;
}

/** Begins a poll. A state of other settings is replaced by a new one, whose first reading raises nothing. */
export function begin(rules: WatchRules, start: PollStart<StationState>): Draft {
	const { state, now, source } = start;
	if (state?.kept.config !== rules.config) return new Draft(emptyState(rules, start), now, source);
	const { kept, notes } = adjustTimes(state, start);
	const isCurrent = isStillWaiting(notes.seenAt, start);
	return new Draft({ kept, notes: isCurrent ? notes : { ...notes, waiting: {} } }, now, source);
}

function emptyState(
	{ config, fleet, reportInitialState, keepsIncidents }: WatchRules,
	start: PollStart<StationState>,
): StationState {
	const former = start.state?.kept;
	const isSamePlace = isOfSamePlace(former?.config, config);
	return {
		kept: {
			config,
			baseline: null,
			reportsBaseline: start.isFirst && reportInitialState,
			incidents: isSamePlace && keepsIncidents ? pickBy(former?.incidents, ([, isReported]) => isReported) : {},
			statuses: {},
			...(fleet && { known: [], knownBaseline: null }),
			// Events raised under other settings are still due, unless the place has changed.
			backlog: isSamePlace ? (former?.backlog ?? []) : [],
		},
		notes: { waiting: {}, away: [] },
	};
}

/** What became of a station missing from the list. From `unsure` nothing is concluded. */
export type Whereabouts = Observation | 'elsewhere' | 'gone' | 'unsure';

/** What one poll saw of the list. */
export interface Sighting {
	/** The stations in the part of the list that was read. */
	seen: readonly Observation[];
	coverage: Coverage;
	/** Whether stations with the usual statuses were left out. */
	withoutUsual?: boolean;
	/** All stations in the part of the fleet that was read, if additions or removals are reported. */
	fleet?: { stations: readonly StationKey[]; coverage: Coverage };
}

/** Stations missing from the list. Each is looked up before anything is concluded about it. */
export function missingFrom(draft: Draft, { watch }: WatchRules, sighting: Sighting): StationKey[] {
	const { seen, coverage, withoutUsual } = sighting;
	const shown = new Set(seen.map(({ station }) => station));
	const isMissing = (part: Coverage, present: ReadonlySet<StationKey>) => (station: StationKey) =>
		!present.has(station) && !draft.away.has(station) && covers(part, station);
	const missing =
		draft.list.baseline === undefined
			? [...watch.expected(draft, withoutUsual)].filter(isMissing(coverage, shown))
			: [];
	const { fleet } = sighting;
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
	rules: WatchRules,
	sighting: Sighting,
	whereabouts: ReadonlyMap<StationKey, Whereabouts>,
	isCutShort: boolean,
): void {
	const { watch, fleet } = rules;
	const openBefore = new Map(draft.incidents);
	noteSeen(draft, watch, sighting);
	noteProgress(draft.list, sighting.coverage);
	if (fleet && sighting.fleet) noteFleet(draft, fleet, sighting.fleet);
	for (const [station, found] of whereabouts) noteMissing(draft, rules, station, found);
	if (!rules.reportsWatching) {
		draft.watched = undefined;
		draft.unreadable.readBy(draft.now);
	} else if (!isCutShort) raiseWatched(draft, openBefore, rules.longestGapMs);
}

/** Takes in the stations that the list showed. */
function noteSeen(draft: Draft, watch: Watch, { seen, coverage, withoutUsual }: Sighting): void {
	const isBaseline = draft.list.baseline !== undefined;
	for (const observation of seen) {
		draft.away.delete(observation.station);
		if (isBaseline) watch.adopt(draft, observation, draft.reportsBaseline);
		else watch.observe(draft, observation);
		noteReadable(draft, watch, observation);
	}
	if (isBaseline) return;
	const shown = new Set(seen.map(({ station }) => station));
	watch.concludeFromAbsence(draft, shown, coverage);
	// What the list leaves out is not in the state of interest, whatever could not be read of it.
	const expected = new Set(watch.expected(draft, withoutUsual));
	for (const station of draft.unreadable.keys()) {
		if (!shown.has(station) && !expected.has(station) && covers(coverage, station)) draft.unreadable.noteLook(station);
	}
}

function noteReadable({ unreadable }: Draft, watch: Watch, seen: Observation): void {
	if (watch.isReadable(seen)) unreadable.noteLook(seen.station);
	else unreadable.noteWhole(seen.station);
}

/** Takes in what became of a station missing from the list. */
function noteMissing(draft: Draft, { watch, fleet }: WatchRules, station: StationKey, found: Whereabouts): void {
	if (typeof found === 'object') {
		watch.observe(draft, found);
		noteReadable(draft, watch, found);
	} else if (found === 'elsewhere') {
		watch.leave(draft, station);
		draft.unreadable.forget(station);
		if (draft.known?.has(station)) draft.away.add(station);
	} else if (found === 'gone') {
		watch.forget(draft, station);
		draft.unreadable.forget(station);
		for (const set of [draft.known, draft.away]) set?.delete(station);
		if (fleet?.removed) draft.raise(fleetEvent('removed', station, draft.now));
	}
}

function noteFleet(
	draft: Draft,
	rules: NonNullable<WatchRules['fleet']>,
	{ stations, coverage }: NonNullable<Sighting['fleet']>,
): void {
	for (const station of stations) {
		draft.away.delete(station);
		if (draft.known?.has(station)) continue;
		draft.known?.add(station);
		if (rules.added && draft.knownList.baseline === undefined) draft.raise(fleetEvent('added', station, draft.now));
	}
	noteProgress(draft.knownList, coverage);
}

function fleetEvent(name: 'added' | 'removed', station: StationKey, now: number) {
	return { name, station, dimension: null, from: null, to: null, since: now };
}

/** Notes how far a list was read. */
function noteProgress(list: Progress, coverage: Coverage): void {
	const next = positionAfter(coverage);
	if (list.baseline === undefined) list.next = next;
	else list.baseline = next;
}
