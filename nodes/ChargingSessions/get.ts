import type { INodeProperties } from 'n8n-workflow';

import { and, condition, stableSort } from '../shared/dsquery/compose';
import { readOutput, RowShaper } from '../shared/node/output';
import { Parameters } from '../shared/node/parameters';
import type { Operation } from '../shared/node/operation';
import { isSameId, PlatformError, refuseLargeIds, shownId } from '../shared/platform';
import type { Row } from '../shared/platform';
import { additionOptions, includeInputOption, optionsProperty } from '../shared/node/form/listParameters';
import { outputProperties } from '../shared/node/form/outputForm';
import { SESSIONS } from '../shared/resources';

const properties: INodeProperties[] = [
	{
		displayName: 'Session ID',
		name: 'sessionId',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. 48213',
		description: 'The ID of the session, as listed sessions show it',
	},
	...outputProperties,
	optionsProperty({ paging: false, extra: [includeInputOption, ...additionOptions(SESSIONS)] }),
];

/** Get: one session. No path for a single session is documented, so the list is filtered by Id. */
export const get: Operation = {
	name: 'Get Session',
	value: 'get',
	action: 'Get charging session by ID',
	description: 'Return one charging session by its ID',
	properties,
	prepare(context, itemIndex) {
		const parameters = Parameters.ofItem(context, itemIndex, properties);
		const id = parameters.identifier('sessionId');
		const platformOptions = parameters.platformOptions();
		const output = readOutput(parameters);
		const includeInput = parameters.flag('includeInputFields');
		parameters.check();
		const query = { filter: and(condition('Id', 'Eq', id)), sorts: stableSort([]), pager: { skip: 0, take: 2 } };
		return {
			key: JSON.stringify({ id, platformOptions, output, includeInput }),
			platformOptions,
			async run(connection) {
				const { rows } = await connection
					.list(SESSIONS)
					.page(query)
					.catch((error: unknown) => {
						throw error instanceof PlatformError && error.property === 'Id' ? noSessionId(id) : error;
					});
				refuseLargeIds(rows);
				const row =
					rows.find((candidate) => String(candidate.Id) === id) ?? rows.find((other) => isSameId(other.Id, id));
				const [other] = rows;
				if (!row && other) throw otherSession(other, id);
				if (!row) {
					throw new PlatformError('not-found', `There is no charging session with the ID ${id}`, {
						description: `Check the ID, and that the session belongs to your organization in the ${connection.environment} environment: a key sees only its own organization's sessions.`,
					});
				}
				const shaper = new RowShaper(output, SESSIONS);
				return { pages: [shaper.shape([row])], hints: shaper.hints(SESSIONS.plural), includeInput };
			},
		};
	},
};

/** A row came, but another one than was asked for. */
function otherSession(row: Row, id: string): PlatformError {
	return new PlatformError('invalid-answer', `The platform sent session ${shownId(row)} when ${id} was asked for`, {
		description:
			"It does not apply the filter on Id, so it cannot be said whether that session exists. Tell the platform's support.",
	});
}

function noSessionId(id: string): PlatformError {
	return new PlatformError('query-refused', `The platform did not accept “${id}” as a session ID`, {
		description: 'Use the Id of a row that Get Many returns.',
		property: 'Id',
		status: 400,
	});
}
