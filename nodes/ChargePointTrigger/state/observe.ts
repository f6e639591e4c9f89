import type { StatusValue } from '../../shared/trigger/types';
import { UNKNOWN } from '../../shared/trigger/watch/status';
import type { Status } from '../../shared/trigger/watch/status';
import { hasLasted } from '../../shared/trigger/watch/waiting';
import type { Draft } from './draft';
import { placeOf } from './points';
import type { PointKey, StationKey } from './types';

export interface ObserveRules {
	/** The codes that mean out of order. Undefined if every change of the status is reported. */
	outOfOrder?: ReadonlySet<StatusValue>;
	/** Values that a change must start from, and lead to. Undefined for any. */
	from?: ReadonlySet<StatusValue>;
	to?: ReadonlySet<StatusValue>;
	/** Whether a missing status is a value: see `isNoneAValue`. */
	noneIsValue: boolean;
	/** How long a value must hold before it counts, in milliseconds. The end of an incident counts at once. */
	afterMs: number;
}

/** What a look saw of a charge point. */
export interface Observation {
	station: StationKey;
	point: PointKey;
	value: Status;
	/** Whether it may be one that was known otherwise: by its place, of which there are more or fewer now. */
	isTakenOver: boolean;
}

/** An observation that says something. */
interface Readable extends Observation {
	value: StatusValue;
}

/** Takes in what a look saw of a charge point. From a status that cannot be read nothing follows. */
export function observe(draft: Draft, rules: ObserveRules, seen: Observation): void {
	const { station, point, value } = seen;
	draft.missing.delete(placeOf(station, point));
	if (value === UNKNOWN) {
		if (rules.outOfOrder && draft.known(station, point) === undefined) draft.settle(station, point, null);
	} else if (rules.outOfOrder) observeOrder(draft, rules, { ...seen, value }, rules.outOfOrder.has(value));
	else observeStatus(draft, rules, { ...seen, value });
}

function observeStatus(draft: Draft, rules: ObserveRules, seen: Readable): void {
	const { from, to, noneIsValue, afterMs } = rules;
	const { station, point, value } = seen;
	const known = draft.known(station, point);
	// Saved by older versions for a status that could not be read.
	const before = known === null && !noneIsValue ? undefined : known;
	if (before === undefined) return beginStatus(draft, rules, seen);
	if (before === value) {
		draft.waiting.delete(placeOf(station, point));
		return;
	}
	const since = hasLasted(draft.waiting, placeOf(station, point), value, { afterMs, now: draft.now });
	if (since === undefined) return;
	draft.settle(station, point, value);
	if ((to?.has(value) ?? true) && (from?.has(before) ?? true)) raiseChange(draft, seen, before, since);
}

/**
 * A status that is seen for the first time is a quiet baseline, unless the first turn reports what it finds. What must
 * start from a chosen value is not so from the beginning.
 */
function beginStatus(draft: Draft, { from, to }: ObserveRules, seen: Readable): void {
	draft.settle(seen.station, seen.point, seen.value);
	const isReported = draft.reportsNew && !seen.isTakenOver && !from;
	if (isReported && (to?.has(seen.value) ?? true)) raiseChange(draft, seen, null, draft.now);
}

function raiseChange(draft: Draft, { station, point, value }: Readable, from: StatusValue, since: number): void {
	draft.raise({ name: 'statusChanged', station, point, from, to: value, since });
}

/**
 * Which of its statuses a charge point has does not matter here, so none is remembered: they would make the state large.
 * One that is new after the first turn and out of order is reported.
 */
function observeOrder(draft: Draft, { afterMs }: ObserveRules, seen: Readable, isActive: boolean): void {
	const { station, point, value, isTakenOver } = seen;
	const isQuiet = isTakenOver || !(draft.reportsNew || draft.hasBaseline);
	const place = placeOf(station, point);
	const isNew = draft.known(station, point) === undefined;
	if (isNew) draft.settle(station, point, null);
	const change = { station, point, from: null, to: value };
	const incident = draft.incidents.get(place);
	/** The id of the event that opens an incident, whether it is raised or not. */
	const incidentId = draft.idOf('outOfOrder', station, point, null, value);
	if (isActive === (incident !== undefined)) {
		draft.waiting.delete(place);
	} else if (incident) {
		const [since, isReported, id] = incident;
		draft.waiting.delete(place);
		draft.end(place, !isReported);
		if (!isReported) return;
		draft.raise({ ...change, name: 'backInOrder', since, until: Math.max(since, draft.now), incidentId: id });
	} else if (isNew && isQuiet) {
		draft.incidents.set(place, [draft.now, false, incidentId]);
	} else {
		const since = hasLasted(draft.waiting, place, 'out', { afterMs, now: draft.now });
		if (since === undefined) return;
		draft.incidents.set(place, [since, true, incidentId]);
		draft.raise({ ...change, name: 'outOfOrder', since, incidentId });
	}
}
