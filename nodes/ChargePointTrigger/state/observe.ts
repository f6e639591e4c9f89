import type { StatusValue } from '../../shared/trigger/types';
import { hasLasted } from '../../shared/trigger/state/waiting';
import type { Draft } from './draft';
import { placeOf } from './points';
import type { PointKey, StationKey } from './types';

export interface ObserveRules {
	/** The codes that mean out of order. Undefined if every change of the status is reported. */
	outOfOrder?: ReadonlySet<StatusValue>;
	/** Values that a change must start from, and lead to. Undefined for any. */
	from?: ReadonlySet<StatusValue>;
	to?: ReadonlySet<StatusValue>;
	/** How long a value must hold before it counts, in milliseconds. The end of an incident counts at once. */
	afterMs: number;
}

/** What a look saw of a charge point. */
export interface Observation {
	station: StationKey;
	point: PointKey;
	value: StatusValue;
}

/** Takes in what a look saw of a charge point. One that is seen for the first time is a quiet baseline. */
export function observe(draft: Draft, rules: ObserveRules, seen: Observation): void {
	draft.missing.delete(placeOf(seen.station, seen.point));
	if (rules.outOfOrder) observeOrder(draft, rules, seen, rules.outOfOrder.has(seen.value));
	else observeStatus(draft, rules, seen);
}

function observeStatus(draft: Draft, { from, to, afterMs }: ObserveRules, seen: Observation): void {
	const { station, point, value } = seen;
	const before = draft.known(station, point);
	const isTo = to?.has(value) ?? true;
	if (before === undefined) {
		draft.settle(station, point, value);
		// What must start from a chosen value is not so from the beginning.
		if (draft.reportsNew && isTo && !from) raiseChange(draft, seen, null, draft.now);
		return;
	}
	if (before === value) {
		draft.waiting.delete(placeOf(station, point));
		return;
	}
	const since = hasLasted(draft.waiting, placeOf(station, point), value, { afterMs, now: draft.now });
	if (since === undefined) return;
	draft.settle(station, point, value);
	if (isTo && (from?.has(before) ?? true)) raiseChange(draft, seen, before, since);
}

function raiseChange(draft: Draft, { station, point, value }: Observation, from: StatusValue, since: number): void {
	draft.raise({ name: 'statusChanged', station, point, from, to: value, since });
}

/** Which of its statuses a charge point has does not matter here, so none is remembered: they would make the state large. */
function observeOrder(draft: Draft, { afterMs }: ObserveRules, seen: Observation, isActive: boolean): void {
	const { station, point, value } = seen;
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
	} else if (isNew && !draft.reportsNew) {
		draft.incidents.set(place, [draft.now, false, incidentId]);
	} else {
		const since = hasLasted(draft.waiting, place, 'out', { afterMs, now: draft.now });
		if (since === undefined) return;
		draft.incidents.set(place, [since, true, incidentId]);
		draft.raise({ ...change, name: 'outOfOrder', since, incidentId });
	}
}
