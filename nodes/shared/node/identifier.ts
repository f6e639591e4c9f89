import { Faults, isBlank, quote } from '../dsquery/faults';

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
	} else if (typeof value === 'string' && /^\s*\.{1,2}\s*$/.test(value)) {
		// Within the path of a URL these mean another place, however they are encoded.
		faults.add(place, `${quote(value)} cannot be an ID. Use the Id of a row that Get Many returns.`);
	} else if (typeof value !== 'string' && typeof value !== 'number') {
		faults.add(place, 'an ID is text or a number, but this is something else. Pick the Id property of one row.');
	}
	return String(value).trim();
}
