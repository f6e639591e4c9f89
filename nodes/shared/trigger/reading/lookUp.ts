import { condition, or } from '../../dsquery/compose';
import { idParts, isListable } from '../../dsquery/idParts';
import type { FilterNode, Group } from '../../dsquery/types';
import { PlatformError, type Row } from '../../platform';
import { settle } from '../../settle';
import { type RowKey, rowId } from '../keys';
import { isPassing, type Poll, type ReadPace } from '../poll';
import { narrowed, readMatching, type Selection } from './lists';
import { keyed } from './part';

/** The result of a look-up by Id: the keys asked about, and the rows that match. */
interface Lookup {
	asked: ReadonlySet<RowKey>;
	rows: ReadonlyMap<RowKey, Row>;
	/** Why the others are left to the next poll, if the platform could not answer. */
	failure?: PlatformError;
}

/** Looks up rows by Id, as many as time allows and the platform answers; the rest is left to the next poll. */
export async function lookUp(
	poll: Poll,
	selection: Selection,
	keys: readonly RowKey[],
	pace: ReadPace,
): Promise<Lookup> {
	const asked = new Set<RowKey>();
	const rows = new Map<RowKey, Row>();
	for (const part of idParts(keys, (key) => String(rowId(key)))) {
		// Even when time is up, each poll makes at least one request.
		if (asked.size > 0 && performance.now() >= pace.until) break;
		const found = await settle(readMatching(poll, narrowed(selection, idsAre(part)), pace, part.length));
		if (!found.ok) {
			if (!(found.error instanceof PlatformError)) throw found.error;
			poll.leave(found.error);
			return { asked, rows, failure: found.error };
		}
		for (const key of part) asked.add(key);
		for (const [key, row] of keyed(found.value.rows)) rows.set(key, row);
	}
	return { asked, rows };
}

/** The same for rows that wait until they could be looked up. If none could, that is said: they would wait unnoticed. @throws a refusal */
export async function lookUpWaiting(...asked: Parameters<typeof lookUp>): Promise<Lookup> {
	const [poll] = asked;
	const found = await lookUp(...asked);
	const { failure } = found;
	if (!failure || found.asked.size > 0) return found;
	if (!isPassing(failure)) throw failure;
	poll.nothingRead ??= failure;
	return found;
}

/** Ids that cannot stand in a list get a condition of their own. */
function idsAre(keys: readonly RowKey[]): Group | undefined {
	const ids = keys.map((key) => String(rowId(key)));
	const plain = ids.filter(isListable);
	const others: FilterNode[] = ids.filter((id) => !isListable(id)).map((id) => condition('Id', 'Eq', id));
	return plain.length > 0 ? or(condition('Id', 'In', plain.join(',')), ...others) : or(...others);
}
