import type { IDataObject } from 'n8n-workflow';

import { text } from './events.ts';
import type { Judged } from './history.ts';
import { hasLasted, Judge, type Lasting, relapsed, returned, type Wait } from './judging.ts';
import { IN, OUT, OUT_OF_SERVICE, type Truth, UNREADABLE, UNSEEN } from './truth.ts';

const HOUR_MS = 3_600_000;

interface WatchSettings {
	/** In a state; another value; or so often in a state within an hour. */
	rule: 'state' | 'values' | { times: number };
	/** How long a state or value lasts before it is told, and how long a state must be over. */
	dwellMs: number;
	backMs?: number;
	/** What an event is about: the key of a value, or what is there or gone. */
	placeOf: (item: IDataObject) => string;
	/** What is told of the begin and the end of a state. */
	names?: { in: string; out: string };
	/** What is told of what is there or gone. */
	appears?: string;
	vanishes?: string;
	/** Whether it is seen where the list shows nothing. What is in its state always is. */
	isLookedUp?: (key: string, there: ReadonlyMap<string, boolean>) => boolean;
}

/** What the trigger must know of one value. */
interface Known {
	value: string;
	next?: Wait;
	/** When it came into its state of late, and whether it was told that it does so often. */
	times?: number[];
	isOften?: boolean;
}

/** Things with a value, there or gone. It knows nothing of saved state, engines, requests, and what the things are. */
export class WatchModel extends Judge<{ known: Map<string, Known>; there: Map<string, boolean> }> {
	constructor(
		private readonly settings: WatchSettings,
		/** What is true now. A state may be asked for that was told. */
		private readonly truth: (isIn: (key: string) => boolean) => Truth,
		complain: (what: string) => void,
	) {
		super({ known: new Map(), there: new Map() }, complain);
	}

	/** The first poll notes how things are. */
	begin(): void {
		const { values, there } = this.truth(() => false);
		for (const [key, value] of values)
			if (value !== UNREADABLE && value !== OUT_OF_SERVICE) this.state.known.set(key, { value });
		for (const [key, isWatched] of there ?? []) if (isWatched) this.state.there.set(key, true);
	}

	judge(poll: Judged): void {
		this.accountFor(poll, () => {
			if (poll.sight === 'nothing') return;
			const { values, there } = this.truth((key) => this.state.known.get(key)?.value === IN);
			for (const [key, value] of values) this.see(key, value, poll);
			if (this.settings.rule !== 'values') this.seeEnded(values, poll.at);
			if (there) this.seeThere(there, poll.sight === 'all');
		});
	}

	protected placeOf(item: IDataObject): string {
		return this.settings.placeOf(item);
	}

	protected waits(): Iterable<Lasting> {
		return [...this.state.known.values()].flatMap(({ next }) => (next ? [next, next.back ?? []].flat() : []));
	}

	private see(key: string, value: string, { sight, at }: Judged): void {
		if (value === UNSEEN) return;
		const { known: all, there } = this.state;
		const { rule, dwellMs, backMs = 0, names, isLookedUp } = this.settings;
		const known = all.get(key) ?? { value: rule === 'values' ? value : OUT };
		if (sight === 'lookups' && known.value !== IN && isLookedUp?.(key, there) !== true) {
			// What waits in a list that does not show it has returned. A status that is not shown waits on.
			if (rule !== 'values') this.seeReturn(known, at);
			return;
		}
		this.found(key);
		if (value === UNREADABLE) return;
		if (value === OUT_OF_SERVICE) return this.leave(key, known);
		all.set(key, known);
		if (known.value === value) {
			this.seeReturn(known, at);
		} else if (typeof rule === 'object') {
			all.set(key, this.often(key, known, value, at, rule.times));
		} else {
			const next = known.next?.value === value ? relapsed(known.next, at) : { value, since: at, sureSince: at };
			known.next = next;
			const item = this.expect(key, hasLasted(next, at, value === OUT ? backMs : dwellMs), `${key}: ${value}`);
			if (!item) return;
			const said = names ? item.event : `${text(item.from)} > ${text(item.to)}`;
			const what = names ? names[value as 'in' | 'out'] : `${known.value} > ${value}`;
			if (said !== what) this.complain(`${key}: ${text(said)} instead of ${what}`);
			all.set(key, { value });
		}
	}

	/** What is out of service is in no state. What was counted of it is not forgotten. */
	private leave(key: string, { times, isOften }: Known): void {
		const { known } = this.state;
		if (times) known.set(key, { value: OUT, times, ...(isOften && { isOften }) });
		else known.delete(key);
	}

	private seeReturn(known: Known, at: number): void {
		const { dwellMs, backMs = 0 } = this.settings;
		known.next = returned(known.next, at, known.value === IN ? 0 : Math.min(dwellMs, backMs));
	}

	/** So many times within an hour are told, and no other before an hour without. */
	private often(key: string, { times = [], isOften = false }: Known, value: string, at: number, count: number): Known {
		if (value === OUT) return { value, times, isOften };
		const recent = times.filter((time) => at - time < HOUR_MS);
		const wasOften = isOften && recent.length > 0;
		const isDue = !wasOften && recent.length + 1 >= count;
		if (isDue) this.expect(key, 'must');
		return { value, times: [...recent, at], isOften: wasOften || isDue };
	}

	/** What was told of a thing ends once it is gone. */
	private seeEnded(values: Truth['values'], at: number): void {
		const areMany = this.areManyGone(this.state.known, ({ value }) => value === IN, values);
		for (const [key, known] of this.state.known) {
			if (values.has(key)) continue;
			this.seeReturn(known, at);
			if (known.value !== IN) continue;
			if (this.isGone(key, areMany, ({ removed }) => removed === true)) this.state.known.delete(key);
		}
	}

	/** What appears is told with the first list that shows it: what is new is not looked up. */
	private seeThere(there: ReadonlyMap<string, boolean>, isListed: boolean): void {
		const { appears, vanishes } = this.settings;
		const { there: known } = this.state;
		for (const [key, isWatched] of there) {
			this.found(key);
			const isNew = !known.has(key);
			if (isNew && !(isWatched && isListed)) continue;
			known.set(key, isWatched);
			if (isNew && appears !== undefined && this.expect(key, 'must')?.event !== appears)
				this.complain(`${key}: ${appears} is lost`);
		}
		const areMany = this.areManyGone(known, (isWatched) => isWatched, there);
		for (const [key, wasWatched] of known) {
			if (there.has(key)) continue;
			const says = ({ event }: IDataObject) => event === vanishes;
			if (wasWatched ? this.isGone(key, areMany, says) : this.expect(key, 'may')) known.delete(key);
		}
	}
}
