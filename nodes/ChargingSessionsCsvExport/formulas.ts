/** Where a cell that a spreadsheet would run as a formula begins, but for one that is a number with a sign. */
const FORMULA =
	/(^(?:\xef\xbb\xbf)?|[\r\n,;|\t])([ "]*)(?=[=+\-@]|\xef\xbc[\x8b\x8d\x9d\xa0])(?![+-]\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?:["\r\n,;|\t]|$))/g;

/**
 * Puts an apostrophe before each formula, inside any quotes, as OWASP recommends against CSV injection. Everything else
 * is unchanged. Every common delimiter begins a cell, as the spreadsheet may expect another one than this file uses.
 * Full-width characters count too (in UTF-8 they begin with EF BC); a signed number does not.
 *
 * @param csv CSV that starts at the beginning of a cell, one character per byte
 */
export function escapeFormulas(csv: string): string {
	return csv.replace(FORMULA, "$1$2'");
}
