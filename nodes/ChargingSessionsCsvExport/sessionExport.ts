import { createHash } from 'crypto';

import chunk from 'lodash/chunk';

import { withoutLineEnd, type IdentifiedRecords } from '../shared/csv/identify';
import { CsvFault, type CsvPart } from '../shared/csv/part';
import type { PlatformError, Turns } from '../shared/platform';
import { certainRecords, countDifferent, endsInLineEnd, identifyAnswer } from './answer';
import type { Answer, Asking } from './asking';
import type { Completeness } from './completeness';

/** Requests allowed for one part after the first one. */
const MAX_MORE_REQUESTS = 64;
/** Parts of up to this many sessions are always resolved: halving them to single sessions stays within the limit. */
export const ALWAYS_RESOLVED = MAX_MORE_REQUESTS / 2;
/** How often in a row sessions are asked for in halves because no answer arrived. */
const MAX_SILENT_HALVINGS = 3;
/** How many sessions in a row the platform may refuse alone. That it refuses more means something else. */
const MAX_REFUSED_IN_A_ROW = 3;

/** Sessions to ask for at once. */
interface Group {
	ids: readonly number[];
	/** How many answers have left them out; 0 if they have not been asked for yet. */
	leftOut: number;
}

/** What came instead of the records of a group. */
type Instead = 'refusal' | 'nothing' | 'others' | 'too few';

/** A part of the file while its answers come in. */
interface PartInTheMaking {
	/** Its sessions, in the order of the file. */
	ids: readonly number[];
	/** Of the file. */
	completeness: Completeness;
	/** Its first answer, and the latest with records. */
	first: CsvPart;
	latest: CsvPart;
	/** By session: its records, or all records of the sessions asked for together with this one. */
	records: Map<number, string[]>;
	/** As in `Completeness`. */
	foreign: number;
	unchecked: number;
}

/**
 * Exports sessions in parts. One queue of groups of sessions: the group in front is asked for, its records are kept, and
 * what the answer lacks, or the platform refuses, goes back into the queue: all together if a column shows whose records
 * came; if not, in halves. A session that several answers leave out counts as left out by the platform.
 *
 * Each part is held until all of it has arrived and been checked, so that nothing of a broken one gets into the file. The
 * next part is requested once this one is stored, so memory holds one part of at most `idsPerRequest` sessions, however
 * many are exported.
 */
export class SessionExport {
	/** Sessions per request now, and the most that the platform has not refused in so many words. */
	private size: number;
	private largest: number;
	/** The largest number of sessions in a request whose answer had records of them. */
	private answered = 0;
	/** Halvings since the last answer, for want of one. */
	private halvings = 0;
	/** Whether the platform has sent a file. */
	private hasAnswered = false;
	/** The refusals of sessions alone since the last file. */
	private refusedAlone: PlatformError[] = [];
	/** Whether records are in a file of which no column shows the session, and what they were, to notice a repeated answer. */
	private hasUnchecked = false;
	private readonly accepted = new Set<string>();

	/** @param idsPerRequest sessions per request, at least 1; halved when a request or its answer is too large */
	constructor(
		private readonly asking: Asking,
		idsPerRequest: number,
		private readonly turns: Turns,
	) {
		this.size = idsPerRequest;
		this.largest = idsPerRequest;
	}

	/**
	 * The parts of one file, in the order of the ids. There may be no part for ids that are all unknown.
	 *
	 * @param completeness of this file; changed in place
	 * @throws PlatformError when a part cannot be read: the parts before it must not become a file
	 */
	async *parts(ids: readonly number[], completeness: Completeness): AsyncGenerator<CsvPart, void> {
		for (let start = 0; start < ids.length; ) {
			const group = ids.slice(start, start + this.size);
			const asked = completeness.withoutMissing(group);
			const answer = asked.length > 0 ? await this.asking.ask(asked) : undefined;
			if (answer && 'refusal' in answer && (await this.mustAskAgain(asked, answer, completeness))) continue;
			start += group.length;
			if (answer && 'part' in answer) yield await this.complete(asked, answer.part, completeness);
		}
	}

	/** @throws PlatformError if the platform refused all that was asked for */
	check(): void {
		const [refusal] = this.refusedAlone;
		if (refusal && !this.hasAnswered) throw refusal;
	}

	/**
	 * Decides how to go on after sessions were refused that had not been asked for yet: with those that the platform has,
	 * with fewer at once, or, for a single one, without it.
	 *
	 * @throws PlatformError where asking in another way cannot help
	 */
	private async mustAskAgain(
		ids: readonly number[],
		{ refusal, cause }: Extract<Answer, { refusal: unknown }>,
		completeness: Completeness,
	): Promise<boolean> {
		if (cause === 'ids' && (await this.missUnknown(ids, completeness)) > 0) return true;
		if (ids.length > 1 && (cause !== 'silence' || this.halvings++ < MAX_SILENT_HALVINGS)) {
			this.size = Math.floor(ids.length / 2);
			if (cause === 'size') this.largest = this.size;
			return true;
		}
		if (cause !== 'ids' || this.refusedAlone.length === MAX_REFUSED_IN_A_ROW) throw refusal;
		this.refusedAlone.push(refusal);
		completeness.miss(ids, 'leftOut');
		return false;
	}

	/** Asks for what the first answer lacks, until each session of the part has records or a reason to be missing. */
	private async complete(ids: readonly number[], first: CsvPart, completeness: Completeness): Promise<CsvPart> {
		this.noteAnswer();
		const records = new Map<number, string[]>();
		const part: PartInTheMaking = { ids, completeness, first, latest: first, records, foreign: 0, unchecked: 0 };
		const queue = await this.takeFirst(part);
		let requestsLeft = MAX_MORE_REQUESTS;
		for (let group = queue.shift(); group; group = queue.shift()) {
			const asked = completeness.withoutMissing(group.ids);
			if (asked.length === 0) continue;
			if (requestsLeft-- > 0) queue.unshift(...(await this.askAgain({ ...group, ids: asked }, part)));
			else completeness.miss(asked, 'notConfirmed');
		}
		completeness.foreign += part.foreign;
		completeness.unchecked += part.unchecked;
		if (part.unchecked > 0) this.hasUnchecked = true;
		return { ...part.latest, hasBom: first.hasBom, records: recordsOf(part) };
	}

	private noteAnswer(): void {
		this.hasAnswered = true;
		this.halvings = 0;
		// A session was refused alone, so it was not their number.
		if (this.refusedAlone.length > 0) this.size = this.largest;
		this.refusedAlone = [];
	}

	/** Takes in the first answer: again, if it lacks sessions that the platform does not have. */
	private async takeFirst(part: PartInTheMaking): Promise<Group[]> {
		const { ids, first, completeness } = part;
		const lacking = await this.take({ ids, leftOut: 0 }, first, part);
		if (lacking.length === 0) return lacking;
		const lackingIds = lacking.flatMap((group) => group.ids);
		await this.missUnknown(lackingIds, completeness);
		part.records.clear();
		part.foreign = 0;
		return await this.take({ ids: completeness.withoutMissing(ids), leftOut: 0 }, first, part);
	}

	/** Asks for sessions that an answer has left out. Returns what to ask for next. */
	private async askAgain(group: Group, part: PartInTheMaking): Promise<Group[]> {
		const answer = await this.asking.ask(group.ids);
		if ('part' in answer) return await this.take(group, answer.part, part);
		const isAlone = group.ids.length === 1;
		if (isAlone && answer.cause !== 'ids') throw answer.refusal;
		return this.further(group, isAlone ? 'nothing' : 'refusal', part);
	}

	/** Keeps the records that came for these sessions. Returns what to ask for next. */
	private async take(group: Group, answer: CsvPart, part: PartInTheMaking): Promise<Group[]> {
		if (answer.records.length === 0) return this.further(group, 'nothing', part);
		const { ids, leftOut } = group;
		if (part.first.records.length === 0) part.latest = answer;
		const found = await identifyAnswer(answer, ids, this.turns, this.asking.column);
		if (!found) {
			if (await this.keepTogether(answer, group, part)) return [];
			this.answered = Math.max(this.answered, ids.length);
			return this.further(group, 'too few', part);
		}
		await this.keep(found, leftOut > 0, part);
		if (found.bySession.size === 0) return this.further(group, 'others', part);
		this.answered = Math.max(this.answered, ids.length);
		const others = ids.filter((id) => !part.records.has(id));
		return others.length > 0 ? [{ ids: others, leftOut: 1 }] : [];
	}

	/** How to ask again for sessions of which no record could be taken. Those left out again and again are given up. */
	private further({ ids, leftOut }: Group, came: Instead, { completeness }: PartInTheMaking): Group[] {
		// An answer without records may also mean that too many sessions were asked for.
		const isLeftOut = ids.length === 1 || came === 'others' || (came === 'nothing' && ids.length <= this.answered);
		// Records of others alone may be an answer to somebody else's request.
		if (isLeftOut && came !== 'refusal' && leftOut > (came === 'others' ? 1 : 0)) {
			completeness.miss(ids, 'leftOut');
			return [];
		}
		return chunk(ids, Math.ceil(ids.length / 2)).map((half) => ({ ids: half, leftOut: leftOut + 1 }));
	}

	private async keep(found: IdentifiedRecords, again: boolean, part: PartInTheMaking): Promise<void> {
		this.asking.column = found.column;
		part.foreign += found.foreign;
		for (const [id, records] of found.bySession) {
			part.records.set(id, again ? await this.copies(records) : records);
		}
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

	/**
	 * Keeps records of which nothing shows whose they are, if there are as many as sessions. Returns whether that was all
	 * there is of these sessions.
	 */
	private async keepTogether(answer: CsvPart, { ids, leftOut }: Group, part: PartInTheMaking): Promise<boolean> {
		const { completeness } = part;
		// An answer about sessions that are gone may be a line with totals alone. The list is asked only as long as another
		// answer may still show whose records come.
		if (!this.hasUnchecked && part.unchecked === 0) await this.missUnknown(ids, completeness);
		const present = completeness.withoutMissing(ids);
		const [session] = present;
		if (session === undefined) {
			part.foreign += answer.records.length;
			return true;
		}
		if (!(await this.isEnough(answer, present))) return false;
		const records = certainRecords(answer);
		part.foreign += answer.records.length - records.length;
		part.unchecked += records.length;
		part.records.set(session, leftOut > 0 ? await this.copies(records) : records);
		return true;
	}

	/** Whether there are as many different records as sessions. Where nothing shows whose they are, that must do. */
	private async isEnough(answer: CsvPart, ids: readonly number[]): Promise<boolean> {
		const different = await countDifferent(answer, this.turns);
		if (different < ids.length) return false;
		if (different === 1) return true;
		const hash = createHash('sha256');
		for (const record of answer.records) {
			hash.update(withoutLineEnd(record)).update('\n');
			if (this.turns.due) await this.turns.give();
		}
		const digest = hash.digest('hex');
		if (this.accepted.has(digest)) throw repeated();
		this.accepted.add(digest);
		return true;
	}

	/** Remembers which of these sessions are not in the platform's list. Returns how many. */
	private async missUnknown(ids: readonly number[], completeness: Completeness): Promise<number> {
		const unknown = await this.asking.unknownAmong(ids);
		completeness.miss(unknown, 'notFound');
		return unknown.length;
	}
}

/** The records of a part in order, each with a line end, but for the last one if the platform ends its files without. */
function recordsOf({ ids, latest, records }: PartInTheMaking): string[] {
	const { lineEnd, records: sent, endsEarly } = latest;
	const endsOpen = !endsEarly && !endsInLineEnd(sent.at(-1) ?? '');
	const ordered = ids.flatMap((id) => records.get(id) ?? []);
	return ordered.map((record, index) => {
		if (endsOpen && index === ordered.length - 1) return withoutLineEnd(record);
		return endsInLineEnd(record) ? record : record + lineEnd;
	});
}

function repeated(): CsvFault {
	return new CsvFault(
		'repeated',
		'The platform sent the same records for different sessions',
		'Something on the way may keep answers and repeat them, such as a proxy that caches requests by their address. No file was made, since nothing in the records shows which sessions they belong to. Ask your network admin or the platform’s support to switch this off for the CSV export.',
	);
}
