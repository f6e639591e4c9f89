import { readStatus } from '../../shared/trigger/watch/status';
import type { Draft } from './draft';
import type { Whereabouts } from './step';
import type { SeenStation, StationKey } from './types';
import type { UsualCodes } from './usual';

/** If more than this share seems to have left, the count is not trusted: it may be a limit, or of one page. */
const MOST_GONE = 0.1;

/** What a poll has read: the stations that may be unusual, and how many there are, in all and with the usual codes. */
export interface Counted {
	rows: ReadonlyMap<StationKey, SeenStation['row']>;
	whereabouts: ReadonlyMap<StationKey, Whereabouts>;
	counted: number;
	countedAtUsual: number;
}

/**
 * Whether counts prove that every station that was not read has the usual codes.
 *
 * @param goneBefore how many stations had left the list by the poll before
 * @returns how many have left now; undefined if nothing is proven
 */
export function provenGone(
	{ away, statuses }: Pick<Draft, 'away' | 'statuses'>,
	usual: UsualCodes,
	{ rows, whereabouts, counted, countedAtUsual }: Counted,
	goneBefore: number,
): number | undefined {
	const others = [...rows.values()].filter((row) =>
		usual.some(([name, code]) => readStatus(row[name], false) !== code),
	);
	const isListed = (station: StationKey) => !away.has(station) && typeof whereabouts.get(station) !== 'string';
	const listed = new Set([...[...statuses.keys()].filter(isListed), ...rows.keys()]).size;
	// Usual stations that have left the list. If there are fewer than before, one is back or a new one came.
	const gone = listed - counted;
	const addsUp = counted === countedAtUsual + others.length;
	return addsUp && gone >= goneBefore && gone <= listed * MOST_GONE ? gone : undefined;
}
