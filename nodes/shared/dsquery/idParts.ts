import type { Query } from './types';
import { writeQuery } from './write';

/** Most Ids in one request: one full page of answers. */
export const MOST_IDS = 100;
/** Longest URL with Ids, in encoded characters: gateways refuse long ones with 404 or 414, many above 2,048. */
const LONGEST_URL = 1_800;
/** A part has at least so many Ids, however long the rest of the URL is. */
const FEWEST_IDS = 5;
/** How many characters a condition for a single Id takes beside the Id. */
const OWN_CONDITION = 100;

/** Whether an Id can stand in a list: `In` separates values by commas, and the platform may trim them. */
export function isListable(id: string): boolean {
	return /^[^\s,]+$/.test(id);
}

/**
 * Divides things into parts, in their order, so that a URL with the Ids of one part is not too long.
 *
 * @param rest what else is in the URL: its address, and the query with a page, its sort, and a condition without Ids
 */
export function splitByUrlLength<Thing>(
	things: readonly Thing[],
	idOf: (thing: Thing) => string,
	rest: { address: string; query: Query },
): Thing[][] {
	const longest = LONGEST_URL - encodedLength(`${rest.address}?dsquery=${writeQuery(rest.query)}`);
	const parts: Thing[][] = [];
	let length = 0;
	for (const thing of things) {
		const id = idOf(thing);
		const own = encodedLength(`${id},`) + (isListable(id) ? 0 : OWN_CONDITION);
		const part = parts.at(-1);
		const { length: count = 0 } = part ?? [];
		if (part && count < MOST_IDS && (count < FEWEST_IDS || length + own <= longest)) {
			part.push(thing);
			length += own;
		} else {
			parts.push([thing]);
			length = own;
		}
	}
	return parts;
}

/** How long a text is in a URL: three characters for each byte that is not plain. Takes damaged text, too. */
function encodedLength(text: string): number {
	const plain = text.replace(/[^\w.~-]/g, '').length;
	return plain + 3 * (Buffer.byteLength(text) - plain);
}
