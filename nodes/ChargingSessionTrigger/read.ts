import { and } from '../shared/dsquery/compose';
import { DAY_MS } from '../shared/dsquery/values/durations';
import { readTime } from '../shared/dsquery/values/readTime';
import type { Row } from '../shared/platform';
import { SESSIONS } from '../shared/resources';
import type { RowKey } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import { keyed, readPart } from '../shared/trigger/reading/part';
import type { Progress, TriggerState } from '../shared/trigger/watch/saved';
import type { Found } from '../shared/trigger/watch/steps';
import { NOTHING_KNOWN, type Seen } from '../shared/trigger/watch/watch';
import { readFollowed, type SessionLook } from './follow';
import { eventsOf, longAt, type LongRule } from './rules';
import type { SessionSettings } from './settings';

type SessionPoll = Poll<SessionSettings>;

/** How much longer than it is watched a long session is remembered. */
const MARGIN_MS = DAY_MS;

export interface SessionsFound extends Found {
	rows: Map<RowKey, Row>;
	looks: Record<string, SessionLook>;
}

/** Reads new sessions, the open ones that are followed, and long ones. */
export async function readSessions(poll: SessionPoll, state: TriggerState): Promise<SessionsFound> {
	const readings: Record<string, Progress> = {};
	const found: SessionsFound = { rows: new Map(), looks: {}, readings };
	if (state.watches.fresh) {
		const { reading, ...followed } = await readFollowed(poll, state);
		Object.assign(found, followed);
		if (reading) readings.open = reading;
	}
	for (const [name, rule] of eventsOf(poll.settings, 'long')) {
		const reading = await readLong(poll, { name, rule, state, found });
		if (reading) readings[name] = reading;
	}
	return found;
}

/** Reads the sessions that run long and match the filter. @returns where that goes on, if it has not reached its end */
async function readLong(
	poll: SessionPoll,
	{ name, rule, state, found }: { name: string; rule: LongRule; state: TriggerState; found: SessionsFound },
): Promise<Progress | undefined> {
	const { settings, now } = poll;
	const filter = and(settings.filter, longAt(rule, settings, now));
	const reading = readPart(poll, state.readings[name], { list: SESSIONS, filter });
	const part = await poll.attempt(reading, 'charging sessions that run long');
	if (!part) return state.readings[name];
	const seen = new Map<RowKey, Seen>();
	for (const [key, row] of keyed(part.rows)) {
		const startedAt = readTime(row.StartedAtUtc);
		if (startedAt !== undefined && startedAt <= now - rule.afterMs) seen.set(key, startedAt);
		found.rows.set(key, row);
	}
	// A session is reported once, even if the list shows it again. What is remembered of it is when it started.
	const oldest = now - rule.afterMs - settings.watchMs - MARGIN_MS;
	const { entries } = state.watches[name] ?? NOTHING_KNOWN;
	const forgotten = Object.keys(entries).filter((key) => Number(entries[key]?.value) < oldest);
	const absent = new Map(forgotten.map((key) => [key, 'gone' as const]));
	found.looks[name] = { seen, covers: part.covers, isWhole: part.isEnd, absent };
	return part.isEnd ? undefined : part.round;
}
