import { DateTime } from 'luxon';

import { codeOf } from '../shared/dsquery/catalogue';
import { and, condition } from '../shared/dsquery/compose';
import type { Condition, Group } from '../shared/dsquery/types';
import { readTime } from '../shared/dsquery/values/readTime';
import { WIRE_FORMAT } from '../shared/dsquery/values/values';
import type { Row } from '../shared/platform';
import { SESSIONS } from '../shared/resources';
import { readDecimal } from '../shared/summary/decimals';
import { rowKey } from '../shared/trigger/keys';
import { remembered } from '../shared/trigger/memory';
import { lookUp, type Scan, scan } from '../shared/trigger/reading/lists';
import { type NumberedList, readNew } from '../shared/trigger/reading/newRows';
import type { Poll } from '../shared/trigger/poll';
import { type Coverage, idBefore, type RowKey, type StatusValue } from '../shared/trigger/types';
import type { SessionSettings } from './settings';
import type { SessionDraft } from './state/draft';
import type { LongSessions } from './state/longSessions';
import type { LongRule, SessionRules, SeenSession, StandingSessions } from './state/types';

const NEW_SESSIONS: NumberedList = {
	list: SESSIONS,
	instead:
		'What works here: choose only Session Is Running Long under Trigger On. Or use a Schedule Trigger and Charging Sessions with a filter on Started At.',
};
/** Nearly due sessions are read too: the platform's clock is unknown before its first answer, then known to 1 s. */
const CLOCK_MARGIN_MS = 10 * 60_000;

/** What a poll has read from the platform. Parts that are not needed, or could not be read, are left out. */
export interface ReadResult {
	fresh?: SeenSession[];
	long: Map<LongSessions, SeenPart>;
	open?: SeenPart;
	lookedUp?: { asked: RowKey[]; isComplete: boolean };
	rows: Map<RowKey, Row>;
	sessions: Map<RowKey, SeenSession>;
}

interface SeenPart {
	sessions: SeenSession[];
	coverage: Coverage;
}

/** What this process remembers between polls: of open sessions, and how far the platform's clock was ahead. */
export const ofSessions = remembered((): { standing: StandingSessions; clockAheadMs?: number } => ({
	standing: new Map(),
}));

/** The platform's time: this machine's until an answer tells it. */
export function platformTime(poll: Poll): number {
	const current = poll.connection.stats.clockAheadMs ?? 0;
	// One answer with a wrong date must not advance the time: a lead counts only if the poll before saw it too.
	return poll.now + Math.min(current, ofSessions(poll).clockAheadMs ?? current);
}

/** Reads new sessions, long ones, and the open ones that are followed. */
export async function readSessions(poll: Poll<SessionSettings>, draft: SessionDraft): Promise<ReadResult> {
	const result: ReadResult = { long: new Map(), rows: new Map(), sessions: new Map() };
	const seenIn = async (part: Promise<Scan>): Promise<SeenPart | undefined> => {
		const found = await poll.attempt(part);
		return found && { sessions: add(result, found.rows), coverage: found.coverage };
	};

	if (draft.needsNew) {
		const rows = await poll.attempt(readNew(poll, NEW_SESSIONS, draft.ids));
		result.fresh = rows && add(result, rows);
	}
	for (const part of draft.long) {
		const seen = await seenIn(readLong(poll, part));
		if (seen) result.long.set(part, seen);
	}
	const reading = draft.open.reading();
	if (reading) {
		const selection = { list: SESSIONS, filter: openSince(poll, reading.upTo) };
		result.open = await seenIn(scan(poll, selection, idBefore(reading.next), poll.scanPace));
	}
	if (draft.open.isNeeded) {
		const keys = draft.open.toLookUp(result.sessions);
		const { asked, rows } = await lookUp(poll, { list: SESSIONS }, keys, poll.pace('lookUp'));
		add(result, rows.values());
		result.lookedUp = { asked: [...asked], isComplete: asked.size === keys.length };
	}
	return result;
}

function add({ rows, sessions }: ReadResult, from: Iterable<Row>): SeenSession[] {
	const found: SeenSession[] = [];
	for (const row of from) {
		const seen = seenSession(row);
		if (!seen) continue;
		rows.set(seen.session, row);
		sessions.set(seen.session, seen);
		found.push(seen);
	}
	return found;
}

/** What a row says about its session; undefined without a usable Id. */
export function seenSession(row: Row): SeenSession | undefined {
	const session = rowKey(row.Id);
	if (session === undefined) return undefined;
	const seen = { session, code: codeOf(row.Status), startedAt: readTime(row.StartedAtUtc) };
	return readDecimal(row.EnergyConsumed) ? { ...seen, energy: Number(row.EnergyConsumed) } : seen;
}

async function readLong(poll: Poll<SessionSettings>, part: LongSessions): Promise<Scan> {
	const { rule, next } = part;
	const read = async () => {
		const filter = and(poll.settings.filter, longAt(rule, poll.settings, platformTime(poll), CLOCK_MARGIN_MS));
		return await scan(poll, { list: SESSIONS, filter }, idBefore(next), poll.scanPace);
	};
	const assumed = platformTime(poll);
	const first = await read();
	// The first answer tells the platform's time. If it is far from the time assumed, other sessions are long.
	return Math.abs(platformTime(poll) - assumed) > CLOCK_MARGIN_MS ? await read() : first;
}

/** Sessions that are long at this time, or will be within the margin, and are still watched. */
export function longAt(
	{ afterMs }: LongRule,
	{ overCodes, watchMs }: SessionRules,
	at: number,
	marginMs = 0,
): Group | undefined {
	const latest = at - afterMs;
	const times = `${wireTime(latest - watchMs)},${wireTime(latest + marginMs)}`;
	return and(...notOver(overCodes), condition('StartedAtUtc', 'GteLte', times));
}

export function notOver(overCodes: ReadonlySet<StatusValue>): Condition[] {
	return [...overCodes].map((code) => condition('Status', 'Neq', String(code)));
}

/** Sessions that are not over, still watched, and have an Id of at most `highestId`. */
function openSince(poll: Poll<SessionSettings>, highestId: number): Group | undefined {
	const { overCodes, watchMs } = poll.settings;
	const since = Math.min(poll.now, platformTime(poll)) - watchMs;
	return and(
		...notOver(overCodes),
		condition('StartedAtUtc', 'Gte', wireTime(since)),
		condition('Id', 'Lte', String(highestId)),
	);
}

/** A time as the platform writes it: whole seconds, UTC, no zone. */
function wireTime(ms: number): string {
	return DateTime.fromMillis(ms, { zone: 'utc' }).toFormat(WIRE_FORMAT);
}
