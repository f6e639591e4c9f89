/** Rows that contradict the filter: a station may just have changed, or the filter was dropped. */
import { and, condition, or } from '../../../../nodes/shared/dsquery/compose';
import type { FilterGroup } from '../../../../nodes/shared/dsquery/types';
import { createRowBuffer } from '../../../../nodes/shared/platform/lists/rowBuffer';
import { ListReader } from '../../../../nodes/shared/platform/lists/listReader';
import type { Row } from '../../../../nodes/shared/platform/types';
import { STATIONS } from '../../../../nodes/shared/resources';

const OFFLINE = and(condition('NetworkStatus', 'Eq', '2'));

/** So many stations, of which those with these Ids are online. */
const stations = (count: number, online: readonly number[] = []): Row[] =>
	Array.from({ length: count }, (_, index) => ({ Id: index + 1, NetworkStatus: online.includes(index + 1) ? 1 : 2 }));

/** A list that answers with one page after the other; the last one stays. */
function listOf(pages: ReadonlyArray<readonly Row[]>) {
	let requests = 0;
	const getPage = async () => {
		const rows = pages[requests++] ?? pages.at(-1) ?? [];
		return await Promise.resolve({ rows: [...rows], totalCount: rows.length });
	};
	return { list: new ListReader(STATIONS, { getPage }), asked: () => requests };
}

/** What a node and a poll read of these answers. */
async function read(
	pages: ReadonlyArray<readonly Row[]>,
	filter: FilterGroup | undefined = OFFLINE,
	narrowing?: FilterGroup,
) {
	const { list, asked } = listOf(pages);
	const sink = createRowBuffer();
	const paging = { pageSize: 100, parallel: 1 };
	const reading = list.read({ query: { filter, sorts: [] }, narrowing, wanted: pages[0]?.length, paging, sink });
	const notes = await reading.then(
		(result) => result.notes,
		(error: Error) => error.message,
	);
	return { notes, asked: asked(), rows: sink.all };
}

const IGNORED = /, but 2 was asked for: the platform does not apply the condition on NetworkStatus$/;
const IS_IGNORED = expect.stringMatching(IGNORED) as string;
const MAY_HAVE_CHANGED = [expect.stringMatching(/has NetworkStatus 1, but 2 was asked for: it may just have changed/)];

it('a station that changed while the page was served is read once more, and nothing is to be said', async () => {
	for (const count of [1, 2, 12]) {
		const found = await read([stations(count, [1]), stations(count)]);
		expect(found).toEqual({ notes: [], asked: 2, rows: stations(count) });
	}
	expect(await read([stations(1, [1]), []])).toMatchObject({ notes: [], asked: 2, rows: [] });
});

it('the same station again shows that the filter is ignored, however few there are', async () => {
	for (const count of [1, 2, 39]) {
		expect(await read([stations(count, [1])])).toMatchObject({ notes: IS_IGNORED, asked: 2 });
	}
});

it('another station the second time may just have changed, too', async () => {
	expect(await read([stations(12, [1]), stations(12, [2])])).toMatchObject({ notes: MAY_HAVE_CHANGED, asked: 2 });
});

it.each([
	{ count: 3, online: 3, isIgnored: true },
	{ count: 12, online: 3, isIgnored: true },
	{ count: 39, online: 3, isIgnored: true },
	{ count: 40, online: 2, isIgnored: false },
	{ count: 59, online: 3, isIgnored: true },
	{ count: 60, online: 3, isIgnored: false },
	{ count: 100, online: 5, isIgnored: false },
	{ count: 100, online: 6, isIgnored: true },
])('$online of $count: ignored is $isIgnored, with one request', async ({ count, online, isIgnored }) => {
	const ids = Array.from({ length: online }, (_, index) => index + 1);
	const notes: unknown = isIgnored ? IS_IGNORED : MAY_HAVE_CHANGED;
	expect(await read([stations(count, ids), stations(count)])).toMatchObject({ notes, asked: 1 });
});

it('one Id that was not asked for is enough, at once, in a filter, in what a poll looks up, and on any page', async () => {
	const upTo = and(condition('Id', 'Lte', '99'));
	const notes = expect.stringMatching(/^Station 100 has Id 100, but “.*99” was asked for/) as string;
	const isRefused = { notes, asked: 1 };
	expect(await read([stations(100)], upTo)).toMatchObject(isRefused);
	expect(await read([stations(100)], undefined, upTo)).toMatchObject(isRefused);
	const both = and(condition('NetworkStatus', 'Eq', '2'), condition('Id', 'Lte', '99'));
	expect(await read([stations(100, [1])], both)).toMatchObject(isRefused);
});

it.each(['null', '2undefined', 'S-2', '3'])('a row whose Id is a number was not asked for as %s', async (asked) => {
	for (const operator of ['Eq', 'In'] as const) {
		const { notes, rows } = await read([[{ Id: 2, NetworkStatus: 2 }]], and(condition('Id', operator, asked)));
		expect([operator, notes, rows]).toEqual([operator, expect.stringMatching(/^Station 2 has Id 2, but /), []]);
	}
});

it('one Id may be written in several ways', async () => {
	const pairs = [
		[2, '2.0'],
		[2, '002'],
		['2', '2'],
		['AB-12', '{ab12}'],
	] as const;
	for (const [id, asked] of pairs) {
		const rows = [{ Id: id, NetworkStatus: 2 }];
		expect(await read([rows], and(condition('Id', 'Eq', asked)))).toMatchObject({ notes: [], rows });
	}
});

it('where either would do, a status may just have changed', async () => {
	const either = or(condition('Id', 'Eq', '7'), condition('NetworkStatus', 'Eq', '2'));
	expect(await read([stations(12, [1, 7]), stations(12, [7])], either)).toMatchObject({ notes: [], asked: 2 });
});

it('rows without an Id are the same where all their fields are', async () => {
	const rows = (statuses: number[]) => statuses.map((status, index) => ({ Name: `${index}`, NetworkStatus: status }));
	const pageOf = async (...pages: Row[][]) => {
		const { list } = listOf(pages);
		return await list.page({ filter: OFFLINE, sorts: [] }).catch((error: Error) => error.message);
	};
	expect(await pageOf(rows([1, 2]), rows([1, 2]))).toMatch(IGNORED);
	expect(await pageOf(rows([1, 2]), rows([2, 1]))).toMatchObject({ totalCount: 2 });
});

it('Count is compared alike', async () => {
	const countOf = async (...pages: Row[][]) => {
		const { list, asked } = listOf(pages);
		return [await list.count(OFFLINE).catch((error: Error) => error.message), asked()];
	};
	expect(await countOf(stations(10, [3]), stations(9))).toEqual([{ count: 9, notes: [] }, 2]);
	expect(await countOf(stations(10, [3]), stations(10, [4]))).toEqual([{ count: 10, notes: MAY_HAVE_CHANGED }, 2]);
	expect(await countOf(stations(10, [3]))).toEqual([IS_IGNORED, 2]);
	expect(await countOf(stations(10, [1, 2, 3]))).toEqual([IS_IGNORED, 1]);
});
