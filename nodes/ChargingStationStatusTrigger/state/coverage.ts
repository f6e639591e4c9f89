import { HOUR_MS, MINUTE_MS } from '../../shared/dsquery/values/durations';
import type { Draft } from './draft';
import type { Incident, StationKey } from './types';

/** Polls further apart leave a gap that counts as not watched. The platform recommends 1 to 5 minutes. */
const LONGEST_GAP_MS = 15 * MINUTE_MS;

/**
 * Notes that this poll has seen all stations. Reports what was watched up to the poll before: once an hour, after a
 * gap, and when an incident ends without an event, so that the last item that names it as open ends with the poll
 * before.
 *
 * @param openBefore the incidents that were open after the poll before
 */
export function noteWatched(draft: Draft, openBefore: ReadonlyMap<StationKey, Incident>): void {
	const { now, list, watched } = draft;
	if (list.baseline !== undefined || list.next !== undefined) return;
	const isGap = watched === undefined || watched.to > now || now - watched.to > LONGEST_GAP_MS;
	const isDue = isGap || watched.to - watched.from >= HOUR_MS || hasQuietEnd(draft, openBefore);
	if (watched && isDue && watched.to > watched.from) {
		const openIncidents = [...openBefore].map(([station, [since, , incidentId]]) => ({ incidentId, station, since }));
		const id = draft.idOf('watching', watched.from);
		draft.events.unshift({ name: 'watching', ...watched, openIncidents, detectedAt: now, id });
	}
	if (isGap) draft.watched = { from: now, to: now, polls: 0 };
	else if (isDue) draft.watched = { from: watched.to, to: now, polls: 1 };
	else draft.watched = { ...watched, to: now, polls: watched.polls + 1 };
}

function hasQuietEnd({ events, incidents }: Draft, openBefore: ReadonlyMap<StationKey, Incident>): boolean {
	const ended = new Set(events.map((event) => ('incidentId' in event ? event.incidentId : null)));
	return [...openBefore].some(([station, [, , id]]) => incidents.get(station)?.[2] !== id && !ended.has(id));
}
