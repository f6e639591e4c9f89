/** A number with a sign, which no spreadsheet runs. */
const NUMBER = String.raw`[+-]\d+(?:\.\d+)?(?:[eE][+-]?\d+)?`;

/**
 * Where a cell that a spreadsheet would run as a formula begins. In quotes, a number ends only with them: behind a line end or
 * a delimiter, its cell goes on.
 */
const FORMULA = new RegExp(
	String.raw`(^(?:\xef\xbb\xbf)?|[\r\n,;|\t])([ "]*)(?=[=+\-@]|\xef\xbc[\x8b\x8d\x9d\xa0])(?!${NUMBER}"|(?<!" *)${NUMBER}(?:[\r\n,;|\t]|$))`,
	'g',
);

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
