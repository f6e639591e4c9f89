import sortBy from 'lodash/sortBy';
import sumBy from 'lodash/sumBy';

import { createClosingTimeFinder } from './closingTimes';
import {
	findUncoveredSpans,
	dividePeriod,
	type Figures,
	type OutageTime,
	type Span,
	type Interval,
} from './dividePeriod';
import {
	EVERY_STATION,
	type ClosingHours,
	type ReportedInterval,
	type UptimeUnit,
	type UptimeUnitRows,
	type UptimeRows,
} from './uptimeRows';

/** One outage of a station or charge point by one cause. */
export interface UnitOutage {
	/** Undefined for an outage of the whole station. */
	chargePoint?: string;
	cause: string;
	since: number;
	/** Undefined if no row says when it ended. */
	until?: number;
	/** Undefined if no row tells its length. */
	parts?: OutageTime;
}

/** The figures of one station or charge point, or of several together. */
export interface UnitFigures extends Figures {
	/** Incidents that began in the period and whose length no row tells. Counted only here. */
	incidentsOfUnknownLength: number;
}

/** What counts, as the user chose. */
export interface UptimeOptions {
	/** The causes that count as down. */
	causes: readonly string[];
	/** A cause counts as watched all the time if no row says when it was. */
	assumeAlwaysWatched: boolean;
	/** The time zone of closing times. */
	zone: string;
}

/**
 * The uptime of one station or charge point at a time. What rows say about a station holds for each of its charge points;
 * what they say about a charge point, for that alone.
 *
 * An incident ends when a row says so. If none does, it ended with the last `watching` row that names it as open.
 * Without any `watching` rows for its cause it is still open; if there are some but none names it, its length is
 * unknown.
 */
export class UptimeCalculator {
	private readonly closedOn: (closed: ClosingHours) => readonly Span[];
	/** When not all causes were watched. Undefined if no row says what was watched. */
	readonly unwatched?: Interval[];
	/** What does not count for any station. */
	private readonly forAll: Interval[];

	/** @param period the part of it that has passed */
	constructor(
		private readonly rows: UptimeRows,
		readonly period: Span,
		private readonly counting: UptimeOptions,
	) {
		this.closedOn = createClosingTimeFinder(period, counting.zone);
		this.unwatched = this.findUnwatched()?.map((span) => ({ ...span, state: 'unknown' }));
		const excluded = this.stretchesOf(rows.of(EVERY_STATION)).filter((each) => this.isInPeriod(each));
		this.forAll = [...excluded, ...(this.unwatched ?? [])];
	}

	/** The causes that count, but that nobody watched for, as far as the rows tell. */
	neverWatched(): string[] {
		const { watched } = this.rows;
		if (watched.size === 0 || this.counting.assumeAlwaysWatched) return [];
		return this.counting.causes.filter((cause) => !watched.has(cause));
	}

	/** Whether somebody watched for a cause in the period, as far as the rows tell. */
	isWatched(cause: string): boolean {
		return this.rows.watched.get(cause)?.spans.some((span) => this.isInPeriod(span)) ?? false;
	}

	private findUnwatched(): Span[] | undefined {
		if (this.neverWatched().length > 0) return [this.period];
		const watched = this.counting.causes.flatMap((cause) => this.rows.watched.get(cause) ?? []);
		return watched.length === 0 ? undefined : watched.flatMap(({ spans }) => findUncoveredSpans(this.period, spans));
	}

	/**
	 * Whether anything is known about the period: some of it was watched, or, where no row says what was watched, one of
	 * these units was down.
	 */
	isAnythingKnown(units: readonly UptimeUnit[]): boolean {
		if (this.unwatched) return dividePeriod(this.period, this.unwatched, []).up > 0;
		return this.counting.assumeAlwaysWatched || units.some((unit) => this.wasDown(this.rows.about(unit)));
	}

	figuresOf(unit: UptimeUnit): UnitFigures {
		const told = this.rows.about(unit);
		const figures = dividePeriod(this.period, [...this.forAll, ...this.stretchesOf(told)], this.counting.causes);
		return { ...figures, incidentsOfUnknownLength: this.unknownLengthsOf(told).length };
	}

	/** How many incidents of these units have no known length. One of a station counts once for all its charge points. */
	unknownLengths(units: readonly UptimeUnit[]): number {
		const told = new Set(units.flatMap((unit) => this.rows.about(unit)));
		return this.unknownLengthsOf([...told]).length;
	}

	/**
	 * The outages of a station and of its charge points that touch the period, by begin. Those of unknown length if they
	 * began in it.
	 */
	outagesOf(station: string): UnitOutage[] {
		const { causes } = this.counting;
		const outages = this.rows.of(station).flatMap((own) => causes.flatMap((cause) => this.ownOutages(own, cause)));
		return sortBy(outages, 'since');
	}

	/** A station and its charge points, of those that the rows name as down by a cause that counts. */
	unitsOf(station: string): UptimeUnit[] {
		return this.rows
			.of(station)
			.filter((own) => this.incidentsOf([own]).length > 0)
			.map(({ unit }) => unit);
	}

	private ownOutages(own: UptimeUnitRows, cause: string): UnitOutage[] {
		const about = { chargePoint: own.unit.chargePoint, cause };
		const incidents = this.incidentsOf([own]).filter((each) => each.cause === cause);
		if (incidents.length === 0) return [];
		const apart = this.stretchesOf(this.rows.about(own.unit)).filter(({ state }) => state !== 'down');
		const toldEnds = new Set(incidents.filter(({ end }) => end === 'told').map(({ to }) => to));
		const { outages } = dividePeriod(this.period, [...this.forAll, ...apart, ...incidents], [cause]);
		const known = outages.map((parts): UnitOutage => {
			return { ...about, since: parts.from, until: toldEnds.has(parts.to) ? parts.to : undefined, parts };
		});
		const ofUnknownLength = this.unknownLengthsOf([own]).filter((each) => each.cause === cause);
		return [...known, ...ofUnknownLength.map(({ from }) => ({ ...about, since: from }))];
	}

	/** The stations and charge points of which rows tell something in the period: that they were down, or do not count. */
	unitsTold(): UptimeUnit[] {
		const isTold = (own: UptimeUnitRows) =>
			this.unknownLengthsOf([own]).length > 0 ||
			this.stretchesOf([own]).some((each) => each.state !== 'unknown' && this.isInPeriod(each));
		const told = this.rows.all().filter((own) => own.unit.station !== EVERY_STATION && isTold(own));
		return told.map(({ unit }) => unit);
	}

	/** What these rows say that counts: outages and what could not be read only of the causes that do. */
	private stretchesOf(told: readonly UptimeUnitRows[]): ReportedInterval[] {
		const { causes } = this.counting;
		return told.flatMap(({ stretches, closed }): ReportedInterval[] => [
			...stretches.filter(({ cause }) => cause === undefined || causes.includes(cause)),
			...closed.flatMap((each) =>
				this.closedOn(each).map((span) => ({ ...span, state: 'excluded', reason: each.reason }) as const),
			),
		]);
	}

	private incidentsOf(told: readonly UptimeUnitRows[]): ReportedInterval[] {
		const { causes } = this.counting;
		return told.flatMap(({ stretches }) =>
			stretches.filter(({ state, cause = '' }) => state === 'down' && causes.includes(cause)),
		);
	}

	private wasDown(told: readonly UptimeUnitRows[]): boolean {
		return this.incidentsOf(told).some((each) => this.isInPeriod(each));
	}

	private unknownLengthsOf(told: readonly UptimeUnitRows[]): ReportedInterval[] {
		const { from, to } = this.period;
		return this.incidentsOf(told).filter((each) => each.end === 'unknown' && each.from >= from && each.from < to);
	}

	private isInPeriod({ from, to }: Span): boolean {
		return Math.min(to, this.period.to) > Math.max(from, this.period.from);
	}
}

/** The figures of several units together. */
export function sumFigures(figures: readonly UnitFigures[]): UnitFigures {
	const total = (name: 'up' | 'down' | 'excluded' | 'unknown' | 'incidentsOfUnknownLength') => sumBy(figures, name);
	const causes = Object.keys(figures[0]?.downByCause ?? {});
	return {
		up: total('up'),
		down: total('down'),
		excluded: total('excluded'),
		unknown: total('unknown'),
		downByCause: Object.fromEntries(
			causes.map((cause) => [cause, sumBy(figures, ({ downByCause }) => downByCause[cause] ?? 0)]),
		),
		outages: figures.flatMap(({ outages }) => outages),
		incidentsOfUnknownLength: total('incidentsOfUnknownLength'),
	};
}
