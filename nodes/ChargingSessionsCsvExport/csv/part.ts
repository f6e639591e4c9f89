import { PlatformError } from '../../shared/platform';
import { cellsOf, readHeader, readRecord } from './records';

/** The byte order mark, one character per byte. */
export const BOM = '\xef\xbb\xbf';
/** How much of the start is checked for something other than CSV, in bytes. */
const LOOKED_AT = 4096;
/** Largest answer that is held in memory, in bytes. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Why an answer cannot be used as a part of the CSV file. */
export type CsvProblem = 'empty' | 'not-csv' | 'cut-off' | 'other-header' | 'too-large';

/** Thrown when what the platform sent cannot become part of the file. */
export class CsvFault extends PlatformError {
	constructor(
		readonly problem: CsvProblem,
		message: string,
		description: string,
	) {
		super('invalid-answer', message, { description, transient: problem === 'cut-off' });
		this.name = 'CsvFault';
	}
}

/**
 * One parsed CSV file of the platform. Its texts have one character per byte (latin1), so that every byte is kept,
 * whatever the encoding.
 */
export interface CsvPart {
	/** Whether it began with a byte order mark. */
	hasBom: boolean;
	/** The line before the header that tells Excel the delimiter, with its line end. Empty if there is none. */
	excelLine: string;
	/** The record that names the columns, without its line end. */
	header: string;
	/** The line end after the header: CR LF, LF, or empty if the file ends with the header. */
	lineEnd: string;
	/** Everything after the header's line end, as it came. */
	rows: string;
	/** The records in `rows`, without line ends and blank lines. */
	records: string[];
	/** The character between two cells. */
	delimiter: string;
}

/**
 * Reads one CSV file into memory: the number of sessions asked for bounds its size.
 *
 * @param stream the file, in pieces of any size; its errors are passed on
 * @throws CsvFault if it is empty, not CSV, too large, or ends in the middle of a record
 */
export async function readPart(stream: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<CsvPart> {
	const pieces: Buffer[] = [];
	let size = 0;
	for await (const piece of stream) {
		pieces.push(piece);
		size += piece.length;
		if (size > MAX_BYTES) {
			const message = 'The platform sent more than 256 MB in one part of the export';
			throw new CsvFault('too-large', message, 'Lower the option IDs per Request.');
		}
	}
	const bytes = Buffer.concat(pieces);
	const file = bytes.toString('latin1');
	const hasBom = file.startsWith(BOM);
	const part: CsvPart = { hasBom, ...takeApart(hasBom ? file.slice(BOM.length) : file) };
	// Decoded as UTF-8, so that a byte order mark counts as white space.
	refuseOtherThanCsv(bytes.toString('utf8', 0, LOOKED_AT), part);
	if (isCutOff(part)) {
		const message = 'The CSV that the platform sent ends in the middle of a record';
		throw new CsvFault(
			'cut-off',
			message,
			'Run the node again. If this keeps happening, lower the option IDs per Request.',
		);
	}
	return part;
}

function takeApart(text: string): Omit<CsvPart, 'hasBom'> {
	const { excelLine, header, delimiter } = readHeader(text);
	const records: string[] = [];
	for (let at = header.next; at < text.length; ) {
		const { end, next } = readRecord(text, at, delimiter);
		if (end > at) records.push(text.slice(at, end));
		at = next;
	}
	return {
		excelLine,
		header: text.slice(excelLine.length, header.end),
		lineEnd: text.slice(header.end, header.next),
		rows: text.slice(header.next),
		records,
		delimiter,
	};
}

/** Whether it ends inside quotes, or with a record that has no line end and fewer cells than any other. */
function isCutOff({ header, rows, records, delimiter }: CsvPart): boolean {
	const lines = [header, ...records];
	const { inQuotes, cellEnds } = readRecord(lines.pop() ?? '', 0, delimiter);
	if (inQuotes) return true;
	const others = records.length > 1 ? lines.slice(1) : lines;
	const isShortest = () => others.every((other) => readRecord(other, 0, delimiter).cellEnds.length > cellEnds.length);
	return records.length > 0 && !rows.endsWith('\n') && isShortest();
}

/** @param start the beginning of the file */
function refuseOtherThanCsv(start: string, { header, lineEnd, records, delimiter }: CsvPart): void {
	const refuse = (problem: CsvProblem, message: string, advice = 'Run the node again.') => {
		throw new CsvFault(problem, message, `${advice} If this keeps happening, tell the platform's support.`);
	};
	if (start.trim() === '') refuse('empty', 'The platform sent an empty file instead of CSV');
	if (/^\s*</.test(start)) {
		refuse(
			'not-csv',
			'Got a web page instead of CSV',
			'Something between n8n and the platform answered in its place, such as a gateway or a login page. Check the base URL in the credential.',
		);
	}
	if (/^\s*(?:\{\s*["}]|\[\s*[[{"\]])/.test(start)) refuse('not-csv', 'Got JSON instead of CSV');
	// Zero bytes mean UTF-16 text, an archive or an image. Lines that end in CR alone are not supported.
	const isOther =
		start.includes('\0') || start.startsWith('PK\u0003\u0004') || (lineEnd === '' && /\r(?!\n)/.test(header));
	if (isOther) refuse('not-csv', 'The platform sent something other than CSV text in UTF-8');
	if (records.length === 0 && cellsOf(header, delimiter).length === 1) {
		refuse('not-csv', 'Got a single line of text instead of CSV');
	}
}
