import type { IDataObject } from 'n8n-workflow';

import { text } from './stationTrigger/support.ts';

/** Milliseconds since 1970. */
export interface Span {
	from: number;
	to: number;
}

/** What two lists of spans have in common. */
export function common(spans: readonly Span[], by: readonly Span[]): Span[] {
	return spans
		.flatMap((span) => by.map((other) => ({ from: Math.max(span.from, other.from), to: Math.min(span.to, other.to) })))
		.filter(({ from, to }) => to > from);
}

/** How much of some spans others cover. */
export function covered(spans: readonly Span[], by: readonly Span[]): number {
	return common(spans, by).reduce((sum, { from, to }) => sum + to - from, 0);
}

/** Keeps what the example workflow keeps: one row for each incident and each watched span. */
export function keep(table: Map<string, IDataObject>, items: readonly IDataObject[]): void {
	for (const item of items) {
		const { cause, chargePointId } = item;
		const row: IDataObject =
			item.event === 'watching'
				? {
						...{ kind: 'watching', cause, incidentId: item.eventId, since: item.from, until: item.to },
						...{ stations: text(item.stations), polls: text(item.polls) },
						openIncidents: JSON.stringify(item.openIncidents),
					}
				: {
						...{ kind: 'incident', cause, incidentId: item.incidentId, stationId: text(item.stationId) },
						...(chargePointId === undefined ? {} : { chargePointId }),
						since: item.since,
						...(item.until ? { until: item.until } : {}),
					};
		const key = text(row.incidentId);
		table.set(key, { ...table.get(key), ...row });
	}
}

/** When rows of a table say that somebody watched for a cause, within a period. */
export function watchedIn(rows: readonly IDataObject[], cause: string, period: Span): Span[] {
	const spans = rows
		.filter((row) => row.kind === 'watching' && row.cause === cause)
		.map(({ since, until }) => ({ from: Date.parse(text(since)), to: Date.parse(text(until)) }));
	return common(spans, [period]);
}
