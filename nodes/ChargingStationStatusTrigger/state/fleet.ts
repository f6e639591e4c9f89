import type { Draft } from './draft';
import { covers } from '../../shared/trigger/keys';
import type { StationKey, WatchState } from './types';
import type { Coverage } from '../../shared/trigger/types';

/** Which comings and goings of stations are reported. */
export interface FleetRules {
	added: boolean;
	removed: boolean;
}

/** In front of a known station that is not in the list for now, because it does not match the filter. */
const AWAY = '/';

/** Known stations that should be in the part of the list that was read but are not: they must be looked up. */
export function unseenKnown(state: WatchState, seen: ReadonlySet<StationKey>, coverage: Coverage): StationKey[] {
	if (!state.known) return [];
	return [...state.known].filter((key) => !key.startsWith(AWAY) && !seen.has(key) && covers(coverage, key));
}

/** Takes in that a station is in the list. One that is new is reported, unless the list is being read for the first time. */
export function observeKnown(draft: Draft, rules: FleetRules, station: StationKey, baseline: boolean): void {
	const { known } = draft.state;
	if (!known || known.has(station)) return;
	known.add(station);
	if (known.delete(AWAY + station)) {
		draft.changedQuietly = true;
		return;
	}
	draft.mustSave = true;
	if (!baseline) reportAdded(draft, rules, station);
}

export function reportAdded(draft: Draft, rules: FleetRules, station: StationKey): void {
	if (rules.added) draft.raise({ name: 'added', station, dimension: null, from: null, to: null, since: draft.now });
}

/** The station exists but does not match the filter for now: when it is back it is not new. */
export function setKnownAway(draft: Draft, station: StationKey): void {
	if (!draft.state.known?.delete(station)) return;
	draft.state.known.add(AWAY + station);
	draft.changedQuietly = true;
}

/** Forgets a station of which the detail endpoint said that it does not exist. */
export function forgetKnown(draft: Draft, station: StationKey): void {
	if (draft.state.known?.delete(station)) draft.mustSave = true;
}

export function reportRemoved(draft: Draft, rules: FleetRules, station: StationKey): void {
	if (rules.removed) draft.raise({ name: 'removed', station, dimension: null, from: null, to: null, since: draft.now });
}
