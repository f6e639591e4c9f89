import maxBy from 'lodash/maxBy';

/** What may stand between two cells. The first wins where the header has several equally often. */
const DELIMITERS = [',', ';', '\t'];

/** Where one record stands in the text of a CSV file. */
export interface CsvRecord {
	/** Where the record ends, its line end not included. */
	end: number;
	/** Where the next record begins. */
	next: number;
	cells: number;
	/** True where the text ends before the quotes are closed. */
	inQuotes: boolean;
}

/**
 * Reads the record that begins at `start`. A quote opens a quoted cell only where a cell begins, so a stray one inside a
 * cell (`19" rack`) does no harm.
 *
 * @param text one character for each byte: in UTF-8 a quote, a delimiter or a line end is never part of another character
 */
export function readRecord(text: string, start: number, delimiter: string): CsvRecord {
	let at = start;
	let cells = 1;
	let inQuotes = false;
	for (;;) {
		if (text[at] === '"') {
			const closing = closingQuote(text, at);
			inQuotes = closing < 0;
			at = inQuotes ? text.length : closing + 1;
		}
		while (at < text.length && text[at] !== delimiter && text[at] !== '\n') at++;
		if (text[at] !== delimiter) break;
		cells++;
		at++;
	}
	const end = at > start && text[at - 1] === '\r' ? at - 1 : at;
	return { end, next: Math.min(at + 1, text.length), cells, inQuotes };
}

/** The header, and the delimiter that it uses most. */
export function readHeader(text: string): { header: CsvRecord; delimiter: string } {
	const readings = DELIMITERS.map((delimiter) => ({ header: readRecord(text, 0, delimiter), delimiter }));
	return maxBy(readings, ({ header }) => header.cells) as (typeof readings)[number];
}

/** The cells of a record, without quotes around them. For plain values: doubled quotes stay doubled. */
export function cellsOf(record: string, delimiter: string): string[] {
	const cells: string[] = [];
	let start = 0;
	while (start <= record.length) {
		const quoted = record[start] === '"' ? closingQuote(record, start) : start;
		const delimiterAt = quoted < 0 ? -1 : record.indexOf(delimiter, quoted);
		const end = delimiterAt < 0 ? record.length : delimiterAt;
		const cell = record.slice(start, end).trim();
		cells.push(cell.startsWith('"') ? cell.slice(1, -1) : cell);
		start = end + 1;
	}
	return cells;
}

/** Where the quote stands that closes the one at `opening`; -1 where there is none. Two quotes in a row are a character. */
function closingQuote(text: string, opening: number): number {
	let quote = text.indexOf('"', opening + 1);
	while (quote >= 0 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
	return quote;
}
