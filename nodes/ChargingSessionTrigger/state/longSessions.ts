import { DAY_MS } from '../../shared/dsquery/values/durations';
import { type Coverage, type Position, positionAfter, type RowKey } from '../../shared/trigger/types';
import { pack, unpack } from './byHour';
import { configOf, type LongRule, type PartOfDraft, type SeenSession, surely } from './types';

/** How much longer than necessary a session is remembered. */
const MARGIN_MS = DAY_MS;

/** The sessions that have been running for so long. Each is reported once. */
export class LongSessions {
	/** When each of those that are known, over or not, started. */
	private readonly sessions: Map<RowKey, number>;
	private readonly keys;

	/** @param name the event that reports them */
	constructor(
		private readonly name: string,
		readonly rule: LongRule,
		private readonly part: PartOfDraft,
	) {
		const { kept, notes, rules, reportsInitial } = part;
		const { slice, afterMs } = rule;
		const keys = { config: `${slice}Config`, reading: `${slice}Reading`, next: `${slice}Next` } as const;
		this.keys = keys;
		const config = configOf(rules, afterMs, rules.storedFilter);
		if (kept[keys.config] !== config) {
			kept[keys.reading] = { reports: reportsInitial };
			notes[keys.next] = undefined;
		}
		kept[keys.config] = config;
		this.sessions = unpack(notes[slice] ?? {});
	}

	/** The Id behind which reading them goes on. */
	get next(): Position {
		return this.part.notes[this.keys.next];
	}

	/** Takes in sessions that are not over and started long enough ago, as far as the query could tell. */
	observe(found: readonly SeenSession[], coverage: Coverage, platform: number): void {
		const { sessions, keys, part } = this;
		const { kept, notes, rules, raise } = part;
		const { afterMs } = this.rule;
		const isReported = kept[keys.reading]?.reports !== false;
		for (const { session, startedAt } of found) {
			const runningMs = platform - (startedAt ?? platform);
			if (startedAt === undefined || runningMs < afterMs || sessions.has(session)) continue;
			sessions.set(session, startedAt);
			if (isReported) raise(this.name, session, runningMs, [afterMs]);
		}
		for (const [session, startedAt] of sessions) {
			if (surely(part, platform) - startedAt >= afterMs + rules.watchMs + MARGIN_MS) sessions.delete(session);
		}
		notes[keys.next] = positionAfter(coverage);
		if (notes[keys.next] === undefined) kept[keys.reading] = undefined;
	}

	save(): void {
		this.part.notes[this.rule.slice] = pack(this.sessions);
	}
}
