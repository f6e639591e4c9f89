import isNil from 'lodash/isNil';

import type { Row } from '../shared/platform';
import { sorted } from '../shared/trigger/hash';
import { checkField } from '../shared/trigger/reading/fields';
import { lookUpWaiting } from '../shared/trigger/reading/lookUp';
import { keyed, note, readPart } from '../shared/trigger/reading/part';
import type { Poll } from '../shared/trigger/poll';
import type { TriggerState } from '../shared/trigger/watch/saved';
import type { RowKey } from '../shared/trigger/keys';
import { type Absence, missing, NOTHING_KNOWN, type Seen, UNKNOWN } from '../shared/trigger/watch/watch';
import { bounded } from '../shared/trigger/status';
import type { RowsFound } from './newRows';
import type { RowSettings } from './settings';

/** The most values that are remembered: rows times fields. */
export const MOST_VALUES = 20_000;

/** The watched fields of a row, by their names. */
export type Values = Record<string, string | number | boolean | null>;

/** Reads the rows that match, and looks up known ones that do not where it matters whether they are gone. */
export async function readWatchedRows(
	poll: Poll<RowSettings>,
	{ watches, readings }: TriggerState,
): Promise<RowsFound> {
	const { settings } = poll;
	const { list, filter, watched } = settings;
	const before = watches.rows ?? NOTHING_KNOWN;
	const part = await poll.require(readPart(poll, readings.rows, { list, filter }, MOST_VALUES));
	const isFirst = Object.keys(before.entries).length === 0;
	if (isFirst) for (const field of watched) checkField(poll, part.rows, { field, label: 'Watched Field' });

	const rows = new Map(keyed(part.rows));
	const seen = new Map<string, Seen>();
	let fields = 1;
	for (const [key, row] of keyed(part.rows)) {
		const values = valuesOf(settings, row);
		note(seen, key, JSON.stringify(values), UNKNOWN);
		fields = Math.max(fields, Object.keys(values).length);
	}
	const { covers } = part;
	const lost = settings.event === 'goneRow' ? missing(before, { kind: 'presence' }, { seen, covers }) : [];
	const { found, absent } = await findMissing(poll, lost);
	for (const [key, row] of found) seen.set(key, JSON.stringify(valuesOf(settings, row)));
	const look = { seen, covers, isWhole: part.isEnd, absent, most: Math.floor(MOST_VALUES / fields) };
	return {
		looks: { rows: look },
		readings: part.isEnd ? {} : { rows: part.round },
		rows,
		known: [...seen.keys()].filter((key) => key in before.entries).length,
	};
}

/** Looks up rows that the list should show and does not: a page that was cut is never taken for an end. */
async function findMissing(poll: Poll<RowSettings>, lost: readonly RowKey[]) {
	const { list, filter } = poll.settings;
	const absent = new Map<RowKey, Absence>();
	const matching = await lookUpWaiting(poll, { list, filter }, lost, poll.pace('last'));
	const others = lost.filter((key) => matching.asked.has(key) && !matching.rows.has(key));
	const anywhere = filter ? await lookUpWaiting(poll, { list }, others, poll.pace('last')) : undefined;
	for (const key of anywhere?.asked ?? others) absent.set(key, anywhere?.rows.has(key) ? 'elsewhere' : 'gone');
	return { found: matching.rows, absent };
}

/** The values that are watched in a row; lists and objects as JSON. */
export function valuesOf({ isWatched }: RowSettings, row: Row): Values {
	const fields = Object.entries(row).filter(([name]) => name.toLowerCase() !== 'id' && isWatched(name.toLowerCase()));
	return Object.fromEntries(fields.map(([name, value]) => [name, remembered(value)]));
}

function remembered(value: unknown): Values[string] {
	if (isNil(value)) return null;
	if (typeof value === 'number' || typeof value === 'boolean') return value;
	return bounded(typeof value === 'string' ? value : JSON.stringify(sorted(value)));
}
