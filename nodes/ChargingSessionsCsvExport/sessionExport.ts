import { CsvFault, readPart, type CsvPart } from './csv/part';
import { PlatformError, settle } from '../shared/platform';
import type { FailureKind, Connection } from '../shared/platform';
import { findUnknownIds } from './listIds';
import { countDifferent, identifyRecords, Recovery, type Answer, type MissingSessions } from './recovery';

/** How often one part is asked for when its bytes do not arrive whole. */
const MAX_TRIES = 3;
const MAY_MEAN_UNKNOWN_IDS: ReadonlySet<FailureKind> = new Set(['not-found', 'not-the-platform', 'query-refused']);

/**
 * Exports sessions in parts. A part is held until it has arrived whole and was checked, so that nothing of one that
 * breaks off half-way gets into the file. The next one is asked for when that one is stored: one is held, at most
 * `idsPerRequest` sessions, however many are exported.
 */
export class SessionExport {
	/** Sessions that are not in the parts so far, and why. */
	readonly missing: MissingSessions = new Map();

	/**
	 * @param idsPerRequest sessions to ask for in one request, at least 1; halved when the platform finds it too many
	 * @param pauseBeforeRetry waits before a part is asked for again, for the n-th time
	 */
	constructor(
		private readonly connection: Pick<Connection, 'exportSessions' | 'getPage'>,
		private idsPerRequest: number,
		private readonly pauseBeforeRetry: (n: number) => Promise<void>,
	) {}

	/**
	 * The parts of the export, in the order of the ids. A part whose ids are all unknown may be missing.
	 * @throws PlatformError where a part cannot be read: then no file must be made of the parts before it
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

	/** The records of these sessions, as many as the platform gives. The other sessions are noted as missing. */
	private async readChunk(chunk: readonly number[]): Promise<Answer> {
		const part = await this.ask(chunk);
		if (part === undefined || part === 'too-large') return part;
		const asked = this.withoutMissing(chunk);
		if (isComplete(part, asked)) return part;
		const found = identifyRecords(part, asked)?.byId;
		// Several records for a session, and no column shows which session a record belongs to.
		if (!found && countDifferent(part) >= asked.length) return part;
		await this.noteUnknown(asked.filter((id) => !found?.has(id)));
		const existing = this.withoutMissing(asked);
		if (isComplete(part, existing)) return part;
		return await new Recovery(part, async (ids) => await this.ask(ids, true), this.missing).complete(existing);
	}

	/**
	 * What the platform sends for these sessions. Those that it does not know are noted as missing.
	 *
	 * @param mayBeLeftOut whether the platform left these sessions out of an answer before
	 */
	private async ask(ids: readonly number[], mayBeLeftOut = false): Promise<Answer> {
		if (ids.length === 0) return undefined;
		const request = await settle(this.request(ids));
		if (request.ok) return request.value;
		const { error } = request;
		if (!(error instanceof PlatformError)) throw error;

		const problem = error instanceof CsvFault ? error.problem : error.kind;
		if (problem === 'too-large' && ids.length > 1) return 'too-large';
		// Ids that the platform does not know may be refused with the rest: as bad ones, or like an address that is not there.
		if (MAY_MEAN_UNKNOWN_IDS.has(error.kind)) {
			await this.noteUnknown(ids);
			const known = this.withoutMissing(ids);
			if (known.length < ids.length) return await this.ask(known, mayBeLeftOut);
		}
		if (mayBeLeftOut && (error.status === 404 || problem === 'empty')) return undefined;
		throw error instanceof CsvFault ? located(error, ids) : error;
	}

	/** Asks for one part; again, where it does not arrive whole. */
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

/** Whether there is one record for each session, and none twice. */
function isComplete(part: CsvPart, ids: readonly number[]): boolean {
	return part.records.length === ids.length && countDifferent(part) === ids.length;
}

function located({ problem, message, description }: CsvFault, ids: readonly number[]): CsvFault {
	const which = ids.length === 1 ? `session ${ids[0]}` : `${ids.length} sessions, ${ids[0]} to ${ids.at(-1)},`;
	return new CsvFault(problem, message, `It was asked for ${which} in this part. ${description}`);
}
