import fc from 'fast-check';

import { CsvMerger, mergeParts } from '../../nodes/ChargingSessionsCsvExport/csv/merge';
import { readPart, type CsvPart } from '../../nodes/shared/csv/part';
import { Turns } from '../../nodes/shared/platform';

/** How a platform writes CSV: what the specification leaves open. */
export interface Dialect {
	delimiter: ',' | ';' | '\t';
	lineEnd: '\r\n' | '\n';
	finalLineEnd: boolean;
	bom: boolean;
	/** Quote every field, or only those that need it. */
	quoteAll: boolean;
}

export type Table = string[][];

/** Writes a table as the platform would, by the rules of RFC 4180. The first row is the header. */
export function writeCsv(table: Table, { delimiter, lineEnd, finalLineEnd, bom, quoteAll }: Dialect): Buffer {
	const field = (text: string) =>
		quoteAll || /["\r\n]/.test(text) || text.includes(delimiter) || text.startsWith('\uFEFF')
			? `"${text.replaceAll('"', '""')}"`
			: text;
	const text = table.map((row) => row.map(field).join(delimiter)).join(lineEnd);
	return Buffer.from(`${bom ? '\uFEFF' : ''}${text}${finalLineEnd ? lineEnd : ''}`);
}

/** Cuts bytes at the given shares of their length: anywhere, as a network does. */
export function cut(bytes: Buffer, shares: readonly number[]): Buffer[] {
	const places = [...shares.map((share) => Math.floor(share * bytes.length)), bytes.length].sort((a, b) => a - b);
	let start = 0;
	return places.map((end) => {
		// A separate copy, like chunks from a socket.
		const piece = Buffer.from(bytes.subarray(start, end));
		start = end;
		return piece;
	});
}

export async function* arriving(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
	for (const piece of pieces) yield await Promise.resolve(piece);
}

/** Reads a file as the answer to a request for this many sessions. */
export async function readCsv(pieces: Iterable<Buffer> | AsyncIterable<Buffer>, sessions = 500): Promise<CsvPart> {
	return await readPart(pieces, { sessions, turns: new Turns(), hideSecrets: (text) => text });
}

/** Merges files, each given in pieces. */
export async function merge(files: ReadonlyArray<readonly Buffer[]>, bom: 'keep' | 'add' | 'remove' = 'keep') {
	const merger = new CsvMerger(bom);
	async function* parts() {
		for (const pieces of files) yield await readCsv(arriving(pieces));
	}
	const merged: Buffer[] = [];
	for await (const piece of mergeParts(parts(), merger, new Turns())) merged.push(piece);
	return { bytes: Buffer.concat(merged), records: merger.records };
}

const piece = fc.constantFrom(
	'a',
	'Ü',
	'ß',
	'山',
	'😀',
	'"',
	',',
	';',
	'\t',
	'|',
	'\n',
	'\r\n',
	'\r',
	' ',
	'1.5',
	'\uFEFF',
	"'",
);
/** Text of a field: everything that makes CSV hard. */
export const fieldText = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));

export const dialects: fc.Arbitrary<Dialect> = fc.record({
	delimiter: fc.constantFrom(',', ';', '\t'),
	lineEnd: fc.constantFrom('\r\n', '\n'),
	finalLineEnd: fc.boolean(),
	bom: fc.boolean(),
	quoteAll: fc.boolean(),
});

/** A table of at least two columns whose header differs from a record only by its position. */
export const tables: fc.Arbitrary<Table> = fc
	.integer({ min: 2, max: 5 })
	.chain((columns) =>
		fc
			.array(fc.array(fieldText, { minLength: columns, maxLength: columns }), { maxLength: 30 })
			.map((rows) => [
				Array.from({ length: columns }, (_, index) => (index === 1 ? 'Größe "netto"' : `Column${index}`)),
				...rows,
			]),
	);

export const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
