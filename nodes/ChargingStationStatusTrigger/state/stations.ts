import type { StatusValue } from '../../shared/trigger/types';
import { observeState, observeValue } from '../../shared/trigger/watch/rules';
import { readStatus, type Status, UNKNOWN } from '../../shared/trigger/watch/status';
import type { Draft } from './draft';
import { DIMENSIONS } from './types';
import type { SeenStation, LastValue, StateRule, StationKey, StationRule, StatusesRule } from './types';
import { isUnread } from './usual';

/**
 * Takes in what a poll saw of a station.
 *
 * @param isBaseline whether this is how things were when watching began
 */
export function observe(draft: Draft, rule: StationRule, seen: SeenStation, isBaseline = false): void {
	if (rule.kind === 'inState') observeStation(draft, rule, seen, isBaseline);
	else observeStatuses(draft, rule, seen, isBaseline);
	if (isReadable(rule, seen)) draft.unreadable.addLook(seen.station);
	else draft.unreadable.addWhole(seen.station);
}

/** Whether all that matters of a station could be read. */
function isReadable(rule: StationRule, seen: SeenStation): boolean {
	if (seen.outOfService || rule.kind === 'inState') return seen.outOfService !== undefined;
	return !valuesOf(rule, seen).includes(UNKNOWN);
}

function observeStation(draft: Draft, rule: StateRule, seen: SeenStation, isBaseline: boolean): void {
	const { station, outOfService } = seen;
	if (outOfService === undefined) return;
	if (outOfService) return draft.end(station);
	const thing = { key: station, subject: { station, dimension: rule.dimension } };
	const isQuiet = isBaseline && !draft.reportsBaseline;
	observeState(draft, rule, thing, { isIn: rule.isIn(seen), value: null, isQuiet });
}

function observeStatuses(draft: Draft, rule: StatusesRule, seen: SeenStation, isBaseline: boolean): void {
	const { station, outOfService } = seen;
	const last = draft.statuses.get(station);
	if (outOfService) {
		draft.statuses.set(station, null);
		return stopWaiting(draft, station);
	}
	// Out of service as far as is known.
	if (last === null && outOfService === undefined) return;
	const values = valuesOf(rule, seen);
	const reportsFirst = isBaseline && draft.reportsBaseline && last === undefined;
	const next = rule.each.map((status, index): LastValue => {
		const value = values[index] ?? null;
		const { dimension } = status;
		const thing = { key: keyOf(station, index), subject: { station, dimension } };
		const now = observeValue(draft, status, thing, { known: lastRead(last?.[index]), value, reportsFirst });
		if (value === UNKNOWN) return now === undefined ? [] : [now];
		return now ?? null;
	});
	draft.statuses.set(station, next);
}

/** If it cannot be read whether a station is out of service, its statuses say nothing either. */
export function valuesOf({ each }: StatusesRule, { row, outOfService }: SeenStation): Status[] {
	return each.map(({ dimension, noneIsValue }) =>
		outOfService === undefined ? UNKNOWN : readStatus(row[dimension], noneIsValue),
	);
}

function lastRead(last: LastValue | undefined): StatusValue | undefined {
	return last !== undefined && isUnread(last) ? last[0] : last;
}

function keyOf(station: StationKey, index: number): string {
	return `${station}#${index}`;
}

function stopWaiting(draft: Draft, station: StationKey): void {
	DIMENSIONS.forEach((_, index) => draft.waiting.delete(keyOf(station, index)));
}

/** The stations that the list should show. */
export function expected({ incidents, statuses }: Draft): StationKey[] {
	return [...incidents.keys(), ...statuses.keys()];
}

/** A station exists but does not match the filter. Its statuses are kept until it is back in the list. */
export function leave(draft: Draft, station: StationKey): void {
	stopWaiting(draft, station);
	draft.end(station);
	draft.unreadable.forget(station);
	if (draft.statuses.has(station) || draft.known?.has(station)) draft.away.add(station);
}

export function forget(draft: Draft, station: StationKey): void {
	leave(draft, station);
	draft.statuses.delete(station);
	for (const set of [draft.known, draft.away]) set?.delete(station);
}

/** Whether an incident of the station is open whose end is reported. */
export function isEndTold({ incidents }: Draft, rule: StationRule, station: StationKey): boolean {
	const incident = incidents.get(station);
	if (rule.kind !== 'inState' || !rule.reportsClosing || incident === undefined) return false;
	return incident[1] || !rule.reportsOpening;
}
