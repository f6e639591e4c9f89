import { PlatformError, type Turns } from '../platform';
import { cellsOf, LONGEST_RECORD, readHeading, readRecord, sessionColumn, type Columns } from './records';

/** The byte order mark, one character per byte. */
export const BOM = '\xef\xbb\xbf';
/** How much of the start is checked for something other than CSV, in bytes. */
const LOOKED_AT = 4096;
/** How much of a line is quoted in a message, in characters. */
const LONGEST_QUOTE = 300;
/** What is read of one answer at the most, in bytes: much more than sessions need, so that n8n can hold it. */
const BYTES_PER_SESSION = 64 * 1024;
const MORE_BYTES = 1024 ** 2;
export const MOST_BYTES = 32 * 1024 ** 2;
/** The same for its records. A platform may send far more than was asked for: all but those are kept out. */
const RECORDS_PER_SESSION = 20;
const MORE_RECORDS = 20_000;

/** Why an answer cannot be used as a part of the CSV file. */
export type CsvProblem = 'empty' | 'not-csv' | 'message' | 'cut-off' | 'other-header' | 'repeated' | 'too-large';

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
export interface CsvPart extends Columns {
	/** Whether it began with a byte order mark. */
	hasBom: boolean;
	/** Whether its bytes are UTF-8, or ASCII alone. */
	isUtf8: boolean;
	/** Everything before the records but the byte order mark, as it came: a line for Excel, the header, blank lines. */
	head: string;
	/** How a line ends in this file: the line end of the header, or CR LF if it has none. */
	lineEnd: string;
	/** The records as they came, each with its line end and blank lines after it. The last one may have no line end. */
	records: string[];
	/** Whether the last record has no line end and fewer cells than all others: it may be cut off. */
	endsEarly: boolean;
}

/** What its text says, without its encoding. */
type Written = Omit<CsvPart, 'hasBom' | 'isUtf8'>;

export interface ReadOptions {
	/** How many sessions were asked for. */
	sessions: number;
	turns: Turns;
	/** Hides secrets in text of the platform. */
	hideSecrets(text: string): string;
}

/**
 * Reads one CSV file into memory: the number of sessions asked for bounds its size.
 *
 * @param stream the file, in pieces of any size; its errors are passed on
 * @throws CsvFault if it is empty, not CSV, too large, or ends inside quotes
 */
export async function readPart(
	stream: AsyncIterable<Buffer> | Iterable<Buffer>,
	{ sessions, turns, hideSecrets }: ReadOptions,
): Promise<CsvPart> {
	turns.begin();
	const bytes = await collect(stream, Math.min(MOST_BYTES, MORE_BYTES + sessions * BYTES_PER_SESSION), turns);
	// Decoded as UTF-8, so that a byte order mark counts as white space.
	refuseOtherFormats(bytes.toString('utf8', 0, LOOKED_AT));
	if (bytes.length > MORE_BYTES) await turns.give();
	else turns.begin();
	const file = bytes.toString('latin1');
	const hasBom = file.startsWith(BOM);
	const isUtf8 = decodes(bytes);
	const text = hasBom ? file.slice(BOM.length) : file;
	const part = await takeApart(text, sessions * RECORDS_PER_SESSION + MORE_RECORDS, turns);
	refuseOtherText(part, hideSecrets);
	return { hasBom, isUtf8, ...part };
}

function decodes(bytes: Buffer): boolean {
	try {
		new TextDecoder('utf-8', { fatal: true }).decode(bytes);
		return true;
	} catch {
		return false;
	}
}

/** @throws CsvFault if there is more: the rest is not read */
async function collect(
	stream: AsyncIterable<Buffer> | Iterable<Buffer>,
	mostBytes: number,
	turns: Turns,
): Promise<Buffer> {
	const pieces: Buffer[] = [];
	let size = 0;
	for await (const piece of stream) {
		pieces.push(piece);
		size += piece.length;
		if (turns.due) await turns.give();
		if (size > mostBytes) throw tooLarge(`${Math.floor(mostBytes / 1024 ** 2)} MB`);
	}
	return Buffer.concat(pieces);
}

async function takeApart(text: string, mostRecords: number, turns: Turns): Promise<Written> {
	const { start, header, delimiter } = readHeading(text);
	const records: string[] = [];
	let headEnd = header.next;
	let last = { end: header.end, cells: header.cellEnds.length, inQuotes: header.inQuotes };
	/** The fewest cells of a record before the last one; of the header if there is none. */
	let fewest = Infinity;
	if (header.isTooLong) throw tooLarge('64 KB in its first line', 'Tell the platform’s support.');
	for (let at = header.next; at < text.length; ) {
		if (turns.due) await turns.give();
		const { end, next, cellEnds, inQuotes, isTooLong } = readRecord(text, at, delimiter);
		if (isTooLong) throw tooLarge(`${LONGEST_RECORD / 1024 ** 2} MB in one record`);
		const isBlank = end === at;
		if (isBlank && records.length === 0) headEnd = next;
		else if (isBlank) records.push(`${records.pop()}${text.slice(at, next)}`);
		else {
			if (records.length > 0) fewest = Math.min(fewest, last.cells);
			records.push(text.slice(at, next));
			if (records.length > mostRecords) throw tooLarge(`${mostRecords} records`);
			last = { end, cells: cellEnds.length, inQuotes };
		}
		at = next;
	}
	if (last.inQuotes) throw cutOff();
	const width = records.length > 1 ? fewest : header.cellEnds.length;
	return {
		head: text.slice(0, headEnd),
		header: text.slice(start, header.end),
		lineEnd: text.slice(header.end, header.next) || '\r\n',
		records,
		endsEarly: records.length > 0 && last.end === text.length && last.cells < width,
		delimiter,
	};
}

/** The file ends in the middle of a record. */
export function cutOff(): CsvFault {
	const message = 'The CSV that the platform sent ends in the middle of a record';
	const advice = 'Run the node again. If this keeps happening, lower the option IDs per Request.';
	return new CsvFault('cut-off', message, advice);
}

function tooLarge(limit: string, advice = 'Lower the option IDs per Request.'): CsvFault {
	const message = `The platform sent more than ${limit} in one part of the export`;
	return new CsvFault('too-large', message, `That is far more than these sessions need. ${advice}`);
}

function refuse(problem: CsvProblem, message: string, advice = 'Run the node again.'): never {
	throw new CsvFault(problem, message, `${advice} If this keeps happening, tell the platform's support.`);
}

/** @param start the beginning of the file */
function refuseOtherFormats(start: string): void {
	if (start.trim() === '') refuse('empty', 'The platform sent an empty file instead of CSV');
	if (/^\s*</.test(start)) {
		refuse(
			'not-csv',
			'Got a web page instead of CSV',
			'Something between n8n and the platform answered instead, such as a gateway or a login page. Check the base URL in the credential.',
		);
	}
	if (/^\s*(?:\{\s*["}]|\[\s*[[{"\]])/.test(start)) refuse('not-csv', 'Got JSON instead of CSV');
	// Zero bytes mean UTF-16 text, an archive or an image.
	if (start.includes('\0') || start.startsWith('PK\u0003\u0004')) {
		refuse('not-csv', 'The platform sent something other than CSV text in UTF-8');
	}
}

/** Refuses a sentence, and text whose first line does not name the columns of the others. */
function refuseOtherText({ header, records, delimiter }: Written, hideSecrets: (text: string) => string): void {
	const { length: width } = cellsOf(header, delimiter);
	const said = hideSecrets(Buffer.from(header, 'latin1').toString().trim()).slice(0, LONGEST_QUOTE);
	if (records.length === 0 && width === 1) {
		refuse('message', 'Got a single line of text instead of CSV', `The platform says: “${said}”. Run the node again.`);
	}
	const isWider = readRecord(records[0] ?? '', 0, delimiter).cellEnds.length > width;
	const endsInCr = /\r(?!\n)/.test(header);
	if (!endsInCr && (sessionColumn({ header, delimiter }) !== undefined || (width > 1 && !isWider))) return;
	refuse(
		'not-csv',
		'The first line of the platform’s CSV does not name its columns',
		`That line is “${said}”. The node reads CSV with a comma, a semicolon or a tab between the columns, lines that end in LF or CR LF, and no title.`,
	);
}
