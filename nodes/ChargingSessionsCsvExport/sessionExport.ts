import { CsvFault, readPart, type CsvPart } from './csv/part';
import { PlatformError, settle } from '../shared/platform';
import type { FailureKind, Connection } from '../shared/platform';
import { findUnknownIds } from './listIds';
import { countDifferent, identifyRecords, Recovery, type Answer, type MissingSessions } from './recovery';

/** How often a part is requested before giving up, when its bytes do not arrive whole. */
const MAX_TRIES = 3;
const MAY_MEAN_UNKNOWN_IDS: ReadonlySet<FailureKind> = new Set(['not-found', 'not-the-platform', 'query-refused']);

/**
 * Exports sessions in parts. Each part is held until it has arrived whole and been checked, so that nothing of a broken
 * one gets into the file. The next part is requested once this one is stored, so memory holds one part of at most
 * `idsPerRequest` sessions, however many are exported.
 */
export class SessionExport {
	/** Sessions that are not in the parts so far, and why. */
	readonly missing: MissingSessions = new Map();

	/**
	 * @param idsPerRequest sessions per request, at least 1; halved when a request or its answer is too large
	 * @param pauseBeforeRetry waits before the n-th retry of a part
	 */
	constructor(
		private readonly connection: Pick<Connection, 'exportSessions' | 'list'>,
		private idsPerRequest: number,
		private readonly pauseBeforeRetry: (n: number) => Promise<void>,
	) {}

	/**
	 * The parts of the export, in the order of the ids. There may be no part for ids that are all unknown.
	 * @throws PlatformError when a part cannot be read: the parts before it must not become a file
	 */
	async *parts(ids: readonly number[]): AsyncGenerator<CsvPart, void> {
		for (let start = 0; start < ids.length; ) {
			const chunk = ids.slice(start, start + this.idsPerRequest);
			const part = await this.readChunk(this.withoutMissing(chunk));
			if (part === 'too-large') {
				this.idsPerRequest = Math.floor(chunk.length / 2);
				continue;
			}
			start += chunk.length;
			if (part) yield part;
		}
	}

	/** The records that the platform has for these sessions. Sessions without one are noted as missing. */
	private async readChunk(chunk: readonly number[]): Promise<Answer> {
		const part = await this.ask(chunk);
		if (part === undefined || part === 'too-large') return part;
		const asked = this.withoutMissing(chunk);
		if (isComplete(part, asked)) return part;
		const found = identifyRecords(part, asked)?.byId;
		// There are enough records, but no column shows which session each belongs to.
		if (!found && countDifferent(part) >= asked.length) return part;
		await this.noteUnknown(asked.filter((id) => !found?.has(id)));
		const existing = this.withoutMissing(asked);
		if (isComplete(part, existing)) return part;
		return await new Recovery(part, async (ids) => await this.ask(ids, true), this.missing).complete(existing);
	}

	/**
	 * What the platform sends for these sessions. Unknown ones are noted as missing.
	 *
	 * @param mayBeLeftOut whether an earlier answer left these sessions out
	 */
	private async ask(ids: readonly number[], mayBeLeftOut = false): Promise<Answer> {
		if (ids.length === 0) return undefined;
		const request = await settle(this.request(ids));
		if (request.ok) return request.value;
		const { error } = request;
		if (!(error instanceof PlatformError)) throw error;

		const problem = error instanceof CsvFault ? error.problem : error.kind;
		if (problem === 'too-large' && ids.length > 1) return 'too-large';
		// Unknown ids may get the whole request refused: as invalid, or as if the endpoint did not exist.
		if (MAY_MEAN_UNKNOWN_IDS.has(error.kind)) {
			await this.noteUnknown(ids);
			const known = this.withoutMissing(ids);
			if (known.length < ids.length) return await this.ask(known, mayBeLeftOut);
		}
		if (mayBeLeftOut && (error.status === 404 || problem === 'empty')) return undefined;
		throw error instanceof CsvFault ? located(error, ids) : error;
	}

	/** Requests one part, and again if it does not arrive whole. */
	private async request(ids: readonly number[]): Promise<CsvPart> {
		for (let tries = 1; ; tries++) {
			const part = await settle(readPart(await this.connection.exportSessions(ids)));
			if (part.ok) return part.value;
			const mayPass = part.error instanceof PlatformError && part.error.transient;
			if (!mayPass || tries === MAX_TRIES) throw part.error;
			await this.pauseBeforeRetry(tries);
		}
	}

	private async noteUnknown(ids: readonly number[]): Promise<void> {
		for (const id of await findUnknownIds(this.connection, ids)) this.missing.set(id, 'notFound');
	}

	private withoutMissing(ids: readonly number[]): number[] {
		return ids.filter((id) => !this.missing.has(id));
	}
}

/** Whether there are as many records as sessions, without duplicates. */
function isComplete(part: CsvPart, ids: readonly number[]): boolean {
	return part.records.length === ids.length && countDifferent(part) === ids.length;
}

function located({ problem, message, description }: CsvFault, ids: readonly number[]): CsvFault {
	const which = ids.length === 1 ? `session ${ids[0]}` : `${ids.length} sessions, ${ids[0]} to ${ids.at(-1)},`;
	return new CsvFault(problem, message, `It was asked for ${which} in this part. ${description}`);
}
