import maxBy from 'lodash/maxBy';

const QUOTE = 0x22;
const CR = 0x0d;
const LF = 0x0a;

/** Possible delimiters. If the header has several equally often, the first wins. */
const DELIMITERS = [',', ';', '\t'];
/** A line before the header that tells Excel the delimiter. */
const EXCEL_LINE = /^sep=([,;\t])\r?\n/i;
/** How a column is named that holds the session's id. With several such columns, it is that of the first name. */
const NAMES = [/^(?:charging[\W_]?)?session[\W_]?id$/i, /^id$/i];
/** Longest record that is read, in bytes. */
export const LONGEST_RECORD = 1024 ** 2;
const LONGEST_HEADER = 64 * 1024;

/** The position of one record in the text of a CSV file. */
export interface CsvRecord {
	/** Where the record ends, without its line end. */
	end: number;
	/** Where the next record begins. */
	next: number;
	/** Where each cell ends. A cell begins one character after the end of the one before. */
	cellEnds: number[];
	/** Whether the text ends inside quotes. */
	inQuotes: boolean;
	/** Whether it is longer than was to be read: `end` and `next` are where reading stopped. */
	isTooLong: boolean;
}

/**
 * Reads the record that begins at `start`. A quote opens a quoted cell only where a cell begins, so a stray one inside
 * a cell (`19" rack`) does no harm.
 *
 * @param text one character per byte: in UTF-8 a quote, a delimiter or a line end is never part of another character
 */
export function readRecord(text: string, start: number, delimiter: string, longest = LONGEST_RECORD): CsvRecord {
	const split = delimiter.charCodeAt(0);
	const stop = Math.min(text.length, start + longest);
	const cellEnds: number[] = [];
	let at = start;
	let inQuotes = false;
	for (;;) {
		if (text.charCodeAt(at) === QUOTE) {
			const closing = closingQuote(text, at, stop);
			inQuotes = closing < 0;
			at = inQuotes ? stop : closing + 1;
		}
		let code = text.charCodeAt(at);
		while (at < stop && code !== split && code !== LF) code = text.charCodeAt(++at);
		cellEnds.push(at);
		if (code !== split || at >= stop) break;
		at++;
	}
	const isTooLong = at >= stop && stop < text.length;
	const end = at > start && text.charCodeAt(at - 1) === CR ? at - 1 : at;
	return { end, next: Math.min(at + 1, text.length), cellEnds, inQuotes, isTooLong };
}

/** What comes before the records of a CSV file. */
export interface Heading {
	/** Where the header begins: after a line for Excel, if there is one. */
	start: number;
	header: CsvRecord;
	delimiter: string;
}

/**
 * Reads the header. The delimiter is the one named in a line for Excel before it, or the one that the header uses most.
 */
export function readHeading(text: string): Heading {
	const [excelLine = '', named] = EXCEL_LINE.exec(text) ?? [];
	const start = excelLine.length;
	const delimiters = named === undefined ? DELIMITERS : [named];
	const readings = delimiters.map((delimiter) => ({
		start,
		header: readRecord(text, start, delimiter, LONGEST_HEADER),
		delimiter,
	}));
	return maxBy(readings, ({ header }) => header.cellEnds.length) as Heading;
}

/** The record that names the columns, without its line end, and the character between two cells. */
export interface Columns {
	header: string;
	delimiter: string;
}

/** The names of the columns. A header that is not UTF-8 is taken for Latin-1. */
export function columnNames({ header, delimiter }: Columns): string[] {
	const text = Buffer.from(header, 'latin1').toString();
	const names = cellsOf(text.includes('\uFFFD') ? header : text, delimiter);
	return names.map((name) => name.replaceAll('""', '"'));
}

/** The column with the session's id: the one of the name that the user gave, in any case, or one that is named like it. */
export function sessionColumn(part: Columns, given?: string): number | undefined {
	const names = columnNames(part);
	const isGiven = (name: string) => name.toLowerCase() === given?.toLowerCase();
	const tests = given === undefined ? NAMES.map((pattern) => (name: string) => pattern.test(name)) : [isGiven];
	return tests.map((test) => names.findIndex(test)).find((position) => position >= 0);
}

/** The cells of a record, without the quotes around them. For plain values only: doubled quotes stay doubled. */
export function cellsOf(record: string, delimiter: string): string[] {
	const { cellEnds } = readRecord(record, 0, delimiter);
	return cellEnds.map((_, position) => cellIn(record, cellEnds, position));
}

/** One of the cells of a record, as `cellsOf` has it. */
export function cellAt(record: string, position: number, delimiter: string): string | undefined {
	const { cellEnds } = readRecord(record, 0, delimiter);
	return position < cellEnds.length ? cellIn(record, cellEnds, position) : undefined;
}

function cellIn(record: string, cellEnds: readonly number[], position: number): string {
	const cell = record.slice(position === 0 ? 0 : (cellEnds[position - 1] ?? 0) + 1, cellEnds[position]).trim();
	return cell.startsWith('"') ? cell.slice(1, -1) : cell;
}

/** The position of the quote that closes the one at `opening`, or -1. Two quotes in a row are an escaped one. */
function closingQuote(text: string, opening: number, stop: number): number {
	let quote = text.indexOf('"', opening + 1);
	while (quote >= 0 && quote < stop && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
	return quote < stop ? quote : -1;
}
