import { LONGEST_GAP_MS, seenAgain } from '../../shared/trigger/state/watched';
import type { Draft } from './draft';
import type { Incident, StationKey } from './types';

/**
 * Notes that this poll has seen all stations, and reports what was watched when that is due.
 *
 * @param openBefore the incidents that were open after the poll before
 */
export function noteWatched(draft: Draft, openBefore: ReadonlyMap<StationKey, Incident>): void {
	const { now, list } = draft;
	if (list.baseline !== undefined || list.next !== undefined) return;
	const rules = { longestGapMs: LONGEST_GAP_MS, hasQuietEnd: hasQuietEnd(draft, openBefore) };
	const { watched, due } = seenAgain(draft.watched, { began: now, ended: now }, rules);
	draft.watched = watched;
	if (!due) return;
	const openIncidents = [...openBefore].map(([station, [since, , incidentId]]) => ({ incidentId, station, since }));
	const id = draft.idOf('watching', due.from);
	draft.events.unshift({ name: 'watching', ...due, openIncidents, detectedAt: now, id });
}

function hasQuietEnd({ events, incidents }: Draft, openBefore: ReadonlyMap<StationKey, Incident>): boolean {
	const ended = new Set(events.map((event) => ('incidentId' in event ? event.incidentId : null)));
	return [...openBefore].some(([station, [, , id]]) => incidents.get(station)?.[2] !== id && !ended.has(id));
}
