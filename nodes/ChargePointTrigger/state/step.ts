import pickBy from 'lodash/pickBy';
import sumBy from 'lodash/sumBy';

import { isOfSamePlace } from '../../shared/trigger/hash';
import type { PollStart, StatusValue } from '../../shared/trigger/types';
import { isStillWaiting } from '../../shared/trigger/watch/waiting';
import { noteWatched } from '../../shared/trigger/watch/watched';
import { UNKNOWN } from '../../shared/trigger/watch/status';
import type { Status } from '../../shared/trigger/watch/status';
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
	/** How far apart two polls may be: see `longestGapMs`. */
	longestGapMs: number;
}

/** What one poll has seen. */
export interface Sighting {
	/** The stations that were looked at, with the status of each of their charge points. */
	looks: ReadonlyMap<StationKey, ReadonlyMap<PointKey, Status>>;
	/** The stations whose charge points could not be read. Nothing follows from that. */
	unread: readonly StationKey[];
	/** Known stations that were not there, in the list or by themselves. */
	absent: readonly StationKey[];
	/** Whether it is certain which stations are in this part of the turn. */
	isWhole: boolean;
	/** Whether the turn has reached its end; otherwise, the station behind which it goes on. */
	isEnd: boolean;
	next?: StationKey;
}

/** Begins a poll. A state of other settings is replaced by a new one, whose first turn raises nothing. */
export function begin(rules: WatchRules, start: PollStart<ChargePointState>): Draft {
	const { state, now, source } = start;
	if (state?.kept.config !== rules.config) return new Draft(emptyState(rules, start), now, source);
	const { kept, notes } = adjustTimes(state, start);
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
export function compare(draft: Draft, rules: WatchRules, sighting: Sighting): void {
	const { looks, unread, absent, isWhole, isEnd, next } = sighting;
	const { turn } = draft;
	let isSure = isWhole;
	for (const [station, statuses] of looks) {
		draft.missing.delete(station);
		const known = [...(draft.points.get(station)?.keys() ?? [])];
		const knowsPlaces = known.length > 0 && known.every(isPlace);
		for (const [point, value] of statuses) {
			const isTakenOver = isPlace(point) ? known.length > 0 : knowsPlaces;
			observe(draft, rules, { station, point, value, isTakenOver });
		}
		const unknown = [...statuses].flatMap(([point, value]) => (value === UNKNOWN ? point : []));
		draft.unreadable.noteLook(station, unknown);
		if (!noteMissingPoints(draft, station, statuses)) isSure = false;
	}
	for (const station of unread) {
		draft.missing.delete(station);
		draft.unreadable.noteWhole(station);
	}
	for (const station of absent) if (!noteAbsent(draft, station)) isSure = false;
	turn.stations += looks.size;
	turn.unread = (turn.unread ?? 0) + unread.length;
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
function noteMissingPoints(draft: Draft, station: StationKey, there: ReadonlyMap<PointKey, Status>): boolean {
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
	draft.unreadable.forget(station);
	return true;
}

/**
 * The turn has reached the last station. If it is known of each what became of it, that time is watched, but for what
 * could not be read. If nothing could, the platform gives no details.
 */
function endTurn(draft: Draft, rules: WatchRules): void {
	const { turn } = draft;
	const isWhole = turn.isWhole && (turn.stations > 0 || !turn.unread);
	if (isWhole) {
		draft.reportsNew = false;
		draft.hasBaseline = true;
	}
	if (!rules.reportsWatching) {
		draft.watched = undefined;
		draft.unreadable.readBy(draft.now);
	} else if (isWhole) raiseWatched(draft, rules);
	else return;
	draft.ended.clear();
	draft.hasQuietEnd = false;
}

/**
 * Notes that every charge point was seen once more. They are seen at different times, so what is watched for all of them
 * reaches from the end of a turn to the beginning of a later one.
 *
 * A turn promises a look in every so many polls. Two looks at a station are at most as far apart as two whole turns,
 * less the poll that they share.
 */
function raiseWatched(draft: Draft, { mostStations, longestGapMs }: WatchRules): void {
	const { turn, now, hasQuietEnd, incidents, ended, points } = draft;
	const polls = Math.max(1, Math.ceil((turn.stations + (turn.unread ?? 0)) / mostStations));
	const rules = { longestGapMs: longestGapMs * (2 * polls - 1), hasQuietEnd };
	const due = noteWatched(draft, { began: turn.began, ended: now }, rules);
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
