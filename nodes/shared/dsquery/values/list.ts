import { quote } from '../../text';

/** What separates the entries of a list in text: commas or line ends; for Ids, also spaces. */
type ListSeparator = 'commas' | 'spaces';

/**
 * The entries of a list in any form in which a person, a spreadsheet or an agent has it: a list, `a, b`, `["a","b"]`,
 * `"a","b"`, or one below the other. Anything else is a list of one.
 */
export function parseList(value: unknown, apart: ListSeparator = 'commas'): unknown[] {
	if (typeof value !== 'string') return Array.isArray(value) ? value : [value];
	const text = value.trim();
	return jsonList(text) ?? split(text.replace(/^\[([^[\]]*)\]$/, '$1').trim(), apart);
}

/** The entries of a JSON list, with or without its brackets. Undefined for other text. */
function jsonList(text: string): unknown[] | undefined {
	if (!/^["[]/.test(text)) return undefined;
	try {
		const list = parseJsonAsWritten(text.startsWith('[') ? text : `[${text}]`);
		return Array.isArray(list) ? list : undefined;
	} catch {
		return undefined;
	}
}

/** A text in JSON, or a number outside of one. */
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/**
 * What JSON says, with its numbers as text, as they are written: 1.10 is another firmware than 1.1, and digits beyond
 * 2^53 would be rounded. Those with an exponent stay numbers: the platform takes none.
 *
 * @throws SyntaxError if it is not JSON
 */
export function parseJsonAsWritten(json: string): unknown {
	const parsed: unknown = JSON.parse(json);
	if (typeof parsed !== 'object') return parsed;
	return JSON.parse(json.replace(TEXT_OR_NUMBER, (token) => (/^"|e/i.test(token) ? token : `"${token}"`)));
}

/** An entry to the comma or line end behind it. One in double quotes may hold both. */
const ENTRY = /\s*(?:"([^"]*)"\s*|([^,\n]*))[,\n]/gy;

function split(text: string, apart: ListSeparator): string[] {
	const entries =
		apart === 'spaces'
			? text.split(/\s*[,;]\s*|\s+/)
			: Array.from(`${text},`.matchAll(ENTRY), ([, quoted, plain = '']) => quoted ?? plain.trim());
	return entries.map((entry) => entry.replace(/^(["'])(.*)\1$/, '$2'));
}

/** What separates thousands in a sheet, and IDs in a list. */
const SEPARATOR = /[, \u00a0\u202f]/;
const THOUSANDS = /^-?[1-9]\d{0,2}(?:,\d{3})+$|^-?[1-9]\d{0,2}(?:[ \u00a0\u202f]\d{3})+$/;

/** What may be a single ID or code as a sheet shows it, `1,002` or `1 002`: a group that begins with 0 is hardly one itself. */
function groupedIn(text: string): string[] {
	const list = text.trim().replace(/^\[([^[\]]*)\]$/, '$1');
	const lines = list.split(/[;\t\r\n]|,(?=\s|$)/).map((line) => line.trim());
	const pieces = lines.flatMap((line) => (line.includes(',') ? line.split(/\s/) : [line]));
	return pieces.filter((piece) => THOUSANDS.test(piece) && /\D0/.test(piece));
}

/** Why a list of Ids or codes is refused: for each entry that may be one of them or several. Empty if there is none. */
export function refusalsOfGroups(value: unknown, what: 'ID' | 'code' = 'ID'): string[] {
	const grouped = typeof value === 'string' ? groupedIn(value) : [];
	return grouped.map((text) => {
		const several = text.split(SEPARATOR).map(Number).join(', ');
		const one = text.split(SEPARATOR).join('');
		return `${quote(text)} may be one ${what} with a separator of thousands, or several ${what}s. For ${one} write ${one}, for several write ${several}.`;
	});
}
