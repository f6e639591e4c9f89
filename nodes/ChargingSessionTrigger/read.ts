import min from 'lodash/min';
import uniq from 'lodash/uniq';
import { DateTime } from 'luxon';

import { resolveStatusCode, type StatusValue } from '../shared/dsquery/listSchema';
import { and, condition } from '../shared/dsquery/compose';
import type { Condition, FilterGroup } from '../shared/dsquery/types';
import { DAY_MS } from '../shared/dsquery/values/durations';
import { readTime } from '../shared/dsquery/values/readTime';
import { WIRE_FORMAT } from '../shared/dsquery/values/values';
import type { Row } from '../shared/platform';
import { SESSIONS } from '../shared/resources';
import { type RowKey, WHOLE_LIST } from '../shared/trigger/keys';
import type { TriggerSettings } from '../shared/trigger/parameters';
import type { Poll } from '../shared/trigger/poll';
import type { Selection } from '../shared/trigger/reading/lists';
import { lookUp, lookUpMissingRows } from '../shared/trigger/reading/lookUp';
import { type NewestRows, type IdSortedList, readNewestRows } from '../shared/trigger/reading/newRows';
import { firstRowKey, keyRows, readListSection } from '../shared/trigger/reading/section';
import type { ReadingProgress, TriggerState } from '../shared/trigger/watch/savedState';
import type { PollReading, WatchReading } from '../shared/trigger/watch/evaluate';
import { type Absence, OUT_OF_SERVICE, type ObservedValue, UNKNOWN } from '../shared/trigger/watch/alertRule';
import { keysToLookUp, NOTHING_KNOWN, type RuleState, undecidedKeys } from '../shared/trigger/watch/ruleState';
import { rulesOfKind, KNOWN_CODES, type LongRule, type OngoingRule, ongoingRules, type SessionRule } from './events';

/** What the parameters say, checked. Reading depends on all of it. */
export interface SessionSettings extends TriggerSettings {
	/** The rules of the chosen events. */
	rules: ReadonlyMap<string, SessionRule>;
	/** All codes with which a session is over. */
	overCodes: ReadonlySet<StatusValue>;
	/** How long a session is watched from its start; a long one, from when it has run that long. */
	watchMs: number;
}

type SessionPoll = Poll<SessionSettings>;
type SessionWatchReading = WatchReading & { seen: Map<RowKey, ObservedValue> };

/** A long session is remembered for so much longer than it is watched. */
const MARGIN_MS = DAY_MS;

export interface SessionReading extends PollReading {
	rows: Map<RowKey, Row>;
	watchReadings: Record<string, SessionWatchReading>;
}

/** Reads new sessions, the open ones that are followed, and long ones. */
export async function readSessions(poll: SessionPoll, state: TriggerState): Promise<SessionReading> {
	const readings: Record<string, ReadingProgress> = {};
	const found: SessionReading = { rows: new Map(), watchReadings: {}, readings };
	if (state.watches.fresh) {
		const { reading, ...followed } = await readFollowedSessions(poll, state);
		Object.assign(found, followed);
		if (reading) readings.open = reading;
	}
	for (const [name, rule] of rulesOfKind(poll.settings, 'long')) {
		const reading = await readLong(poll, { name, rule, state, found });
		if (reading) readings[name] = reading;
	}
	return found;
}

/** Reads the sessions that run long and match the filter. @returns where that goes on, if it has not reached its end */
async function readLong(
	poll: SessionPoll,
	{ name, rule, state, found }: { name: string; rule: LongRule; state: TriggerState; found: SessionReading },
): Promise<ReadingProgress | undefined> {
	const { settings, now } = poll;
	const filter = and(settings.filter, longSessionFilter(rule, settings, now));
	const reading = readListSection(poll, state.readings[name], { list: SESSIONS, filter });
	const section = await poll.attempt(reading, 'charging sessions that run long');
	if (!section) return state.readings[name];
	const seen = new Map<RowKey, ObservedValue>();
	for (const [key, row] of keyRows(section.rows)) {
		const startedAt = readTime(row.StartedAtUtc);
		if (startedAt !== undefined && startedAt <= now - rule.afterMs) seen.set(key, startedAt);
		found.rows.set(key, row);
	}
	// A session is reported once, even if the list shows it again. What is remembered of it is when it started.
	const oldest = now - rule.afterMs - settings.watchMs - MARGIN_MS;
	const { entries } = state.watches[name] ?? NOTHING_KNOWN;
	const forgotten = Object.keys(entries).filter((key) => Number(entries[key]?.value) < oldest);
	const absent = new Map(forgotten.map((key) => [key, 'gone' as const]));
	found.watchReadings[name] = { seen, covers: section.covers, isWhole: section.isEnd, absent };
	return section.isEnd ? undefined : section.round;
}

const NEW_SESSIONS: IdSortedList = {
	list: SESSIONS,
	isRecord: true,
	instead:
		'What works here: choose only Session Is Running Long under Trigger On. Or use a Schedule Trigger and Charging Sessions with a filter on Started At.',
};

/** What a poll has seen of new sessions, and of those that are followed. */
interface FollowedSessions {
	rows: Map<RowKey, Row>;
	/** For each watch. */
	watchReadings: Record<string, SessionWatchReading>;
	/** Where reading the open ones goes on, if it has not reached its end. */
	reading?: ReadingProgress;
}

/** Reads new sessions, and what has become of those that are followed. */
async function readFollowedSessions(poll: SessionPoll, state: TriggerState): Promise<FollowedSessions> {
	const { fresh = NOTHING_KNOWN, open } = state.watches;
	const newest = await poll.readRequired(readNewestRows(poll, NEW_SESSIONS, state.watches.fresh));
	// Sessions that are open at first are reported as new, if that is asked for.
	const isInitial = state.reportsFirst === true && !fresh.isBegun;
	const adopts = isInitial || open?.isBegun === false;
	const undecided = undecidedKeys(fresh);
	const snapshot = new SessionSnapshot(poll, open, { ...newest, undecided }, adopts);
	snapshot.take(newest.rows);

	const { section, isWhole, reading } = await readOpen(poll, state, newest, adopts);
	snapshot.take(section?.rows ?? []);

	const coversOpen = (key: RowKey) => Number(key) <= newest.after && section?.covers(key) === true;
	const covers = (key: RowKey) => (Number(key) > newest.after ? newest.covers(key) : coversOpen(key));
	const ended = open ? keysToLookUp(open, { kind: 'end' }, { seen: snapshot.seen, covers }) : [];
	await snapshot.findMissing([...undecided, ...ended]);

	const watchReadings: FollowedSessions['watchReadings'] = {
		fresh: {
			seen: snapshot.newestSeen(isInitial),
			covers: coversOpen,
			isWhole: isWhole || !isInitial,
			absent: new Map(),
			border: newest.border,
		},
	};
	if (open) {
		watchReadings.open = { seen: snapshot.seen, covers, isWhole, absent: snapshot.absent };
		for (const rule of ongoingRules(poll.settings)) {
			const known = Object.keys(state.watches[rule.watch]?.entries ?? {});
			watchReadings[rule.watch] = { ...watchReadings.open, ...snapshot.under(rule, known) };
		}
	}
	return { rows: snapshot.rows, watchReadings, reading };
}

/**
 * Reads the open sessions with a lower Id than the newest, beginning with the lowest that is followed.
 *
 * @param adopts whether to begin at the start of the list
 */
async function readOpen(
	poll: SessionPoll,
	{ watches, readings }: TriggerState,
	{ after }: NewestRows,
	adopts: boolean,
) {
	const known = Object.keys(watches.open?.entries ?? {}).map(Number);
	const from = adopts ? WHOLE_LIST.after : (min(known) ?? WHOLE_LIST.upTo);
	if (after === WHOLE_LIST.after || from > after) return { isWhole: true };
	const open = openBetween(poll.settings, poll.now, from, after);
	const section = await poll.attempt(readListSection(poll, readings.open, open), 'open charging sessions');
	return section
		? { section, isWhole: section.isEnd, reading: section.isEnd ? undefined : section.round }
		: { isWhole: false, reading: readings.open };
}

class SessionSnapshot {
	readonly rows = new Map<RowKey, Row>();
	/** The status of new sessions, and of those that are followed. */
	readonly seen = new Map<RowKey, ObservedValue>();
	readonly absent = new Map<RowKey, Absence>();
	private readonly entries: RuleState['entries'];

	/** @param adopts whether open sessions are followed although they are not new */
	constructor(
		private readonly poll: SessionPoll,
		{ entries }: RuleState = NOTHING_KNOWN,
		private readonly newest: NewestRows & { undecided: ReadonlySet<RowKey> },
		private readonly adopts: boolean,
	) {
		this.entries = entries;
	}

	take(rows: Iterable<Row>): void {
		const { settings, now } = this.poll;
		for (const [key, row] of keyRows(rows)) {
			this.rows.set(key, row);
			const isFollowed = key in this.entries || this.isNew(key);
			const code = resolveStatusCode(KNOWN_CODES, row.Status);
			const isOver = settings.overCodes.has(code);
			const isLate = Math.max(readTime(row.StartedAtUtc) ?? now, this.firstSeen(key)) < now - settings.watchMs;
			if (isOver ? isFollowed : !isLate && (isFollowed || this.adopts)) this.seen.set(key, code);
			else if (isLate) this.absent.set(key, 'outOfScope');
		}
	}

	/** Looks up sessions by their Ids that no list has shown. */
	async findMissing(keys: readonly RowKey[]): Promise<void> {
		const { poll, rows: known, absent } = this;
		const lost = uniq(keys).filter((key) => !known.has(key) && !absent.has(key));
		const asking = { pace: poll.limitsFor('lookUp'), shown: firstRowKey(this.newest.rows) };
		const { matching, notFound } = await lookUpMissingRows(lookUp, poll, { list: SESSIONS }, lost, asking);
		this.take(matching.values());
		for (const key of notFound) absent.set(key, 'gone');
	}

	/** The sessions with the highest Ids, and whether each is new. @param isInitial whether those that are open count as new */
	newestSeen(isInitial: boolean): Map<RowKey, ObservedValue> {
		const { newest, rows, seen, absent } = this;
		const isReported = (key: RowKey) => {
			if (newest.undecided.has(key)) return rows.has(key) || absent.has(key) ? seen.has(key) : UNKNOWN;
			return this.isNew(key) || (isInitial && this.isOpen(seen.get(key)));
		};
		const keys = new Set([...[...newest.rows].map(({ Id }) => String(Id)), ...newest.undecided]);
		if (isInitial) for (const key of seen.keys()) keys.add(key);
		return new Map([...keys].sort((a, b) => Number(a) - Number(b)).map((key) => [key, isReported(key)]));
	}

	/** A new session may have an old start: then it is watched from here on. */
	private firstSeen(key: RowKey): number {
		return this.isNew(key) ? this.poll.now : (this.entries[key]?.firstSeen ?? Number.NEGATIVE_INFINITY);
	}

	private isNew(key: RowKey): boolean {
		return this.newest.newRows.has(key) || this.newest.undecided.has(key);
	}

	/**
	 * The values of open sessions for a rule. What they were in ends without an event once they are over, or not
	 * followed any more.
	 *
	 * @param known the sessions that were in something
	 */
	under({ valueOf }: OngoingRule, known: readonly RowKey[]): Pick<SessionWatchReading, 'seen' | 'absent'> {
		const values = [...this.seen].map(([key, code]): [RowKey, ObservedValue] => {
			if (code === UNKNOWN) return [key, UNKNOWN];
			return [key, this.isOpen(code) ? valueOf(this.rows.get(key) ?? {}) : OUT_OF_SERVICE];
		});
		const left = known.filter((key) => !(key in this.entries) || this.absent.get(key) === 'outOfScope');
		return { seen: new Map(values), absent: new Map(left.map((key) => [key, 'outOfScope'])) };
	}

	private isOpen(code: ObservedValue | undefined): boolean {
		return code !== undefined && code !== UNKNOWN && !this.poll.settings.overCodes.has(code as StatusValue);
	}
}

type WatchedSessions = Pick<SessionSettings, 'overCodes' | 'watchMs'>;

/** Sessions that are not over, are still watched, and have these Ids. */
function openBetween({ overCodes, watchMs }: WatchedSessions, at: number, from: number, upTo: number): Selection {
	const lowest = from === WHOLE_LIST.after ? [] : [condition('Id', 'Gte', String(from))];
	return {
		list: SESSIONS,
		filter: and(...notOverConditions(overCodes), condition('StartedAtUtc', 'Gte', wireTime(at - watchMs))),
		narrowing: and(...lowest, condition('Id', 'Lte', String(upTo))),
	};
}

/** Sessions that are long at this time and are still watched. */
export function longSessionFilter(
	{ afterMs }: LongRule,
	{ overCodes, watchMs }: WatchedSessions,
	at: number,
): FilterGroup | undefined {
	const latest = at - afterMs;
	const times = `${wireTime(latest - watchMs)},${wireTime(latest)}`;
	return and(...notOverConditions(overCodes), condition('StartedAtUtc', 'GteLte', times));
}

export function notOverConditions(overCodes: ReadonlySet<StatusValue>): Condition[] {
	return [...overCodes].map((code) => condition('Status', 'Neq', String(code)));
}

/** A time as the platform writes it: whole seconds, UTC, no zone. */
function wireTime(ms: number): string {
	return DateTime.fromMillis(ms, { zone: 'utc' }).toFormat(WIRE_FORMAT);
}
