import difference from 'lodash/difference';

import { InvalidCsvError, cutOffError, readCsv, sessionColumn, type ParsedCsv } from '../shared/csv/read';
import { groupBySession, type SessionRecords, type SessionId } from '../shared/csv/sessions';
import { formatFirstNames, quote } from '../shared/text';
import { PlatformError, type Connection, type FailureKind } from '../shared/platform';
import { settle } from '../shared/settle';
import type { LongWork } from '../shared/longWork';
import { UncertaintyTracker, type UncertainSessions, type PartStatus } from './uncertaintyTracker';
import type { ExportFindings } from './findings';
import { findUnknownIds } from './sessionList';

/** How often in a row sessions are asked for in halves because no answer came. */
const MAX_SILENT_HALVINGS = 3;
/** How many sessions in a row may be refused, or be without a record, when asked for alone: more mean something else. */
const MAX_ALONE_IN_A_ROW = 3;
/** How many columns a message lists. */
const MOST_COLUMNS = 40;

/** What a refusal may be due to: the number of sessions, certain sessions, or a request that takes too long. */
type RefusalCause = 'size' | 'ids' | 'silence';

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
export interface FilePart {
	/** The answer they came with: how the file is written. */
	file: ParsedCsv;
	records: string[];
}

/** Sessions to ask for in one request, or in several where that is too many. */
interface SessionBatch {
	ids: readonly SessionId[];
	/** `again`: an answer had others, or only a part of their records. `last`: an answer had nothing at all of them. */
	tries: 'first' | 'again' | 'last';
}

/** A part while its answers come in. */
interface PartInProgress {
	of: PartStatus;
	queue: SessionBatch[];
	/** By session. Where no column shows whose they are: all of an answer, at the first session asked for. */
	records: Map<SessionId, string[]>;
	/** The last answer with records, if possible one without anything in doubt. */
	file?: ParsedCsv;
	/** Answers in which no column shows a session. */
	unread: Array<{ ids: readonly SessionId[]; file: ParsedCsv }>;
}

/** What an answer lacks of the sessions asked for, without those in doubt, and whether it had others of them. */
interface AnswerCoverage {
	lacking: readonly SessionId[];
	hasOthers: boolean;
}

/** An answer, and whose records it has. */
interface ExportAnswer {
	file: ParsedCsv;
	found: SessionRecords;
}

/**
 * Collects the records of sessions, part by part, so that memory holds one part however many sessions there are.
 *
 * A part is a queue of batches. What an answer confirms is kept, and the rest goes back: a session in doubt alone;
 * sessions without a record together, as long as answers bring some of them, and then in halves. Before that they are
 * looked up in the list: those that are not there are `notFound`. Those for which nothing came in the end are `leftOut`.
 * An answer without any record may also mean that these were too many sessions, as long as no request for so many has had
 * records. Where no column shows whose records came, all of them are kept, and nothing is asked for again.
 */
export class SessionRecordFetcher {
	/** Sessions per request now, and the most that the platform has not refused as too many. */
	private size: number;
	private largest: number;
	/** The largest number of sessions in a request whose answer had records of them. */
	private answered = 0;
	/**
	 * How often in a row: sessions were halved because no answer came, one was refused alone, one came without a record
	 * alone.
	 */
	private silences = 0;
	private refusals: unknown[] = [];
	private absences = 0;
	/** Sessions that are in the platform's list. */
	private readonly existing = new Set<SessionId>();
	private readonly doubts = new UncertaintyTracker();
	/** Whether the column has shown a session that was asked for. Records without one are then of none. */
	private showsSessions = false;
	/** The first answer, without its records. */
	first: ParsedCsv | undefined;

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
	async *parts(findings: ExportFindings): AsyncGenerator<FilePart, void> {
		for (let at = 0; at < findings.ids.length; ) {
			const ids = findings.ids.slice(at, at + this.size);
			at += ids.length;
			const { file, records, of } = await this.collect(ids, findings);
			of.isStored = true;
			if (file) yield { file, records: ids.flatMap((id) => records.get(id) ?? []) };
		}
	}

	/** @throws PlatformError if the platform refused all that was asked for */
	check(): void {
		const [refusal] = this.refusals;
		if (refusal && !this.first) throw refusal;
	}

	private async collect(ids: readonly SessionId[], findings: ExportFindings): Promise<PartInProgress> {
		const queue: SessionBatch[] = [{ ids, tries: 'first' }];
		const part: PartInProgress = { of: { findings, isStored: false }, queue, records: new Map(), unread: [] };
		for (let batch = takeFrom(queue, this.size); batch; batch = takeFrom(queue, this.size)) {
			const answer = await settle(this.request(batch.ids));
			const cause = answer.ok ? undefined : causeOf(answer.error);
			if (!answer.ok && cause === undefined) throw answer.error;
			const { lacking, hasOthers } = answer.ok
				? this.keep(batch, answer.value, part)
				: { lacking: batch.ids, hasOthers: false };
			const unknown = answer.ok || cause === 'ids' ? await this.unknownAmong(lacking) : [];
			findings.miss(unknown, 'notFound');
			const rest = difference(lacking, unknown);
			if (rest.length === 0) continue;
			if (hasOthers) queue.unshift({ ids: rest, tries: 'again' });
			else if (unknown.length > 0) queue.unshift({ ...batch, ids: rest });
			else {
				const halves = answer.ok ? this.afterNothing(batch) : this.afterRefusal(batch, cause, answer.error);
				queue.unshift(...halves);
				if (halves.length === 0) findings.miss(rest, 'leftOut');
			}
		}
		for (const { ids: asked, file } of part.unread) await this.keepUnread(asked, file, part);
		return part;
	}

	/** What to ask for again, where an answer had no record of sessions that the list has. Empty: do not ask again. */
	private afterNothing({ ids, tries }: SessionBatch): SessionBatch[] {
		if (ids.length === 1) this.absences++;
		const mayBeTooMany = ids.length > Math.max(1, this.answered) && this.absences <= MAX_ALONE_IN_A_ROW;
		if (mayBeTooMany) this.size = Math.ceil(ids.length / 2);
		// Not even one alone: it was not their number.
		else if (this.answered === 0) this.size = this.largest;
		return mayBeTooMany || tries !== 'last' ? halvesOf(ids, 'last') : [];
	}

	/**
	 * What to ask for again, where sessions were refused. Empty: do not ask again.
	 * @throws PlatformError where asking in another way cannot help
	 */
	private afterRefusal(
		{ ids, tries }: SessionBatch,
		cause: RefusalCause | undefined,
		refusal: unknown,
	): SessionBatch[] {
		if (ids.length > 1 && (cause !== 'silence' || this.silences++ < MAX_SILENT_HALVINGS)) {
			// Sessions that are asked for again may be refused for other reasons than their number.
			if (tries === 'first') this.size = Math.ceil(ids.length / 2);
			if (cause === 'size') this.largest = this.size;
			return halvesOf(ids, tries);
		}
		if (cause !== 'ids' || (tries === 'first' && this.refusals.length === MAX_ALONE_IN_A_ROW)) throw refusal;
		if (tries === 'first') this.refusals.push(refusal);
		return [];
	}

	/** Notes what an answer shows of the platform. Returns whether its records are kept, although no column shows whose they are. */
	private learnFrom({ file, found }: ExportAnswer, asked: number): boolean {
		const { last, foreign, withoutId } = found;
		this.first ??= { ...file, records: [] };
		this.silences = 0;
		// A session was refused alone, so it was not their number.
		if (this.refusals.length > 0) this.size = this.largest;
		this.refusals = [];
		this.showsSessions ||= last.length > 0;
		const isUnread = !this.showsSessions && foreign === 0 && withoutId > 0;
		if (last.length === 0 && !isUnread) return false;
		this.answered = Math.max(this.answered, asked);
		this.absences = 0;
		return isUnread;
	}

	/** Keeps the records that came, and puts back what is in doubt. */
	private keep({ ids }: SessionBatch, answer: ExportAnswer, part: PartInProgress): AnswerCoverage {
		const { file, found } = answer;
		const { of, records } = part;
		if (this.learnFrom(answer, ids.length)) {
			part.unread.push({ ids, file });
			return { lacking: [], hasOthers: false };
		}
		of.findings.foreign += found.foreign + found.withoutId;
		of.findings.ofOthers += found.foreign;
		if (this.showsSessions) this.askForUnread(part);
		for (const [id, own] of found.records) records.set(id, own);
		const isSure = this.putBack(this.doubts.add(ids, file, found, of), ids, part);
		const isUtf8 = file.isUtf8 && part.file?.isUtf8 !== false;
		const isUsed = [...found.records.keys()].some((id) => records.has(id));
		if (isUsed) part.file = { ...(isSure ? file : (part.file ?? file)), isUtf8 };
		if (ids.length === 1) return { lacking: ids.filter((id) => !records.has(id)), hasOthers: false };
		return { lacking: difference(ids, [...found.records.keys()], found.last), hasOthers: found.last.length > 0 };
	}

	/**
	 * Drops the records of what is in doubt and puts it back, alone or in halves. A session that was asked for alone is not put
	 * back: it has no record then. Returns whether nothing is in doubt.
	 */
	private putBack(
		doubts: readonly UncertainSessions[],
		asked: readonly SessionId[],
		{ records, queue }: PartInProgress,
	): boolean {
		for (const { part, ids } of doubts) {
			if (part.isStored) part.findings.miss(ids, 'notConfirmed');
			else {
				for (const id of ids) {
					records.delete(id);
					this.existing.add(id);
				}
				const wasAlone = asked.length === 1 && ids[0] === asked[0];
				if (!wasAlone) queue.push(...halvesOf(ids, 'again'));
			}
		}
		return doubts.length === 0;
	}

	/** A column shows sessions now: records of answers in which none did are foreign, and their sessions are asked for again. */
	private askForUnread({ of, queue, unread }: PartInProgress): void {
		for (const { ids, file } of unread.splice(0)) {
			of.findings.foreign += file.records.length;
			queue.push({ ids, tries: 'again' });
		}
	}

	/** Keeps all records of an answer in which no column shows a session. */
	private async keepUnread(ids: readonly SessionId[], file: ParsedCsv, part: PartInProgress): Promise<void> {
		const { findings } = part.of;
		const [first = 0] = ids;
		part.records.set(first, file.records);
		part.file = file;
		findings.unchecked += file.records.length;
		if (file.records.length >= ids.length) return;
		const unknown = await this.unknownAmong(ids);
		findings.miss(unknown, 'notFound');
		const rest = difference(ids, unknown);
		if (file.records.length < rest.length) findings.miss(rest, 'notConfirmed');
	}

	/** Which of these sessions are not in the platform's list. */
	private async unknownAmong(ids: readonly SessionId[]): Promise<SessionId[]> {
		const unasked = ids.filter((id) => !this.existing.has(id));
		const unknown = await findUnknownIds(this.connection, unasked);
		for (const id of difference(unasked, unknown)) this.existing.add(id);
		return unknown;
	}

	private async request(ids: readonly SessionId[]): Promise<ExportAnswer> {
		const { connection, longWork, sessionIdColumn: given } = this;
		const { hideSecrets } = connection;
		const answer = await connection.exportSessions(ids, async (bytes) => {
			const file = await readCsv(bytes, longWork, hideSecrets);
			const found = await groupBySession(file, ids, longWork, given);
			// Where the column shows sessions, the one that is cut off is asked for again.
			const showsSome = this.showsSessions || found.last.length > 0 || found.foreign > 0;
			if (file.cut !== undefined && !showsSome) throw cutOffError();
			return { file, found };
		});
		this.checkColumns(answer.file);
		return answer;
	}

	/** @throws PlatformError where the file lacks the column that the user gave, or has others than the first */
	private checkColumns(file: ParsedCsv): void {
		const { first = file, sessionIdColumn: given } = this;
		const { hideSecrets } = this.connection;
		if (given !== undefined && sessionColumn(file, given) === undefined) {
			const names = file.columns.map((name) => quote(hideSecrets(name)));
			throw new PlatformError('configuration', `The platform’s CSV has no column ${quote(given)}`, {
				description: `Its columns are: ${formatFirstNames(names, MOST_COLUMNS)}. Enter the one with the session ID in the option Session ID Column, or remove the option.`,
			});
		}
		const [known, own] = [first, file].map(({ columns, delimiter }) => columns.join(delimiter));
		if (known === own) return;
		throw new InvalidCsvError(
			'The platform sent two parts of the export with different columns',
			`One part begins with "${hideSecrets(known ?? '')}", a later one with "${hideSecrets(own ?? '')}". They would not fit into one file, so none was made. Run the node again; the columns may have changed while it was running.`,
		);
	}
}

/** The next batch of a queue, with no more sessions than this: the others stay in it. */
function takeFrom(queue: SessionBatch[], size: number): SessionBatch | undefined {
	const batch = queue.shift();
	if (!batch || batch.ids.length <= size) return batch;
	queue.unshift({ ...batch, ids: batch.ids.slice(size) });
	return { ...batch, ids: batch.ids.slice(0, size) };
}

function halvesOf(ids: readonly SessionId[], tries: SessionBatch['tries']): SessionBatch[] {
	const half = Math.ceil(ids.length / 2);
	const halves = [ids.slice(0, half), ids.slice(half)].filter(({ length }) => length > 0);
	return halves.map((some) => ({ ids: some, tries }));
}
/** Undefined where asking for fewer sessions, or for others, cannot help. */
function causeOf(error: unknown): RefusalCause | undefined {
	if (error instanceof InvalidCsvError) return error.mayConcernIds ? 'ids' : undefined;
	if (!(error instanceof PlatformError)) return undefined;
	const { kind, status = 0, transient } = error;
	if (kind === 'too-large') return 'size';
	if (MAY_CONCERN_IDS.has(kind) || status === 500) return 'ids';
	return transient && (kind === 'network-failure' || SILENT_STATUSES.has(status)) ? 'silence' : undefined;
}
