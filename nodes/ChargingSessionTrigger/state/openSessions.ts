import { type Coverage, type Position, positionAfter, type RowKey } from '../../shared/trigger/types';
import { rowId, rowKeys } from '../../shared/trigger/keys';
import { pack, unpack } from './byHour';
import { configOf, eventsOf, type PartOfDraft, type SeenSession, surely } from './types';

/** Sessions that are not over, followed until they are. */
export class OpenSessions {
	/** When each of them started. */
	private readonly sessions: Map<RowKey, number>;
	/** Whether an event needs them. */
	readonly isNeeded: boolean;
	/** Those that this poll follows for the first time, although they are not new. */
	readonly adopted = new Set<RowKey>();
	/** Those that no poll has seen since the codes of now were chosen. */
	private readonly unseen: Set<RowKey>;

	constructor(private readonly part: PartOfDraft) {
		const { kept, notes, rules, reportsInitial } = part;
		this.isNeeded = [...eventsOf(rules, 'end'), ...eventsOf(rules, 'inState')].length > 0;
		const config = this.isNeeded ? configOf(rules) : undefined;
		const isChanged = kept.openConfig !== config;
		// When settings change, followed sessions stay followed. Others that are open now are added without an event.
		if (isChanged) {
			kept.openReading = this.isNeeded ? { reports: false, next: null } : undefined;
			if (!this.isNeeded) notes.open = {};
		}
		kept.openConfig = config;
		if (reportsInitial && eventsOf(rules, 'new').length > 0) kept.openReading = { reports: true, next: null };
		this.sessions = unpack(notes.open);
		this.unseen = new Set(isChanged ? this.sessions.keys() : rowKeys(notes.unseen ?? []));
	}

	has(session: RowKey): boolean {
		return this.sessions.has(session);
	}

	get count(): number {
		return this.sessions.size;
	}

	/** What the first reading has to read next; undefined once it is complete. */
	reading(): { next: Position; upTo: number } | undefined {
		const { kept, notes } = this.part;
		const reading = kept.openReading;
		if (reading === undefined) return undefined;
		reading.upTo ??= notes.recent.at(-1) ?? 0;
		return { next: reading.next, upTo: reading.upTo };
	}

	/** Takes in a part of the first reading. Returns whether the sessions in it are to be reported as new. */
	adopt(found: readonly SeenSession[], coverage: Coverage, platform: number): boolean {
		const { kept } = this.part;
		const { openReading } = kept;
		for (const seen of found) {
			if (!this.has(seen.session)) this.adopted.add(seen.session);
			this.follow(seen, platform);
		}
		const next = positionAfter(coverage);
		kept.openReading = openReading && next !== undefined ? { ...openReading, next } : undefined;
		return openReading?.reports === true;
	}

	/** Takes in sessions never seen before. */
	add(found: readonly SeenSession[], platform: number): void {
		for (const seen of found) {
			if (this.part.rules.overCodes.has(seen.code)) this.end(seen);
			else this.follow(seen, platform);
		}
	}

	private follow({ session, startedAt }: SeenSession, platform: number): void {
		const latest = Math.max(this.part.now, platform);
		if (!this.sessions.has(session)) this.sessions.set(session, Math.min(startedAt ?? latest, latest));
	}

	/** The sessions to look up, in order, without those that this poll has already seen. */
	toLookUp(seen: ReadonlyMap<RowKey, unknown>): RowKey[] {
		const { openNext = Number.NEGATIVE_INFINITY } = this.part.notes;
		const ids = [...this.sessions.keys()].filter((key) => !seen.has(key)).map(Number);
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
		found: ReadonlyMap<RowKey, SeenSession>,
		{ asked, isComplete }: { asked: readonly RowKey[]; isComplete: boolean },
		platform: number,
	): void {
		const { sessions } = this;
		const { kept, notes, rules } = this.part;
		const before = new Set(kept.overCodes);
		for (const key of new Set([...found.keys(), ...asked])) {
			const startedAt = sessions.get(key);
			if (startedAt === undefined) continue;
			const seen = found.get(key);
			const isFirstLook = seen !== undefined && this.unseen.delete(key);
			if (seen && rules.overCodes.has(seen.code)) {
				// No event if only the settings changed: the session may have been in this status for long.
				if (!isFirstLook || before.has(seen.code)) this.end(seen);
				else sessions.delete(key);
			} else if (surely(this.part, platform) - startedAt >= rules.watchMs) {
				sessions.delete(key);
			}
		}
		const last = asked.at(-1);
		notes.openNext = isComplete ? undefined : last === undefined ? notes.openNext : Number(last);
		for (const key of this.unseen) if (!sessions.has(key)) this.unseen.delete(key);
		if (this.unseen.size === 0) kept.overCodes = [...rules.overCodes];
	}

	/** A session is over. Later changes to it raise no event. */
	private end({ session, code }: SeenSession): void {
		const { rules, raise } = this.part;
		this.sessions.delete(session);
		const ended = eventsOf(rules, 'end').find(([, { codes }]) => codes.has(code));
		if (ended) raise(ended[0], session);
	}

	save(): void {
		const { notes } = this.part;
		notes.open = this.isNeeded ? pack(this.sessions) : {};
		notes.unseen = this.unseen.size > 0 ? [...this.unseen].map(rowId) : undefined;
	}
}
