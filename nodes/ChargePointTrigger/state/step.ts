import pickBy from 'lodash/pickBy';
import sumBy from 'lodash/sumBy';

import { isOfSamePlace } from '../../shared/trigger/hash';
import type { PollStart, StatusValue } from '../../shared/trigger/types';
import { isStillWaiting } from '../../shared/trigger/state/waiting';
import { LONGEST_GAP_MS, seenAgain } from '../../shared/trigger/state/watched';
import { adjustTimes, Draft } from './draft';
import { observe } from './observe';
import type { ObserveRules } from './observe';
import { isPlace, pack, partsOf, placeOf } from './points';
import type { Points } from './points';
import type { ChargePointState, PointKey, StationKey } from './types';

/** What is watched, and what of it is reported. */
export interface WatchRules extends ObserveRules {
	/** Fingerprint of the settings that give a state its meaning (`configOf`). A new one quietly begins a new state. */
	config: string;
	/** Whether the first turn reports what it finds. */
	reportInitialState: boolean;
	/** Whether reported incidents stay open when settings change, so that their end is reported too. */
	keepsIncidents: boolean;
	/** Whether to report once an hour what was watched. */
	reportsWatching: boolean;
	/** How many stations a poll looks at, at most. */
	mostStations: number;
}

/** What one poll has seen. */
export interface Sighting {
	/** The stations that were looked at, with the status of each of their charge points. */
	looks: ReadonlyMap<StationKey, ReadonlyMap<PointKey, StatusValue>>;
	/** Known stations that were not there, in the list or by themselves. */
	absent: readonly StationKey[];
	/** Whether each station of this part of the turn could be looked at, or was not there. */
	isWhole: boolean;
	/** Whether the turn has reached its end; otherwise, the station behind which it goes on. */
	isEnd: boolean;
	next?: StationKey;
}

/** Begins a poll. A state of other settings is replaced by a new one, whose first turn raises nothing. */
export function begin(rules: WatchRules, start: PollStart<ChargePointState>): Draft {
	const { state, now, source } = start;
	if (state?.kept.config !== rules.config) return new Draft(emptyState(rules, start), now, source);
	const { kept, notes } = adjustTimes(state, now, start.clockSetByMs);
	const waiting = isStillWaiting(notes.seenAt, start) ? notes.waiting : {};
	const missing = start.hasCurrentNotes ? notes.missing : [];
	return new Draft({ kept, notes: { ...notes, waiting, missing } }, now, source);
}

function emptyState(
	{ config, keepsIncidents, reportInitialState }: WatchRules,
	start: PollStart<ChargePointState>,
): ChargePointState {
	const former = start.state?.kept;
	const isKept = keepsIncidents && isOfSamePlace(former?.config, config);
	const incidents = pickBy(former?.incidents, ([, isReported]) => isKept && isReported);
	const points: Points = new Map();
	for (const [station, point] of Object.keys(incidents).map(partsOf)) {
		points.set(station, (points.get(station) ?? new Map<PointKey, StatusValue>()).set(point, null));
	}
	return {
		kept: { config, reportsNew: start.isFirst && reportInitialState, points: pack(points), incidents },
		notes: { waiting: {}, missing: [], ended: {} },
	};
}

/** Turns what a poll has seen into events and the next state. */
export function compare(draft: Draft, rules: WatchRules, { looks, absent, isWhole, isEnd, next }: Sighting): void {
	const { turn } = draft;
	let isSure = isWhole;
	for (const [station, statuses] of looks) {
		draft.missing.delete(station);
		for (const [point, value] of statuses) observe(draft, rules, { station, point, value });
		if (!noteMissingPoints(draft, station, statuses)) isSure = false;
	}
	for (const station of absent) if (!noteAbsent(draft, station)) isSure = false;
	turn.stations += looks.size;
	turn.isWhole &&= isSure;
	turn.after = isEnd ? undefined : next;
	if (isEnd) endTurn(draft, rules);
}

/**
 * Notes which charge points of a station are not there. One that has an Id counts as gone when two looks in a row miss
 * it. A place counts as gone at once if the number of charge points is another, because nothing tells which is which.
 *
 * @returns whether it is known of each what became of it
 */
function noteMissingPoints(draft: Draft, station: StationKey, there: ReadonlyMap<PointKey, StatusValue>): boolean {
	let isSure = true;
	for (const point of [...(draft.points.get(station)?.keys() ?? [])]) {
		const place = placeOf(station, point);
		if (there.has(point)) continue;
		if (draft.missing.has(place) || (isPlace(point) && there.size > 0)) draft.forget(station, point);
		else {
			draft.missing.add(place);
			isSure = false;
		}
	}
	return isSure;
}

/** A station that is not there any more is forgotten when a second poll does not find it either. */
function noteAbsent(draft: Draft, station: StationKey): boolean {
	if (!draft.missing.delete(station)) {
		draft.missing.add(station);
		return false;
	}
	for (const point of [...(draft.points.get(station)?.keys() ?? [])]) draft.forget(station, point);
	return true;
}

/** The turn has reached the last station. If each of them could be looked at, that time is watched. */
function endTurn(draft: Draft, rules: WatchRules): void {
	if (draft.turn.isWhole) draft.reportsNew = false;
	if (!rules.reportsWatching) draft.watched = undefined;
	else if (draft.turn.isWhole) noteWatched(draft, rules.mostStations);
	else return;
	draft.ended.clear();
	draft.hasQuietEnd = false;
}

/**
 * Notes that every charge point was seen once more. They are seen at different times, so what is watched for all of them
 * reaches from the end of a turn to the beginning of a later one.
 *
 * A turn promises a look in every so many polls, and those may be 15 minutes apart. Two looks at a station are at most
 * as far apart as two whole turns, less the poll that they share.
 */
function noteWatched(draft: Draft, mostStations: number): void {
	const { turn, now, hasQuietEnd, incidents, ended, points } = draft;
	const polls = Math.max(1, Math.ceil(turn.stations / mostStations));
	const rules = { longestGapMs: LONGEST_GAP_MS * (2 * polls - 1), hasQuietEnd };
	const { watched, due } = seenAgain(draft.watched, { began: turn.began, ended: now }, rules);
	draft.watched = watched;
	if (!due) return;
	const open = [...incidents, ...ended].filter(([, [since]]) => since <= due.to);
	const openIncidents = open.map(([place, [since, , incidentId]]) => {
		const [station, point] = partsOf(place);
		return { incidentId, station, point, since };
	});
	draft.events.unshift({
		...{ name: 'watching', ...due, openIncidents },
		...{ stations: turn.stations, chargePoints: sumBy([...points.values()], 'size') },
		...{ detectedAt: now, id: draft.idOf('watching', due.from) },
	});
}
