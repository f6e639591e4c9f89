import { escapeFormulas } from './formulas';
import { CsvFault, type CsvPart } from './part';

/** Whether the file begins with a byte order mark: as the platform sends it, always, or never. */
export type BomChoice = 'keep' | 'add' | 'remove';

export interface MergeOptions {
	bom: BomChoice;
	/** Whether cells that a spreadsheet would run as formulas are made harmless. */
	escapeFormulas: boolean;
}

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const LF = 0x0a;

/**
 * Joins CSV files with the same columns to one: the header once, every byte of the rows as it came, a byte order mark
 * only at the start, and a line end added only where rows would otherwise stand on the line of the rows before.
 */
export class CsvMerger {
	/** Records in the file so far. */
	records = 0;
	/** The header of the file, once there is one. */
	header: Buffer | undefined;
	private endsInLineEnd = false;

	/** @param expectedHeader refuse any other, where the file is one of several that belong together */
	constructor(
		private readonly options: MergeOptions,
		private readonly expectedHeader?: Buffer,
	) {}

	/**
	 * The bytes that the part adds to the file.
	 * @throws CsvFault where its columns are not those of the parts before
	 */
	add(part: CsvPart): Buffer[] {
		const known = this.header ?? this.expectedHeader;
		if (known) refuseOtherHeader(known, part);

		const { bom } = this.options;
		const added: Buffer[] = [];
		if (this.header === undefined) {
			this.header = part.header;
			if (bom === 'add' || (bom === 'keep' && part.hasBom)) added.push(BOM);
			added.push(this.written(part.header), part.lineEnd);
		} else if (part.rows.length > 0 && !this.endsInLineEnd) {
			added.push(part.lineEnd);
		}
		added.push(this.written(part.rows));

		const pieces = added.filter(({ length }) => length > 0);
		this.endsInLineEnd = (pieces.at(-1)?.at(-1) ?? (this.endsInLineEnd ? LF : 0)) === LF;
		this.records += part.records.length;
		return pieces;
	}

	private written(bytes: Buffer): Buffer {
		return this.options.escapeFormulas ? escapeFormulas(bytes) : bytes;
	}
}

/**
 * The merged file as bytes, one part after the other; a part is taken when the one before has been written, so no more
 * than one is held here at a time.
 */
export async function* mergeParts(parts: AsyncIterable<CsvPart>, merger: CsvMerger): AsyncGenerator<Buffer, void> {
	for await (const part of parts) yield* merger.add(part);
}

/** @throws CsvFault where the part has other columns than those known */
export function refuseOtherHeader(known: Buffer, { header }: CsvPart): void {
	if (known.equals(header)) return;
	throw new CsvFault(
		'other-header',
		'The platform sent two parts of the export with different columns',
		`One part begins with "${shown(known)}", a later one with "${shown(header)}". They would not fit into one file, so none was made. Run the node again; the columns may have changed while it was running.`,
	);
}

function shown(header: Buffer): string {
	const text = header.toString('utf8', 0, 500).replace(/\s+/g, ' ');
	return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
