/** How many of the highest Ids are remembered, so that a row that turns up late among them is found. */
export const REMEMBERED_IDS = 50;
/** After this many rows that raised nothing the state is saved nevertheless: a restart would have to read them again. */
const MOST_UNSAVED = 1000;

/** What is saved of it, as parts of a trigger's state. */
export interface NewIdsState {
	kept: {
		/** The highest Id known when the trigger began to look for new rows, or when it last saved without an event. */
		newSince?: number;
	};
	notes: {
		/** The highest Ids known, rising. */
		recent: number[];
		/** Rows found since the state was last saved. */
		unsaved: number;
	};
}

/**
 * Tells the new rows of a list from old ones: new rows have higher Ids. A row may become visible after one with a higher
 * Id, so the highest Ids are remembered one by one, and whatever else turns up among them is new as well.
 */
export class NewIds {
	/** Changes both in place. */
	constructor(
		private readonly kept: NewIdsState['kept'],
		private readonly notes: NewIdsState['notes'],
	) {}

	/** Whether the highest Ids are known, so that new rows can be told from old ones. */
	get isKnown(): boolean {
		return this.kept.newSince !== undefined;
	}

	/** The Id behind which new rows are looked for. */
	get after(): number {
		const { recent } = this.notes;
		return recent.length < REMEMBERED_IDS ? Number.NEGATIVE_INFINITY : (recent[0] ?? 0) - 1;
	}

	/** The highest Ids there are: rows up to here are not new. */
	startAt(ids: readonly number[]): void {
		this.notes.recent = highest(ids);
		this.kept.newSince = this.notes.recent.at(-1) ?? 0;
	}

	/** Which of the Ids behind `after` are new, each once. */
	among(ids: readonly number[]): number[] {
		const { after } = this;
		const known = new Set(this.notes.recent);
		return [...new Set(ids)].filter((id) => id > after && !known.has(id));
	}

	/** Takes in the Ids behind `after`. Returns those that are new. */
	discover(ids: readonly number[]): number[] {
		const fresh = this.among(ids);
		this.remember(fresh);
		this.notes.unsaved += fresh.length;
		return fresh;
	}

	/** These Ids are not new. */
	remember(ids: readonly number[]): void {
		const { after } = this;
		const found = ids.filter((id) => id > after);
		if (found.length > 0) this.notes.recent = highest([...new Set([...this.notes.recent, ...found])]);
	}

	/** Before the state is saved. @param hasEvents whether it is saved for other reasons */
	settle(hasEvents: boolean): void {
		const { kept, notes } = this;
		const isMuch = notes.unsaved >= MOST_UNSAVED;
		if (isMuch) kept.newSince = notes.recent.at(-1);
		if (isMuch || hasEvents) notes.unsaved = 0;
	}
}

function highest(ids: readonly number[]): number[] {
	return [...ids].sort((a, b) => a - b).slice(-REMEMBERED_IDS);
}
