import { shortHash } from '../../shared/trigger/hash';
import type { RowKey } from '../../shared/trigger/types';

/**
 * The session trigger's state machine. Pure like the rest of this folder: rows and times come in as arguments. Times are
 * milliseconds since 1970, by the platform's clock unless said otherwise.
 */

export const SESSION_EVENTS = ['started', 'ended', 'failed', 'runningLong'] as const;

export type SessionEventName = (typeof SESSION_EVENTS)[number];

/** One thing that happened to one session. */
export interface SessionEvent {
	name: SessionEventName;
	session: RowKey;
	/** When the poll ran that raised the event, by this machine's clock. */
	detectedAt: number;
	/** How long the session has been running; null where that is not what the event is about. */
	durationSeconds: number | null;
	/** The same whenever the same thing is found again: it is made from what is watched, the session and the event. */
	id: string;
}

/** What a poll saw of one session. */
export interface SessionSight {
	session: RowKey;
	/** Its Status, encoded. */
	code: string;
	startedAt?: number;
}

/** Whether a first reading tells what it finds, or only notes it. */
type FirstReading = 'told' | 'noted';

/** Everything the trigger remembers between polls. */
export interface SessionState {
	/** Fingerprints of what gives the state its meaning: see `SessionRules`. */
	place: string;
	openConfig: string;
	longConfig: string;
	/** How many batches this state has been saved with, and how many changes since then were not worth saving. */
	batch: number;
	quiet: number;
	/** Sessions found since the state was last saved. */
	unsaved: number;
	/** The highest Ids known, in order. Undefined where no event needs them, or before the first reading. */
	recent?: number[];
	/** Sessions that are not over, with when they started. Undefined where no event needs them. */
	open?: Map<RowKey, number>;
	/** The codes with which a session was over for whoever last looked at all of `open`. */
	overCodes: string;
	/** The first reading of open sessions: how it is meant, and how far it has come. Undefined when it is complete. */
	openFirst?: FirstReading;
	openUpTo?: number;
	/** Where looking up open sessions goes on because the last poll did not get through. */
	lookAfter?: number;
	/** Sessions that are known to run long, with when they started. Undefined where no event needs them. */
	long?: Map<RowKey, number>;
	longFirst?: FirstReading;
	/** Where reading them goes on. */
	longAfter?: number;
	/** Events that were raised but not yet handed over. */
	backlog: SessionEvent[];
}

/** What is watched, and what of it is reported. */
export interface SessionRules {
	events: ReadonlySet<SessionEventName>;
	/** Codes that are reported as ended. */
	endCodes: ReadonlySet<string>;
	/** Codes that are reported as failed, where that is asked for. */
	failedCodes: ReadonlySet<string>;
	/** All codes with which a session is over. */
	overCodes: ReadonlySet<string>;
	/** How long after its start a session is given up; where it runs long, after that. */
	watchMs: number;
	longMs: number;
	/** Whether the very first reading tells of the sessions it finds. */
	reportInitialState: boolean;
	/** Fingerprint of where is watched: another one begins a new state. */
	place: string;
	/** Fingerprints of what makes a session open, or long. With another one the sessions there are are noted anew. */
	openConfig: string;
	longConfig: string;
	/** Stands for what is watched in event ids. */
	seed: string;
}

/** How many of the highest Ids are remembered, so that a session that turns up late among them is found. */
export const REMEMBERED_IDS = 50;
/** After this many sessions that raised nothing the state is saved nevertheless: a restart would have to read them again. */
const MOST_UNSAVED = 1000;
/** How much longer than needed a session is remembered as told. */
const MARGIN_MS = 24 * 60 * 60_000;

/** Whether the rules need to know which sessions are new. */
export function followsNew({ events }: SessionRules): boolean {
	return events.has('started') || followsOpen({ events });
}

/** Whether the rules need to know which sessions are open. */
export function followsOpen({ events }: Pick<SessionRules, 'events'>): boolean {
	return events.has('ended') || events.has('failed');
}

/** One poll's working copy of the state. */
export class SessionDraft {
	readonly state: SessionState;
	readonly events: SessionEvent[] = [];
	/** Something changed that must not be lost. */
	mustSave = false;
	/** Something changed that the next poll would find again by itself. */
	changedQuietly = false;

	/**
	 * @param saved the state as it was found, or nothing
	 * @param now the time of the poll, by this machine's clock
	 */
	constructor(
		saved: SessionState | undefined,
		private readonly rules: SessionRules,
		private readonly now: number,
	) {
		const first: FirstReading = saved === undefined && rules.reportInitialState ? 'told' : 'noted';
		const known = saved?.place === rules.place ? saved : undefined;
		this.state = known
			? { ...known, open: known.open && new Map(known.open), long: known.long && new Map(known.long) }
			: {
					...{ place: rules.place, openConfig: rules.openConfig, longConfig: rules.longConfig },
					...{ batch: saved?.batch ?? 0, quiet: 0, unsaved: 0, backlog: [], overCodes: codesText(rules) },
				};
		if (!known) this.mustSave = true;
		this.adaptOpen(first);
		this.adaptLong(first);
		if (!followsNew(rules)) this.state.recent = undefined;
	}

	/** Sessions that were open stay so. Which others are is read anew. */
	private adaptOpen(first: FirstReading): void {
		const { state, rules } = this;
		const wanted = followsOpen(rules);
		const isNew = (wanted && !state.open) || state.openConfig !== rules.openConfig;
		const tells = first === 'told' && rules.events.has('started');
		if ((wanted && isNew) || tells) {
			state.openFirst = tells ? 'told' : 'noted';
			state.openUpTo = Number.NEGATIVE_INFINITY;
		}
		if (state.openConfig !== rules.openConfig || wanted !== (state.open !== undefined)) this.mustSave = true;
		state.openConfig = rules.openConfig;
		state.open = wanted ? (state.open ?? new Map()) : undefined;
		if (wanted || state.openFirst === 'told') return;
		state.openFirst = state.openUpTo = state.lookAfter = undefined;
	}

	/** Sessions that were told of stay so. Others that run long by now are only noted. */
	private adaptLong(first: FirstReading): void {
		const { state, rules } = this;
		const wanted = rules.events.has('runningLong');
		const isNew = !state.long || state.longConfig !== rules.longConfig;
		if (wanted !== (state.long !== undefined) || (wanted && isNew)) this.mustSave = true;
		state.longConfig = rules.longConfig;
		if (!wanted) {
			state.long = state.longFirst = state.longAfter = undefined;
		} else if (isNew) {
			state.long ??= new Map();
			state.longFirst = first;
			state.longAfter = undefined;
		}
	}

	/** The Id from which on the list of sessions is to be read, `-Infinity` for all of it. */
	newFrom(lookBack: number): number {
		const { recent = [] } = this.state;
		return recent[recent.length - lookBack] ?? Number.NEGATIVE_INFINITY;
	}

	/** Takes the highest Ids there are for known: nothing is told of sessions up to there. */
	startAt(ids: readonly number[]): void {
		this.state.recent = [...ids].sort((a, b) => a - b).slice(-REMEMBERED_IDS);
		this.mustSave = true;
	}

	/** Takes in the sessions from `newFrom` on. */
	discover(sights: readonly SessionSight[]): void {
		const { state, rules, now } = this;
		const known = new Set(state.recent);
		const fresh = sights.filter(({ session }) => !known.has(Number(session)));
		if (fresh.length === 0) return;
		this.remember(fresh);
		state.unsaved += fresh.length;
		this.changedQuietly = true;
		for (const sight of fresh) {
			const { session, code, startedAt } = sight;
			if (rules.events.has('started')) this.raise('started', session);
			if (rules.overCodes.has(code)) this.end(sight);
			else state.open?.set(session, Math.min(startedAt ?? now, now));
		}
	}

	private remember(sights: readonly SessionSight[]): void {
		const ids = new Set([...(this.state.recent ?? []), ...sights.map(({ session }) => Number(session))]);
		this.state.recent = [...ids].sort((a, b) => a - b).slice(-REMEMBERED_IDS);
	}

	/**
	 * Takes in a part of the first reading of open sessions.
	 *
	 * @param upTo the last Id that was read, `Infinity` when that was all
	 */
	adoptOpen(sights: readonly SessionSight[], upTo: number): void {
		const { state, rules, now } = this;
		if (state.openFirst === 'told' && rules.events.has('started')) {
			// One that began a moment ago must not be told again as new.
			const [lowest = Number.NEGATIVE_INFINITY] = state.recent ?? [];
			this.remember(sights.filter(({ session }) => Number(session) >= lowest));
			for (const { session } of sights) this.raise('started', session);
		}
		for (const { session, startedAt } of sights) {
			if (!state.open?.has(session)) state.open?.set(session, Math.min(startedAt ?? now, now));
		}
		const complete = upTo === Number.POSITIVE_INFINITY;
		state.openUpTo = complete ? undefined : upTo;
		if (complete) state.openFirst = undefined;
		this.mustSave = true;
	}

	/** The open sessions to look up, in the order to do it, without those that were seen anyway. */
	toLookUp(seen: ReadonlyMap<RowKey, unknown>): RowKey[] {
		const { open, lookAfter = Number.NEGATIVE_INFINITY } = this.state;
		const ids = [...(open?.keys() ?? [])].filter((key) => !seen.has(key)).map(Number);
		ids.sort((a, b) => a - b);
		const next = ids.findIndex((id) => id > lookAfter);
		return (next <= 0 ? ids : [...ids.slice(next), ...ids.slice(0, next)]).map(String);
	}

	/**
	 * Takes in what was found out about open sessions. One that the platform does not show stays open: what is missing from
	 * an answer proves nothing. It is given up when its time is over, like one that never ends.
	 *
	 * @param seen those that were seen anyway
	 * @param asked those that were asked for, in the order of `toLookUp`
	 * @param complete whether no other is left to be asked for
	 */
	lookedUp(
		{ seen, asked, complete }: { seen: readonly RowKey[]; asked: readonly RowKey[]; complete: boolean },
		sights: ReadonlyMap<RowKey, SessionSight>,
		platformNow: number,
	): void {
		const { state, rules } = this;
		const before = new Set(state.overCodes.split(','));
		for (const key of [...seen, ...asked]) {
			const startedAt = state.open?.get(key);
			if (startedAt === undefined) continue;
			const sight = sights.get(key);
			if (sight && rules.overCodes.has(sight.code)) {
				// It may have been in such a state for long, and only now does that count as over.
				if (before.has(sight.code)) this.end(sight);
				else this.giveUp(key);
			} else if (platformNow - startedAt >= rules.watchMs) {
				this.giveUp(key);
			}
		}
		const last = asked.at(-1);
		const reached = last === undefined ? state.lookAfter : Number(last);
		const lookAfter = complete ? undefined : reached;
		if (lookAfter !== state.lookAfter) this.changedQuietly = true;
		state.lookAfter = lookAfter;
		const codes = codesText(rules);
		if (!complete || state.overCodes === codes) return;
		state.overCodes = codes;
		this.mustSave = true;
	}

	/**
	 * Takes in sessions that are not over and began long ago.
	 *
	 * @param upTo the last Id that was read, `Infinity` when that was all
	 */
	observeLong(sights: readonly SessionSight[], upTo: number, platformNow: number): void {
		const { state, rules } = this;
		const { long } = state;
		if (!long) return;
		for (const { session, startedAt } of sights) {
			if (startedAt === undefined || platformNow - startedAt < rules.longMs || long.has(session)) continue;
			long.set(session, startedAt);
			if (state.longFirst === 'noted') this.mustSave = true;
			else this.raise('runningLong', session, Math.round((platformNow - startedAt) / 1000));
		}
		for (const [session, startedAt] of long) {
			if (platformNow - startedAt < rules.longMs + rules.watchMs + MARGIN_MS) continue;
			long.delete(session);
			this.changedQuietly = true;
		}
		const complete = upTo === Number.POSITIVE_INFINITY;
		const next = complete ? undefined : upTo;
		if (state.longAfter !== next) this.changedQuietly = true;
		state.longAfter = next;
		if (complete && state.longFirst !== undefined) {
			state.longFirst = undefined;
			this.mustSave = true;
		}
	}

	/**
	 * Ends a poll. The state is then ready to be stored.
	 *
	 * @param told how many events are handed over now
	 * @param backlog those that wait for the next poll
	 * @param savesQuietChanges whether the engine saves a state that is returned without a batch
	 * @returns whether it must be saved, has merely changed, or is as it was
	 */
	finish(told: number, backlog: SessionEvent[], savesQuietChanges: boolean): 'save' | 'keep' | 'unchanged' {
		const { state } = this;
		if (told > 0 || backlog.length !== state.backlog.length) this.mustSave = true;
		if (state.unsaved >= MOST_UNSAVED && !savesQuietChanges) this.mustSave = true;
		state.backlog = backlog;
		if (this.mustSave) {
			state.batch++;
			state.quiet = state.unsaved = 0;
			return 'save';
		}
		if (!this.changedQuietly) return 'unchanged';
		state.quiet++;
		return 'keep';
	}

	/** A session is over. Nothing that happens to it afterwards is an event. */
	private end({ session, code }: SessionSight): void {
		const { events, endCodes, failedCodes } = this.rules;
		this.giveUp(session);
		if (events.has('failed') && failedCodes.has(code)) this.raise('failed', session);
		else if (events.has('ended') && endCodes.has(code)) this.raise('ended', session);
	}

	private giveUp(session: RowKey): void {
		if (this.state.open?.delete(session)) this.changedQuietly = true;
	}

	private raise(name: SessionEventName, session: RowKey, durationSeconds: number | null = null): void {
		const { seed, longMs } = this.rules;
		const id = shortHash([seed, name, session, ...(name === 'runningLong' ? [longMs] : [])]);
		this.events.push({ name, session, detectedAt: this.now, durationSeconds, id });
	}
}

function codesText({ overCodes }: SessionRules): string {
	return [...overCodes].sort().join(',');
}
