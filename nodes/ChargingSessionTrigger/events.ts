import { findKnownField, type StatusValue } from '../shared/dsquery/listSchema';
import { HOUR_MS, MINUTE_MS } from '../shared/dsquery/values/durations';
import { createCodeOptions } from '../shared/list/dropdowns/fieldOptions';
import { listDropdown } from '../shared/list/dropdowns/liveRows';
import { fixedListParameter } from '../shared/list/list';
import { notice, type Parameters, type ValuesOf } from '../shared/parameters/parameter';
import { decimal, integer } from '../shared/parameters/simple';
import type { Row } from '../shared/platform';
import { SESSION_CODES, SESSIONS } from '../shared/resources';
import { readDecimal } from '../shared/summary/decimals';
import { statusCodesParameter } from '../shared/trigger/parameters';
import { type AlertRuleOf, type ObservedValue, UNKNOWN } from '../shared/trigger/watch/alertRule';

/** A session that was never seen before. */
interface NewRule {
	kind: 'new';
}

/**
 * A session that was seen before it was over, or is new, has one of these codes. Of two such events, the one that comes first
 * in `SESSION_EVENTS` is reported.
 */
interface EndRule {
	kind: 'end';
	codes: ReadonlySet<StatusValue>;
}

/** A session that is not over has been running for longer than this. It is reported once. */
export interface LongRule {
	kind: 'long';
	afterMs: number;
}

/** What a session that is not over comes into and leaves, such as a stall. `rule` names the event of its begin or of its end. */
export interface OngoingRule {
	kind: 'ongoing';
	/** The name of its watch: the same for the event of a begin and that of its end. */
	watch: string;
	rule: AlertRuleOf<'state' | 'still'>;
	/** The value that the rule evaluates. */
	valueOf(row: Row): ObservedValue;
}

export type SessionRule = NewRule | EndRule | LongRule | OngoingRule;
type SessionRuleKind = SessionRule['kind'];

/** What a sentence about a session is made of. */
interface SessionSentenceWords {
	/** "Session 42 (started 04:46)" */
	name: string;
	/** What its status is called. */
	status: string;
	/** " for 30 minutes": how long it has been so. Empty if that is not known. */
	lasted: string;
}

/** One choice under Trigger On. The panel, the subtitle, what is read, what is saved, and the samples follow from it. */
interface SessionEventRecord<P extends Parameters> {
	/** The entry under Trigger On, its explanation, and the word in the node's subtitle. */
	label: string;
	description: string;
	word: string;
	/** The sentence in `text`. */
	sentence(words: SessionSentenceWords): string;
	/** The parameter whose number follows the word, and its unit. */
	figure?: { parameter: Extract<keyof P, string>; unit: string };
	/** Its own parameters: shown, and read, when it is chosen. Several events may bring the same. */
	parameters: P;
	/** What makes it happen. */
	rule(values: Partial<ValuesOf<P>>): SessionRule;
}

function event<P extends Parameters>(record: SessionEventRecord<P>): SessionEventRecord<P> {
	return record;
}

export const list = fixedListParameter(SESSIONS);

/** A dropdown of the codes seen in sessions, and of those stored in the parameter at `path`. */
export const statusDropdownAt = (method: string, path: string) => ({
	method,
	load: createCodeOptions(listDropdown(list, 'getStatusCodes').load, path),
});

/** The statuses of sessions whose names are known. */
export const KNOWN_CODES = findKnownField(SESSIONS, 'Status')?.codes ?? [];

const FAILED: ReadonlySet<StatusValue> = new Set([SESSION_CODES.failed]);

const expiredNotice = notice(
	'The status code for expired is not public, so expired sessions count as still running until you choose it: under End Status if Session Ends is selected, otherwise under Options > Other End Status.',
);

const stalledMinutes = integer({
	label: 'Stalled After (Minutes)',
	description:
		'How long the energy of a session must not have risen, as far as the polls saw. The minutes begin with the first poll that sees the session, and again after a restart of n8n.',
	hint: 'Sessions without a value in Energy Consumed are never reported.',
	default: 30,
	min: 1,
	max: 10_080,
});

/** Energy that does not rise, and the event that reports its begin or its end. */
const standsStill = (event: { opens: string } | { closes: string }, minutes = 0): OngoingRule => ({
	kind: 'ongoing',
	watch: 'stalls',
	rule: { kind: 'still', ...event, afterMs: minutes * MINUTE_MS },
	valueOf: ({ EnergyConsumed: energy }) => (readDecimal(energy) ? Number(energy) : UNKNOWN),
});

/** The events of this trigger, by the name in `event`. Of two ends, the first one here is reported. */
export const SESSION_EVENTS = {
	started: event({
		label: 'Session Starts',
		description: 'When there is a new session',
		word: 'started',
		sentence: ({ name }) => `${name} is new.`,
		parameters: {},
		rule: () => ({ kind: 'new' }),
	}),
	failed: event({
		label: 'Session Fails',
		description: 'When a session ends as failed. Chosen together with Session Ends, it is reported as failed only.',
		word: 'failed',
		sentence: ({ name }) => `${name} has failed.`,
		parameters: { expiredNotice },
		rule: () => ({ kind: 'end', codes: FAILED }),
	}),
	ended: event({
		label: 'Session Ends',
		description: 'When a session reaches one of the end statuses',
		word: 'ended',
		sentence: ({ name, status }) => `${name} has ended, with the status ${status}.`,
		parameters: {
			endStatuses: statusCodesParameter({
				label: 'End Status Names or IDs',
				hint: 'Reported as an end. Only the codes for finished and failed are public; others are listed as seen on your sessions.',
				dropdown: statusDropdownAt('getEndStatuses', 'endStatuses'),
				known: KNOWN_CODES,
				default: [String(SESSION_CODES.finished), String(SESSION_CODES.failed)],
				whyNone: 'choose at least one status, or take Session Ends off Trigger On.',
			}),
			expiredNotice,
		},
		rule: ({ endStatuses = new Set<StatusValue>() }) => ({ kind: 'end', codes: endStatuses }),
	}),
	runningLong: event({
		label: 'Session Is Running Long',
		description: 'When a session that is not over has been running for more than a number of hours',
		word: 'running over',
		sentence: ({ name, lasted }) => `${name} has been running${lasted}.`,
		figure: { parameter: 'runningHours', unit: 'h' },
		parameters: {
			runningHours: decimal({
				label: 'Running Longer Than (Hours)',
				description:
					'Each session is reported once, when it has been running for longer than this. Counted from Started At, by the clock of n8n.',
				default: 24,
				// A year.
				max: 366 * 24,
				unit: 'hours',
			}),
			expiredNotice,
		},
		rule: ({ runningHours = 0 }) => ({ kind: 'long', afterMs: runningHours * HOUR_MS }),
	}),
	stalled: event({
		label: 'Session Stalls',
		description: 'When the energy of a session that is not over has not risen for a number of minutes',
		word: 'stalled for',
		sentence: ({ name, lasted }) => `${name} has stalled: its energy has not risen${lasted}.`,
		figure: { parameter: 'stalledMinutes', unit: 'min' },
		parameters: { stalledMinutes, expiredNotice },
		rule: ({ stalledMinutes: minutes }) => standsStill({ opens: 'stalled' }, minutes),
	}),
	resumed: event({
		label: 'Session Resumes',
		description: 'When the energy of a session that had stalled rises again',
		word: 'resumed',
		sentence: ({ name, lasted }) => `${name} has resumed: its energy had not risen${lasted}.`,
		parameters: { stalledMinutes, expiredNotice },
		rule: ({ stalledMinutes: minutes }) => standsStill({ closes: 'resumed' }, minutes),
	}),
};

export type SessionEventName = keyof typeof SESSION_EVENTS;

export const EVENT_NAMES = Object.keys(SESSION_EVENTS) as SessionEventName[];

interface ChosenRules {
	/** By the names of the chosen events. */
	rules: ReadonlyMap<string, SessionRule>;
}

/** The chosen events of one kind, with their rules. */
export function rulesOfKind<K extends SessionRuleKind>(
	{ rules }: ChosenRules,
	kind: K,
): Array<[name: string, rule: Extract<SessionRule, { kind: K }>]> {
	type Entry = [string, Extract<SessionRule, { kind: K }>];
	return [...rules].filter((entry): entry is Entry => entry[1].kind === kind);
}

/** What open sessions come into and leave: one for each name, whether its begin is asked for, its end, or both. */
export function ongoingRules(settings: ChosenRules): OngoingRule[] {
	const merged = new Map<string, OngoingRule>();
	for (const [, rule] of rulesOfKind(settings, 'ongoing')) {
		const other = merged.get(rule.watch)?.rule;
		merged.set(rule.watch, { ...rule, rule: { ...other, ...rule.rule } });
	}
	return [...merged.values()];
}

/** The event that reports an end with this code; undefined if none does. */
export function endEventName(settings: ChosenRules, code: unknown): string | undefined {
	return rulesOfKind(settings, 'end').find(([, { codes }]) => codes.has(code as StatusValue))?.[0];
}
