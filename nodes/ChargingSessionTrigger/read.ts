import { DateTime } from 'luxon';

import { and, condition } from '../shared/dsquery/compose';
import type { Condition, Group } from '../shared/dsquery/types';
import { readTime } from '../shared/dsquery/values/readTime';
import type { Row } from '../shared/platform';
import { SESSIONS } from '../shared/resources';
import { codeOf, rowKey } from '../shared/trigger/keys';
import { lookUp, scan } from '../shared/trigger/lists';
import type { Scan } from '../shared/trigger/lists';
import { newestIds, readNew } from '../shared/trigger/newRows';
import type { NumberedList } from '../shared/trigger/newRows';
import type { Poll } from '../shared/trigger/poll';
import { idBefore } from '../shared/trigger/types';
import type { Coverage, RowKey, StatusValue } from '../shared/trigger/types';
import type { SessionSettings } from './settings';
import { surely } from './state/draft';
import type { SessionDraft } from './state/draft';
import type { Clocks, SessionRules, SessionSight } from './state/types';

const WIRE_FORMAT = "yyyy-MM-dd'T'HH:mm:ss";

/** Shares of the poll's time after which no new work of a kind is begun; the rest is for what is under way. */
const SCAN_SHARE = 0.4;
const LOOKUP_SHARE = 0.55;
const NEW_SESSIONS: NumberedList = {
	list: SESSIONS,
	instead:
		'What works here: choose only Session Is Running Long under Trigger On. Or use a Schedule Trigger and Charging Sessions with a filter on Started At.',
};
/** The platform's clock is known to a second, and of a first poll not at all: sessions that are nearly due are read as well. */
const CLOCK_MARGIN_MS = 10 * 60_000;

/** What a poll has read of the platform. Parts that are not needed, or could not be read, are left out. */
export interface Findings {
	fresh?: SessionSight[];
	long?: SightedPart;
	open?: SightedPart;
	lookedUp?: { asked: RowKey[]; isComplete: boolean };
	/** All sessions seen. */
	rows: Map<RowKey, Row>;
	sights: Map<RowKey, SessionSight>;
}

interface SightedPart {
	sights: SessionSight[];
	coverage: Coverage;
}

/** The times of a poll, as far as answers have told the platform's. */
export function clocksOf({ connection, memory, now }: Poll): Clocks {
	const current = connection.stats.clockAheadMs ?? 0;
	// One answer with a wrong date makes no time pass: a date counts once the poll before has seen it too.
	return { own: now, platform: now + Math.min(current, memory.clockAheadMs ?? current) };
}

/** Reads new sessions, those that run long, and those that are followed. */
export async function readSessions(
	poll: Poll<SessionSettings>,
	draft: SessionDraft,
	rules: SessionRules,
): Promise<Findings> {
	const findings: Findings = { rows: new Map(), sights: new Map() };
	const sighted = async (part: Promise<Scan>): Promise<SightedPart | undefined> => {
		const found = await poll.attempt(part);
		return found && { sights: note(findings, found.rows), coverage: found.coverage };
	};

	if (draft.looksForNew && !draft.newIds.isKnown) {
		const newest = await poll.attempt(newestIds(poll, NEW_SESSIONS));
		if (newest) draft.newIds.startAt(newest);
	} else if (draft.looksForNew) {
		findings.fresh = (await sighted(readNew(poll, NEW_SESSIONS, draft.newIds.after)))?.sights;
	}
	if (rules.longConfig !== undefined) findings.long = await sighted(readLong(poll, draft, rules));
	const openReading = draft.openReading();
	if (openReading) {
		const since = surely(clocksOf(poll)) - rules.watchMs;
		const source = { list: SESSIONS, filter: openSince(rules.overCodes, since, openReading.upTo) };
		findings.open = await sighted(scan(poll, source, idBefore(openReading.next), poll.scanPace(SCAN_SHARE)));
	}
	if (rules.openConfig !== undefined) {
		const keys = draft.toLookUp(findings.sights);
		const { asked, rows } = await lookUp(poll, { list: SESSIONS }, keys, poll.pace(LOOKUP_SHARE));
		note(findings, rows.values());
		findings.lookedUp = { asked: [...asked], isComplete: asked.size === keys.length };
	}
	return findings;
}

function note({ rows, sights }: Findings, from: Iterable<Row>): SessionSight[] {
	const found: SessionSight[] = [];
	for (const row of from) {
		const sight = toSight(row);
		if (!sight) continue;
		rows.set(sight.session, row);
		sights.set(sight.session, sight);
		found.push(sight);
	}
	return found;
}

/** What a row says about its session; undefined where it has no usable Id. */
export function toSight(row: Row): SessionSight | undefined {
	const session = rowKey(row.Id);
	return session === undefined
		? undefined
		: { session, code: codeOf(row.Status), startedAt: readTime(row.StartedAtUtc) };
}

async function readLong(poll: Poll<SessionSettings>, draft: SessionDraft, rules: SessionRules): Promise<Scan> {
	const read = async () => {
		const latest = clocksOf(poll).platform - rules.longMs;
		const times = openBetween(rules.overCodes, latest - rules.watchMs, latest + CLOCK_MARGIN_MS);
		const source = { list: SESSIONS, filter: and(poll.settings.filter, times) };
		return await scan(poll, source, idBefore(draft.longNext), poll.scanPace(SCAN_SHARE));
	};
	const assumed = clocksOf(poll).platform;
	const first = await read();
	// The first answer of all tells the platform's time. Where this machine's is quite another, others run long.
	return Math.abs(clocksOf(poll).platform - assumed) > CLOCK_MARGIN_MS ? await read() : first;
}

/** Sessions that are not over. */
export function notOver(overCodes: ReadonlySet<StatusValue>): Condition[] {
	return [...overCodes].map((code) => condition('Status', 'Neq', String(code)));
}

/** Sessions that are not over, started not before a moment, and have an Id up to a highest one. */
function openSince(overCodes: ReadonlySet<StatusValue>, since: number, highestId: number): Group | undefined {
	return and(
		...notOver(overCodes),
		condition('StartedAtUtc', 'Gte', wireTime(since)),
		condition('Id', 'Lte', String(highestId)),
	);
}

/** Sessions that are not over and started between two moments. */
export function openBetween(overCodes: ReadonlySet<StatusValue>, from: number, to: number): Group | undefined {
	return and(...notOver(overCodes), condition('StartedAtUtc', 'GteLte', `${wireTime(from)},${wireTime(to)}`));
}

/** A time as the platform writes it: whole seconds, UTC, no zone. */
function wireTime(ms: number): string {
	return DateTime.fromMillis(ms, { zone: 'utc' }).toFormat(WIRE_FORMAT);
}
