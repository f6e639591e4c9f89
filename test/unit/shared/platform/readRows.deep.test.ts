/**
 * Lists on platforms of many kinds, which may move between any two requests: what was there throughout comes exactly
 * once, or there is a note, or an error. Nothing is wrong in silence.
 */
import fc from 'fast-check';

import type { FilterNode, Query } from '../../../../nodes/shared/dsquery/types';
import { isGroup } from '../../../../nodes/shared/dsquery/types';
import { PlatformError } from '../../../../nodes/shared/platform/answers/errors';
import { PlatformList } from '../../../../nodes/shared/platform/lists/platformList';
import { keepRows } from '../../../../nodes/shared/platform/lists/kept';
import type { Page } from '../../../../nodes/shared/platform/types';
import { SESSIONS } from '../../../../nodes/shared/resources';
import { draws } from '../../../support/draws.ts';

const DRAWS = draws(24_000);

interface Kind {
	rows: number;
	ids: 'dense' | 'sparse' | 'skewed' | 'negative' | 'text' | 'large';
	/** Largest page, and what TotalCount is. */
	cut: number;
	count: 'right' | 'page' | 'none' | 'capped' | 'high' | 'low' | 'zero' | 'huge';
	ignores: 'nothing' | 'Skip' | 'Sort' | 'Dir' | 'Filter' | 'Take';
	/** Changes between two requests, from 0 to this many. */
	changes: number;
	wanted: number;
	sort: 'none' | 'Value' | 'newest';
	pageSize: number;
	parallel: number;
	seed: number;
}

interface Row {
	Id: number | string;
	place: number;
	Value: number;
}

class Platform {
	private random: number;
	private rows: Row[] = [];
	readonly first: ReadonlySet<number>;
	readonly disturbed = new Set<number>();
	requests = 0;

	constructor(private readonly kind: Kind) {
		this.random = kind.seed;
		let place = kind.ids === 'negative' ? -kind.rows : 0;
		for (let index = 0; index < kind.rows; index++) this.rows.push(this.row((place += this.step())));
		this.first = new Set(this.rows.map((row) => row.place));
	}

	readonly ask = async ({ filter, sorts, pager = { skip: 0, take: 10 } }: Query): Promise<Page> => {
		const { ignores, cut, ids } = this.kind;
		if (++this.requests > 1) this.move();
		if (this.requests > 3_000) throw new Error('Reading this list does not end');
		const found = this.rows.filter((row) => ignores === 'Filter' || !filter || matches(filter, row));
		const [sort] = ignores === 'Sort' ? [] : sorts;
		const sign = sort?.direction === 'Desc' && ignores !== 'Dir' ? -1 : 1;
		const byId = (a: Row, b: Row) => (ids === 'text' ? (a.Id < b.Id ? -1 : 1) : a.place - b.place);
		found.sort((a, b) => sign * ((sort?.field === 'Value' ? a.Value - b.Value : byId(a, b)) || byId(a, b)));
		const skip = ignores === 'Skip' ? 0 : pager.skip;
		const take = ignores === 'Take' ? found.length : Math.min(pager.take, cut);
		const rows = found.slice(skip, skip + take).map((row) => ({ ...row }));
		return await Promise.resolve({ rows, ...this.countOf(found.length, rows.length) });
	};

	/** What the rows are in the order asked for: their places, or their values. */
	inOrder(sort: Kind['sort']): number[] {
		const isText = this.kind.ids === 'text';
		const rows = [...this.rows].sort((a, b) => (isText ? (a.Id < b.Id ? -1 : 1) : a.place - b.place));
		if (sort === 'Value') return rows.map(({ Value }) => Value).sort((a, b) => a - b);
		if (sort === 'newest' && this.kind.wanted < Number.POSITIVE_INFINITY) rows.reverse();
		return rows.map(({ place }) => place);
	}

	private countOf(found: number, onPage: number): Pick<Page, 'totalCount'> {
		const counts = {
			...{ right: found, page: onPage, capped: Math.min(found, 100), high: Math.ceil(found * 1.07) },
			...{ low: Math.max(0, found - 1), zero: 0, huge: 2_147_483_647 },
		};
		const { count } = this.kind;
		return count === 'none' ? {} : { totalCount: counts[count] };
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
				if (this.first.has(place) || this.rows.some((other) => other.place === place)) continue;
				this.rows = [...this.rows, this.row(place)].sort((a, b) => a.place - b.place);
			} else {
				this.disturbed.add(row.place);
				if (change === 2) this.rows.splice(at, 1);
				else row.Value = this.below(1_000);
			}
		}
	}

	private row(place: number): Row {
		const { ids } = this.kind;
		const id = ids === 'text' ? `id-${place}` : ids === 'large' ? String(2n ** 60n + BigInt(place)) : place;
		return { Id: id, place, Value: this.below(1_000) };
	}

	private step(): number {
		const { ids } = this.kind;
		if (ids === 'dense' || ids === 'negative') return 1;
		return ids === 'skewed' && this.below(50) === 0 ? 10_000 : 1 + this.below(5);
	}

	/** A number from 0 to below `end`. */
	private below(end: number): number {
		this.random = (this.random * 1_103_515_245 + 12_345) % 2 ** 31;
		return end <= 0 ? 0 : Math.floor((this.random / 2 ** 31) * end);
	}
}

function matches(node: FilterNode, row: Row): boolean {
	if (isGroup(node)) return node.filters.every((inner) => matches(inner, row));
	const id = typeof row.Id === 'number' ? row.Id : BigInt(row.place);
	return node.operator === 'Gt' ? id > Number(node.value) : id <= Number(node.value);
}

function sortsOf({ sort, wanted }: Kind): Query['sorts'] {
	if (sort === 'Value') return [{ field: 'Value', direction: 'Asc' }];
	return sort === 'newest' && wanted < Number.POSITIVE_INFINITY ? [{ field: 'Id', direction: 'Desc' }] : [];
}

let reader = 0;
const mostly = <Value>(usual: Value, ...others: Value[]) =>
	fc.oneof({ weight: 2, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });

const kinds: fc.Arbitrary<Kind> = fc.record({
	rows: fc.constantFrom(0, 1, 2, 3, 12, 30, 99, 100, 101, 150, 730, 1_003),
	ids: mostly<Kind['ids']>('dense', 'sparse', 'skewed', 'negative', 'text', 'large'),
	cut: mostly(1_000, 10, 15, 25, 30, 37, 40, 50, 75, 99),
	count: mostly<Kind['count']>('right', 'page', 'none', 'capped', 'high', 'low', 'zero', 'huge'),
	ignores: mostly<Kind['ignores']>('nothing', 'nothing', 'Skip', 'Sort', 'Dir', 'Take'),
	changes: mostly(0, 1, 3),
	wanted: mostly(Number.POSITIVE_INFINITY, 1, 7, 50, 250),
	sort: mostly<Kind['sort']>('none', 'Value', 'newest'),
	pageSize: mostly(100, 25),
	parallel: fc.constantFrom(1, 4, 8),
	seed: fc.nat(1_000_000),
});

it(`gives every row that was there throughout, once, or says what it cannot do, in ${DRAWS} draws`, async () => {
	const outcomes = { right: 0, noted: 0, refused: 0 };
	await fc.assert(
		fc.asyncProperty(kinds, async (kind) => {
			// Cut to a length that is no multiple of five, counting only itself, is believed: docs/behaviour.md, What no reading can see, 5.
			fc.pre(!(kind.cut % 5 > 0 && (kind.count === 'page' || (kind.count === 'low' && kind.rows - 1 === kind.cut))));
			// Whether texts are in order is the platform's affair.
			fc.pre(!(kind.sort === 'newest' && (kind.ids === 'text' || kind.ids === 'large') && kind.ignores !== 'nothing'));
			const platform = new Platform(kind);
			const sink = keepRows();
			const { wanted, sort, pageSize, parallel } = kind;
			const reading = new PlatformList(SESSIONS, platform.ask, `${reader++}`).read({
				query: { sorts: sortsOf(kind) },
				wanted,
				paging: { pageSize, parallel },
				sink,
			});
			const result = await reading.catch((error: unknown) => error);
			if (result instanceof Error) {
				expect(result).toBeInstanceOf(PlatformError);
				outcomes.refused++;
				return;
			}
			const places = sink.all.map(({ place }) => Number(place));
			expect(new Set(places).size).toBe(places.length);
			const { notes } = result as { notes: string[] };
			if (notes.length > 0) {
				outcomes.noted++;
				return;
			}
			outcomes.right++;
			const { first, disturbed } = platform;
			if (wanted === Number.POSITIVE_INFINITY) {
				const lacking = [...first].filter((place) => !disturbed.has(place) && !places.includes(place));
				expect(lacking).toEqual([]);
			}
			if (kind.changes === 0) {
				const asked = platform.inOrder(sort).slice(0, wanted);
				expect(sort === 'Value' ? sink.all.map(({ Value }) => Value) : places).toEqual(asked);
			}
		}),
		{ numRuns: DRAWS },
	);
	// Most can be read: a refusal without need would show here.
	expect(outcomes.refused).toBeLessThan(DRAWS / 10);
});
