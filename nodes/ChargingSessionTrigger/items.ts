import mapValues from 'lodash/mapValues';

import { codeOf, knownField, statusName } from '../shared/dsquery/catalogue';
import { lengthInWords } from '../shared/text';
import { SECOND_MS } from '../shared/dsquery/values/durations';
import { readTime } from '../shared/dsquery/values/readTime';
import type { Row } from '../shared/platform';
import { SESSIONS } from '../shared/resources';
import type { EventJson } from '../shared/trigger/items';
import { rowId } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import { clock, shown } from '../shared/trigger/text';
import { SESSION_EVENTS, type SessionWords } from './events';
import type { SessionEvent } from './state/types';

const STATUS = knownField(SESSIONS, 'Status');
const SENTENCES: Readonly<Record<string, (words: SessionWords) => string>> = mapValues(
	SESSION_EVENTS,
	({ says }) => says,
);

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
