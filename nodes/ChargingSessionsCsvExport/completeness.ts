/** Why a session is not in the file, as its item and its notes say it. */
export const MISSING_REASONS = {
	/** Not in the platform's list. */
	notFound: 'the platform does not have them (any more). Their IDs are in missingIds.',
	/** In the list, but never in the CSV. */
	leftOut: 'the platform leaves them out of its CSV, although they are in its list. Their IDs are in missingIds.',
	/** Some of a group of sessions are missing, and nothing shows which. What came for them is in the file. */
	notConfirmed:
		'the platform leaves some of them out of its CSV, and nothing in it shows which. All records that came are in the file. The IDs that may be missing are in missingIds; fewer IDs per Request make them fewer.',
};

export type MissingReason = keyof typeof MISSING_REASONS;

/** What the export finds out about the sessions of one file. */
export class Completeness {
	/** Sessions that are not in the file, and why. */
	readonly missing = new Map<number, MissingReason>();
	/** Records of sessions that were not asked for, or of none. They are kept out of the file. */
	foreign = 0;
	/** Records in the file of which no column shows the session. */
	unchecked = 0;
	/** What was sent for it. */
	requests = 0;

	withoutMissing(ids: readonly number[]): number[] {
		return ids.filter((id) => !this.missing.has(id));
	}

	miss(ids: readonly number[], reason: MissingReason): void {
		for (const id of ids) this.missing.set(id, reason);
	}
}
