/** Parts of up to this many sessions are always resolved: they can be halved to single ones. */
export const ALWAYS_RESOLVED = 32;

/** Why a session is not in the file, as its item and its notes say it. */
export const MISSING_REASONS = {
	/** Not in the platform's list. */
	notFound: 'the platform does not have them (any more). Their IDs are in missingIds.',
	/** In the list, but never in the CSV. */
	leftOut: 'the platform leaves them out of its CSV, although they are in its list. Their IDs are in missingIds.',
	/** Too few records came for a group of sessions, and it could not be determined which of them are missing. */
	notConfirmed: `the platform leaves some of them out of its CSV, and it could not be found out which. Their IDs are in missingIds. Set the option IDs per Request to ${ALWAYS_RESOLVED} to get all that there are.`,
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
