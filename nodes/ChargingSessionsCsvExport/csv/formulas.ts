const APOSTROPHE = Buffer.from("'");
/** Whatever may stand between two cells, in this file or in the eyes of a spreadsheet that expects another delimiter. */
const SEPARATORS = new Set([...'\r\n\t,;'].map((character) => character.charCodeAt(0)));
/** What may stand before the first character of a cell. */
const SKIPPED = new Set([...' "'].map((character) => character.charCodeAt(0)));
/** The first byte of each character that begins a formula; in UTF-8, those in full width begin with EF. */
const FIRST_BYTES = new Set([...'=+-@\u00ef'].map((character) => character.charCodeAt(0)));
/** Spreadsheets for East Asia also take the characters in full width. */
const FORMULA = /^[=+\-@＝＋－＠]/;
/** A number with a sign is no formula. */
const SIGNED_NUMBER = /^[+-]\d{1,20}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?(?=[\r\n\t,;"]|$)/;
/** Enough to recognise either, in bytes. */
const LOOKED_AT = 64;

/**
 * Puts an apostrophe before the first character of each cell that a spreadsheet would run as a formula, as OWASP advises
 * against CSV injection. All other bytes stay as they are; numbers such as -4.5 stay numbers.
 *
 * @param bytes CSV text that begins where a cell begins
 */
export function escapeFormulas(bytes: Buffer): Buffer {
	const pieces: Buffer[] = [];
	let copied = 0;
	let atCellStart = true;
	for (let at = 0; at < bytes.length; at++) {
		const byte = bytes[at] ?? 0;
		if (SEPARATORS.has(byte)) {
			atCellStart = true;
		} else if (atCellStart && !SKIPPED.has(byte)) {
			atCellStart = false;
			if (!startsFormula(bytes, at)) continue;
			pieces.push(bytes.subarray(copied, at), APOSTROPHE);
			copied = at;
		}
	}
	return Buffer.concat([...pieces, bytes.subarray(copied)]);
}

function startsFormula(bytes: Buffer, at: number): boolean {
	if (!FIRST_BYTES.has(bytes[at] ?? 0)) return false;
	const text = bytes.toString('utf8', at, at + LOOKED_AT);
	return FORMULA.test(text) && !SIGNED_NUMBER.test(text);
}
