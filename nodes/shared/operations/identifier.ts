import { Faults, isBlank } from '../dsquery/faults';

/**
 * Reads the identifier of a single session or station. Numbers and text are taken alike: the specification shows integers
 * for sessions and only "identifier" for stations. Notes a fault where it is empty, no identifier, or a number too large
 * to be exact.
 */
export function readIdentifier(value: unknown, place: string, faults: Faults): string {
	if (value === undefined || value === null || (typeof value === 'string' && isBlank(value))) {
		faults.add(place, 'nothing is filled in. Enter an ID; if this is an expression, it came out empty.');
	} else if (typeof value === 'number' && !Number.isSafeInteger(value)) {
		faults.add(place, `${value} is not a whole number up to 9007199254740991, so it may not be the ID that was meant.`);
	} else if (typeof value !== 'string' && typeof value !== 'number') {
		faults.add(place, 'an ID is text or a number, but this is something else. Pick the Id property of one row.');
	}
	return String(value).trim();
}
