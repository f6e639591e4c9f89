const COMMON_DELIMITERS = ',;|\t';
/** Where a cell that a spreadsheet would run as a formula begins, after what `starts` matches. */
const FORMULA = String.raw`([ "]*)(?=[=+\-@]|\xef\xbc[\x8b\x8d\x9d\xa0])`;

/**
 * Puts an apostrophe before each formula, inside any quotes, as OWASP recommends against CSV injection. Everything else
 * is unchanged. Every common delimiter begins a cell, as the spreadsheet may expect another one than this file uses.
 * Full-width characters count too (in UTF-8 they begin with EF BC); a signed number does not.
 *
 * @param csv CSV that starts at the beginning of a cell, one character per byte
 * @param delimiter the one that this file uses
 */
export function escapeFormulas(csv: string, delimiter: string): string {
	const between = `${COMMON_DELIMITERS}${delimiter}`.replace(/[\\\]^-]/g, String.raw`\$&`);
	const number = String.raw`[+-]\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?:["\r\n${between}]|$)`;
	return csv.replace(new RegExp(`(^|[\\r\\n${between}])${FORMULA}(?!${number})`, 'g'), "$1$2'");
}
