import { createHash } from 'crypto';

import type { BinaryHelperFunctions, IBinaryData } from 'n8n-workflow';

import { BOM, type ParsedCsv } from '../shared/csv/read';
import { PlatformError } from '../shared/platform';
import { settle } from '../shared/settle';
import type { LongWork } from '../shared/longWork';
import type { FilePart } from './sessionRecordFetcher';
import { escapeFormulas } from './formulas';

/** How many characters are written at once. */
const PIECE_LENGTH = 256 * 1024;

/** How the user wants the file. */
interface CsvFileOptions {
	/** Whether it begins with a byte order mark: as the platform sends it, always if it is UTF-8, or never. */
	byteOrderMark?: 'keep' | 'add' | 'remove';
	escapeFormulas?: boolean;
}

/** One CSV file from parts with the same columns: one header, records byte for byte, a line end where one is missing. */
export class CsvMerger {
	/** Records written so far. */
	rowCount = 0;
	/** Why the mark that was to be added does not fit the text: it was left out, or the text came after it. */
	misfit: 'left out' | 'written' | undefined;
	private readonly hash = createHash('sha256');

	constructor(
		private readonly form: CsvFileOptions,
		private readonly longWork: LongWork,
	) {}

	/** The SHA-256 of the file as hex. Only once all bytes are written. */
	get sha256(): string {
		return this.hash.digest('hex');
	}

	/** The bytes of the file. A part is taken once the one before has been written. */
	async *write(parts: AsyncIterable<FilePart> | Iterable<FilePart>): AsyncGenerator<Buffer, void> {
		let [text, lineEnd, isClosed] = ['', '', false];
		for await (const { file, records } of parts) {
			if (lineEnd === '') {
				text = this.begin(file);
				lineEnd = file.lineEnd;
			} else if (this.form.byteOrderMark === 'add' && !file.isUtf8) this.misfit ??= 'written';
			for (const record of records) {
				text += lineEnd + record;
				if (text.length < PIECE_LENGTH) continue;
				yield this.bytes(text);
				text = '';
			}
			this.rowCount += records.length;
			// A last record that is cut off had a line end before it.
			isClosed ||= file.isClosed || file.cut !== undefined;
			if (this.longWork.isYieldDue) await this.longWork.yieldToEventLoop();
		}
		yield this.bytes(text + (isClosed ? lineEnd : ''));
	}

	private begin({ hasBom, isUtf8, head }: ParsedCsv): string {
		const { byteOrderMark = 'keep' } = this.form;
		if (byteOrderMark === 'add' && !isUtf8) this.misfit = 'left out';
		const hasMark = byteOrderMark === 'keep' ? hasBom : byteOrderMark === 'add' && isUtf8;
		return (hasMark ? BOM : '') + head;
	}

	private bytes(text: string): Buffer {
		const bytes = Buffer.from(this.form.escapeFormulas ? escapeFormulas(text) : text, 'latin1');
		this.hash.update(bytes);
		return bytes;
	}
}

/**
 * Stores a file. Where n8n keeps files on disk, it takes one piece after the other, and none is held. Elsewhere (memory,
 * database, object storage) n8n holds the whole file, and collects it from a stream of Node, which a community node
 * cannot make: there it is collected here.
 *
 * @throws what making the pieces throws, or a PlatformError where n8n cannot store the file
 */
export async function storeFile(
	pieces: AsyncGenerator<Buffer, void>,
	fileName: string,
	store: BinaryHelperFunctions['prepareBinaryData'],
): Promise<IBinaryData> {
	let isTaken = false;
	const broken: unknown[] = [];
	const source = {
		[Symbol.asyncIterator]() {
			isTaken = true;
			const next = async () =>
				await pieces.next().catch((thrown: unknown) => {
					broken.push(thrown);
					throw thrown;
				});
			return { next, return: async () => await pieces.return() };
		},
	};
	const put = async (file: unknown) => await settle(store(file as Buffer, fileName, 'text/csv'));
	let stored = await put(source);
	if (!stored.ok && !isTaken) {
		const all: Buffer[] = [];
		for await (const piece of pieces) all.push(piece);
		stored = await put(Buffer.concat(all));
	}
	if (stored.ok) return stored.value;
	throw broken.length > 0 ? broken[0] : notStored(stored.error);
}

function notStored(thrown: unknown): PlatformError {
	const reason = thrown instanceof Error ? thrown.message : String(thrown);
	return new PlatformError('configuration', 'n8n could not store the file', {
		description: `n8n says: ${reason}. Where the file is too large for n8n's binary store, the option Sessions per File makes several smaller ones.`,
	});
}
