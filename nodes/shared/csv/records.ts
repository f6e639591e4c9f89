import maxBy from 'lodash/maxBy';

const QUOTE = 0x22;
const CR = 0x0d;
const LF = 0x0a;

/** Possible delimiters. If the header has several equally often, the first wins. */
const DELIMITERS = [',', ';', '\t', '|'];
/** A line before the header that tells Excel the delimiter. */
const EXCEL_LINE = /^sep=(.)(?:\r\n|\n|\r)/i;
/** Longest record that is read, in bytes. */
export const LONGEST_RECORD = 1024 ** 2;
const LONGEST_HEADER = 64 * 1024;
/** At most this many lines before the header are taken for a title. */
const MAX_TITLE_LINES = 10;

/** How a CSV file is written. */
export interface Dialect {
	/** The character between two cells. */
	delimiter: string;
	/** The character that ends a line: CR only where the file has no LF. */
	lineFeed: typeof LF | typeof CR;
}

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
export function readRecord(
	text: string,
	start: number,
	{ delimiter, lineFeed }: Dialect,
	longest = LONGEST_RECORD,
): CsvRecord {
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
		while (at < stop && code !== split && code !== lineFeed) code = text.charCodeAt(++at);
		cellEnds.push(at);
		if (code !== split || at >= stop) break;
		at++;
	}
	const isTooLong = at >= stop && stop < text.length;
	const end = lineFeed === LF && at > start && text.charCodeAt(at - 1) === CR ? at - 1 : at;
	return { end, next: Math.min(at + 1, text.length), cellEnds, inQuotes, isTooLong };
}

/** What comes before the records of a CSV file. */
export interface Heading {
	/** Where the header begins: after a line for Excel and a title, if there are any. */
	start: number;
	header: CsvRecord;
	dialect: Dialect;
}

/**
 * Finds the header and how the file is written. The delimiter is the one named in a line for Excel before it, or the
 * one that the header uses most. Lines of a title before it have fewer cells.
 */
export function readHeading(text: string): Heading {
	const [excelLine = '', named] = EXCEL_LINE.exec(text) ?? [];
	const delimiters = named === undefined ? DELIMITERS : [named];
	const lines = [readLine(text, excelLine.length, delimiters)];
	for (let at = lines[0]?.header.next ?? 0; at < text.length && lines.length <= MAX_TITLE_LINES; ) {
		const line = readLine(text, at, delimiters);
		lines.push(line);
		at = line.header.next;
	}
	const cells = lines.map(({ start, header, dialect }) => cellsOf(text.slice(start, header.end), dialect));
	const texts = lines.filter((_, position) => !isBlank(cells[position]));
	const position = headerAmong(cells, lines, beginsTable(text, texts[0]));
	return lines[position] ?? texts[0] ?? lines[0]!;
}

/** Whether a line of several cells is followed by a record that, read in the same way, has as many. */
function beginsTable(text: string, line: Heading | undefined): boolean {
	const width = line?.header.cellEnds.length ?? 0;
	if (!line || width < 2 || line.header.next >= text.length) return false;
	return readRecord(text, line.header.next, line.dialect, LONGEST_HEADER).cellEnds.length === width;
}

const isBlank = (cells: readonly string[] = []) => cells.length === 1 && cells[0] === '';

/** Which of these lines is the header, or -1 for the first that is not blank. */
function headerAmong(cells: readonly string[][], lines: readonly Heading[], firstIsHeader: boolean): number {
	const widths = cells.map(({ length }) => length);
	const isWidest = (position: number) => widths.slice(0, position).every((width) => width < (widths[position] ?? 0));
	const withId = cells.findIndex((names, position) => names.some(namesSessionId) && isWidest(position));
	if (withId >= 0) return withId;
	if (firstIsHeader) return -1;
	return widths.findLastIndex((width, position) => {
		const isText = !cells[position]?.some((cell) => /^[\d.,-]+$/.test(cell));
		if (position === 0 || width === 1 || !isText || !isWidest(position)) return false;
		// Nothing but a title has a single cell. One of several cells is followed by a blank line, or by a table.
		const before = lines.slice(0, position).filter((_, other) => (widths[other] ?? 0) > 1);
		const isTable = widths[position + 1] === width;
		return (
			before.length === 0 ||
			isBlank(cells[position - 1]) ||
			(isTable && before.every(({ dialect }) => sameDelimiter(dialect, lines[position])))
		);
	});
}

const sameDelimiter = ({ delimiter }: Dialect, line: Heading | undefined) => delimiter === line?.dialect.delimiter;

/** Whether a column of this name may hold the id of a session. */
export function namesSessionId(name: string): boolean {
	return /^(?:(?:charging\W?)?session\W?)?id$/i.test(name);
}

function readLine(text: string, start: number, delimiters: readonly string[]): Heading {
	const lineFeed = lineFeedOf(text, start);
	const readings = delimiters.map((delimiter) => {
		const dialect: Dialect = { delimiter, lineFeed };
		return { start, header: readRecord(text, start, dialect, LONGEST_HEADER), dialect };
	});
	return maxBy(readings, ({ header }) => header.cellEnds.length) as Heading;
}

/** CR where it ends the first line alone, outside of quotes. */
function lineFeedOf(text: string, start: number): Dialect['lineFeed'] {
	const line = /^(?:"[^"]*"|[^"\r\n])*/.exec(text.slice(start, start + LONGEST_HEADER))?.[0] ?? '';
	const end = start + line.length;
	return text.charCodeAt(end) === CR && text.charCodeAt(end + 1) !== LF ? CR : LF;
}

/** The cells of a record, without the quotes around them. For plain values only: doubled quotes stay doubled. */
export function cellsOf(record: string, dialect: Dialect): string[] {
	const { cellEnds } = readRecord(record, 0, dialect);
	return cellEnds.map((_, position) => cellIn(record, cellEnds, position));
}

/** One of the cells of a record, as `cellsOf` has it. */
export function cellAt(record: string, position: number, dialect: Dialect): string | undefined {
	const { cellEnds } = readRecord(record, 0, dialect);
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
