import { randomUUID } from 'crypto';
import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { openPlatform, PlatformError, toNodeError } from '../shared/platform';
import type { Platform, Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import type { Group } from '../shared/dsquery/types';
import { toItems } from '../shared/trigger/items';
import { adoptIncident, observeIncident } from './state/incidents';
import { begin } from './state/step';
import { adoptStatuses } from './state/statuses';
import type { Observation, StationKey, WatchEvent } from './state/types';
import { prepareEvents } from './handOver';
import { toObservation } from './observe';
import { toJson } from './present';
import { listFilter, readSettings } from './settings';
import type { TriggerSettings } from './settings';
import { rulesOf } from './watch';

/** Stations shown in a manual test. */
const SAMPLES = 3;
const NO_HURRY_MS = 120_000;

/**
 * What a manual test shows: items made from real stations, in the state they are in now, as the trigger would send them.
 * The saved state is neither read nor changed.
 *
 * @throws NodeApiError, NodeOperationError when there is no station to show
 */
export async function sampleItems(context: IPollFunctions): Promise<INodeExecutionData[][]> {
	try {
		const settings = readSettings(context);
		const platform = await openPlatform(context, settings.platformOptions);
		const found = await findSamples(platform, settings);
		const now = Date.now();
		// Each test has ids of its own, so that a node that drops repeats lets every test pass.
		const rules = { ...rulesOf(context, settings, platform), seed: randomUUID(), reportInitialState: true };
		const draft = begin(undefined, rules, now, 'sample');
		const rows = new Map<StationKey, Row>();
		for (const row of found) {
			const observation = toObservation(settings, row, true);
			if (!observation) continue;
			rows.set(observation.station, row);
			showSample(settings, draft, { ...observation, outOfService: false });
		}
		const pace = { pageSize: SAMPLES, parallel: 1, until: now + NO_HURRY_MS, fetchDetail: settings.fetchDetail };
		const events = draft.events.slice(0, SAMPLES).map((event) => afterWaiting(event, settings));
		const { ready } = await prepareEvents(platform, events, rows, new Map(), pace);
		if (ready.length === 0) throw nothingToShow(settings);
		const surroundings = { environment: platform.environment, zone: context.getTimezone() };
		return [toItems(ready, settings.output, surroundings, toJson)];
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	}
}

/** Stations that would raise an event now; for availability any others, where none is offline. */
async function findSamples(platform: Platform, settings: TriggerSettings): Promise<Row[]> {
	const read = async (filter: Group | undefined) => {
		const sorts = [{ field: 'Id', direction: 'Asc' as const }];
		return (await platform.getPage(STATIONS, { filter, sorts, pager: { skip: 0, take: SAMPLES } })).rows;
	};
	const offline = settings.mode === 'availability' && opens(settings);
	const rows = await read(offline ? listFilter({ ...settings, fleet: undefined }) : settings.filter);
	return rows.length > 0 || !offline ? rows : await read(settings.filter);
}

function opens({ watch }: TriggerSettings): boolean {
	return watch.mode !== 'statusChange' && watch.opening;
}

/** Raises what the trigger would raise for a station: an incident where it is in one, the end of one where it is not. */
function showSample({ watch }: TriggerSettings, draft: ReturnType<typeof begin>, observation: Observation): void {
	if (watch.mode === 'statusChange') {
		adoptStatuses(draft, { ...watch, to: new Map() }, observation, true);
		return;
	}
	const atOnce = { ...watch, openAfterMs: 0, closeAfterMs: 0 };
	if (observation.active && watch.opening) {
		observeIncident(draft, atOnce, observation);
		return;
	}
	adoptIncident(draft, { ...observation, active: true });
	observeIncident(draft, { ...atOnce, opening: false, closing: true }, { ...observation, active: false });
}

/** With the least time that a state has lasted when the trigger reports it: that of *Alert Only After*. */
function afterWaiting(event: WatchEvent, { watch }: TriggerSettings): WatchEvent {
	const waitedMs = watch.mode === 'statusChange' ? watch.afterMs : watch.openAfterMs;
	return { ...event, since: event.detectedAt - waitedMs, durationSeconds: Math.round(waitedMs / 1000) };
}

function nothingToShow({ filter, mode }: TriggerSettings): PlatformError {
	const which = filter === undefined ? '' : ' that match the filter';
	return new PlatformError('configuration', `There are no charging stations${which}, so there is nothing to show`, {
		description:
			mode === 'filterMatch'
				? 'No station matches at the moment. Once the workflow is active, the trigger fires as soon as one does. To see sample data now, widen the filter for the test.'
				: 'Check the filter, and that the API key belongs to the organisation whose stations you expect. A test shows stations as they are now; once the workflow is active, the trigger fires on changes only.',
	});
}
