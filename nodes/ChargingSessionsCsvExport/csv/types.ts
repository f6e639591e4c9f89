/** Why bytes that should be a part of a CSV file cannot be used. */
export type CsvFaultKind = 'empty' | 'not-csv' | 'cut-off' | 'other-header';

/** Thrown when a part cannot become part of the file. `message` and `description` are for users. */
export class CsvFault extends Error {
	readonly kind: CsvFaultKind;
	readonly description: string;

	constructor(kind: CsvFaultKind, message: string, description: string) {
		super(message);
		this.name = 'CsvFault';
		this.kind = kind;
		this.description = description;
	}
}

/** One CSV file as the platform sent it, taken apart. No byte of it is changed. */
export interface CsvPart {
	/** Whether it began with a byte order mark. */
	hasBom: boolean;
	/** The first record, which names the columns: without byte order mark and line end. */
	header: Buffer;
	/** The line end after the header: CR LF, LF, CR, or nothing where the file ends with the header. */
	lineEnd: Buffer;
	/** Everything after the header's line end, in the pieces it came in. */
	rows: Buffer[];
	/** Records after the header. Blank lines are none. */
	records: number;
}
