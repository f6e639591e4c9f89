import max from 'lodash/max';
import sum from 'lodash/sum';
import sumBy from 'lodash/sumBy';

import { EVERY_STATION, type UptimeRows } from './rows';
import { lengthOf, mergeWithin, subtract, Timeline, type Span } from './spans';

/** How a period divides, in seconds. What is not down, excluded or unknown was up. */
export interface Figures {
	period: number;
	down: number;
	excluded: number;
	/** Time not watched. Undefined if no row says when the trigger watched. */
	unknown?: number;
	incidents: number;
	/** The longest incident. */
	longest: number;
	/** Incidents that began in the period, outside excluded time, and whose length no row tells. Counted only here. */
	incidentsOfUnknownLength: number;
}

/**
 * Divides a period into excluded, unknown, down and up, for one station at a time. If several apply, the first of these
 * counts: maintenance is excluded whatever was seen, and time not watched is not called down.
 *
 * An incident ends when a row says so. If none does, it ended with the last `watching` row that names it as open.
 * Without any `watching` rows it is still open; if there are some but none names it, its length is unknown.
 */
export class Uptime {
	/** The part of the period that has passed. */
	readonly period: Span;
	private readonly incidents: ReadonlyMap<string, Span[]>;
	/** The first second of each incident of unknown length. */
	private readonly ofUnknownLength: ReadonlyMap<string, Span[]>;
	private readonly exclusions: ReadonlyMap<string, Span[]>;
	private readonly excludedForAll: Timeline;
	private readonly unknown: Timeline;
	/** Excluded for all, or unknown. */
	private readonly uncounted: Timeline;
	private readonly isWatchKnown: boolean;

	/** @param now whole seconds since 1970, like the period */
	constructor(rows: UptimeRows, period: Span, now: number) {
		this.period = { from: period.from, to: Math.min(period.to, now) };
		this.isWatchKnown = rows.watching.length > 0;
		const incidents = [...rows.incidents.values()].map(({ station, since, until, openAt }) => {
			const end = this.isWatchKnown ? Math.max(since, openAt ?? since) : now;
			return { station, from: since, to: until ?? end };
		});
		this.incidents = byStation(incidents);
		this.ofUnknownLength = byStation(
			[...rows.incidents.values()]
				.filter(({ until, openAt }) => this.isWatchKnown && until === undefined && openAt === undefined)
				.map(({ station, since }) => ({ station, from: since, to: since + 1 })),
		);
		this.exclusions = byStation(rows.excluded);
		const excluded = mergeWithin(this.exclusions.get(EVERY_STATION) ?? [], this.period);
		const watched = this.isWatchKnown ? mergeWithin(rows.watching, this.period) : [this.period];
		const unwatched = subtract([this.period], watched).flat();
		this.excludedForAll = new Timeline(excluded);
		this.unknown = new Timeline(subtract(unwatched, excluded).flat());
		this.uncounted = new Timeline(mergeWithin([...excluded, ...unwatched], this.period));
	}

	figuresOf(station: string): Figures {
		const own = mergeWithin(this.exclusions.get(station) ?? [], this.period);
		const downs = subtract(this.incidentsOf(station), own)
			.map((parts) => sumBy(parts, (part) => this.uncounted.outside(part)))
			.filter((seconds) => seconds > 0);
		return {
			period: lengthOf(this.period),
			down: sum(downs),
			excluded: this.excludedForAll.total + sumBy(own, (span) => this.excludedForAll.outside(span)),
			unknown: this.isWatchKnown ? this.unknown.total - sumBy(own, (span) => this.unknown.within(span)) : undefined,
			incidents: downs.length,
			longest: max(downs) ?? 0,
			incidentsOfUnknownLength: this.unknownLengthsOf(station, own).length,
		};
	}

	/** The stations that were offline in the period, according to the rows. */
	offlineStations(): string[] {
		return [...this.incidents.keys()].filter(
			(station) => this.incidentsOf(station).length + this.unknownLengthsOf(station, []).length > 0,
		);
	}

	private incidentsOf(station: string): Span[] {
		return mergeWithin(this.incidents.get(station) ?? [], this.period);
	}

	/** @param own merged spans excluded for this station alone */
	private unknownLengthsOf(station: string, own: readonly Span[]): Span[] {
		const excluded = new Timeline(own);
		const { from, to } = this.period;
		return (this.ofUnknownLength.get(station) ?? []).filter(
			(first) =>
				first.from >= from && first.from < to && this.excludedForAll.outside(first) > 0 && excluded.outside(first) > 0,
		);
	}
}

function byStation(items: ReadonlyArray<Span & { station: string }>): Map<string, Span[]> {
	const groups = new Map<string, Span[]>();
	for (const { station, from, to } of items) {
		const group = groups.get(station);
		if (group) group.push({ from, to });
		else groups.set(station, [{ from, to }]);
	}
	return groups;
}

/** The figures of several stations together. */
export function together(figures: readonly Figures[]): Figures {
	const total = (name: Exclude<keyof Figures, 'unknown' | 'longest'>) => sumBy(figures, (each) => each[name]);
	return {
		period: total('period'),
		down: total('down'),
		excluded: total('excluded'),
		unknown: figures.some(({ unknown }) => unknown === undefined) ? undefined : sumBy(figures, 'unknown'),
		incidents: total('incidents'),
		longest: max(figures.map(({ longest }) => longest)) ?? 0,
		incidentsOfUnknownLength: total('incidentsOfUnknownLength'),
	};
}
