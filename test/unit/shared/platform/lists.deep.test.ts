/**
 * Lists on platforms of many kinds, which may move between any two requests: what was there throughout comes exactly
 * once, or there is a note, or an error. Nothing is wrong in silence.
 */
import fc from 'fast-check';

import type { FilterNode, Query } from '../../../../nodes/shared/dsquery/types';
import { isFilterGroup } from '../../../../nodes/shared/dsquery/types';
import { PlatformError } from '../../../../nodes/shared/platform/answers/errors';
import { ListReader } from '../../../../nodes/shared/platform/lists/listReader.ts';
import { createRowBuffer } from '../../../../nodes/shared/platform/lists/rowBuffer.ts';
import type { Page } from '../../../../nodes/shared/platform/types';
import { SESSIONS } from '../../../../nodes/shared/resources';
import { draws, randomFrom } from '../../../support/draws.ts';

/** A draw takes no time, and twenty find little. */
const DRAWS = Math.max(400, draws(24_000));
const ALL = Number.POSITIVE_INFINITY;

const mostly = <const Value>(usual: Value, ...others: Value[]) =>
	fc.oneof({ weight: 2, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });

/** What becomes of a Skip above a thousand. */
const HIGH_SKIPS = ['right', 'refused', 'capped', 'failing', 'blank'] as const;
const MOST_SKIPPED = 1_000;

const kinds = fc.record({
	rows: fc.constantFrom<number[]>(0, 1, 2, 3, 12, 30, 99, 100, 101, 150, 730, 1_003),
	ids: mostly('dense', 'sparse', 'skewed', 'negative', 'text', 'large', 'pairs', 'threes'),
	/** The largest page, and what TotalCount is. */
	cut: mostly<number>(1_000, 10, 15, 25, 30, 37, 40, 50, 75, 99),
	count: mostly('right', 'page', 'none', 'capped', 'high', 'low', 'zero', 'huge'),
	ignores: mostly('nothing', 'nothing', 'Skip', 'Sort', 'Dir', 'Take'),
	highSkip: fc.constant<(typeof HIGH_SKIPS)[number]>('right'),
	/** Changes between two requests, up to this many. */
	changes: mostly<number>(0, 1, 3),
	wanted: mostly(ALL, 1, 7, 50, 250),
	sort: mostly('none', 'Value', 'newest'),
	pageSize: mostly<number>(100, 25),
	parallel: fc.constantFrom(1, 4, 8),
	seed: fc.nat(1_000_000),
});
type Kind = typeof kinds extends fc.Arbitrary<infer Drawn> ? Drawn : never;

interface Row {
	Id: number | string;
	place: number;
	Value: number;
}

class Platform {
	private readonly random: () => number;
	private rows: Row[] = [];
	private requests = 0;
	/** The places of the rows that were there at first, and of those that went or changed. */
	readonly first: ReadonlySet<number>;
	readonly disturbed = new Set<number>();

	constructor(private readonly kind: Kind) {
		this.random = randomFrom(kind.seed);
		let place = kind.ids === 'negative' ? -kind.rows : 0;
		for (let index = 0; index < kind.rows; index++) this.rows.push(this.row((place += this.step())));
		this.first = new Set(this.rows.map((row) => row.place));
	}

	readonly ask = async ({ filter, sorts, pager = { skip: 0, take: 10 } }: Query): Promise<Page> => {
		const { ignores, cut } = this.kind;
		if (++this.requests > 1) this.move();
		if (this.requests > 3_000) throw new Error('Reading this list does not end');
		const [sort] = ignores === 'Sort' ? [] : sorts;
		const found = this.sortedBy(sort?.field).filter((row) => !filter || this.matches(filter, row));
		if (sort?.direction === 'Desc' && ignores !== 'Dir') found.reverse();
		const skip = ignores === 'Skip' ? 0 : this.skipOf(pager.skip);
		if (skip === undefined) return { rows: [], isBlank: true };
		const take = ignores === 'Take' ? found.length : Math.min(pager.take, cut);
		const rows = found.slice(skip, skip + take).map((row) => ({ ...row }));
		return await Promise.resolve({ rows, totalCount: this.countOf(found.length, rows.length) });
	};

	private skipOf(skip: number): number | undefined {
		const { highSkip } = this.kind;
		if (skip <= MOST_SKIPPED || highSkip === 'right') return skip;
		if (highSkip === 'refused') throw new PlatformError('query-refused', 'Skip is too high', { status: 400 });
		if (highSkip === 'failing') throw new PlatformError('server-failure', 'It is away', { status: 500 });
		return highSkip === 'blank' ? undefined : MOST_SKIPPED;
	}

	sortedBy(field?: string): Row[] {
		const isText = this.kind.ids === 'text';
		if (field !== 'Value' && !isText) return [...this.rows];
		const byId = (a: Row, b: Row) => (isText ? (a.Id < b.Id ? -1 : 1) : a.place - b.place);
		return [...this.rows].sort((a, b) => (field === 'Value' && a.Value - b.Value) || byId(a, b));
	}

	private countOf(found: number, onPage: number): number | undefined {
		const counts = {
			right: found,
			page: onPage,
			capped: Math.min(found, 100),
			high: Math.ceil(found * 1.07),
			low: Math.max(0, found - 1),
			zero: 0,
			huge: 2_147_483_647,
			none: undefined,
		};
		return counts[this.kind.count];
	}

	private move(): void {
		for (let left = this.below(this.kind.changes + 1); left > 0; left--) {
			const at = this.below(this.rows.length);
			const row = this.rows[at];
			if (!row) return;
			const change = this.below(4);
			const highest = this.rows.at(-1)?.place ?? 0;
			if (change === 0) this.rows.push(this.row(highest + this.step()));
			else if (change === 1) {
				const place = this.below(highest);
				const next = this.rows.findIndex((other) => other.place >= place);
				if (this.first.has(place) || next < 0 || this.rows[next]?.place === place) continue;
				this.rows.splice(next, 0, this.row(place));
			} else {
				this.disturbed.add(row.place);
				if (change === 2) this.rows.splice(at, 1);
				else row.Value = this.below(1_000);
			}
		}
	}

	private row(place: number): Row {
		const { ids } = this.kind;
		const id = ids === 'text' ? `id-${place}` : ids === 'large' ? String(2n ** 60n + BigInt(place)) : this.idAt(place);
		return { Id: id, place, Value: this.below(1_000) };
	}

	/** Two or three rows may share an Id. */
	private idAt(place: number): number {
		const { ids } = this.kind;
		return Math.ceil(place / (ids === 'pairs' ? 2 : ids === 'threes' ? 3 : 1));
	}

	private matches(node: FilterNode, row: Row): boolean {
		if (isFilterGroup(node)) return node.filters.every((inner) => this.matches(inner, row));
		const id = this.idAt(row.place);
		return node.operator === 'Gt' ? id > Number(node.value) : id <= Number(node.value);
	}

	private step(): number {
		const { ids } = this.kind;
		if (['dense', 'negative', 'pairs', 'threes'].includes(ids)) return 1;
		return ids === 'skewed' && this.below(50) === 0 ? 10_000 : 1 + this.below(5);
	}

	/** A number from 0 to below `end`. */
	private below(end: number): number {
		return Math.floor(this.random() * Math.max(0, end));
	}
}

const sourceOf = ({ ask }: Platform): ConstructorParameters<typeof ListReader>[1] => ({
	getPage: async (_, query, { judge } = {}) => await (judge ? judge(ask(query)) : ask(query)),
});

it(`gives every row that was there throughout, once, or says what it cannot do, in ${DRAWS} draws`, async () => {
	let refused = 0;
	await fc.assert(
		fc.asyncProperty(kinds, async (kind) => {
			const { wanted, sort, pageSize, parallel, cut, count, ids, ignores } = kind;
			// Cut to a length that is no multiple of five, counting only itself, is believed: docs/limits-and-cost.md, Limits you should know, 5.
			fc.pre(!(cut % 5 > 0 && (count === 'page' || (count === 'low' && kind.rows - 1 === cut))));
			// Whether texts are in order is the platform's affair.
			fc.pre(!(sort === 'newest' && (ids === 'text' || ids === 'large') && ignores !== 'nothing'));
			const isNewest = sort === 'newest' && wanted < ALL;
			const sorts: Query['sorts'] = sort === 'Value' ? [{ field: 'Value', direction: 'Asc' }] : [];
			if (isNewest) sorts.push({ field: 'Id', direction: 'Desc' });
			const platform = new Platform(kind);
			const sink = createRowBuffer();
			const list = new ListReader(SESSIONS, sourceOf(platform));
			const reading = list.read({ query: { sorts }, wanted, paging: { pageSize, parallel }, sink });
			const result = await reading.catch((error: unknown) => error);
			if (ignores === 'nothing' && count === 'right' && kind.changes === 0) expect(result).toMatchObject({ notes: [] });
			if (result instanceof Error) {
				expect(result).toBeInstanceOf(PlatformError);
				refused++;
				return;
			}
			const places = sink.all.map(({ place }) => Number(place));
			expect(new Set(places).size).toBe(places.length);
			if ((result as { notes: string[] }).notes.length > 0) return;
			const throughout = [...platform.first].filter((place) => !platform.disturbed.has(place));
			if (wanted === ALL) expect(throughout.filter((place) => !places.includes(place))).toEqual([]);
			if (kind.changes > 0) return;
			const asked = platform.sortedBy(sort);
			if (isNewest) asked.reverse();
			const shown = (rows: ReadonlyArray<Partial<Row>>) =>
				rows.map((row) => (sort === 'Value' ? row.Value : row.place));
			expect(shown(sink.all)).toEqual(shown(asked.slice(0, wanted)));
		}),
		{ numRuns: DRAWS },
	);
	// Most can be read: a refusal without need would show here.
	expect(refused).toBeLessThan(DRAWS / 10);
});

const movingKinds = fc.record({
	rows: fc.constant(3_000),
	ids: fc.constantFrom<Kind['ids']>('dense', 'sparse', 'skewed'),
	cut: mostly(1_000, 50, 99),
	count: mostly<Kind['count']>('right', 'high', 'low', 'huge'),
	ignores: mostly<Kind['ignores']>('nothing', 'Skip'),
	highSkip: mostly(...HIGH_SKIPS),
	changes: fc.constantFrom(0, 1, 3, 20),
	wanted: fc.constant(ALL),
	sort: fc.constant<Kind['sort']>('none'),
	pageSize: mostly(100, 60),
	parallel: fc.constantFrom(1, 4, 8),
	seed: fc.nat(1_000_000),
});
const MOVING = draws(1_200);

it(`a list of 3,000 rows that moves is read by Id in lanes: what was there throughout comes exactly once, in order, in ${MOVING} draws`, async () => {
	await fc.assert(
		fc.asyncProperty(movingKinds, async (kind) => {
			const platform = new Platform(kind);
			const sink = createRowBuffer();
			const paging = { pageSize: kind.pageSize, parallel: kind.parallel };
			const list = new ListReader(SESSIONS, sourceOf(platform));
			const { notes } = await list.read({ query: { sorts: [] }, paging, sink });
			const places = sink.all.map(({ place }) => Number(place));
			expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
			const came = new Set(places);
			expect([...platform.first].filter((place) => !platform.disturbed.has(place) && !came.has(place))).toEqual([]);
			if (kind.changes === 0 && kind.count === 'right') expect(notes).toEqual([]);
		}),
		{ numRuns: MOVING },
	);
});
