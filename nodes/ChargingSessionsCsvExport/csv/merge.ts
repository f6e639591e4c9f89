import { escapeFormulas } from './formulas';
import { BOM, CsvFault, type CsvPart } from './part';

/** Whether the file begins with a byte order mark: as the platform sends it, always, or never. */
export type BomChoice = 'keep' | 'add' | 'remove';

export interface MergeOptions {
	bom: BomChoice;
	/** Whether to escape cells that a spreadsheet would run as formulas. */
	escapeFormulas: boolean;
}

/**
 * Joins CSV files with the same columns into one: one header, rows byte for byte (unless formulas are escaped), a byte
 * order mark only at the start, and a line end added between parts only where it is missing.
 */
export class CsvMerger {
	/** Records in the file so far. */
	records = 0;
	/** The header of the file, once there is one. */
	private header: string | undefined;
	private endsInLineEnd = false;

	/** @param expectedHeader the header of the other files, if this is one of several: any other is refused */
	constructor(
		private readonly options: MergeOptions,
		private readonly expectedHeader?: string,
	) {}

	/**
	 * The bytes that the part adds to the file.
	 * @throws CsvFault if its columns differ from those of the parts before
	 */
	add(part: CsvPart): Buffer {
		const known = this.header ?? this.expectedHeader;
		if (known !== undefined) refuseOtherHeader(known, part);

		const isFirst = this.header === undefined;
		this.header = part.header;
		let added = part.rows;
		if (isFirst) added = part.excelLine + part.header + part.lineEnd + added;
		else if (added !== '' && !this.endsInLineEnd) added = part.lineEnd + added;
		if (added !== '') this.endsInLineEnd = added.endsWith('\n');
		this.records += part.records.length;

		const { bom, escapeFormulas: harmless } = this.options;
		const text = harmless ? escapeFormulas(added) : added;
		const hasBom = isFirst && (bom === 'add' || (bom === 'keep' && part.hasBom));
		return Buffer.from(hasBom ? BOM + text : text, 'latin1');
	}
}

/**
 * The merged file as bytes, part by part. A part is taken once the one before has been written, so only one is held
 * here at a time.
 */
export async function* mergeParts(parts: AsyncIterable<CsvPart>, merger: CsvMerger): AsyncGenerator<Buffer, void> {
	for await (const part of parts) {
		const bytes = merger.add(part);
		if (bytes.length > 0) yield bytes;
	}
}

/** @throws CsvFault if the part has other columns than `known` */
export function refuseOtherHeader(known: string, { header }: CsvPart): void {
	if (known === header) return;
	throw new CsvFault(
		'other-header',
		'The platform sent two parts of the export with different columns',
		`One part begins with "${shown(known)}", a later one with "${shown(header)}". They would not fit into one file, so none was made. Run the node again; the columns may have changed while it was running.`,
	);
}

/** A header as a message shows it. */
function shown(header: string): string {
	const text = Buffer.from(header.slice(0, 500), 'latin1').toString().replace(/\s+/g, ' ');
	return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
