import type { Draft } from './draft';
import { covers, decodeValue } from '../../shared/trigger/keys';
import type { Dimension, Observation, StationKey, WatchState } from './types';
import type { Coverage } from '../../shared/trigger/types';

/** Event `statusChange`: the last settled values of every station are remembered. */
export interface StatusRules {
	mode: 'statusChange';
	dimensions: readonly Dimension[];
	/** Encoded values a change must start from, by dimension; a dimension that is not named may start from any. */
	from: ReadonlyMap<Dimension, ReadonlySet<string>>;
	/** Encoded values a change must lead to. */
	to: ReadonlyMap<Dimension, ReadonlySet<string>>;
	/** How long a value must hold before the change counts, in milliseconds. */
	afterMs: number;
}

/** In place of the values of a station that is out of service. */
const OUT_OF_SERVICE = 'x';
/** In front of the values of a station that is not in the list for now, because it does not match the filter. */
const AWAY = '/';

function placeOf(station: StationKey, index: number): string {
	return `${station}#${index}`;
}

/** Whether additions and removals go by this station: it is remembered and was in the list when last seen. */
function isPresent(text: string): boolean {
	return !text.startsWith(AWAY);
}

/** Stations that should be in the part of the list that was read but are not: they must be looked up. */
export function unseenStations(state: WatchState, seen: ReadonlySet<StationKey>, coverage: Coverage): StationKey[] {
	const unseen: StationKey[] = [];
	for (const [key, text] of state.stations) {
		if (!seen.has(key) && isPresent(text) && covers(coverage, key)) unseen.push(key);
	}
	return unseen;
}

/**
 * Notes a station's values as those it had when watching began.
 *
 * @param report whether to report them as the current state; what they are to change from cannot matter then
 */
export function adoptStatuses(draft: Draft, rules: StatusRules, observation: Observation, report: boolean): void {
	const { station, values, outOfService } = observation;
	draft.setStation(station, outOfService ? OUT_OF_SERVICE : values.join(','));
	if (!report || outOfService) return;
	rules.dimensions.forEach((dimension, index) => {
		const value = values[index] ?? '-';
		if (!allowed(rules.to, dimension, value)) return;
		draft.raise({ name: 'statusChanged', station, dimension, from: null, to: decodeValue(value), since: draft.now });
	});
}

/** Takes in what a poll saw of one station that is remembered. */
export function observeStatuses(draft: Draft, rules: StatusRules, observation: Observation): void {
	const { station, values, outOfService } = observation;
	const text = draft.state.stations.get(station) ?? AWAY;
	if (outOfService) {
		if (text === AWAY + OUT_OF_SERVICE) draft.noteStation(station, OUT_OF_SERVICE);
		else if (text !== OUT_OF_SERVICE) draft.setStation(station, OUT_OF_SERVICE);
		stopWaiting(draft, rules, station);
		return;
	}
	const present = isPresent(text);
	const settledText = present ? text : text.slice(AWAY.length);
	if (settledText === OUT_OF_SERVICE || settledText === '') {
		draft.setStation(station, values.join(','));
		return;
	}
	const settled = settledText.split(',');
	let changed = false;
	rules.dimensions.forEach((dimension, index) => {
		const from = settled[index] ?? '-';
		const to = values[index] ?? '-';
		const place = placeOf(station, index);
		if (from === to) {
			draft.stopWaiting(place);
			return;
		}
		const { lasted, since } = draft.hasLasted(place, to, rules.afterMs);
		if (!lasted) return;
		settled[index] = to;
		changed = true;
		if (!allowed(rules.from, dimension, from) || !allowed(rules.to, dimension, to)) return;
		const event = { name: 'statusChanged' as const, station, dimension, since };
		draft.raise({ ...event, from: decodeValue(from), to: decodeValue(to) });
	});
	if (changed) draft.setStation(station, settled.join(','));
	else if (!present) draft.noteStation(station, settledText);
}

function allowed(values: ReadonlyMap<Dimension, ReadonlySet<string>>, dimension: Dimension, value: string): boolean {
	return values.get(dimension)?.has(value) ?? true;
}

/** The station exists but does not match the filter for now: its values are kept until it is back in the list. */
export function setAway(draft: Draft, rules: StatusRules, station: StationKey): void {
	const text = draft.state.stations.get(station);
	if (text === undefined || !isPresent(text)) return;
	draft.noteStation(station, AWAY + text);
	stopWaiting(draft, rules, station);
}

/** Forgets a station that no longer exists. */
export function forgetStatuses(draft: Draft, rules: StatusRules, station: StationKey): void {
	draft.deleteStation(station);
	stopWaiting(draft, rules, station);
}

function stopWaiting(draft: Draft, rules: StatusRules, station: StationKey): void {
	rules.dimensions.forEach((_, index) => draft.stopWaiting(placeOf(station, index)));
}
