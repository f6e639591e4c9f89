import type { IDataObject } from 'n8n-workflow';

import type { Judged } from '../trigger/history.ts';
import { Judge, type Known } from '../trigger/judging.ts';
import { text } from '../trigger/events.ts';

/** The true statuses of charge points, by their Ids; null for one that cannot be read. */
export type Truth = ReadonlyMap<string, number | null>;

/** Every poll looks at all stations. */
export class Model extends Judge<Map<string, Known>> {
	constructor(
		private readonly settings: { event: 'outOfOrder' | 'inStatus' | 'statusChange'; dwellMs: number },
		complain: (what: string) => void,
	) {
		super(new Map(), complain);
	}

	/** The first poll notes how things are. */
	begin(truth: Truth): void {
		for (const [key, code] of truth) if (code !== null) this.state.set(key, { value: this.meaningOf(code) });
	}

	judge(poll: Judged, truth: Truth): void {
		this.accountFor(poll, () => {
			if (poll.sight === 'nothing') return;
			for (const [key, code] of truth) this.see(key, code, poll.at);
			for (const key of [...this.state.keys()]) if (!truth.has(key)) this.miss(key);
		});
	}

	protected placeOf({ chargePointId }: IDataObject): string {
		return text(chargePointId);
	}

	protected restart(): void {
		for (const { next } of this.state.values()) if (next) next.sureSince = Number.POSITIVE_INFINITY;
	}

	private see(key: string, code: number | null, at: number): void {
		if (!this.state.has(key) && code === null) return;
		// One that is new and out of order is reported; the first value of a status is not.
		const first = this.settings.event === 'statusChange' ? this.meaningOf(code ?? 0) : 'in order';
		const known = this.state.get(key) ?? { value: first };
		this.state.set(key, known);
		this.found(key);
		if (code === null) return;
		const value = this.meaningOf(code);
		const item = this.change(known, value, { key, at, dwellMs: value === 'in order' ? 0 : this.settings.dwellMs });
		if (!item) return;
		this.compare(key, known.value, value, item);
		this.state.set(key, { value });
	}

	/** The second look in a row that misses it forgets it, and ends its incident. */
	private miss(key: string): void {
		const known = this.state.get(key);
		if (!known || this.settings.event === 'statusChange') return;
		known.next = undefined;
		if (known.value === 'in order') this.state.delete(key);
		else if (this.isGone(key, ({ removed }) => removed === true)) this.state.delete(key);
	}

	private compare(key: string, from: string, to: string, item: IDataObject): void {
		const isChange = this.settings.event === 'statusChange';
		const said = isChange ? `${text(item.from)} > ${text(item.to)}` : text(item.event);
		const [begin, end] =
			this.settings.event === 'inStatus' ? ['inStatus', 'leftStatus'] : ['outOfOrder', 'backInOrder'];
		const expected = isChange ? `${from} > ${to}` : to === 'in order' ? end : begin;
		if (said !== expected) this.complain(`${key}: ${said} instead of ${String(expected)}`);
	}

	private meaningOf(code: number): string {
		if (this.settings.event === 'statusChange') return String(code);
		return code === 3 ? 'out of order' : 'in order';
	}
}
