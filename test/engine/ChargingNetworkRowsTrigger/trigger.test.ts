import type { IDataObject, INodeParameters } from 'n8n-workflow';

import {
	ROWS_TRIGGER,
	list,
	ListBench,
	listRig,
	SESSION_LIST,
	smallerEnergy,
	told,
} from '../../support/rowsTrigger/support.ts';
import { MINUTE } from '../../support/stationTrigger/support.ts';
import { OddPlatform } from '../../support/trigger/oddPlatform.ts';
import { testManually, type TriggerRig } from '../../support/trigger/rig.ts';

const bench = new ListBench();
const odd = new OddPlatform();
const minutes = bench.minutes.bind(bench);
/** What the engines save differently is the subject of everyNode/triggers.test.ts and of the random histories. */
const engine = 'memory';

const isLookup = ({ query }: { query?: string | undefined }) => query?.includes('"In"') === true;
const rows = (...ids: unknown[]) => ids.map((Id) => ({ Id, Name: 'x' }) as IDataObject);
const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, index) => from + index);

describe('new rows', () => {
	it('each gives one item, and existing rows give none', async () => {
		for (const id of upTo(5)) bench.start(id);
		const rig = await bench.rig(engine, {});
		await minutes(rig, 2);
		expect(rig.items).toEqual([]);
		bench.start(6, { energy: 1.5 });
		bench.start(9);
		await minutes(rig, 3);
		expect(told(rig.items)).toEqual(['newRow 6', 'newRow 9']);
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
		expect(rig.errors).toEqual([]);
	});

	it('a row that becomes visible after one with a higher Id is found without extra requests', async () => {
		for (let id = 10; id <= 400; id += 10) bench.start(id);
		const rig = await bench.rig(engine, {});
		bench.start(410);
		await minutes(rig, 1);
		bench.start(395);
		bench.start(15);
		expect(await bench.requestsOf(async () => await minutes(rig, 1))).toBe(1);
		await rig.restart();
		await minutes(rig, 2);
		expect(told(rig.items)).toEqual(['newRow 410', 'newRow 15', 'newRow 395']);
	});

	it('rows that one poll has no time for come with the next polls, in order, each once', async () => {
		bench.start(1);
		// The scheduler gives a poll less time.
		const rig = await bench.rig('scheduler', {});
		for (const id of upTo(1200, 2)) bench.start(id);
		bench.slow(4_000);
		await minutes(rig, 1);
		const first = rig.take();
		expect(first.length).toBeGreaterThan(100);
		expect(first.length).toBeLessThan(1200);
		await minutes(rig, 8);
		expect(told([...first, ...rig.take()])).toEqual(upTo(1200, 2).map((id) => `newRow ${id}`));
		expect(rig.errors).toEqual([]);
	});
});

describe('a filter', () => {
	const parameters = { filters: smallerEnergy(5) };

	it('rows it leaves out start no execution and cost one request in total', async () => {
		bench.start(1);
		const rig = await bench.rig(engine, parameters);
		await minutes(rig, 1);
		const { saves, batches } = rig;
		const started = batches.length;
		for (const id of upTo(20, 2)) bench.start(id, { energy: 20 });
		expect(await bench.requestsOf(async () => await minutes(rig, 3))).toBe(4);
		expect(rig.batches.length).toBe(started);
		expect(rig.saves).toBe(saves);
		bench.start(30, { energy: 1 });
		await minutes(rig, 1);
		expect(told(rig.items)).toEqual(['newRow 30']);
	});

	it('one row that the platform fails to return does not hold back others', async () => {
		bench.start(1);
		const rig = await bench.rig(engine, parameters);
		for (const id of upTo(20, 2)) bench.start(id, { energy: 1 });
		const asksFor7 = ({ query = '' }: { query?: string }) => /"In","Value":"(?:[^"]*,)?7[",]/.test(query);
		bench.platform.faults.add({ kind: 'status', status: 500, match: asksFor7, times: Infinity });
		await minutes(rig, 3);
		expect(told(rig.take()).sort()).toEqual(
			upTo(20, 2)
				.filter((id) => id !== 7)
				.map((id) => `newRow ${id}`)
				.sort(),
		);
		bench.platform.faults.clear();
		await minutes(rig, 1);
		expect(told(rig.take())).toEqual(['newRow 7']);
	});

	it('that the platform refuses is reported once, and no row is lost', async () => {
		bench.start(1);
		const rig = await bench.rig(engine, parameters);
		bench.start(2, { energy: 1 });
		bench.platform.faults.add({
			...{ kind: 'status', status: 400, times: Infinity },
			match: ({ query = '' }) => query.includes('EnergyConsumed'),
		});
		await minutes(rig, 3);
		expect(rig.errors).toHaveLength(1);
		bench.platform.faults.clear();
		bench.clock.forward(15 * MINUTE);
		await minutes(rig, 1);
		expect(told(rig.items)).toEqual(['newRow 2']);
	});

	it('reports the waiting rows once it is removed', async () => {
		bench.start(1);
		const rig = await bench.rig(engine, parameters);
		bench.start(2, { energy: 20 });
		bench.platform.faults.add({ kind: 'status', status: 500, times: Infinity, match: isLookup });
		await minutes(rig, 1);
		bench.platform.faults.clear();
		bench.start(3, { energy: 20 });
		await rig.republish({ parameters: list(SESSION_LIST) });
		await minutes(rig, 2);
		expect(told(rig.items)).toEqual(['newRow 2', 'newRow 3']);
	});
});

describe('what must not happen', () => {
	async function underway(): Promise<TriggerRig> {
		bench.start(1);
		const rig = await bench.rig(engine, {});
		bench.start(2);
		await minutes(rig, 2);
		expect(told(rig.take())).toEqual(['newRow 2']);
		return rig;
	}

	it('no flood and no loss after a change of the filter', async () => {
		const rig = await underway();
		bench.start(3);
		await rig.republish({ parameters: { ...list(SESSION_LIST), filters: smallerEnergy(5) } });
		await minutes(rig, 3);
		expect(told(rig.take())).toEqual(['newRow 3']);
		expect(rig.errors).toEqual([]);
	});

	it('no flood after a change of the list', async () => {
		const rig = await underway();
		bench.add(1, 'A');
		await rig.republish({ parameters: list('/api/charging-stations/v1') });
		await minutes(rig, 2);
		expect(rig.take()).toEqual([]);
		bench.start(4);
		bench.add(4, 'B');
		await minutes(rig, 2);
		expect(told(rig.take())).toEqual(['newRow 4']);
	});

	it('the state stays small, however many rows arrive', async () => {
		const rig = await underway();
		const sizes: number[] = [];
		for (let round = 0; round < 4; round++) {
			for (const id of upTo(300, 100 + round * 300)) bench.start(id);
			await minutes(rig, 1);
			sizes.push(JSON.stringify(rig.saved()).length);
		}
		expect(Math.max(...sizes)).toBeLessThan(2000);
	});
});

describe('rows whose Id does not tell them apart', () => {
	const start = async () => {
		const rig = listRig(engine, list('/api/teams/v1'), odd.credential);
		await rig.activate();
		return rig;
	};

	it.each<[string, number, unknown[]]>([
		['more rows than are remembered', 120, Array.from({ length: 60 }, () => null)],
	])('without an Id, %s: the others are reported', async (_, before, without) => {
		odd.rows = rows(...upTo(before));
		const rig = await start();
		odd.rows.unshift(...rows(...without));
		odd.rows.push(...rows(before + 1));
		await minutes(rig, 2);
		await rig.restart();
		odd.rows.push(...rows(before + 2));
		await minutes(rig, 2);
		expect(told(rig.items)).toEqual([`newRow ${before + 1}`, `newRow ${before + 2}`]);
		expect(rig.errors).toEqual([]);
	});

	it.each([3, 120])('such rows are there when the workflow goes live with %d others', async (before) => {
		odd.rows = rows(null, ...upTo(before), ...Array.from({ length: 60 }, () => null));
		const rig = await start();
		await minutes(rig, 1);
		odd.rows.push(...rows(before + 1));
		await minutes(rig, 2);
		expect(told(rig.items)).toEqual([`newRow ${before + 1}`]);
		// Of many rows, only the newest are read.
		const said = 'Some rows of "teams" have no Id. They are left out, because it cannot be told whether they are new.';
		expect(rig.logs).toEqual(before < 50 ? [said] : []);
	});

	it('two new rows with one Id: one is reported, and the log says so once', async () => {
		odd.rows = rows(1, 2);
		const rig = await start();
		odd.rows.push(...rows(3, 3).map((row, place) => ({ ...row, Name: `row ${place}` })));
		await minutes(rig, 3);
		expect(told(rig.items)).toEqual(['newRow 3']);
		expect(rig.logs).toEqual([
			'Several rows of "teams" share the Id 3. Only one for each Id is reported, because they cannot be told apart.',
		]);
	});
});

describe('a list in which new rows cannot be found', () => {
	const activate = async () => {
		const rig = listRig(engine, list('/api/teams/v1'), odd.credential);
		await rig.activate();
		return rig;
	};

	it.each([
		['Ids that are text', () => (odd.rows = rows('a', 'b')), 'The Ids of the rows of "teams" are not numbers'],
		['rows without Id', () => (odd.rows = [{ Name: 'x' }]), 'The rows of "teams" have no Id'],
	])('%s: the trigger says so on activation and in a manual test', async (_, change, message) => {
		change();
		const sentence = `${message}, so new ones cannot be told from old ones`;
		await expect(activate()).rejects.toThrow(sentence);
		await expect(testManually(list('/api/teams/v1'), odd.credential, ROWS_TRIGGER)).rejects.toThrow(sentence);
	});

	it.each<[string, number, unknown[], string[]]>([
		['all rows are deleted', 20, [], []],
		['few rows are deleted, and a lower one turns up late', 3, [998], ['newRow 998']],
		['all are deleted, and a lower and a higher one turn up', 20, [998, 1021], ['newRow 998', 'newRow 1021']],
	])('%s: new rows are reported', async (_, before, now, reported) => {
		odd.rows = rows(...upTo(before, 1001));
		const rig = await activate();
		await minutes(rig, 1);
		odd.rows = rows(...now);
		await minutes(rig, 5);
		odd.rows.push(...rows(1030));
		await minutes(rig, 2);
		expect(told(rig.items)).toEqual([...reported, 'newRow 1030']);
		expect(rig.errors).toEqual([]);
	});

	it('text Ids that appear later are reported as a refusal', async () => {
		const rig = await activate();
		odd.rows = rows('a', 'b');
		await minutes(rig, 3);
		expect(rig.items).toEqual([]);
		expect(rig.errors.map(({ message }) => message)).toEqual([expect.stringContaining('are not numbers')]);
	});

	it('an ignored filter does not turn old rows into new ones', async () => {
		odd.rows = rows(...upTo(250));
		odd.ignores = new Set(['filter']);
		const rig = await activate();
		odd.rows.push(...rows(251));
		await minutes(rig, 20);
		expect(rig.items).toEqual([]);
		expect(rig.errors.map(({ message }) => message)).toEqual([expect.stringContaining('does not apply the condition')]);
	});
});

describe('a manual test', () => {
	const test = async (parameters: INodeParameters) =>
		(await testManually({ ...list(SESSION_LIST), ...parameters }, bench.credential(), ROWS_TRIGGER)) ?? [];

	beforeEach(() => {
		for (const id of upTo(5)) bench.start(id, { energy: id });
	});

	it('shows the newest rows that match the filter, with new event ids each time', async () => {
		const items = [...(await test({})), ...(await test({ filters: smallerEnergy(3) }))];
		expect(told(items)).toEqual(['newRow 5', 'newRow 4', 'newRow 3', 'newRow 2', 'newRow 1']);
		expect(new Set(items.map(({ eventId }) => eventId)).size).toBe(5);
	});

	it('says so when there is nothing to show', async () => {
		await expect(test({ filters: smallerEnergy(-1) })).rejects.toThrow(
			'There are no rows of "charging-sessions" that match the filter',
		);
	});

	it.each([
		['', 'no list is chosen'],
		['https://evil.example', 'includes a host'],
	])('refuses the path %j and sends nothing', async (path, message) => {
		const sent = bench.requestsOf(async () => {
			await expect(test(list(path))).rejects.toThrow(message);
		});
		expect(await sent).toBe(0);
	});
});

describe('lists of the stand-in', () => {
	const SCOPES = ['audit-trail', 'teams', 'billing', 'users'].map((area) => `${area}:read`);
	const credential = (scopes = SCOPES) => ({
		...bench.credential(),
		apiKey: bench.platform.createKey({ scopes }).secret,
	});
	const activate = async (area: string, scopes?: string[], parameters: INodeParameters = {}) => {
		const path = `/api/${area}/v1`;
		const rig = listRig('memory', { ...list(path), ...parameters }, credential(scopes));
		await rig.activate();
		return rig;
	};

	it('reports new audit trail entries that match a filter', async () => {
		bench.start(1);
		const rig = await activate('audit-trail', SCOPES, {
			filters: { other: [{ field: 'Action|text', textOperator: 'StartsWith', value: 'corrected the price' }] },
		});
		bench.platform.createKey({ name: 'somebody' });
		bench.platform.correctPrice(1, 3);
		await minutes(rig, 2);
		expect(rig.items.map(({ row }) => row)).toMatchObject([{ SessionId: 1, Actor: 'operator portal' }]);
	});

	it.each([
		['teams', 'The Ids of the rows of "teams" are not numbers, so new ones cannot be told from old ones'],
		['billing', 'The rows of "billing" cannot be sorted by Id, so new ones cannot be told from old ones'],
	])('%s: the trigger says on activation that new rows cannot be found', async (area, message) => {
		await expect(activate(area)).rejects.toThrow(message);
	});

	it('a list that the key may not read: activation names the missing scope', async () => {
		await expect(activate('users', ['audit-trail:read'])).rejects.toThrow('users:read');
	});

	it.each([
		['a web page', { kind: 'html', status: 200 } as const, 'got a web page'],
		['nothing', { kind: 'status', status: 404 } as const, 'The platform has no list at /api/users/v1'],
	])('%s at the path: activation says so', async (_, fault, message) => {
		bench.platform.faults.add({ ...fault, times: Infinity });
		await expect(activate('users')).rejects.toThrow(message);
	});
});
