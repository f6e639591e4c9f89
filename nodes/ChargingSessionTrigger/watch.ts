import type { INodeExecutionData } from 'n8n-workflow';

import { and } from '../shared/dsquery/compose';
import type { Platform, Row } from '../shared/platform';
import type { StoredState } from '../shared/trigger/stored';
import type { RowKey } from '../shared/trigger/types';
import { toItems } from '../shared/trigger/items';
import { lookUp, scanAny } from '../shared/trigger/lists';
import type { ReadPace, Scan } from '../shared/trigger/lists';
import { saw, savesQuietChanges } from '../shared/trigger/memory';
import { isPassing, orElse } from '../shared/trigger/orElse';
import type { Poll } from '../shared/trigger/run';
import { shortHash } from '../shared/trigger/hash';
import { followsNew, followsOpen, REMEMBERED_IDS, SessionDraft } from './state/sessions';
import type { SessionEvent, SessionRules, SessionSight } from './state/sessions';
import { readSessionState, writeSessionState } from './state/store';
import { newest } from './memory';
import type { Remembered } from './memory';
import { toJson } from './present';
import type { ReadyEvent } from './present';
import { newestIds, openBetween, openSince, sessions, sessionsFrom, toSight } from './read';
import { FAILED_CODES } from './settings';
import type { SessionSettings } from './settings';

/** Shares of the poll's time after which no new work of a kind is begun; the rest is for what is under way. */
const NEW_SHARE = 0.3;
const SCAN_SHARE = 0.4;
const LOOKUP_SHARE = 0.55;
const CONFIRM_SHARE = 0.7;
/** New sessions in one poll; the others come with the next. */
const MOST_NEW = 5_000;
/** The platform's clock is known to a second, and of a first poll not at all: sessions that are nearly due are read as well. */
const CLOCK_MARGIN_MS = 10 * 60_000;
/** From this many open sessions on, the log says so. */
const MANY_OPEN = 300;

/** What is watched, and how: the settings together with the place they apply to. */
export function rulesOf(settings: SessionSettings, { baseUrl, environment }: Platform): SessionRules {
	const { events, endCodes, overCodes, watchMs, longMs, reportInitialState, storedFilter } = settings;
	const place = shortHash({ baseUrl, environment });
	const over = [...overCodes].sort();
	return {
		...{ events, endCodes, failedCodes: FAILED_CODES, overCodes, watchMs, longMs, reportInitialState },
		place,
		openConfig: shortHash([over, watchMs]),
		longConfig: shortHash([over, watchMs, longMs, storedFilter]),
		seed: place,
	};
}

/**
 * One poll: finds new sessions, looks up those that are open, and hands over what happened.
 *
 * The stored state is written last, right before returning. What raised an event is saved with it; what did not would be
 * found again, so it is written without a batch, and engines that keep that save work.
 */
export async function watchOnce(poll: Poll<SessionSettings, Remembered>): Promise<INodeExecutionData[][] | null> {
	const { context, platform, settings, memory, now, isScheduled } = poll;
	const stored: StoredState = context.getWorkflowStaticData('node');
	const saved = readSessionState(stored);
	const base = newest(memory, saved);
	const rules = rulesOf(settings, platform);
	const reading = new Reading(poll, new SessionDraft(base, rules, now), rules);
	await reading.run();

	const { draft } = reading;
	const { ready, waiting } = await reading.handOver([...draft.state.backlog, ...draft.events]);
	const outcome = draft.finish(ready.length, waiting, savesQuietChanges(stored, isScheduled));
	if (outcome !== 'unchanged' || base !== saved) writeSessionState(stored, draft.state);
	saw(memory, now);
	memory.own.latest = draft.state;
	memory.own.clockAheadMs = platform.stats.clockAheadMs;
	if (outcome !== 'save') return null;
	const surroundings = { environment: platform.environment, zone: context.getTimezone() };
	return [toItems(ready, settings.output, surroundings, toJson)];
}

/** What one poll reads, and what it makes of it. */
class Reading {
	/** Every session that this poll has seen. */
	private readonly rows = new Map<RowKey, Row>();
	private readonly sights = new Map<RowKey, SessionSight>();
	private answered = false;
	private passing = false;

	constructor(
		private readonly poll: Poll<SessionSettings, Remembered>,
		readonly draft: SessionDraft,
		private readonly rules: SessionRules,
	) {}

	async run(): Promise<void> {
		const { rules, draft } = this;
		const seen = followsNew(rules) ? await this.attempt(async () => await this.readNew()) : undefined;
		if (rules.events.has('runningLong')) await this.attempt(async () => await this.readLong());
		if (draft.state.openFirst !== undefined) await this.attempt(async () => await this.readOpenFirst());
		if (followsOpen(rules)) await this.lookUpOpen(seen ?? []);
		this.poll.memory.gentle &&= this.passing;
	}

	/**
	 * The first request says whether the platform answers at all; its refusal ends the poll. What does not get through
	 * later in passing is left for the next poll, and the rest counts.
	 */
	private async attempt<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
		const outcome = await orElse(work(), (error) => this.answered && isPassing(error));
		if ('value' in outcome) {
			this.answered = true;
			return outcome.value;
		}
		this.passing = true;
		return undefined;
	}

	/** @returns the sessions seen, new or not */
	private async readNew(): Promise<SessionSight[]> {
		const { platform, settings, memory } = this.poll;
		const { draft } = this;
		if (draft.state.recent === undefined) {
			draft.startAt(await newestIds(platform, REMEMBERED_IDS, settings.pageSize));
			return [];
		}
		// Half a page for the last ones known, so that one page holds them and as many new ones.
		const page = Math.min(settings.pageSize, memory.own.clampedTo ?? settings.pageSize);
		const lookBack = Math.max(1, Math.min(REMEMBERED_IDS, Math.floor(page / 2)));
		const pace = { ...this.paceFor(NEW_SHARE), parallel: 1, enough: MOST_NEW };
		const { rows, clampedTo } = await sessionsFrom(platform, draft.newFrom(lookBack), pace);
		const isRefuted = rows.length > (memory.own.clampedTo ?? 0);
		memory.own.clampedTo = clampedTo ?? (isRefuted ? undefined : memory.own.clampedTo);
		const seen = this.note(rows);
		draft.discover(seen);
		return seen;
	}

	private async readLong(): Promise<void> {
		const assumed = this.platformNow();
		const first = await this.scanLong();
		// The first answer of all tells the platform's time. Where this machine's is quite another, others run long.
		const isFarOff = Math.abs(this.platformNow() - assumed) > CLOCK_MARGIN_MS;
		const { rows, coverage } = isFarOff ? await this.scanLong() : first;
		this.draft.observeLong(this.note(rows), coverage.upTo, this.platformNow());
	}

	private async scanLong(): Promise<Scan> {
		const { platform, settings } = this.poll;
		const { overCodes, watchMs, longMs } = this.rules;
		const latest = this.platformNow() - longMs;
		const filter = and(settings.filter, openBetween(overCodes, latest - watchMs, latest + CLOCK_MARGIN_MS));
		const after = this.draft.state.longAfter ?? Number.NEGATIVE_INFINITY;
		return await scanAny(sessions(platform, filter), after, this.scanPace());
	}

	/** The sessions that were open when the trigger began to follow them. */
	private async readOpenFirst(): Promise<void> {
		const { state } = this.draft;
		const highest = state.recent?.at(-1);
		if (highest === undefined) {
			this.draft.adoptOpen([], Number.POSITIVE_INFINITY);
			return;
		}
		const { overCodes, watchMs } = this.rules;
		const source = sessions(this.poll.platform, openSince(overCodes, this.platformNow() - watchMs, highest));
		const { rows, coverage } = await scanAny(source, state.openUpTo ?? Number.NEGATIVE_INFINITY, this.scanPace());
		this.draft.adoptOpen(this.note(rows), coverage.upTo);
	}

	private async lookUpOpen(seen: readonly SessionSight[]): Promise<void> {
		const { draft } = this;
		const { open } = draft.state;
		const keys = draft.toLookUp(this.sights);
		const found = await lookUp(sessions(this.poll.platform), keys, this.paceFor(LOOKUP_SHARE));
		this.note([...found.rows.values()]);
		const complete = found.asked.size === keys.length;
		this.passing ||= !complete;
		const known = seen.map(({ session }) => session).filter((session) => open?.has(session));
		draft.lookedUp({ seen: known, asked: [...found.asked], complete }, this.sights, this.platformNow());
		this.warnOfMany();
	}

	/**
	 * Adds to each event its session, and leaves out those whose session does not match the filter. Events that cannot be
	 * checked in the time that is left wait for the next poll.
	 */
	async handOver(events: readonly SessionEvent[]): Promise<{ ready: ReadyEvent[]; waiting: SessionEvent[] }> {
		const { platform, settings, context } = this.poll;
		const { filter } = settings;
		// The list of sessions running long has been read with the filter.
		const toCheck = (event: SessionEvent) =>
			!this.rows.has(event.session) || (filter !== undefined && event.name !== 'runningLong');
		const keys = [...new Set(events.filter(toCheck).map(({ session }) => session))];
		const found = await lookUp(sessions(platform, filter), keys, this.paceFor(CONFIRM_SHARE));
		const ready: ReadyEvent[] = [];
		const waiting: SessionEvent[] = [];
		for (const event of events) {
			const { session } = event;
			if (!toCheck(event)) ready.push({ event, session: this.rows.get(session) ?? null });
			else if (!found.asked.has(session)) waiting.push(event);
			else if (found.rows.has(session) || filter === undefined) {
				ready.push({ event, session: found.rows.get(session) ?? null });
			}
		}
		if (waiting.length > 0) {
			context.logger.info(
				`${waiting.length} session events wait for the next poll, because they could not be read now.`,
			);
		}
		return { ready, waiting };
	}

	private note(rows: readonly Row[]): SessionSight[] {
		const sights: SessionSight[] = [];
		for (const row of rows) {
			const sight = toSight(row);
			if (!sight) continue;
			this.rows.set(sight.session, row);
			this.sights.set(sight.session, sight);
			sights.push(sight);
		}
		return sights;
	}

	/** What time it is on the platform, as far as its answers tell: sessions bear its times. */
	private platformNow(): number {
		const { platform, memory, now } = this.poll;
		return now + (platform.stats.clockAheadMs ?? memory.own.clockAheadMs ?? 0);
	}

	private paceFor(share: number): ReadPace {
		const { settings, memory, now, budgetMs } = this.poll;
		return {
			pageSize: settings.pageSize,
			parallel: memory.gentle ? 1 : settings.parallel,
			until: now + budgetMs * share,
		};
	}

	private scanPace(): ReadPace {
		const { settings, memory } = this.poll;
		return { ...this.paceFor(SCAN_SHARE), parallel: memory.gentle ? 1 : settings.scanParallel };
	}

	/** Sessions that are over, in a status nobody has named as such, cost requests and hide in the number. */
	private warnOfMany(): void {
		const { memory, context } = this.poll;
		const { open } = this.draft.state;
		if (!open || open.size < MANY_OPEN || memory.own.warned) return;
		memory.own.warned = true;
		const counts = new Map<string, number>();
		for (const key of open.keys()) {
			const code = this.sights.get(key)?.code ?? 'unknown';
			counts.set(code, (counts.get(code) ?? 0) + 1);
		}
		const [[code, count] = ['', 0]] = [...counts].sort(([, a], [, b]) => b - a);
		context.logger.warn(
			`${open.size} charging sessions count as still running, ${count} of them with Status code ${code}; each poll asks for all of them. If that code means that a session is over, choose it under Options > Also Over.`,
		);
	}
}
