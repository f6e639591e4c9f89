import fc from 'fast-check';

import { PlatformError } from '../../../nodes/shared/platform/answers/errors';
import { startPlatform, type StandIn } from '../../platform/index.ts';
import { become, unknownPlatform } from '../../platform/unknown.ts';
import { listOf, ListSource, SORTS, type ReadList } from '../../support/lists/unknownReader.ts';
import { draws } from '../../support/draws.ts';

const DRAWS = draws(4_000);
const ROWS = 420;

let platform: StandIn;
beforeAll(async () => {
	platform = await startPlatform({ sessions: ROWS, stations: 0, locations: 0, idGaps: 1 });
});
afterAll(async () => await platform.close());

const reading = fc.record({
	rows: fc.oneof(fc.integer({ min: 1, max: ROWS }), fc.constantFrom(1, 2, 20, 100, 101, 200)),
	order: fc.constantFrom('id', 'idDown', 'energy', 'start'),
	pageSize: fc.constantFrom(100, 100, 20, 13),
	parallel: fc.constantFrom(1, 4, 8),
	isFiltered: fc.boolean(),
});

describe('a platform that somebody else might have written from the same specification', () => {
	it(`returns every row once, or is refused, or a note states both counts, in ${DRAWS} draws`, async () => {
		const outcomes = { complete: 0, noted: 0, refused: 0 };
		await fc.assert(
			fc.asyncProperty(unknownPlatform(), reading, async (unknown, { rows, order, pageSize, parallel, isFiltered }) => {
				const unrest = become(platform, unknown, 'sessions', rows);
				const source = new ListSource(platform, 'sessions');
				const filter = isFiltered
					? ({ logic: 'And', filters: [{ field: 'Status', operator: 'Gte', value: '0' }] } as const)
					: undefined;
				const result = await listOf(source.getPage)
					.readPages({
						query: { filter: filter && { logic: 'And', filters: [...filter.filters] }, sorts: SORTS[order] ?? [] },
						paging: { pageSize, parallel },
					})
					.catch((error: unknown) => error);
				const { lists, idType = 'integer', naturalOrder } = unknown.behaviour;
				const { oddIds, idOrder, idComparison, listensTo, maxSkip } = lists;
				const inOrder = listensTo?.sort || naturalOrder === (order === 'id' ? 'idAsc' : 'idDesc');
				const hasPlainIds =
					idType === 'integer' && oddIds === 'none' && idOrder === 'number' && idComparison === 'number';
				const byId = order === 'id' || order === 'idDown';
				const isWalkable = byId && hasPlainIds && inOrder && listensTo?.filter;
				// If a walk by Id proves nothing in the end, or the list changes, the list may be read twice.
				const isTwice = unknown.unrest > 0 || (byId && !(isWalkable && maxSkip === undefined));
				// If every page has another order, tiny pages take longer to show that they do not fit together.
				const isRandom = !listensTo?.sort && naturalOrder === 'random';
				const times = isRandom ? 4 : isTwice ? 2 : 1;
				const all = rows + unrest.came();
				const page = Math.max(2, source.longestPage);
				const least = isWalkable && !isTwice ? Math.ceil(all / page) : Math.ceil((all - 1) / (page - 1));
				// On suspicion, a few more ask whether the list is sorted, and whether the pages were whole.
				// The end of a list that comes in another order each time is looked for up to 60 times, as if it changed.
				const looks = isRandom ? 60 : 0;
				expect(source.requests).toBeLessThanOrEqual(times * (least + 3 * parallel) + 6 + looks);
				if (!('pages' in (result as object))) {
					if (!(result instanceof PlatformError)) throw result;
					expect(result.message).not.toBe('');
					outcomes.refused++;
					return;
				}
				const { pages, notes } = result as Awaited<ReturnType<ReadList['readPages']>>;
				const marks = pages.flat().map((row) => unrest.markOf(row));
				expect(marks.length - new Set(marks).size).toBe(0);
				const returned = new Set(marks);
				const missing = unrest.steady().filter((mark) => !returned.has(mark));
				if (notes.length > 0) outcomes.noted++;
				else outcomes.complete++;
				if (missing.length > 0) {
					expect({ missing, notes: notes.filter((note) => !note.includes('came with the same Id')) }).toEqual({
						missing,
						// Beside what is missing, a note may name Ids that came twice.
						notes: expect.arrayContaining([
							expect.stringMatching(
								`sent ${marks.length} .*(?:counts \\d+|could not be proven that there are no more)`,
							),
						]) as string[],
					});
				}
			}),
			{ numRuns: DRAWS },
		);
	}, 600_000);
});
