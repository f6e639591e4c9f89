import type { Fault } from '../dsquery/types';
import { QueryError } from '../dsquery/types';

/**
 * Reads the identifier of a single session or station. Numbers and text are taken alike: the specification shows integers
 * for sessions and only "identifier" for stations.
 *
 * @throws QueryError naming the parameter where it is empty, no identifier, or a number too large to be exact
 */
export function readIdentifier(value: unknown, place: string): string {
	const refuse = (message: string): never => {
		const fault: Fault = { place, message };
		throw new QueryError([fault]);
	};
	if (value === undefined || value === null || (typeof value === 'string' && value.trim() === '')) {
		return refuse('nothing is filled in. Enter an ID; if this is an expression, it came out empty.');
	}
	if (typeof value === 'number' && !Number.isSafeInteger(value)) {
		return refuse(`${value} is not a whole number up to 9007199254740991, so it may not be the ID that was meant.`);
	}
	if (typeof value !== 'string' && typeof value !== 'number') {
		return refuse('an ID is text or a number, but this is something else. Pick the Id property of one row.');
	}
	return String(value).trim();
}
