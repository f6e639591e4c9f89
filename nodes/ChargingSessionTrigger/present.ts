import type { IDataObject } from 'n8n-workflow';

import { codeLabel, knownField } from '../shared/dsquery/catalogue';
import type { Row } from '../shared/platform';
import { SESSIONS } from '../shared/resources';
import { toIso } from '../shared/trigger/items';
import type { Surroundings } from '../shared/trigger/items';
import { codeOf, decodeValue, rowId } from '../shared/trigger/keys';
import type { SessionEvent } from './state/sessions';
import { startOf } from './read';

/** An event with what is known about its session. */
export interface ReadyEvent {
	event: SessionEvent;
	session: Row | null;
}

const STATUS = knownField(SESSIONS, 'Status');

/** What an item says of an event. */
export function toJson({ event, session }: ReadyEvent, { environment, zone }: Surroundings): IDataObject {
	const status = session ? decodeValue(codeOf(session.Status)) : null;
	const startedAt = session ? startOf(session) : undefined;
	return {
		eventId: event.id,
		event: event.name,
		sessionId: rowId(event.session),
		status,
		statusLabel: typeof status === 'number' ? codeLabel(STATUS?.codes, status) : status,
		startedAt: startedAt === undefined ? null : toIso(startedAt, zone),
		detectedAt: toIso(event.detectedAt, zone),
		durationSeconds: event.durationSeconds,
		environment,
		session,
	};
}
