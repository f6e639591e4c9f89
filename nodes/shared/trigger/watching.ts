import type { IDataObject } from 'n8n-workflow';

import { HOUR_MS } from '../dsquery/values/durations';
import { type EventJson, sampleId } from './events/items';
import type { Poll } from './poll';
import { toMinutes, formatTimeRange } from './text';
import type { DetectedChange } from './watch/alertRule';
import type { WatchedTime } from './watch/coverage';

interface WatchingContent {
	/** "12 stations were watched" */
	watched: string;
	/** ", each about every 5 minutes" */
	every?: string;
	/** What was watched for: in the sentence, and for uptime. */
	state: string;
	cause: string;
	counts: IDataObject;
	/** The properties of an item that say which thing a key stands for. */
	idsOf(key: string): IDataObject;
}

/** The item about a time that was watched. */
export function createWatchingEvent(
	poll: Poll,
	{ from, to, polls, open, unreadable, id }: WatchedTime & { id: string },
	{ watched, every = '', state, cause, counts, idsOf }: WatchingContent,
): EventJson {
	const time = formatTimeRange(from, to, poll.now, poll.zone);
	const gaps =
		unreadable.length === 0 ? '' : ` Not watched all the time, because it could not be read: ${unreadable.length}.`;
	return {
		event: 'watching',
		text: `${watched} ${time}${every}. ${state} at the end: ${open.length}.${gaps}`,
		cause,
		from: poll.iso(from),
		to: poll.iso(to),
		durationMinutes: toMinutes(to - from),
		polls,
		...counts,
		openIncidents: open.map((each) => ({ incidentId: each.id, ...idsOf(each.key), since: poll.iso(each.since) })),
		unreadable: unreadable.map(idsOf),
		incidentId: null,
		eventId: id,
		detectedAt: poll.iso(poll.now),
		environment: poll.connection.environment,
	};
}

/** An hour that has just ended, for a manual test. @param changes what is shown besides */
export function sampleWatchedTime(
	changes: readonly DetectedChange[],
	unreadable: string[],
	now: number,
): WatchedTime & { id: string } {
	const open = changes.flatMap(({ key, incidentId, since, until }) =>
		incidentId === null || until !== null ? [] : { key, id: incidentId, since },
	);
	return { from: now - HOUR_MS, to: now, polls: 12, open, unreadable, id: sampleId() };
}
