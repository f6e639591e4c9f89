import { CsvFault, type CsvPart } from './types';

/** Whether the file begins with a byte order mark: as the platform sends it, always, or never. */
export type BomChoice = 'keep' | 'add' | 'remove';

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Joins CSV files with the same columns to one: the header once, every byte of the rows as it came, a byte order mark
 * only at the start, and a line end added only where rows would otherwise stand on the line of the rows before.
 */
export class CsvMerger {
	/** Records passed on. */
	records = 0;
	/** Bytes passed on. */
	bytes = 0;
	/** The header of the file, once there is one. */
	header: Buffer | undefined;
	private lastByte = -1;

	/**
	 * @param bom what to do about the byte order mark
	 * @param expectedHeader refuse any other, where the file is one of several that belong together
	 */
	constructor(
		private readonly bom: BomChoice,
		private readonly expectedHeader?: Buffer,
	) {}

	/**
	 * The bytes that the part adds to the file.
	 * @throws CsvFault where its columns are others than those of the parts before
	 */
	add(part: CsvPart): Buffer[] {
		const known = this.header ?? this.expectedHeader;
		if (known && !known.equals(part.header)) throw otherHeader(known, part.header);

		const added: Buffer[] = [];
		if (this.header === undefined) {
			this.header = part.header;
			if (this.bom === 'add' || (this.bom === 'keep' && part.hasBom)) added.push(BOM);
			added.push(part.header, part.lineEnd);
		} else if (part.rows.length > 0) {
			added.push(this.missingOf(part.lineEnd));
		}
		added.push(...part.rows);

		for (const piece of added) {
			this.bytes += piece.length;
			this.lastByte = piece.at(-1) ?? this.lastByte;
		}
		this.records += part.records;
		return added.filter(({ length }) => length > 0);
	}

	/** What of a line end is not there yet. */
	private missingOf(lineEnd: Buffer): Buffer {
		if (this.lastByte === lineEnd.at(-1)) return lineEnd.subarray(lineEnd.length);
		return this.lastByte === lineEnd.at(0) ? lineEnd.subarray(1) : lineEnd;
	}
}

/**
 * The merged file as bytes, one part after the other; a part is taken when the one before has been handed on, so no more
 * than one is held here at a time.
 */
export async function* mergeParts(parts: AsyncIterable<CsvPart>, merger: CsvMerger): AsyncGenerator<Buffer, void> {
	for await (const part of parts) yield* merger.add(part);
}

function otherHeader(first: Buffer, other: Buffer): CsvFault {
	return new CsvFault(
		'other-header',
		'The platform sent two parts of the export with different columns',
		`One part begins with "${shown(first)}", a later one with "${shown(other)}". They would not fit into one file, so none was made. Run the node again; the columns may have changed while it was running.`,
	);
}

function shown(header: Buffer): string {
	const text = header.toString('utf8').replace(/\s+/g, ' ');
	return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
