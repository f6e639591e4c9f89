import { DateTime } from 'luxon';

import { and, condition } from '../shared/dsquery/compose';
import type { Condition, Group } from '../shared/dsquery/types';
import { PlatformError, readList } from '../shared/platform';
import type { Platform, Row } from '../shared/platform';
import { SESSIONS } from '../shared/resources';
import { scan, TextIds } from '../shared/trigger/lists';
import type { ListSource, ReadPace, Scan } from '../shared/trigger/lists';
import { orElse } from '../shared/trigger/orElse';
import { codeOf, decodeValue, rowKey } from '../shared/trigger/keys';
import type { SessionSight } from './state/sessions';

const WIRE_FORMAT = "yyyy-MM-dd'T'HH:mm:ss";

/** The sessions that match a filter. */
export function sessions(platform: Platform, filter?: Group): ListSource {
	return { platform, endpoint: SESSIONS, filter };
}

/** What a row says about its session; undefined where it has no usable Id. */
export function toSight(row: Row): SessionSight | undefined {
	const session = rowKey(row.Id);
	return session === undefined ? undefined : { session, code: codeOf(row.Status), startedAt: startOf(row) };
}

/** When a session started, milliseconds since 1970. The platform's times are UTC and bear no zone. */
export function startOf({ StartedAtUtc: text }: Row): number | undefined {
	const time = typeof text === 'string' ? DateTime.fromISO(text.trim(), { zone: 'utc' }) : undefined;
	return time?.isValid ? time.toMillis() : undefined;
}

/** The highest Ids there are, at most so many. */
export async function newestIds(platform: Platform, count: number, pageSize: number): Promise<number[]> {
	const { pages } = await readList(async (query) => await platform.getPage(SESSIONS, query), {
		query: { sorts: [{ field: 'Id', direction: 'Desc' }] },
		...{ limit: count, pageSize, parallel: 1 },
	});
	return pages.flat().map((row) => numberedId(row));
}

/** The sessions from an Id on, in the order of the Id. */
export async function sessionsFrom(platform: Platform, id: number, pace: ReadPace): Promise<Scan> {
	const found = await orElse(scan(sessions(platform), id - 1, pace), (error) => error instanceof TextIds);
	if (!('value' in found)) throw textIds();
	for (const row of found.value.rows) numberedId(row);
	return found.value;
}

function numberedId({ Id: id }: Row): number {
	if (typeof id === 'number' && Number.isInteger(id)) return id;
	throw textIds();
}

/** The specification says that Ids are integers. Which of two texts is the newer session cannot be known. */
function textIds(): PlatformError {
	return new PlatformError(
		'invalid-answer',
		'The Ids of the charging sessions are not numbers, so new sessions cannot be told from old ones',
		{
			description:
				'This trigger finds new sessions by their higher Id. What works here: choose only Session Is Running Long under Trigger On. Or use a Schedule Trigger and Charging Sessions with a filter on Started At.',
		},
	);
}

/** Sessions that are not over. */
export function notOver(overCodes: ReadonlySet<string>): Condition[] {
	return [...overCodes].map((code) => condition('Status', 'Neq', String(decodeValue(code))));
}

/** Sessions that are not over, started not before a moment, and have an Id up to a highest one. */
export function openSince(overCodes: ReadonlySet<string>, since: number, highestId: number): Group | undefined {
	return and(
		...notOver(overCodes),
		condition('StartedAtUtc', 'Gte', wireTime(since)),
		condition('Id', 'Lte', String(highestId)),
	);
}

/** Sessions that are not over and started between two moments. */
export function openBetween(overCodes: ReadonlySet<string>, from: number, to: number): Group | undefined {
	return and(...notOver(overCodes), condition('StartedAtUtc', 'GteLte', `${wireTime(from)},${wireTime(to)}`));
}

/** A time as the platform writes it: whole seconds, UTC, no zone. */
function wireTime(ms: number): string {
	return DateTime.fromMillis(ms, { zone: 'utc' }).toFormat(WIRE_FORMAT);
}
