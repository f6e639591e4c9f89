import { HOUR_MS } from '../../dsquery/values/durations';
import { sampleId } from '../items';
import type { WatchEvent, WatchingEvent } from '../watch/types';
import type { Named } from '../watch/unreadable';

export function sampleAt(now: number): { now: number; ids: readonly [string, string] } {
	return { now, ids: [sampleId(), sampleId()] };
}

/**
 * An hour that has just ended.
 *
 * @param events what is shown besides
 */
export function watchingSample<Subject extends object>(
	events: ReadonlyArray<WatchEvent<Subject>>,
	keyOf: (subject: Subject) => string,
	unreadable: Named[],
	now: number,
): WatchingEvent {
	const openIncidents = events.flatMap((event) => {
		const { incidentId, since, until } = event;
		return incidentId === null || until !== null ? [] : { key: keyOf(event), incidentId, since };
	});
	const watched = { from: now - HOUR_MS, to: now, polls: 12 };
	return { name: 'watching', ...watched, openIncidents, unreadable, detectedAt: now, id: sampleId() };
}
