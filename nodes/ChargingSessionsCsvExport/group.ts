import { createHash } from 'crypto';

import chunk from 'lodash/chunk';

import { identifyRecords, withoutLineEnd, type IdentifiedRecords } from '../shared/csv/identify';
import { CsvFault, type CsvPart } from '../shared/csv/part';
import type { Turns } from '../shared/csv/turns';

/** Extra requests allowed for one group of sessions after the first. */
const MAX_MORE_REQUESTS = 64;
/** Groups of up to this many sessions are always resolved: halving them to single sessions stays within the limit. */
export const ALWAYS_RESOLVED = MAX_MORE_REQUESTS / 2;

/**
 * Why a session is not in the file: it is not in the platform's list; it is in the list, but never in the CSV; or too
 * few records came for a group of sessions, and it could not be determined which of them are missing.
 */
export type MissingReason = 'notFound' | 'leftOut' | 'notConfirmed';

/** What is known from all answers of an export so far. */
export class ExportFindings {
	/** Sessions that are not in the parts so far, and why. */
	readonly missing = new Map<number, MissingReason>();
	/** Records of sessions that were not asked for, or of none. They are kept out of the file. */
	foreign = 0;
	/** Records in the file of which no column shows the session. */
	unchecked = 0;
	/** The column with the session id. */
	column: number | undefined;
	/** The largest number of sessions in a request whose answer had records of them. */
	answered = 0;
	/** Answers without such a column, to notice one that comes twice. */
	readonly accepted = new Set<string>();

	withoutMissing(ids: readonly number[]): number[] {
		return ids.filter((id) => !this.missing.has(id));
	}
}

/** How a group asks the platform. */
export interface GroupSource {
	/** The platform's answer; undefined if it has no record of these sessions, 'refused' if fewer at once may do. */
	ask(ids: readonly number[]): Promise<CsvPart | undefined | 'refused'>;
	/** Notes which of these sessions are not in the platform's list as missing. */
	noteUnknown(ids: readonly number[]): Promise<unknown>;
}

/** Sessions to ask for. */
interface Entry {
	ids: readonly number[];
	/** How many answers have left them out. */
	leftOut: number;
}

/**
 * Makes a part with exactly the sessions of a group, in their order, from the platform's answers. Sessions that the
 * first answer lacks are asked for again: all together if a column shows whose records came; if not, in halves until an
 * answer has as many records as sessions were asked for. A session that several answers leave out counts as left out by
 * the platform.
 */
export class GroupExport {
	/** By session id: its records, or all records of the sessions asked for together with this one. */
	private readonly records = new Map<number, string[]>();
	private latest: CsvPart;
	private foreign = 0;
	private unchecked = 0;

	constructor(
		private readonly first: CsvPart,
		private readonly source: GroupSource,
		private readonly findings: ExportFindings,
		private readonly turns: Turns,
	) {
		this.latest = first;
	}

	/** @throws PlatformError if the platform refuses for good, or repeats an answer for other sessions */
	async complete(ids: readonly number[]): Promise<CsvPart> {
		const { first, source, findings } = this;
		let queue = await this.take({ ids, leftOut: 0 }, first);
		if (queue.length > 0) {
			await source.noteUnknown(queue.flatMap((entry) => entry.ids));
			this.forget();
			queue = await this.take({ ids: findings.withoutMissing(ids), leftOut: 0 }, first);
		}
		let requestsLeft = MAX_MORE_REQUESTS;
		for (let entry = queue.shift(); entry; entry = queue.shift()) {
			const asked = findings.withoutMissing(entry.ids);
			if (asked.length === 0) continue;
			if (requestsLeft === 0) this.note(asked, 'notConfirmed');
			else queue.unshift(...(await this.take({ ...entry, ids: asked }, await source.ask(asked))));
			requestsLeft = Math.max(0, requestsLeft - 1);
		}
		findings.foreign += this.foreign;
		findings.unchecked += this.unchecked;
		const records = ids.flatMap((id) => this.records.get(id) ?? []);
		return { ...this.latest, hasBom: first.hasBom, records: this.withLineEnds(records) };
	}

	/** Keeps the records that came for these sessions. Returns what to ask for next. */
	private async take(entry: Entry, answer: CsvPart | undefined | 'refused'): Promise<Entry[]> {
		if (answer === 'refused') return this.further(entry, 'refusal');
		if (!answer?.records.length) return this.further(entry, 'nothing');
		const { findings, turns } = this;
		const { ids, leftOut } = entry;
		if (this.first.records.length === 0) this.latest = answer;
		const found = await identifyAnswer(answer, ids, turns, findings.column);
		if (found) await this.keep(found, leftOut > 0);
		else if (await this.keepTogether(answer, ids, leftOut > 0)) return [];
		if (found?.bySession.size === 0) return this.further(entry, 'others');
		findings.answered = Math.max(findings.answered, ids.length);
		return found ? this.lacking(ids) : this.further(entry, 'too few');
	}

	/** How to ask again for sessions of which no record could be taken. Those that are left out again and again are noted. */
	private further({ ids, leftOut }: Entry, came: 'refusal' | 'nothing' | 'others' | 'too few'): Entry[] {
		// An answer without records may also mean that too many sessions were asked for.
		const isLeftOut =
			ids.length === 1 || came === 'others' || (came === 'nothing' && ids.length <= this.findings.answered);
		// Records of others alone may be an answer to somebody else's request.
		if (isLeftOut && came !== 'refusal' && leftOut > (came === 'others' ? 1 : 0)) {
			this.note(ids, 'leftOut');
			return [];
		}
		return chunk(ids, Math.ceil(ids.length / 2)).map((half) => ({ ids: half, leftOut: leftOut + 1 }));
	}

	private async keep({ column, bySession, foreign }: IdentifiedRecords, again: boolean): Promise<void> {
		this.findings.column = column;
		this.foreign += foreign;
		for (const [id, records] of bySession) this.records.set(id, again ? await this.copies(records) : records);
	}

	/** Copies: a piece of a text keeps the whole text in memory. */
	private async copies(records: readonly string[]): Promise<string[]> {
		const copies: string[] = [];
		for (const record of records) {
			if (this.turns.due) await this.turns.give();
			copies.push(Buffer.from(record, 'latin1').toString('latin1'));
		}
		return copies;
	}

	private lacking(ids: readonly number[]): Entry[] {
		const others = ids.filter((id) => !this.records.has(id));
		return others.length > 0 ? [{ ids: others, leftOut: 1 }] : [];
	}

	/**
	 * Keeps records of which nothing shows whose they are, if there are as many as sessions. Returns whether that was all
	 * there is of these sessions.
	 */
	private async keepTogether(part: CsvPart, ids: readonly number[], again: boolean): Promise<boolean> {
		const present = await this.present(ids);
		const [first] = present;
		if (first === undefined) {
			this.foreign += part.records.length;
			return true;
		}
		if (!(await this.isEnough(part, present))) return false;
		const records = part.endsEarly ? part.records.slice(0, -1) : part.records;
		this.foreign += part.records.length - records.length;
		this.unchecked += records.length;
		this.records.set(first, again ? await this.copies(records) : records);
		return true;
	}

	/**
	 * Those of the sessions that the platform's list has: an answer about sessions that are gone may be a line with
	 * totals alone. Asked only as long as another answer may still show whose records come.
	 */
	private async present(ids: readonly number[]): Promise<number[]> {
		if (this.findings.unchecked + this.unchecked === 0) await this.source.noteUnknown(ids);
		return this.findings.withoutMissing(ids);
	}

	/** Whether there are as many different records as sessions. Where nothing shows whose they are, that must do. */
	private async isEnough(part: CsvPart, ids: readonly number[]): Promise<boolean> {
		const different = await countDifferent(part, this.turns);
		if (different < ids.length) return false;
		if (different === 1) return true;
		const hash = createHash('sha256');
		for (const record of part.records) {
			hash.update(withoutLineEnd(record)).update('\n');
			if (this.turns.due) await this.turns.give();
		}
		const digest = hash.digest('hex');
		if (this.findings.accepted.has(digest)) throw repeated();
		this.findings.accepted.add(digest);
		return true;
	}

	private forget(): void {
		this.records.clear();
		this.foreign = 0;
	}

	private note(ids: readonly number[], reason: MissingReason): void {
		for (const id of ids) this.findings.missing.set(id, reason);
	}

	/** Every record with a line end, but for the last one if the platform ends its files without. */
	private withLineEnds(records: readonly string[]): string[] {
		const { lineEnd, records: sent, endsEarly } = this.latest;
		const endsOpen = !endsEarly && !endsInLineEnd(sent.at(-1) ?? '');
		return records.map((record, index) => {
			if (endsOpen && index === records.length - 1) return withoutLineEnd(record);
			return endsInLineEnd(record) ? record : record + lineEnd;
		});
	}
}

/**
 * Finds whose records came. The last one may be cut off if it has no line end: it counts only if nothing is missing
 * then.
 */
async function identifyAnswer(part: CsvPart, ids: readonly number[], turns: Turns, column: number | undefined) {
	const { records, endsEarly } = part;
	const found = await identifyRecords(part, records, ids, turns, column);
	const isAll = found !== undefined && ids.every((id) => found.bySession.has(id));
	if (!endsEarly && (isAll || endsInLineEnd(records.at(-1) ?? ''))) return found;
	const certain = await identifyRecords(part, records.slice(0, -1), ids, turns, found?.column ?? column);
	return certain && { ...certain, foreign: found?.foreign ?? certain.foreign };
}

/** Whether a last line that is shorter than the others is only a line with totals: all sessions have records without it. */
export async function isWhole(part: CsvPart, ids: readonly number[], turns: Turns, column?: number): Promise<boolean> {
	if (!part.endsEarly) return true;
	const found = await identifyAnswer(part, ids, turns, column);
	return found ? ids.every((id) => found.bySession.has(id)) : (await countDifferent(part, turns)) >= ids.length;
}

/** How many different records a part has. A duplicate record must not hide a missing one. */
async function countDifferent({ records, endsEarly }: CsvPart, turns: Turns): Promise<number> {
	const different = new Set<string>();
	for (const record of endsEarly ? records.slice(0, -1) : records) {
		if (turns.due) await turns.give();
		different.add(withoutLineEnd(record));
	}
	return different.size;
}

const endsInLineEnd = (record: string) => record.endsWith('\n') || record.endsWith('\r');

function repeated(): CsvFault {
	return new CsvFault(
		'repeated',
		'The platform sent the same records for different sessions',
		'Something on the way may keep answers and repeat them, such as a proxy that caches requests by their address. No file was made, since nothing in the records shows which sessions they belong to. Ask your network admin or the platform’s support to switch this off for the CSV export.',
	);
}
