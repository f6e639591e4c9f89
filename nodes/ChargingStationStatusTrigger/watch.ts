import { randomUUID } from 'crypto';
import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import type { Platform, Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import type { StoredState } from '../shared/trigger/stored';
import { WHOLE_LIST } from '../shared/trigger/types';
import { toItems } from '../shared/trigger/items';
import { lookUp, scanAny } from '../shared/trigger/lists';
import type { ListSource, ReadPace } from '../shared/trigger/lists';
import { saw, savesQuietChanges } from '../shared/trigger/memory';
import type { Poll } from '../shared/trigger/run';
import type { Group } from '../shared/dsquery/types';
import { shortHash } from '../shared/trigger/hash';
import { rowKey } from '../shared/trigger/keys';
import { apply, begin, configOf, finish, scanStart, unseen } from './state/step';
import type { Sighting, WatchRules, Whereabouts } from './state/step';
import { readState, writeState } from './state/store';
import type { Observation, StationKey } from './state/types';
import { prepareEvents } from './handOver';
import { freshest } from './memory';
import type { Remembered } from './memory';
import { toObservation } from './observe';
import { nameOf, toJson } from './present';
import { listFilter } from './settings';
import type { TriggerSettings } from './settings';
import { doesNotExist } from './stations';

/** Shares of the poll's time after which no new work of a kind is begun; the rest is for what is under way. */
const SCAN_SHARE = 0.4;
const LOOKUP_SHARE = 0.55;
const DETAIL_SHARE = 0.7;

type Watch = Poll<TriggerSettings, Remembered>;

/** What is watched, and how: the settings together with the place they apply to. */
export function rulesOf(context: IPollFunctions, settings: TriggerSettings, platform: Platform): WatchRules {
	const { mode, watch, fleet, reportInitialState, meaning } = settings;
	const config = configOf({ mode, baseUrl: platform.baseUrl, environment: platform.environment }, meaning);
	const { id, name } = context.getNode();
	const seed = shortHash([context.getWorkflow().id, id, name, config]);
	return { config, seed, watch, fleet, reportInitialState };
}

/**
 * One poll: reads the stations, finds out what happened, and hands over what is ready.
 *
 * The stored state is written last, right before returning, and only together with a batch, so that n8n saves both or
 * neither. Changes that the next poll would find again are written without a batch: engines that keep them save work.
 *
 * @returns null when there is nothing to hand over or to save; an empty batch when there is only something to save
 */
export async function watchOnce(watch: Watch): Promise<INodeExecutionData[][] | null> {
	const { context, platform, settings, memory, now, budgetMs } = watch;
	const stored: StoredState = context.getWorkflowStaticData('node');
	const saved = readState(stored);
	// n8n keeps the state under the node's name: after a change of that it is not there, but this is no first activation.
	const wasRenamed = saved === undefined && memory.own.latest !== undefined;
	const current = rulesOf(context, settings, platform);
	const rules = wasRenamed ? { ...current, reportInitialState: false } : current;
	const base = freshest(memory, saved, now, watch.continued || savesQuietChanges(stored, watch.isScheduled));
	const draft = begin(base, rules, now, randomUUID().slice(0, 8));
	const paceFor = (share: number): ReadPace => ({
		pageSize: settings.pageSize,
		parallel: memory.gentle ? 1 : settings.parallel,
		until: now + budgetMs * share,
	});
	const scanPace = { ...paceFor(SCAN_SHARE), parallel: memory.gentle ? 1 : settings.scanParallel };

	const found = await scanAny(stations(platform, listFilter(settings)), scanStart(draft.state), scanPace);
	const rows = new Map<StationKey, Row>();
	const seen = found.rows.flatMap((row) => noteRow(settings, rows, row, true) ?? []);
	const sighting: Sighting = { seen, coverage: found.coverage, fleet: await readFleet(watch, scanPace) };
	const missing = unseen(draft, rules, sighting);
	const whereabouts = await findOut(watch, missing, rows, paceFor(LOOKUP_SHARE));
	apply(draft, rules, sighting, whereabouts);
	if (settings.fleet?.removed) rememberNames(memory.own, rows);

	const events = [...draft.state.backlog, ...draft.events];
	const pace = { ...paceFor(DETAIL_SHARE), fetchDetail: settings.fetchDetail };
	const { ready, waiting } = await prepareEvents(platform, events, rows, memory.own.names, pace);
	if (waiting.length > 0) {
		context.logger.info(
			`${waiting.length} station events wait for the next poll, because reading their stations takes longer than this poll may.`,
		);
	}

	const outcome = finish(draft, waiting);
	if (outcome !== 'unchanged' || base !== saved) writeState(stored, saved, draft.state);
	saw(memory, now);
	memory.own.latest = draft.state;
	memory.gentle &&= found.coverage.upTo !== WHOLE_LIST.upTo;
	if (outcome !== 'save') return null;
	const surroundings = { environment: platform.environment, zone: context.getTimezone() };
	return [toItems(ready, settings.output, surroundings, toJson)];
}

function stations(platform: Platform, filter: Group | undefined): ListSource {
	return { platform, endpoint: STATIONS, filter };
}

function noteRow(
	settings: TriggerSettings,
	rows: Map<StationKey, Row>,
	row: Row,
	matching: boolean,
): Observation | undefined {
	const observation = toObservation(settings, row, matching);
	if (observation) rows.set(observation.station, row);
	return observation;
}

/** All stations there are, where that takes a list of its own. Undefined where it was not read to its end. */
async function readFleet({ settings, platform }: Watch, pace: ReadPace): Promise<StationKey[] | undefined> {
	if (!settings.fleet || settings.mode !== 'filterMatch') return undefined;
	const { rows, coverage } = await scanAny(stations(platform, undefined), WHOLE_LIST.after, pace);
	return coverage.upTo === WHOLE_LIST.upTo ? rows.flatMap(({ Id: id }) => rowKey(id) ?? []) : undefined;
}

/**
 * Finds out about stations that were not where they were expected, so that a page that drifted is never taken for a
 * change. A station is gone only when the detail endpoint says so.
 */
async function findOut(
	{ settings, platform }: Watch,
	missing: readonly StationKey[],
	rows: Map<StationKey, Row>,
	pace: ReadPace,
): Promise<Map<StationKey, Whereabouts>> {
	const found = new Map<StationKey, Whereabouts>();
	if (missing.length === 0) return found;
	const { mode, filter, fleet } = settings;
	const matching = await lookUp(stations(platform, filter), missing, pace);
	take(settings, matching.rows, rows, found, true);

	const absent = missing.filter((key) => matching.asked.has(key) && !found.has(key));
	const lookFurther = absent.length > 0 && (mode === 'filterMatch' || fleet?.removed === true) && filter !== undefined;
	const anywhere = lookFurther
		? await lookUp(stations(platform, undefined), absent, pace)
		: { ...matching, asked: new Set(absent) };
	if (mode === 'filterMatch') take(settings, anywhere.rows, rows, found, false);
	for (const key of absent) {
		if (found.has(key) || !anywhere.asked.has(key)) continue;
		if (anywhere.rows.has(key) || !fleet?.removed) {
			found.set(key, 'elsewhere');
			continue;
		}
		if (Date.now() >= pace.until) break;
		const gone = await doesNotExist(platform, key);
		if (gone === undefined) break;
		found.set(key, gone ? 'gone' : 'elsewhere');
	}
	return found;
}

function take(
	settings: TriggerSettings,
	from: ReadonlyMap<StationKey, Row>,
	rows: Map<StationKey, Row>,
	found: Map<StationKey, Whereabouts>,
	matching: boolean,
): void {
	for (const [key, row] of from) {
		const observation = found.has(key) ? undefined : noteRow(settings, rows, row, matching);
		if (observation) found.set(key, observation);
	}
}

function rememberNames({ names }: Remembered, rows: ReadonlyMap<StationKey, Row>): void {
	for (const [key, row] of rows) {
		const name = nameOf(row);
		if (name !== undefined) names.set(key, name);
	}
}
