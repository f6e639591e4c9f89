import { createHash } from 'crypto';

import chunk from 'lodash/chunk';

import { withoutLineEnd } from '../shared/csv/identify';
import { CsvFault, type CsvPart } from '../shared/csv/part';
import type { PlatformError, Turns } from '../shared/platform';
import { endsInLineEnd } from './answer';
import type { Asking, Refused } from './asking';
import type { Completeness } from './completeness';

/** Requests allowed for one part after its first answer. */
const MAX_MORE_REQUESTS = 64;
/** How often in a row sessions are asked for in halves because no answer arrived. */
const MAX_SILENT_HALVINGS = 3;
/** How many sessions in a row the platform may refuse alone. That it refuses more means something else. */
const MAX_REFUSED_IN_A_ROW = 3;

/** Sessions to ask for at once. */
interface Group {
	ids: readonly number[];
	/** How many answers have left them out; 0 if none has come yet, so that they begin a part. */
	leftOut: number;
}

/** A part of the file while its answers come in. */
interface PartInTheMaking {
	completeness: Completeness;
	/** Its sessions, in the order of the file. */
	ids: readonly number[];
	/** By session: its records, or all records of the sessions asked for together with this one. */
	records: Map<number, string[]>;
	/** The first answer with records, or without, if none has any: how the part is written. */
	model?: CsvPart;
	requestsLeft: number;
}

/**
 * Exports sessions through one queue of groups: the group in front is asked for, its records are kept, and what the
 * answer lacks, or the platform refuses, goes back to the front. A session that several answers leave out counts as left
 * out by the platform. Where no column shows whose records came, all of them are kept, and nothing is asked for again.
 *
 * An answer to sessions that were not asked for before begins a part. It is held until all of it has arrived and been
 * checked, so that nothing of a broken one gets into the file. The next part is requested once this one is stored, so
 * memory holds one part of at most `idsPerRequest` sessions, however many are exported.
 */
export class SessionExport {
	/** Sessions per request now, and the most that the platform has not refused in so many words. */
	private size: number;
	private largest: number;
	/** The largest number of sessions in a request whose answer had records of them. */
	private answered = 0;
	/** Halvings since the last answer, for want of one. */
	private halvings = 0;
	/** The first file of the platform, without its records. */
	empty: CsvPart | undefined;
	/** The refusals of sessions alone since the last file. */
	private refusedAlone: PlatformError[] = [];
	/** What records were of which no column shows the session, to notice a repeated answer. */
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
	 * The parts of one file that have records, in the order of the ids.
	 *
	 * @param completeness of this file; changed in place
	 * @throws PlatformError when a part cannot be read: the parts before it must not become a file
	 */
	async *parts(ids: readonly number[], completeness: Completeness): AsyncGenerator<CsvPart, void> {
		const queue: Group[] = [{ ids, leftOut: 0 }];
		let part = emptyPart(completeness);
		for (let group = this.next(queue); group; group = this.next(queue)) {
			if (group.leftOut === 0) {
				yield* finished(part);
				part = emptyPart(completeness);
			}
			queue.unshift(...(await this.ask(group, part)));
		}
		yield* finished(part);
	}

	/** @throws PlatformError if the platform refused all that was asked for */
	check(): void {
		const [refusal] = this.refusedAlone;
		if (refusal && !this.empty) throw refusal;
	}

	/** Takes the group in front out of the queue, or as many of its sessions as may be asked for at once. */
	private next(queue: Group[]): Group | undefined {
		const [front] = queue;
		if (!front || front.ids.length <= this.size) return queue.shift();
		queue[0] = { ...front, ids: front.ids.slice(this.size) };
		return { ...front, ids: front.ids.slice(0, this.size) };
	}

	/** Asks for a group. Returns what to ask for next. */
	private async ask({ ids, leftOut }: Group, part: PartInTheMaking): Promise<Group[]> {
		const { completeness } = part;
		const group = { ids: completeness.withoutMissing(ids), leftOut };
		if (group.ids.length === 0) return [];
		if (leftOut > 0 && part.requestsLeft-- <= 0) {
			completeness.miss(group.ids, 'notConfirmed');
			return [];
		}
		const answer = await this.asking.ask(group.ids);
		if ('refusal' in answer) return await this.afterRefusal(group, answer, completeness);
		this.noteAnswer(answer.part);
		if (leftOut === 0) part.ids = group.ids;
		if (!part.model?.records.length) part.model = answer.part;
		return await this.take(group, answer.part, part);
	}

	/**
	 * How to go on after a refusal: with the sessions that the platform has, in halves, or, for a single one, without it.
	 *
	 * @throws PlatformError where asking in another way cannot help
	 */
	private async afterRefusal(group: Group, { refusal, cause }: Refused, completeness: Completeness): Promise<Group[]> {
		const { ids, leftOut } = group;
		const isNew = leftOut === 0;
		if (cause === 'ids' && (await this.missUnknown(ids, completeness)) > 0) return [group];
		if (ids.length > 1 && (cause !== 'silence' || this.halvings++ < MAX_SILENT_HALVINGS)) {
			const halves = inHalves(ids, leftOut);
			// A group that is asked for again may be refused for other reasons than its number.
			if (isNew) this.size = halves[0]?.ids.length ?? 1;
			if (cause === 'size') this.largest = this.size;
			return halves;
		}
		if (cause !== 'ids' || (isNew && this.refusedAlone.length === MAX_REFUSED_IN_A_ROW)) throw refusal;
		if (isNew) this.refusedAlone.push(refusal);
		completeness.miss(ids, 'leftOut');
		return [];
	}

	private noteAnswer(part: CsvPart): void {
		this.empty ??= { ...part, records: [] };
		this.halvings = 0;
		// A session was refused alone, so it was not their number.
		if (this.refusedAlone.length > 0) this.size = this.largest;
		this.refusedAlone = [];
	}

	/** Keeps the records that came for a group. Returns what to ask for next. */
	private async take(group: Group, answer: CsvPart, part: PartInTheMaking): Promise<Group[]> {
		const { completeness } = part;
		const { ids, leftOut } = group;
		const { column, records, lacking, foreign } = await this.asking.arrived(answer, ids);
		const unchecked = column === undefined ? [...records.values()].flat() : [];
		if ((await this.missUnknown(lacking, completeness)) > 0) {
			return await this.take({ ids: completeness.withoutMissing(ids), leftOut }, answer, part);
		}
		if (unchecked.length > 1) await this.refuseRepeated(unchecked);
		completeness.foreign += foreign;
		completeness.unchecked += unchecked.length;
		for (const [id, own] of records) part.records.set(id, leftOut > 0 ? await this.copies(own) : own);
		if (records.size === 0) return this.further(group, answer.records.length > 0, completeness);
		this.answered = Math.max(this.answered, ids.length);
		if (column === undefined) completeness.miss(lacking, 'notConfirmed');
		else if (lacking.length > 0) return [{ ids: lacking, leftOut: 1 }];
		return [];
	}

	/** How to ask again for sessions of which no record came. Those left out again and again are given up. */
	private further({ ids, leftOut }: Group, othersCame: boolean, completeness: Completeness): Group[] {
		// An answer without records may also mean that too many sessions were asked for.
		const isLeftOut = ids.length === 1 || othersCame || ids.length <= this.answered;
		// Records of others alone may be an answer to somebody else's request.
		if (!isLeftOut || leftOut <= (othersCame ? 1 : 0)) return inHalves(ids, leftOut + 1);
		completeness.miss(ids, 'leftOut');
		return [];
	}

	/** Copies: a piece of a text keeps the whole text in memory. */
	private async copies(records: readonly string[]): Promise<string[]> {
		return await this.turns.map(records, (record) => Buffer.from(record, 'latin1').toString('latin1'));
	}

	/** Where nothing shows whose records came, they must at least be others than those of the answers before. */
	private async refuseRepeated(records: readonly string[]): Promise<void> {
		const hash = createHash('sha256');
		await this.turns.map(records, (record) => hash.update(withoutLineEnd(record)).update('\n'));
		const digest = hash.digest('hex');
		if (this.accepted.has(digest)) throw repeated();
		this.accepted.add(digest);
	}

	/** Remembers which of these sessions are not in the platform's list. Returns how many. */
	private async missUnknown(ids: readonly number[], completeness: Completeness): Promise<number> {
		const unknown = await this.asking.unknownAmong(ids);
		completeness.miss(unknown, 'notFound');
		return unknown.length;
	}
}

function emptyPart(completeness: Completeness): PartInTheMaking {
	return { completeness, ids: [], records: new Map(), requestsLeft: MAX_MORE_REQUESTS };
}

function inHalves(ids: readonly number[], leftOut: number): Group[] {
	return chunk(ids, Math.ceil(ids.length / 2)).map((half) => ({ ids: half, leftOut }));
}

/** The part with its records in order, each with a line end, but for the last one if the platform ends its files without. */
function* finished({ ids, records, model }: PartInTheMaking): Generator<CsvPart, void> {
	if (!model || records.size === 0) return;
	const { lineEnd, records: sent, endsEarly } = model;
	const endsOpen = !endsEarly && !endsInLineEnd(sent.at(-1) ?? '');
	const ordered = ids.flatMap((id) => records.get(id) ?? []);
	const written = ordered.map((record, index) => {
		if (endsOpen && index === ordered.length - 1) return withoutLineEnd(record);
		return endsInLineEnd(record) ? record : withoutLineEnd(record) + lineEnd;
	});
	yield { ...model, records: written };
}

function repeated(): CsvFault {
	return new CsvFault(
		'repeated',
		'The platform sent the same records for different sessions',
		'Something on the way may keep answers and repeat them, such as a proxy that caches requests by their address. No file was made, since nothing in the records shows which sessions they belong to. Ask your network admin or the platform’s support to switch this off for the CSV export.',
	);
}
