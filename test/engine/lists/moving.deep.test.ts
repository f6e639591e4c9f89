/**
 * Lists that move or grow while they are read, on platforms that cut pages, end lists early, say that there are more
 * rows, or that they failed: every steady row comes once, or the list is refused, or a note says what may be missing.
 */
import fc from 'fast-check';

import { PlatformError } from '../../../nodes/shared/platform/answers/errors';
import { startPlatform, type StandIn } from '../../platform/index.ts';
import { become, movingPlatform } from '../../platform/unknown.ts';
import { listOf, ListSource, SORTS, type ReadList } from '../../support/lists/unknownReader.ts';
import { draws } from '../../support/draws.ts';

const DRAWS = draws(800);
const ROWS = 420;

let platform: StandIn;
beforeAll(async () => {
	platform = await startPlatform({ sessions: ROWS, stations: 0, locations: 0, idGaps: 1 });
});
afterAll(async () => await platform.close());

const SAYS_SO = /counts \d+|could not be proven|are left out|does not sort by it/;

const reading = fc.record({
	rows: fc.oneof(fc.integer({ min: 1, max: ROWS }), fc.constantFrom(1, 37, 99, 100, 101, 200, 300)),
	sorts: fc.constantFrom(...Object.values(SORTS)),
	pageSize: fc.constantFrom(100, 100, 20, 13),
	parallel: fc.constantFrom(1, 4, 8),
});

it(`misses no row in silence, in ${DRAWS} draws`, async () => {
	const silent: object[] = [];
	await fc.assert(
		fc.asyncProperty(movingPlatform(), reading, async (unknown, { rows, sorts, pageSize, parallel }) => {
			const unrest = become(platform, unknown, 'sessions', rows);
			const { getPage } = new ListSource(platform, 'sessions');
			const paging = { pageSize, parallel, isCompared: true };
			const result = await listOf(getPage)
				.readPages({ query: { sorts }, paging })
				.catch((error: unknown) => error);
			if (result instanceof PlatformError) return;
			if (result instanceof Error) throw result;
			const { pages, notes } = result as Awaited<ReturnType<ReadList['readPages']>>;
			const marks = pages.flat().map((row) => unrest.markOf(row));
			const returned = new Set(marks);
			const missing = unrest.steady().filter((mark) => !returned.has(mark)).length;
			const isSaid = SAYS_SO.test(notes.join(' '));
			const doubled = marks.length - returned.size;
			if ((missing > 0 && !isSaid) || doubled > 0)
				silent.push({ unknown, rows, sorts, pageSize, parallel, missing, doubled, notes });
		}),
		{ numRuns: DRAWS },
	);
	expect(silent).toEqual([]);
}, 900_000);
