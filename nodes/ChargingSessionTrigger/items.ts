import mapValues from 'lodash/mapValues';

import { codeOf, knownField, statusName } from '../shared/dsquery/catalogue';
import { lengthInWords } from '../shared/text';
import { SECOND_MS } from '../shared/dsquery/values/durations';
import { readTime } from '../shared/dsquery/values/readTime';
import type { Row } from '../shared/platform';
import { SESSIONS } from '../shared/resources';
import type { EventJson } from '../shared/trigger/items';
import { rowId, type RowKey } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import type { Compared } from '../shared/trigger/watch/steps';
import { clock, shown } from '../shared/trigger/text';
import { SESSION_EVENTS, type SessionWords } from './events';
import type { SessionsFound } from './read';
import type { SessionSettings } from './settings';

const STATUS = knownField(SESSIONS, 'Status');
const SENTENCES: Readonly<Record<string, (words: SessionWords) => string>> = mapValues(
	SESSION_EVENTS,
	({ says }) => says,
);

/** What happened to a session. */
interface SessionEvent {
	name: string;
	session: RowKey;
	/** When the poll that found it ran, in milliseconds since 1970. */
	detectedAt: number;
	/** How long the session has been running; for a stall, how long it stood still. Null for others. */
	durationSeconds: number | null;
	id: string;
}

/** The items about what happened, if the session matches the filter now. */
export async function itemsOf(
	poll: Poll<SessionSettings>,
	{ changes }: Pick<Compared, 'changes'>,
	{ rows, matching }: Pick<SessionsFound, 'rows' | 'matching'>,
): Promise<EventJson[]> {
	const isLong = (name: string) => poll.settings.rules.get(name)?.kind === 'long';
	const told = changes.filter(({ name, key }) => !matching || matching.has(key) || isLong(name));
	const items = told.map(({ name, key, since, id }) => {
		const row = rows.get(key) ?? null;
		const durationSeconds = secondsOf(poll, name, row, since);
		return toJson(poll, { name, session: key, detectedAt: poll.now, durationSeconds, id }, row);
	});
	return await Promise.resolve(items);
}

/** @param since when a look first saw it */
export function secondsOf({ settings, now }: Poll<SessionSettings>, name: string, row: Row | null, since: number) {
	const kind = settings.rules.get(name)?.kind;
	const from = kind === 'long' ? (readTime(row?.StartedAtUtc) ?? now) : kind === 'open' ? since : undefined;
	return from === undefined ? null : Math.max(0, Math.round((now - from) / SECOND_MS));
}

export function toJson(poll: Poll, event: SessionEvent, session: Row | null): EventJson {
	const status = session ? codeOf(session.Status) : null;
	const name = statusName(STATUS?.codes, status);
	const startedAt = readTime(session?.StartedAtUtc);
	return {
		text: sessionText(event, name, startedAt, poll.zone),
		event: event.name,
		sessionId: rowId(event.session),
		StatusName: name,
		status,
		statusLabel: name,
		startedAt: startedAt === undefined ? null : poll.iso(startedAt),
		durationSeconds: event.durationSeconds,
		eventId: event.id,
		detectedAt: poll.iso(event.detectedAt),
		environment: poll.connection.environment,
		session,
	};
}

/** "Session 42 (started 04:46) has failed." */
export function sessionText(
	{ name, session, durationSeconds, detectedAt }: SessionEvent,
	status: string | null,
	startedAt: number | undefined,
	zone: string,
): string {
	const started = startedAt === undefined ? '' : ` (started ${clock(startedAt, detectedAt, zone)})`;
	const words: SessionWords = {
		name: `Session ${shown(rowId(session))}${started}`,
		status: shown(status ?? 'not set'),
		lasted: durationSeconds === null ? '' : ` for ${lengthInWords(durationSeconds * SECOND_MS)}`,
	};
	return SENTENCES[name]?.(words) ?? words.name;
}
