import mapValues from 'lodash/mapValues';

import { shortHash } from '../hash';
import type { NewRowBorder, LoadedState, ReadingProgress, TriggerState, WatchState } from './savedState';
import {
	type Coverage,
	resumeCoverage,
	closeRound,
	longestGapMs,
	recordReadability,
	type WatchedTime,
} from './coverage';
import type { DetectedChange, EvaluationContext, Observation, AlertRule, WatchedValue } from './alertRule';
import { evaluateRule, type RuleEvaluation } from './evaluateRule';
import { JITTER_MS } from './pendingValue';
import {
	restartWaits,
	resetForNewConfig,
	evictEntries,
	keepHighestIds,
	NOTHING_KNOWN,
	type RuleState,
} from './ruleState';

/** One thing that a trigger watches. */
export interface WatchDefinition {
	rule: AlertRule;
	/** The platform, the list and the event: with another one, the watch begins from nothing. */
	place: unknown;
	/** What is watched: with other settings, the next poll only notes how things are. */
	meaning: unknown;
	/**
	 * Whether other settings keep what `resetForNewConfig` keeps, such as reported incidents. By default the watch
	 * begins from nothing.
	 */
	keepsIncidents?: boolean;
	/** How many things are remembered at most, and the refusal of more. */
	most?: { count: number; refusal(): Error };
	/** Only so many with the highest numbers are remembered. */
	newest?: number;
	/** Whether the filter selects its events, and not what is read: see `unmatched` of `PollReading`. */
	filtersEvents?: true;
	/**
	 * Whether what it reports happens only once to each thing: then event ids are made of the thing, and not of the
	 * saved state.
	 */
	isOnce?: true;
}

export interface WatchReading extends Omit<Observation, 'at' | 'unmatched'> {
	/** How many things can be remembered, where that depends on what was read. */
	most?: number;
	border?: NewRowBorder;
}

/** What a poll has read. */
export interface PollReading {
	/** For each watch. What could not be read is left out. */
	watchReadings: Readonly<Record<string, WatchReading | undefined>>;
	/** Where readings go on that have not reached their end. */
	readings: TriggerState['readings'];
	/** The keys for which the filter could not be asked, where it selects events: they stay as they were. */
	unmatched?: ReadonlySet<string>;
	/** By key, whether it could be read. */
	readability?: ReadonlyMap<string, boolean>;
	/** Whether a list would have shown a key and did not. */
	isLeftOut?(key: string): boolean;
	/** The round that this poll is in, where each thing is looked at once a round; and whether it has ended it. */
	round?: ReadingProgress & { isEnd: boolean };
}

export interface PollEvaluation {
	state: TriggerState;
	changes: DetectedChange[];
	/** Whether something has changed that later events depend on. */
	isNews: boolean;
	/** A time that was watched and is to be reported now. */
	watched?: WatchedTime & { id: string };
	/** What could not be read for an hour and is not said yet. */
	overdue: string[];
}

export interface EvaluationClock {
	now: number;
	/** The usual distance of two polls, 0 if it is not known. */
	usualMs: number;
	reportsWatching?: boolean;
	idOf: EvaluationContext['idOf'];
	/** The id of an event that happens only once to a thing in this place. */
	onceIdOf: EvaluationContext['idOf'];
}

/** Pending values keep waiting while polls are no further apart than this, or than two rounds and a poll. */
const LONGEST_PAUSE_MS = 15 * 60_000;

/** The state that a poll begins with: what is saved, as far as it holds under the present settings. */
export function restoreState(
	watches: Readonly<Record<string, WatchDefinition>>,
	{ state, isOfLastPoll }: Pick<LoadedState, 'state' | 'isOfLastPoll'>,
	{ now, isFirst, reportsFirst = false }: { now: number; isFirst: boolean; reportsFirst?: boolean },
): TriggerState {
	const before = state?.watches ?? {};
	const begun = Object.entries(watches).map(([name, { rule, place, meaning, keepsIncidents }]) => {
		const [at, config] = [shortHash(place), shortHash(meaning)];
		const known = before[name]?.place === at ? before[name] : undefined;
		const isSame = known?.config === config;
		const rest = known && (isOfLastPoll ? known : restartWaits(known, now));
		const entry = isSame ? rest : keepsIncidents && rest ? resetForNewConfig(rest, rule) : NOTHING_KNOWN;
		const border = isSame || keepsIncidents ? known?.border : undefined;
		const watch = { ...NOTHING_KNOWN, ...entry, place: at, config, ...(border && { border }) } satisfies WatchState;
		// Watched time is about incidents, and this rule has none.
		return { name, isSame, keepsCoverage: isSame || rule.kind === 'presence', watch };
	});
	const keepsCoverage = begun.every((each) => each.keepsCoverage);
	const coverage = state && keepsCoverage ? state.coverage : {};
	return {
		watches: Object.fromEntries(begun.map(({ name, watch }) => [name, watch])),
		// Watches may share a reading, so all are read from the start again.
		readings: state && begun.every(({ isSame }) => isSame) ? state.readings : {},
		coverage: isOfLastPoll ? coverage : resumeCoverage(coverage, now),
		roundPolls: state?.roundPolls,
		...((state ? state.reportsFirst : isFirst && reportsFirst) && { reportsFirst: true }),
		generation: state?.generation ?? 0,
	};
}

/** The state once Ids have begun again: an Id may stand for another thing, so nothing is known. */
export function resetForNewGeneration({ watches, generation }: TriggerState): TriggerState {
	return {
		watches: mapValues(watches, ({ place, config }) => ({ ...NOTHING_KNOWN, place, config })),
		readings: {},
		coverage: {},
		generation: generation + 1,
	};
}

/** Compares what a poll has read with the state. */
export function evaluateWatches(
	watches: Readonly<Record<string, WatchDefinition>>,
	state: TriggerState,
	found: PollReading,
	{ now, usualMs, reportsWatching = false, idOf, onceIdOf }: EvaluationClock,
): PollEvaluation {
	const context = {
		reportsFirst: state.reportsFirst === true,
		longestGapMs: Math.max(LONGEST_PAUSE_MS, (2 * pollsOfRound(state, found) + 1) * usualMs) + JITTER_MS,
	};
	const observed = new Map<string, RuleEvaluation & Pick<WatchState, 'border'>>();
	for (const [name, watch] of Object.entries(watches)) {
		const [reading, before] = [found.watchReadings[name], state.watches[name]];
		if (!reading || !before) continue;
		const ids = watch.isOnce ? (...parts: readonly WatchedValue[]) => onceIdOf(before.place, ...parts) : idOf;
		const unmatched = watch.filtersEvents && found.unmatched;
		observed.set(name, observedBy(watch, before, { ...reading, at: now, unmatched }, { ...context, idOf: ids }));
	}
	const after = mapValues(state.watches, (known, name) => {
		const { state: seen, border = known.border } = observed.get(name) ?? {};
		return { ...known, ...seen, ...(border && { border }) };
	});
	const all = [...observed.values()];
	const readability = recordReadability(
		state.coverage.unreadable,
		found.readability ?? new Map(),
		now,
		found.isLeftOut ?? (() => false),
	);
	const noted = {
		...state.coverage,
		ended: [...(state.coverage.ended ?? []), ...all.flatMap(({ ended }) => ended)],
		unreadable: readability.unreadable,
	};
	const { coverage, due } = endOf(noted, found.round, reportsWatching, {
		now,
		usualMs,
		states: Object.values(after),
	});
	const isBegun = Object.values(after).every((each) => each.isBegun);
	const next: TriggerState = {
		watches: after,
		readings: found.readings,
		coverage,
		roundPolls: found.round?.isEnd ? found.round.polls : state.roundPolls,
		...(state.reportsFirst && !isBegun && { reportsFirst: true }),
		generation: state.generation,
	};
	return {
		state: next,
		changes: all.flatMap(({ changes }) => changes),
		isNews: isToBeSaved(all, next),
		...(due && { watched: { ...due, id: idOf('watching', due.from) } }),
		overdue: readability.overdue,
	};
}

/** Whether there is news, or a first reading that the next poll goes on with: it then goes on after a restart, too. */
function isToBeSaved(all: readonly RuleEvaluation[], { watches, readings }: TriggerState): boolean {
	if (all.some(({ isNews, state }) => isNews && state.isBegun)) return true;
	return Object.keys(readings).length > 0 && Object.values(watches).some(({ isBegun }) => !isBegun);
}

/** How many polls a round takes: the last one, or the one under way if that has taken more. */
function pollsOfRound({ roundPolls = 1 }: TriggerState, { round }: PollReading): number {
	return Math.max(roundPolls, round?.polls ?? 1);
}

/** What one watch has seen, and what is kept of it. */
function observedBy(
	watch: WatchDefinition,
	before: WatchState,
	observation: WatchReading & Observation,
	context: EvaluationContext,
): RuleEvaluation & Pick<WatchState, 'border'> {
	const result = evaluateRule(before, watch.rule, observation, context);
	const state = bounded(watch, result.state, observation);
	const isNews = result.isNews || (watch.newest !== undefined && thousandOf(before) !== thousandOf(state));
	return {
		...result,
		isNews,
		state,
		...(observation.border && { border: borderOf(observation.border, result.state, state) }),
	};
}

/** What is remembered, within its bounds. @throws the refusal of more */
function bounded(
	{ most, newest: window }: WatchDefinition,
	state: RuleState,
	observation: WatchReading & Observation,
): RuleState {
	if (window !== undefined) {
		// A first reading may come again to what it has reported, so that is known until it ends.
		return state.isBegun ? keepHighestIds(state, observation, window) : evictEntries(state, observation, window);
	}
	if (!most) return state;
	const count = observation.most ?? most.count;
	const kept = evictEntries(state, observation, count);
	if (Object.keys(kept.entries).length > count) throw most.refusal();
	return kept;
}

/** Where only the newest are kept, the list is read from the lowest of them on. */
function borderOf(border: NewRowBorder, { isBegun, entries }: RuleState, kept: RuleState): NewRowBorder {
	const keys = Object.keys(kept.entries);
	if (!isBegun || keys.length === Object.keys(entries).length) return border;
	const lowest = Math.min(...keys.map(Number));
	return { ...border, from: Math.max(border.from ?? Number.NEGATIVE_INFINITY, lowest - 1) };
}

/** The newest are saved once in a thousand numbers although nothing is reported: after a restart, all above are read again. */
function thousandOf({ entries }: RuleState): number {
	return Math.floor(Object.keys(entries).reduce((highest, key) => Math.max(highest, Number(key)), 0) / 1000);
}

/** Ends a round: everything was seen once more, and it is known of each what became of it. */
function endOf(
	noted: Coverage & { unreadable: NonNullable<Coverage['unreadable']> },
	round: PollReading['round'],
	reportsWatching: boolean,
	{ now, usualMs, states }: Pick<EvaluationClock, 'now' | 'usualMs'> & { states: WatchState[] },
): { coverage: Coverage; due?: WatchedTime } {
	if (!reportsWatching) {
		const unreadable = Object.entries(noted.unreadable).filter(([, { until }]) => until === undefined);
		return { coverage: { unreadable: Object.fromEntries(unreadable) } };
	}
	if (!round?.isEnd || !round.isSure) return { coverage: noted };
	// Two looks at a thing are at most as far apart as two rounds, less one poll.
	const gapMs = longestGapMs(usualMs) * (2 * round.polls - 1);
	return closeRound(noted, { began: round.began, ended: now }, gapMs, states);
}
