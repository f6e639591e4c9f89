import countBy from 'lodash/countBy';
import mapValues from 'lodash/mapValues';
import type { IDataObject } from 'n8n-workflow';

import type { SessionId } from '../shared/csv/sessions';
import { listNotesJson } from '../shared/operation/notes';

/** Why a session counts as missing, as its item and its notes say it. */
const REASONS = {
	/** Not in the platform's list. */
	notFound: 'the platform does not have them (any more). Their IDs are in missingIds.',
	/** In the list, but never in the CSV, or only in answers that are cut off. */
	leftOut:
		'the platform leaves them out of its CSV, or cuts them off, although they are in its list. Their IDs are in missingIds.',
	/** Some of a group of sessions, or of their records, are missing, and nothing shows which. What came for them is in the file. */
	notConfirmed:
		'the platform leaves some of them out of its CSV, or cuts them off, and nothing in it shows which. All records that came are in the file. The IDs of the sessions that may be missing, or lack records, are in missingIds; fewer IDs per Request make them fewer.',
};

type MissingReason = keyof typeof REASONS;

/** What the export finds out about the sessions of one file. */
export class ExportFindings {
	/** Sessions that are not in the file, or of which that is not known (`notConfirmed`), and why. */
	readonly missing = new Map<SessionId, MissingReason>();
	/** Records of sessions that were not asked for, or of none. They are kept out of the file. */
	foreign = 0;
	/** Those of sessions that were not asked for. They may mean that the column with the Ids is another one. */
	ofOthers = 0;
	/** Records in the file of which no column shows the session. */
	unchecked = 0;
	/** Records in the file. */
	rowCount = 0;
	/** Requests sent for it; those that list the sessions count for the first file. */
	requests = 0;

	/** @param ids its sessions, in the order of the file */
	constructor(readonly ids: readonly SessionId[]) {}

	miss(ids: readonly SessionId[], reason: MissingReason): void {
		for (const id of ids) this.missing.set(id, reason);
	}

	private idsMissing(reason?: string): SessionId[] {
		const { ids, missing } = this;
		return ids.filter((id) => missing.has(id) && (reason === undefined || missing.get(id) === reason));
	}

	/** Whether the platform has none of its sessions (any more). */
	get hasNone(): boolean {
		return this.idsMissing('notFound').length === this.ids.length;
	}

	/** Those of several files together. */
	static of(files: readonly ExportFindings[]): ExportFindings {
		const all = new ExportFindings(files.flatMap(({ ids }) => ids));
		for (const { missing, foreign, ofOthers, unchecked, rowCount, requests } of files) {
			for (const [id, reason] of missing) all.missing.set(id, reason);
			all.foreign += foreign;
			all.ofOthers += ofOthers;
			all.unchecked += unchecked;
			all.rowCount += rowCount;
			all.requests += requests;
		}
		return all;
	}

	/**
	 * How many of the sessions are in their file, which are not, and why.
	 *
	 * @param listNotes what was odd about the list that the sessions are from
	 */
	toJson(listNotes: readonly string[]): IDataObject {
		const { ids, missing, foreign, ofOthers, unchecked, requests, rowCount } = this;
		const inFile = ids.filter((id) => !missing.has(id));
		return {
			complete: missing.size === 0 && unchecked === 0 && ofOthers === 0 && listNotes.length === 0,
			sessionCount: inFile.length,
			requestedCount: ids.length,
			lowestId: firstOf(inFile, isLess),
			highestId: firstOf(inFile, (id, other) => isLess(other, id)),
			missingCount: missing.size,
			missingIds: this.idsMissing(),
			missingReasons: mapValues(REASONS, (_, reason) => this.idsMissing(reason)),
			foreignCount: foreign,
			identityChecked: unchecked === 0,
			requests,
			rowCount,
			...listNotesJson(listNotes),
		};
	}
}

const isLess = (id: SessionId, other: SessionId) =>
	typeof id === 'number' && typeof other === 'number' ? id < other : BigInt(id) < BigInt(other);

function firstOf(ids: readonly SessionId[], isBefore: (id: SessionId, other: SessionId) => boolean): SessionId | null {
	return ids.reduce<SessionId | null>((first, id) => (first === null || isBefore(id, first) ? id : first), null);
}

/** What the user should know, one sentence each. */
export function exportNotes({ ids, missing, foreign, unchecked, rowCount }: ExportFindings): string[] {
	const counts = countBy([...missing.values()]);
	const notes = Object.entries(REASONS).flatMap(([reason, why]) => {
		const count = counts[reason];
		if (count === undefined) return [];
		const how = reason === 'notConfirmed' ? `Of ${count} sessions, some` : `${count} of ${ids.length} sessions`;
		return [`${how} are not in the file, because ${why}`];
	});
	if (foreign > 0) {
		notes.push(
			`The platform sent ${foreign} records that belong to none of the sessions asked for, such as those of other sessions or a line with totals. They are not in the file. If their session IDs are in another column than Id or Session ID, enter it in the option Session ID Column.`,
		);
	}
	if (unchecked > 0) {
		notes.push(
			'No column of the CSV shows which session a record belongs to. So the records could only be counted: whether they are those of the sessions asked for, and in their order, could not be checked. If one holds the session IDs under another name, enter it in the option Session ID Column.',
		);
	}
	const { notFound = 0, leftOut = 0 } = counts;
	const surplus = rowCount - (ids.length - notFound - leftOut);
	if (surplus > 0) notes.push(`The platform sent ${surplus} more records than sessions. All of them are in the file.`);
	return notes;
}
