const QUOTE = 0x22;
const CR = 0x0d;
const LF = 0x0a;

/** What may stand between two fields. The first wins where the header has several equally often. */
const DELIMITERS: readonly number[] = [',', ';', '\t', '|'].map((character) => character.charCodeAt(0));
const BOM: readonly number[] = [0xef, 0xbb, 0xbf];

/**
 * Finds the records of a CSV file in bytes that arrive in pieces of any size. It looks at bytes, not characters: in UTF-8
 * a quote, a delimiter or a line end is never part of another character, so a piece may end in the middle of one.
 *
 * A quote opens a quoted field only where a field begins, so a stray one inside a field (`19" rack`) does no harm. The
 * delimiter is the one the header uses most; a carriage return alone ends records only where it ended the header.
 */
export class RecordScanner {
	/** Bytes of the byte order mark at the start: 3, or fewer where there is none. */
	bomBytes = 0;
	/** Bytes before the header's line end, byte order mark included; undefined until the line end has arrived. */
	headerEnd: number | undefined;
	/** Bytes before the first byte after the header's line end; undefined until that is known. */
	rowsStart: number | undefined;
	/** Columns that the header names; known with `rowsStart`. */
	columns = 1;

	/** Records after the header that have their line end. */
	private complete = 0;

	private position = 0;
	private inQuotes = false;
	private afterQuote = false;
	private atFieldStart = true;
	private blank = true;
	private fields = 1;
	private fewestFields: number | undefined;
	private headerEndsInCr = false;
	private recordEnd = LF;
	private delimiter: number | undefined;
	/** 1 for each byte that may mean something in a row: all others are passed over. */
	private readonly telling = new Uint8Array(256);
	private readonly seen = new Map<number, number>();

	push(bytes: Uint8Array): void {
		let index = 0;
		for (; index < bytes.length && this.rowsStart === undefined; index++) {
			this.scanHeader(bytes[index] ?? 0);
			this.position++;
		}
		this.position += bytes.length - index;
		this.scanRows(bytes, index);
	}

	/** To be called after the last piece. */
	end(): void {
		this.headerEnd ??= this.position;
		if (this.rowsStart === undefined) this.startRows(this.position, LF);
	}

	/** Records after the header, one that lacks its line end included. */
	get records(): number {
		return this.complete + (this.rowsStart !== undefined && !this.blank ? 1 : 0);
	}

	/** Whether the bytes so far end inside quotes, or in a record without line end that has fewer fields than any other. */
	get isCutOff(): boolean {
		return this.inQuotes || (this.records > this.complete && this.fields < (this.fewestFields ?? this.columns));
	}

	private scanHeader(byte: number): void {
		if (this.position === this.bomBytes && this.bomBytes < BOM.length && byte === BOM[this.bomBytes]) {
			this.bomBytes++;
			return;
		}
		if (this.headerEndsInCr) {
			if (byte === LF) {
				this.startRows(this.position + 1, LF);
			} else {
				this.startRows(this.position, CR);
				this.scanRow(byte);
			}
			return;
		}
		if (this.scanQuote(byte)) return;
		if (byte === LF) {
			this.headerEnd = this.position;
			this.startRows(this.position + 1, LF);
		} else if (byte === CR) {
			this.headerEnd = this.position;
			this.headerEndsInCr = true;
		} else {
			this.atFieldStart = DELIMITERS.includes(byte);
			if (this.atFieldStart) this.seen.set(byte, (this.seen.get(byte) ?? 0) + 1);
		}
	}

	private startRows(rowsStart: number, recordEnd: number): void {
		this.rowsStart = rowsStart;
		this.recordEnd = recordEnd;
		for (const candidate of DELIMITERS) {
			const count = this.seen.get(candidate) ?? 0;
			if (count < this.columns) continue;
			this.delimiter = candidate;
			this.columns = count + 1;
		}
		for (const byte of [QUOTE, CR, recordEnd, this.delimiter]) {
			if (byte !== undefined) this.telling[byte] = 1;
		}
		this.startRecord();
	}

	/** As `scanRow` for each byte from `index` on, without looking at those that mean nothing where they stand. */
	private scanRows(bytes: Uint8Array, index: number): void {
		const { telling } = this;
		const { length } = bytes;
		while (index < length) {
			if (this.inQuotes) {
				const quote = bytes.indexOf(QUOTE, index);
				if (quote < 0) return;
				index = quote;
			} else if (telling[bytes[index] ?? 0] === 0) {
				do index++;
				while (index < length && telling[bytes[index] ?? 0] === 0);
				this.afterQuote = false;
				this.atFieldStart = false;
				this.blank = false;
				continue;
			}
			this.scanRow(bytes[index] ?? 0);
			index++;
		}
	}

	private scanRow(byte: number): void {
		if (this.scanQuote(byte)) return;
		if (byte === this.recordEnd) {
			if (!this.blank) {
				this.complete++;
				this.fewestFields = Math.min(this.fields, this.fewestFields ?? this.fields);
			}
			this.startRecord();
		} else if (byte === this.delimiter) {
			this.fields++;
			this.atFieldStart = true;
			this.blank = false;
		} else if (byte !== CR) {
			this.atFieldStart = false;
			this.blank = false;
		}
	}

	private startRecord(): void {
		this.blank = true;
		this.fields = 1;
		this.atFieldStart = true;
		this.afterQuote = false;
	}

	/** Whether the byte is a quote that opens or closes a field, or stands inside quotes. */
	private scanQuote(byte: number): boolean {
		if (this.inQuotes) {
			this.inQuotes = byte !== QUOTE;
			// A second quote right after this one is a quote character: it opens the field again.
			this.afterQuote = !this.inQuotes;
			return true;
		}
		const opens = byte === QUOTE && (this.atFieldStart || this.afterQuote);
		this.afterQuote = false;
		if (!opens) return false;
		this.inQuotes = true;
		this.atFieldStart = false;
		this.blank = false;
		return true;
	}
}
