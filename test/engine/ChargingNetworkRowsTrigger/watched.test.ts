import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { list, ListBench, listRig, ROWS_TRIGGER, rows } from '../../support/rowsTrigger/support.ts';
import { nothing, short } from '../../support/stationTrigger/support.ts';
import { OddPlatform } from '../../support/trigger/oddPlatform.ts';
import { testManually, type TriggerRig } from '../../support/trigger/rig.ts';

/** Rows that change, or are gone. The random histories have more of what happens to single rows. */
const bench = new ListBench();
const odd = new OddPlatform();
const minutes = bench.minutes.bind(bench);
const plays = bench.plays.bind(bench);
const USERS = list('/api/users/v1');

async function watch(event: 'changedRow' | 'goneRow', parameters: INodeParameters = {}): Promise<TriggerRig> {
	const rig = listRig('memory', { event, ...USERS, ...parameters }, odd.credential);
	await rig.activate();
	return rig;
}

const becomes = (id: number, values: IDataObject) => () =>
	(odd.rows = odd.rows.map((row) => (row.Id === id ? { ...row, ...values } : row)));
const loses = (id: number) => () => (odd.rows = odd.rows.filter((row) => row.Id !== id));
const where = (field: string, value: string): INodeParameters => ({
	filters: { other: [{ field: `${field}|text`, textOperator: 'Eq', value }] },
});
const changesIn = ({ items }: TriggerRig) => items.map(({ rowId, before, now }) => [rowId, before, now]);

describe('a row changes', () => {
	it('gives one item with what was before and is now, by field', async () => {
		odd.rows = rows(3, () => ({ Role: 'Reader', Teams: [1], Active: true, Note: null }));
		const rig = await watch('changedRow');
		const now = { Role: 'Admin', Teams: [1, 2], Active: false, Note: 'x' };
		await plays(rig, [nothing, 2, []], [becomes(2, now), 2, ['changedRow 2']]);
		expect(rig.items).toEqual([
			{
				text: 'Row 2 of users (User 2) has changed: Role from Reader to Admin, Teams from [1] to [1,2], Active from true to false and 1 more.',
				event: 'changedRow',
				list: '/api/users/v1',
				rowId: 2,
				before: { Role: 'Reader', Teams: '[1]', Active: true, Note: null },
				now: { ...now, Teams: '[1,2]' },
				eventId: expect.stringMatching(/^[0-9a-f]{24}$/) as string,
				detectedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/) as string,
				environment: 'production',
				row: { Id: 2, Name: 'User 2', ...now },
			},
		]);
	});

	it('what is not watched or ignored is not reported, in whatever case it was chosen', async () => {
		odd.rows = rows(2, () => ({ Role: 'Reader', LastSeen: 1 }));
		const some = await watch('changedRow', { watchedFields: ['role'] });
		const others = await watch('changedRow', { ignoredFields: ['LASTSEEN'] });
		becomes(1, { Name: 'New', LastSeen: 2 })();
		becomes(2, { Role: 'Admin', LastSeen: 3 })();
		await minutes(some, 1);
		await minutes(others, 1);
		const changed = [2, { Role: 'Reader' }, { Role: 'Admin' }];
		expect(changesIn(some)).toEqual([changed]);
		expect(changesIn(others)).toEqual([[1, { Name: 'User 1' }, { Name: 'New' }], changed]);
	});

	it.each([
		['watched fields', { watchedFields: ['Name', 'Role'] }],
		['filter', where('Team', 'A')],
		['list', list('/api/members/v1')],
	])('another %s: nothing is reported of what has changed by then, and what changes then is', async (_, change) => {
		odd.rows = rows(3, () => ({ Team: 'A', Role: 'Reader' }));
		const rig = await watch('changedRow');
		becomes(1, { Role: 'Admin' })();
		await plays(
			rig,
			[() => rig.republish({ parameters: { ...rig.parameters, ...change } }), 1, []],
			[becomes(2, { Role: 'Admin' }), 2, ['changedRow 2']],
		);
	});

	it('from new rows to changes and back, nothing that was there is reported', async () => {
		odd.rows = rows(3);
		const rig = listRig('memory', USERS, odd.credential);
		await rig.activate();
		await plays(rig, [() => rig.republish({ parameters: { event: 'changedRow', ...USERS } }), 1, []]);
		odd.rows.push({ Id: 9 });
		await plays(rig, [() => rig.republish({ parameters: USERS }), 1, []]);
		await plays(rig, [() => odd.rows.push({ Id: 10 }), 1, ['newRow 10']]);
	});

	it('a long text is remembered by its beginning and a hash: a change at its end is reported', async () => {
		odd.rows = rows(1, () => ({ Note: `${'x'.repeat(5000)}a` }));
		const rig = await watch('changedRow');
		expect(rig.stateSize).toBeLessThan(1000);
		await plays(rig, [becomes(1, { Note: `${'x'.repeat(5000)}b` }), 2, ['changedRow 1']]);
		const [item] = rig.items;
		expect((item?.before as IDataObject).Note).toMatch(/^x{200}… [0-9a-f]{24}$/);
		expect((item?.row as IDataObject).Note).toHaveLength(5001);
	});

	it.each<[string, IDataObject, IDataObject, IDataObject, IDataObject]>([
		['another order of names', { Zip: { A: 1, B: 2 } }, { Zip: { B: 2, A: 1 } }, { Zip: 3 }, { Zip: '{"A":1,"B":2}' }],
		['a field that the platform adds to all rows', { Old: 1 }, { Old: 1, New: 1 }, { New: 2 }, { New: 1 }],
		['another order of fields', { Old: 1, Note: 'x' }, { Note: 'x', Old: 1 }, { Old: 2 }, { Old: 1 }],
		['a field without a value that is left out', { Note: null }, {}, { Note: 'x' }, { Note: null }],
		[
			'one that is left out of an object',
			{ Site: { A: 1, At: [{ B: null }] } },
			{ Site: { A: 1, C: null, At: [{}] } },
			{ Site: 3 },
			{ Site: '{"A":1,"At":[{}]}' },
		],
	])('%s is no change; what changes then is one', async (_, first, then, now, before) => {
		odd.rows = rows(3, () => first);
		const rig = await watch('changedRow');
		await plays(rig, [() => (odd.rows = rows(3, () => then)), 2, []], [becomes(1, now), 1, ['changedRow 1']]);
		expect(changesIn(rig)).toEqual([[1, before, now]]);
	});
});

describe('a field that the platform adds to all rows', () => {
	it('is no change where it is empty in some of them; its first value there is one', async () => {
		odd.rows = rows(3);
		const rig = await watch('changedRow');
		const isAdded = () => (odd.rows = rows(3, (id) => ({ New: id === 1 ? null : id })));
		await plays(rig, [isAdded, 2, []], [becomes(1, { New: 5 }), 2, ['changedRow 1']]);
		expect(changesIn(rig)).toEqual([[1, { New: null }, { New: 5 }]]);
	});

	it('is no change where it is empty in all of them; that all are filled later is one in each', async () => {
		odd.rows = rows(2);
		const rig = await watch('changedRow');
		await plays(
			rig,
			[() => (odd.rows = rows(2, () => ({ New: null }))), 2, []],
			[() => (odd.rows = rows(2, () => ({ New: 1 }))), 2, ['changedRow 1', 'changedRow 2']],
		);
	});

	it('may be in the rows of one poll alone, so it is a change where one poll does not read the whole list', async () => {
		odd.rows = rows(5);
		odd.server.script(({ url }, response) => {
			// One page is all that the scheduler gives a poll time for.
			bench.clock.forward(15_000);
			odd.list(JSON.parse(url.searchParams.get('dsquery') ?? '{}') as Parameters<OddPlatform['list']>[0], response);
		});
		const rig = listRig('scheduler', { event: 'changedRow', ...USERS, options: { pageSize: 2 } }, odd.credential);
		await rig.activate();
		await plays(rig, [nothing, 6, []]);
		becomes(3, { Note: 'x' })();
		await plays(rig, [becomes(4, { Note: 'x' }), 3, ['changedRow 3', 'changedRow 4']]);
	});
});

describe('where the platform leaves out fields without a value', () => {
	const are = (values: IDataObject) => () => (odd.rows = rows(3, () => values));
	const all = ['changedRow 1', 'changedRow 2', 'changedRow 3'];

	it.each<[string, INodeParameters]>([
		['that is chosen', { watchedFields: ['Note'] }],
		['that one row had before', {}],
	])('a field %s, and that all rows fill between two polls, has changed in each', async (which, parameters) => {
		odd.rows = rows(3, (id) => (id === 3 ? { Note: 'old' } : {}));
		const rig = await watch('changedRow', parameters);
		if (which === 'that one row had before') await plays(rig, [are({}), 1, ['changedRow 3']]);
		else await plays(rig, [becomes(3, { Note: undefined }), 1, ['changedRow 3']]);
		await plays(rig, [are({ Note: 'paid' }), 2, all], [are({}), 2, all], [are({ Note: 'paid' }), 1, all]);
		expect(rig.items[1]).toMatchObject({ before: { Note: null }, now: { Note: 'paid' } });
	});

	it.each(['changedRow', 'goneRow'] as const)(
		'and sends them as null in every second poll, in another order: no poll makes an execution: %s',
		async (event) => {
			odd.rows = rows(3, () => ({ Note: null, Team: 'A' }));
			const rig = await watch(event);
			await minutes(rig, 1);
			const { length } = rig.batches;
			for (let poll = 1; poll < 12; poll++) {
				are(poll % 2 === 0 ? { Note: null, Team: 'A' } : { Team: 'A' })();
				await minutes(rig, 1);
			}
			expect([rig.batches.length, rig.errors]).toEqual([length, []]);
		},
	);

	it('what is gone has the values that it had', async () => {
		odd.rows = rows(2, () => ({ Note: null, Team: 'A' }));
		const rig = await watch('goneRow');
		await plays(rig, [() => (odd.rows = rows(2, () => ({ Team: 'A' }))), 1, []], [loses(2), 2, ['goneRow 2']]);
		expect(rig.items[0]?.before).toEqual({ Name: 'User 2', Note: null, Team: 'A' });
	});
});

describe('a row is gone', () => {
	it('when two polls in a row do not find it, with the values that it had', async () => {
		odd.rows = rows(3, () => ({ Role: 'Reader' }));
		const rig = await watch('goneRow', { watchedFields: ['Name'] });
		await plays(rig, [loses(2), 1, []], [nothing, 3, ['goneRow 2']]);
		expect(rig.items).toMatchObject([{ event: 'goneRow', before: { Name: 'User 2' }, now: {}, row: null }]);
	});

	it('has its last values, also after a restart', async () => {
		odd.rows = rows(3, () => ({ Role: 'Reader' }));
		const rig = await watch('goneRow');
		await plays(rig, [nothing, 1, []], [becomes(2, { Role: 'Admin' }), 2, []]);
		loses(2)();
		await rig.restart();
		await plays(rig, [nothing, 3, ['goneRow 2']]);
		expect(rig.items).toMatchObject([{ before: { Role: 'Admin' } }]);
	});

	it('one that merely left the filter is not gone; once it is back, it may be', async () => {
		odd.rows = rows(3, () => ({ Team: 'A' }));
		const rig = await watch('goneRow', where('Team', 'A'));
		await plays(
			rig,
			[becomes(2, { Team: 'B', Name: 'Moved' }), 4, []],
			[becomes(2, { Team: 'A' }), 1, []],
			[loses(2), 2, ['goneRow 2']],
		);
		expect(rig.items[0]?.before).toEqual({ Name: 'Moved', Team: 'A' });
	});
});

it.each(['changedRow', 'goneRow'] as const)(
	'rows without Ids, in a list that is sorted by Id all the same, are refused: %s',
	async (event) => {
		odd.rows = ['a', 'b'].map((Name) => ({ Name }));
		await expect(watch(event)).rejects.toThrow('The rows of "users" have no Id');
	},
);

it('rows whose Ids are texts are watched as well', async () => {
	odd.rows = ['a', 'b', 'c'].map((Id) => ({ Id, Price: 1 }));
	const [changed, gone] = [await watch('changedRow'), await watch('goneRow')];
	odd.rows = [
		{ Id: 'a', Price: 2 },
		{ Id: 'c', Price: 1 },
	];
	await plays(changed, [nothing, 1, ['changedRow a']]);
	await plays(gone, [nothing, 2, ['goneRow b']]);
});

describe('what a poll costs, and what is remembered', () => {
	it('1,000 rows cost at most 11 requests', async () => {
		odd.rows = rows(1000);
		const rig = await watch('changedRow');
		const { length } = odd.server.received;
		await minutes(rig, 1);
		expect(odd.server.received.length - length).toBeLessThanOrEqual(11);
	});

	it('what one poll has no time for is read by the next ones', async () => {
		bench.startAll(1, 1500);
		// The scheduler gives a poll less time.
		const rig = await bench.rig('scheduler', { event: 'changedRow', watchedFields: ['EnergyConsumed'] });
		bench.slow(4_000);
		bench.energy(7, 5, 700, 1400);
		await minutes(rig, 1);
		expect(rig.items.length).toBeLessThan(3);
		await minutes(rig, 6);
		expect(short(rig.items)).toEqual(['changedRow 5', 'changedRow 700', 'changedRow 1400']);
	});

	it('20,000 values are remembered, one more is refused with advice, and keeps the state', async () => {
		odd.rows = rows(2000, (id) => Object.fromEntries(Array.from({ length: 9 }, (_, nth) => [`Field${nth}`, id * nth])));
		const rig = await watch('changedRow');
		expect(rig.stateSize).toBeLessThan(700_000);
		const saved = rig.saved();
		odd.rows.push({ Id: 5000, Name: 'One more' });
		becomes(1, { Name: 'Changed' })();
		await minutes(rig, 1);
		expect(rig.items).toEqual([]);
		expect(rig.errors.map(({ message }) => message)).toEqual([
			'The rows of "users" have more than 20,000 values, too many to remember',
		]);
		expect(rig.saved()).toEqual(saved);
		loses(5000)();
		await minutes(rig, 3);
		expect(short(rig.items)).toEqual(['changedRow 1']);
	});

	it('rows that left the filter make room for others', async () => {
		const wide = Object.fromEntries(Array.from({ length: 99 }, (_, nth) => [`Field${nth}`, nth]));
		const areIn = (isIn: (id: number) => boolean) => rows(300, (id) => ({ ...wide, Team: isIn(id) ? 'A' : 'B' }));
		odd.rows = areIn((id) => id <= 150);
		const rig = await watch('changedRow', where('Team', 'A'));
		await plays(
			rig,
			[() => (odd.rows = areIn((id) => id > 150)), 2, []],
			[becomes(200, { Name: 'B' }), 1, ['changedRow 200']],
		);
	});
});

it('a row whose Id comes as text, and no longer as a number, is the same row', async () => {
	odd.rows = rows(2);
	const rig = await watch('changedRow');
	const changes = () => (odd.rows = rows(2, (id) => ({ Id: String(id), Name: id === 1 ? 'Other' : 'User 2' })));
	await plays(rig, [nothing, 1, []], [changes, 2, ['changedRow 1']]);
});

it.each([
	['watchedFields', 'Watched Field'],
	['ignoredFields', 'Ignored Field'],
])('a field that no row has is refused under %s, also in a manual test', async (name, label) => {
	odd.rows = rows(5, (id) => (id === 1 ? { Note: 'only here' } : {}));
	const chosen = (field: string) => ({ [name]: [field] });
	const test = async (field: string) =>
		await testManually({ event: 'changedRow', ...USERS, ...chosen(field) }, odd.credential, ROWS_TRIGGER);
	const refusal = {
		message: 'None of the 5 rows has a field "Nmae"',
		description: expect.stringContaining(label) as string,
	};
	await expect(watch('changedRow', chosen('Nmae'))).rejects.toMatchObject(refusal);
	await expect(test('Nmae')).rejects.toMatchObject(refusal);
	expect(await test('Note')).toHaveLength(3);
});

it.each([{ watchedFields: ['Id'] }, { watchedFields: ['id', 'Name'], ignoredFields: ['Name'] }])(
	'%j: that the Id alone is watched is refused before anything is sent, as it never changes',
	async (chosen) => {
		odd.rows = rows(2);
		const { length } = odd.server.received;
		await expect(watch('changedRow', chosen)).rejects.toThrow(
			/^Watched Field Names or IDs: only the Id is left of them/,
		);
		expect(odd.server.received).toHaveLength(length);
		const gone = await watch('goneRow', chosen);
		await plays(gone, [loses(2), 2, ['goneRow 2']]);
	},
);

it.each(['changedRow', 'goneRow'])('%s: a manual test shows the newest rows, with new ids each time', async (event) => {
	odd.rows = rows(5);
	const test = async () => (await testManually({ event, ...USERS }, odd.credential, ROWS_TRIGGER)) ?? [];
	const items = [...(await test()), ...(await test())];
	expect(short(items.slice(0, 3)).sort()).toEqual([`${event} 3`, `${event} 4`, `${event} 5`]);
	expect(items[0]).toMatchObject({ sample: true, before: { Name: expect.stringMatching(/^User/) as string } });
	expect(new Set(items.map(({ eventId }) => eventId)).size).toBe(6);
});

it.each(['changedRow', 'goneRow'] as const)(
	'%s: a platform that sends all rows, whatever is asked for, is refused when there is a filter',
	async (event) => {
		bench.startAll(1, 9);
		const filtered = { event, ...where('Note', 'x') };
		bench.platform.behaviour.ignores = ['Filter', 'Sort', 'Skip', 'Take'];
		await bench.inactive('memory', { event }).activate();
		await expect(bench.inactive('memory', filtered).activate()).rejects.toThrow(
			/in one answer.*its filter cannot be relied on/,
		);
	},
);
