import type { Row } from '../shared/platform';
import { lookUpWaiting } from '../shared/trigger/reading/lookUp';
import { type NumberedList, readNewest, rememberedAbove } from '../shared/trigger/reading/newRows';
import { keyed } from '../shared/trigger/reading/part';
import type { Poll } from '../shared/trigger/poll';
import type { TriggerState } from '../shared/trigger/watch/saved';
import type { Found, FoundLook } from '../shared/trigger/watch/steps';
import type { RowKey } from '../shared/trigger/keys';
import { NOTHING_KNOWN, type Seen } from '../shared/trigger/watch/watch';
import type { RowSettings } from './settings';

type RowPoll = Poll<RowSettings>;

export interface RowsFound extends Found {
	rows: ReadonlyMap<RowKey, Row>;
	/** How many of them were known before. */
	known: number;
}

export function numbered({ settings: { list } }: RowPoll): NumberedList {
	return {
		list,
		instead: 'For this list use a Schedule Trigger and Charging Network List, with a filter on a date of its rows.',
	};
}

/** Reads the rows with an Id above the known ones, and which of them match the filter. */
export async function readNewRows(poll: RowPoll, { watches }: TriggerState): Promise<RowsFound> {
	const { list, filter } = poll.settings;
	const before = watches.rows ?? NOTHING_KNOWN;
	const { rows: newest, fresh } = await poll.require(readNewest(poll, numbered(poll), before));
	const seen = new Map<RowKey, Seen>();
	if (!before.isBegun) for (const [key] of keyed(newest)) seen.set(key, false);
	const { asked, rows } = filter
		? await lookUpWaiting(poll, { list, filter }, [...fresh.keys()], poll.pace('last'))
		: { asked: fresh, rows: fresh };
	for (const key of asked.keys()) seen.set(key, rows.has(key));
	// What could not be asked is found again by the next poll.
	const unasked = [...fresh.keys()].filter((key) => !asked.has(key));
	const most = rememberedAbove([...Object.keys(before.entries), ...seen.keys()], unasked);
	const look: FoundLook = { seen, covers: () => false, isWhole: true, absent: new Map(), most };
	return { looks: { rows: look }, readings: {}, rows, known: 0 };
}
