import type { Row } from '../shared/platform';
import { lookUpSome } from '../shared/trigger/reading/lists';
import { REMEMBERED_IDS } from '../shared/trigger/reading/newIds';
import { newestIds, type NumberedList, rowsAbove } from '../shared/trigger/reading/newRows';
import { keyed } from '../shared/trigger/reading/part';
import type { Poll } from '../shared/trigger/poll';
import type { TriggerState } from '../shared/trigger/saved';
import type { Found } from '../shared/trigger/steps';
import type { RowKey } from '../shared/trigger/types';
import { NOTHING_KNOWN, type Seen } from '../shared/trigger/watch';
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
	const { isBegun, entries } = watches.rows ?? NOTHING_KNOWN;
	if (!isBegun) {
		const ids = await poll.require(newestIds(poll, numbered(poll)));
		return foundOf(new Map(ids.map((id) => [String(id), false])), new Map());
	}
	const ids = Object.keys(entries).map(Number);
	const after = ids.length >= REMEMBERED_IDS ? Math.min(...ids) - 1 : Number.NEGATIVE_INFINITY;
	const above = await poll.require(rowsAbove(poll, numbered(poll), after));
	const fresh = new Map([...keyed(above)].filter(([key]) => !(key in entries)));
	if (!filter) return foundOf(new Map([...fresh.keys()].map((key) => [key, true])), fresh);
	// What could not be asked is found again by the next poll.
	const { asked, rows } = await lookUpSome(poll, { list, filter }, [...fresh.keys()], poll.pace('last'));
	return foundOf(new Map([...asked].map((key) => [key, rows.has(key)])), rows);
}

function foundOf(seen: ReadonlyMap<string, Seen>, rows: ReadonlyMap<RowKey, Row>): RowsFound {
	const look = { seen, covers: () => false, isWhole: true, absent: new Map<string, 'gone'>() };
	return { looks: { rows: look }, readings: {}, rows, known: 0 };
}
