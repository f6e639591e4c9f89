import { DAY_MS } from '../../shared/dsquery/values/durations';
import { positionAfter } from '../../shared/trigger/types';
import type { Coverage, Position, RowKey } from '../../shared/trigger/types';
import { pack, unpack } from './byHour';
import { SESSION_EVENTS } from './events';
import type { SessionEventName, StateEvent, StateSlice } from './events';
import type { Clocks, PartOfDraft, SessionSight } from './types';
import { surely } from './types';

/** How much longer than necessary a session is remembered. */
const MARGIN_MS = DAY_MS;

/** The sessions that are in the state of one event, such as those that run long. Each is reported once. */
export class SessionsInState {
	/** When each of those that are known to be, or have been, in the state started. */
	private readonly sessions: Map<RowKey, number>;
	private readonly keys;

	/** @param event the record under this name */
	constructor(
		readonly name: SessionEventName,
		readonly event: StateEvent & { slice: StateSlice },
		private readonly part: PartOfDraft,
	) {
		const { kept, notes, rules, reportsInitial } = part;
		const { slice } = event;
		const keys = { config: `${slice}Config`, reading: `${slice}Reading`, next: `${slice}Next` } as const;
		this.keys = keys;
		const config = rules.configs[slice];
		if (kept[keys.config] !== config) {
			const reports = reportsInitial && SESSION_EVENTS[name].baseline === 'ifAsked';
			kept[keys.reading] = config === undefined ? undefined : { reports };
			notes[keys.next] = undefined;
			if (config === undefined) notes[slice] = {};
		}
		kept[keys.config] = config;
		this.sessions = unpack(notes[slice] ?? {});
	}

	/** Whether it is not yet known which sessions are in the state. */
	get isFirstReading(): boolean {
		return this.part.kept[this.keys.reading] !== undefined;
	}

	/** The Id behind which reading them goes on. */
	get next(): Position {
		return this.part.notes[this.keys.next];
	}

	/** Takes in sessions that are not over, in this state, and started long enough ago, as far as the query could tell. */
	observe(sights: readonly SessionSight[], coverage: Coverage, clocks: Clocks): void {
		const { sessions, keys } = this;
		const { kept, notes, rules, raise } = this.part;
		const afterMs = this.event.afterMs(rules);
		const isReported = kept[keys.reading]?.reports !== false;
		for (const { session, startedAt } of sights) {
			const runningMs = clocks.platform - (startedAt ?? clocks.platform);
			if (startedAt === undefined || runningMs < afterMs || sessions.has(session)) continue;
			sessions.set(session, startedAt);
			if (isReported) raise(this.name, session, clocks.own, Math.round(runningMs / 1000), this.event.idParts(rules));
		}
		for (const [session, startedAt] of sessions) {
			if (surely(clocks) - startedAt >= afterMs + rules.watchMs + MARGIN_MS) sessions.delete(session);
		}
		notes[keys.next] = positionAfter(coverage);
		if (notes[keys.next] === undefined) kept[keys.reading] = undefined;
	}

	/** To be called before the state is saved. */
	save(): void {
		this.part.notes[this.event.slice] = pack(this.sessions);
	}
}
