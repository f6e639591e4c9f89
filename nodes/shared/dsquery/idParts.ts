/** Most Ids in one request: one full page of answers. */
export const MOST_IDS = 100;
/** Longest list of Ids in a URL, in encoded characters: gateways refuse long URLs with 404 or 414. */
const LONGEST_LIST = 1_500;
/** What a condition of its own takes beside its Id. */
const OWN_CONDITION = 100;

/** Whether an Id can stand in a list: `In` separates values by commas, and the platform may trim them. */
export function isListable(id: string): boolean {
	return /^[^\s,]+$/.test(id);
}

/** Things in parts, in their order. The condition that names the Ids of a part is short enough for any URL. */
export function idParts<Thing>(things: readonly Thing[], idOf: (thing: Thing) => string): Thing[][] {
	const parts: Thing[][] = [];
	let length = 0;
	for (const thing of things) {
		const id = idOf(thing);
		const own = encodedLength(`${id},`) + (isListable(id) ? 0 : OWN_CONDITION);
		const part = parts.at(-1);
		if (part && part.length < MOST_IDS && length + own <= LONGEST_LIST) {
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
