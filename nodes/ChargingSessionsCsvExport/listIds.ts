import chunk from 'lodash/chunk';
import pickBy from 'lodash/pickBy';

import { and, condition } from '../shared/dsquery/compose';
import type { Query } from '../shared/dsquery/types';
import { PlatformError, readList } from '../shared/platform';
import type { GetPage, ListRequest, Connection, Row } from '../shared/platform';
import { SESSIONS } from '../shared/resources';

/** Ids looked up in one request: few enough for any URL and for one page. */
const LOOKED_UP_AT_ONCE = 100;

type Lister = Pick<Connection, 'getPage'>;

/**
 * Lists the ids of the sessions that match, in the order of the query.
 * @throws PlatformError if an Id is not a whole number: the CSV export takes no others
 */
export async function listSessionIds(
	connection: Lister,
	request: ListRequest,
): Promise<{ ids: number[]; hints: string[] }> {
	const { pages, hints } = await readList(idsOnly(connection), { ...request, plural: SESSIONS.plural });
	return { ids: pages.flatMap((page) => page.map(idOf)), hints };
}

/** Which of these ids are not in the platform's list. Sends nothing if there are no ids. */
export async function findUnknownIds(connection: Lister, ids: readonly number[]): Promise<number[]> {
	const known = new Set<number>();
	for (const some of chunk(ids, LOOKED_UP_AT_ONCE)) {
		const query: Query = {
			filter: and(condition('Id', 'In', some.join(','))),
			sorts: [{ field: 'Id', direction: 'Asc' }],
		};
		const found = await listSessionIds(connection, {
			query,
			limit: some.length,
			pageSize: LOOKED_UP_AT_ONCE,
			parallel: 1,
		});
		for (const id of found.ids) known.add(id);
	}
	return ids.filter((id) => !known.has(id));
}

/**
 * Pages whose rows keep only the Id and the sort values, so that 100,000 sessions need little memory. Reading by
 * position uses the sort values to tell whether a row has moved.
 */
function idsOnly(connection: Lister): GetPage {
	return async (query) => {
		const { rows, totalCount } = await connection.getPage(SESSIONS, query);
		const fields = query.sorts.map(({ field }) => field.toLowerCase()).filter((field) => field !== 'id');
		// Checked in each row: rows may leave out empty fields.
		const sorted = (row: Row) => pickBy(row, (_, name) => fields.includes(name.toLowerCase()));
		return { rows: rows.map((row) => ({ ...(fields.length > 0 && sorted(row)), Id: idOf(row) })), totalCount };
	};
}

function idOf({ Id: id }: Row): number {
	const number = typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : id;
	// An integer too large to be exact is refused while the list is read, with its own message.
	if (typeof number === 'number' && Number.isInteger(number)) return number;
	const which = id === undefined ? 'have no Id' : `have Ids such as ${JSON.stringify(id)}`;
	throw new PlatformError('invalid-answer', `The platform's charging sessions ${which}, which cannot be exported`, {
		description: 'The CSV export takes only whole numbers as session IDs.',
	});
}
