import { formatCount, shorten } from '../text';

/** One thing that is wrong with parameters, and where: `Filters > Group 1 > Status 2 > Value`. */
export interface ValidationIssue {
	place: string;
	message: string;
}

/** Adds what is wrong with a value to the issues. Returns undefined, so that callers can end with `return refuse(...)`. */
export type Refuse = (message: string) => undefined;

/** Thrown for parameters that cannot be used, before anything is sent. */
export class InvalidParametersError extends Error {
	/**
	 * @param issues the faults to list, no more than a person would read
	 * @param count how many faults there are, including those not listed
	 */
	constructor(
		readonly issues: readonly ValidationIssue[],
		readonly count = issues.length,
	) {
		super();
		this.name = 'QueryError';
		this.message = this.lines.join('\n');
	}

	/** One line for each listed fault, and one with the number of others. */
	get lines(): string[] {
		const lines = this.issues.map(({ place, message }) => (place ? `${place}: ${message}` : message));
		const others = this.count - lines.length;
		return others > 0 ? [...lines, `And ${formatCount(others, 'more place')} to change.`] : lines;
	}
}

/** The most faults that a message shows; the others are only counted. */
const MOST_SHOWN = 20;
const LONGEST_PLACE = 300;
const LONGEST_MESSAGE = 1000;

/** Collects everything that is wrong, so that the user can correct it all at once. */
export class ValidationIssues {
	private readonly shown: ValidationIssue[] = [];
	private total = 0;

	/** Adds a fault, once. Returns undefined, so that callers can end with `return issues.add(...)`. */
	add(place: string, message: string): undefined {
		if (this.shown.some((each) => each.place === place && each.message === message)) return undefined;
		this.total++;
		if (this.shown.length < MOST_SHOWN) {
			this.shown.push({ place: shorten(place, LONGEST_PLACE), message: shorten(message, LONGEST_MESSAGE) });
		}
		return undefined;
	}

	/** @throws {InvalidParametersError} with this fault and all others so far, for input too deep or too large to read to its end */
	stop(place: string, message: string): never {
		this.add(place, message);
		throw new InvalidParametersError(this.shown, this.total);
	}

	get count(): number {
		return this.total;
	}

	/** @throws {InvalidParametersError} with all faults so far, if there are any */
	check(): void {
		if (this.total > 0) throw new InvalidParametersError(this.shown, this.total);
	}
}
