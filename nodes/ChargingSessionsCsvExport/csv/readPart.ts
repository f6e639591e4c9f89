import { isWebPage } from '../../shared/platform';
import { RecordScanner } from './recordScanner';
import { CsvFault, type CsvPart } from './types';

/** Enough of the beginning to tell what was sent instead of CSV. */
const LOOKED_AT = 4096;

/**
 * Takes one CSV file apart. Its bytes are held, so whoever asks for it decides how large it can be.
 *
 * @param bytes the file, in pieces of any size; what goes wrong while they arrive is thrown on
 * @throws CsvFault where it is empty, no CSV, or ends in the middle of a record
 */
export async function readPart(bytes: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<CsvPart> {
	const pieces: Buffer[] = [];
	const scanner = new RecordScanner();
	for await (const piece of bytes) {
		if (piece.length === 0) continue;
		pieces.push(piece);
		scanner.push(piece);
	}
	scanner.end();
	refuseOtherThanCsv(Buffer.concat(slice(pieces, 0, LOOKED_AT)), scanner);
	if (scanner.isCutOff) {
		throw new CsvFault(
			'cut-off',
			'The CSV that the platform sent ends in the middle of a record',
			'Run the node again. If this stays so, lower the option IDs per Request.',
		);
	}

	const hasBom = scanner.bomBytes === 3;
	const { headerEnd = 0, rowsStart = 0, records } = scanner;
	return {
		hasBom,
		header: Buffer.concat(slice(pieces, hasBom ? 3 : 0, headerEnd)),
		lineEnd: Buffer.concat(slice(pieces, headerEnd, rowsStart)),
		rows: slice(pieces, rowsStart, Infinity),
		records,
	};
}

function refuseOtherThanCsv(bytes: Buffer, { columns, records }: RecordScanner): void {
	// A byte order mark counts as white space in what follows.
	const text = bytes.toString('utf8');
	const tell = 'If this stays so, tell the people who run the platform.';
	if (text.trim() === '') {
		throw new CsvFault('empty', 'The platform sent an empty file instead of CSV', `Run the node again. ${tell}`);
	}
	if (isWebPage(text) || /^\s*</.test(text)) {
		throw new CsvFault(
			'not-csv',
			'A web page came instead of CSV',
			`Something between n8n and the platform answered in its place, such as a gateway or a login page. Check the base URL in the credential. ${tell}`,
		);
	}
	if (/^\s*(?:\{\s*["}]|\[\s*[[{"\]])/.test(text)) {
		throw new CsvFault('not-csv', 'JSON came instead of CSV', `Run the node again. ${tell}`);
	}
	if (columns === 1 && records === 0) {
		throw new CsvFault('not-csv', 'A single line of text came instead of CSV', `Run the node again. ${tell}`);
	}
	// Zero bytes: UTF-16 text, a packed file, a picture. Their records cannot be told apart.
	if (bytes.includes(0) || text.startsWith('PK\u0003\u0004')) {
		throw new CsvFault('not-csv', 'The platform sent something other than CSV text in UTF-8', tell);
	}
}

/** The bytes from `start` up to, but without, `end`, still in pieces and not copied. */
function slice(pieces: readonly Buffer[], start: number, end: number): Buffer[] {
	const within: Buffer[] = [];
	let offset = 0;
	for (const piece of pieces) {
		if (offset >= end) break;
		const inside = piece.subarray(Math.max(0, start - offset), Math.max(0, Math.min(piece.length, end - offset)));
		if (inside.length > 0) within.push(inside);
		offset += piece.length;
	}
	return within;
}
