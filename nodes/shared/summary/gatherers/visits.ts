import { MINUTE_MS, SECOND_MS } from '../../dsquery/values/durations';
import { Noted, type Gatherer, type GatheredRow, type Places, type Put } from './gatherer';
import { outcomeOf, type Measure } from '../measures';

/** What is noted of a session. */
interface Attempt {
	/** Its driver and place; undefined if one of them, or its start, is unknown. */
	visitor: number | undefined;
	start: number;
	id: number;
	succeeded: boolean | undefined;
	places: Places;
	isBeside: boolean;
}

/** Sessions of one driver at one place in short order, up to the first success. */
interface Visit {
	first: Attempt;
	last: Attempt;
	tries: number;
	failures: number;
}

/** Visit Success: how many visits end in a charge. A visit belongs to the period and to the groups of its first session. */
export class Visits implements Gatherer {
	readonly noted = new Noted<Attempt>();
	readonly fields: ReadonlyArray<string | undefined>;
	/** How long after a session begins the next one is of the same visit; also how much of the time before is needed. */
	readonly before: number;

	constructor(private readonly measure: Measure) {
		this.before = (measure.visitMinutes ?? 0) * MINUTE_MS;
		this.fields = [measure.driverField, measure.placeField];
	}

	note({ row, start, value, single, places, isBeside }: GatheredRow): void {
		const [driver, place] = this.fields.map((field) => single(field));
		const isKnown = start !== undefined && driver !== undefined && place !== undefined;
		this.noted.add({
			visitor: isKnown ? this.noted.numberOf(JSON.stringify([driver, place])) : undefined,
			start: start ?? 0,
			id: Number(row.Id),
			succeeded: outcomeOf(value, this.measure.outcomes),
			places,
			isBeside,
		});
	}

	/** Visits of the period that have not succeeded may still go on. Times have whole seconds. */
	get until(): number {
		let until = Number.NEGATIVE_INFINITY;
		for (const { first, last } of this.visits()) {
			const isOpen = first.visitor !== undefined && !first.isBeside && !last.succeeded;
			if (isOpen) until = Math.max(until, last.start + this.before + SECOND_MS);
		}
		return until;
	}

	settle(put: Put): string[] {
		for (const visit of this.visits()) {
			const { first } = visit;
			if (first.isBeside) continue;
			const amounts = { [endOf(visit)]: 1, ...(first.visitor === undefined && { Unassigned: 1 }) };
			for (const [breakdown, values] of first.places.entries()) put(breakdown, values, amounts);
		}
		return [];
	}

	private visits(): Visit[] {
		const current = new Map<number | undefined, Visit>();
		const visits: Visit[] = [];
		for (const attempt of this.noted.entries.sort((a, b) => a.start - b.start || a.id - b.id)) {
			const { visitor, start } = attempt;
			let visit = visitor === undefined ? undefined : current.get(visitor);
			if (!visit || visit.last.succeeded || start - visit.last.start > this.before) {
				visit = { first: attempt, last: attempt, tries: 0, failures: 0 };
				visits.push(visit);
				current.set(visitor, visit);
			}
			visit.last = attempt;
			visit.tries++;
			visit.failures += attempt.succeeded === false ? 1 : 0;
		}
		return visits;
	}
}

/** Failed: all of its sessions have. One that still charges, or ended in an unknown way, may have been a success. */
function endOf({ last, tries, failures }: Visit): string {
	if (last.succeeded) return tries === 1 ? 'FirstTry' : 'AfterTrouble';
	return failures === tries ? 'Failed' : 'Undecided';
}
