import fc from 'fast-check';

import type { FilterNode, Query } from '../../../../../nodes/shared/dsquery/types';
import { PlatformError } from '../../../../../nodes/shared/platform/answers/errors';
import { keepRows, Kept } from '../../../../../nodes/shared/platform/lists/sink';
import type { Sink } from '../../../../../nodes/shared/platform/lists/types';
import type { Page, Row } from '../../../../../nodes/shared/platform/types';
import { listOf } from '../../../../support/lists/unknownReader.ts';
import { draws } from '../../../../support/draws.ts';

const RUNS = draws(4_000);

type Change =
	| { kind: 'append'; count: number }
	| { kind: 'insert'; at: number }
	| { kind: 'remove'; at: number; count: number }
	| { kind: 'toggle'; at: number }
	| { kind: 'move'; at: number; to: number };

interface Entry {
	id: number;
	start: number;
	matching: boolean;
}

/** An in-memory list that changes between requests, and remembers which rows stayed the same throughout. */
class RestlessList {
	requests = 0;
	private asked = 0;
	readonly disturbed = new Set<number>();
	readonly everMatched = new Set<number>();
	private nextId: number;

	constructor(
		private entries: Entry[],
		private readonly changes: readonly Change[][],
		private readonly options: { clamp: number; textIds: boolean; delays?: number[] },
	) {
		this.nextId = Math.max(0, ...entries.map(({ id }) => id)) + 10;
	}

	rowId(id: number): string | number {
		return this.options.textIds ? `s-${String(id).padStart(6, '0')}` : id;
	}

	steadyIds(): Array<string | number> {
		return this.entries
			.filter(({ id, matching }) => matching && !this.disturbed.has(id))
			.map(({ id }) => this.rowId(id));
	}

	/** Requests and answers overtake each other, as they do on a network. */
	async getPage(query: Query): Promise<Page> {
		const delays = this.options.delays ?? [0];
		const [before = 0, after = 0] = [delays[this.asked++ % delays.length], delays[this.asked++ % delays.length]];
		for (let tick = 0; tick < before; tick++) await Promise.resolve();
		const page = this.answer(query);
		for (let tick = 0; tick < after; tick++) await Promise.resolve();
		return page;
	}

	/** Answers a page from a single state of the list; changes happen between requests. */
	private answer(query: Query): Page {
		if (this.requests > 0) for (const change of this.changes[this.requests - 1] ?? []) this.apply(change);
		this.requests++;
		if (this.requests > 2_000) throw new Error('Reading this list does not end');
		for (const { id, matching } of this.entries) if (matching) this.everMatched.add(id);
		const matching = this.entries.filter((entry) => entry.matching && this.matches(entry, query.filter));
		matching.sort((a, b) => this.compare(a, b, query));
		const { skip, take } = query.pager ?? { skip: 0, take: 10 };
		const rows: Row[] = matching
			.slice(skip, skip + Math.min(take, this.options.clamp))
			.map(({ id, start }) => ({ Id: this.rowId(id), Start: start }));
		return { rows, totalCount: matching.length };
	}

	private matches(entry: Entry, node: FilterNode | undefined): boolean {
		if (node === undefined) return true;
		if ('filters' in node) return node.filters.every((inner) => this.matches(entry, inner));
		const value = Number(node.value);
		const matches = {
			Neq: entry.id !== value,
			Gt: entry.id > value,
			Gte: entry.id >= value,
			Lt: entry.id < value,
			Lte: entry.id <= value,
		};
		return matches[node.operator as keyof typeof matches];
	}

	private compare(a: Entry, b: Entry, query: Query): number {
		for (const { field, direction } of query.sorts) {
			const order = field === 'Id' ? a.id - b.id : a.start - b.start;
			if (order !== 0) return direction === 'Asc' ? order : -order;
		}
		return 0;
	}

	private apply(change: Change): void {
		const entry = 'at' in change ? this.entries[change.at % Math.max(1, this.entries.length)] : undefined;
		if (change.kind === 'append') {
			for (let count = 0; count < change.count; count++) this.add(this.nextId++);
		} else if (change.kind === 'insert') {
			const id = change.at % this.nextId;
			if (!this.entries.some((other) => other.id === id) && !this.disturbed.has(id)) this.add(id);
		} else if (change.kind === 'remove') {
			for (const { id } of this.entries.splice(change.at % Math.max(1, this.entries.length), change.count))
				this.disturbed.add(id);
		} else if (entry) {
			this.disturbed.add(entry.id);
			if (change.kind === 'toggle') entry.matching = !entry.matching;
			else entry.start = change.to;
		}
	}

	private add(id: number): void {
		this.disturbed.add(id);
		this.entries.push({ id, start: id % 7, matching: true });
	}
}

const change: fc.Arbitrary<Change> = fc.oneof(
	fc.record({ kind: fc.constant('append' as const), count: fc.integer({ min: 1, max: 5 }) }),
	fc.record({ kind: fc.constant('insert' as const), at: fc.nat(5000) }),
	fc.record({ kind: fc.constant('remove' as const), at: fc.nat(5000), count: fc.integer({ min: 1, max: 40 }) }),
	fc.record({ kind: fc.constant('toggle' as const), at: fc.nat(5000) }),
	fc.record({ kind: fc.constant('move' as const), at: fc.nat(5000), to: fc.nat(9) }),
);

const history = fc.record({
	size: fc.nat(160),
	spread: fc.integer({ min: 1, max: 4 }),
	changes: fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 40, size: 'max' }),
	clamp: fc.constantFrom(100, 100, 7, 3),
	pageSize: fc.integer({ min: 2, max: 20 }),
	parallel: fc.integer({ min: 1, max: 8 }),
	textIds: fc.boolean(),
	delays: fc.array(fc.nat(30), { minLength: 1, maxLength: 12 }),
	order: fc.constantFrom('id' as const, 'idDown' as const, 'start' as const, 'startDown' as const),
});

function entriesOf(size: number, spread: number): Entry[] {
	return Array.from({ length: size }, (_, index) => ({
		id: index * spread + (index % spread) + 1,
		start: (index * 5) % 11,
		matching: index % 9 !== 4,
	}));
}

const SORTS: Record<'id' | 'idDown' | 'start' | 'startDown', Query['sorts']> = {
	id: [{ field: 'Id', direction: 'Asc' }],
	idDown: [{ field: 'Id', direction: 'Desc' }],
	start: [
		{ field: 'Start', direction: 'Asc' },
		{ field: 'Id', direction: 'Asc' },
	],
	startDown: [
		{ field: 'Start', direction: 'Desc' },
		{ field: 'Id', direction: 'Asc' },
	],
};

describe('reading a list that changes between any two requests', () => {
	it('returns every row that held still exactly once, in order', async () => {
		await fc.assert(
			fc.asyncProperty(
				history,
				async ({ size, spread, changes, clamp, pageSize, parallel, textIds, delays, order }) => {
					const list = new RestlessList(entriesOf(size, spread), changes, { clamp, textIds, delays });
					const result = await listOf(async (query) => await list.getPage(query)).readPages({
						query: { sorts: SORTS[order] },
						paging: { pageSize, parallel },
					});
					const ids = result.pages.flat().map(({ Id: id }) => id as string | number);
					expect(new Set(ids).size).toBe(ids.length);
					const returned = new Set(ids);
					expect(list.steadyIds().filter((id) => !returned.has(id))).toEqual([]);
					if (order === 'id' || order === 'idDown') {
						const steady = new Set(list.steadyIds());
						const numbers = ids.filter((id) => steady.has(id)).map((id) => Number(String(id).replace('s-', '')));
						expect(numbers).toEqual([...numbers].sort((a, b) => (order === 'id' ? a - b : b - a)));
					}
				},
			),
			{ numRuns: RUNS },
		);
	});

	it('stops at the limit with the first rows of a stable list, in few more requests than needed', async () => {
		await fc.assert(
			fc.asyncProperty(
				history,
				fc.nat(200),
				async ({ size, spread, pageSize, parallel, textIds, delays, order }, limit) => {
					const entries = entriesOf(size, spread);
					const list = new RestlessList(entries, [], { clamp: 100, textIds, delays });
					const { pages } = await listOf(async (query) => await list.getPage(query)).readPages({
						query: { sorts: SORTS[order] },
						limit,
						paging: { pageSize, parallel },
					});
					const whole = new RestlessList(entries, [], { clamp: 1000, textIds });
					const expected = await whole.getPage({ sorts: SORTS[order], pager: { skip: 0, take: limit } });
					expect(pages.flat()).toEqual(expected.rows);
					const rows = expected.rows.length;
					const byId = !textIds && (order === 'id' || order === 'idDown');
					const least = byId ? Math.ceil(rows / pageSize) : Math.ceil(Math.max(0, rows - 1) / (pageSize - 1));
					expect(list.requests).toBeLessThanOrEqual(least + 3 * parallel);
				},
			),
			{ numRuns: RUNS },
		);
	});

	it('fills the limit from a changing list that has enough unchanged rows', async () => {
		await fc.assert(
			fc.asyncProperty(history, fc.nat(60), async (plan, limit) => {
				const { size, spread, changes, pageSize, parallel, delays, order } = plan;
				const list = new RestlessList(entriesOf(size, spread), changes, { clamp: 100, textIds: false, delays });
				const { pages } = await listOf(async (query) => await list.getPage(query)).readPages({
					query: { sorts: SORTS[order] },
					limit,
					paging: { pageSize, parallel },
				});
				const ids = pages.flat().map(({ Id: id }) => id);
				expect(new Set(ids).size).toBe(ids.length);
				expect(ids.length).toBeLessThanOrEqual(limit);
				if (list.steadyIds().length >= limit) expect(ids).toHaveLength(limit);
			}),
			{ numRuns: RUNS },
		);
	});

	it('keeps to the promised number of requests for a list that holds still', async () => {
		await fc.assert(
			fc.asyncProperty(history, fc.nat(3000), async ({ spread, parallel, textIds, delays, order }, size) => {
				const list = new RestlessList(entriesOf(size, spread), [[]], { clamp: 100, textIds, delays });
				const { pages, notes } = await listOf(async (query) => await list.getPage(query)).readPages({
					query: { sorts: SORTS[order] },
					paging: { pageSize: 100, parallel },
				});
				const rows = pages.flat().length;
				expect(notes).toEqual([]);
				expect(rows).toBe(list.steadyIds().length);
				const byId = !textIds && (order === 'id' || order === 'idDown');
				const least = byId ? Math.ceil(rows / 100) : Math.ceil(Math.max(0, rows - 1) / 99);
				expect(list.requests).toBeLessThanOrEqual(least + 3 * parallel);
			}),
			{ numRuns: Math.ceil(RUNS / 10) },
		);
	});

	it('asks for nothing between two Ids that follow one another', async () => {
		await fc.assert(
			fc.asyncProperty(history, async ({ size, pageSize, parallel, delays, order }) => {
				const list = new RestlessList(
					entriesOf(size, 1).map((entry) => ({ ...entry, matching: true })),
					[],
					{ clamp: 100, textIds: false, delays },
				);
				const gaps: number[] = [];
				const getPage = async (query: Query) => {
					const [one, other] = query.filter && 'filters' in query.filter ? query.filter.filters : [];
					if (one && other && 'value' in one && 'value' in other) gaps.push(Number(one.value) - Number(other.value));
					return await list.getPage(query);
				};
				await listOf(getPage).readPages({ query: { sorts: SORTS[order] }, paging: { pageSize, parallel } });
				expect(gaps.filter((gap) => Math.abs(gap) < 2)).toEqual([]);
			}),
			{ numRuns: RUNS },
		);
	});

	it('reads only rows shared by lanes twice, and nothing after a last page that is not full', async () => {
		await fc.assert(
			fc.asyncProperty(history, fc.nat(160), async ({ pageSize, parallel, delays }, rows) => {
				const size = Math.min(rows, (parallel + 1) * pageSize);
				const entries = Array.from({ length: size }, (_, index) => ({ id: index + 1, start: 0, matching: true }));
				const list = new RestlessList(entries, [], { clamp: 100, textIds: false, delays });
				const { pages } = await listOf(async (query) => await list.getPage(query)).readPages({
					...{ query: { sorts: SORTS.id }, paging: { pageSize, parallel } },
				});
				expect(pages.flat()).toHaveLength(size);
				const lanes = Math.min(parallel, Math.ceil(size / pageSize) - 1);
				// A full page is never taken for the last one, nor is an only one, nor one that ends at a hundred.
				const inDoubt = size > 0 && (size < pageSize || size % 100 === 0) ? 1 : 0;
				expect(list.requests).toBeLessThanOrEqual(1 + inDoubt + Math.floor((size + Math.max(0, lanes - 1)) / pageSize));
			}),
			{ numRuns: RUNS },
		);
	});

	it('asks for nothing more once a request has failed', async () => {
		await fc.assert(
			fc.asyncProperty(history, fc.integer({ min: 1, max: 40 }), async (plan, failing) => {
				const { size, spread, pageSize, parallel, delays, order } = plan;
				const list = new RestlessList(entriesOf(size, spread), [], { clamp: 100, textIds: false, delays });
				let asked = 0;
				let hasFailed = false;
				let askedAfterwards = 0;
				const getPage = async (query: Query) => {
					if (hasFailed) askedAfterwards++;
					const fails = ++asked === failing;
					const page = await list.getPage(query);
					if (!fails) return page;
					// Requests that start in the same tick may not know of the failure yet.
					setImmediate(() => (hasFailed = true));
					throw new Error('The connection broke');
				};
				const reading = listOf(getPage).readPages({ query: { sorts: SORTS[order] }, paging: { pageSize, parallel } });
				await reading.catch(() => undefined);
				expect(askedAfterwards).toBe(0);
			}),
			{ numRuns: RUNS },
		);
	});

	it('hands over each row once, whatever is kept of it, even if reading starts over', async () => {
		let refused = 0;
		await fc.assert(
			fc.asyncProperty(history, fc.nat(30), async (plan, lostAfter) => {
				const { size, spread, changes, clamp, pageSize, parallel, textIds, delays, order } = plan;
				// Refused is a list that changes with each page of a few rows, as if it had no order, and one that grows, where
				// the Id up to which it is read may no longer be asked for.
				const isRefused = (error: unknown) => {
					if (!(error instanceof PlatformError)) throw error;
					expect(error.message).toMatch(/^The order of|gives only the first/);
					refused++;
				};
				const read = async (sink: Sink, wanted?: number) => {
					const list = new RestlessList(entriesOf(size, spread), changes, { clamp, textIds, delays });
					const getPage = async (query: Query) => {
						// From some request on, the platform does not filter by Id: the walk by Id is given up.
						if (query.filter && list.requests >= lostAfter) throw new PlatformError('query-refused', 'No filter on Id');
						return await list.getPage(query);
					};
					const request = { query: { sorts: SORTS[order] }, paging: { pageSize, parallel }, sink, wanted };
					return await listOf(getPage).read(request).catch(isRefused);
				};
				const rows = keepRows();
				if (!(await read(rows))) return;
				let handed: Row[] = [];
				await read({ begin: () => (handed = []), add: (some) => handed.push(...some) });
				const idOf = ({ Id: id }: Row) => `${id as string | number}`;
				expect(handed.map(idOf).sort()).toEqual(rows.all.map(idOf).sort());
				const ids = new Kept((some) => some.map(idOf));
				await read(ids);
				expect(ids.all).toEqual(rows.all.map(idOf));
				handed = [];
				await read({ begin: () => (handed = []), add: (some) => handed.push(...some) }, 40);
				expect(handed.length).toBeLessThanOrEqual(40);
				expect(new Set(handed.map(idOf)).size).toBe(handed.length);
			}),
			{ numRuns: RUNS },
		);
		expect(refused).toBeLessThanOrEqual(RUNS / 50 + 1);
	});
});
