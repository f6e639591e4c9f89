import uniq from 'lodash/uniq';

import { parseSessionId, type SessionId } from '../shared/csv/sessions';
import { and, condition } from '../shared/dsquery/compose';
import { splitByUrlLength, MOST_IDS } from '../shared/dsquery/idParts';
import type { Query } from '../shared/dsquery/types';
import { RowBuffer, PlatformError, type Connection, type ListReadRequest, type Row } from '../shared/platform';
import { SESSIONS } from '../shared/resources';
import { formatCount } from '../shared/text';

type SessionListConnection = Pick<Connection, 'list' | 'baseUrl'>;

/**
 * Lists the Ids of the sessions that match, in the order of the query, each once: the CSV has all records of an Id.
 * @throws PlatformError if an Id is not a whole number: the CSV export takes no others
 */
export async function fetchSessionIds(
	connection: SessionListConnection,
	request: Omit<ListReadRequest, 'sink'>,
): Promise<{ ids: SessionId[]; notes: string[] }> {
	// Only the Ids are kept, so that 100,000 sessions need little memory.
	const sink = new RowBuffer((rows) => rows.map(idOf));
	const { notes } = await connection.list(SESSIONS).read({ ...request, sink });
	const listed = sink.all;
	const ids = uniq(listed);
	if (ids.length < listed.length) {
		const sessions = formatCount(ids.length, 'session');
		notes.push(`The platform's list has ${listed.length} rows for ${sessions}. Each session was exported once.`);
	}
	return { ids, notes };
}

/** Which of these Ids are not in the platform's list. Sends nothing if there are no Ids. */
export async function findUnknownIds(
	connection: SessionListConnection,
	ids: readonly SessionId[],
): Promise<SessionId[]> {
	const known = new Set<SessionId>();
	const queryFor = (some: readonly SessionId[]): Query => ({
		filter: and(condition('Id', 'In', some.join(','))),
		sorts: [{ field: 'Id', direction: 'Asc' }],
	});
	const rest = { address: connection.baseUrl + SESSIONS.path, query: queryFor([]) };
	for (const some of splitByUrlLength(ids, String, rest)) {
		const query = queryFor(some);
		const found = await fetchSessionIds(connection, {
			query,
			goesOn: true,
			wanted: some.length,
			paging: { pageSize: MOST_IDS, parallel: 1 },
		});
		for (const id of found.ids) known.add(id);
	}
	return ids.filter((id) => !known.has(id));
}

/** Without a leading zero, so that it is the same as a number. */
const WHOLE = /^-?(?:0|[1-9]\d{0,18})$/;

function idOf({ Id: id }: Row): SessionId {
	const isExact = typeof id === 'string' || Number.isSafeInteger(id);
	if (isExact && WHOLE.test(String(id))) return parseSessionId(String(id));
	const which = id === undefined ? 'have no Id' : `have Ids such as ${JSON.stringify(id)}`;
	throw new PlatformError('invalid-answer', `The platform's charging sessions ${which}, which cannot be exported`, {
		description: 'The CSV export takes only whole numbers as session IDs.',
	});
}
