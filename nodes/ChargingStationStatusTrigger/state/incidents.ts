import type { Draft } from './draft';
import { covers } from '../../shared/trigger/keys';
import type { Observation, StationKey, WatchEvent, WatchState } from './types';
import type { Coverage } from '../../shared/trigger/types';

/**
 * Events `availability` and `filterMatch`: a station is in the state of interest (offline, matching) or not. Only
 * stations that are in it are remembered, so the state's size follows incidents and not the fleet.
 */
export interface IncidentRules {
	mode: 'availability' | 'filterMatch';
	/** Whether entering the state is reported. */
	opening: boolean;
	/** Whether leaving it is reported. */
	closing: boolean;
	/** How long a station must be in the state before that counts, in milliseconds. */
	openAfterMs: number;
	/** How long it must have left it before that counts, in milliseconds. */
	closeAfterMs: number;
}

const OPENED = {
	availability: { name: 'offline', dimension: 'NetworkStatus', from: 'online', to: 'offline' },
	filterMatch: { name: 'startedMatching', dimension: null, from: 'notMatching', to: 'matching' },
} as const;

const CLOSED = {
	availability: { name: 'backOnline', dimension: 'NetworkStatus', from: 'offline', to: 'online' },
	filterMatch: { name: 'stoppedMatching', dimension: null, from: 'matching', to: 'notMatching' },
} as const;

/** An open incident. One that was there before we watched has never been reported. */
interface Incident {
	since: number;
	reported: boolean;
}

function writeIncident({ since, reported }: Incident): string {
	return `${reported ? '' : '~'}${Math.round(since).toString(36)}`;
}

function readIncident(text: string): Incident {
	const reported = !text.startsWith('~');
	return { since: Number.parseInt(reported ? text : text.slice(1), 36), reported };
}

/** Stations with an open incident that were not seen in the part of the list that was read: they must be looked up. */
export function unseenIncidents(state: WatchState, seen: ReadonlySet<StationKey>, coverage: Coverage): StationKey[] {
	return [...state.stations.keys()].filter((key) => !seen.has(key) && covers(coverage, key));
}

/** In front of a reported incident of a former state that the new state's first reading has not met yet. */
const CARRIED = '?';

/** Notes a station's incident as there before watching began. Nothing is raised for it. */
export function adoptIncident(draft: Draft, { station, active, outOfService }: Observation): void {
	if (!active || outOfService) return;
	const text = draft.state.stations.get(station);
	if (text === undefined) draft.setStation(station, writeIncident({ since: draft.now, reported: false }));
	else if (text.startsWith(CARRIED)) draft.setStation(station, text.slice(CARRIED.length));
}

/**
 * Carries the incidents that were reported over into a new state, so that their end is reported too if they are still
 * open when the new state is first read.
 */
export function carryReported(draft: Draft, former: ReadonlyMap<StationKey, string>): void {
	for (const [station, text] of former) {
		const bare = text.startsWith(CARRIED) ? text.slice(CARRIED.length) : text;
		if (readIncident(bare).reported) draft.setStation(station, CARRIED + bare);
	}
}

/** Ends the first reading: what was carried over but not met is over, and nobody is told. */
export function dropCarried(draft: Draft): void {
	for (const [station, text] of draft.state.stations) {
		if (text.startsWith(CARRIED)) draft.deleteStation(station);
	}
}

/** Takes in what a poll saw of one station. */
export function observeIncident(draft: Draft, rules: IncidentRules, observation: Observation): void {
	const { station, active, outOfService } = observation;
	if (outOfService) {
		forgetIncident(draft, station);
		return;
	}
	const text = draft.state.stations.get(station);
	if ((text !== undefined) === active) {
		draft.stopWaiting(station);
	} else if (text === undefined) {
		open(draft, rules, station);
	} else {
		close(draft, rules, station, readIncident(text));
	}
}

function open(draft: Draft, rules: IncidentRules, station: StationKey): void {
	const { lasted, since } = draft.hasLasted(station, 'in', rules.openAfterMs);
	if (!lasted) return;
	draft.setStation(station, writeIncident({ since, reported: true }));
	if (rules.opening) draft.raise({ ...OPENED[rules.mode], station, since });
}

function close(draft: Draft, rules: IncidentRules, station: StationKey, incident: Incident): void {
	const { lasted, since: until } = draft.hasLasted(station, 'out', rules.closeAfterMs);
	if (!lasted) return;
	draft.deleteStation(station);
	// Where openings are reported, an end without its beginning would tell a person nothing.
	if (!rules.closing || (rules.opening && !incident.reported)) return;
	const event: Omit<WatchEvent, 'id' | 'detectedAt' | 'durationSeconds'> = {
		...CLOSED[rules.mode],
		station,
		since: incident.since,
	};
	draft.raise(event, until);
}

/** Closes a station's incident in silence: it was taken out of service, left the filter, or no longer exists. */
export function forgetIncident(draft: Draft, station: StationKey): void {
	draft.deleteStation(station);
	draft.stopWaiting(station);
}

/** Drops what stations were waiting for that the list, in the part that was read, no longer shows in the state. */
export function dropUnseenWaiting(draft: Draft, seen: ReadonlySet<StationKey>, coverage: Coverage): void {
	for (const station of draft.state.waiting.keys()) {
		if (seen.has(station) || draft.state.stations.has(station) || !covers(coverage, station)) continue;
		draft.stopWaiting(station);
	}
}
