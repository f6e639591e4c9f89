import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { list, ListBench, listRig, ROWS_TRIGGER, told } from '../../support/rowsTrigger/support.ts';
import { OddPlatform } from '../../support/trigger/oddPlatform.ts';
import { testManually, type Engine, type TriggerRig } from '../../support/trigger/rig.ts';

const bench = new ListBench();
const odd = new OddPlatform();
const minutes = bench.minutes.bind(bench);
const USERS = list('/api/users/v1');

/** Rows with the Ids 1 to n. */
const rows = (count: number, values: (id: number) => IDataObject = () => ({})): IDataObject[] =>
	Array.from({ length: count }, (_, index) => ({ Id: index + 1, Name: `User ${index + 1}`, ...values(index + 1) }));

async function watch(
	event: 'changedRow' | 'goneRow',
	parameters: INodeParameters = {},
	engine: Engine = 'memory',
): Promise<TriggerRig> {
	const rig = listRig(engine, { event, ...USERS, ...parameters }, odd.credential);
	await rig.activate();
	return rig;
}

const set = (id: number, values: IDataObject) =>
	(odd.rows = odd.rows.map((row) => (row.Id === id ? { ...row, ...values } : row)));
const remove = (id: number) => (odd.rows = odd.rows.filter((row) => row.Id !== id));
const where = (field: string, value: string): INodeParameters => ({
	filters: { other: [{ field: `${field}|text`, textOperator: 'Eq', value }] },
});

describe('a row changes', () => {
	it('gives one item with what was before and is now, by field', async () => {
		odd.rows = rows(3, () => ({ Role: 'Reader', Teams: [1], Active: true, Note: null }));
		const rig = await watch('changedRow');
		await minutes(rig, 2);
		expect(rig.items).toEqual([]);
		set(2, { Role: 'Admin', Teams: [1, 2], Active: false, Note: 'x' });
		await minutes(rig, 2);
		expect(rig.items).toEqual([
			{
				text: 'Row 2 of users (User 2) has changed: Role from Reader to Admin, Teams from [1] to [1,2], Active from true to false and 1 more.',
				event: 'changedRow',
				list: '/api/users/v1',
				rowId: 2,
				before: { Role: 'Reader', Teams: '[1]', Active: true, Note: null },
				now: { Role: 'Admin', Teams: '[1,2]', Active: false, Note: 'x' },
				eventId: expect.stringMatching(/^[0-9a-f]{24}$/) as string,
				detectedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/) as string,
				environment: 'production',
				row: { Id: 2, Name: 'User 2', Role: 'Admin', Teams: [1, 2], Active: false, Note: 'x' },
			},
		]);
	});

	it('what is not watched or ignored is not reported, in whatever case it was chosen', async () => {
		odd.rows = rows(2, () => ({ Role: 'Reader', LastSeen: 1 }));
		const [some, others] = [
			await watch('changedRow', { watchedFields: ['role'] }),
			await watch('changedRow', { ignoredFields: ['LASTSEEN'] }),
		];
		set(1, { Name: 'New', LastSeen: 2 });
		set(2, { Role: 'Admin', LastSeen: 3 });
		await minutes(some, 1);
		await minutes(others, 1);
		expect(some.items.map(({ rowId, now }) => [rowId, now])).toEqual([[2, { Role: 'Admin' }]]);
		expect(others.items.map(({ rowId, now }) => [rowId, now])).toEqual([
			[1, { Name: 'New' }],
			[2, { Role: 'Admin' }],
		]);
	});

	it('a new row is only noted, and its changes are reported after a restart, too', async () => {
		odd.rows = rows(1);
		const rig = await watch('changedRow');
		odd.rows = rows(2);
		await minutes(rig, 1);
		set(2, { Name: 'B' });
		await rig.restart();
		await minutes(rig, 1);
		expect(told(rig.items)).toEqual(['changedRow 2']);
	});

	it('one that left the filter is compared with what was last known when it is back', async () => {
		odd.rows = rows(2, () => ({ Team: 'A', Role: 'Reader' }));
		const rig = await watch('changedRow', { ...where('Team', 'A'), watchedFields: ['Role'] });
		set(1, { Team: 'B' });
		await minutes(rig, 2);
		set(1, { Role: 'Admin' });
		await rig.restart();
		await minutes(rig, 2);
		expect(rig.items).toEqual([]);
		set(1, { Team: 'A' });
		await minutes(rig, 2);
		expect(rig.items.map(({ before, now }) => [before, now])).toEqual([[{ Role: 'Reader' }, { Role: 'Admin' }]]);
	});

	it.each([
		['watched fields', { watchedFields: ['Name', 'Role'] }],
		['ignored fields', { ignoredFields: ['Team'] }],
		['filter', where('Team', 'A')],
		['event', { event: 'goneRow' }],
		['list', list('/api/members/v1')],
	])('another %s: nothing is reported of what has changed by then, and what changes then is', async (_, change) => {
		odd.rows = rows(3, () => ({ Team: 'A', Role: 'Reader' }));
		const rig = await watch('changedRow');
		const before = { event: 'changedRow', ...USERS };
		set(1, { Role: 'Admin' });
		await rig.republish({ parameters: { ...before, ...change } });
		await minutes(rig, 1);
		expect(rig.items).toEqual([]);
		set(2, { Role: 'Admin' });
		if ('event' in change) remove(2);
		await minutes(rig, 2);
		expect(rig.items.map(({ rowId }) => rowId)).toEqual([2]);
	});

	it('from new rows to changes and back, nothing that was there is reported', async () => {
		odd.rows = rows(3);
		const rig = listRig('memory', USERS, odd.credential);
		await rig.activate();
		await rig.republish({ parameters: { event: 'changedRow', ...USERS } });
		await minutes(rig, 1);
		odd.rows.push({ Id: 9 });
		await rig.republish({ parameters: USERS });
		await minutes(rig, 1);
		expect(rig.items).toEqual([]);
		odd.rows.push({ Id: 10 });
		await minutes(rig, 1);
		expect(told(rig.items)).toEqual(['newRow 10']);
	});

	it('a long text is remembered by its beginning and a hash: a change at its end is reported', async () => {
		odd.rows = rows(1, () => ({ Note: `${'x'.repeat(5000)}a` }));
		const rig = await watch('changedRow');
		expect(rig.stateSize).toBeLessThan(1000);
		set(1, { Note: `${'x'.repeat(5000)}b` });
		await minutes(rig, 2);
		const [item] = rig.items;
		expect((item?.before as IDataObject).Note).toMatch(/^x{200}… [0-9a-f]{24}$/);
		expect((item?.row as IDataObject).Note).toHaveLength(5001);
	});

	it('lists and objects with the same content in another order of names are the same', async () => {
		odd.rows = rows(1, () => ({ Address: { City: 'A', Zip: 1 } }));
		const rig = await watch('changedRow');
		set(1, { Address: { Zip: 1, City: 'A' } });
		await minutes(rig, 2);
		expect(rig.items).toEqual([]);
	});

	it('a field that the platform adds to all rows, or takes from all, is no change of rows', async () => {
		odd.rows = rows(3, () => ({ Old: 1 }));
		const rig = await watch('changedRow');
		odd.rows = odd.rows.map(({ Id, Name }) => ({ Id, Name, New: 1 }));
		await minutes(rig, 2);
		expect(rig.items).toEqual([]);
		set(1, { New: 2 });
		await minutes(rig, 1);
		expect(rig.items.map(({ before, now }) => [before, now])).toEqual([[{ New: 1 }, { New: 2 }]]);
	});

	it('a field without a value is the same as one that is left out, until it gets one', async () => {
		odd.rows = rows(3, () => ({ Note: null }));
		const rig = await watch('changedRow');
		odd.rows = odd.rows.map(({ Id, Name }) => ({ Id, Name }));
		await minutes(rig, 2);
		expect(rig.items).toEqual([]);
		set(2, { Note: 'x' });
		await minutes(rig, 1);
		expect(rig.items.map(({ before, now }) => [before, now])).toEqual([[{ Note: null }, { Note: 'x' }]]);
	});
});

describe('a row is gone', () => {
	it('when two polls in a row do not find it, with the values that it had', async () => {
		odd.rows = rows(3, () => ({ Role: 'Reader' }));
		const rig = await watch('goneRow', { watchedFields: ['Name'] });
		remove(2);
		await minutes(rig, 1);
		expect(rig.items).toEqual([]);
		await minutes(rig, 3);
		expect(rig.items).toMatchObject([{ event: 'goneRow', rowId: 2, before: { Name: 'User 2' }, now: {}, row: null }]);
	});

	it('one that merely left the filter is not gone; once it is back, it may be', async () => {
		odd.rows = rows(3, () => ({ Team: 'A' }));
		const rig = await watch('goneRow', where('Team', 'A'));
		set(2, { Team: 'B', Name: 'Moved' });
		await minutes(rig, 4);
		set(2, { Team: 'A' });
		await minutes(rig, 1);
		expect(rig.items).toEqual([]);
		remove(2);
		await minutes(rig, 2);
		expect(rig.items).toMatchObject([{ rowId: 2, before: { Name: 'Moved', Team: 'A' } }]);
	});

	it('rows that change start no execution', async () => {
		odd.rows = rows(3);
		const rig = await watch('goneRow');
		const { saves } = rig;
		set(1, { Name: 'B' });
		await minutes(rig, 2);
		expect([rig.batches.length, rig.saves]).toEqual([1, saves]);
	});
});

it('rows whose Ids are texts are watched as well', async () => {
	odd.rows = ['a', 'b', 'c'].map((Id) => ({ Id, Price: 1 }));
	const [changed, gone] = [await watch('changedRow'), await watch('goneRow')];
	odd.rows = [
		{ Id: 'a', Price: 2 },
		{ Id: 'c', Price: 1 },
	];
	await minutes(changed, 1);
	await minutes(gone, 2);
	expect(told([...changed.items, ...gone.items])).toEqual(['changedRow a', 'goneRow b']);
});

describe('what a poll costs, and what is remembered', () => {
	const sent = async (work: () => Promise<unknown>) => {
		const before = odd.server.received.length;
		await work();
		return odd.server.received.length - before;
	};

	it.each(['changedRow', 'goneRow'] as const)('%s: 1,000 rows cost at most 11 requests', async (event) => {
		odd.rows = rows(1000);
		const rig = await watch(event);
		const costs = await sent(async () => await minutes(rig, 1));
		expect(costs).toBeLessThanOrEqual(11);
	});

	it('20,000 values are remembered, one more is refused with advice, and keeps the state', async () => {
		odd.rows = rows(2000, (id) => Object.fromEntries(Array.from({ length: 9 }, (_, nth) => [`Field${nth}`, id * nth])));
		const rig = await watch('changedRow');
		expect(rig.stateSize).toBeLessThan(700_000);
		const saved = rig.saved();
		odd.rows.push({ Id: 5000, Name: 'One more' });
		set(1, { Name: 'Changed' });
		await minutes(rig, 1);
		expect(rig.items).toEqual([]);
		expect(rig.errors.map(({ message }) => message)).toEqual([
			'The rows of "users" have more than 20,000 values, too many to remember',
		]);
		expect(rig.saved()).toEqual(saved);
		remove(5000);
		await minutes(rig, 3);
		expect(told(rig.items)).toEqual(['changedRow 1']);
	});

	it('rows that left the filter make room', async () => {
		const fields = Object.fromEntries(Array.from({ length: 8 }, (_, nth) => [`Field${nth}`, nth]));
		odd.rows = rows(2000, (id) => ({ ...fields, Team: id > 500 ? 'A' : 'B' }));
		const rig = await watch('changedRow', where('Team', 'A'));
		odd.rows = odd.rows.map((row) => ({ ...row, Team: Number(row.Id) > 1500 ? 'B' : 'A' }));
		await minutes(rig, 1);
		odd.rows.push(
			...rows(2300)
				.slice(2000)
				.map((row) => ({ ...row, ...fields, Team: 'A' })),
		);
		await minutes(rig, 2);
		expect(rig.errors).toEqual([]);
		expect(rig.items).toEqual([]);
	});

	it('what one poll has no time for is read by the next ones', async () => {
		odd.rows = rows(1500);
		const rig = await watch('changedRow', {}, 'scheduler');
		odd.meanwhile = () => bench.clock.forward(4_000);
		for (const id of [5, 700, 1400]) set(id, { Name: 'B' });
		await minutes(rig, 1);
		expect(rig.items.length).toBeLessThan(3);
		await minutes(rig, 6);
		expect(told(rig.items)).toEqual(['changedRow 5', 'changedRow 700', 'changedRow 1400']);
	});
});

describe('what cannot be watched', () => {
	it('from rows without an Id, and from those that share one, nothing follows', async () => {
		odd.rows = [...rows(2), { Id: 2, Name: 'Other' }, { Id: null, Name: 'None' }, { Id: 3 }];
		const rig = await watch('goneRow');
		odd.rows.reverse();
		await minutes(rig, 3);
		expect(rig.items).toEqual([]);
		expect(rig.logs).toEqual([
			'Several rows of "users" share the Id 2. Nothing is concluded from them.',
			'Some rows of "users" have no Id. They are left out, because they cannot be told apart.',
		]);
	});

	it.each<[INodeParameters, RegExp]>([
		[{ watchedFields: ['Nmae'] }, /None of the 2 rows has a field "Nmae"/],
		[{ watchedFields: ['Name'], ignoredFields: ['name'] }, /all watched fields are among them/],
		[{ watchedFields: '={{ [] }}' }, /nothing is chosen/],
		[{ event: 'chnagedRow' }, /is none of: newRow, changedRow, goneRow/],
	])('%j is refused', async (parameters, message) => {
		odd.rows = rows(2);
		await expect(watch('changedRow', parameters)).rejects.toThrow(message);
	});
});

describe('a manual test', () => {
	it.each(['changedRow', 'goneRow'])('%s: shows the newest rows, with new ids each time', async (event) => {
		odd.rows = rows(5);
		const test = async () => (await testManually({ event, ...USERS }, odd.credential, ROWS_TRIGGER)) ?? [];
		const items = [...(await test()), ...(await test())];
		expect(told(items.slice(0, 3)).sort()).toEqual([`${event} 3`, `${event} 4`, `${event} 5`]);
		expect(items[0]).toMatchObject({ sample: true, before: { Name: expect.stringMatching(/^User/) as string } });
		expect(new Set(items.map(({ eventId }) => eventId)).size).toBe(6);
	});
});
