import type { IDataObject } from 'n8n-workflow';

import { text } from './events.ts';

type Complain = (what: string) => void;

/** Tolerance between the two clocks when a dwell is just over, in milliseconds. */
const UNCERTAIN_MS = 10_000;

/** What the trigger must know of one value. */
export interface Known {
	value: string;
	/** Another value, and since when: at the earliest, and as far as the process certainly knows. */
	next?: { value: string; since: number; sureSince: number };
}

/** Takes in a value that counts once it has lasted. @returns the event that says so, taken out of `told` */
export function judgeChange(
	known: Known,
	value: string,
	{ key, at, dwellMs, told }: { key: string; at: number; dwellMs: number; told: Map<string, IDataObject> },
	complain: Complain,
): IDataObject | undefined {
	if (known.value === value) {
		known.next = undefined;
		return undefined;
	}
	const next = known.next?.value === value ? known.next : { value, since: at, sureSince: at };
	next.sureSince = Math.min(next.sureSince, at);
	known.next = next;
	const item = told.get(key);
	told.delete(key);
	if (item && at - next.since < dwellMs - UNCERTAIN_MS) complain(`${key}: ${text(item.event)} too early`);
	const isDue = at - next.sureSince >= dwellMs + (dwellMs > 0 ? UNCERTAIN_MS : 0);
	if (!item && isDue) complain(`${key}: ${known.value} > ${value} is lost`);
	return item;
}

/** An id comes once, and again only for the same event of a batch that was lost. */
export class EventIds {
	/** The ids of the events of a batch that was not saved: what comes again has the same. */
	private lost = new Map<string, string>();
	private readonly ids = new Set<string>();

	/** @param nameOf what an event is, whatever its id */
	constructor(
		private readonly nameOf: (item: IDataObject) => string,
		private readonly complain: Complain,
	) {}

	check(items: readonly IDataObject[], isLost: boolean): void {
		const before = this.lost;
		this.lost = new Map();
		for (const item of items) {
			const [id, what] = [text(item.eventId), this.nameOf(item)];
			if (this.ids.has(id)) this.complain(`${what}: a second event with one id`);
			if ((before.get(what) ?? id) !== id) this.complain(`${what}: comes again with another id`);
			if (isLost) this.lost.set(what, id);
			else this.ids.add(id);
		}
	}
}
