import uniq from 'lodash/uniq';

import { and } from '../shared/dsquery/compose';
import { DAY_MS } from '../shared/dsquery/values/durations';
import { readTime } from '../shared/dsquery/values/readTime';
import type { Row } from '../shared/platform';
import { SESSIONS } from '../shared/resources';
import { lookUpWaiting } from '../shared/trigger/reading/lookUp';
import { rememberedAbove } from '../shared/trigger/reading/newRows';
import { keyed, readPart } from '../shared/trigger/reading/part';
import type { Poll } from '../shared/trigger/poll';
import type { Progress, TriggerState } from '../shared/trigger/watch/saved';
import type { Found } from '../shared/trigger/watch/steps';
import type { RowKey } from '../shared/trigger/keys';
import { NOTHING_KNOWN, observe, type Seen, type State, UNDECIDED, UNKNOWN } from '../shared/trigger/watch/watch';
import { readFollowed, type SessionLook } from './follow';
import { eventsOf, longAt, type LongRule } from './rules';
import type { SessionSettings } from './settings';
import { watchesOf } from './watches';

type SessionPoll = Poll<SessionSettings>;

/** How much longer than it is watched a long session is remembered. */
const MARGIN_MS = DAY_MS;

export interface SessionsFound extends Found {
	rows: Map<RowKey, Row>;
	looks: Record<string, SessionLook>;
	/** The sessions with an event that match the filter now; undefined without a filter. Long ones always do. */
	matching?: ReadonlyMap<RowKey, Row>;
}

/** Reads new sessions, the open ones that are followed, and long ones. */
export async function readSessions(poll: SessionPoll, state: TriggerState): Promise<SessionsFound> {
	const readings: Record<string, Progress> = {};
	const found: SessionsFound = { rows: new Map(), looks: {}, readings };
	if (state.watches.fresh) {
		const { reading, ...followed } = await readFollowed(poll, state);
		Object.assign(found, followed);
		if (reading) readings.open = reading;
		await checkFilter(poll, state, found);
	}
	for (const [name, rule] of eventsOf(poll.settings, 'long')) {
		const reading = await readLong(poll, { name, rule, state, found });
		if (reading) readings[name] = reading;
	}
	return found;
}

/**
 * Looks up which sessions with an event match the filter: it decides at that moment. What could not be looked up counts as
 * not seen, so that the next poll finds it again.
 */
async function checkFilter(poll: SessionPoll, { watches, reportsFirst = false }: TriggerState, found: SessionsFound) {
	const { filter } = poll.settings;
	if (!filter) return;
	const circumstances = { reportsFirst, longestGapMs: Number.POSITIVE_INFINITY, idOf: () => '' };
	const rules = watchesOf(poll);
	const changes = Object.entries(found.looks).flatMap(([name, look]) => {
		const { rule } = rules[name] ?? {};
		return rule ? observe(watches[name] ?? NOTHING_KNOWN, rule, { ...look, at: poll.now }, circumstances).changes : [];
	});
	const keys = uniq(changes.map(({ key }) => key));
	const { asked, rows } = await lookUpWaiting(poll, { list: SESSIONS, filter }, keys, poll.pace('last'));
	found.matching = rows;
	for (const [key, row] of rows) found.rows.set(key, row);
	const unasked = keys.filter((key) => !asked.has(key));
	leaveUndecided(found.looks, { fresh: watches.fresh, reportsFirst, unasked });
}

/** Leaves what could not be checked to the next poll. */
function leaveUndecided(
	looks: SessionsFound['looks'],
	{ fresh: before = NOTHING_KNOWN, reportsFirst, unasked }: { fresh?: State; reportsFirst: boolean; unasked: RowKey[] },
): void {
	const { fresh } = looks;
	const known = [...Object.keys(before.entries), ...(fresh?.seen.keys() ?? [])];
	const newOnes = unasked.filter((key) => fresh?.seen.get(key) === true);
	if (fresh) fresh.most = rememberedAbove(known, newOnes);
	for (const { seen } of Object.values(looks)) {
		for (const key of unasked) if (seen.has(key)) seen.set(key, UNKNOWN);
	}
	if (!fresh || !reportsFirst || before.isBegun) return;
	// What is open at first may be older than the highest Ids, from which the next poll reads on: it is remembered by itself.
	for (const key of newOnes) fresh.seen.set(key, UNDECIDED);
	fresh.isWhole &&= ![...fresh.seen.values()].includes(UNDECIDED);
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
