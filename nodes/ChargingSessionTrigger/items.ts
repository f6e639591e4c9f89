import { codeOf, knownField, statusName } from '../shared/dsquery/catalogue';
import { readTime } from '../shared/dsquery/values/readTime';
import type { Row } from '../shared/platform';
import { SESSIONS } from '../shared/resources';
import type { EventJson } from '../shared/trigger/items';
import { rowId } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import type { SessionEvent } from './state/types';

const STATUS = knownField(SESSIONS, 'Status');

export function toJson(poll: Poll, event: SessionEvent, session: Row | null): EventJson {
	const status = session ? codeOf(session.Status) : null;
	const name = statusName(STATUS?.codes, status);
	const startedAt = readTime(session?.StartedAtUtc);
	return {
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
