import isEqual from 'lodash/isEqual';

import { codeOf } from '../../dsquery/catalogue';
import { quote } from '../../text';
import { PlatformError, type Row } from '../../platform';
import type { ListResource } from '../../resources';
import { keyIn, rowId, rowKey } from '../keys';
import type { Poll } from '../poll';
import { nameOf } from '../text';
import type { RowKey } from '../types';

/**
 * Rows by the keys under which they are known. Rows without a usable Id are left out. Two rows with one Id become one,
 * in which statuses that differ are lists: these cannot be read, so nothing follows from them.
 */
export function rowsByKey(
	poll: Poll,
	list: ListResource,
	rows: Iterable<Row>,
	known: { has(key: RowKey): boolean },
): Map<RowKey, Row> {
	const found = new Map<RowKey, Row>();
	for (const row of rows) {
		const key = keyIn(known, row.Id);
		if (key === undefined) continue;
		if (key !== rowKey(row.Id) && !poll.oddIds.has(CHANGED)) poll.oddIds.set(CHANGED, changed(list, row));
		const other = found.get(key);
		if (other && !isEqual(other, row)) noteDouble(poll, list, key, [other, row]);
		found.set(key, other ? together(list, other, row) : row);
	}
	return found;
}

function noteDouble(poll: Poll, { plural }: ListResource, key: RowKey, rows: readonly [Row, Row]): void {
	const [first, second] = rows.map((row) => quote(nameOf(row) ?? ''));
	// One that has changed while the list was read comes twice, too.
	if (first === second) return;
	const id = String(rowId(key));
	const fact = `Two ${plural} have the Id ${id}: ${first} and ${second}`;
	poll.oddIds.set(`doubled ${id}`, `${fact}. Nothing is concluded from a status in which they differ.`);
}

/** If one Id has changed, all have: it is said of one. */
const CHANGED = 'changed';

function changed({ noun }: ListResource, { Id: id }: Row): string {
	const [was, is] = typeof id === 'number' ? ['text', 'a number'] : ['a number', 'text'];
	return `The Id of ${noun} ${String(id)} was ${was} and is ${is} now. It is taken for the same ${noun}, and so are others.`;
}

/** Two rows of one Id as one. */
function together({ fields }: ListResource, first: Row, second: Row): Row {
	const statuses = fields.filter(({ type }) => type === 'code').map(({ name }) => name);
	const differing = statuses.filter((name) => codeOf(first[name]) !== codeOf(second[name]));
	return { ...first, ...Object.fromEntries(differing.map((name) => [name, [first[name], second[name]] as unknown[]])) };
}

/** Says once which Ids are odd: in the log, and in a failed execution. */
export function sayOddIds(poll: Poll, { plural }: ListResource): void {
	const fresh = [...poll.oddIds].filter(([about, message]) => poll.warnOnce(message, about));
	const [first] = fresh;
	if (!first) return;
	const more = fresh.length > 1 ? ` There are ${fresh.length - 1} more of this kind.` : '';
	poll.alerts.push(
		new PlatformError('invalid-answer', `The Ids of the ${plural} are not as they should be`, {
			description: `${first[1]}${more} Tell the platform's support, or leave them out with a filter.`,
		}),
	);
}
