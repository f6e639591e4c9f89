import { DateTime } from 'luxon';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { shortHash } from './hash';

/** What the output says of every event. Times are milliseconds since 1970. */
interface ToldEvent {
	id: string;
	name: string;
	detectedAt: number;
}

export interface Surroundings {
	environment: string;
	/** The workflow's time zone, for the times in items. */
	zone: string;
}

/** The output items: one for each event, or one for all of them. */
export function toItems<Ready extends { event: ToldEvent }>(
	events: readonly Ready[],
	output: 'items' | 'digest',
	surroundings: Surroundings,
	toJson: (event: Ready, surroundings: Surroundings) => IDataObject,
): INodeExecutionData[] {
	const all = events.map((event) => toJson(event, surroundings));
	if (output === 'items' || all.length === 0) return all.map((json) => ({ json }));
	const counts: Record<string, number> = {};
	for (const { event } of events) counts[event.name] = (counts[event.name] ?? 0) + 1;
	return [
		{
			json: {
				eventId: shortHash(events.map(({ event }) => event.id)),
				event: 'digest',
				eventCount: all.length,
				counts,
				detectedAt: toIso(Math.max(...detectionTimes(events)), surroundings.zone),
				environment: surroundings.environment,
				events: all,
			},
		},
	];
}

/** Distinct times, so that a digest of any size can be spread into arguments. */
function detectionTimes(events: ReadonlyArray<{ event: ToldEvent }>): Set<number> {
	return new Set(events.map(({ event }) => event.detectedAt));
}

/** A time with its zone, for people and for n8n's date functions. */
export function toIso(ms: number, zone: string): string {
	const time = DateTime.fromMillis(ms, { zone });
	return (time.isValid ? time : DateTime.fromMillis(ms, { zone: 'utc' })).toISO() ?? new Date(ms).toISOString();
}
