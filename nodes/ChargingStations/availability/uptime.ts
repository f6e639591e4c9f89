import max from 'lodash/max';
import sortBy from 'lodash/sortBy';
import sum from 'lodash/sum';
import sumBy from 'lodash/sumBy';
import uniq from 'lodash/uniq';
import uniqBy from 'lodash/uniqBy';

import { closedSpans } from './closingTimes';
import { EVERY_STATION, type Excluded, type Unit, type UptimeRows } from './rows';
import { lengthOf, mergeWithin, overlapping, subtract, Timeline, type Span } from './spans';

/** How a period divides, in seconds. What is not down, excluded or unknown was up. */
export interface Figures {
	period: number;
	down: number;
	/** Of each cause that counts: a time with two causes is in both. */
	downByCause: Record<string, number>;
	excluded: number;
	/** Excluded time in which the station was down. */
	excludedOutage: number;
	/** Time in which not all causes were watched, or it could not be read. Undefined if no row says what was watched. */
	unknown?: number;
	incidents: number;
	/** The longest incident. */
	longest: number;
	/** Incidents that began in the period and whose length no row tells. Counted only here. */
	incidentsOfUnknownLength: number;
}

/** One outage: incidents of one station or charge point and of one cause that overlap or touch. */
export interface Outage {
	/** Undefined for an outage of the whole station. */
	chargePoint?: string;
	cause: string;
	since: number;
	/** Undefined if no row says when it ended. */
	until?: number;
	/** Seconds of the period that count as down, are excluded, or unknown. Undefined if no row tells its length. */
	parts?: { down: number; excluded: number; unknown: number };
	/** Why time of it is excluded, as far as rows give a reason. */
	reasons: string[];
}

/** What counts, as the user chose. */
export interface Counting {
	/** The causes that count as down. */
	causes: readonly string[];
	/** A cause counts as watched all the time if no row says when it was. */
	assumeAlwaysWatched: boolean;
	/** The time zone of closing times. */
	zone: string;
}

/** An incident as a span, and whether a row says when it ended. */
type Ended = Span & Unit & { isEndTold: boolean };
/** Spans by the unit that their rows name, as `keyOf` writes it. */
type ByUnit<Item> = ReadonlyMap<string, Item[]>;

const ALWAYS: Span = { from: -Infinity, to: Infinity };
const EVERYTHING: Unit = { station: EVERY_STATION };

/**
 * Divides a period into excluded, unknown, down and up, for one station or charge point at a time. If several apply, the
 * first of these counts: maintenance is excluded whatever was seen, and time in which not all causes were watched, or the
 * station or charge point could not be read, is not called down.
 *
 * What rows say about a station holds for each of its charge points; what they say about a charge point, for that alone.
 *
 * An incident ends when a row says so. If none does, it ended with the last `watching` row that names it as open.
 * Without any `watching` rows for its cause it is still open; if there are some but none names it, its length is
 * unknown.
 */
export class Uptime {
	/** The part of the period that has passed. */
	readonly period: Span;
	/** By cause, of those that count. */
	private readonly incidents = new Map<string, ByUnit<Ended>>();
	/** The first second of each incident of unknown length, by cause. */
	private readonly ofUnknownLength = new Map<string, ByUnit<Ended>>();
	/** Sorted by begin. */
	private readonly exclusions: ByUnit<Excluded>;
	/** What the rows name as down by a cause that counts, each once, by station. */
	private readonly named: ReadonlyMap<string, Unit[]>;
	private readonly excludedForAll: Timeline;
	private readonly unknown: Timeline;
	/** Excluded for all, or unknown. */
	private readonly uncounted: Timeline;
	/** When not all causes were watched, merged. Undefined if no row says what was watched. */
	private readonly unwatched?: Span[];
	/** When something could not be read for a cause that counts. */
	private readonly unreadable: ByUnit<Span & Unit>;

	/** @param now whole seconds since 1970, like the period */
	constructor(
		private readonly rows: UptimeRows,
		period: Span,
		now: number,
		private readonly counting: Counting,
	) {
		this.period = { from: period.from, to: Math.min(period.to, now) };
		for (const cause of counting.causes) this.takeIncidents(cause, now);
		const named = rows.incidents.filter(({ cause }) => counting.causes.includes(cause));
		this.named = grouped(uniqBy(named, keyOf), ({ station }) => station);
		const closed = closedSpans(rows.closed, this.period, counting.zone);
		// Some are empty: clocks may skip all of a closing time.
		const exclusions = [...rows.excluded, ...closed].filter((span) => lengthOf(span) > 0);
		this.exclusions = grouped(sortBy(exclusions, 'from'), keyOf);
		const excluded = mergeWithin(this.exclusions.get(keyOf(EVERYTHING)) ?? [], this.period);
		this.unwatched = this.findUnwatched();
		const unreadable = counting.causes.flatMap((cause) => rows.watched.get(cause)?.unreadable ?? []);
		this.unreadable = grouped(unreadable, keyOf);
		this.excludedForAll = new Timeline(excluded);
		this.unknown = new Timeline(subtract(this.unwatched ?? [], excluded).flat());
		this.uncounted = new Timeline(mergeWithin([...excluded, ...(this.unwatched ?? [])], this.period));
	}

	private takeIncidents(cause: string, now: number): void {
		const isWatched = this.rows.watched.has(cause);
		const own = this.rows.incidents.filter((incident) => incident.cause === cause);
		const spans = own.map(({ station, chargePoint, since, until, openAt = since }) => {
			const to = until ?? (isWatched ? Math.max(since, openAt) : now);
			return { station, chargePoint, from: since, to, isEndTold: until !== undefined };
		});
		const ofUnknownLength = own
			.filter(({ until, openAt }) => isWatched && until === undefined && openAt === undefined)
			.map(({ station, chargePoint, since }) => ({
				...{ station, chargePoint, from: since, to: since + 1, isEndTold: false },
			}));
		this.incidents.set(cause, grouped(spans, keyOf));
		this.ofUnknownLength.set(cause, grouped(ofUnknownLength, keyOf));
	}

	/** The causes that count, but that nobody watched for, as far as the rows tell. */
	neverWatched(): string[] {
		const { watched } = this.rows;
		if (watched.size === 0 || this.counting.assumeAlwaysWatched) return [];
		return this.counting.causes.filter((cause) => !watched.has(cause));
	}

	/** The causes that somebody watched for in the period, whether they count or not. */
	watchedCauses(): string[] {
		const causes = [...this.rows.watched].filter(([, { spans }]) => mergeWithin(spans, this.period).length > 0);
		return causes.map(([cause]) => cause);
	}

	private findUnwatched(): Span[] | undefined {
		if (this.neverWatched().length > 0) return [this.period];
		const watched = this.counting.causes.flatMap((cause) => this.rows.watched.get(cause) ?? []);
		if (watched.length === 0) return undefined;
		const gaps = watched.flatMap(({ spans }) => subtract([this.period], mergeWithin(spans, this.period)).flat());
		return mergeWithin(gaps, this.period);
	}

	/**
	 * Whether anything is known about the period: some of it was watched, or, where no row says what was watched, one of
	 * these units was down.
	 */
	isAnythingKnown(units: readonly Unit[]): boolean {
		const { causes, assumeAlwaysWatched } = this.counting;
		if (causes.length === 0) return false;
		if (this.unwatched) return lengthOf(this.period) > sumBy(this.unwatched, lengthOf);
		return assumeAlwaysWatched || units.some((unit) => this.incidentsOf(unit).length > 0);
	}

	figuresOf(unit: Unit): Figures {
		const own = this.exclusionsOf(unit);
		const unread = this.unreadOf(unit);
		const outages = this.divide(this.incidentsOf(unit), own, unread);
		const downs = outages.map(({ down }) => down).filter((seconds) => seconds > 0);
		const { causes } = this.counting;
		const downOf = (cause: string) => sumBy(this.divide(this.incidentsOf(unit, [cause]), own, unread), 'down');
		return {
			period: lengthOf(this.period),
			down: sum(downs),
			downByCause: Object.fromEntries(causes.map((cause) => [cause, downs.length > 0 ? downOf(cause) : 0])),
			excluded: this.excludedForAll.total + sumBy(own, (span) => this.excludedForAll.outside(span)),
			excludedOutage: sumBy(outages, 'excluded'),
			unknown: this.unwatched && this.unknownOf(own, unread),
			incidents: downs.length,
			longest: max(downs) ?? 0,
			incidentsOfUnknownLength: this.unknownLengths([unit]),
		};
	}

	private unknownOf(own: readonly Span[], unread: readonly Span[]): number {
		const forAll = this.unknown.total - sumBy(own, (span) => this.unknown.within(span));
		return forAll + sumBy(subtract(unread, own).flat(), (span) => this.uncounted.outside(span));
	}

	/** How many incidents of these units have no known length. One of a station counts once for all its charge points. */
	unknownLengths(units: readonly Unit[]): number {
		const keys = uniq(units.flatMap(keysOf));
		return sumBy(this.counting.causes, (cause) => this.unknownLengthsOf(keys, cause).length);
	}

	/**
	 * The outages of a station and of its charge points that touch the period, by begin. Those of unknown length if they
	 * began in it.
	 */
	outagesOf(station: string): Outage[] {
		const outages = this.unitsOf(station).flatMap((unit) =>
			this.counting.causes.flatMap((cause) => this.ownOutages(unit, cause)),
		);
		return sortBy(outages, 'since');
	}

	/** A station and its charge points, of those that the rows name as down by a cause that counts. */
	unitsOf(station: string): readonly Unit[] {
		return this.named.get(station) ?? [];
	}

	private ownOutages(unit: Unit, cause: string): Outage[] {
		const { chargePoint } = unit;
		const key = keyOf(unit);
		const spans = this.incidents.get(cause)?.get(key) ?? [];
		const toldEnds = new Set(spans.filter(({ isEndTold }) => isEndTold).map(({ to }) => to));
		const whole = mergeWithin(spans, ALWAYS).filter((span) => mergeWithin([span], this.period).length > 0);
		const within = mergeWithin(whole, this.period);
		const reasons = [...keysOf(unit), keyOf(EVERYTHING)].map((each) =>
			overlapping(within, this.exclusions.get(each) ?? []),
		);
		const known = this.divide(within, this.exclusionsOf(unit), this.unreadOf(unit)).map((parts, index): Outage => {
			const { from = 0, to = 0 } = whole[index] ?? {};
			return {
				...{ chargePoint, cause, since: from, until: toldEnds.has(to) ? to : undefined, parts },
				reasons: uniq(reasons.flatMap((each) => each[index] ?? []).flatMap(({ reason }) => reason ?? [])),
			};
		});
		const ofUnknownLength = this.unknownLengthsOf([key], cause).map(({ from }) => ({
			...{ chargePoint, cause, since: from, reasons: [] },
		}));
		return [...known, ...ofUnknownLength];
	}

	/** The stations and charge points that were down in the period, according to the rows. */
	unitsDown(): Unit[] {
		const units = [...this.named.values()].flat();
		return units.filter((unit) => this.incidentsOf(unit).length > 0 || this.unknownLengths([unit]) > 0);
	}

	/** The stations and charge points of which rows exclude some of the period. */
	unitsExcluded(): Unit[] {
		const groups = [...this.exclusions.values()].filter((spans) => mergeWithin(spans, this.period).length > 0);
		return groups.flatMap(([first]) => (first && first.station !== EVERY_STATION ? first : []));
	}

	/** What is excluded for a unit, but not for everything, merged. */
	private exclusionsOf(unit: Unit): Span[] {
		return this.ownSpans(unit, this.exclusions);
	}

	/** When a unit could not be read, merged. */
	private unreadOf(unit: Unit): Span[] {
		return this.ownSpans(unit, this.unreadable);
	}

	private ownSpans(unit: Unit, spans: ByUnit<Span>): Span[] {
		return mergeWithin(
			keysOf(unit).flatMap((key) => spans.get(key) ?? []),
			this.period,
		);
	}

	private incidentsOf(unit: Unit, causes = this.counting.causes): Span[] {
		const groups = causes.flatMap((cause) => this.incidents.get(cause) ?? []);
		return mergeWithin(
			keysOf(unit).flatMap((key) => groups.flatMap((group) => group.get(key) ?? [])),
			this.period,
		);
	}

	private unknownLengthsOf(keys: readonly string[], cause: string): Span[] {
		const { from, to } = this.period;
		const all = keys.flatMap((key) => this.ofUnknownLength.get(cause)?.get(key) ?? []);
		return all.filter((first) => first.from >= from && first.from < to);
	}

	/**
	 * Divides each of these outages into its parts, in seconds.
	 *
	 * @param outages merged, within the period
	 * @param own merged spans excluded for their unit, but not for everything
	 * @param unread merged spans in which their unit could not be read
	 */
	private divide(
		outages: readonly Span[],
		own: readonly Span[],
		unread: readonly Span[],
	): Array<NonNullable<Outage['parts']>> {
		const included = subtract(outages, own);
		const seen = subtract(outages, mergeWithin([...own, ...unread], this.period));
		return outages.map((outage, index) => {
			const down = sumBy(seen[index], (part) => this.uncounted.outside(part));
			const excluded = lengthOf(outage) - sumBy(included[index], (part) => this.excludedForAll.outside(part));
			return { down, excluded, unknown: lengthOf(outage) - excluded - down };
		});
	}
}

/** What names a unit: no two have the same. */
function keyOf({ station, chargePoint }: Unit): string {
	return JSON.stringify([station, chargePoint]);
}

/** What rows name if they are about a unit: a charge point or its station. */
function keysOf(unit: Unit): string[] {
	return unit.chargePoint === undefined ? [keyOf(unit)] : [keyOf({ station: unit.station }), keyOf(unit)];
}

function grouped<Item>(items: readonly Item[], nameOf: (item: Item) => string): Map<string, Item[]> {
	const groups = new Map<string, Item[]>();
	for (const item of items) {
		const name = nameOf(item);
		const group = groups.get(name);
		if (group) group.push(item);
		else groups.set(name, [item]);
	}
	return groups;
}

/** The figures of several units together. */
export function together(figures: readonly Figures[]): Figures {
	const total = (name: Exclude<keyof Figures, 'unknown' | 'longest' | 'downByCause'>) =>
		sumBy(figures, (each) => each[name]);
	const causes = Object.keys(figures[0]?.downByCause ?? {});
	return {
		period: total('period'),
		down: total('down'),
		downByCause: Object.fromEntries(
			causes.map((cause) => [cause, sumBy(figures, ({ downByCause }) => downByCause[cause] ?? 0)]),
		),
		excluded: total('excluded'),
		excludedOutage: total('excludedOutage'),
		unknown: figures.some(({ unknown }) => unknown === undefined) ? undefined : sumBy(figures, 'unknown'),
		incidents: total('incidents'),
		longest: max(figures.map(({ longest }) => longest)) ?? 0,
		incidentsOfUnknownLength: total('incidentsOfUnknownLength'),
	};
}
