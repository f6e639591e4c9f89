import uniq from 'lodash/uniq';

import { codeOf, knownField, statusName } from '../shared/dsquery/catalogue';
import { SECOND_MS } from '../shared/dsquery/values/durations';
import { readTime } from '../shared/dsquery/values/readTime';
import type { Row } from '../shared/platform';
import { SESSIONS } from '../shared/resources';
import { lengthInWords } from '../shared/text';
import type { EventJson } from '../shared/trigger/events/items';
import { rowId } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import { lookUpWaiting } from '../shared/trigger/reading/lookUp';
import { clock, shown } from '../shared/trigger/text';
import type { EventMatch } from '../shared/trigger/trigger';
import type { Compared } from '../shared/trigger/watch/steps';
import type { Change } from '../shared/trigger/watch/watch';
import { SESSION_EVENTS, type SessionEventName } from './events';
import type { SessionsFound } from './read';
import type { SessionSettings } from './settings';

const STATUS = knownField(SESSIONS, 'Status');

/** Looks up which sessions with an event match the filter: it decides at that moment. Long ones were read with it. */
export async function matchSessions(
	poll: Poll<SessionSettings>,
	changes: readonly Change[],
	{ rows }: Pick<SessionsFound, 'rows'>,
): Promise<EventMatch | undefined> {
	const { filter, rules } = poll.settings;
	if (!filter) return undefined;
	const isLong = ({ name }: Change) => rules.get(name)?.kind === 'long';
	const keys = uniq(changes.filter((change) => !isLong(change)).map(({ key }) => key));
	const found = await lookUpWaiting(poll, { list: SESSIONS, filter }, keys, poll.pace('last'));
	for (const [key, row] of found.rows) rows.set(key, row);
	return {
		matches: (change) => isLong(change) || found.rows.has(change.key),
		unmatched: new Set(keys.filter((key) => !found.asked.has(key))),
	};
}

/** The items about what happened. */
export function itemsOf(
	poll: Poll<SessionSettings>,
	{ changes }: Pick<Compared, 'changes'>,
	{ rows }: Pick<SessionsFound, 'rows'>,
): EventJson[] {
	return changes.map((change) => {
		const row = rows.get(change.key) ?? null;
		return toJson(poll, change, row, secondsOf(poll, change.name, row, change.since));
	});
}

/**
 * How long the session has been running; for a stall, how long it stood still. Null for others.
 *
 * @param since when a look first saw it
 */
export function secondsOf({ settings, now }: Poll<SessionSettings>, name: string, row: Row | null, since: number) {
	const kind = settings.rules.get(name)?.kind;
	const from = kind === 'long' ? (readTime(row?.StartedAtUtc) ?? now) : kind === 'open' ? since : undefined;
	return from === undefined ? null : Math.max(0, Math.round((now - from) / SECOND_MS));
}

/** "Session 42 (started 04:46) has failed.", and what is known of it. */
export function toJson(
	poll: Poll,
	{ name, key, id }: Pick<Change, 'name' | 'key' | 'id'>,
	session: Row | null,
	durationSeconds: number | null,
): EventJson {
	const status = session ? codeOf(session.Status) : null;
	const label = statusName(STATUS?.codes, status);
	const startedAt = readTime(session?.StartedAtUtc);
	const started = startedAt === undefined ? '' : ` (started ${clock(startedAt, poll.now, poll.zone)})`;
	return {
		text: SESSION_EVENTS[name as SessionEventName].says({
			name: `Session ${shown(rowId(key))}${started}`,
			status: shown(label ?? 'not set'),
			lasted: durationSeconds === null ? '' : ` for ${lengthInWords(durationSeconds * SECOND_MS)}`,
		}),
		event: name,
		sessionId: rowId(key),
		StatusName: label,
		status,
		statusLabel: label,
		startedAt: startedAt === undefined ? null : poll.iso(startedAt),
		durationSeconds,
		eventId: id,
		detectedAt: poll.iso(poll.now),
		environment: poll.connection.environment,
		session,
	};
}
