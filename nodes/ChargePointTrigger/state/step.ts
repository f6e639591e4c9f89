import sumBy from 'lodash/sumBy';

import type { PollStart, StatusValue } from '../../shared/trigger/types';
import { beginState } from '../../shared/trigger/watch/begin';
import { observeRemoved, observeState, observeValue } from '../../shared/trigger/watch/rules';
import { type Status, UNKNOWN } from '../../shared/trigger/watch/status';
import { Draft } from './draft';
import { isByPosition, keyOf, pack, partsOf, type Points } from './points';
import type { ChargePoint, ChargePointRule, ChargePointRules, ChargePointState, PointKey, StationKey } from './types';

export interface Seen {
	/** The stations that were looked at, with the status of each of their charge points. */
	stations: ReadonlyMap<StationKey, ReadonlyMap<PointKey, Status>>;
	/** The stations whose charge points could not be read. Nothing follows from that. */
	unread: readonly StationKey[];
	/** Known stations that were not there, in the list or by themselves. */
	absent: readonly StationKey[];
	/** Whether it is certain which stations are in this part of the round. */
	isWhole: boolean;
	/** Whether the round has reached its end; otherwise, the station behind which it goes on. */
	isEnd: boolean;
	next?: StationKey;
}

export function begin(rules: ChargePointRules, start: PollStart<ChargePointState>): Draft {
	const { now, basis, clockSetByMs, hasCurrentNotes, isFirst } = start;
	const { kept, notes } = beginState<ChargePointState>(rules, start, (_, incidents) => {
		const points: Points = new Map();
		for (const [station, point] of Object.keys(incidents).map(partsOf)) {
			points.set(station, (points.get(station) ?? new Map<PointKey, StatusValue>()).set(point, null));
		}
		return {
			kept: { config: rules.config, reportsNew: isFirst && rules.reportInitialState, points: pack(points), incidents },
			notes: { waiting: {}, missing: [] },
		};
	});
	const { turn } = notes;
	// Once the clock was set, it is not known how long the round has taken.
	const isWhole = turn?.isWhole === true && clockSetByMs === 0 && turn.began <= now;
	const round = turn && { ...turn, isWhole };
	return new Draft(
		{ kept, notes: { ...notes, turn: round, missing: hasCurrentNotes ? notes.missing : [] } },
		now,
		basis,
	);
}

/** Turns what a poll has seen into events and the next state. */
export function compare(draft: Draft, rules: ChargePointRules, seen: Seen): void {
	const { stations, unread, absent, isEnd } = seen;
	const { round } = draft;
	let isSure = seen.isWhole;
	for (const [station, statuses] of stations) {
		draft.missing.delete(station);
		observeStation(draft, rules.rule, station, statuses);
		if (!missPoints(draft, rules.rule, station, statuses)) isSure = false;
	}
	for (const station of unread) {
		draft.missing.delete(station);
		draft.unreadable.addWhole(station);
	}
	for (const station of absent) if (!missStation(draft, rules.rule, station)) isSure = false;
	round.stations += stations.size;
	round.unread += unread.length;
	round.isWhole &&= isSure;
	round.after = isEnd ? undefined : seen.next;
	if (isEnd) endRound(draft, rules);
}

/** Takes in what was seen of the charge points of a station. From a status that cannot be read nothing follows. */
function observeStation(
	draft: Draft,
	rule: ChargePointRule,
	station: StationKey,
	statuses: ReadonlyMap<PointKey, Status>,
): void {
	const known = [...(draft.points.get(station)?.keys() ?? [])];
	const knowsPositions = known.length > 0 && known.every(isByPosition);
	const unread: PointKey[] = [];
	for (const [point, value] of statuses) {
		if (value === UNKNOWN) unread.push(point);
		draft.missing.delete(keyOf(station, point));
		// It may be one that was known otherwise: by its position, of which there are more or fewer now.
		const isTakenOver = isByPosition(point) ? known.length > 0 : knowsPositions;
		observePoint(draft, rule, { station, point }, value, isTakenOver);
	}
	draft.unreadable.addLook(station, unread);
}

function observePoint(
	draft: Draft,
	rule: ChargePointRule,
	subject: ChargePoint,
	value: Status,
	isTakenOver: boolean,
): void {
	const { reportsNew, hasBaseline } = draft;
	const key = keyOf(subject.station, subject.point);
	const known = draft.points.get(subject.station)?.get(subject.point);
	if (rule.kind === 'anotherValue') {
		const reportsFirst = reportsNew && !isTakenOver;
		const now = observeValue(draft, rule, { key, subject }, { known, value, reportsFirst });
		if (now !== undefined) draft.remember(subject, now);
		return;
	}
	// Which of its statuses a charge point has does not matter, so none is remembered: they would make the state large.
	if (known === undefined) draft.remember(subject, null);
	if (value === UNKNOWN) return;
	// One that is new after the first round and out of order is reported.
	const isQuiet = known === undefined && (isTakenOver || !(reportsNew || hasBaseline));
	observeState(draft, rule, { key, subject }, { isIn: rule.isIn(value), value, isQuiet });
}

/**
 * Remembers which charge points of a station are not there. One that has an Id counts as gone when two looks in a row
 * miss it. One that is known by its position counts as gone at once if the number of charge points is another: nothing
 * tells which is which.
 *
 * @returns whether it is known of each what became of it
 */
function missPoints(
	draft: Draft,
	rule: ChargePointRule,
	station: StationKey,
	there: ReadonlyMap<PointKey, Status>,
): boolean {
	let isSure = true;
	for (const point of [...(draft.points.get(station)?.keys() ?? [])]) {
		if (there.has(point)) continue;
		const key = keyOf(station, point);
		if (draft.missing.has(key) || (isByPosition(point) && there.size > 0)) remove(draft, rule, { station, point });
		else {
			draft.missing.add(key);
			isSure = false;
		}
	}
	return isSure;
}

/** A station that is not there any more is forgotten when a second poll does not find it either. */
function missStation(draft: Draft, rule: ChargePointRule, station: StationKey): boolean {
	if (!draft.missing.delete(station)) {
		draft.missing.add(station);
		return false;
	}
	for (const point of [...(draft.points.get(station)?.keys() ?? [])]) remove(draft, rule, { station, point });
	draft.unreadable.forget(station);
	return true;
}

/** Forgets a charge point that is not there any more. Its incident ends with an event. */
function remove(draft: Draft, rule: ChargePointRule, subject: ChargePoint): void {
	const key = keyOf(subject.station, subject.point);
	if (rule.kind === 'inState') observeRemoved(draft, rule, { key, subject });
	else draft.waiting.delete(key);
	draft.forget(subject);
}

/**
 * The round has reached the last station. If it is known of each what became of it, that time is watched, but for what
 * could not be read. If nothing could, the platform gives no details.
 */
function endRound(draft: Draft, rules: ChargePointRules): void {
	const { round, points } = draft;
	const { stations, unread, began } = round;
	const isWhole = round.isWhole && (stations > 0 || unread === 0);
	if (isWhole) {
		draft.reportsNew = false;
		draft.hasBaseline = true;
	}
	const polls = Math.max(1, Math.ceil((stations + unread) / rules.mostStations));
	draft.endRound({ isWhole, began, polls }, rules, { stations, chargePoints: sumBy([...points.values()], 'size') });
}
