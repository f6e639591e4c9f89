import { PlatformError } from '../../shared/platform';
import { readHeader, readRecords, type CsvRecord } from './records';

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const CR = 0x0d;
const LF = 0x0a;

/** Enough of the beginning to tell what was sent instead of CSV, in bytes. */
const LOOKED_AT = 4096;
/** Largest answer that is held in memory, in bytes. */
const MAX_BYTES = 256 * 1024 * 1024;
const CALL_THEM = 'If this stays so, tell the people who run the platform.';

/** Why bytes that should be a part of a CSV file cannot be used. */
export type CsvProblem = 'empty' | 'not-csv' | 'cut-off' | 'other-header' | 'other-sessions' | 'too-large';

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

/** One CSV file of the platform, taken apart. */
export interface CsvPart {
	/** Whether it began with a byte order mark. */
	hasBom: boolean;
	/** The first record, which names the columns: without byte order mark and line end. */
	header: Buffer;
	/** The line end after the header: CR LF, LF, or nothing where the file ends with the header. */
	lineEnd: Buffer;
	/** Everything after the header's line end, as it came. */
	rows: Buffer;
	/** The records in `rows`, without their line ends. */
	records: Buffer[];
	/** The byte between two cells. */
	delimiter: number;
}

/**
 * Reads one CSV file. Its bytes are held in memory, so whoever asks for it decides how large it can be.
 *
 * @param stream the file, in pieces of any size; what goes wrong while they arrive is thrown on
 * @throws CsvFault where it is empty, no CSV, too large, or ends in the middle of a record
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
	const hasBom = bytes.subarray(0, BOM.length).equals(BOM);
	const { header, delimiter } = readHeader(bytes, hasBom ? BOM.length : 0);
	const records = readRecords(bytes, header.next, delimiter);
	refuseOtherThanCsv(bytes, header, records);
	if (isCutOff(bytes, header, records)) {
		throw new CsvFault(
			'cut-off',
			'The CSV that the platform sent ends in the middle of a record',
			'Run the node again. If this stays so, lower the option IDs per Request.',
		);
	}
	return {
		hasBom,
		header: bytes.subarray(header.start, header.end),
		lineEnd: bytes.subarray(header.end, header.next),
		rows: bytes.subarray(header.next),
		records: records.map(({ start, end }) => bytes.subarray(start, end)),
		delimiter,
	};
}

/** Whether the bytes end inside quotes, or in a record without line end that has fewer cells than any other. */
function isCutOff(bytes: Buffer, header: CsvRecord, records: readonly CsvRecord[]): boolean {
	const last = records.at(-1) ?? header;
	if (last.inQuotes) return true;
	if (bytes.at(-1) === LF || records.length === 0) return false;
	const others = records.length > 1 ? records.slice(0, -1) : [header];
	return others.every(({ cellEnds }) => last.cellEnds.length < cellEnds.length);
}

function refuseOtherThanCsv(bytes: Buffer, header: CsvRecord, records: readonly CsvRecord[]): void {
	// A byte order mark counts as white space in what follows.
	const text = bytes.toString('utf8', 0, LOOKED_AT);
	const refuse = (problem: CsvProblem, message: string, advice = `Run the node again. ${CALL_THEM}`) => {
		throw new CsvFault(problem, message, advice);
	};
	if (text.trim() === '') refuse('empty', 'The platform sent an empty file instead of CSV');
	if (/^\s*</.test(text)) {
		refuse(
			'not-csv',
			'A web page came instead of CSV',
			`Something between n8n and the platform answered in its place, such as a gateway or a login page. Check the base URL in the credential. ${CALL_THEM}`,
		);
	}
	if (/^\s*(?:\{\s*["}]|\[\s*[[{"\]])/.test(text)) refuse('not-csv', 'JSON came instead of CSV');
	// Zero bytes: UTF-16 text, a packed file, a picture. Without line feeds, records cannot be told apart.
	const isOther =
		text.includes('\0') || text.startsWith('PK\u0003\u0004') || (bytes.includes(CR) && !bytes.includes(LF));
	if (isOther) refuse('not-csv', 'The platform sent something other than CSV text in UTF-8', CALL_THEM);
	if (header.cellEnds.length === 1 && records.length === 0) {
		refuse('not-csv', 'A single line of text came instead of CSV');
	}
}
