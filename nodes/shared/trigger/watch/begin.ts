import mapValues from 'lodash/mapValues';
import pickBy from 'lodash/pickBy';

import { watchesTheSame } from '../hash';
import type { PollStart } from '../types';
import type { Incident, Incidents, WatchRules, WatchState } from './types';
import { adjustUnreadable } from './unreadable';
import { correctTimes, isStillWaiting, type Waiting } from './waiting';

/**
 * The state that a poll begins with: what is saved, as it holds now. Under other settings it is a new one, whose first
 * round reports nothing.
 *
 * @param empty makes a new state, with the incidents that stay open
 */
export function beginState<State extends WatchState>(
	{ config, keepsIncidents, usualMs }: Pick<WatchRules, 'config' | 'keepsIncidents' | 'usualMs'>,
	start: PollStart<State>,
	empty: (former: State['kept'] | undefined, incidents: Incidents) => State,
): State {
	const { state } = start;
	if (state?.kept.config === config) return asOfNow(state, start, usualMs);
	const former = watchesTheSame(state?.kept.config, config) ? state?.kept : undefined;
	const incidents = keepsIncidents ? pickBy(former?.incidents, ([, isReported]) => isReported) : {};
	return empty(former, incidents);
}

/** Corrects the times in a state after the clock was set, and begins to wait again after a pause. */
function asOfNow<State extends WatchState>(state: State, start: PollStart<State>, usualMs: number): State {
	const { now, clockSetByMs, hasCurrentNotes } = start;
	const { kept, notes } = state;
	const corrected = correctTimes(now, clockSetByMs);
	const { back, waited } = corrected;
	const adjusted = (incidents: Incidents) =>
		mapValues(incidents, ([since, isReported, id]): Incident => [back(since), isReported, id]);
	const seenAt = notes.seenAt === undefined ? undefined : waited(notes.seenAt);
	const waiting = isStillWaiting(seenAt, { now, usualMs, hasCurrentNotes }) ? notes.waiting : {};
	return {
		...state,
		kept: { ...kept, incidents: adjusted(kept.incidents) },
		notes: {
			...notes,
			...(notes.incidents && { incidents: adjusted(notes.incidents) }),
			...(notes.ended && { ended: adjusted(notes.ended) }),
			waiting: mapValues(waiting, ([value, since]): Waiting => [value, waited(since)]),
			seenAt,
			unreadable: adjustUnreadable(notes.unreadable, corrected, hasCurrentNotes, now),
		},
	};
}
