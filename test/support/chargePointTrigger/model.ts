import type { IDataObject } from 'n8n-workflow';

import type { Judged } from '../trigger/history.ts';
import { judgeChange, type Known } from '../trigger/judging.ts';
import { text } from '../trigger/events.ts';

/** The true statuses of charge points, by their Ids; null for one that cannot be read. */
export type Truth = ReadonlyMap<string, number | null>;

interface KnownPoint extends Known {
	/** How many looks in a row did not find it: in all, and of the process of now. */
	missed: [all: number, sure: number];
}

/** Decides which events each poll must give, from what it could see. Every poll looks at all stations. */
export class Model {
	private known = new Map<string, KnownPoint>();
	private saved: Map<string, KnownPoint> | undefined;
	private readonly ids = new Set<string>();

	constructor(
		private readonly settings: { event: 'outOfOrder' | 'inStatus' | 'statusChange'; dwellMs: number },
		private readonly complain: (what: string) => void,
	) {}

	/** The first poll notes how things are. */
	begin(truth: Truth): void {
		for (const [key, code] of truth) {
			if (code !== null) this.known.set(key, { value: this.valueOf(code), missed: [0, 0] });
		}
	}

	judge({ at, sight, items, isStart, isLost }: Judged, truth: Truth): void {
		if (this.saved) this.known = this.saved;
		this.saved = isLost ? structuredClone(this.known) : undefined;
		if (isStart) {
			for (const known of this.known.values()) {
				if (known.next) known.next.sureSince = Number.POSITIVE_INFINITY;
				known.missed[1] = 0;
			}
		}
		const told = new Map(items.map((item) => [text(item.chargePointId), item]));
		if (told.size < items.length) this.complain('two events at once for one charge point');
		if (sight !== 'nothing') {
			for (const [key, code] of truth) this.see(key, code, at, told);
			for (const key of [...this.known.keys()]) if (!truth.has(key)) this.miss(key, told);
		}
		for (const [key, { event }] of told) this.complain(`${key}: ${text(event)} although nothing happened`);
		for (const { eventId } of items) {
			if (this.ids.has(text(eventId))) this.complain('a second event with one id');
			if (!isLost) this.ids.add(text(eventId));
		}
	}

	private see(key: string, code: number | null, at: number, told: Map<string, IDataObject>): void {
		const isNew = !this.known.has(key);
		if (isNew && code === null) return;
		// One that is new and out of order is reported; the first value of a status is not.
		const first = this.settings.event === 'statusChange' ? this.valueOf(code ?? 0) : 'in order';
		const known: KnownPoint = this.known.get(key) ?? { value: first, missed: [0, 0] };
		this.known.set(key, known);
		known.missed = [0, 0];
		if (code === null) return;
		const value = this.valueOf(code);
		const dwellMs = value === 'in order' ? 0 : this.settings.dwellMs;
		const item = judgeChange(known, value, { key, at, dwellMs, told }, this.complain);
		if (!item) return;
		this.compare(key, known.value, value, item);
		this.known.set(key, { value, missed: [0, 0] });
	}

	/** The second look in a row that misses it forgets it, and ends its incident. */
	private miss(key: string, told: Map<string, IDataObject>): void {
		const known = this.known.get(key);
		if (!known) return;
		const isOpen = known.value === 'out of order';
		if (this.settings.event !== 'statusChange') known.next = undefined;
		const [all, sure] = known.missed.map((count) => count + 1) as [number, number];
		known.missed = [all, sure];
		const item = told.get(key);
		if (all < 2 || (isOpen && !item && sure < 2)) return;
		told.delete(key);
		if (isOpen && item?.removed !== true) this.complain(`${key} is gone, and its end is lost`);
		if (!isOpen && item) this.complain(`${key}: ${text(item.event)} although it is gone`);
		// Whether a process that begins then knows it still makes no difference to an incident.
		if (sure >= 2 || isOpen) this.known.delete(key);
	}

	private compare(key: string, from: string, to: string, item: IDataObject): void {
		const isChange = this.settings.event === 'statusChange';
		const said = isChange ? `${text(item.from)} > ${text(item.to)}` : text(item.event);
		const [begin, end] =
			this.settings.event === 'inStatus' ? ['inStatus', 'leftStatus'] : ['outOfOrder', 'backInOrder'];
		const expected = isChange ? `${from} > ${to}` : to === 'in order' ? end : begin;
		if (said !== expected) this.complain(`${key}: ${said} instead of ${String(expected)}`);
	}

	private valueOf(code: number): string {
		if (this.settings.event === 'statusChange') return String(code);
		return code === 3 ? 'out of order' : 'in order';
	}
}
