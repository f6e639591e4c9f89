/**
 * The start of a cell that a spreadsheet would run as a formula: after a delimiter, also one of another kind than this
 * file's, as the spreadsheet may expect that one. Characters in full width count too (in UTF-8 their bytes begin with EF
 * BC); a number with a sign does not.
 */
const FORMULA =
	/(^|[\r\n\t,;|])([ "]*)(?=[=+\-@]|\xef\xbc[\x8b\x8d\x9d\xa0])(?![+-]\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?:["\r\n\t,;|]|$))/g;

/**
 * Puts an apostrophe before the first character of each such cell, as OWASP advises against CSV injection. Everything
 * else stays as it is.
 *
 * @param csv CSV that begins where a cell begins, one character for each byte
 */
export function escapeFormulas(csv: string): string {
	return csv.replace(FORMULA, "$1$2'");
}
