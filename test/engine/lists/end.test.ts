import { setImmediate } from 'node:timers/promises';

import range from 'lodash/range';

import type { Query } from '../../../nodes/shared/dsquery/types';
import { LOCATIONS, SESSIONS } from '../../../nodes/shared/resources';
import { startPlatform, type Behaviour, type ListsBehaviour, type StandIn } from '../../platform/index.ts';
import { listOf, ListSource, ReadList } from '../../support/lists/unknownReader.ts';

// Where a list ends: what an answer says, or one more request would show.

let platform: StandIn;
let source: ListSource;
beforeAll(async () => {
	platform = await startPlatform({ sessions: 1_001, stations: 0, locations: 300, idGaps: 1 });
});
afterAll(async () => await platform.close());
beforeEach(() => {
	platform.reset();
	source = new ListSource(platform, 'sessions');
});

const BY_ID: Query['sorts'] = [{ field: 'Id', direction: 'Asc' }];
const BY_ID_DOWN: Query['sorts'] = [{ field: 'Id', direction: 'Desc' }];
const BY_START: Query['sorts'] = [{ field: 'StartedAtUtc', direction: 'Asc' }, ...BY_ID];
const ORDERS = { Id: BY_ID, 'Id, falling': BY_ID_DOWN, start: BY_START };
const LISTENS = { filter: true, sort: true, skip: true, take: true };
const PAGING = { pageSize: 100, parallel: 4 };

type Odd = Partial<Omit<Behaviour, 'lists'>> & { lists?: Partial<ListsBehaviour> };
const behave = ({ lists = {}, ...others }: Odd) => {
	Object.assign(platform.behaviour, others);
	Object.assign(platform.behaviour.lists, lists);
};
const keepFirst = (rows: number) =>
	platform.db.exec(`DELETE FROM sessions WHERE Id NOT IN (SELECT Id FROM sessions ORDER BY Id LIMIT ${rows})`);
const readFrom = async (list: ReadList, sorts: Query['sorts'], more: { limit?: number } = {}) => {
	const paging = { ...PAGING, isCompared: true };
	source.requests = 0;
	const { pages, notes } = await list.readPages({ query: { sorts }, limit: more.limit, paging });
	const rows = pages.flat();
	expect(new Set(rows.map(({ Id: id }) => id)).size).toBe(rows.length);
	return { rows: rows.length, notes, requests: source.requests };
};
const read = async (sorts: Query['sorts'], more = {}) => await readFrom(listOf(source.getPage), sorts, more);

describe.each(Object.entries(ORDERS))('in the order of the %s', (_, sorts) => {
	it.each([
		['Take minus one', { lists: { takeOffBy: -1, count: 'page' } }],
		...[99, 37, 150].map((takeClamp) => [`pages of ${takeClamp}`, { takeClamp, lists: { count: 'page' } }]),
	] as Array<[string, Odd]>)('a first page that is its only witness is not believed: %s', async (_name, odd) => {
		behave(odd);
		const paging = { pageSize: 200, parallel: 4 };
		const { pages } = await listOf(source.getPage).readPages({ query: { sorts }, paging });
		expect(pages.flat()).toHaveLength(1_001);
		for (const limit of [3, 10, 120]) expect((await read(sorts, { limit })).rows).toBe(limit);
	});

	it('what comes behind an only page is asked once per question and hour', async () => {
		for (const rows of [1, 37, 99]) {
			platform.reset();
			keepFirst(rows);
			const list = listOf(source.getPage);
			expect(await readFrom(list, sorts)).toEqual({ rows, notes: [], requests: 2 });
			expect(await readFrom(list, sorts)).toEqual({ rows, notes: [], requests: 1 });
		}
		platform.db.exec('DELETE FROM sessions');
		expect(await read(sorts)).toEqual({ rows: 0, notes: [], requests: 1 });
	});

	it('once rows came from behind, every reading of the list reads on for an hour', async () => {
		const list = listOf(source.getPage);
		keepFirst(37);
		const other = sorts === BY_ID ? BY_START : BY_ID;
		for (const order of [other, sorts]) await readFrom(list, order);
		platform.reset();
		behave({ takeClamp: 37, lists: { count: 'page' } });
		const condition = { field: 'Id', operator: 'Gt' as const, value: '0' };
		const query = { filter: { logic: 'And' as const, filters: [condition] }, sorts };
		expect((await list.readPages({ query, paging: PAGING })).pages.flat()).toHaveLength(1_001);
		// The first question was proven within the hour, but not for the platform as it is now.
		expect((await readFrom(list, other)).rows).toBe(1_001);
	});

	it('a poll asks once per list and hour', async () => {
		keepFirst(60);
		const list = new ReadList(SESSIONS, source.getPage, 'poll', true);
		expect((await readFrom(list, sorts)).requests).toBeLessThanOrEqual(2);
		for (const value of ['10', '20']) {
			source.requests = 0;
			const filter = { logic: 'And' as const, filters: [{ field: 'Id', operator: 'Gt' as const, value }] };
			await list.readPages({ query: { filter, sorts }, paging: PAGING });
			expect(source.requests).toBe(1);
		}
	});

	it.each([100, 500, 600])('rows and count that stop together at %i are no end', async (window) => {
		behave({ lists: { window } });
		const result = await read(sorts).catch((error: Error) => error.message);
		if (sorts === BY_START)
			expect(result).toBe(`The platform gives only the first ${window} charging sessions in this order`);
		else expect(result).toMatchObject({ rows: 1_001 });
		platform.reset();
		keepFirst(window);
		const { rows, notes, requests } = await read(sorts);
		expect({ rows, notes }).toEqual({ rows: window, notes: [] });
		expect(requests).toBeLessThanOrEqual(Math.ceil((window - 1) / 99) + 3);
	});

	it.each(['idAsc', 'idDesc'] as const)('nor at 20, where the sort is ignored: %s', async (naturalOrder) => {
		behave({ naturalOrder, lists: { window: 20, listensTo: { ...LISTENS, sort: false } } });
		const result = await read(sorts).catch((error: Error) => error.message);
		if (typeof result === 'object' && result.rows < 1_001) expect(result.notes.join()).toContain('could not be proven');
	});

	it.each([1, 37, 99])('nor at %i, where the first row in reverse order is another one', async (window) => {
		keepFirst(120);
		behave({ lists: { window } });
		const list = listOf(source.getPage);
		for (const order of [sorts, BY_ID, sorts]) {
			const { rows, notes } = await readFrom(list, order);
			const isSaid = rows === window && notes.join().includes('could not be proven that there are no more');
			expect(rows === 120 || isSaid).toBe(true);
		}
	});

	it('but they are where the last row went and another one came meanwhile', async () => {
		keepFirst(100);
		let hasChanged = false;
		const ask = async (query: Query) => {
			if (!hasChanged && query.pager?.skip === 0 && query.pager.take === 2) {
				hasChanged = true;
				platform.db.exec('DELETE FROM sessions WHERE StartedAtUtc = (SELECT max(StartedAtUtc) FROM sessions)');
				platform.startSession({ startedAt: Date.UTC(2027, 0, 1) });
			}
			return await source.getPage(query);
		};
		expect((await readFrom(listOf(ask), sorts)).rows).toBeGreaterThanOrEqual(100);
		expect(hasChanged).toBe(sorts === BY_START);
	});

	it('nor are they where the answer in reverse order counts its own rows alone, or has none', async () => {
		behave({ lists: { window: 100 } });
		for (const most of [2, 0]) {
			const ask = async (query: Query) => {
				const page = await source.getPage(query);
				const isReversed = query.pager?.skip === 0 && query.pager.take === 2;
				return isReversed ? { rows: page.rows.slice(0, most), totalCount: Math.min(most, page.rows.length) } : page;
			};
			const { rows, notes } = await readFrom(listOf(ask), sorts);
			expect(rows === 1_001 || notes.join().includes('could not be proven')).toBe(true);
		}
	});

	it('nor are they where Ids are doubled: a note says so', async () => {
		behave({ takeClamp: 50, lists: { window: 100, oddIds: 'doubled', oddIdEvery: 20 } });
		const { pages, notes } = await listOf(source.getPage).readPages({ query: { sorts }, paging: PAGING });
		expect(pages.flat()).toHaveLength(100);
		expect(notes).toContainEqual(expect.stringContaining('could not be proven'));
	});

	it('a second replica that cuts pages hides no row', async () => {
		behave({ lists: { cutReplica: 50 } });
		const list = listOf(source.getPage);
		for (let times = 0; times < 4; times++) expect((await readFrom(list, sorts)).rows).toBe(1_001);
	});

	it.each(['HasMore', 'NextPage', 'PageInfo', 'TotalPages'] as const)(
		'%s beside a short page is read',
		async (moreSign) => {
			const list = listOf(source.getPage);
			keepFirst(37);
			await readFrom(list, sorts);
			platform.reset();
			behave({ takeClamp: 37, lists: { count: 'page', moreSign } });
			expect((await readFrom(list, sorts)).rows).toBe(1_001);
			// Nothing more where the platform is honest.
			platform.reset();
			keepFirst(137);
			const before = await read(sorts);
			behave({ lists: { moreSign } });
			expect(await read(sorts)).toEqual(before);
		},
	);

	it('an answer that says that there are more, and sends none, is refused, unless it always says so', async () => {
		keepFirst(37);
		const sign = { hasMore: true };
		const ask = async (query: Query) => {
			const page = await source.getPage(query);
			return page.rows.length > 0 ? { ...page, ...sign } : page;
		};
		await expect(readFrom(listOf(ask), sorts)).rejects.toMatchObject({
			message: 'The platform says that there are more than 37 charging sessions, and sends no more',
			description: expect.stringContaining('Use a filter that matches fewer') as string,
		});
		const noted = { rows: 37, notes: [expect.stringContaining('could not be proven')] };
		// One that always says so proves nothing.
		const always = async (query: Query) => ({ ...(await source.getPage(query)), ...sign });
		expect(await readFrom(listOf(always), sorts)).toMatchObject(noted);
	});

	it.each([5, 100])('a list that grows by %i rows with each request is read up to where it was', async (growth) => {
		keepFirst(137);
		const highest = Number(platform.db.prepare('SELECT max(Id) AS id FROM sessions').get()?.id);
		platform.beforeList = () => {
			for (let added = 0; added < growth; added++) platform.startSession({ startedAt: Date.UTC(2027, 0, 1) });
		};
		const { pages, notes } = await listOf(source.getPage).readPages({ query: { sorts }, paging: PAGING });
		const ids = new Set(pages.flat().map(({ Id: id }) => Number(id)));
		expect([...ids].filter((id) => id <= highest)).toHaveLength(137);
		expect(source.requests).toBeLessThan(30);
		if (growth === 100 && sorts !== BY_ID_DOWN) expect(notes.join()).toContain('Those that came later are left out');
	});

	it('is bounded, too, where few of the rows that are added fit on a page', async () => {
		keepFirst(9);
		behave({ takeClamp: 3 });
		platform.beforeList = () => {
			for (let added = 0; added < 40; added++) platform.startSession({ startedAt: Date.UTC(2027, 0, 1) });
		};
		await read(sorts);
		// Twice the pages that 49 rows need, then all that were there by then.
		expect(source.requests).toBeLessThan(1_200);
	});

	it('is bounded, too, where the answer that says where it ends comes late', async () => {
		keepFirst(9);
		behave({ takeClamp: 3 });
		platform.beforeList = () => {
			for (let added = 0; added < 40; added++) platform.startSession({ startedAt: Date.UTC(2027, 0, 1) });
		};
		// Others are answered at once meanwhile, so that a lane that does not wait has read all its pages.
		const ask = async (query: Query) => {
			const page = await source.getPage(query);
			if (query.pager?.take === 2) await setImmediate();
			return page;
		};
		const { pages } = await listOf(ask).readPages({ query: { sorts }, paging: PAGING });
		expect(pages.flat().length).toBeGreaterThanOrEqual(9);
	});

	it.each([{ idOrder: 'text' }, { idComparison: 'text' }] as const)(
		'a list that seems to grow is not cut by an Id that other software reads as text: %j',
		async (lists) => {
			keepFirst(196);
			behave({ takeClamp: 13, lists: { ...lists, count: 'capped', countCap: 40 } });
			const { rows, notes } = await read(sorts);
			expect(rows).toBe(196);
			expect(notes.join()).not.toContain('left out');
		},
	);

	it('a list that grows for ever is refused where Ids cannot be compared', async () => {
		behave({ idType: 'text' });
		keepFirst(137);
		platform.beforeList = () => {
			for (let added = 0; added < 100; added++) platform.startSession({ startedAt: Date.UTC(2027, 0, 1) });
		};
		const result = await read(sorts).catch((error: Error) => error);
		expect(source.requests).toBeLessThan(150);
		if (sorts !== BY_ID_DOWN) expect(result).toMatchObject({ message: expect.stringMatching('has no end') as string });
	});
});

it('nor is a first page believed where rows without a value come last in both orders', async () => {
	keepFirst(8);
	behave({ takeClamp: 7, nullPlacement: 'alwaysLast' });
	platform.db.exec('UPDATE sessions SET EnergyConsumed = Id');
	platform.db.exec('UPDATE sessions SET EnergyConsumed = NULL WHERE Id = (SELECT min(Id) FROM sessions)');
	const sorts: Query['sorts'] = [{ field: 'EnergyConsumed', direction: 'Desc' }, ...BY_ID];
	behave({ lists: { count: 'page' } });
	expect((await read(sorts)).rows).toBe(8);
	behave({ lists: { count: 'exact', cutReplica: 7 } });
	expect((await read(sorts)).rows).toBe(8);
});

it.each([1, 4])('nor is a count that rows without an Id and new ones make up for: %i at a time', async (parallel) => {
	for (const growsAt of [3, 4, 5]) {
		platform.reset();
		keepFirst(100);
		behave({ nullPlacement: 'alwaysLast', lists: { oddIds: 'null', oddIdEvery: 50 } });
		platform.db.exec("UPDATE sessions SET Note = 'row ' || Id");
		const before = platform.db.prepare('SELECT Note FROM sessions').all().map(({ Note: note }) => note); // prettier-ignore
		let requests = 0;
		const ask = async (query: Query) => {
			if (++requests === growsAt) for (let added = 0; added < 2; added++) platform.startSession();
			return await source.getPage(query);
		};
		const reading = listOf(ask).readPages({ query: { sorts: BY_ID }, paging: { pageSize: 20, parallel } });
		const returned = new Set<unknown>((await reading).pages.flat().map(({ Note: note }) => note));
		expect(before.filter((note) => !returned.has(note))).toEqual([]);
	}
});

describe('a last row that has moved proves no end', () => {
	const BY_ENERGY: Query['sorts'] = [{ field: 'EnergyConsumed', direction: 'Desc' }, ...BY_ID];
	const idsFalling = () =>
		platform.db.prepare('SELECT Id FROM sessions ORDER BY Id DESC').all().map(({ Id: id }) => Number(id)); // prettier-ignore
	const moveToTheEnd = (id?: number) => platform.db.exec(`UPDATE sessions SET EnergyConsumed = -1 WHERE Id = ${id}`);

	it.each([
		['of an only page', { takeClamp: 7, lists: { count: 'page' } }, 7],
		['of rows that stop with their count', { lists: { window: 100 } }, 100],
	] as Array<[string, Odd, number]>)('%s', async (_, odd, rows) => {
		keepFirst(rows + 1);
		behave(odd);
		platform.db.exec('UPDATE sessions SET EnergyConsumed = Id');
		const [last, behind] = idsFalling().slice(rows - 1);
		const ask = async (query: Query) => {
			if (query.sorts[0]?.direction === 'Asc') moveToTheEnd(last);
			return await source.getPage(query);
		};
		const { pages, notes } = await listOf(ask).readPages({ query: { sorts: BY_ENERGY }, paging: PAGING });
		const isComplete = pages.flat().some(({ Id: id }) => id === behind);
		expect(isComplete || notes.join().includes('could not be proven')).toBe(true);
	});

	it('of a list without a count', async () => {
		const locations = new ListSource(platform, 'locations');
		platform.db.exec('DELETE FROM locations WHERE Id NOT IN (SELECT Id FROM locations ORDER BY Id LIMIT 8)');
		const names = platform.db.prepare('SELECT Name FROM locations ORDER BY Name').all().map(({ Name: name }) => String(name)); // prettier-ignore
		behave({ takeClamp: 7 });
		Object.assign(platform.behaviour.locations, { shape: 'array' });
		const ask = async (query: Query) => {
			if (query.pager?.skip === 6) {
				platform.db.prepare('DELETE FROM locations WHERE Name = ?').run(names[0] ?? '');
				platform.db.prepare("UPDATE locations SET Name = 'Ω' WHERE Name = ?").run(names[6] ?? '');
			}
			return await locations.getPage(query);
		};
		const sorts: Query['sorts'] = [{ field: 'Name', direction: 'Asc' }];
		const { pages } = await listOf(ask, LOCATIONS).readPages({ query: { sorts }, paging: PAGING });
		expect(pages.flat().map(({ Name: name }) => name)).toContain(names[7]);
	});
});

it('a list that grows for ever is not cut by an answer whose sort is ignored', async () => {
	keepFirst(137);
	behave({ naturalOrder: 'idAsc', lists: { listensTo: { filter: true, sort: false, skip: true, take: true } } });
	let left = 40;
	platform.beforeList = () => {
		for (let added = 0; added < 100 && left > 0; added++) platform.startSession();
		left--;
	};
	const { rows, notes } = await read(BY_ID);
	expect(rows).toBe(137 + 4_000);
	expect(notes.join()).not.toContain('left out');
});

it.each(['envelope', 'data'] as const)('signs of more rows count for locations, too: %s', async (shape) => {
	const locations = new ListSource(platform, 'locations');
	behave({ takeClamp: 37, lists: { count: 'page', moreSign: 'HasMore' } });
	Object.assign(platform.behaviour.locations, { shape });
	const { pages } = await listOf(locations.getPage, LOCATIONS).readPages({ query: { sorts: [] }, paging: PAGING });
	expect(pages.flat()).toHaveLength(300);
});

it.each(['Success', 'Error', 'Errors'] as const)('rows beside %s are no list', async (failure) => {
	behave({ lists: { failure } });
	const said = failure === 'Success' ? 'Success: false' : failure;
	await expect(read(BY_ID)).rejects.toThrow(`it has ${said} beside its rows, so some may be missing`);
	const locations = new ListSource(platform, 'locations');
	for (const shape of ['envelope', 'data'] as const) {
		Object.assign(platform.behaviour.locations, { shape });
		const reading = listOf(locations.getPage, LOCATIONS).readPages({ query: { sorts: [] }, paging: PAGING });
		await expect(reading).rejects.toThrow('beside its rows');
	}
});

describe('a list without a count', () => {
	const NAMES: Query['sorts'] = [{ field: 'Name', direction: 'Asc' }, ...BY_ID];
	const readLocations = async (sorts: Query['sorts'], limit?: number, list = listOf(locationsOf(), LOCATIONS)) => {
		source.requests = 0;
		const { pages, notes } = await list.readPages({ query: { sorts }, limit, paging: PAGING });
		return { rows: pages.flat().length, notes, requests: source.requests };
	};
	const locationsOf = () => {
		source = new ListSource(platform, 'locations');
		return source.getPage;
	};
	const CUTS: Array<[string, Odd]> = [20, 37, 100, 250].flatMap((window) => [
		[`at ${window}`, { lists: { window } }],
		[`at ${window} whatever page is asked for`, { lists: { window, listensTo: { ...LISTENS, take: false } } }],
		[`at ${window} in one order`, { naturalOrder: 'idAsc', lists: { window, listensTo: { ...LISTENS, sort: false } } }],
		[`at ${window} in one falling order`, { naturalOrder: 'idDesc', lists: { window, listensTo: { ...LISTENS, sort: false } } }],
	]); // prettier-ignore

	describe.each(['array', 'object', 'envelope'] as const)('as %s', (shape) => {
		it.each(CUTS)('is not believed where it is cut %s', async (_, odd) => {
			for (const sorts of [BY_ID, BY_ID_DOWN, NAMES]) {
				for (const limit of [undefined, 30]) {
					platform.reset();
					behave({ totalCount: 'missing', ...odd });
					Object.assign(platform.behaviour.locations, { shape });
					const result = await readLocations(sorts, limit).catch((error: Error) => error.message);
					if (typeof result === 'string') expect(result).toMatch(/gives only the first|ignored the sort|another order/);
					else if (result.notes.length === 0) expect(result.rows).toBe(limit ?? 300);
				}
			}
		});
	});

	it('is read whole where its rows have no Id and change with each answer, and the page is ignored', async () => {
		let answers = 0;
		const ask = () => {
			answers++;
			const rowOf = (index: number) => ({ Name: `Row ${index}`, SecondsSinceSeen: answers + index });
			return Promise.resolve({ rows: range(157).map(rowOf) });
		};
		const { pages, notes } = await listOf(ask, LOCATIONS).readPages({ query: { sorts: [] }, paging: PAGING });
		expect(pages.flat()).toHaveLength(157);
		expect(notes).toEqual([expect.stringContaining('sends all locations in one answer')]);
	});

	it('is believed again where rows came from behind another page of it within the hour', async () => {
		const list = listOf(locationsOf(), LOCATIONS);
		Object.assign(platform.behaviour.locations, { shape: 'array' });
		behave({ lists: { window: 37 } });
		expect((await readLocations(BY_ID, undefined, list)).rows).toBe(300);
		behave({ lists: { window: undefined } });
		platform.db.exec('DELETE FROM locations WHERE Id NOT IN (SELECT Id FROM locations ORDER BY Id LIMIT 57)');
		expect(await readLocations(BY_ID, undefined, list)).toEqual({ rows: 57, notes: [], requests: 3 });
	});

	it('has a note where a row is added to an answer that takes no notice of the page', async () => {
		const ask = ({ sorts }: Query) => {
			const isBack = sorts[0]?.direction === 'Desc';
			const rows = range(isBack ? 158 : 157).map((index) => ({ Id: index + 1 }));
			return Promise.resolve({ rows: isBack ? rows.reverse() : rows });
		};
		const { pages, notes } = await listOf(ask, LOCATIONS).readPages({ query: { sorts: [] }, paging: PAGING });
		expect(pages.flat()).toHaveLength(157);
		expect(notes.join()).toContain('could not be proven that there are no more');
	});

	it('asks once per question and hour whether there are more', async () => {
		platform.db.exec('DELETE FROM locations WHERE Id NOT IN (SELECT Id FROM locations ORDER BY Id LIMIT 37)');
		Object.assign(platform.behaviour.locations, { shape: 'array' });
		const list = listOf(locationsOf(), LOCATIONS);
		expect(await readLocations(NAMES, undefined, list)).toEqual({ rows: 37, notes: [], requests: 4 });
		expect(await readLocations(NAMES, undefined, list)).toEqual({ rows: 37, notes: [], requests: 2 });
	});
});

it.each([100, 20])('a list of %i rows that all come is whole, though the platform ignores Skip', async (rows) => {
	keepFirst(rows);
	behave({ lists: { listensTo: { ...LISTENS, skip: false } } });
	const paging = { pageSize: rows, parallel: 1 };
	const readWhole = async () => await listOf(source.getPage).readPages({ query: { sorts: BY_START }, paging });
	expect((await readWhole()).pages.flat()).toHaveLength(rows);
	expect((await readWhole()).notes).toEqual([]);
	platform.reset();
	behave({ lists: { listensTo: { ...LISTENS, skip: false } } });
	await expect(readWhole()).rejects.toThrow(`gives only the first ${rows} charging sessions`);
});
