import { CsvFault, cutOff, readPart, type CsvPart } from '../shared/csv/part';
import { Turns } from '../shared/csv/turns';
import { PlatformError, settle } from '../shared/platform';
import type { Connection, FailureKind } from '../shared/platform';
import { ExportFindings, GroupExport, isWhole, type GroupSource } from './group';
import { findUnknownIds } from './listIds';

/** How often in a row sessions are asked for in halves because no answer arrived. */
const MAX_SILENT_HALVINGS = 3;
/** How many sessions in a row the platform may refuse alone. That it refuses more means something else. */
const MAX_REFUSED_IN_A_ROW = 3;
/** Refusals that may be due to the number of sessions, or to one of them. */
const MAY_CONCERN_IDS: ReadonlySet<FailureKind> = new Set([
	'not-found',
	'not-the-platform',
	'query-refused',
	'forbidden',
]);

/**
 * What a refusal may be due to: `size`, the number of sessions; `silence`, a request that takes too long; `ids`, either
 * the number or certain sessions; undefined, none of them.
 */
type Cause = 'size' | 'silence' | 'ids' | undefined;

const CAUSES_OF_CSV: Partial<Record<CsvFault['problem'], Cause>> = {
	'too-large': 'size',
	empty: 'ids',
	message: 'ids',
	'cut-off': 'ids',
};
/** Statuses of a server, or of a gateway before it, that has waited too long. */
const SILENT_STATUSES: ReadonlySet<number> = new Set([408, 502, 504]);

/**
 * Exports sessions in parts. Each part is held until it has arrived whole and been checked, so that nothing of a broken
 * one gets into the file. The next part is requested once this one is stored, so memory holds one part of at most
 * `idsPerRequest` sessions, however many are exported.
 */
export class SessionExport {
	readonly findings = new ExportFindings();
	private readonly turns: Turns;
	/** Sessions per request now, and the most that the platform has not refused in so many words. */
	private size: number;
	private largest: number;
	/** Halvings since the last answer, for want of one. */
	private halvings = 0;
	/** Whether the platform has sent a file. */
	private hasAnswered = false;
	/** The refusals of sessions alone since the last file. */
	private refusedAlone: PlatformError[] = [];
	/** Sessions that are in the platform's list. */
	private readonly existing = new Set<number>();
	private header: string | undefined;

	/**
	 * @param idsPerRequest sessions per request, at least 1; halved when a request or its answer is too large
	 * @param signal of the execution
	 */
	constructor(
		private readonly connection: Pick<Connection, 'exportSessions' | 'list' | 'hideSecrets'>,
		idsPerRequest: number,
		signal?: AbortSignal,
	) {
		this.size = idsPerRequest;
		this.largest = idsPerRequest;
		this.turns = new Turns(signal);
	}

	/**
	 * The parts of the export, in the order of the ids. There may be no part for ids that are all unknown.
	 * @throws PlatformError when a part cannot be read: the parts before it must not become a file
	 */
	async *parts(ids: readonly number[]): AsyncGenerator<CsvPart, void> {
		for (let start = 0; start < ids.length; ) {
			const group = ids.slice(start, start + this.size);
			const part = await this.readGroup(this.findings.withoutMissing(group));
			if (part === 'again') continue;
			start += group.length;
			if (part) yield part;
		}
	}

	/** @throws PlatformError if the platform refused all that was asked for */
	check(): void {
		const [refusal] = this.refusedAlone;
		if (refusal && !this.hasAnswered) throw refusal;
	}

	/** The records of these sessions, or 'again' when fewer are to be asked for. */
	private async readGroup(ids: readonly number[]): Promise<CsvPart | undefined | 'again'> {
		if (ids.length === 0) return undefined;
		const answer = await settle(this.request(ids));
		if (!answer.ok) return await this.refused(ids, answer.error);
		this.hasAnswered = true;
		this.halvings = 0;
		// A session was refused alone, so it was not their number.
		if (this.refusedAlone.length > 0) this.size = this.largest;
		this.refusedAlone = [];
		return await new GroupExport(answer.value, this.source, this.findings, this.turns).complete(ids);
	}

	/** Decides how to go on after a refusal. Throws it where asking in another way cannot help. */
	private async refused(ids: readonly number[], error: unknown): Promise<'again' | undefined> {
		const cause = causeOf(error);
		if (!(error instanceof PlatformError) || cause === undefined) throw located(error, ids);
		if (cause === 'ids' && (await this.noteUnknown(ids)) > 0) return 'again';
		if (ids.length > 1 && (cause !== 'silence' || this.halvings++ < MAX_SILENT_HALVINGS)) {
			this.size = Math.floor(ids.length / 2);
			if (cause === 'size') this.largest = this.size;
			return 'again';
		}
		if (cause !== 'ids' || this.refusedAlone.length === MAX_REFUSED_IN_A_ROW) throw located(error, ids);
		this.refusedAlone.push(error);
		for (const id of ids) this.findings.missing.set(id, 'leftOut');
		return undefined;
	}

	/** How the sessions that an answer left out are asked for again. */
	private readonly source: GroupSource = {
		ask: async (ids) => {
			const answer = await settle(this.request(ids));
			if (answer.ok) return answer.value;
			const cause = causeOf(answer.error);
			if (cause === 'ids' && ids.length === 1) return undefined;
			if (cause === undefined || ids.length === 1) throw located(answer.error, ids);
			return 'refused';
		},
		noteUnknown: async (ids) => await this.noteUnknown(ids),
	};

	/** Requests one part; the connection asks again if it does not arrive whole. */
	private async request(ids: readonly number[]): Promise<CsvPart> {
		const { connection, turns } = this;
		const part = await connection.exportSessions(ids, async (stream) => {
			const read = await readPart(stream, { sessions: ids.length, turns, hideSecrets: connection.hideSecrets });
			if (!(await isWhole(read, ids, turns, this.findings.column))) throw cutOff();
			return read;
		});
		// Copied: a piece of a text keeps the whole text in memory.
		this.header ??= Buffer.from(part.header, 'latin1').toString('latin1');
		if (this.header !== part.header) throw this.otherHeader(part);
		return part;
	}

	private otherHeader({ header }: CsvPart): CsvFault {
		const [known, other] = [this.header ?? '', header].map((text) =>
			this.connection.hideSecrets(Buffer.from(text, 'latin1').toString().replace(/\s+/g, ' ')),
		);
		return new CsvFault(
			'other-header',
			'The platform sent two parts of the export with different columns',
			`One part begins with "${known}", a later one with "${other}". They would not fit into one file, so none was made. Run the node again; the columns may have changed while it was running.`,
		);
	}

	/** Notes which of these sessions are not in the platform's list. Returns how many. */
	private async noteUnknown(ids: readonly number[]): Promise<number> {
		const unknown = await findUnknownIds(
			this.connection,
			ids.filter((id) => !this.existing.has(id)),
		);
		for (const id of unknown) this.findings.missing.set(id, 'notFound');
		for (const id of this.findings.withoutMissing(ids)) this.existing.add(id);
		return unknown.length;
	}
}

function causeOf(error: unknown): Cause {
	if (error instanceof CsvFault) return CAUSES_OF_CSV[error.problem];
	if (!(error instanceof PlatformError)) return undefined;
	const { kind, status = 0 } = error;
	if (kind === 'too-large') return 'size';
	if (MAY_CONCERN_IDS.has(kind) || status === 500) return 'ids';
	const isSilence = kind === 'network-failure' || SILENT_STATUSES.has(status);
	return error.transient && isSilence ? 'silence' : undefined;
}

function located(error: unknown, ids: readonly number[]): unknown {
	if (!(error instanceof CsvFault) || error.problem === 'other-header') return error;
	const which = ids.length === 1 ? `session ${ids[0]}` : `${ids.length} sessions, ${ids[0]} to ${ids.at(-1)},`;
	const { problem, message, description } = error;
	return new CsvFault(problem, message, `It was asked for ${which} in this part. ${description}`);
}
