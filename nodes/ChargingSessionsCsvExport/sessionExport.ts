import difference from 'lodash/difference';

import { readPart } from './csv/readPart';
import { CsvFault, type CsvPart } from './csv/types';
import { PlatformError } from '../shared/platform';
import type { CsvStream, FailureKind, Platform } from '../shared/platform';

/** How often one part is asked for when its bytes do not arrive whole. */
const MAX_TRIES = 3;
const MAY_MEAN_UNKNOWN_IDS: ReadonlySet<FailureKind> = new Set(['not-found', 'not-the-platform', 'query-refused']);

/** Bytes, or why there are none: ids that the platform does not know, or too many at once. */
type Answer = { stream: CsvStream } | { unknown: number[] } | 'too-large';

export interface SessionExportOptions {
	/** Sessions to ask for in one request, at least 1. Halved when the platform finds it too many. */
	idsPerRequest: number;
	/** Finds out which of these ids the platform's list does not have. */
	findUnknown: (ids: readonly number[]) => Promise<number[]>;
	/** Waits before a part is asked for again, for the n-th time. */
	pauseBeforeRetry: (n: number) => Promise<void>;
}

/**
 * Exports sessions in parts. A part is held until it has arrived whole and was checked, so that nothing of one that
 * breaks off half-way gets into the file. While one part is stored the next one arrives: two are held, at most
 * `idsPerRequest` sessions each, however many are exported.
 */
export class SessionExport {
	/** Ids that the platform does not know (any more). */
	readonly unknownIds: number[] = [];
	/** Sessions that are in the platform's list, but which it leaves out of its CSV. */
	leftOut = 0;
	/** Records beyond one for each session. */
	surplus = 0;
	private size: number;
	/** Nobody wants any more parts. */
	private abandoned = false;

	constructor(
		private readonly platform: Pick<Platform, 'exportSessions'>,
		private readonly options: SessionExportOptions,
	) {
		this.size = Math.max(1, options.idsPerRequest);
	}

	/**
	 * The parts of the export, in the order of the ids. A part whose ids are all unknown may be missing.
	 * @throws PlatformError, where a part cannot be had: whoever writes the file must then give it up
	 */
	async *parts(ids: readonly number[]): AsyncGenerator<CsvPart, void> {
		let next = this.nextPart(ids, 0);
		try {
			for (;;) {
				const { thrown, part, end } = await next;
				if (thrown) throw thrown.reason;
				const isLast = end >= ids.length;
				if (!isLast) next = this.nextPart(ids, end);
				if (part) yield part;
				if (isLast) return;
			}
		} finally {
			// What is under way is no longer wanted; waiting for it keeps the node from sending after it has ended.
			this.abandoned = true;
			await next;
			this.abandoned = false;
		}
	}

	/** Reads the part that begins at `start`. It ends before `end`, and is missing where all of its ids are unknown. */
	private async nextPart(ids: readonly number[], start: number) {
		try {
			for (;;) {
				const chunk = ids.slice(start, start + this.size);
				const part = chunk.length > 0 ? await this.readChunk(chunk) : undefined;
				if (part !== 'too-large') return { part, end: start + chunk.length };
				this.size = Math.floor(chunk.length / 2);
			}
		} catch (reason) {
			return { thrown: { reason }, end: start };
		}
	}

	/** One part; undefined where all of its ids are unknown to a platform that refuses unknown ids. */
	private async readChunk(ids: readonly number[]): Promise<CsvPart | 'too-large' | undefined> {
		let before: CsvPart | undefined;
		for (let tries = 1; ; tries++) {
			const answer = await this.request(ids);
			if (answer === 'too-large') return answer;
			if ('unknown' in answer) return await this.readWithout(answer.unknown, ids);
			const part = await this.receive(answer.stream, ids, tries);
			if (this.abandoned) return undefined;
			if (part && part.records >= ids.length) {
				this.surplus += part.records - ids.length;
				return part;
			}
			if (part) {
				const unknown = await this.options.findUnknown(ids);
				const leftOut = Math.max(0, ids.length - part.records - unknown.length);
				// Fewer records than there should be, but twice the same: the platform means it. Not so where there are none:
				// an answer cut off in its first line looks like that, too.
				if (leftOut === 0 || (part.records > 0 && part.records === before?.records)) {
					this.unknownIds.push(...unknown);
					this.leftOut += leftOut;
					return part;
				}
				if (tries === MAX_TRIES) throw located(tooFew(part.records), ids);
			}
			before = part;
			await this.options.pauseBeforeRetry(tries);
		}
	}

	private async request(ids: readonly number[]): Promise<Answer> {
		try {
			return { stream: await this.platform.exportSessions(ids) };
		} catch (thrown) {
			return await this.afterRefusal(thrown, ids);
		}
	}

	private async afterRefusal(thrown: unknown, ids: readonly number[]): Promise<Answer> {
		if (!(thrown instanceof PlatformError)) throw thrown;
		if (thrown.kind === 'too-large' && ids.length > 1) return 'too-large';
		// Ids that the platform does not know may be refused with the rest: as bad ones, or like an address that is not there.
		if (!MAY_MEAN_UNKNOWN_IDS.has(thrown.kind)) throw thrown;
		const unknown = await this.options.findUnknown(ids);
		if (unknown.length === 0) throw thrown;
		return { unknown };
	}

	/** Takes in one part; undefined when it broke off and may be asked for again. */
	private async receive(stream: CsvStream, ids: readonly number[], tries: number): Promise<CsvPart | undefined> {
		try {
			return await readPart(this.whileWanted(stream));
		} catch (thrown) {
			if (mayPass(thrown) && tries < MAX_TRIES) return undefined;
			throw located(thrown, ids);
		}
	}

	private async *whileWanted(stream: CsvStream): AsyncGenerator<Buffer, void> {
		for await (const bytes of stream) {
			if (this.abandoned) return;
			yield bytes;
		}
	}

	private async readWithout(
		unknown: readonly number[],
		ids: readonly number[],
	): Promise<CsvPart | 'too-large' | undefined> {
		const known = difference(ids, unknown);
		const part = known.length === 0 ? undefined : await this.readChunk(known);
		if (part !== 'too-large') this.unknownIds.push(...unknown);
		return part;
	}
}

/** Whether asking again may help: the connection broke, or what came ends in the middle. */
function mayPass(thrown: unknown): boolean {
	return thrown instanceof CsvFault ? thrown.kind === 'cut-off' : thrown instanceof PlatformError && thrown.transient;
}

function tooFew(records: number): CsvFault {
	return new CsvFault(
		'cut-off',
		records === 0
			? 'The platform sent none of the sessions that it was asked for'
			: `The platform sent only ${records} records, and another number each time`,
		'All of these sessions are in its list. Run the node again. If this stays so, lower the option IDs per Request.',
	);
}

function located(thrown: unknown, ids: readonly number[]): unknown {
	if (!(thrown instanceof CsvFault)) return thrown;
	const which = ids.length === 1 ? `session ${ids[0]}` : `${ids.length} sessions, ${ids[0]} to ${ids.at(-1)},`;
	return invalidAnswer(thrown, `It was asked for ${which} in this part.`);
}

/** The same refusal as the platform's own: it gave an answer that cannot be used. */
export function invalidAnswer({ message, description }: CsvFault, where = ''): PlatformError {
	return new PlatformError('invalid-answer', message, { description: [where, description].filter(Boolean).join(' ') });
}
