import { codeLabel, knownField } from '../shared/dsquery/catalogue';
import type { Row } from '../shared/platform';
import { SESSIONS } from '../shared/resources';
import type { EventJson } from '../shared/trigger/items';
import { codeOf, rowId } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import { startOf } from './read';
import type { SessionEvent } from './state/types';

const STATUS = knownField(SESSIONS, 'Status');

/** What an item says of an event. */
export function toJson(poll: Poll, event: SessionEvent, session: Row | null): EventJson {
	const status = session ? codeOf(session.Status) : null;
	const startedAt = session ? startOf(session) : undefined;
	return {
		eventId: event.id,
		event: event.name,
		sessionId: rowId(event.session),
		status,
		statusLabel: typeof status === 'number' ? codeLabel(STATUS?.codes, status) : status,
		startedAt: startedAt === undefined ? null : poll.iso(startedAt),
		detectedAt: poll.iso(event.detectedAt),
		durationSeconds: event.durationSeconds,
		environment: poll.connection.environment,
		session,
	};
}
