import fc from 'fast-check';

import { applyBehaviour } from './behaviour.ts';
import type { Behaviour, ListName, ListsBehaviour, StandIn } from './types.ts';

/**
 * A platform as another team might build it from the same specification: how it treats lists, and how its rows change
 * while they are read. Draw one with `unknownPlatform`, turn a stand-in into it with `become`, read a list, and check
 * the result with `Unrest`: every steady row once, or a clear error, or a hint with both figures; no row twice.
 */
export interface UnknownPlatform {
	behaviour: Partial<Omit<Behaviour, 'lists'>> & { lists: Partial<ListsBehaviour> };
	/** Most rows that change before a statement; 0 for a list that does not change. */
	unrest: number;
	/** Rows that are added before each request. */
	growth?: number;
	/** The same seed changes the same rows. */
	seed: number;
}

/** What `unknownPlatform` may draw. */
export interface Drawn {
	/** Whether rows may be added, removed and changed while they are read. */
	moves: boolean;
	/** Whether Ids may be null, empty, doubled, text, or sorted as text. */
	oddIds: boolean;
	/** Whether whole parts of the query may have no effect. */
	deafness: boolean;
}

const EVERYTHING: Drawn = { moves: true, oddIds: true, deafness: true };

/** Draws the usual value far more often than all others, so that two or three oddities meet, not twenty. */
function mostly<T>(usual: T, ...others: T[]): fc.Arbitrary<T> {
	return fc.oneof(
		{ weight: 5 * others.length, arbitrary: fc.constant(usual) },
		{ weight: others.length, arbitrary: fc.constantFrom(...others) },
	);
}

/**
 * A random combination of everything that the stand-in can do with lists, with these exceptions. TotalCount null or
 * missing: nothing could be read. Faults that only reading every short list twice would show: a short or empty page
 * that TotalCount wrongly says is the whole list; and a list that changes while it is read, whose integer Ids are
 * compared as numbers but sorted as text. Rows without an Id of their own in another order at each request: nothing
 * tells them apart.
 */
export function unknownPlatform(drawn: Partial<Drawn> = {}): fc.Arbitrary<UnknownPlatform> {
	const { moves, oddIds, deafness } = { ...EVERYTHING, ...drawn };
	const hears = deafness ? mostly(true, false) : fc.constant(true);
	const lists: fc.Arbitrary<Partial<ListsBehaviour>> = fc.record({
		moment: mostly<ListsBehaviour['moment']>('one', 'rowsFirst', 'countFirst'),
		count: mostly<ListsBehaviour['count']>('exact', 'cached', 'capped', 'offBy', 'page'),
		countCap: fc.constantFrom(40, 100, 1000),
		countOffBy: fc.constantFrom(1, -1, 3, -3, 500),
		emptyAnswers: mostly(0, 1),
		maxSkip: mostly<number | undefined>(undefined, 15, 60, 120),
		skipOverMax: fc.constantFrom('refuse', 'ignore', 'clamp'),
		listensTo: fc.record({ filter: hears, sort: hears, skip: hears, take: hears }),
		names: mostly<ListsBehaviour['names']>('pascal', 'camel'),
		emptyProperties: mostly<ListsBehaviour['emptyProperties']>('null', 'omitted'),
		decimals: mostly<ListsBehaviour['decimals']>('number', 'text'),
		emptyItems: mostly<ListsBehaviour['emptyItems']>('list', 'null'),
		oddIds: oddIds ? mostly<ListsBehaviour['oddIds']>('none', 'null', 'empty', 'doubled', 'text') : fc.constant('none'),
		oddIdEvery: fc.constantFrom(9, 20, 50),
		idOrder: oddIds ? mostly<ListsBehaviour['idOrder']>('number', 'text') : fc.constant('number'),
		idComparison: oddIds ? mostly<ListsBehaviour['idComparison']>('number', 'text') : fc.constant('number'),
	});
	return fc
		.record({
			behaviour: fc
				.record({
					lists,
					takeClamp: mostly<number | undefined>(undefined, 3, 7, 10, 25),
					idType: oddIds ? mostly<Behaviour['idType']>('integer', 'text') : fc.constant('integer'),
					textIdDigits: fc.constantFrom(6, 0),
					nullPlacement: fc.constantFrom('first', 'last', 'alwaysFirst', 'alwaysLast'),
					naturalOrder: mostly<Behaviour['naturalOrder']>('idAsc', 'idDesc', 'random'),
				})
				.map(({ lists, takeClamp, naturalOrder, ...behaviour }) => ({
					...behaviour,
					naturalOrder: naturalOrder === 'random' && lists.oddIds !== 'none' ? 'idAsc' : naturalOrder,
					takeClamp: lists.count === 'page' || lists.count === 'offBy' ? undefined : takeClamp,
					lists: { ...lists, emptyAnswers: lists.count === 'exact' ? lists.emptyAnswers : 0 },
				})),
			unrest: moves ? mostly(0, 1, 2) : fc.constant(0),
			seed: fc.nat(1_000_000),
		})
		.map((unknown) => {
			const { idOrder, idComparison } = unknown.behaviour.lists;
			return idOrder === 'text' && idComparison === 'number' ? { ...unknown, unrest: 0 } : unknown;
		}) as fc.Arbitrary<UnknownPlatform>;
}

/** Where lists end, and what an answer says about it: what `movingPlatform` draws beside `unknownPlatform`. */
const ends: fc.Arbitrary<Partial<ListsBehaviour>> = fc.record({
	moreSign: mostly<ListsBehaviour['moreSign']>('none', 'HasMore', 'NextPage', 'PageInfo', 'TotalPages'),
	failure: mostly<ListsBehaviour['failure']>('none', 'none', 'none', 'none', 'none', 'Success', 'Error', 'Errors'),
	cutReplica: mostly<number | undefined>(undefined, 37, 50),
	window: mostly<number | undefined>(undefined, 100, 200, 300),
	takeOffBy: mostly(0, -1),
	unevenPages: mostly(false, true),
	behindEnd: mostly<ListsBehaviour['behindEnd']>('envelope', 'null', 'nothing', 'notFound'),
	unsortedAnswers: mostly(0, 1),
	sorting: mostly<ListsBehaviour['sorting']>('list', 'text'),
	countCap: fc.constantFrom(40, 100, 200, 300, 400),
});

/**
 * A platform whose list moves or grows at each request. Left out are pages that are sorted each by itself: where rows
 * move between them, nothing shows it. A list grows only where its count is right and its pages are neither tiny ones
 * nor the whole list: any other takes a thousand pages to end.
 */
export function movingPlatform(): fc.Arbitrary<UnknownPlatform> {
	const moves = fc.constantFrom({ unrest: 1 }, { unrest: 2 }, { unrest: 0, growth: 5 }, { unrest: 0, growth: 40 });
	const cut = mostly<number | undefined>(undefined, 3, 7, 25, 37, 99);
	return fc.tuple(unknownPlatform(), ends, cut, moves).map(([unknown, end, takeClamp, move]) => {
		const lists = { ...unknown.behaviour.lists, ...end };
		// An empty answer with a count of 0 says that the list is empty.
		if (lists.count !== 'exact' || lists.cutReplica !== undefined) lists.emptyAnswers = 0;
		const isCounted = lists.count === 'exact' && lists.cutReplica === undefined && lists.window === undefined;
		const mayGrow = isCounted && takeClamp !== 3 && lists.listensTo?.take;
		const moving = mayGrow ? move : { unrest: 1, growth: 0 };
		return { ...unknown, ...moving, behaviour: { ...unknown.behaviour, takeClamp, lists } };
	});
}

/** What happened to the rows since `become`. */
export interface Unrest {
	/** The marks of rows that were present and unchanged throughout. */
	steady(): string[];
	/** The mark of a row, whatever its Id says. */
	markOf(row: object): string;
	/** Number of rows now. */
	count(): number;
	/** Number of rows added meanwhile. */
	came(): number;
}

/** The column that holds each row's mark. */
const MARKS = {
	sessions: 'Note',
	stations: 'Name',
	locations: 'Name',
	tariffs: 'Name',
	users: 'Name',
	teams: 'Name',
	energyAssets: 'Name',
	billing: 'UserName',
	auditTrail: 'Action',
} as const satisfies Record<ListName, string>;

/**
 * Turns the stand-in into this platform, after a `reset`, with this many rows in the list. Rows are marked ("row 17")
 * to tell them apart where their Ids cannot.
 */
export function become(platform: StandIn, unknown: UnknownPlatform, list: ListName, rows: number): Unrest {
	platform.reset();
	applyBehaviour(platform.behaviour, unknown.behaviour);
	const { db } = platform;
	const mark = MARKS[list];
	db.exec(`DELETE FROM ${list} WHERE Id NOT IN (SELECT Id FROM ${list} ORDER BY Id LIMIT ${rows})`);
	db.exec(`UPDATE ${list} SET ${mark} = 'row ' || Id`);
	const ids = () => db.prepare(`SELECT Id FROM ${list}`).all().map(({ Id: id }) => Number(id)); // prettier-ignore
	const initial = ids();
	const disturbed = new Set<number>();

	let state = unknown.seed;
	const below = (limit: number) => {
		// A small linear congruential generator: the same seed gives the same history.
		state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
		return Math.floor((state / 2_147_483_648) * limit);
	};
	const copy = (from: number, ...to: number[]) => {
		const columns = db.prepare(`SELECT name FROM pragma_table_info('${list}')`).all().map(({ name }) => String(name)); // prettier-ignore
		const values = columns.map((name) => (name === 'Id' ? 'value' : name === mark ? "'row ' || value" : `"${name}"`));
		const sql = `INSERT INTO ${list} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${list}, (SELECT value FROM json_each(?)) WHERE Id = ?`;
		db.prepare(sql).run(JSON.stringify(to), from);
	};
	let highest = Math.max(0, ...initial);
	let came = 0;
	const grow = (rows: number) => {
		copy(initial[0] ?? 0, ...Array.from({ length: rows }, () => ++highest));
		came += rows;
	};
	const change = () => {
		const now = ids();
		const id = now[below(now.length)];
		if (id === undefined) return;
		const kind = below(4);
		if (kind === 0) {
			came++;
			return copy(id, ++highest);
		}
		if (kind === 1) {
			const free = below(highest);
			if (now.includes(free) || initial.includes(free)) return;
			came++;
			return copy(id, free);
		}
		disturbed.add(id);
		if (kind === 2) db.exec(`DELETE FROM ${list} WHERE Id = ${id}`);
		else if (list === 'sessions') db.exec(`UPDATE sessions SET EnergyConsumed = ${below(80)} WHERE Id = ${id}`);
	};
	const changes = () => {
		for (let count = below(unknown.unrest + 1); count > 0; count--) change();
	};
	platform.beforeList = ({ count }) => {
		if (count > 1) changes();
		const { growth = 0 } = unknown;
		if (growth > 0) grow(growth);
	};
	platform.betweenStatements = changes;
	return {
		steady: () => initial.filter((id) => !disturbed.has(id)).map((id) => `row ${id}`),
		markOf: (row) => String(Reflect.get(row, mark) ?? Reflect.get(row, mark.toLowerCase())),
		count: () => ids().length,
		came: () => came,
	};
}
