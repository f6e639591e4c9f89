import { and, condition, withIdSort } from '../shared/dsquery/compose';
import { RowShaper } from '../shared/list/output';
import { operation } from '../shared/operation/operation';
import { searchSessions } from '../shared/list/dropdowns/search';
import { locator } from '../shared/parameters/locator';
import { fixedListParameter } from '../shared/list/list';
import { includeInputFields, options, timeoutOptions } from '../shared/parameters/options';
import { addedFields, rowOutput } from '../shared/list/rowOutput';
import { PlatformError } from '../shared/platform';
import { SESSIONS } from '../shared/resources';

const list = fixedListParameter(SESSIONS);

/** Get: one session. No path for a single session is documented, so the list is filtered by Id. */
export const get = operation({
	name: 'Get Session',
	value: 'get',
	action: 'Get charging session',
	description: 'Return one charging session',
	parameters: {
		sessionId: locator({
			label: 'Session',
			description:
				'The session to return. The list shows the newest; search it for an ID of any age, or for what it shows.',
			search: { method: 'searchSessions', search: searchSessions },
			select: 'Select a session...',
			typed: { label: 'By ID', name: 'id', placeholder: 'e.g. 48213' },
		}),
		...rowOutput(list),
		options: options({ includeInputFields, ...addedFields(list), ...timeoutOptions }),
	},
	async run(values, { connection, zone }) {
		const { sessionId: id } = values;
		const query = { filter: and(condition('Id', 'Eq', id)), sorts: withIdSort([]), pager: { skip: 0, take: 2 } };
		const { rows } = await connection
			.list(SESSIONS)
			.page(query, { goesOn: true })
			.catch((error: unknown) => {
				throw error instanceof PlatformError && error.property === 'Id' ? noSessionId(id) : error;
			});
		// Another session would have been refused as a contradiction; text may be compared without regard to case.
		const row = rows.find((candidate) => String(candidate.Id) === id) ?? rows[0];
		if (!row) {
			throw new PlatformError('not-found', `There is no charging session with the ID ${id}`, {
				description: `Check the ID, and that the session belongs to your organization in the ${connection.environment} environment: a key sees only its own organization's sessions.`,
			});
		}
		const shaper = new RowShaper({ ...values, ...values.options, zone }, SESSIONS);
		return { pages: [shaper.shape([row])], notes: shaper.notes(SESSIONS.plural) };
	},
});

function noSessionId(id: string): PlatformError {
	return new PlatformError('query-refused', `The platform did not accept “${id}” as a session ID`, {
		description: 'Use the Id of a row that Get Many returns.',
		property: 'Id',
		status: 400,
	});
}
