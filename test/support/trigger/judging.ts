import type { IDataObject } from 'n8n-workflow';

import { text } from './events.ts';
import type { Judged } from './history.ts';

/** Tolerance between the two clocks when a time is just over, in milliseconds. */
export const UNCERTAIN_MS = 10_000;

/** What the trigger must know of one value. */
export interface Known {
	value: string;
	/** Another value, and since when: at the earliest, and as far as the process certainly knows. */
	next?: { value: string; since: number; sureSince: number };
}

/** Decides which events each poll must give, made of nothing but what the promise says. `State` is what n8n saves. */
export abstract class Judge<State> {
	/** What the poll told, and is not accounted for yet, by what it is about. */
	protected told = new Map<string, IDataObject>();
	private saved: State | undefined;
	/** How many polls in a row did not find a thing: in all, and of the process of now. */
	private readonly missed = new Map<string, { all: number; sure: number }>();
	private readonly ids = new Set<string>();
	/** The ids of the events of a batch that was not saved: what comes again has the same. */
	private lostIds = new Map<string, string>();

	constructor(
		protected state: State,
		protected readonly complain: (what: string) => void,
	) {}

	/** What an event is about: a poll tells one event of it at most. */
	protected abstract placeOf(item: IDataObject): string;

	/** A process has begun: what it knows since when, it knows from now on only. */
	protected abstract restart(): void;

	/** Takes in a poll. @param see accounts for what it had to tell */
	protected accountFor({ items, isStart, isLost }: Judged, see: () => void): void {
		if (this.saved) this.state = this.saved;
		this.saved = isLost ? structuredClone(this.state) : undefined;
		if (isStart) {
			for (const count of this.missed.values()) count.sure = 0;
			this.restart();
		}
		this.told = new Map(items.map((item) => [this.placeOf(item), item]));
		if (this.told.size < items.length) this.complain('two events at once for one thing');
		see();
		for (const [place, { event }] of this.told) this.complain(`${place}: ${text(event)} although nothing happened`);
		this.checkIds(items, isLost);
	}

	/** What was told of a thing, which is accounted for with that. */
	protected take(place: string): IDataObject | undefined {
		const item = this.told.get(place);
		this.told.delete(place);
		return item;
	}

	protected found(key: string): void {
		this.missed.delete(key);
	}

	/** Whether the second poll in a row has not found it, and says so. @param says whether what was told is that it is gone */
	protected isGone(key: string, says: (item: IDataObject) => boolean): boolean {
		const { all = 0, sure = 0 } = this.missed.get(key) ?? {};
		this.missed.set(key, { all: all + 1, sure: sure + 1 });
		if (all < 1 || (!this.told.has(key) && sure < 1)) return false;
		const item = this.take(key);
		if (!item || !says(item)) this.complain(`${key} is gone, and that is lost`);
		this.found(key);
		return true;
	}

	/** Takes in a value that counts once it has lasted. @returns the event that says so */
	protected change(
		known: Known,
		value: string,
		{ key, at, dwellMs }: { key: string; at: number; dwellMs: number },
	): IDataObject | undefined {
		if (known.value === value) {
			known.next = undefined;
			return undefined;
		}
		const next = known.next?.value === value ? known.next : { value, since: at, sureSince: at };
		next.sureSince = Math.min(next.sureSince, at);
		known.next = next;
		const item = this.take(key);
		if (item && at - next.since < dwellMs - UNCERTAIN_MS) this.complain(`${key}: ${text(item.event)} too early`);
		const isDue = at - next.sureSince >= dwellMs + (dwellMs > 0 ? UNCERTAIN_MS : 0);
		if (!item && isDue) this.complain(`${key}: ${known.value} > ${value} is lost`);
		return item;
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
