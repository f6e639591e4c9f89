import last from 'lodash/last';
import maxBy from 'lodash/maxBy';
import sortBy from 'lodash/sortBy';
import union from 'lodash/union';
import without from 'lodash/without';
import type { IPollFunctions } from 'n8n-workflow';

import { DAY_MS } from '../../dsquery/values/durations';
import type { Row } from '../../platform';
import type { RowKey } from '../keys';
import { addUnansweredPoll, type RefusalBackoff, type UnansweredPolls } from './backoff';
import type { StateCache } from '../watch/savedState';

/**
 * What this process remembers of one node between polls. All of it may be lost at any time without losing an event. Points
 * in time are milliseconds of `performance.now()`, which a change of the clock does not affect.
 */
export interface NodeMemory {
	/** Workflow and id of the node. Two nodes of a workflow may share an id: each has a memory by its name. */
	node: string;
	/** How many polls it has seen. */
	polls: number;
	/** The names under which the node was polled before it was renamed. */
	names: readonly string[];
	/** When the poll that runs began. */
	running?: number;
	/** Whether the poll that runs, or ran last, is the first one after a start; and whether a person has started it. */
	isStart?: boolean;
	isActivation?: boolean;
	/** When the last poll began, and how far apart the last few were. */
	beganAt?: number;
	distances: number[];
	/** Since when the list cannot be read completely. */
	incompleteSince?: number;
	/** When the poll began that has last shown a station; at first, the first poll. */
	shownAt?: number;
	/** Since when, and in how many polls in a row, a list has shown only lower Ids than those known. */
	lower?: { since: number; polls: number };
	/** How many polls in a row of a first reading met an answer without content. */
	blanks: number;
	backoff?: RefusalBackoff;
	/** What the last poll could not read, by its name. */
	unansweredPolls: ReadonlyMap<string, UnansweredPolls>;
	/** The settings and key of the last poll. `said` holds when each reason was last reported under these. */
	subject?: string;
	keyId?: string;
	said: Map<string, number>;
	/** What the next polls must say in failed executions: a poll gives items or one of these. */
	unsaid: unknown[];
	/** The state as of the last poll. */
	copy?: StateCache;
	/** Whether n8n polls with one context from activation to deactivation: its default engine does, others never do. */
	keepsContext?: true;
	usedAt: number;
	/** Names of stations that were seen, for the event about one that is gone. */
	stationNames: Map<RowKey, string>;
	/** How many rows a page of the list has, if the platform sends fewer than it is asked for. */
	pageLength?: number;
	/** How many requests the last poll sent. */
	requests?: number;
	/** The station that was looked up last before the list was read. */
	turn?: RowKey;
	/** What is left of a list that was read at once, and is looked at over several polls. */
	listed?: Row[];
	/** Rows that the platform cannot give even when they are asked for one at a time. */
	unanswered: Set<RowKey>;
	/** What the log already says, for what is to be said once. */
	logged: Set<string>;
}

const FORGET_AFTER_MS = 8 * DAY_MS;

export const memories = new Map<string, NodeMemory>();

export function createMemory(node = '', names: readonly string[] = []): NodeMemory {
	return {
		node,
		names,
		polls: 0,
		distances: [],
		blanks: 0,
		usedAt: 0,
		stationNames: new Map(),
		unanswered: new Set(),
		logged: new Set(),
		unansweredPolls: new Map(),
		said: new Map(),
		unsaid: [],
	};
}

/** After so many polls of another name of the id, without one of this name, the node was renamed back. */
const RENAMED_AFTER = 2;

/**
 * The memory of the node that polls. A new name takes over a copy of the memory that its id has: the node was renamed, or
 * is a second one with this id.
 *
 * @param stored the names under which the node was polled by the state that n8n has stored, the one that saved it last
 */
export function findMemory(context: IPollFunctions, stored: readonly string[]): NodeMemory {
	const now = performance.now();
	for (const [key, { usedAt }] of memories) if (now - usedAt > FORGET_AFTER_MS) memories.delete(key);
	const { id, name } = context.getNode();
	const node = `${context.getWorkflow().id ?? ''}:${id}`;
	const key = `${node}:${name}`;
	const own = memories.get(key);
	const others = [...memories.values()].filter((memory) => memory.node === node && memory !== own);
	const isBack = others.some(({ names, polls }) => names.includes(name) && polls >= RENAMED_AFTER);
	const isNew = !own && last(stored) !== name;
	const before = isBack || isNew ? maxBy(others, 'usedAt') : undefined;
	// It is polling. The copy is taken with the next poll.
	if (before?.running !== undefined) return before;
	for (const other of others) other.names = without(other.names, name);
	const memory = before ? copyOf(before) : (own ?? createMemory(node, without(stored, name)));
	memory.polls++;
	memory.usedAt = now;
	memories.set(key, memory);
	return memory;
}

function copyOf(memory: NodeMemory): NodeMemory {
	const { node, names, copy, distances } = memory;
	const name = copy === undefined ? [] : [copy.nodeName];
	return { ...memory, ...createMemory(node, union(names, name)), distances };
}

/** The usual distance is the median of so many. */
const DISTANCES = 5;

const polledWith = new WeakSet<IPollFunctions>();

/** Remembers that a poll begins, whether it succeeds or not. */
export function recordPollStart(memory: NodeMemory, context: IPollFunctions, at: number): void {
	const { beganAt, distances } = memory;
	const isFresh = !polledWith.has(context);
	polledWith.add(context);
	if (!isFresh) memory.keepsContext = true;
	memory.isActivation = isFresh && context.getActivationMode() === 'activate';
	memory.isStart = beganAt === undefined || (isFresh && memory.keepsContext === true);
	memory.beganAt = at;
	memory.shownAt ??= at;
	if (beganAt !== undefined) memory.distances = [...distances, at - beganAt].slice(-DISTANCES);
}

/** The usual distance of two polls before this one, in milliseconds; 0 if it is not known. */
export function usualIntervalMs({ distances }: NodeMemory): number {
	const before = sortBy(distances.slice(0, -1));
	return before[Math.floor(before.length / 2)] ?? 0;
}

/**
 * Takes in that a poll could not read something.
 *
 * @param unread why, by its name; what is not in it could be read again, unless `others` stay
 */
export function recordUnanswered(
	memory: NodeMemory,
	unread: ReadonlyMap<string, unknown>,
	at: number,
	others = false,
): void {
	const { unansweredPolls: before } = memory;
	const noted = [...unread.keys()].map((what) => [what, addUnansweredPoll(before.get(what), at)] as const);
	memory.unansweredPolls = new Map([...(others ? before : []), ...noted]);
}
