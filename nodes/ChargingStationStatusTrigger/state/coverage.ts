import { noteWatched } from '../../shared/trigger/watch/watched';
import type { Draft } from './draft';
import type { Incident, StationKey } from './types';

/**
 * Notes that this poll has seen all stations, and reports what was watched when that is due.
 *
 * @param openBefore the incidents that were open after the poll before
 */
export function raiseWatched(draft: Draft, openBefore: ReadonlyMap<StationKey, Incident>, longestGapMs: number): void {
	const { now, list } = draft;
	if (list.baseline !== undefined || list.next !== undefined) return;
	const rules = { longestGapMs, hasQuietEnd: hasQuietEnd(draft, openBefore) };
	const due = noteWatched(draft, { began: now, ended: now }, rules);
	if (!due) return;
	const openIncidents = [...openBefore].map(([station, [since, , incidentId]]) => ({ incidentId, station, since }));
	const id = draft.idOf('watching', due.from);
	draft.events.unshift({ name: 'watching', ...due, openIncidents, detectedAt: now, id });
}

function hasQuietEnd({ events, incidents }: Draft, openBefore: ReadonlyMap<StationKey, Incident>): boolean {
	const ended = new Set(events.map((event) => ('incidentId' in event ? event.incidentId : null)));
	return [...openBefore].some(([station, [, , id]]) => incidents.get(station)?.[2] !== id && !ended.has(id));
}
