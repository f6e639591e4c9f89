/**
 * Why a session is not in the file: it is not in the platform's list; it is in the list, but never in the CSV; or too
 * few records came for a group of sessions, and it could not be determined which of them are missing.
 */
export type MissingReason = 'notFound' | 'leftOut' | 'notConfirmed';

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
