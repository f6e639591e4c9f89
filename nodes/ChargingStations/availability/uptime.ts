import max from 'lodash/max';
import sum from 'lodash/sum';
import sumBy from 'lodash/sumBy';

import { closingTimes } from './closingTimes';
import { EVERY_STATION, type Closed, type Unit, type UptimeRows } from './rows';
import {
	byTime,
	lengthOf,
	mergeWithin,
	reasonsOver,
	subtract,
	Timeline,
	type Named,
	type Span,
	type Turns,
} from './spans';
import { byUnit, type Ended, type Told, type UnitRows } from './unitRows';

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
	reasons: Named;
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

/** A time that is excluded, and why. */
type Exclusion = Span & { reason?: string };

/** What does not count as down for a unit, but for others. Merged, within the period. */
interface Apart {
	excluded: Span[];
	/** When it could not be read. */
	unread: Span[];
	both: Span[];
}

const ALWAYS: Span = { from: -Infinity, to: Infinity };
/** The most reasons that an outage names. */
const MOST_REASONS = 10;

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
	private readonly closedOn: (closed: Closed) => readonly Span[];
	/** For all. */
	private readonly exclusions: Exclusion[];
	private excludedForAll = new Timeline([]);
	private unknown = new Timeline([]);
	/** Excluded for all, or unknown. */
	private uncounted = new Timeline([]);
	/** When not all causes were watched, merged. Undefined if no row says what was watched. */
	private unwatched?: Span[];

	private constructor(
		private readonly rows: UptimeRows,
		private readonly told: Told,
		/** The part of the period that has passed. */
		readonly period: Span,
		private readonly counting: Counting,
		private readonly turns: Turns,
	) {
		this.closedOn = closingTimes(period, counting.zone);
		this.exclusions = this.exclusionsIn(told.of(EVERY_STATION));
	}

	/**
	 * @param now whole seconds since 1970, like the period
	 * @param turns there may be many rows, and as many about one unit
	 */
	static async of(rows: UptimeRows, period: Span, now: number, counting: Counting, turns: Turns): Promise<Uptime> {
		const told = await byUnit(rows, counting.causes, now, turns);
		const passed = { from: period.from, to: Math.min(period.to, now) };
		return await new Uptime(rows, told, passed, counting, turns).prepared();
	}

	/** Finds what holds for all stations. */
	private async prepared(): Promise<this> {
		const excluded = await this.merged(this.exclusions);
		this.unwatched = await this.findUnwatched();
		this.excludedForAll = new Timeline(excluded);
		const unknown = await subtract(this.unwatched ?? [], excluded, this.turns);
		this.unknown = new Timeline(unknown.flat());
		this.uncounted = new Timeline(await this.merged([...excluded, ...(this.unwatched ?? [])]));
		return this;
	}

	/** The causes that count, but that nobody watched for, as far as the rows tell. */
	neverWatched(): string[] {
		const { watched } = this.rows;
		if (watched.size === 0 || this.counting.assumeAlwaysWatched) return [];
		return this.counting.causes.filter((cause) => !watched.has(cause));
	}

	/** The causes that somebody watched for in the period, whether they count or not. */
	watchedCauses(): string[] {
		const causes = [...this.rows.watched].filter(([, { spans }]) => spans.some((span) => this.isInPeriod(span)));
		return causes.map(([cause]) => cause);
	}

	private async findUnwatched(): Promise<Span[] | undefined> {
		if (this.neverWatched().length > 0) return [this.period];
		const watched = this.counting.causes.flatMap((cause) => this.rows.watched.get(cause) ?? []);
		if (watched.length === 0) return undefined;
		const gaps: Span[][] = [];
		for (const { spans } of watched) {
			gaps.push(...(await subtract([this.period], await this.merged(spans), this.turns)));
		}
		return await this.merged(gaps.flat());
	}

	/**
	 * Whether anything is known about the period: some of it was watched, or, where no row says what was watched, one of
	 * these units was down.
	 */
	async isAnythingKnown(units: readonly Unit[]): Promise<boolean> {
		const { assumeAlwaysWatched } = this.counting;
		if (this.unwatched) return lengthOf(this.period) > sumBy(this.unwatched, lengthOf);
		if (assumeAlwaysWatched) return true;
		return (await this.turns.map(units, (unit) => this.wasDown(unit))).includes(true);
	}

	/** Whether incidents of a unit, or of its station, are in the period. */
	private wasDown(unit: Unit): boolean {
		return this.incidentsIn(this.told.about(unit)).some((span) => this.isInPeriod(span));
	}

	async figuresOf(unit: Unit): Promise<Figures> {
		const told = this.told.about(unit);
		const apart = await this.apartFrom(told);
		const outages = await this.divide(await this.merged(this.incidentsIn(told)), apart);
		const downs = outages.map(({ down }) => down).filter((seconds) => seconds > 0);
		const downByCause: Record<string, number> = {};
		for (const cause of this.counting.causes) {
			const incidents = downs.length > 0 ? await this.merged(this.incidentsIn(told, [cause])) : [];
			downByCause[cause] = sumBy(await this.divide(incidents, apart), 'down');
		}
		return {
			period: lengthOf(this.period),
			down: sum(downs),
			downByCause,
			excluded:
				this.excludedForAll.total + (await this.total(apart.excluded, (span) => this.excludedForAll.outside(span))),
			excludedOutage: sumBy(outages, 'excluded'),
			unknown: this.unwatched && (await this.unknownOf(apart)),
			incidents: downs.length,
			longest: max(downs) ?? 0,
			incidentsOfUnknownLength: await this.unknownLengths([unit]),
		};
	}

	private async unknownOf({ excluded, unread }: Apart): Promise<number> {
		const forAll = this.unknown.total - (await this.total(excluded, (span) => this.unknown.within(span)));
		const own = (await subtract(unread, excluded, this.turns)).flat();
		return forAll + (await this.total(own, (span) => this.uncounted.outside(span)));
	}

	private async total(spans: readonly Span[], secondsOf: (span: Span) => number): Promise<number> {
		return sum(await this.turns.map(spans, secondsOf));
	}

	/** How many incidents of these units have no known length. One of a station counts once for all its charge points. */
	async unknownLengths(units: readonly Unit[]): Promise<number> {
		const told = new Set((await this.turns.map(units, (unit) => this.told.about(unit))).flat());
		return sum(await this.turns.map(told, (rows) => this.unknownLengthsOf(this.incidentsIn([rows])).length));
	}

	/**
	 * The outages of a station and of its charge points that touch the period, by begin. Those of unknown length if they
	 * began in it.
	 */
	async outagesOf(station: string): Promise<Outage[]> {
		const outages: Outage[][] = [];
		for (const rows of this.downOf(station)) {
			for (const cause of this.counting.causes) outages.push(await this.ownOutages(rows, cause));
		}
		return await byTime(outages.flat(), 'since', this.turns);
	}

	/** A station and its charge points, of those that the rows name as down by a cause that counts. */
	unitsOf(station: string): Unit[] {
		return this.downOf(station).map(({ unit }) => unit);
	}

	private downOf(station: string): UnitRows[] {
		return this.told.of(station).filter(({ incidents }) => incidents.size > 0);
	}

	private async ownOutages(rows: UnitRows, cause: string): Promise<Outage[]> {
		const { chargePoint } = rows.unit;
		const spans = this.incidentsIn([rows], [cause]);
		const toldEnds = new Set<number>();
		await this.turns.map(spans, ({ to, end }) => end === 'told' && toldEnds.add(to));
		const whole = (await mergeWithin(spans, ALWAYS, this.turns)).filter((span) => this.isInPeriod(span));
		const within = await this.merged(whole);
		const told = this.told.about(rows.unit);
		const exclusions = await byTime([...this.exclusionsIn(told), ...this.exclusions], 'from', this.turns);
		const reasons = await reasonsOver(within, exclusions, MOST_REASONS, this.turns);
		const divided = await this.divide(within, await this.apartFrom(told));
		const known = await this.turns.map(divided, (parts, index): Outage => {
			const { from = 0, to = 0 } = whole[index] ?? {};
			const until = toldEnds.has(to) ? to : undefined;
			return { chargePoint, cause, since: from, until, parts, reasons: reasons[index] ?? NO_REASON };
		});
		const ofUnknownLength = this.unknownLengthsOf(spans).map(({ from }) => ({
			...{ chargePoint, cause, since: from, reasons: NO_REASON },
		}));
		return [...known, ...ofUnknownLength];
	}

	/** Those of the stations and charge points asked about that were down in the period, according to the rows. */
	async unitsDown(isAsked: (unit: Unit) => boolean): Promise<Unit[]> {
		return await this.unitsWhere(
			isAsked,
			(rows) => this.wasDown(rows.unit) || this.unknownLengthsOf(this.incidentsIn([rows])).length > 0,
		);
	}

	/** Those of the stations and charge points asked about of which rows exclude some of the period. */
	async unitsExcluded(isAsked: (unit: Unit) => boolean): Promise<Unit[]> {
		return await this.unitsWhere(
			(unit) => unit.station !== EVERY_STATION && isAsked(unit),
			(rows) => this.exclusionsIn([rows]).some((span) => this.isInPeriod(span)),
		);
	}

	private async unitsWhere(isAsked: (unit: Unit) => boolean, isOne: (rows: UnitRows) => boolean): Promise<Unit[]> {
		const units: Unit[] = [];
		await this.turns.map(this.told, (rows) => isAsked(rows.unit) && isOne(rows) && units.push(rows.unit));
		return units;
	}

	private async apartFrom(told: readonly UnitRows[]): Promise<Apart> {
		const excluded = await this.merged(this.exclusionsIn(told));
		const unread = await this.merged(told.flatMap(({ unreadable }) => unreadable));
		return { excluded, unread, both: await this.merged([...excluded, ...unread]) };
	}

	private async merged(spans: readonly Span[]): Promise<Span[]> {
		return await mergeWithin(spans, this.period, this.turns);
	}

	/** What is excluded by these rows. Some closing times are empty: clocks may skip all of one. */
	private exclusionsIn(told: readonly UnitRows[]): Exclusion[] {
		const spans = told.flatMap(({ excluded, closed }): Exclusion[] => [
			...excluded,
			...closed.flatMap((each) => this.closedOn(each).map((span) => ({ ...span, reason: each.reason }))),
		]);
		return spans.filter((span) => lengthOf(span) > 0);
	}

	private incidentsIn(told: readonly UnitRows[], causes = this.counting.causes): Ended[] {
		return told.flatMap(({ incidents }) => causes.map((cause) => incidents.get(cause) ?? [])).flat();
	}

	private unknownLengthsOf(incidents: readonly Ended[]): Span[] {
		const { from, to } = this.period;
		return incidents.filter((each) => each.end === 'unknown' && each.from >= from && each.from < to);
	}

	private isInPeriod({ from, to }: Span): boolean {
		return Math.min(to, this.period.to) > Math.max(from, this.period.from);
	}

	/**
	 * Divides each of these outages of a unit into its parts, in seconds.
	 *
	 * @param outages merged, within the period
	 */
	private async divide(
		outages: readonly Span[],
		{ excluded: own, both }: Apart,
	): Promise<Array<NonNullable<Outage['parts']>>> {
		const included = await subtract(outages, own, this.turns);
		const seen = await subtract(outages, both, this.turns);
		const divided: Array<NonNullable<Outage['parts']>> = [];
		for (const [index, outage] of outages.entries()) {
			const down = await this.total(seen[index] ?? [], (part) => this.uncounted.outside(part));
			const notExcluded = await this.total(included[index] ?? [], (part) => this.excludedForAll.outside(part));
			const excluded = lengthOf(outage) - notExcluded;
			divided.push({ down, excluded, unknown: lengthOf(outage) - excluded - down });
		}
		return divided;
	}
}

const NO_REASON: Named = { names: [], more: 0 };

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
