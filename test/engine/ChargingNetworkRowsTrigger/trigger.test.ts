import range from 'lodash/range.js';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import {
	ROWS_TRIGGER,
	list,
	ListBench,
	listRig,
	rows,
	SESSION_LIST,
	smallerEnergy,
} from '../../support/rowsTrigger/support.ts';
import { nothing, short } from '../../support/stationTrigger/support.ts';
import { OddPlatform } from '../../support/trigger/oddPlatform.ts';
import { testManually } from '../../support/trigger/rig.ts';

/**
 * New rows. What is told of single rows at any time is the subject of the random histories. What all triggers promise of
 * saved state, outages and partial answers: everyNode/trigger*.test.ts.
 */
const bench = new ListBench();
const odd = new OddPlatform();
const minutes = bench.minutes.bind(bench);
const plays = bench.plays.bind(bench);
const engine = 'memory';

const newRows = (first: number, last = first) => range(first, last + 1).map((id) => `newRow ${id}`);
/** The list of the odd platform gets these rows, too. */
const gets =
	(...more: IDataObject[]) =>
	() =>
		odd.rows.push(...more);
const TEAMS = list('/api/teams/v1');

async function watchTeams() {
	const rig = listRig(engine, TEAMS, odd.credential);
	await rig.activate();
	return rig;
}

describe('new rows', () => {
	it('each gives one item, and existing rows give none', async () => {
		bench.startAll(1, 5);
		const rig = await bench.rig(engine, {});
		await plays(rig, [nothing, 2, []], [() => bench.start(6, { energy: 1.5 }), 3, ['newRow 6']]);
		expect(rig.items[0]).toEqual({
			eventId: expect.stringMatching(/^[0-9a-f]{24}$/) as string,
			text: 'Row 6 of charging-sessions is new.',
			event: 'newRow',
			list: SESSION_LIST,
			rowId: 6,
			detectedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/) as string,
			environment: 'production',
			row: expect.objectContaining({ Id: 6, EnergyConsumed: 1.5 }) as object,
		});
	});

	it('rows that one poll has no time for come with the next polls, in order, each once', async () => {
		bench.start(1);
		// The scheduler gives a poll less time.
		const rig = await bench.rig('scheduler', {});
		bench.startAll(2, 1201);
		bench.slow(4_000);
		await minutes(rig, 1);
		const { length } = rig.items;
		expect(length).toBeGreaterThan(100);
		expect(length).toBeLessThan(1200);
		await minutes(rig, 8);
		expect(short(rig.items)).toEqual(newRows(2, 1201));
		expect(rig.errors).toEqual([]);
		expect(rig.stateSize).toBeLessThan(2000);
	});
});

describe('a filter', () => {
	const filters = smallerEnergy(5);

	it('rows it leaves out start no execution and cost one request in total', async () => {
		bench.start(1);
		const rig = await bench.rig(engine, { filters });
		await minutes(rig, 1);
		const before = [rig.saves, rig.batches.length];
		bench.startAll(2, 21, { energy: 20 });
		expect(await bench.requestsOf(async () => await minutes(rig, 3))).toBe(4);
		expect([rig.saves, rig.batches.length]).toEqual(before);
		await plays(rig, [() => bench.start(30, { energy: 1 }), 1, ['newRow 30']]);
	});

	it('reports the waiting rows once it is removed', async () => {
		const rig = await bench.rig(engine, { filters });
		const match = ({ query = '' }: { query?: string }) => query.includes('"In"');
		bench.platform.faults.add({ kind: 'status', status: 500, times: Infinity, match });
		await plays(rig, [() => bench.start(2, { energy: 20 }), 1, []]);
		bench.platform.faults.clear();
		bench.start(3, { energy: 20 });
		await plays(rig, [() => rig.republish({ parameters: list(SESSION_LIST) }), 2, newRows(2, 3)]);
	});
});

it('after a change of the list, what it has already is not new', async () => {
	bench.start(1);
	const rig = await bench.rig(engine, {});
	bench.add(1, 'A');
	await plays(rig, [() => rig.republish({ parameters: list('/api/charging-stations/v1') }), 2, []]);
	bench.start(4);
	await plays(rig, [() => bench.add(4, 'B'), 2, ['newRow 4']]);
});

describe('Ids that do not rise: a new row is reported once, and no old one', () => {
	it('two new rows share one', async () => {
		odd.rows = rows(120);
		const rig = await watchTeams();
		await plays(
			rig,
			[gets({ Id: 121, Name: 'one' }, { Id: 121, Name: 'other' }), 3, ['newRow 121']],
			[gets({ Id: 122 }), 2, ['newRow 122']],
		);
	});

	it('they are sorted as text: what is known already is not read again', async () => {
		odd.rows = rows(100, undefined, 900);
		odd.sortsAsText = true;
		const rig = await watchTeams();
		odd.server.received.length = 0;
		await plays(rig, [gets({ Id: 1000 }), 3, ['newRow 1000']], [gets({ Id: 1001 }), 2, ['newRow 1001']]);
		expect(odd.server.received.filter(({ url }) => !url.search.includes('Gt'))).toEqual([]);
	});
});

describe('a list in which new rows cannot be found', () => {
	it('because its Ids are text: the trigger says so on activation and in a manual test', async () => {
		odd.rows = [{ Id: 'a' }, { Id: 'b' }];
		const sentence =
			'The Ids of the rows of "teams" are not all whole numbers up to 9007199254740991, so new ones cannot be told from old ones';
		await expect(watchTeams()).rejects.toThrow(sentence);
		await expect(testManually(TEAMS, odd.credential, ROWS_TRIGGER)).rejects.toThrow(sentence);
	});

	it('because text Ids appear later: that is a refusal', async () => {
		const rig = await watchTeams();
		odd.rows = [{ Id: 'a' }, { Id: 'b' }];
		await minutes(rig, 3);
		expect(rig.items).toEqual([]);
		expect(rig.errors.map(({ message }) => message)).toEqual([expect.stringContaining('are not all whole numbers')]);
	});

	it('an ignored filter does not turn old rows into new ones', async () => {
		bench.startAll(1, 250);
		bench.platform.behaviour.ignores = ['Filter'];
		const rig = await bench.rig(engine, {});
		bench.start(251);
		await minutes(rig, 20);
		expect(rig.items).toEqual([]);
		expect(rig.errors.map(({ message }) => message)).toEqual([expect.stringContaining('does not apply the condition')]);
	});
});

it('after all rows are deleted, new rows are reported; without a start, one with a lower Id is none', async () => {
	odd.rows = rows(20, undefined, 1001);
	const rig = await watchTeams();
	await plays(
		rig,
		[nothing, 1, []],
		[() => (odd.rows = [{ Id: 998 }, { Id: 1021 }]), 5, ['newRow 1021']],
		[() => (odd.rows = []), 2, []],
		[gets({ Id: 1030 }), 2, ['newRow 1030']],
	);
});

describe('a manual test', () => {
	const test = async (parameters: INodeParameters) =>
		(await testManually({ ...list(SESSION_LIST), ...parameters }, bench.credential(), ROWS_TRIGGER)) ?? [];

	beforeEach(() => {
		for (let id = 1; id <= 5; id++) bench.start(id, { energy: id });
	});

	it('shows the newest rows that match the filter, with new event ids each time', async () => {
		const items = [...(await test({})), ...(await test({ filters: smallerEnergy(3) }))];
		expect(short(items)).toEqual(['newRow 5', 'newRow 4', 'newRow 3', 'newRow 2', 'newRow 1']);
		expect(new Set(items.map(({ eventId }) => eventId)).size).toBe(5);
	});
});

describe('another list', () => {
	const activate = async (area: string, scopes: string[], parameters: INodeParameters = {}) => {
		const apiKey = bench.platform.createKey({ scopes }).secret;
		const credential = { ...bench.credential(), apiKey };
		const rig = listRig(engine, { ...list(`/api/${area}/v1`), ...parameters }, credential);
		await rig.activate();
		return rig;
	};

	it('such as the audit trail has new entries that match a filter', async () => {
		bench.start(1);
		const other = [{ field: 'Action|text', textOperator: 'StartsWith', value: 'corrected the price' }];
		const rig = await activate('audit-trail', ['audit-trail:read'], { filters: { other } });
		bench.platform.createKey({ name: 'somebody' });
		bench.platform.correctPrice(1, 3);
		await minutes(rig, 2);
		expect(rig.items.map(({ row }) => row)).toMatchObject([{ SessionId: 1, Actor: 'operator portal' }]);
	});

	it('whose Ids cannot be sorted by is refused on activation', async () => {
		const sentence = 'The rows of "billing" cannot be sorted by Id, so new ones cannot be told from old ones';
		await expect(activate('billing', ['billing:read'])).rejects.toThrow(sentence);
	});

	it.each(['changedRow', 'goneRow'])(
		'whose rows have no Id is refused on activation, whatever the trigger is on: %s',
		async (event) => {
			const sentence = 'The rows of "billing" have no Id, so it cannot be told which of them changed or are gone';
			const error = await activate('billing', ['billing:read'], { event }).catch((thrown: unknown) => thrown);
			expect(error).toMatchObject({
				message: sentence,
				description: expect.stringContaining('Schedule Trigger') as string,
			});
		},
	);
});
