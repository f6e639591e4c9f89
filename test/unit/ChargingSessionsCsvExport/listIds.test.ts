import { listSessionIds } from '../../../nodes/ChargingSessionsCsvExport/listIds';
import type { Query } from '../../../nodes/shared/dsquery/types';
import { listOf } from '../../support/lists/unknownReader.ts';

/** Sessions sorted by energy; one moves within the list while it is read. */
it('lists every session once, even if a listed one moves further down the list', async () => {
	const sessions = Array.from({ length: 60 }, (_, index) => ({ Id: index + 1, EnergyConsumed: index, Note: 'x' }));
	let requests = 0;
	const getPage = async ({ pager = { skip: 0, take: 10 } }: Query) => {
		requests++;
		// The last session of the first page moves to the second.
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
	const { ids } = await listSessionIds(
		{ list: () => listOf(getPage) },
		{ query, paging: { pageSize: 10, parallel: 1 } },
	);
	expect([...ids].sort((a, b) => a - b)).toEqual(sessions.map(({ Id: id }) => id));
});

it('lists sessions sorted by a field that rows leave out where it is empty', async () => {
	// The first 15 sessions have no value: all of the first page, and some of the second.
	const sessions = Array.from({ length: 95 }, (_, index) => ({
		Id: index + 1,
		...(index >= 15 && { EndedAtUtc: `2026-11-01T00:00:${String(Math.floor(index / 2)).padStart(2, '0')}` }),
	}));
	let requests = 0;
	const getPage = async ({ pager = { skip: 0, take: 10 } }: Query) => {
		requests++;
		return await Promise.resolve({ rows: sessions.slice(pager.skip, pager.skip + pager.take), totalCount: 95 });
	};
	const sorts: Query['sorts'] = ['EndedAtUtc', 'Id'].map((field) => ({ field, direction: 'Asc' }));
	const { ids } = await listSessionIds(
		{ list: () => listOf(getPage) },
		{ query: { sorts }, paging: { pageSize: 10, parallel: 1 } },
	);
	expect(ids).toEqual(sessions.map(({ Id: id }) => id));
	expect(requests).toBeLessThanOrEqual(Math.ceil(94 / 9) + 3);
});
