import { randomUUID } from 'crypto';

import type { Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import type { Group } from '../shared/dsquery/types';
import { HOUR_MS } from '../shared/dsquery/values/durations';
import { shortHash } from '../shared/trigger/hash';
import type { EventJson } from '../shared/trigger/items';
import type { Poll } from '../shared/trigger/poll';
import type { NothingToShow } from '../shared/trigger/run';
import { handOver } from './handOver';
import { observe } from './read';
import type { StationSettings } from './settings';
import type { Observation, StationEvent, StationKey, WatchingEvent } from './state/types';

/** Events shown in a manual test. */
const SAMPLES = 3;

/** Items made from real stations in their current state, as the trigger would send them. */
export async function sampleEvents(poll: Poll<StationSettings>): Promise<EventJson[]> {
	const { settings, now } = poll;
	const rows = new Map<StationKey, Row>();
	const seen = observe(poll, rows, await findSamples(poll), rows, true);
	const events = seen
		.flatMap((seen) => settings.watch.samples(seen, now))
		.slice(0, SAMPLES)
		.map((event) => {
			// New ids for each test, so that a node that removes duplicates lets every test through.
			const [id, other] = [shortHash(randomUUID()), shortHash(randomUUID())];
			return { ...event, id, incidentId: event.incidentId === null ? null : event.until === null ? id : other };
		});
	const { ready } = await handOver(
		poll,
		settings.reportsWatching ? [...events, watchingSample(events, seen, now)] : events,
		rows,
	);
	return ready.map((json) => ({ ...json, text: `Sample: ${String(json.text)}` }));
}

/** An hour that has just ended. */
function watchingSample(events: readonly StationEvent[], seen: readonly Observation[], now: number): WatchingEvent {
	const openIncidents = events.flatMap(({ incidentId, station, since, until }) =>
		incidentId === null || until !== null ? [] : { incidentId, station, since },
	);
	const unreadable = seen.filter(({ outOfService }) => outOfService === undefined);
	const [from, id] = [now - HOUR_MS, shortHash(randomUUID())];
	return { name: 'watching', from, to: now, polls: 12, openIncidents, unreadable, detectedAt: now, id };
}

/** Stations that would raise an event now, or any others if there are none. */
async function findSamples({ connection, settings }: Poll<StationSettings>): Promise<Row[]> {
	const { filter, sampleFilter, onContradiction } = settings;
	const read = async (which: Group | undefined) => {
		const sorts = [{ field: 'Id', direction: 'Asc' as const }];
		const query = { filter: which, sorts, pager: { skip: 0, take: SAMPLES } };
		return (await connection.list(STATIONS).page(query, { filter, onContradiction })).rows;
	};
	const rows = await read(sampleFilter);
	return rows.length > 0 || sampleFilter === filter ? rows : await read(filter);
}

/** Why there is nothing to show. */
export function nothingToShow({ filter, event }: StationSettings): NothingToShow {
	const which = filter === undefined ? '' : ' that match the filter';
	return {
		message: `There are no charging stations${which}, so there is nothing to show`,
		asked: filter && { list: STATIONS, filter },
		description:
			event === 'filterMatch'
				? 'No station matches at the moment. Once the workflow is live, the trigger fires as soon as one does. To see sample data now, widen the filter for the test.'
				: 'Check the filter, and that the API key belongs to the organization whose stations you expect. A test shows stations as they are now; once the workflow is live, the trigger fires on changes only.',
	};
}
