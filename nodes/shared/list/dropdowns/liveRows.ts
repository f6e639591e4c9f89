import memoize from 'lodash/memoize';
import type { ILoadOptionsFunctions } from 'n8n-workflow';

import type { SortEntry } from '../../dsquery/types';
import { MINUTE_MS } from '../../dsquery/values/durations';
import { openConnection, type Connection, type Row } from '../../platform';
import type { ListResource } from '../../resources';
import type { ListParameter } from '../list';
import { codesMethod, loadOptionsMethods } from './fieldOptions';
import type { Dropdown } from '../../parameters/dropdown';

/** How many rows an editor asks for at once. */
export const SAMPLE_SIZE = 100;
/** How long dropdowns share a sample, in milliseconds: opening a node asks for it several times at once. */
const SAMPLE_LIFE_MS = MINUTE_MS;
/** A person waits for a dropdown: an entry that says it took too long is better than a spinner. */
export const EDITOR_TIMEOUT_MS = 10_000;

const samples = new Map<string, { at: number; rows: Promise<Row[]> }>();

/**
 * Reads sample rows once for all dropdowns. A failed read is not cached.
 *
 * @param what what is read, as a key: the path of a list
 */
export async function readSampleRows(
	context: ILoadOptionsFunctions,
	what: string,
	read: (connection: Connection) => Promise<Row[]>,
): Promise<Row[]> {
	const connection = await openConnection(context, { timeoutMs: EDITOR_TIMEOUT_MS });
	const key = `${connection.keyId} ${what}`;
	// A clock that is never set.
	const now = performance.now();
	for (const [other, { at }] of samples) if (now - at > SAMPLE_LIFE_MS) samples.delete(other);
	const known = samples.get(key);
	if (known) return await known.rows;
	const rows = read(connection);
	samples.set(key, { at: now, rows });
	return await rows.catch((error: unknown) => {
		samples.delete(key);
		throw error;
	});
}

/** The newest rows; some rows, where no field to sort by is known. */
async function liveRows(connection: Connection, list: ListResource): Promise<Row[]> {
	const sorts: SortEntry[] = list.unknownShape ? [] : [{ field: 'Id', direction: 'Desc' }];
	const { rows } = await connection.list(list).page({ sorts, pager: { skip: 0, take: SAMPLE_SIZE } });
	return rows.slice(0, SAMPLE_SIZE);
}

/** The methods behind the dropdowns of a list's fields and codes. */
const methodsOfList = memoize((list: ListParameter) =>
	loadOptionsMethods(list.common, async (context) => {
		const read = list.chosenIn(context);
		return await readSampleRows(context, read.path, async (connection) => await liveRows(connection, read));
	}),
);

/** A dropdown of the fields or codes of a list. */
export function listDropdown(list: ListParameter, method: string): Extract<Dropdown, { load: unknown }> {
	const load = methodsOfList(list)[method];
	if (!load) throw new Error(`There is no dropdown ${method}`);
	return { method, load, dependsOn: list.reloads };
}

/** The dropdowns of the filter form: its fields, and the codes of each that is known. */
export function formDropdowns(list: ListParameter): [fields: Dropdown, ...codes: Dropdown[]] {
	const codes = list.common.fields.filter(({ type }) => type === 'code').map(codesMethod);
	return [listDropdown(list, 'getFields'), ...codes.map((method) => listDropdown(list, method))];
}
