import { Draft } from './draft';
import { forgetKnown, observeKnown, reportAdded, reportRemoved, setKnownAway, unseenKnown } from './fleet';
import type { FleetRules } from './fleet';
import { shortHash } from '../../shared/trigger/hash';
import {
	adoptIncident,
	carryReported,
	dropCarried,
	dropUnseenWaiting,
	forgetIncident,
	observeIncident,
	unseenIncidents,
} from './incidents';
import type { IncidentRules } from './incidents';
import { adoptStatuses, forgetStatuses, observeStatuses, setAway, unseenStations } from './statuses';
import type { StatusRules } from './statuses';
import type { Observation, StationKey, WatchMode, WatchState } from './types';
import { WHOLE_LIST } from '../../shared/trigger/types';
import type { Coverage } from '../../shared/trigger/types';

/** What is watched, and what of it is reported. */
export interface WatchRules {
	/** Fingerprint of the settings that give a state its meaning: see `configOf`. Another one begins a new state, quietly. */
	config: string;
	/** Stands for this node in the ids of events that are raised before the state was ever saved. */
	seed: string;
	watch: IncidentRules | StatusRules;
	/** Given where additions or removals of stations are reported. */
	fleet?: FleetRules;
	/** Whether the very first reading reports the state it finds. */
	reportInitialState: boolean;
}

/** What became of a station that was not where it was expected in the list. */
export type Whereabouts = Observation | 'elsewhere' | 'gone';

/** What one poll saw. */
export interface Sighting {
	/** The stations in the part of the list that was read. */
	seen: readonly Observation[];
	/** That part. */
	coverage: Coverage;
	/** All stations there are, where that takes a list of its own (`filterMatch`) and it was read to its end. */
	fleet?: readonly StationKey[];
}

/**
 * The fingerprint of a configuration, in two parts: incidents that were reported outlive a change of the second.
 *
 * @param place where is watched: mode and environment
 * @param settings everything else that gives the state its meaning
 */
export function configOf(place: { mode: WatchMode; baseUrl: string; environment: string }, settings: unknown): string {
	return `${shortHash(place)}.${shortHash(settings)}`;
}

/**
 * Starts a poll's working copy. A state of another configuration is replaced by an empty one that is read anew.
 *
 * @param saved the state as it was found, or nothing
 * @param now the time of the poll, milliseconds since 1970
 * @param epoch drawn at random; used where there is no state yet
 */
export function begin(saved: WatchState | undefined, rules: WatchRules, now: number, epoch: string): Draft {
	if (saved?.config === rules.config) return new Draft(saved, now);
	const { mode } = rules.watch;
	const samePlace = saved !== undefined && placeOf(saved.config) === placeOf(rules.config);
	const fresh: WatchState = {
		config: rules.config,
		epoch: saved?.epoch ?? epoch,
		batch: saved?.batch ?? 0,
		quiet: 0,
		baselineUpTo: WHOLE_LIST.after,
		initial: saved === undefined,
		stations: new Map(),
		known: rules.fleet && mode === 'availability' ? new Set() : undefined,
		waiting: new Map(),
		// What was raised under the former settings is still owed, unless it is about stations of another environment.
		backlog: saved && samePlace ? saved.backlog : [],
	};
	const draft = new Draft(fresh, now, saved ? undefined : rules.seed);
	draft.mustSave = true;
	if (saved && samePlace && mode === 'availability') carryReported(draft, saved.stations);
	return draft;
}

function placeOf(config: string): string {
	return config.slice(0, config.indexOf('.'));
}

/** The Id above which the next scan of the list starts. */
export function scanStart({ baselineUpTo, scanAfter }: WatchState): number {
	return baselineUpTo ?? scanAfter ?? WHOLE_LIST.after;
}

/** The stations that were not where they were expected. Each is to be looked up before anything is concluded about it. */
export function unseen({ state }: Draft, rules: WatchRules, { seen, coverage, fleet }: Sighting): StationKey[] {
	if (state.baselineUpTo !== undefined) return [];
	const keys = new Set(seen.map(({ station }) => station));
	if (rules.watch.mode === 'statusChange') return unseenStations(state, keys, coverage);
	const missing = new Set(unseenIncidents(state, keys, coverage));
	const missingFromFleet =
		rules.watch.mode === 'availability'
			? unseenKnown(state, keys, coverage)
			: unseenKnown(state, new Set(fleet), fleet ? WHOLE_LIST : { after: 0, upTo: 0 });
	for (const key of missingFromFleet) missing.add(key);
	return [...missing];
}

/**
 * Turns what a poll saw into events and into the state that follows. Stations of `unseen` that are not in `whereabouts`
 * could not be looked up: they stay as they are.
 */
export function apply(
	draft: Draft,
	rules: WatchRules,
	sighting: Sighting,
	whereabouts: ReadonlyMap<StationKey, Whereabouts>,
): void {
	for (const observation of sighting.seen) observe(draft, rules, observation);
	takeInFleet(draft, rules, sighting.fleet);
	for (const [station, found] of whereabouts) {
		if (found === 'elsewhere') leave(draft, rules, station);
		else if (found === 'gone') vanish(draft, rules, station);
		else observe(draft, rules, found);
	}
	if (rules.watch.mode !== 'statusChange') {
		const seen = new Set(sighting.seen.map(({ station }) => station));
		dropUnseenWaiting(draft, seen, sighting.coverage);
	}
	advance(draft, rules, sighting.coverage);
}

function observe(draft: Draft, rules: WatchRules, observation: Observation): void {
	const { state } = draft;
	const baseline = state.baselineUpTo !== undefined;
	const report = rules.reportInitialState && state.initial === true;
	const { watch, fleet } = rules;
	if (watch.mode === 'statusChange') {
		if (state.stations.has(observation.station)) {
			if (!baseline) observeStatuses(draft, watch, observation);
			return;
		}
		adoptStatuses(draft, watch, observation, baseline && report);
		if (fleet && !baseline) reportAdded(draft, fleet, observation.station);
		return;
	}
	if (fleet && watch.mode === 'availability') observeKnown(draft, fleet, observation.station, baseline);
	if (baseline && !report) adoptIncident(draft, observation);
	else observeIncident(draft, watch, observation);
}

/** The list of all stations: the first one is only noted. */
function takeInFleet(draft: Draft, { fleet: rules }: WatchRules, fleet: readonly StationKey[] | undefined): void {
	if (!rules || !fleet) return;
	const first = draft.state.known === undefined;
	draft.state.known ??= new Set();
	for (const station of fleet) observeKnown(draft, rules, station, first);
}

/** The station exists but is not in the list: it no longer matches the filter. */
function leave(draft: Draft, { watch }: WatchRules, station: StationKey): void {
	if (watch.mode === 'statusChange') {
		setAway(draft, watch, station);
		return;
	}
	forgetIncident(draft, station);
	setKnownAway(draft, station);
}

/** The detail endpoint says that the station does not exist. */
function vanish(draft: Draft, { watch, fleet }: WatchRules, station: StationKey): void {
	if (watch.mode === 'statusChange') {
		forgetStatuses(draft, watch, station);
	} else {
		forgetIncident(draft, station);
		forgetKnown(draft, station);
	}
	if (fleet) reportRemoved(draft, fleet, station);
}

/** Notes how far the list was read. */
function advance(draft: Draft, { watch }: WatchRules, { upTo }: Coverage): void {
	const { state } = draft;
	const complete = upTo === WHOLE_LIST.upTo;
	if (state.baselineUpTo !== undefined) {
		draft.mustSave = true;
		state.baselineUpTo = complete ? undefined : upTo;
		if (!complete) return;
		state.initial = undefined;
		if (watch.mode !== 'statusChange') dropCarried(draft);
		return;
	}
	const next = complete ? undefined : upTo;
	if (state.scanAfter === next) return;
	state.scanAfter = next;
	draft.changedQuietly = true;
}

/**
 * Ends a poll: which of the events raised now or before are handed over now, and which wait. The state is then ready to
 * be stored.
 *
 * @returns whether it must be saved, has merely changed, or is as it was
 */
export function finish(draft: Draft, backlog: WatchState['backlog']): 'save' | 'keep' | 'unchanged' {
	const { state } = draft;
	if (backlog.length !== state.backlog.length) draft.mustSave = true;
	state.backlog = backlog;
	if (draft.mustSave) {
		state.batch++;
		state.quiet = 0;
		return 'save';
	}
	if (!draft.changedQuietly) return 'unchanged';
	state.quiet++;
	return 'keep';
}
