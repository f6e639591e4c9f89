import maxBy from 'lodash/maxBy';

const QUOTE = 0x22;
const CR = 0x0d;
const LF = 0x0a;

/** Possible delimiters. If the header has several equally often, the first wins. */
const DELIMITERS = [',', ';', '\t', '|'];
/** A line before the header that tells Excel the delimiter. */
const EXCEL_LINE = /^sep=(.)\r?\n/i;

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
}

/**
 * Reads the record that begins at `start`. A quote opens a quoted cell only where a cell begins, so a stray one inside
 * a cell (`19" rack`) does no harm.
 *
 * @param text one character per byte: in UTF-8 a quote, a delimiter or a line end is never part of another character
 */
export function readRecord(text: string, start: number, delimiter: string): CsvRecord {
	const split = delimiter.charCodeAt(0);
	const cellEnds: number[] = [];
	let at = start;
	let inQuotes = false;
	for (;;) {
		if (text.charCodeAt(at) === QUOTE) {
			const closing = closingQuote(text, at);
			inQuotes = closing < 0;
			at = inQuotes ? text.length : closing + 1;
		}
		let code = text.charCodeAt(at);
		while (at < text.length && code !== split && code !== LF) code = text.charCodeAt(++at);
		cellEnds.push(at);
		if (code !== split) break;
		at++;
	}
	const end = at > start && text.charCodeAt(at - 1) === CR ? at - 1 : at;
	return { end, next: Math.min(at + 1, text.length), cellEnds, inQuotes };
}

/** The header, and its delimiter: the one named in a line for Excel before it, or the one that it uses most. */
export function readHeader(text: string): { excelLine: string; header: CsvRecord; delimiter: string } {
	const [excelLine = '', named] = EXCEL_LINE.exec(text) ?? [];
	const delimiters = named === undefined ? DELIMITERS : [named];
	const readings = delimiters.map((delimiter) => ({
		header: readRecord(text, excelLine.length, delimiter),
		delimiter,
	}));
	const reading = maxBy(readings, ({ header }) => header.cellEnds.length) as (typeof readings)[number];
	return { excelLine, ...reading };
}

/** The cells of a record, without the quotes around them. For plain values only: doubled quotes stay doubled. */
export function cellsOf(record: string, delimiter: string): string[] {
	let start = 0;
	return readRecord(record, 0, delimiter).cellEnds.map((end) => {
		const cell = record.slice(start, end).trim();
		start = end + 1;
		return cell.startsWith('"') ? cell.slice(1, -1) : cell;
	});
}

/** The position of the quote that closes the one at `opening`, or -1. Two quotes in a row are an escaped one. */
function closingQuote(text: string, opening: number): number {
	let quote = text.indexOf('"', opening + 1);
	while (quote >= 0 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
	return quote;
}
