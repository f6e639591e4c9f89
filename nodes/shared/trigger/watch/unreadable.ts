import mapValues from 'lodash/mapValues';
import max from 'lodash/max';
import min from 'lodash/min';

import { HOUR_MS } from '../../dsquery/values/durations';
import type { RowKey } from '../types';
import type { correctTimes } from './waiting';

/** More things are not named one by one, and no more are remembered. */
const MOST_NAMED = 1_000;
/** Instead of a charge point: nothing of the station can be read. */
const WHOLE = '';
/** For how long something cannot be read before that is said. */
const SAID_AFTER_MS = HOUR_MS;

/** Something that cannot be read, or could not in the time that is watched. Milliseconds since 1970. */
interface Unread {
	/** The first look that could not read it. */
	from: number;
	/** The same of those in a row until now; undefined if it can be read again. */
	since?: number;
	/** The look that could read it again. */
	until?: number;
	isSaid?: true;
}

/** As saved: by station, then by charge point. */
export type SavedUnreadable = Record<RowKey, Record<RowKey, Unread>>;

/** A station that could not be read, or one of its charge points. */
export interface Named {
	station: RowKey;
	point?: RowKey;
}

/**
 * What looks could not read. Nothing follows from it: no event, and no end of one. That time is not watched, and what
 * cannot be read for an hour is said.
 */
export class Unreadable {
	private readonly stations: Map<RowKey, Map<RowKey, Unread>>;
	/** What is due to be said by this poll. */
	readonly overdue: Named[] = [];

	/** @param now the time of the poll */
	constructor(
		saved: SavedUnreadable | undefined,
		private readonly now: number,
	) {
		this.stations = new Map(
			Object.entries(saved ?? {}).map(([station, points]) => [station, new Map(Object.entries(points))]),
		);
	}

	toSaved(): SavedUnreadable | undefined {
		if (this.stations.size === 0) return undefined;
		const isMuch = this.all().length > MOST_NAMED;
		return Object.fromEntries(
			[...this.stations].map(([station, points]) => [
				station,
				isMuch ? { [WHOLE]: together([...points.values()]) } : Object.fromEntries(points),
			]),
		);
	}

	/** The stations of which something cannot be read. */
	keys(): RowKey[] {
		return [...this.stations.keys()];
	}

	has(station: RowKey): boolean {
		return this.stations.has(station);
	}

	/** Takes in that nothing of a station could be read. */
	addWhole(station: RowKey): void {
		this.add(station, [WHOLE]);
	}

	/** Takes in a look at a station, and which of its charge points could not be read. */
	addLook(station: RowKey, unread: readonly RowKey[] = []): void {
		const points = this.stations.get(station);
		const unreadSet = new Set(unread);
		// Those of which only the station was remembered have been unreadable for as long.
		const whole = points?.get(WHOLE);
		this.add(station, unread, whole);
		for (const [point, { from, since }] of points ?? []) {
			if (since !== undefined && !unreadSet.has(point)) points?.set(point, { from, until: this.now });
		}
	}

	private add(station: RowKey, unread: readonly RowKey[], whole?: Unread): void {
		if (unread.length === 0) return;
		if (!this.stations.has(station) && this.stations.size > MOST_NAMED) return;
		const points = this.stations.get(station) ?? new Map<RowKey, Unread>();
		this.stations.set(station, points);
		for (const point of unread) {
			const { from = this.now, since = this.now, isSaid } = points.get(point) ?? whole ?? {};
			const isDue = !isSaid && this.now - since >= SAID_AFTER_MS;
			if (isDue) this.overdue.push(named(station, point));
			points.set(point, { from, since, ...((isSaid || isDue) && { isSaid: true as const }) });
		}
	}

	forget(station: RowKey, point?: RowKey): void {
		const points = this.stations.get(station);
		if (point !== undefined) points?.delete(point);
		if (point === undefined || points?.size === 0) this.stations.delete(station);
	}

	/**
	 * What could not be read in the time before the look that began then.
	 *
	 * @returns undefined if these are too many to be named
	 */
	before(time: number): Named[] | undefined {
		const unread = this.all().filter(([, { from }]) => from < time);
		const wholes = new Set(unread.filter(([{ point }]) => point === undefined).map(([{ station }]) => station));
		const all = unread
			.map(([name]) => name)
			.filter(({ station, point }) => point === undefined || !wholes.has(station));
		if (all.length <= MOST_NAMED) return all;
		const stations = [...new Set(all.map(({ station }) => station))];
		return stations.length <= MOST_NAMED ? stations.map((station) => ({ station })) : undefined;
	}

	/** Forgets what could be read again by then. */
	readBy(time: number): void {
		for (const [{ station, point = WHOLE }, { until }] of this.all()) {
			if (until !== undefined && until <= time) this.forget(station, point);
		}
	}

	private all(): Array<[Named, Unread]> {
		return [...this.stations].flatMap(([station, points]) =>
			[...points].map(([point, unread]): [Named, Unread] => [named(station, point), unread]),
		);
	}
}

function named(station: RowKey, point: RowKey): Named {
	return point === WHOLE ? { station } : { station, point };
}

/** One entry instead of several. */
function together(unread: readonly Unread[]): Unread {
	const open = unread.filter(({ since }) => since !== undefined);
	const from = min(unread.map((each) => each.from)) ?? 0;
	if (open.length === 0) return { from, until: max(unread.map(({ until }) => until)) };
	const isSaid = open.every((each) => each.isSaid);
	return { from, since: min(open.map(({ since }) => since)), ...(isSaid && { isSaid }) };
}

/**
 * Saved entries as they hold now.
 *
 * @param areCurrent whether they are of the last poll. Otherwise it may have been possible to read them meanwhile.
 */
export function adjustUnreadable(
	saved: SavedUnreadable | undefined,
	{ back, waited }: ReturnType<typeof correctTimes>,
	areCurrent: boolean,
	now: number,
): SavedUnreadable | undefined {
	const adjusted = ({ from, since, until, isSaid }: Unread): Unread => {
		if (since === undefined) return { from: back(from), until: until === undefined ? now : back(until) };
		if (!areCurrent && !isSaid) return { from: back(from), until: now };
		return { from: back(from), since: waited(since), ...(isSaid && { isSaid }) };
	};
	return saved && mapValues(saved, (points) => mapValues(points, adjusted));
}
