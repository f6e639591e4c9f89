import { escapeFormulas } from './formulas';
import { BOM, type CsvPart } from '../../shared/csv/part';
import type { Turns } from '../../shared/platform';

/** How many characters are written at once. */
const PIECE_LENGTH = 256 * 1024;

/**
 * Joins CSV files with the same columns into one: one header, records byte for byte (unless formulas are escaped), a
 * byte order mark only at the start, and a line end added between records only where it is missing.
 */
export class CsvMerger {
	/** Records in the file so far. */
	records = 0;
	/** Why the mark that was to be added does not fit the text: it was left out, or the text came after it. */
	misfit: 'left out' | 'written' | undefined;
	private isEmpty = true;
	private endsInLineEnd = true;

	/**
	 * @param bom whether the file begins with a byte order mark: as the platform sends it, always if it is UTF-8, or never
	 * @param harmless whether to escape cells that a spreadsheet would run as formulas
	 */
	constructor(
		private readonly bom: 'keep' | 'add' | 'remove' = 'keep',
		private readonly harmless = false,
	) {}

	/** The bytes that the part adds to the file. */
	*add({ hasBom, isUtf8, head, lineEnd, records }: CsvPart): Generator<Buffer, void> {
		const { bom, harmless } = this;
		if (bom === 'add' && !isUtf8) this.misfit ??= this.isEmpty ? 'left out' : 'written';
		this.records += records.length;
		let text = '';
		const flush = () => {
			const bytes = Buffer.from(harmless ? escapeFormulas(text) : text, 'latin1');
			text = '';
			return bytes;
		};
		const write = (line: string) => {
			if (!this.endsInLineEnd) text += lineEnd;
			text += line;
			this.endsInLineEnd = line.endsWith('\n');
		};
		if (this.isEmpty) {
			this.isEmpty = false;
			if ((bom === 'add' && isUtf8) || (bom === 'keep' && hasBom)) yield Buffer.from(BOM, 'latin1');
			write(head);
		}
		for (const record of records) {
			write(record);
			if (text.length >= PIECE_LENGTH) yield flush();
		}
		if (text !== '') yield flush();
	}
}

/**
 * The merged file as bytes, part by part. A part is taken once the one before has been written, so only one is held
 * here at a time.
 */
export async function* mergeParts(
	parts: AsyncIterable<CsvPart>,
	merger: CsvMerger,
	turns: Turns,
): AsyncGenerator<Buffer, void> {
	for await (const part of parts) {
		for (const bytes of merger.add(part)) {
			yield bytes;
			if (turns.due) await turns.give();
		}
	}
}
