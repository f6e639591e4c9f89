import chunk from 'lodash/chunk';

import { and, condition } from '../shared/dsquery/compose';
import type { Query } from '../shared/dsquery/types';
import { Kept, PlatformError, type Connection, type ReadRequest, type Row } from '../shared/platform';
import { SESSIONS } from '../shared/resources';

/** Ids looked up in one request: few enough for any URL and for one page. */
const LOOKED_UP_AT_ONCE = 100;

type Lister = Pick<Connection, 'list'>;

/**
 * Lists the Ids of the sessions that match, in the order of the query.
 * @throws PlatformError if an Id is not a whole number: the CSV export takes no others
 */
export async function listSessionIds(
	connection: Lister,
	request: Omit<ReadRequest, 'sink'>,
): Promise<{ ids: number[]; notes: string[] }> {
	// Only the Ids are kept, so that 100,000 sessions need little memory.
	const sink = new Kept((rows) => rows.map(idOf));
	const { notes } = await connection.list(SESSIONS).read({ ...request, sink });
	return { ids: sink.all, notes };
}

/** Which of these Ids are not in the platform's list. Sends nothing if there are no Ids. */
export async function findUnknownIds(connection: Lister, ids: readonly number[]): Promise<number[]> {
	const known = new Set<number>();
	for (const some of chunk(ids, LOOKED_UP_AT_ONCE)) {
		const query: Query = {
			filter: and(condition('Id', 'In', some.join(','))),
			sorts: [{ field: 'Id', direction: 'Asc' }],
		};
		const found = await listSessionIds(connection, {
			query,
			goesOn: true,
			wanted: some.length,
			paging: { pageSize: LOOKED_UP_AT_ONCE, parallel: 1 },
		});
		for (const id of found.ids) known.add(id);
	}
	return ids.filter((id) => !known.has(id));
}

/** @throws PlatformError unless it is the same number on its way to the platform: 9007199254740993 would become ...992 */
function idOf({ Id: id }: Row): number {
	const number = typeof id === 'string' && /^-?\d+$/.test(id) ? Number(id) : id;
	const isExact = typeof number === 'number' && Number.isSafeInteger(number) && String(number) === String(id);
	if (isExact) return number;
	if (typeof number === 'number' && Number.isInteger(number)) {
		throw new PlatformError('invalid-answer', `The session with the Id “${id}” cannot be exported`, {
			description: `The CSV export takes IDs only as numbers, and as a number this one would be ${number}: the ID of another session. Leave this session out, with a filter on Id for example.`,
		});
	}
	const which = id === undefined ? 'have no Id' : `have Ids such as ${JSON.stringify(id)}`;
	throw new PlatformError('invalid-answer', `The platform's charging sessions ${which}, which cannot be exported`, {
		description: 'The CSV export takes only whole numbers as session IDs.',
	});
}
