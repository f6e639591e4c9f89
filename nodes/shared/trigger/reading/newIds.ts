/** How many of the highest Ids are remembered, so that a row that turns up late among them is found. */
export const REMEMBERED_IDS = 50;
/** New rows without an event after which the state is saved anyway: a restart would have to read them again. */
const MOST_UNSAVED = 1000;

/** The saved data of `NewIds`, as parts of a trigger's state. */
export interface NewIdsState {
	kept: {
		/** The highest Id known at the start, or when `MOST_UNSAVED` last made the trigger save. */
		newSince?: number;
	};
	notes: {
		/** The highest Ids known, ascending. */
		recent: number[];
		/** Rows found since the state was last saved. */
		unsaved: number;
	};
}

/**
 * Tells new rows of a list from old ones by their higher Ids. A row may appear after one with a higher Id, so the
 * highest Ids are remembered one by one: any other Id that turns up among them is new, too.
 */
export class NewIds {
	/** Both are changed. */
	constructor(
		private readonly kept: NewIdsState['kept'],
		private readonly notes: NewIdsState['notes'],
	) {}

	/** Whether the highest Ids are known, so that new rows can be told from old ones. */
	get isKnown(): boolean {
		return this.kept.newSince !== undefined;
	}

	/** Only Ids above this can be new: once as many are remembered as can be, those from the lowest of them on. */
	get after(): number {
		const { recent } = this.notes;
		return recent.length >= REMEMBERED_IDS ? (recent[0] ?? 0) - 1 : Number.NEGATIVE_INFINITY;
	}

	/** Starts from the highest Ids of the list: rows up to here are not new. */
	startAt(ids: readonly number[]): void {
		this.notes.recent = highest(ids);
		this.kept.newSince = this.notes.recent.at(-1) ?? 0;
	}

	/** The Ids above `after` that are new, each once. */
	among(ids: readonly number[]): number[] {
		const { after } = this;
		const known = new Set(this.notes.recent);
		return [...new Set(ids)].filter((id) => id > after && !known.has(id));
	}

	/** Remembers the Ids above `after`. Returns those that are new. */
	discover(ids: readonly number[]): number[] {
		const fresh = this.among(ids);
		this.remember(fresh);
		this.notes.unsaved += fresh.length;
		return fresh;
	}

	remember(ids: readonly number[]): void {
		const { after } = this;
		const found = ids.filter((id) => id > after);
		if (found.length > 0) this.notes.recent = highest([...new Set([...this.notes.recent, ...found])]);
	}

	/** To be called before the state is saved. @param hasEvents whether events make the poll save anyway */
	beforeSave(hasEvents: boolean): void {
		const { kept, notes } = this;
		const isMuch = notes.unsaved >= MOST_UNSAVED;
		if (isMuch) kept.newSince = notes.recent.at(-1);
		if (isMuch || hasEvents) notes.unsaved = 0;
	}
}

function highest(ids: readonly number[]): number[] {
	return [...ids].sort((a, b) => a - b).slice(-REMEMBERED_IDS);
}
