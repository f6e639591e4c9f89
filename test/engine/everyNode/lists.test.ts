/** How lists are read: what it costs, in which order rows come, and what is said where the platform's answer contradicts the question. */
import range from 'lodash/range.js';
import type { INodeParameters } from 'n8n-workflow';

import { startPlatform, type Fault, type IdKind, type StandIn } from '../../platform/index.ts';
import { keepFilesOnDisk } from '../../support/export.ts';
import { credentialFor, runNode, type RunResult } from '../../support/harness.ts';

const ALL = { operation: 'getAll', returnAll: true };
const ROWS = 730;
const by = (field: string, direction: string) => ({ sort: { by: [{ field, direction }] } });

let platform: StandIn;
let apiKey: string;
beforeAll(async () => {
	await keepFilesOnDisk();
	platform = await startPlatform({ sessions: 1_000, stations: 10, idGaps: 3 });
});
afterAll(async () => await platform.close());
beforeEach(() => {
	platform.reset();
	// What is known of a platform is known by its key.
	apiKey = platform.createKey({ scopes: ['charging-sessions:read', 'charging-stations:read'] }).secret;
});

const keep = (rows: number) =>
	platform.db.exec(`DELETE FROM sessions WHERE Id NOT IN (SELECT Id FROM sessions ORDER BY Id LIMIT ${rows})`);
const idsOf = ({ json }: RunResult) => json.map(({ Id: id }) => id);
const inSql = (order: string) =>
	platform.db
		.prepare(`SELECT Id FROM sessions ORDER BY ${order}`)
		.all()
		.map(({ Id: id }) => id);

const run = async (parameters: INodeParameters, type = 'chargingSessions') =>
	await runNode({ type, credential: { ...credentialFor(platform), apiKey }, parameters });

/** What stops a run: nothing is returned. */
async function refusalOf(...asked: Parameters<typeof run>) {
	const { error, json } = await run(...asked);
	expect(json).toEqual([]);
	return { message: error?.message, description: error?.description };
}

it('takes few requests on a platform as specified', async () => {
	const limits = [50, 101, 250].map((limit) => ({ operation: 'getAll', limit }));
	const lanes = [1, 8].map((parallelRequests) => ({ ...ALL, options: { parallelRequests } }));
	const costs: Record<string, number[]> = {};
	for (const rows of [1_000, 101, 100, 99, 0]) {
		keep(rows);
		const all = [...lanes, { ...ALL, ...by('StartedAtUtc', 'Desc') }, ...limits, { operation: 'count' }];
		costs[rows] = [];
		for (const parameters of all) {
			const before = platform.requests.length;
			const { error, hints } = await run(parameters);
			expect([error, hints]).toEqual([undefined, []]);
			costs[rows].push(platform.requests.length - before);
		}
	}
	// Return All in 1 and 8 lanes, and sorted; the newest 50, 101 and 250; Count.
	expect(costs).toEqual({
		1000: [11, 12, 12, 1, 2, 3, 1],
		101: [2, 2, 2, 1, 2, 2, 1],
		100: [2, 2, 2, 1, 2, 2, 1],
		99: [1, 1, 1, 1, 1, 1, 1],
		0: [1, 1, 1, 1, 1, 1, 1],
	});
});

it('what is there throughout comes exactly once while rows come and go', async () => {
	const before = inSql('Id');
	platform.beforeList = ({ count }) => {
		if (count === 1) return;
		platform.startSession();
		platform.db.exec('DELETE FROM sessions WHERE Id IN (SELECT Id FROM sessions ORDER BY Id LIMIT 8)');
	};
	const result = await run({ ...ALL, options: { pageSize: 25 } });
	expect(result.error).toBeUndefined();
	const ids = idsOf(result);
	expect(new Set(ids).size).toBe(ids.length);
	const after = new Set(inSql('Id'));
	expect(ids).toEqual(expect.arrayContaining(before.filter((id) => after.has(id))));
});

it('sessions that start while one that was to come goes are no reason to doubt the count', async () => {
	keep(ROWS);
	platform.beforeList = ({ count }) => {
		if (count !== 4) return;
		platform.db.exec('DELETE FROM sessions WHERE Id IN (SELECT Id FROM sessions ORDER BY Id DESC LIMIT 1 OFFSET 3)');
		for (let started = 0; started < 3; started++) platform.startSession();
	};
	const { error, json, hints } = await run(ALL);
	expect([error, json.length, hints]).toEqual([undefined, ROWS - 1, []]);
});

it('by position, a list from whose beginning rows go is read once more, and then refused', async () => {
	keep(ROWS);
	platform.behaviour.ids.sessions = 'text';
	const removeSome = () =>
		platform.db.exec('DELETE FROM sessions WHERE Id IN (SELECT Id FROM sessions ORDER BY Id LIMIT 8)');
	let asked = 0;
	platform.beforeList = () => void (++asked === 3 && removeSome());
	const left = await run(ALL);
	expect([left.error, left.json.length, left.hints]).toEqual([undefined, ROWS - 8, []]);
	asked = 0;
	const summed = await run({ operation: 'summary' });
	expect([summed.json, summed.hints]).toMatchObject([[{ count: ROWS - 16 }], []]);
	platform.beforeList = removeSome;
	expect((await refusalOf(ALL)).message).toMatch(/do not fit together/);
});

it('by position, a list that had rows is not empty because the second reading finds none', async () => {
	keep(ROWS);
	const nothing: Fault = { kind: 'reply', body: { Items: [], TotalCount: 0 }, match: { nth: 2 }, times: Infinity };
	const sorted = { operation: 'getAll', limit: 200, ...by('EnergyConsumed', 'Asc') };
	const readings: Array<[parameters: INodeParameters, ids: IdKind]> = [
		[sorted, 'integer'],
		[ALL, 'text'],
		[{ operation: 'summary' }, 'text'],
	];
	for (const [parameters, ids] of readings) {
		platform.behaviour.ids.sessions = ids;
		platform.faults.clear();
		platform.faults.add(nothing);
		const { message, description } = await refusalOf(parameters);
		expect(message).toBe('The platform answered with no rows in place of charging sessions');
		expect(description).toMatch(/Run the node again later/);
	}
});

describe('a sorted list with a limit, in which rows come to the front meanwhile', () => {
	/** Before this request, so many of the last rows become the first ones. */
	const moveToFront = (rows: number, request: number) => {
		let asked = 0;
		platform.beforeList = () => {
			if (++asked !== request) return;
			const last = `SELECT Id FROM sessions ORDER BY EnergyConsumed DESC, Id DESC LIMIT ${rows}`;
			platform.db.exec(`UPDATE sessions SET EnergyConsumed = -1 WHERE Id IN (${last})`);
		};
	};
	const lowest = { operation: 'getAll', ...by('EnergyConsumed', 'Asc') };
	const message: unknown = expect.stringMatching(/^Charging sessions changed while the list was read\./);
	const moved = [expect.objectContaining({ message })];

	it('says so, also where the pages after that join as they should', async () => {
		moveToFront(1, 2);
		const { error, json, hints } = await run({ ...lowest, limit: 250 });
		expect([error, json.length, hints]).toEqual([undefined, 250, moved]);
	});

	it('is read on where they fill a whole page of a platform that cuts pages', async () => {
		platform.behaviour.takeClamp = 50;
		moveToFront(45, 3);
		const { error, json, hints } = await run({ ...lowest, limit: 150 });
		expect([error, json.length, hints]).toEqual([undefined, 150, moved]);
	});
});

describe.each(['pairs', 'threes'] as const)('rows that share an Id, in %s', (kind) => {
	beforeEach(() => {
		// The Ids of these rows are 1 to 230.
		platform.db.exec('DELETE FROM sessions WHERE Id > 230; UPDATE sessions SET Note = Id');
		for (let id = 1; id <= 230; id++)
			platform.db.exec(`INSERT OR IGNORE INTO sessions (Id, Note) VALUES (${id}, ${id})`);
		platform.behaviour.ids.sessions = kind;
	});

	it('all come, each once, and nothing is to be said', async () => {
		for (const options of [{}, { pageSize: 25 }, { pageSize: 7 }]) {
			const { json, hints, error } = await run({ ...ALL, options });
			expect([error, hints]).toEqual([undefined, []]);
			expect(json.map(({ Note: note }) => Number(note)).sort((a, b) => a - b)).toEqual(range(1, 231));
		}
		expect((await run({ operation: 'summary', groupBy: [] })).json).toMatchObject([{ count: 230 }]);
		const newest = (await run({ operation: 'getAll', limit: 120 })).json.map(({ Note: note }) => note);
		expect(new Set(newest).size).toBe(120);
	});

	it('come all, also where they are the same in all fields', async () => {
		platform.db.exec(
			"UPDATE sessions SET (Note, EnergyConsumed, StartedAtUtc, EndedAtUtc, StationId, StationName) = ('', 1, NULL, NULL, 1, '')",
		);
		platform.db.exec(
			"UPDATE sessions SET (Status, ConnectorNumber, UserName, Price, Currency, IsRoaming) = (4, 1, '', 1, '', 0)",
		);
		const { json, hints, error } = await run(ALL);
		expect([error, hints, json.length]).toEqual([undefined, [], 230]);
	});
});

it('where more rows are the same in all fields than pages share, the reading is refused', async () => {
	platform.behaviour.ids.billing = 'none';
	platform.db.exec('DELETE FROM billing');
	for (let id = 1; id <= 150; id++) platform.db.exec(`INSERT INTO billing (Id, UserName) VALUES (${id}, 'Fleet')`);
	apiKey = platform.createKey({ scopes: ['billing:read'] }).secret;
	const list = { __rl: true, mode: 'path', value: '/api/billing/v1' };
	const { error, json } = await run({ ...ALL, list }, 'chargingNetworkList');
	expect([error?.message, json]).toEqual([expect.stringMatching(/^The pages of the .* do not fit together$/), []]);
});

describe('the order', () => {
	beforeEach(() => keep(ROWS));

	it('is that of the Id with Return All, and the newest come first with a limit', async () => {
		expect(idsOf(await run(ALL))).toEqual(inSql('Id'));
		expect(idsOf(await run({ operation: 'getAll', limit: 120 }))).toEqual(inSql('Id DESC').slice(0, 120));
	});

	it.each(['Asc', 'Desc'])('is that of a field %s, equal ones by Id', async (direction) => {
		const order = `coalesce(EnergyConsumed, -1) ${direction}, Id`;
		expect(idsOf(await run({ ...ALL, ...by('EnergyConsumed', direction) }))).toEqual(inSql(order));
		const started = `StartedAtUtc ${direction}, Id`;
		expect(idsOf(await run({ ...ALL, ...by('startedAtUtc', direction) }))).toEqual(inSql(started));
	});

	it('is that of several fields, each in its own direction', async () => {
		const sort = { by: [by('Status', 'Desc'), by('EnergyConsumed', 'Asc')].flatMap((each) => each.sort.by) };
		expect(idsOf(await run({ ...ALL, sort }))).toEqual(inSql('Status DESC, coalesce(EnergyConsumed, -1), Id'));
	});

	it('of equal values is that of the Id, as pages of a platform that has no order of its own would not join', async () => {
		platform.behaviour.naturalOrder = 'random';
		const result = await run({ operation: 'getAll', limit: 250, ...by('Currency', 'Asc') });
		expect(idsOf(result)).toEqual(inSql('Currency, Id').slice(0, 250));
	});

	it('cannot be that of a field that no row has', async () => {
		const { message } = await refusalOf({ ...ALL, ...by('NoSuchField', 'Asc') });
		expect(message).toBe('None of the charging sessions has a field "NoSuchField" to sort by');
	});

	it('is made anew where conditions on the Id have no effect, so that the list is read a second time by position', async () => {
		platform.behaviour.ignores = ['Id'];
		const { error, json } = await run({ ...ALL, ...by('EnergyConsumed', 'Desc') });
		expect([error, json.map(({ Id: id }) => id)]).toEqual([undefined, inSql('coalesce(EnergyConsumed, -1) DESC, Id')]);
	});

	it('that the platform ignores stops a run with a limit, and is made here with Return All', async () => {
		platform.behaviour.ignores = ['Sort'];
		expect((await refusalOf({ operation: 'getAll', limit: 1 })).message).toMatch(/does not sort by it$/);
		const most = { operation: 'getAll', limit: 10, ...by('EnergyConsumed', 'Desc') };
		const { message, description } = await refusalOf(most);
		expect(message).toMatch(
			/^Session \d+ with EnergyConsumed \S+ comes before session \d+ with EnergyConsumed \S+, but EnergyConsumed descending was asked for: the platform does not sort by it$/,
		);
		expect(description).toMatch(/Turn on Return All, and use n8n's Limit node after this one\./);
		const sorted = await run({ ...ALL, ...by('EnergyConsumed', 'Desc') });
		expect([sorted.json.length, sorted.hints]).toEqual([ROWS, []]);
	});
});

describe('a filter that the platform ignores stops the run', () => {
	const inStatus = (status: string) => ({ filters: { status: [{ operator: 'In', values: [status] }] } });

	it.each([
		{ operation: 'getAll', limit: 50, ...inStatus('4') },
		{ operation: 'summary', ...inStatus('4') },
		{ operation: 'count', ...inStatus('77') },
	])('%o', async (parameters) => {
		platform.behaviour.ignores = ['Filter'];
		const { message, description } = await refusalOf(parameters);
		expect(message).toMatch(
			/^Session \d+ has Status \d, but (“is any of \d+”|\d+) was asked for: the platform does not apply the condition on Status$/,
		);
		expect(description).toContain(
			"Nothing was returned, because it would not be what you asked for. Something between n8n and the platform may drop the whole filter: tell the platform's support. Until then, remove all entries in Filters, and use n8n's Filter node after Get Many with Return All, or after a trigger.",
		);
	});

	it('and where statuses come in another form', async () => {
		Object.assign(platform.behaviour, { ignores: ['Filter'], codes: 'name' });
		const filters = { networkStatus: [{ operator: 'NotIn', values: ['1'] }] };
		const { message } = await refusalOf({ ...ALL, filters }, 'chargingStations');
		expect(message).toMatch(/: the platform does not apply the condition on NetworkStatus$/);
	});

	it('also where only the Ids of the second page show it', async () => {
		platform.behaviour.ignores = ['Id', 'StartedAtUtc'];
		const filters = { startedAtUtc: [{ operator: 'Gte', value: '2100-01-01T00:00:00Z' }] };
		const { message } = await refusalOf({ ...ALL, filters });
		expect(message).toMatch(/^Session \d+ has Id \d+, but “.+” was asked for: the platform does not apply/);
	});
});

it('a station that changed while the page was served stops no run: the page is asked for once more', async () => {
	const filters = { networkStatus: [{ operator: 'In', values: ['2'] }] };
	platform.db.exec('UPDATE stations SET NetworkStatus = iif(Id = 3, 2, 1)');
	for (const [parameters, expected] of [
		[{ ...ALL, filters }, [{ Id: 3 }]],
		[{ operation: 'count', filters }, [{ count: 1 }]],
	] as const) {
		platform.faults.add({ kind: 'reply', body: { Items: [{ Id: 2, NetworkStatus: 1 }], TotalCount: 1 } });
		const { json, error, hints } = await run(parameters, 'chargingStations');
		expect([error, hints, json]).toMatchObject([undefined, [], expected]);
	}
	expect(platform.requests).toHaveLength(4);
});

it('Count says in its item if a row beside it may just have changed', async () => {
	const filters = { networkStatus: [{ operator: 'In', values: ['2'] }] };
	for (const changed of [3, 4]) {
		const body = { Items: range(1, 11).map((Id) => ({ Id, NetworkStatus: Id === changed ? 1 : 2 })), TotalCount: 10 };
		platform.faults.add({ kind: 'reply', body });
	}
	const { json, hints } = await run({ operation: 'count', filters }, 'chargingStations');
	const listNotes = hints.map(({ message }) => message);
	expect(json).toEqual([{ count: 10, listNotes }]);
	expect(listNotes).toEqual([
		expect.stringMatching(/^Station 4 has NetworkStatus 1, but .* was asked for: it may just have changed/),
	]);
});

it('Count is the figure of the platform, with one request', async () => {
	platform.behaviour.totalCount = { offBy: 20 };
	const { json, hints } = await run({ operation: 'count' });
	expect([json, hints, platform.requests.length]).toEqual([[{ count: 1_020 }], [], 1]);
});

it.each([{}, { filters: { status: [{ operator: 'In', values: ['4'] }] } }])(
	'Count is refused where the count is less than the rows beside it: %o',
	async (filters) => {
		platform.behaviour.totalCount = { atMost: 0 };
		const { message, description } = await refusalOf({ operation: 'count', ...filters });
		expect(message).toMatch(/^The platform does not count charging sessions: it counts 0, and sends (1|10)$/);
		expect(description).toContain('Get Many with Return All reads the rows themselves');
	},
);

it('Count asks once more where a session came between counting and reading', async () => {
	platform.beforeList = ({ count }) => (platform.behaviour.totalCount = count === 1 ? { atMost: 0 } : 'right');
	expect((await run({ operation: 'count' })).json).toEqual([{ count: 1_000 }]);
});

it.each([99, 25])('pages that are cut at %i rows cut no result', async (takeClamp) => {
	keep(ROWS);
	platform.behaviour.takeClamp = takeClamp;
	if (takeClamp % 5 === 0) platform.behaviour.totalCount = 'page';
	expect((await run(ALL)).json).toHaveLength(ROWS);
	expect((await run({ operation: 'summary' })).json).toMatchObject([{ count: ROWS }]);
	const exported = await run({ operation: 'exportByFilter' }, 'chargingSessionsCsvExport');
	expect(exported.json).toMatchObject([{ requestedCount: ROWS, sessionCount: ROWS }]);
});

it.each([
	[10, 5],
	[25, 5],
	[3, 1],
])(
	'by position, a page of %i rows that is cut once, to the %i that overlap, does not end the list',
	async (most, odd) => {
		let asked = 0;
		platform.beforeList = () => (platform.behaviour.takeClamp = asked++ === 1 ? odd : most);
		const { json, hints } = await run({ operation: 'getAll', limit: 40 });
		expect([json.length, hints]).toEqual([40, []]);
		expect(json.map(({ Id: id }) => id)).toEqual(inSql('Id DESC').slice(0, 40));
	},
);

const NONE = { filters: { status: [{ operator: 'In', values: ['99'] }] } };

it.each([{ operation: 'getAll', limit: 50 }, ALL, { operation: 'summary' }, { operation: 'count' }])(
	'a list without rows that counts some is refused, unless there is a filter: %o',
	async (asked) => {
		keep(0);
		platform.behaviour.totalCount = { offBy: 3 };
		expect((await refusalOf(asked)).message).toMatch(/no rows|counts 3, and sends 0$/);
	},
);

it('Count with a filter is refused, too, where the platform counts the whole list instead', async () => {
	platform.behaviour.totalCount = { offBy: 1_000 };
	const { message } = await refusalOf({ operation: 'count', ...NONE });
	expect(message).toBe('The platform does not count charging sessions: it counts 1000, and sends 0');
});

it('a first page of one row does not end a list that is not counted', async () => {
	platform.behaviour.totalCount = 'missing';
	platform.behaviour.takeClamp = 1;
	platform.beforeList = ({ count }) => (platform.behaviour.takeClamp = count === 1 ? 1 : undefined);
	expect((await run({ operation: 'getAll', limit: 50 })).json).toHaveLength(50);
});

describe.each([0, 1])('%i rows of which the platform counts three', (rows) => {
	it.each([{ limit: 50 }, { returnAll: true }, { limit: 50, sort: { by: [{ field: 'Status', direction: 'Asc' }] } }])(
		'come with a note: %o',
		async (asked) => {
			keep(rows);
			platform.behaviour.totalCount = { offBy: 3 - rows };
			const { status, json, hints } = await run({ operation: 'getAll', ...asked, ...(rows === 0 && NONE) });
			expect([status, json.length]).toEqual(['success', rows]);
			expect(hints.map(({ message }) => message).join()).toContain(`sent ${rows} charging sessions but counts 3`);
		},
	);
});

it('pages cut to a single row are refused: nothing joins them', async () => {
	platform.behaviour.takeClamp = 1;
	const { message } = await refusalOf({ operation: 'getAll', limit: 50 });
	expect(message).toBe('The pages of the charging sessions do not fit together');
});

it('a first page without rows that counts some is asked for again', async () => {
	platform.faults.add({ kind: 'reply', body: { Items: [], TotalCount: 80 } });
	expect((await run(ALL)).json).toHaveLength(1_000);
});

describe('a page without rows that counts some, where the first answer does not count', () => {
	const emptied = (nth: number, times: number) => {
		keep(120);
		platform.faults.add({
			kind: 'reply',
			body: { Items: [], TotalCount: 80 },
			times,
			match: { path: '/api/charging-sessions/v1', nth },
		});
	};

	beforeEach(() => {
		platform.beforeList = ({ count }) => (platform.behaviour.totalCount = count === 1 ? 'missing' : 'right');
	});

	it.each([ALL, { operation: 'getAll', limit: 110 }, { operation: 'summary' }])(
		'is asked for again: %o',
		async (asked) => {
			emptied(3, 1);
			const { json, hints } = await run({ ...asked, options: { pageSize: 20 } });
			const { limit = 120 } = asked as { limit?: number };
			expect([asked.operation === 'summary' ? json[0]?.count : json.length, hints]).toEqual([limit, []]);
		},
	);

	it('is told in notes and items if it stays so', async () => {
		emptied(3, 2);
		const { json, hints } = await run({ operation: 'summary', options: { pageSize: 20 } });
		const listNotes = hints.map(({ message }) => message);
		expect(listNotes).toEqual([expect.stringMatching(/^The platform sent 40 charging sessions but counts 120/)]);
		expect(json).toMatchObject([{ count: 40, listNotes }]);
	});
});

describe('pages that are longer than was asked for, of which the count says that more rows follow', () => {
	const LONGER = { ignores: ['Take'], takeClamp: 200 };

	it.each<[string, INodeParameters, string]>([
		['all of them', ALL, 'Id'],
		['those of a filter', { ...ALL, filters: { energyConsumed: [{ operator: 'Gte', value: 0 }] } }, 'Id'],
		['all of them in an order', { ...ALL, ...by('StartedAtUtc', 'Desc') }, 'StartedAtUtc DESC, Id'],
		['the newest ones', { operation: 'getAll', limit: 250 }, 'Id DESC LIMIT 250'],
		[
			'the first ones in an order',
			{ operation: 'getAll', limit: 10, ...by('Price', 'Desc') },
			'Price DESC, Id LIMIT 10',
		],
	])('are read on, not taken for the whole list: %s', async (_, parameters, order) => {
		platform.db.exec('UPDATE sessions SET EnergyConsumed = coalesce(EnergyConsumed, 0)');
		Object.assign(platform.behaviour, LONGER);
		const result = await run(parameters);
		expect([result.error, result.hints]).toEqual([undefined, []]);
		expect(idsOf(result)).toEqual(inSql(order));
	});

	it('are in no figure and no file the only ones', async () => {
		Object.assign(platform.behaviour, LONGER);
		expect((await run({ operation: 'summary' })).json).toMatchObject([{ count: 1_000 }]);
		const exported = await run({ operation: 'exportByFilter' }, 'chargingSessionsCsvExport');
		expect(exported.json).toMatchObject([{ requestedCount: 1_000, sessionCount: 1_000 }]);
	});

	it.each([1, 2, 7])('are read on where Ids are text, also if only page %i is longer', async (nth) => {
		platform.behaviour.ids.sessions = 'digits';
		let lists = 0;
		platform.beforeList = () => (platform.behaviour.ignores = ++lists === nth ? ['Take'] : []);
		platform.behaviour.takeClamp = 101;
		const result = await run(ALL);
		expect([result.error, result.hints]).toEqual([undefined, []]);
		expect(new Set(idsOf(result)).size).toBe(1_000);
		expect(result.json).toHaveLength(1_000);
	});
});
