import { listSessionIds } from '../../../nodes/ChargingSessionsCsvExport/listIds';
import type { Query } from '../../../nodes/shared/dsquery/types';

/** Sessions sorted by their energy; one moves to another place in the list while it is read. */
it('lists every session that holds still, although one that was listed moves on in the list', async () => {
	const sessions = Array.from({ length: 60 }, (_, index) => ({ Id: index + 1, EnergyConsumed: index, Note: 'x' }));
	let requests = 0;
	const getPage = async (_: unknown, { pager = { skip: 0, take: 10 } }: Query) => {
		requests++;
		// The last session of the first page now stands at the end of the second.
		if (requests === 2) sessions[9] = { Id: 10, EnergyConsumed: 17.5, Note: 'x' };
		const sorted = [...sessions].sort((a, b) => a.EnergyConsumed - b.EnergyConsumed);
		return await Promise.resolve({ rows: sorted.slice(pager.skip, pager.skip + pager.take), totalCount: 60 });
	};
	const query: Query = {
		sorts: [
			{ field: 'energyconsumed', direction: 'Asc' },
			{ field: 'Id', direction: 'Asc' },
		],
	};
	const { ids } = await listSessionIds({ getPage }, { query, pageSize: 10, parallel: 1 });
	expect([...ids].sort((a, b) => a - b)).toEqual(sessions.map(({ Id: id }) => id));
});
