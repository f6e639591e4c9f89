import groupBy from 'lodash/groupBy';
import mapValues from 'lodash/mapValues';

import { shortHash } from '../../shared/trigger/hash';
import { rowId, rowKeys } from '../../shared/trigger/keys';
import { NewIds } from '../../shared/trigger/newIds';
import { positionAfter } from '../../shared/trigger/types';
import type { Coverage, PollDraft, Position, RowKey } from '../../shared/trigger/types';
import type {
	Clocks,
	SessionEvent,
	SessionEventName,
	SessionRules,
	SessionsByHour,
	SessionSight,
	SessionState,
} from './types';

const HOUR_MS = 60 * 60_000;
/** How much longer than necessary a session is remembered as running long. */
const MARGIN_MS = 24 * HOUR_MS;

/** One poll's working copy of the state. */
export class SessionDraft implements PollDraft<SessionEvent, SessionState> {
	readonly events: SessionEvent[] = [];
	readonly backlog: readonly SessionEvent[];
	/** Which sessions are new. */
	readonly newIds: NewIds;
	private readonly kept: SessionState['kept'];
	private readonly notes: SessionState['notes'];
	/** Sessions that are not over, and those that run long, with when they started. */
	private readonly open: Map<RowKey, number>;
	private readonly long: Map<RowKey, number>;

	/**
	 * @param saved the saved state, if any
	 * @param isFirst whether nothing was ever saved
	 */
	constructor(
		saved: SessionState | undefined,
		private readonly rules: SessionRules,
		isFirst: boolean,
	) {
		const { place, events, openConfig, longConfig, overCodes } = rules;
		const known = saved?.kept.place === place ? saved : undefined;
		const kept = (this.kept = known?.kept ?? { place, overCodes: [...overCodes], backlog: [] });
		this.notes = known?.notes ?? { recent: [], unsaved: 0, open: {}, long: {} };
		this.newIds = new NewIds(kept, this.notes);
		this.backlog = kept.backlog;
		const reports = isFirst && rules.reportInitialState;

		// When settings change, followed sessions stay followed. Others that are open now are added without an event.
		if (kept.openConfig !== openConfig) {
			kept.openReading = openConfig === undefined ? undefined : { reports: false, next: null };
			if (openConfig === undefined) this.notes.open = {};
		}
		if (reports && events.has('started')) kept.openReading = { reports, next: null };
		if (kept.longConfig !== longConfig) {
			kept.longReading = longConfig === undefined ? undefined : { reports };
			this.notes.longNext = undefined;
			if (longConfig === undefined) this.notes.long = {};
		}
		if (!this.looksForNew) kept.newSince = undefined;
		Object.assign(kept, { openConfig, longConfig });
		this.open = readSessions(this.notes.open);
		this.long = readSessions(this.notes.long);
	}

	toState(backlog: SessionEvent[]): SessionState {
		const { kept, notes, open, long, events, rules } = this;
		this.newIds.settle(events.length > 0);
		return {
			kept: { ...kept, backlog },
			notes: {
				...notes,
				open: rules.openConfig === undefined ? {} : writeSessions(open),
				long: writeSessions(long),
			},
		};
	}

	/** Whether new sessions are of interest. */
	get looksForNew(): boolean {
		return this.rules.events.has('started') || this.rules.openConfig !== undefined;
	}

	/** Takes in the sessions behind `newIds.after`. */
	discover(sights: readonly SessionSight[], { own, platform }: Clocks): void {
		const { rules, newIds } = this;
		const fresh = new Set(newIds.discover(sights.map(({ session }) => Number(session))));
		for (const sight of sights) {
			const { session, code, startedAt } = sight;
			if (!fresh.has(Number(session))) continue;
			if (rules.events.has('started')) this.raise('started', session, own);
			if (rules.overCodes.has(code)) this.end(sight, own);
			else this.follow(session, startedAt, Math.max(own, platform));
		}
	}

	private follow(session: RowKey, startedAt: number | undefined, latest: number): void {
		if (!this.open.has(session)) this.open.set(session, Math.min(startedAt ?? latest, latest));
	}

	/** What the first reading of open sessions has to read next; undefined once it is complete. */
	openReading(): { next: Position; upTo: number } | undefined {
		const reading = this.kept.openReading;
		if (reading === undefined) return undefined;
		reading.upTo ??= this.notes.recent.at(-1) ?? 0;
		return { next: reading.next, upTo: reading.upTo };
	}

	/** Takes in a part of the first reading of open sessions. */
	adoptOpen(sights: readonly SessionSight[], coverage: Coverage, { own, platform }: Clocks): void {
		const { openReading } = this.kept;
		if (openReading?.reports) {
			// One that began a moment ago must not be reported as new again.
			this.newIds.remember(sights.map(({ session }) => Number(session)));
			for (const { session } of sights) this.raise('started', session, own);
		}
		for (const { session, startedAt } of sights) this.follow(session, startedAt, Math.max(own, platform));
		const next = positionAfter(coverage);
		this.kept.openReading = openReading && next !== undefined ? { ...openReading, next } : undefined;
	}

	/** The open sessions to look up, in order, without those that this poll has already seen. */
	toLookUp(seen: ReadonlyMap<RowKey, unknown>): RowKey[] {
		const { openNext = Number.NEGATIVE_INFINITY } = this.notes;
		const ids = [...this.open.keys()].filter((key) => !seen.has(key)).map(Number);
		ids.sort((a, b) => a - b);
		const next = ids.findIndex((id) => id > openNext);
		return (next <= 0 ? ids : [...ids.slice(next), ...ids.slice(0, next)]).map(String);
	}

	/**
	 * Takes in what was found out about open sessions. A session missing from the answer stays open, as that proves
	 * nothing. It is given up after `watchMs`, like one that never ends.
	 *
	 * @param asked those that were looked up, in the order of `toLookUp`
	 * @param isComplete whether all were looked up
	 */
	lookedUp(
		sights: ReadonlyMap<RowKey, SessionSight>,
		{ asked, isComplete }: { asked: readonly RowKey[]; isComplete: boolean },
		clocks: Clocks,
	): void {
		const { kept, notes, rules, open } = this;
		const before = new Set(kept.overCodes);
		for (const key of new Set([...sights.keys(), ...asked])) {
			const startedAt = open.get(key);
			if (startedAt === undefined) continue;
			const sight = sights.get(key);
			if (sight && rules.overCodes.has(sight.code)) {
				// No event if only the settings changed: the session may have been in this status for long.
				if (before.has(sight.code)) this.end(sight, clocks.own);
				else open.delete(key);
			} else if (surely(clocks) - startedAt >= rules.watchMs) {
				open.delete(key);
			}
		}
		const last = asked.at(-1);
		notes.openNext = isComplete ? undefined : last === undefined ? notes.openNext : Number(last);
		if (isComplete) kept.overCodes = [...rules.overCodes];
	}

	/** The Id behind which reading the sessions that run long goes on. */
	get longNext(): Position {
		return this.notes.longNext;
	}

	/** Takes in sessions that are not over and started long ago. */
	observeLong(sights: readonly SessionSight[], coverage: Coverage, clocks: Clocks): void {
		const { kept, notes, rules, long } = this;
		for (const { session, startedAt } of sights) {
			const runningMs = clocks.platform - (startedAt ?? clocks.platform);
			if (startedAt === undefined || runningMs < rules.longMs || long.has(session)) continue;
			long.set(session, startedAt);
			const isReported = kept.longReading?.reports !== false;
			if (isReported) this.raise('runningLong', session, clocks.own, Math.round(runningMs / 1000));
		}
		for (const [session, startedAt] of long) {
			if (surely(clocks) - startedAt >= rules.longMs + rules.watchMs + MARGIN_MS) long.delete(session);
		}
		notes.longNext = positionAfter(coverage);
		if (notes.longNext === undefined) kept.longReading = undefined;
	}

	get openCount(): number {
		return this.open.size;
	}

	/** A session is over. Later changes to it raise no event. */
	private end({ session, code }: SessionSight, now: number): void {
		const { events, endCodes, failedCodes } = this.rules;
		this.open.delete(session);
		if (events.has('failed') && failedCodes.has(code)) this.raise('failed', session, now);
		else if (events.has('ended') && endCodes.has(code)) this.raise('ended', session, now);
	}

	private raise(name: SessionEventName, session: RowKey, now: number, durationSeconds: number | null = null): void {
		const { place, longMs } = this.rules;
		const id = shortHash([place, name, session, ...(name === 'runningLong' ? [longMs] : [])]);
		this.events.push({ name, session, detectedAt: now, durationSeconds, id });
	}
}

/** The earlier of the two clocks: that time has been reached whichever of them is right. */
export function surely({ own, platform }: Clocks): number {
	return Math.min(own, platform);
}

function writeSessions(sessions: ReadonlyMap<RowKey, number>): SessionsByHour {
	const byHour = groupBy([...sessions], ([, startedAt]) => Math.ceil(startedAt / HOUR_MS));
	return mapValues(byHour, (entries) => entries.map(([key]) => rowId(key)));
}

function readSessions(byHour: SessionsByHour): Map<RowKey, number> {
	return new Map(
		Object.entries(byHour).flatMap(([hour, ids]) =>
			rowKeys(ids).map((key): [RowKey, number] => [key, Number(hour) * HOUR_MS]),
		),
	);
}
