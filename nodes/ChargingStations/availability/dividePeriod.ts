/** A stretch of time in whole seconds since 1970; `to` is not included. */
export interface Span {
	from: number;
	to: number;
}

/** A time in which a station or charge point was down, or does not count. */
export interface Interval extends Span {
	state: 'excluded' | 'unknown' | 'down';
	/** The cause of an outage. */
	cause?: string;
	/** Why time is excluded. */
	reason?: string;
}

/** One outage: intervals down that overlap or touch. Excluded and unknown time within it belongs to it, but is not down. */
export interface OutageTime extends Span {
	/** Seconds of the period that count so. */
	down: number;
	excluded: number;
	unknown: number;
	/** Why time of it is excluded, by begin. */
	reasons?: Set<string>;
}

/** How a period divides, in seconds. */
export interface Figures {
	up: number;
	down: number;
	excluded: number;
	unknown: number;
	/** A time with two causes is in both. */
	downByCause: Record<string, number>;
	/** The outages that touch the period, in their full length. */
	outages: OutageTime[];
}

/**
 * Divides a period. Each time counts as the first of these that applies: what is excluded is not down, and what nobody saw
 * is neither up nor down.
 *
 * @param causes those that count as down
 */
export function dividePeriod(period: Span, stretches: readonly Interval[], causes: readonly string[]): Figures {
	const seconds = { up: 0, down: 0, excluded: 0, unknown: 0 };
	const downByCause = Object.fromEntries(causes.map((cause) => [cause, 0]));
	const outages: OutageTime[] = [];
	let outage: OutageTime | undefined;
	for (const { from, to, state, down, reasons } of partsOf(period, stretches, causes)) {
		const isInPeriod = from >= period.from && to <= period.to;
		const length = isInPeriod ? to - from : 0;
		seconds[state] += length;
		if (down.length === 0) outage = undefined;
		else if (state !== 'up') {
			if (!outage) outages.push((outage = { from, to, down: 0, excluded: 0, unknown: 0 }));
			outage.to = to;
			outage[state] += length;
			if (isInPeriod && reasons.size > 0) outage.reasons = new Set([...(outage.reasons ?? []), ...reasons.keys()]);
			if (state === 'down') for (const cause of down) downByCause[cause] = (downByCause[cause] ?? 0) + length;
		}
	}
	const touching = outages.filter((each) => each.down + each.excluded + each.unknown > 0);
	return { ...seconds, downByCause, outages: touching };
}

/** A time in which nothing changes. */
interface PeriodPart extends Span {
	state: Interval['state'] | 'up';
	/** The causes by which it was down, however it counts. */
	down: string[];
	/** Why it is excluded. */
	reasons: ReadonlyMap<string, number>;
}

/** All parts between two boundaries, in order: one walk over the begins and ends, which counts what is open. */
function* partsOf(period: Span, stretches: readonly Interval[], causes: readonly string[]): Iterable<PeriodPart> {
	const boundaries: Array<[time: number, step: number, stretch?: Interval]> = [
		[period.from, 0],
		[period.to, 0],
	];
	for (const stretch of stretches) {
		if (stretch.to > stretch.from) boundaries.push([stretch.from, 1, stretch], [stretch.to, -1, stretch]);
	}
	boundaries.sort(([one], [other]) => one - other);
	const open = {
		excluded: new Map<string, number>(),
		unknown: new Map<string, number>(),
		down: new Map<string, number>(),
	};
	const reasons = new Map<string, number>();
	let from = -Infinity;
	for (const [to, step, stretch] of boundaries) {
		if (from > -Infinity && to > from) {
			const down = causes.filter((cause) => open.down.has(cause));
			const state = (['excluded', 'unknown'] as const).find((each) => open[each].size > 0);
			yield { from, to, state: state ?? (down.length > 0 ? 'down' : 'up'), down, reasons };
		}
		from = to;
		if (!stretch) continue;
		const { state, cause = '', reason } = stretch;
		count(open[state], cause, step);
		if (reason !== undefined) count(reasons, reason, step);
	}
}

function count(counts: Map<string, number>, key: string, by: number): void {
	const now = (counts.get(key) ?? 0) + by;
	if (now === 0) counts.delete(key);
	else counts.set(key, now);
}

/** The parts of a period that no span covers. */
export function findUncoveredSpans(period: Span, spans: readonly Span[]): Span[] {
	const found: Span[] = [];
	let at = period.from;
	for (const { from, to } of [...spans].sort((one, other) => one.from - other.from)) {
		if (from >= period.to) break;
		if (from > at) found.push({ from: at, to: from });
		at = Math.max(at, to);
	}
	return at < period.to ? [...found, { from: at, to: period.to }] : found;
}
