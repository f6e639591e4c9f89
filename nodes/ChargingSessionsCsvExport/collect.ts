import difference from 'lodash/difference';

import { CsvFault, cutOff, readCsv, sessionColumn, type CsvFile } from '../shared/csv/read';
import { bySession, type SessionId } from '../shared/csv/sessions';
import { firstNames, quote } from '../shared/text';
import { PlatformError, type Connection, type FailureKind } from '../shared/platform';
import { settle } from '../shared/settle';
import type { LongWork } from '../shared/longWork';
import type { Findings } from './findings';
import { findUnknownIds } from './sessionList';

/** How often in a row sessions are asked for in halves because no answer came. */
const MAX_SILENT_HALVINGS = 3;
/** How many sessions in a row may be refused, or be without a record, when asked for alone: more mean something else. */
const MAX_ALONE_IN_A_ROW = 3;
/** How many columns a message lists. */
const MOST_COLUMNS = 40;

/** What a refusal may be due to: the number of sessions, certain sessions, or a request that takes too long. */
type Cause = 'size' | 'ids' | 'silence';

/** Refusals that may be due to the number of sessions, or to one of them. */
const MAY_CONCERN_IDS: ReadonlySet<FailureKind> = new Set([
	'not-found',
	'not-the-platform',
	'query-refused',
	'forbidden',
]);
/** Statuses of a server, or of a gateway before it, that has waited too long. */
const SILENT_STATUSES: ReadonlySet<number> = new Set([408, 502, 504]);

/** Records for the file, in the order of its sessions. */
export interface Part {
	/** The answer they came with: how the file is written. */
	file: CsvFile;
	records: string[];
}

/** A part while its answers come in. */
interface Collecting {
	findings: Findings;
	/** By session. Where no column shows whose they are: all of an answer, at the first session asked for. */
	records: Map<SessionId, string[]>;
	/** The last answer with records. */
	file?: CsvFile;
}

/**
 * Collects the records of sessions, part by part, so that memory holds one part however many sessions there are.
 *
 * A part is asked for in one request. If that is too many, refused or silent, it is asked for in halves. Sessions
 * without a record are looked up in the list: those that are not there are `notFound`. The others are asked for again,
 * as long as answers bring some of them, and in halves, and are then `leftOut`. An answer without any record may also
 * mean that it was too many: so may be all sizes that no answer with records has had yet. Where no column shows whose
 * records came, all of them are kept, and nothing is asked for again.
 */
export class Collector {
	/** Sessions per request now, and the most that the platform has not refused in so many words. */
	private size: number;
	private largest: number;
	/** The largest number of sessions in a request whose answer had records of them. */
	private answered = 0;
	/** In a row: halvings for want of an answer, sessions refused alone, and sessions that came without a record alone. */
	private silences = 0;
	private refusals: unknown[] = [];
	private absences = 0;
	/** Sessions that are in the platform's list. */
	private readonly existing = new Set<SessionId>();
	/** The first answer, without its records. */
	first: CsvFile | undefined;

	/** @param idsPerRequest at least 1 */
	constructor(
		private readonly connection: Pick<Connection, 'baseUrl' | 'exportSessions' | 'list' | 'hideSecrets'>,
		private readonly longWork: LongWork,
		idsPerRequest: number,
		private readonly sessionIdColumn?: string,
	) {
		this.size = idsPerRequest;
		this.largest = idsPerRequest;
	}

	/**
	 * The parts of one file that have records. The next one is asked for once this one is stored.
	 *
	 * @throws PlatformError where asking in another way cannot help: the parts before must not become a file
	 */
	async *parts(findings: Findings): AsyncGenerator<Part, void> {
		for (let at = 0; at < findings.ids.length; ) {
			const ids = findings.ids.slice(at, at + this.size);
			at += ids.length;
			const part: Collecting = { findings, records: new Map() };
			await this.collect(ids, part);
			const { file, records } = part;
			if (file) yield { file, records: ids.flatMap((id) => records.get(id) ?? []) };
		}
	}

	/** @throws PlatformError if the platform refused all that was asked for */
	check(): void {
		const [refusal] = this.refusals;
		if (refusal && !this.first) throw refusal;
	}

	/** @param answers how many answers have come without any of these sessions */
	private async collect(ids: readonly SessionId[], part: Collecting, answers = 0): Promise<void> {
		for (let at = 0; at < ids.length; ) {
			const some = ids.slice(at, at + this.size);
			at += some.length;
			await this.collectAtOnce(some, part, answers);
		}
	}

	private async collectAtOnce(ids: readonly SessionId[], part: Collecting, answers: number): Promise<void> {
		const answer = await settle(this.request(ids));
		const cause = answer.ok ? undefined : causeOf(answer.error);
		if (!answer.ok && cause === undefined) throw answer.error;
		const lacking = answer.ok ? await this.take(ids, answer.value, part) : ids;
		const unknown = answer.ok || cause === 'ids' ? await this.unknownAmong(lacking) : [];
		part.findings.miss(unknown, 'notFound');
		const rest = difference(lacking, unknown);
		if (rest.length === 0) return;
		if (lacking.length < ids.length) await this.collect(rest, part, 1);
		else if (rest.length < ids.length) await this.collect(rest, part, answers);
		else if (answer.ok) await this.withoutRecords(ids, part, answers);
		else await this.refused(ids, part, { answers, cause, refusal: answer.error });
	}

	/** How to go on where an answer came, but no record of these sessions, though the list has all of them. */
	private async withoutRecords(ids: readonly SessionId[], part: Collecting, answers: number): Promise<void> {
		if (ids.length === 1) this.absences++;
		const mayBeTooMany = ids.length > 1 && ids.length > this.answered && this.absences <= MAX_ALONE_IN_A_ROW;
		if (answers > 1 && !mayBeTooMany) part.findings.miss(ids, 'leftOut');
		else for (const half of halvesOf(ids)) await this.collect(half, part, answers + 1);
	}

	/** @throws PlatformError where asking in another way cannot help */
	private async refused(
		ids: readonly SessionId[],
		part: Collecting,
		{ answers, cause, refusal }: { answers: number; cause?: Cause; refusal: unknown },
	): Promise<void> {
		if (ids.length > 1 && (cause !== 'silence' || this.silences++ < MAX_SILENT_HALVINGS)) {
			const halves = halvesOf(ids);
			// Sessions that are asked for again may be refused for other reasons than their number.
			if (answers === 0) this.size = halves[0]?.length ?? 1;
			if (cause === 'size') this.largest = this.size;
			for (const half of halves) await this.collect(half, part, answers);
			return;
		}
		if (cause !== 'ids' || (answers === 0 && this.refusals.length === MAX_ALONE_IN_A_ROW)) throw refusal;
		if (answers === 0) this.refusals.push(refusal);
		part.findings.miss(ids, 'leftOut');
	}

	/** Keeps the records that came. Returns the sessions that still lack. */
	private async take(ids: readonly SessionId[], file: CsvFile, part: Collecting): Promise<readonly SessionId[]> {
		const { findings, records } = part;
		this.first ??= { ...file, records: [] };
		this.silences = 0;
		// A session was refused alone, so it was not their number.
		if (this.refusals.length > 0) this.size = this.largest;
		this.refusals = [];
		const came = await bySession(file, ids, this.longWork, this.sessionIdColumn);
		findings.foreign += came?.foreign ?? 0;
		if (came ? came.records.size === 0 : file.records.length === 0) return ids;
		this.answered = Math.max(this.answered, ids.length);
		this.absences = 0;
		part.file = file;
		if (!came) return await this.takeUnchecked(ids, file, part);
		for (const [id, own] of came.records) records.set(id, own);
		return ids.filter((id) => !came.records.has(id));
	}

	private async takeUnchecked(
		ids: readonly SessionId[],
		file: CsvFile,
		{ findings, records }: Collecting,
	): Promise<[]> {
		const [first = 0] = ids;
		records.set(first, file.records);
		findings.unchecked += file.records.length;
		if (file.records.length < ids.length) {
			const unknown = await this.unknownAmong(ids);
			findings.miss(unknown, 'notFound');
			const rest = difference(ids, unknown);
			if (file.records.length < rest.length) findings.miss(rest, 'notConfirmed');
		}
		return [];
	}

	/** Which of these sessions are not in the platform's list. */
	private async unknownAmong(ids: readonly SessionId[]): Promise<SessionId[]> {
		const unasked = ids.filter((id) => !this.existing.has(id));
		const unknown = await findUnknownIds(this.connection, unasked);
		for (const id of difference(unasked, unknown)) this.existing.add(id);
		return unknown;
	}

	private async request(ids: readonly SessionId[]): Promise<CsvFile> {
		const { connection, longWork, sessionIdColumn: given } = this;
		const { hideSecrets } = connection;
		const file = await connection.exportSessions(ids, async (bytes) => {
			const read = await readCsv(bytes, longWork, hideSecrets);
			// With a column for the session, the one that is cut off is missing, and asked for again.
			if (read.endsEarly && sessionColumn(read, given) === undefined) throw cutOff();
			return read;
		});
		if (given !== undefined && sessionColumn(file, given) === undefined) {
			const names = file.columns.map((name) => quote(hideSecrets(name)));
			throw new PlatformError('configuration', `The platform’s CSV has no column ${quote(given)}`, {
				description: `Its columns are: ${firstNames(names, MOST_COLUMNS)}. Enter the one with the session ID in the option Session ID Column, or remove the option.`,
			});
		}
		const [known, own] = [this.first ?? file, file].map(({ columns }) => columns.join());
		if (known === own) return file;
		throw new CsvFault(
			'The platform sent two parts of the export with different columns',
			`One part begins with "${hideSecrets(known ?? '')}", a later one with "${hideSecrets(own ?? '')}". They would not fit into one file, so none was made. Run the node again; the columns may have changed while it was running.`,
		);
	}
}

function halvesOf(ids: readonly SessionId[]): Array<readonly SessionId[]> {
	const half = Math.ceil(ids.length / 2);
	return [ids.slice(0, half), ids.slice(half)].filter(({ length }) => length > 0);
}

/** Undefined where asking for fewer sessions, or for others, cannot help. */
function causeOf(error: unknown): Cause | undefined {
	if (error instanceof CsvFault) return error.mayConcernIds ? 'ids' : undefined;
	if (!(error instanceof PlatformError)) return undefined;
	const { kind, status = 0, transient } = error;
	if (kind === 'too-large') return 'size';
	if (MAY_CONCERN_IDS.has(kind) || status === 500) return 'ids';
	return transient && (kind === 'network-failure' || SILENT_STATUSES.has(status)) ? 'silence' : undefined;
}
