import maxBy from 'lodash/maxBy';

import { PlatformError } from '../platform';
import type { LongWork } from '../longWork';

/** The byte order mark, one character per byte. */
export const BOM = '\xef\xbb\xbf';
/** Possible delimiters. If the header has several equally often, the first wins. */
const DELIMITERS = [',', ';', '\t'];
/** A line before the header that tells Excel the delimiter. */
const EXCEL_LINE = /^sep=([,;\t])\r?\n/i;
/** How a column is named that holds the session's Id. With several such columns, it is that of the first name. */
const NAMES = [/^(?:charging[\W_]?)?session[\W_]?id$/i, /^id$/i];
const LF = 0x0a;
const QUOTE = 0x22;
/** How much of a line is quoted in a message, in characters. */
const LONGEST_QUOTE = 300;

/**
 * One CSV file of the platform. Its texts have one character per byte (latin1), so that every byte is kept, whatever
 * the encoding: in UTF-8 a quote, a delimiter or a line end is never part of another character.
 */
export interface ParsedCsv {
	/** Whether it begins with a byte order mark. */
	hasBom: boolean;
	/** Whether its bytes are UTF-8, or ASCII alone. */
	isUtf8: boolean;
	/** A line for Excel, if there is one, and the header as it came, without its line end. */
	head: string;
	/** The names of the columns. A header that is not UTF-8 is taken for Latin-1. */
	columns: string[];
	delimiter: string;
	/** How lines end: the line end of the header, or CR LF if it has none. */
	lineEnd: string;
	/** The records as they came, without their line ends. Blank lines are none, nor is a record that is cut off. */
	records: string[];
	/** What came of a last record that is cut off: it ends in quotes, or has no line end and fewer cells than the one before. */
	cut?: string;
	/** Whether the last line has a line end. Without one it may be cut off. */
	isClosed: boolean;
}

/** The platform sent something that cannot become part of the file. */
export class InvalidCsvError extends PlatformError {
	/** @param mayConcernIds whether other, or fewer, sessions may be answered with CSV */
	constructor(
		message: string,
		description: string,
		readonly mayConcernIds = false,
		transient = false,
	) {
		super('invalid-answer', message, { description, transient });
	}
}

/**
 * Reads one CSV file into memory: a header, quotes, commas, semicolons or tabs, and lines that end in LF or CR LF.
 *
 * @throws PlatformError if it is empty, anything else, or ends in its header
 */
export async function readCsv(
	bytes: Buffer,
	longWork: LongWork,
	hideSecrets: (text: string) => string,
): Promise<ParsedCsv> {
	const all = bytes.toString('latin1');
	refuseOtherFormats(all);
	const hasBom = all.startsWith(BOM);
	const text = hasBom ? all.slice(BOM.length) : all;
	const [excelLine = '', named] = EXCEL_LINE.exec(text) ?? [];
	const readings = (named === undefined ? DELIMITERS : [named]).map((delimiter) => ({
		delimiter,
		...readRecord(text, excelLine.length, delimiter),
	}));
	const { delimiter, ...header } = maxBy(readings, ({ cells }) => cells.length) as (typeof readings)[number];
	if (header.isOpen) throw cutOffError();
	const isUtf8 = decodes(bytes);
	const columns = header.cells.map((cell) => plain(Buffer.from(cell, 'latin1').toString(isUtf8 ? 'utf8' : 'latin1')));
	const { width, ...read } = await recordsOf(text, header, delimiter, longWork);
	const file: ParsedCsv = {
		hasBom,
		isUtf8,
		columns,
		delimiter,
		...read,
		head: copyOf(text.slice(0, header.end)),
		lineEnd: text[header.next - 2] === '\r' || header.next === header.end ? '\r\n' : '\n',
	};
	refuseOtherText(file, text.slice(excelLine.length, header.end), width, hideSecrets);
	return file;
}

/** The position of the column with the session's Id: the one of the name that the user gave, in any case, or one named like it. */
export function sessionColumn({ columns }: ParsedCsv, given?: string): number | undefined {
	const isGiven = (name: string) => name.toLowerCase() === given?.toLowerCase();
	const tests = given === undefined ? NAMES.map((pattern) => (name: string) => pattern.test(name)) : [isGiven];
	return tests.map((test) => columns.findIndex(test)).find((position) => position >= 0);
}

/** The text of a cell of a record, without the quotes around it, and whether another cell follows it. */
export function readCell(record: string, position: number, delimiter: string): { text: string; isFollowed: boolean } {
	const { cells } = readRecord(record, 0, delimiter);
	return { text: plain(cells[position] ?? ''), isFollowed: cells.length - 1 > position };
}

/** A piece of a text keeps the whole text in memory, a copy of it does not. */
const copyOf = (piece: string) => Buffer.from(piece, 'latin1').toString('latin1');

/** The file ends in the middle of a record. */
export function cutOffError(): InvalidCsvError {
	const message = 'The CSV that the platform sent ends in the middle of a record';
	return new InvalidCsvError(
		message,
		'Run the node again. If this keeps happening, lower the option IDs per Request.',
		true,
		true,
	);
}

async function recordsOf(text: string, header: ParsedRecord, delimiter: string, longWork: LongWork) {
	const records: string[] = [];
	const widths: number[] = [];
	let isOpen = false;
	for (let at = header.next; at < text.length; ) {
		if (longWork.isYieldDue) await longWork.yieldToEventLoop();
		const { end, next, cells, ...record } = readRecord(text, at, delimiter);
		isOpen = record.isOpen;
		if (end > at) {
			records.push(text.slice(at, end));
			widths.push(cells.length);
		}
		at = next;
	}
	const isClosed = text.endsWith('\n') && !isOpen;
	const [before = 0, last = before] = [header.cells.length, ...widths].slice(-2);
	const cut = isOpen || (!isClosed && last < before) ? records.pop() : undefined;
	return { records, width: widths[0] ?? 0, isClosed, ...(cut !== undefined && { cut: copyOf(cut) }) };
}

interface ParsedRecord {
	/** As they are written. */
	cells: string[];
	end: number;
	/** Where the next record begins. */
	next: number;
	/** Whether the text ends in quotes. */
	isOpen: boolean;
}

/**
 * Reads the record that begins at `start`. A quote opens a quoted cell only where a cell begins, so a stray one inside
 * a cell (`19" rack`) does no harm.
 */
function readRecord(text: string, start: number, delimiter: string): ParsedRecord {
	const split = delimiter.charCodeAt(0);
	const cells: string[] = [];
	for (let at = start; ; at++) {
		const begin = at;
		if (text.charCodeAt(at) === QUOTE) at = closingQuote(text, at) + 1;
		let code = text.charCodeAt(at);
		while (at < text.length && code !== split && code !== LF) code = text.charCodeAt(++at);
		const isLast = at >= text.length || code === LF;
		const end = isLast && text[at - 1] === '\r' && at > begin ? at - 1 : at;
		cells.push(text.slice(begin, end));
		if (isLast) return { cells, end, next: Math.min(at + 1, text.length), isOpen: at > text.length };
	}
}

/** The position of the quote that closes the one at `opening`, or of the text's end. Two quotes in a row are an escaped one. */
function closingQuote(text: string, opening: number): number {
	let quote = text.indexOf('"', opening + 1);
	while (quote >= 0 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
	return quote < 0 ? text.length : quote;
}

function plain(cell: string): string {
	const text = cell.trim();
	return text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text;
}

function decodes(bytes: Buffer): boolean {
	try {
		new TextDecoder('utf-8', { fatal: true }).decode(bytes);
		return true;
	} catch {
		return false;
	}
}

function refuse(message: string, advice = 'Run the node again.', mayConcernIds = false): never {
	throw new InvalidCsvError(message, `${advice} If this keeps happening, tell the platform's support.`, mayConcernIds);
}

function refuseOtherFormats(file: string): void {
	const start = file.slice(0, 4096).replace(BOM, '').trimStart();
	if (start === '') refuse('The platform sent an empty file instead of CSV', undefined, true);
	if (start.startsWith('<')) {
		const cause = 'Something between n8n and the platform answered instead, such as a gateway or a login page.';
		refuse('Got a web page instead of CSV', `${cause} Check the base URL in the credential.`);
	}
	if (/^(?:\{\s*["}]|\[\s*[[{"\]])/.test(start)) refuse('Got JSON instead of CSV');
	// Zero bytes mean UTF-16 text, an archive or an image.
	if (start.includes('\0')) refuse('The platform sent something other than CSV text in UTF-8');
}

/** Refuses a sentence, and text whose first line does not name the columns of the others. */
function refuseOtherText(file: ParsedCsv, header: string, width: number, hideSecrets: (text: string) => string): void {
	const said = hideSecrets(Buffer.from(header, 'latin1').toString().trim()).slice(0, LONGEST_QUOTE);
	const { columns, records } = file;
	if (records.length === 0 && columns.length === 1)
		refuse('Got a single line of text instead of CSV', `The platform says: “${said}”. Run the node again.`, true);
	const namesColumns = sessionColumn(file) !== undefined || (columns.length > 1 && width <= columns.length);
	if (namesColumns && !/\r(?!\n)/.test(header)) return;
	refuse(
		'The first line of the platform’s CSV does not name its columns',
		`That line is “${said}”. The node reads CSV with a comma, a semicolon or a tab between the columns, lines that end in LF or CR LF, and no title.`,
	);
}
