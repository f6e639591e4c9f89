import type { Group, Query } from '../../../nodes/shared/dsquery/types';
import { PlatformError } from '../../../nodes/shared/platform/answers/errors';
import type { Row } from '../../../nodes/shared/platform/types';
import { LOCATIONS } from '../../../nodes/shared/resources';
import { startPlatform, type Behaviour, type ListsBehaviour, type StandIn } from '../../platform/index.ts';
import { listOf, ListSource, type ReadList } from '../../support/lists/unknownReader.ts';

// Faults of servers that others wrote from the same specification, one at a time.

let platform: StandIn;
let source: ListSource;
beforeAll(async () => {
	platform = await startPlatform({ sessions: 10_000, stations: 250, locations: 0 });
});
afterAll(async () => await platform.close());
beforeEach(() => {
	platform.reset();
	source = new ListSource(platform, 'sessions');
});

const BY_ID: Query['sorts'] = [{ field: 'Id', direction: 'Asc' }];
const BY_START: Query['sorts'] = [{ field: 'StartedAtUtc', direction: 'Desc' }, ...BY_ID];

const behave = ({ lists = {}, ...others }: Partial<Omit<Behaviour, 'lists'>> & { lists?: Partial<ListsBehaviour> }) => {
	Object.assign(platform.behaviour, others);
	Object.assign(platform.behaviour.lists, lists);
};
const keepFirst = (rows: number) => platform.db.exec(`DELETE FROM sessions WHERE Id > ${rows}`);
const read = async ({
	parallel = 4,
	...request
}: Partial<Parameters<ReadList['readPages']>[0]> & { parallel?: number } = {}) => {
	const { pages, notes } = await listOf(source.getPage).readPages({
		...{ query: { sorts: BY_ID }, paging: { pageSize: 100, parallel } },
		...request,
	});
	return { rows: pages.flat(), notes: notes.join(' ') };
};
const distinct = (rows: Row[]) => new Set(rows.map(({ Id: id }) => id)).size;

describe.each([1, 4, 8])('%i requests at a time', (parallel) => {
	it('read 10,000 rows in 100 or 101 requests, and one that looks behind a round number', async () => {
		const { rows, notes } = await read({ parallel });
		expect(distinct(rows)).toBe(10_000);
		expect(rows).toHaveLength(10_000);
		expect([100, 101, 102]).toContain(source.requests);
		expect(notes).toBe('');
	});

	it.each([1, -1, 3, -3, 50, 100_000])(
		'read every row where TotalCount is off by %i, and say so',
		async (countOffBy) => {
			keepFirst(1000);
			behave({ lists: { count: 'offBy', countOffBy } });
			for (const sorts of [BY_ID, BY_START]) {
				source.requests = 0;
				const { rows, notes } = await read({ parallel, query: { sorts } });
				expect(distinct(rows)).toBe(1000);
				expect(notes).toMatch(`sent 1000 charging sessions but counts ${Math.max(0, 1000 + countOffBy)}`);
				expect(source.requests).toBeLessThanOrEqual(11 + 3 * parallel);
			}
		},
	);

	it('read every row where TotalCount is capped', async () => {
		keepFirst(1500);
		behave({ lists: { count: 'capped', countCap: 1000 } });
		for (const sorts of [BY_ID, BY_START]) {
			const { rows, notes } = await read({ parallel, query: { sorts } });
			expect(distinct(rows)).toBe(1500);
			expect(notes).toMatch('sent 1500 charging sessions but counts 1000');
		}
	});

	it('read a list whose rows and count are from different moments', async () => {
		for (const [index, moment] of (['rowsFirst', 'countFirst', 'rowsFirst', 'countFirst'] as const).entries()) {
			platform.reset();
			keepFirst(400);
			behave({ lists: { moment } });
			// Between the statements of every page, a row that was already read is deleted.
			let gone = 0;
			platform.betweenStatements = () => platform.db.exec(`DELETE FROM sessions WHERE Id = ${++gone}`);
			const { rows } = await read({
				parallel,
				query: { sorts: index < 2 ? BY_ID : BY_START },
				paging: { pageSize: 20, parallel },
			});
			const returned = new Set(rows.map(({ Id: id }) => Number(id)));
			expect(distinct(rows)).toBe(rows.length);
			for (let id = gone + 1; id <= 400; id++) expect(returned.has(id)).toBe(true);
		}
	});

	it('read rows whose Id is empty or doubled', async () => {
		keepFirst(650);
		for (const oddIds of ['null', 'empty', 'doubled'] as const) {
			behave({ lists: { oddIds, oddIdEvery: 130 } });
			const { rows } = await read({ parallel });
			expect(rows).toHaveLength(650);
		}
	});

	it('read every row once when Skip is refused, cut or ignored', async () => {
		keepFirst(500);
		for (const lists of [
			{ maxSkip: 60, skipOverMax: 'refuse' },
			{ maxSkip: 60, skipOverMax: 'clamp' },
			{ listensTo: { filter: true, sort: true, skip: false, take: true } },
		] as const) {
			platform.behaviour.lists.listensTo.skip = true;
			behave({ lists });
			source.requests = 0;
			const { rows, notes } = await read({ parallel });
			expect(rows).toHaveLength(500);
			expect(distinct(rows)).toBe(500);
			expect(notes).toBe('');
			expect(source.requests).toBeLessThanOrEqual(5 + 3 * parallel);
		}
	});
});

describe.each([1, 4])('a list of 730 rows, %i requests at a time', (parallel) => {
	beforeEach(() => keepFirst(730));

	it('is read whole where pages behind the first are cut at a size', async () => {
		behave({ lists: { unevenPages: true } });
		for (const [idType, count] of [
			['integer', 'exact'],
			['text', 'exact'],
			['text', 'page'],
		] as const) {
			behave({ idType, lists: { count } });
			for (const sorts of [BY_ID, BY_START]) {
				source.requests = 0;
				const { rows, notes } = await read({ parallel, query: { sorts } });
				expect(distinct(rows)).toBe(730);
				if (count === 'exact') expect(notes).toBe('');
				expect(source.requests).toBeLessThanOrEqual(Math.ceil(729 / 59) + 6 * parallel);
			}
		}
	});

	it.each([10, 20, 25, 50, 100, 200, 250, 500])(
		'is read whole where pages have %i rows, and only those are counted',
		async (takeClamp) => {
			behave({ takeClamp, lists: { count: 'page' } });
			for (const sorts of [BY_ID, BY_START]) {
				const { rows } = await read({ query: { sorts }, paging: { pageSize: 600, parallel } });
				expect(distinct(rows)).toBe(730);
			}
		},
	);

	it.each(['null', 'nothing', 'notFound'] as const)('is read whole where the end is: %s', async (behindEnd) => {
		behave({ lists: { behindEnd, count: 'offBy', countOffBy: 40 } });
		for (const sorts of [BY_ID, BY_START]) expect((await read({ parallel, query: { sorts } })).rows).toHaveLength(730);
	});

	it.each(['null', 'missing'] as const)('is read whole where TotalCount is %s, and says so', async (totalCount) => {
		behave({ totalCount });
		for (const sorts of [BY_ID, BY_START]) {
			const { rows, notes } = await read({ parallel, query: { sorts } });
			expect(distinct(rows)).toBe(730);
			expect(notes).toMatch('does not count charging sessions (TotalCount is ');
		}
	});
});

it('asks once per question and hour whether a first page is the whole list', async () => {
	keepFirst(50);
	const list = listOf(source.getPage);
	const paging = { pageSize: 100, parallel: 4 };
	const filter = (value: string) => ({
		logic: 'And' as const,
		filters: [{ field: 'Id', operator: 'Lte' as const, value }],
	});
	const requestsOf = async (query: Query, rows: number) => {
		source.requests = 0;
		expect((await list.readPages({ query, paging })).pages.flat()).toHaveLength(rows);
		return source.requests;
	};
	expect(await requestsOf({ sorts: [] }, 50)).toBe(2);
	expect(await requestsOf({ sorts: [] }, 50)).toBe(1);
	expect(await requestsOf({ sorts: BY_START }, 50)).toBe(2);
	expect(await requestsOf({ filter: filter('20'), sorts: [] }, 20)).toBe(2);
	expect(await requestsOf({ sorts: [] }, 50)).toBe(1);
	const now = performance.now();
	const clock = jest.spyOn(performance, 'now').mockReturnValue(now + 3_600_000);
	expect(await requestsOf({ sorts: [] }, 50)).toBe(2);
	// The platform is updated: its pages are cut, and it counts only their rows.
	platform.reset();
	keepFirst(730);
	expect(await requestsOf({ sorts: [] }, 730)).toBeGreaterThan(7);
	behave({ takeClamp: 50, lists: { count: 'page' } });
	clock.mockReturnValue(now + 7_200_001);
	expect(await requestsOf({ sorts: [] }, 730)).toBeGreaterThan(14);
	clock.mockRestore();
});

it.each([BY_ID, BY_START])('notices that a later list is cut at a round length', async (...sorts) => {
	behave({ takeClamp: 50, lists: { count: 'page' } });
	const list = listOf(source.getPage);
	const read = async (most: number) => {
		const filter = {
			logic: 'And' as const,
			filters: [{ field: 'Id', operator: 'Lte' as const, value: String(most) }],
		};
		return (await list.readPages({ query: { filter, sorts }, paging: { pageSize: 100, parallel: 4 } })).pages.flat();
	};
	// The very same question, later: only its value, and the rows behind it, have changed.
	for (const rows of [50, 50, 730, 50, 300]) expect(distinct(await read(rows))).toBe(rows);
});

it('refuses a list in another order that ends, with its count, at a round thousand', async () => {
	keepFirst(1500);
	behave({ lists: { window: 1000 } });
	await expect(read({ query: { sorts: BY_START } })).rejects.toThrow('only the first 1000 charging sessions');
	keepFirst(1000);
	behave({ lists: { window: undefined } });
	for (const nullPlacement of ['first', 'last'] as const) {
		behave({ nullPlacement });
		const { rows, notes } = await read({ query: { sorts: [{ field: 'EnergyConsumed', direction: 'Desc' }] } });
		expect(rows).toHaveLength(1000);
		expect(notes).toBe('');
	}
});

it('asks again when the first page is empty although TotalCount is not 0', async () => {
	keepFirst(1);
	behave({ lists: { emptyAnswers: 1 } });
	expect((await read()).rows).toHaveLength(1);
	platform.reset();
	keepFirst(1);
	behave({ lists: { emptyAnswers: 9 } });
	expect((await read()).notes).toMatch('sent 0 charging sessions but counts 1');
});

it('refuses a list that comes in another order at each request', async () => {
	keepFirst(650);
	behave({ naturalOrder: 'random', lists: { listensTo: { filter: true, sort: false, skip: true, take: true } } });
	await expect(read()).rejects.toThrow('changes with each request');
	expect(source.requests).toBeLessThan(20);
});

/** Random integers below a number, the same for the same seed (mulberry32). */
const randomFrom = (seed: number) => (below: number) => {
	seed = (seed + 0x6d2b79f5) | 0;
	let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
	mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
	return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
};

// Tiny pages are often in order by luck, so that the list seems to be over after a few of them.
it.each([1, 2, 3, 5])(
	'refuses a list in pages of %i rows whose order changes with each request, or is not the one asked for',
	async (clamp) => {
		const isFound = (row: Row, filter: Query['filter']) =>
			(filter?.filters ?? []).every((one) => !('value' in one) || Number(row.Id ?? -1) > Number(one.value));
		for (let seed = 1; seed <= 300; seed++) {
			const below = randomFrom(seed * 7919);
			const hasOddIds = seed % 2 === 0;
			const rows: Row[] = Array.from({ length: 120 }, (_, index) => ({
				...{ Id: hasOddIds && index % 9 === 8 ? null : index + 1, Name: `row ${index}` },
			}));
			const shuffled = (some: Row[]) => {
				const left = [...some];
				return some.map(() => left.splice(below(left.length), 1)[0] ?? {});
			};
			const lasting = shuffled(rows);
			let requests = 0;
			const getPage = async ({ filter, pager = { skip: 0, take: 10 } }: Query) => {
				requests++;
				const found = lasting.filter((row) => isFound(row, filter));
				const order = seed % 3 === 0 ? found : shuffled(found);
				const page = order.slice(pager.skip, pager.skip + Math.min(pager.take, clamp));
				return await Promise.resolve({ rows: page, totalCount: found.length });
			};
			const result = await listOf(getPage)
				.readPages({ query: { sorts: BY_ID }, paging: { pageSize: 100, parallel: 1 } })
				.catch((error: Error) => error);
			expect(requests).toBeLessThan(400);
			if (result instanceof PlatformError) continue;
			// An order that lasts can be read by position, although it is not the one asked for.
			if (result instanceof Error || result.pages.flat().length !== 120)
				throw new Error(`Seed ${seed}: not every row, and no refusal`);
		}
	},
);

it.each([1, 4])('returns a row once that the platform sends twice (%i requests at a time)', async (parallel) => {
	// Like a SQL join: session 30 comes twice, for its two vehicles. The count includes both, or only one.
	const rows: Row[] = Array.from({ length: 250 }, (_, index) => ({ Id: index - (index > 30 ? 1 : 0), Name: 'row' }));
	for (const totalCount of [250, 249]) {
		const getPage = async ({ filter, pager = { skip: 0, take: 10 } }: Query) => {
			const [bound] = filter?.filters ?? [];
			const after = bound && 'value' in bound ? Number(bound.value) : -1;
			const beyond = rows.filter(({ Id: id }) => Number(id) > after);
			const page = beyond.slice(pager.skip, pager.skip + pager.take);
			return await Promise.resolve({ rows: page, totalCount: totalCount - rows.length + beyond.length });
		};
		for (const limit of [undefined, 200, 20]) {
			const { pages, notes } = await listOf(getPage).readPages({
				...{ query: { sorts: BY_ID }, paging: { pageSize: 50, parallel }, limit },
			});
			expect(pages.flat().map(({ Id: id }) => id)).toEqual(Array.from({ length: limit ?? 249 }, (_, id) => id));
			if (limit === undefined && totalCount === 250)
				expect(notes.join()).toContain('sent 249 charging sessions but counts 250');
		}
	}
});

it('returns equal rows without an Id without merging them', async () => {
	// 84 equal rows, then 84, then 82.
	const rows: Row[] = Array.from({ length: 250 }, (_, index) => ({ Name: `Depot ${Math.floor(index / 84)}` }));
	const getAnswer = async ({ pager = { skip: 0, take: 10 } }: Query) =>
		await Promise.resolve({ rows: rows.slice(pager.skip, pager.skip + pager.take), totalCount: 250 });
	const { pages } = await listOf(getAnswer, LOCATIONS).readPages({
		...{ query: { sorts: [] }, paging: { pageSize: 100, parallel: 4 } },
	});
	expect(pages.flat()).toHaveLength(250);
});

it('reads a list whose integer Ids are sorted as text, even if its first page looks sorted', async () => {
	source = new ListSource(platform, 'stations');
	platform.db.exec('UPDATE stations SET Id = Id + 10000; UPDATE stations SET Id = Id - 9941');
	behave({ lists: { idOrder: 'text' } });
	for (const idComparison of ['number', 'text'] as const) {
		behave({ lists: { idComparison } });
		const { rows } = await read();
		expect(distinct(rows)).toBe(250);
		expect(rows).toHaveLength(250);
	}
});

it('says how many rows can be read if Skip is limited and the list is not sorted by Id', async () => {
	keepFirst(500);
	behave({ lists: { maxSkip: 150 } });
	await expect(read({ query: { sorts: BY_START } })).rejects.toThrow('only the first 199 charging sessions');
});

it('reads a list whose pages without rows have null for Items', async () => {
	behave({ lists: { emptyItems: 'null' } });
	for (const rows of [200, 0]) {
		keepFirst(rows);
		for (const sorts of [BY_ID, BY_START]) expect((await read({ query: { sorts } })).rows).toHaveLength(rows);
	}
	expect(await listOf(source.getPage).count(undefined)).toBe(0);
	const locations = new ListSource(platform, 'locations');
	const { pages } = await listOf(locations.getPage, LOCATIONS).readPages({
		...{ query: { sorts: [] }, paging: { pageSize: 100, parallel: 4 } },
	});
	expect(pages.flat()).toEqual([]);
});

it('reads rows and envelope in camelCase, and returns known names as specified', async () => {
	keepFirst(450);
	behave({ lists: { names: 'camel', emptyProperties: 'omitted' } });
	for (const sorts of [BY_ID, BY_START]) {
		const { rows } = await read({ query: { sorts } });
		expect(distinct(rows)).toBe(450);
		expect(rows).toHaveLength(450);
		expect(rows.every(({ Status, StartedAtUtc }) => Number(Status) > 0 && StartedAtUtc !== undefined)).toBe(true);
		expect(rows[0]).toHaveProperty('stationName');
	}
});

it.each(['filter', 'sort', 'skip', 'take'] as const)('ends in few requests if the %s is ignored', async (part) => {
	keepFirst(650);
	behave({ lists: { listensTo: { filter: true, sort: true, skip: true, take: true, [part]: false } } });
	for (const idType of ['integer', 'text'] as const) {
		behave({ idType });
		source.requests = 0;
		const result = await read().catch((error: Error) => error);
		if (result instanceof Error) expect(result.message).toMatch(/only the first 100 charging sessions/);
		else expect(distinct(result.rows)).toBe(650);
		expect(source.requests).toBeLessThan(25);
	}
});

it('refuses rows that do not match the filter', async () => {
	behave({ lists: { listensTo: { filter: false, sort: true, skip: true, take: true } } });
	const filter = { logic: 'And' as const, filters: [{ field: 'Status', operator: 'Eq' as const, value: '4' }] };
	await expect(read({ query: { filter, sorts: BY_ID } })).rejects.toThrow('ignored the filter for charging sessions');
});

describe('rows that contradict the filter', () => {
	const filter = (value: string, operator: 'Eq' | 'Neq' = 'Eq') => ({
		logic: 'And' as const,
		filters: [{ field: 'Status', operator, value }],
	});
	const paging = { pageSize: 100, parallel: 4 };

	it('are refused, naming row, value and condition', async () => {
		behave({ lists: { listensTo: { filter: false, sort: true, skip: true, take: true } } });
		const query = { filter: filter('4'), sorts: BY_START };
		await expect(read({ query, paging: { ...paging, isCompared: true } })).rejects.toMatchObject({
			message: expect.stringMatching(
				/^Session \d+ has Status [1256], but 4 was asked for: the platform does not apply the condition on Status$/,
			) as string,
			description: expect.stringContaining("use n8n's Filter node after this one") as string,
		});
		expect(source.requests).toBe(3);
	});

	it('are noted where the platform reads the value in its own way', async () => {
		// It shows other codes than it compares.
		const getPage = async (query: Query) => {
			const { rows, ...page } = await source.getPage(query);
			return { ...page, rows: rows.map((row) => ({ ...row, Status: Number(row.Status) + 100 })) };
		};
		keepFirst(300);
		const { pages, notes } = await listOf(getPage).readPages({
			...{ query: { filter: filter('4'), sorts: BY_START }, paging: { ...paging, isCompared: true } },
		});
		expect(pages.flat().length).toBeGreaterThan(0);
		expect(notes).toEqual([expect.stringContaining('reads the value in its own way')]);
	});

	it('are never found on a platform that filters, which costs no request more', async () => {
		keepFirst(300);
		for (const value of ['4', '6']) {
			for (const operator of ['Eq', 'Neq'] as const) {
				const requests: number[] = [];
				for (const isCompared of [false, true]) {
					source.requests = 0;
					const query = { filter: filter(value, operator), sorts: BY_ID };
					expect((await read({ query, paging: { ...paging, isCompared } })).notes).toBe('');
					requests.push(source.requests);
				}
				expect(requests[1]).toBe(requests[0]);
			}
		}
	});
});

describe('a page in another order than asked for', () => {
	const paging = { pageSize: 100, parallel: 4, isCompared: true };
	const byEnergy: Query['sorts'] = [{ field: 'EnergyConsumed', direction: 'Desc' }];
	const ignoreSort = () =>
		behave({ lists: { listensTo: { filter: true, sort: false, skip: true, take: true } }, naturalOrder: 'idAsc' });

	it.each([
		['the sort is ignored', byEnergy],
		['the direction is ignored', [{ field: 'StartedAtUtc', direction: 'Desc' }]],
		['the first of two sorts is ignored', [...byEnergy, { field: 'Id', direction: 'Asc' }]],
		['only the Id is sorted by', [{ field: 'Id', direction: 'Desc' }]],
	] as Array<[string, Query['sorts']]>)('is refused with a limit, and noted without: %s', async (_, sorts) => {
		ignoreSort();
		keepFirst(300);
		platform.db.exec(`UPDATE sessions SET StartedAtUtc = '2026-01-01T00:' || printf('%02d', Id / 6) || ':00'`);
		for (const limit of [10, 150]) {
			await expect(read({ query: { sorts }, limit, paging })).rejects.toMatchObject({
				message: expect.stringMatching(
					/^Session \d+ with (\w+) \S+ comes before session \d+ with \1 \S+, but \1 descending was asked for: the platform does not sort by it$/,
				) as string,
				description: expect.stringContaining("use n8n's Sort and Limit nodes") as string,
			});
		}
		const all = await read({ query: { sorts }, paging });
		expect(distinct(all.rows)).toBe(300);
		expect(all.notes).toMatch('the platform does not sort by it. Use n8n');
	});

	it('is noted where only a row or two are out of place', async () => {
		keepFirst(300);
		// Row 7 shows another value than the one it was sorted by.
		const getPage = async (query: Query) => {
			const page = await source.getPage(query);
			return { ...page, rows: page.rows.map((row, index) => (index === 1 ? { ...row, EnergyConsumed: 0.5 } : row)) };
		};
		const { pages, notes } = await listOf(getPage).readPages({
			...{ query: { sorts: byEnergy }, limit: 10, paging },
		});
		expect(pages.flat()).toHaveLength(10);
		expect(notes).toEqual([expect.stringContaining('some rows may have changed while they were sorted')]);
	});

	it('is never found on a platform that sorts, which costs one request more with a limit, and none for codes', async () => {
		keepFirst(300);
		for (const sorts of [byEnergy, BY_START, [{ field: 'Status', direction: 'Desc' as const }, ...BY_ID]]) {
			for (const limit of [undefined, 10]) {
				source.requests = 0;
				const first = await read({ query: { sorts }, limit });
				const requests = source.requests;
				source.requests = 0;
				const second = await read({ query: { sorts }, limit, paging });
				expect(second).toEqual(first);
				const isProven = limit !== undefined && sorts[0]?.field !== 'Status';
				expect(source.requests).toBe(requests + Number(isProven));
			}
		}
	});
});

it('does not ask a list of unknown shape for an impossible field where all rows certainly match', async () => {
	const asked: Query[] = [];
	const rows = Array.from({ length: 7 }, (_, index) => ({ Id: index + 1, Power: 50 + index * 10 }));
	const getPage = async (query: Query) => {
		asked.push(query);
		const ordered = query.sorts[0]?.direction === 'Desc' ? [...rows].reverse() : rows;
		return await Promise.resolve({ rows: ordered, totalCount: 7 });
	};
	const filter = { logic: 'And' as const, filters: [{ field: 'Power', operator: 'Gte' as const, value: '20' }] };
	const paging = { pageSize: 100, parallel: 4, isCompared: true };
	const { pages } = await listOf(getPage, LOCATIONS).readPages({ query: { filter, sorts: [] }, paging });
	expect(pages.flat()).toHaveLength(7);
	expect(asked).toHaveLength(2);
	filter.filters = [{ field: 'Power', operator: 'Gte', value: '60' }];
	const reading = listOf(getPage, LOCATIONS).readPages({ query: { filter, sorts: [] }, paging });
	await expect(reading).rejects.toThrow(/has Power 50, but “[a-z ]+ 60” was asked for|ignored the filter/);
});

it('does not look into nested values, however deep', async () => {
	const nest = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as Row[string];
	const rows: Row[] = Array.from({ length: 40 }, (_, index) => ({ Name: `row ${index}`, Tree: nest(50_000) }));
	const getPage = async ({ pager = { skip: 0, take: 10 } }: Query) =>
		await Promise.resolve({ rows: rows.slice(pager.skip, pager.skip + pager.take), totalCount: 40 });
	const { pages } = await listOf(getPage).readPages({
		...{ query: { sorts: [{ field: 'Tree', direction: 'Asc' }] }, paging: { pageSize: 10, parallel: 1 } },
	});
	expect(pages.flat()).toHaveLength(40);
});

describe('the first rows', () => {
	const paging = { pageSize: 100, parallel: 4, isCompared: true };
	const by = (field: string, direction: 'Asc' | 'Desc'): Query['sorts'] => [{ field, direction }];
	const first = async (sorts: Query['sorts']) => await read({ query: { sorts }, limit: 10, paging });
	const idsBySql = (order: string) =>
		platform.db
			.prepare(`SELECT Id FROM sessions ORDER BY ${order} LIMIT 10`)
			.all()
			.map(({ Id: id }) => Number(id));
	beforeEach(() => {
		keepFirst(300);
		platform.db.exec(
			`UPDATE sessions SET EnergyConsumed = Id / 4.0, StartedAtUtc = '2026-01-01T00:' || printf('%02d:%02d', Id / 60, Id % 60)`,
		);
	});

	it.each([
		['Id', 'Asc'],
		['StartedAtUtc', 'Asc'],
	] as const)(
		'are refused where pages are sorted each alone, and values of %s stand still',
		async (field, direction) => {
			behave({ lists: { sorting: 'page' }, naturalOrder: 'idDesc' });
			await expect(first(by(field, direction))).rejects.toMatchObject({
				message: expect.stringMatching(
					new RegExp(`^Session \\d+ with ${field} \\S+ comes before session \\d+ with ${field} \\S+ in the order of`),
				) as string,
				description: expect.stringContaining("use n8n's Sort and Limit nodes") as string,
			});
		},
	);

	it.each([
		['each page is sorted alone', { lists: { sorting: 'page' } }, by('EnergyConsumed', 'Desc')],
		['the row may be new', { lists: { sorting: 'page' } }, by('StartedAtUtc', 'Desc')],
		['the row may be new, by Id', { lists: { sorting: 'page' } }, by('Id', 'Desc')],
	] as Array<[string, Parameters<typeof behave>[0], Query['sorts']]>)('are noted where %s', async (_, odd, sorts) => {
		behave(odd);
		expect((await first(sorts)).notes).toMatch(/comes before session .*, but did not come: it may be new/);
	});

	it.each(['page', 'text'] as const)('are noted where numbers also come as text: sorted by %s', async (sorting) => {
		platform.db.exec('UPDATE sessions SET EnergyConsumed = 80.5 + Id % 40');
		behave({ lists: { sorting, decimals: 'text' } });
		expect((await first(by('EnergyConsumed', 'Desc'))).notes).toMatch('but did not come');
	});

	it('are noted where numbers are sorted as text, and the page looks sorted', async () => {
		platform.db.exec('UPDATE sessions SET EnergyConsumed = 80 + Id % 40');
		behave({ lists: { sorting: 'text' } });
		expect((await first(by('EnergyConsumed', 'Desc'))).notes).toMatch('but did not come');
	});

	it('cost one request more, once an hour for question, field and direction', async () => {
		const list = listOf(source.getPage);
		const requests = async (sorts: Query['sorts'], filter?: Query['filter']) => {
			source.requests = 0;
			await list.readPages({ query: { sorts, filter }, limit: 10, paging });
			return source.requests;
		};
		const status = { logic: 'And' as const, filters: [{ field: 'Status', operator: 'Eq' as const, value: '4' }] };
		const sorts = by('EnergyConsumed', 'Desc');
		expect([await requests(sorts), await requests(sorts), await requests(sorts)]).toEqual([2, 1, 1]);
		expect([await requests(sorts, status), await requests(sorts, status)]).toEqual([2, 1]);
		expect(await requests(by('EnergyConsumed', 'Asc'))).toBe(2);
		for (const none of [by('StationName', 'Asc'), by('Status', 'Asc'), []]) expect(await requests(none)).toBe(1);
	});

	it('need no proof where the first one has no value', async () => {
		behave({ nullPlacement: 'alwaysFirst' });
		platform.db.exec('UPDATE sessions SET EnergyConsumed = NULL WHERE Id = 7');
		const { rows, notes } = await first(by('EnergyConsumed', 'Desc'));
		expect([rows[0]?.Id, notes, source.requests]).toEqual([7, '', 1]);
	});

	it.each(['StartedAtUtc', 'Id'])(
		'a session that has just started is among the latest ten by %s, and stops nothing',
		async (field) => {
			let isFirst = true;
			platform.beforeList = ({ dsquery }) => {
				const isProof = JSON.stringify(dsquery).includes('"Gt"');
				if (isProof && isFirst) platform.startSession();
				if (isProof) isFirst = false;
			};
			const { rows, notes } = await first(by(field, 'Desc'));
			expect(notes).toBe('');
			expect(rows.map(({ Id: id }) => id)).toEqual(idsBySql('Id DESC'));
		},
	);

	it('a value that the wire shows without its fraction is no row before', async () => {
		behave({ timestampFractions: true });
		const short = async (query: Query) => {
			const { rows, ...page } = await source.getPage(query);
			return {
				...page,
				rows: rows.map((row) => ({ ...row, StartedAtUtc: (row.StartedAtUtc as string).slice(0, 19) })),
			};
		};
		for (const direction of ['Asc', 'Desc'] as const) {
			const request = { query: { sorts: by('StartedAtUtc', direction) }, limit: 10, paging };
			expect((await listOf(short).readPages(request)).notes).toEqual([]);
		}
	});

	it('are those of the second answer, where only the first one is unsorted', async () => {
		behave({ lists: { unsortedAnswers: 1 } });
		const { rows, notes } = await first(by('EnergyConsumed', 'Desc'));
		expect(rows.map(({ Id: id }) => id)).toEqual(idsBySql('EnergyConsumed DESC, Id'));
		expect(notes).toBe('');
	});
});

describe('counting', () => {
	const count = async (filter?: Group) => await listOf(source.getPage).count(filter);

	it.each([0, 60, -9_000, 2_147_483_647 - 10_000])(
		'is one request, and the figure of the platform (%i rows beside the truth)',
		async (countOffBy) => {
			behave({ lists: { count: 'offBy', countOffBy } });
			expect(await count()).toBe(10_000 + countOffBy);
			expect(source.requests).toBe(1);
		},
	);

	it('refuses to count rows that do not match the filter', async () => {
		const filter: Group = { logic: 'And', filters: [{ field: 'Status', operator: 'Eq', value: '77' }] };
		expect(await count(filter)).toBe(0);
		behave({ lists: { listensTo: { filter: false, sort: true, skip: true, take: true } } });
		await expect(count(filter)).rejects.toThrow(/^Session \d+ has Status \d, but 77 was asked for/);
	});

	it.each(['null', 'missing'] as const)('refuses a count that is %s', async (totalCount) => {
		behave({ totalCount });
		await expect(count()).rejects.toThrow(/^The platform does not count charging sessions: TotalCount is /);
	});
});
