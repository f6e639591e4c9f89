import maxBy from 'lodash/maxBy';

const QUOTE = 0x22;
const CR = 0x0d;
const LF = 0x0a;

/** What may stand between two cells. The first wins where the header has several equally often. */
const DELIMITERS: readonly number[] = [',', ';', '\t'].map((character) => character.charCodeAt(0));

/** Where one record stands in the bytes of a CSV file. */
export interface CsvRecord {
	start: number;
	/** Where each cell ends. The first begins at `start`, each other one byte after the end of the one before. */
	cellEnds: number[];
	/** Where the record ends, its line end not included. */
	end: number;
	/** Where the next record begins. */
	next: number;
	/** True where the bytes end before the quotes are closed. */
	inQuotes: boolean;
}

/**
 * Reads the record that begins at `start`. It looks at bytes, not characters: in UTF-8 a quote, a delimiter or a line end
 * is never part of another character. A quote opens a quoted cell only where a cell begins, so a stray one inside a cell
 * (`19" rack`) does no harm.
 */
export function readRecord(bytes: Buffer, start: number, delimiter: number): CsvRecord {
	const cellEnds: number[] = [];
	let inQuotes = false;
	let at = start;
	for (;;) {
		if (bytes[at] === QUOTE) {
			const closing = closingQuote(bytes, at);
			inQuotes = closing < 0;
			at = inQuotes ? bytes.length : closing + 1;
		}
		while (at < bytes.length && bytes[at] !== delimiter && bytes[at] !== LF) at++;
		cellEnds.push(at);
		if (bytes[at] !== delimiter) break;
		at++;
	}
	const end = at > start && bytes[at - 1] === CR ? at - 1 : at;
	cellEnds[cellEnds.length - 1] = end;
	return { start, cellEnds, end, next: Math.min(at + 1, bytes.length), inQuotes };
}

/** All records from `start` on. Blank lines are none. */
export function readRecords(bytes: Buffer, start: number, delimiter: number): CsvRecord[] {
	const records: CsvRecord[] = [];
	for (let at = start; at < bytes.length; ) {
		const record = readRecord(bytes, at, delimiter);
		if (record.end > record.start) records.push(record);
		at = record.next;
	}
	return records;
}

/** The header, and the delimiter that it uses most. */
export function readHeader(bytes: Buffer, start: number): { header: CsvRecord; delimiter: number } {
	const readings = DELIMITERS.map((delimiter) => ({ header: readRecord(bytes, start, delimiter), delimiter }));
	return maxBy(readings, ({ header }) => header.cellEnds.length) as (typeof readings)[number];
}

/** The text of each cell of a record, without quotes around it. For plain values: doubled quotes stay doubled. */
export function cellsOf(record: Buffer, delimiter: number): string[] {
	let start = 0;
	return readRecord(record, 0, delimiter).cellEnds.map((end) => {
		const text = record.toString('latin1', start, end).trim();
		start = end + 1;
		return text.startsWith('"') ? text.slice(1, -1) : text;
	});
}

/** Where the quote stands that closes the one at `opening`; -1 where there is none. Two quotes in a row are a character. */
function closingQuote(bytes: Buffer, opening: number): number {
	let quote = bytes.indexOf(QUOTE, opening + 1);
	while (quote >= 0 && bytes[quote + 1] === QUOTE) quote = bytes.indexOf(QUOTE, quote + 2);
	return quote;
}
