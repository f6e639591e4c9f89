import type { IDataObject } from 'n8n-workflow';

import { text } from './events.ts';
import type { Judged } from './history.ts';

/** Tolerance between the two clocks when a time is just over, in milliseconds. */
const UNCERTAIN_MS = 10_000;

/** Whether an event must come with a poll: it may where the process cannot know for certain how long something has lasted. */
export type Certainty = 'must' | 'may' | 'mustNot';

/** Since when something has lasted: at the earliest, and as far as the process certainly knows. */
export interface Lasting {
	since: number;
	sureSince: number;
}

/** Whether something has lasted for its time. A process that has begun since then is sure only of what it saw itself. */
export function hasLasted(lasting: Lasting, at: number, ms: number): Certainty {
	if (ms === 0) return 'must';
	lasting.sureSince = Math.min(lasting.sureSince, at);
	if (at - lasting.sureSince >= ms + UNCERTAIN_MS) return 'must';
	return at - lasting.since >= ms - UNCERTAIN_MS ? 'may' : 'mustNot';
}

/** Another value that has not lasted for its time. Its returns to the value before, if they are short, do not end that. */
export interface Wait extends Lasting {
	value: string;
	back?: Lasting;
}

/** What still waits although it has returned. @param ms how long a return lasts that ends it */
export function returned(wait: Wait | undefined, at: number, ms: number): Wait | undefined {
	if (!wait || ms === 0) return undefined;
	wait.back ??= { since: at, sureSince: at };
	const hasEnded = hasLasted(wait.back, at, ms);
	if (hasEnded === 'may') wait.sureSince = Number.POSITIVE_INFINITY;
	return hasEnded === 'must' ? undefined : wait;
}

/** The wait that goes on: the time of the return is left out. */
export function relapsed({ back, ...wait }: Wait, at: number): Wait {
	const backMs = back ? at - back.since : 0;
	return { ...wait, since: wait.since + backMs, sureSince: wait.sureSince + backMs };
}

/** Decides which events each poll must give, made of nothing but what the promise says. `State` is what n8n saves. */
export abstract class Judge<State> {
	/** What the poll told, and is not accounted for yet, by what it is about. */
	protected told = new Map<string, IDataObject>();
	private saved: State | undefined;
	/** How many polls in a row did not find a thing, and since when: in all, and of the process of now. */
	private readonly missed = new Map<string, Lasting & { all: number; sure: number }>();
	private at = 0;
	private readonly ids = new Set<string>();
	/** The ids of the events of a batch that was not saved: what comes again has the same. */
	private lostIds = new Map<string, string>();

	constructor(
		protected state: State,
		protected readonly complain: (what: string) => void,
	) {}

	/** What an event is about: a poll tells one event of it at most. */
	protected abstract placeOf(item: IDataObject): string;

	/** What the process has waited for: one that begins is sure of it from now on only. */
	protected abstract waits(): Iterable<Lasting>;

	/** Takes in a poll. @param see accounts for what it had to tell */
	protected accountFor({ at, items, isStart, isLost }: Judged, see: () => void): void {
		this.at = at;
		if (this.saved) this.state = this.saved;
		this.saved = isLost ? structuredClone(this.state) : undefined;
		if (isStart) {
			for (const count of this.missed.values()) Object.assign(count, { sure: 0, sureSince: Number.POSITIVE_INFINITY });
			for (const wait of this.waits()) wait.sureSince = Number.POSITIVE_INFINITY;
		}
		this.told = new Map(items.map((item) => [this.placeOf(item), item]));
		if (this.told.size < items.length) this.complain('two events at once for one thing');
		see();
		for (const [place, { event }] of this.told) this.complain(`${place}: ${text(event)} although nothing happened`);
		this.checkIds(items, isLost);
	}

	/** Accounts for an event of a thing. @returns it, if it was told */
	protected expect(place: string, certainty: Certainty, what = place): IDataObject | undefined {
		if (certainty === 'mustNot') return undefined;
		const item = this.told.get(place);
		this.told.delete(place);
		if (!item && certainty === 'must') this.complain(`${what} is lost`);
		return item;
	}

	protected found(key: string): void {
		this.missed.delete(key);
	}

	/** Whether more than ten of what counts, or all of at least two, are not there: now, or when they were looked at last. */
	protected areManyGone<Known>(
		known: ReadonlyMap<string, Known>,
		counts: (known: Known) => boolean,
		there: { has(key: string): boolean },
	): boolean {
		const all = [...known].filter(([, each]) => counts(each));
		const lost = all.filter(([key]) => !there.has(key) || this.missed.has(key)).length;
		return lost > 10 || (lost > 1 && lost === all.length);
	}

	/**
	 * Whether the second poll in a row has not found it, or those of a quarter of an hour where it is one of many, and says so.
	 *
	 * @param says whether what was told is that it is gone
	 */
	protected isGone(key: string, isOfMany: boolean, says: (item: IDataObject) => boolean): boolean {
		const { at } = this;
		const { all, sure, ...lasting } = this.missed.get(key) ?? { all: 0, sure: 0, since: at, sureSince: at };
		const isDue = isOfMany ? hasLasted(lasting, at, 15 * 60_000) : all < 1 ? 'mustNot' : sure < 1 ? 'may' : 'must';
		this.missed.set(key, { all: all + 1, sure: sure + 1, ...lasting });
		if (isDue === 'mustNot' || (isDue === 'may' && !this.told.has(key))) return false;
		const item = this.expect(key, 'must', `${key}: that it is gone`);
		if (item && !says(item)) this.complain(`${key} is gone: ${text(item.event)}`);
		this.found(key);
		return true;
	}

	/** An id comes once, and again only for the same event of a batch that was lost. */
	private checkIds(items: readonly IDataObject[], isLost: boolean): void {
		const before = this.lostIds;
		this.lostIds = new Map();
		for (const item of items) {
			const id = text(item.eventId);
			const what = `${this.placeOf(item)} ${JSON.stringify([item.event, item.from, item.to, item.now])}`;
			if (this.ids.has(id)) this.complain(`${what}: a second event with one id`);
			if ((before.get(what) ?? id) !== id) this.complain(`${what}: comes again with another id`);
			if (isLost) this.lostIds.set(what, id);
			else this.ids.add(id);
		}
	}
}
