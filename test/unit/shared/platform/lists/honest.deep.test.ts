/**
 * Whole reads of lists that change between any two requests, on platforms that apply what they are asked: with replicas
 * that lag behind, indexes that are late, numbers rounded in what is shown, and text ordered by a local collation.
 * Nothing of it may be taken for a filter or a sort that is not applied.
 */
import fc from 'fast-check';

import type { FilterNode, Query, SortEntry } from '../../../../../nodes/shared/dsquery/types';
import { isGroup } from '../../../../../nodes/shared/dsquery/types';
import type { Page } from '../../../../../nodes/shared/platform/types';
import { SESSIONS } from '../../../../../nodes/shared/resources';
import { draws } from '../../../../support/draws.ts';
import { ReadList } from '../../../../support/lists/unknownReader.ts';

const DRAWS = draws();

interface Session {
	Id: number;
	Status: number;
	EnergyConsumed: number | null;
	StartedAtUtc: string;
	Name: string;
}
type Snapshot = ReadonlyMap<number, Session>;

interface Honest {
	rows: number;
	/** Changes between two requests, from 0 to this many. */
	changes: number;
	/** How many requests behind the second replica is; 0 for none. */
	lag: number;
	/** How many requests behind the index is that filters and sorts. */
	late: number;
	digits: number;
	locale: 'de' | 'sv' | undefined;
	seed: number;
}

const NAMES = ['Ähre', 'Abt', 'abt', 'Zug', 'Öl', 'zaun', 'Åsa'];

/** A platform that keeps what it was at each request. */
class HonestPlatform {
	private readonly history: Snapshot[] = [];
	private random: number;
	private highest = 0;
	requests = 0;

	constructor(private readonly way: Honest) {
		this.random = way.seed;
		const first = new Map<number, Session>();
		for (let index = 0; index < way.rows; index++) this.insert(first);
		this.history.push(first);
	}

	readonly ask = async ({ filter, sorts, pager = { skip: 0, take: 10 } }: Query): Promise<Page> => {
		this.requests++;
		this.move();
		const behind = this.way.lag > 0 && this.below(2) === 0 ? this.way.lag : 0;
		const shown = this.at(behind);
		const index = [...this.at(behind + this.way.late).values()];
		const found = index.filter((row) => filter === undefined || matches(filter, row)).sort(this.orderOf(sorts));
		const page = found.slice(pager.skip, pager.skip + pager.take).flatMap(({ Id: id }) => shown.get(id) ?? []);
		const { digits } = this.way;
		const rows = page.map((row) => ({
			...row,
			EnergyConsumed: row.EnergyConsumed === null ? null : Number(row.EnergyConsumed.toFixed(digits)),
		}));
		return await Promise.resolve({ rows, totalCount: found.length });
	};

	private at(requestsAgo: number): Snapshot {
		const place = Math.max(0, this.history.length - 1 - requestsAgo);
		return this.history[place] ?? new Map<number, Session>();
	}

	private move(): void {
		const next = new Map(this.at(0));
		for (let left = this.below(this.way.changes + 1); left > 0; left--) {
			const ids = [...next.keys()];
			const id = ids[this.below(ids.length)] ?? 0;
			const row = next.get(id);
			const kind = this.below(5);
			if (kind === 0) this.insert(next);
			else if (kind === 1) next.delete(id);
			else if (row)
				next.set(id, kind === 2 ? { ...row, Status: this.status() } : { ...row, EnergyConsumed: this.energy() });
		}
		this.history.push(next);
	}

	private insert(into: Map<number, Session>): void {
		this.highest += 1 + this.below(3);
		const start = Date.UTC(2026, 0, 1) + this.highest * 600_000;
		into.set(this.highest, {
			...{ Id: this.highest, Status: this.status(), EnergyConsumed: this.energy() },
			StartedAtUtc: new Date(start).toISOString().slice(0, 19),
			Name: NAMES[this.below(NAMES.length)] ?? '',
		});
	}

	private readonly status = () => [1, 2, 4, 4, 4, 6][this.below(6)] ?? 1;
	private readonly energy = () => (this.below(8) === 0 ? null : this.below(60_000) / 997);

	/** A number from 0 to below `end`. */
	private below(end: number): number {
		this.random = (this.random * 1_103_515_245 + 12_345) % 2 ** 31;
		return end <= 0 ? 0 : Math.floor((this.random / 2 ** 31) * end);
	}

	private orderOf(sorts: readonly SortEntry[]) {
		const collator = this.way.locale && new Intl.Collator(this.way.locale);
		const compare = (a: unknown, b: unknown) => {
			if (a === b) return 0;
			if (a === null || b === null) return a === null ? -1 : 1;
			if (collator && typeof a === 'string' && typeof b === 'string') return collator.compare(a, b);
			return (a as string | number) < (b as string | number) ? -1 : 1;
		};
		return (left: Session, right: Session): number => {
			for (const { field, direction } of sorts) {
				const order = compare(left[field as keyof Session], right[field as keyof Session]);
				if (order !== 0) return direction === 'Asc' ? order : -order;
			}
			return left.Id - right.Id;
		};
	}
}

function matches(node: FilterNode, row: Session): boolean {
	if (isGroup(node)) {
		const test = (inner: FilterNode) => matches(inner, row);
		return node.logic === 'And' ? node.filters.every(test) : node.filters.some(test);
	}
	const value = row[node.field as keyof Session];
	const asked = (text: string) => (typeof value === 'string' ? text : Number(text));
	if (value === null) return node.operator === 'Neq';
	if (node.operator === 'In') return node.value.split(',').some((text) => asked(text) === value);
	const [low = '', high = ''] = node.value.split(',');
	const operators: Partial<Record<string, boolean>> = {
		...{ Eq: value === asked(low), Neq: value !== asked(low), Gt: value > asked(low), Gte: value >= asked(low) },
		...{ Lt: value < asked(low), Lte: value <= asked(low), GteLt: value >= asked(low) && value < asked(high) },
	};
	const answer = operators[String(node.operator)];
	if (answer === undefined) throw new Error(`There is no operator ${String(node.operator)} here`);
	return answer;
}

const time = fc
	.integer({ min: 0, max: 400 })
	.map((index) => new Date(Date.UTC(2026, 0, 1) + index * 600_000).toISOString().slice(0, 19));
const comparison = fc.constantFrom('Gt' as const, 'Gte' as const, 'Lt' as const, 'Lte' as const);
const condition: fc.Arbitrary<FilterNode> = fc.oneof(
	fc.record({
		field: fc.constant('Status'),
		operator: fc.constantFrom('Eq' as const, 'Neq' as const, 'In' as const),
		value: fc.constantFrom('1', '4', '6'),
	}),
	fc.record({
		field: fc.constant('EnergyConsumed'),
		operator: comparison,
		value: fc.integer({ min: 0, max: 60 }).map(String),
	}),
	fc.record({ field: fc.constant('StartedAtUtc'), operator: comparison, value: time }),
	fc.record({
		field: fc.constant('Name'),
		operator: fc.constantFrom('Eq' as const, 'Neq' as const),
		value: fc.constantFrom(...NAMES),
	}),
);
const filter = fc.option(
	fc.record({
		logic: fc.constantFrom('And' as const, 'Or' as const),
		filters: fc.array(condition, { minLength: 1, maxLength: 3 }),
	}),
	{ nil: undefined },
);
const sorts = fc.uniqueArray(
	fc.record({
		field: fc.constantFrom('EnergyConsumed', 'StartedAtUtc', 'Status', 'Name', 'Id'),
		direction: fc.constantFrom('Asc' as const, 'Desc' as const),
	}),
	{ maxLength: 2, selector: ({ field }) => field },
);
const way: fc.Arbitrary<Honest> = fc.record({
	...{ rows: fc.integer({ min: 0, max: 160 }), changes: fc.constantFrom(0, 1, 2), lag: fc.constantFrom(0, 0, 1, 3) },
	...{ late: fc.constantFrom(0, 0, 1, 4), digits: fc.constantFrom(0, 1, 2, 9) },
	...{
		locale: fc.constantFrom('de' as const, 'sv' as const, undefined),
		seed: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
	},
});

let readers = 0;

it(`refuses no list of an honest platform in ${DRAWS} draws`, async () => {
	const refused: object[] = [];
	await fc.assert(
		fc.asyncProperty(
			way,
			filter,
			sorts,
			fc.constantFrom(10, 25, 100),
			fc.constantFrom(1, 4),
			fc.constantFrom(undefined, 10, 40),
			async (honest, asked, order, pageSize, parallel, limit) => {
				const platform = new HonestPlatform(honest);
				const list = new ReadList(SESSIONS, platform.ask, `honest ${++readers}`);
				const paging = { pageSize, parallel, isCompared: true };
				await list.readPages({ query: { filter: asked, sorts: order }, limit, paging }).catch((error: Error) => {
					refused.push({
						message: error.message,
						honest,
						asked: JSON.stringify(asked),
						order,
						pageSize,
						parallel,
						limit,
					});
				});
			},
		),
		{ numRuns: DRAWS },
	);
	expect(refused).toEqual([]);
}, 900_000);
