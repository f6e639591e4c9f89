import { DateTime } from 'luxon';

import { and, condition } from '../shared/dsquery/compose';
import type { Condition, Group } from '../shared/dsquery/types';
import { WIRE_FORMAT } from '../shared/dsquery/values/values';
import type { Row } from '../shared/platform';
import { SESSIONS } from '../shared/resources';
import { WHOLE_LIST } from '../shared/trigger/keys';
import type { Selection } from '../shared/trigger/reading/lists';
import type { StatusValue } from '../shared/dsquery/catalogue';
import type { RuleOf, Seen } from '../shared/trigger/watch/watch';

/** A session that was never seen before. */
interface NewRule {
	kind: 'new';
}

/** A session that was seen before it was over, or is new, has one of these codes. Of two such events, the first is reported. */
interface EndRule {
	kind: 'end';
	codes: ReadonlySet<StatusValue>;
}

/** A session that is not over has been running for longer than this. It is reported once. */
export interface LongRule {
	kind: 'long';
	afterMs: number;
}

/** What a session that is not over comes into and leaves, such as a stall. The event of its begin, or that of its end. */
export interface OpenRule {
	kind: 'open';
	/** What is watched. The events of a begin and of its end have the same name here. */
	watch: string;
	rule: RuleOf<'state' | 'still'>;
	/** What decides. From UNKNOWN nothing is concluded. */
	valueOf(row: Row): Seen;
}

export type SessionRule = NewRule | EndRule | LongRule | OpenRule;
type Kind = SessionRule['kind'];

interface Chosen {
	/** By the names of the chosen events. */
	rules: ReadonlyMap<string, SessionRule>;
}

/** The chosen events of one kind, with their rules. */
export function eventsOf<K extends Kind>(
	{ rules }: Chosen,
	kind: K,
): Array<[name: string, rule: Extract<SessionRule, { kind: K }>]> {
	type Entry = [string, Extract<SessionRule, { kind: K }>];
	return [...rules].filter((entry): entry is Entry => entry[1].kind === kind);
}

/** What open sessions come into and leave: one for each name, whether its begin is asked for, its end, or both. */
export function openRules(settings: Chosen): OpenRule[] {
	const merged = new Map<string, OpenRule>();
	for (const [, rule] of eventsOf(settings, 'open')) {
		const other = merged.get(rule.watch)?.rule;
		merged.set(rule.watch, { ...rule, rule: { ...other, ...rule.rule } });
	}
	return [...merged.values()];
}

/** The event that reports an end with this code; undefined if none does. */
export function endEvent(settings: Chosen, code: unknown): string | undefined {
	return eventsOf(settings, 'end').find(([, { codes }]) => codes.has(code as StatusValue))?.[0];
}

/** Which sessions are watched: `overCodes` are those of sessions that are over, `watchMs` how long after its start. */
interface Watched {
	overCodes: ReadonlySet<StatusValue>;
	watchMs: number;
}

/** Sessions that are not over, are still watched, and have these Ids. */
export function openBetween({ overCodes, watchMs }: Watched, at: number, from: number, upTo: number): Selection {
	const lowest = from === WHOLE_LIST.after ? [] : [condition('Id', 'Gte', String(from))];
	return {
		list: SESSIONS,
		filter: and(...notOver(overCodes), condition('StartedAtUtc', 'Gte', wireTime(at - watchMs))),
		narrowing: and(...lowest, condition('Id', 'Lte', String(upTo))),
	};
}

/** Sessions that are long at this time and are still watched. */
export function longAt({ afterMs }: LongRule, { overCodes, watchMs }: Watched, at: number): Group | undefined {
	const latest = at - afterMs;
	const times = `${wireTime(latest - watchMs)},${wireTime(latest)}`;
	return and(...notOver(overCodes), condition('StartedAtUtc', 'GteLte', times));
}

export function notOver(overCodes: ReadonlySet<StatusValue>): Condition[] {
	return [...overCodes].map((code) => condition('Status', 'Neq', String(code)));
}

/** A time as the platform writes it: whole seconds, UTC, no zone. */
function wireTime(ms: number): string {
	return DateTime.fromMillis(ms, { zone: 'utc' }).toFormat(WIRE_FORMAT);
}
