import fc from 'fast-check';

import { applyBehaviour } from '../../platform/behaviour.ts';
import {
	startPlatform,
	type BehaviourChanges,
	type Fault,
	type RequestRecord,
	type StandIn,
} from '../../platform/index.ts';
import { likeReport, WITHOUT_IDS } from '../../platform/like.ts';
import { SPECIFIED_FIELDS } from '../../platform/tables.ts';
import { installFastClock, type FastClock } from '../../support/clock.ts';
import { credentialFor, runNode, userCredentialFor } from '../../support/harness.ts';

interface Found {
	check: string;
	list: string;
	result: string;
	text: string;
	evidence: string;
}

const ROWS = { sessions: 330, stations: 330, locations: 60, tariffs: 130, idGaps: 1 };
const SCOPES = ['charging-sessions:read', 'charging-stations:read', 'tariffs:read', 'billing:read'];
const OPEN_LOCATIONS = { locationsScope: 'charging-stations:read' };
const MOST_REQUESTS = 40;

let platform: StandIn;
let clock: FastClock;
beforeAll(async () => {
	clock = installFastClock();
	platform = await startPlatform(ROWS);
});
afterAll(async () => {
	clock.restore();
	await platform.close();
});
beforeEach(() => platform.reset());

async function run(parameters: object, key?: string, on = platform) {
	const apiKey = key ?? on.createKey({ scopes: SCOPES }).secret;
	const before = on.requests.length;
	const { json, error } = await runNode({
		type: 'chargingNetworkList',
		credential: { ...credentialFor(on), apiKey },
		user: userCredentialFor(on),
		parameters: { operation: 'checkPlatform', ...parameters },
	});
	expect(error).toBeUndefined();
	expect(JSON.stringify(json)).not.toContain(apiKey);
	const requests = on.requests.slice(before);
	expect(requests.length).toBeLessThanOrEqual(MOST_REQUESTS);
	return { json, requests };
}

/** What the stand-in does differently: switches, a fault of each request, other rows, other records in its CSV. */
interface Odd extends BehaviourChanges {
	fault?: Fault;
	rows?: string;
	exported?: StandIn['exported'];
}

async function check({ fault, rows, exported, ...behaviour }: Odd = {}, parameters: object = {}, key?: string) {
	applyBehaviour(platform.behaviour, behaviour);
	platform.exported = exported;
	if (rows !== undefined) platform.db.exec(rows);
	if (fault) platform.faults.add({ times: Infinity, ...fault });
	const { json, requests } = await run(parameters, key);
	return { findings: json as unknown as Found[], requests };
}

/** What is said about the platform: neither that it is as specified, nor that it cannot be told. */
const claimsIn = (findings: readonly Found[]) =>
	findings.filter(({ check, result }) => check !== 'What to do' && ['works around', 'limits'].includes(result));
const found = (findings: readonly Found[], name: string) => findings.find((one) => one.check === name);
const others = ({ result }: Found) => result !== 'as specified';
const at = (value: string) => ({ checkedLists: 'other', list: { __rl: true, mode: 'path', value } });

describe('the platform as specified', () => {
	it('every check says so, one request after another', async () => {
		const { findings, requests } = await check(OPEN_LOCATIONS);
		expect(findings.filter(others)).toEqual([]);
		expect(findings.length).toBeGreaterThan(30);
		for (const [index, { at: arrived }] of requests.entries())
			expect(arrived).toBeGreaterThanOrEqual(requests[index - 1]?.doneAt ?? 0);
		expect(findings.at(-1)).toMatchObject({
			check: 'What to do',
			text: expect.stringMatching(/^Nothing needs/) as string,
		});
	});

	it.each([
		[{ checkedLists: 'sessions' }, 'Export'],
		[{ checkedLists: 'stations' }, 'EVSEs'],
		[{ checkedLists: 'locations' }, 'Fields'],
		[at('/api/charging-stations/v1'), 'EVSEs'],
	])('one list alone: %j', async (parameters, name) => {
		const { findings, requests } = await check(OPEN_LOCATIONS, parameters);
		expect(findings.filter(others)).toEqual([]);
		expect(findings.map((one) => one.check)).toContain(name);
		expect(requests.length).toBeLessThan(15);
	});
});

const takesOver40 = ({ path, dsquery }: RequestRecord) =>
	path.startsWith('/api/charging-') && Number((dsquery as { Pager?: { Take?: number } } | undefined)?.Pager?.Take) > 40;

const asksForUnknown = ({ query = '' }: RequestRecord) => query.includes('NoSuchField');

/** A switch of the stand-in, the finding that names it, and what it says; other findings that it affects. */
const SWITCHES: Array<[odd: Odd, finds: string | undefined, says?: RegExp, affects?: string[]]> = [
	[{ takeClamp: 7 }, 'Page size', /7 rows at most/],
	[{ fault: { kind: 'status', status: 400, match: takesOver40 } }, 'Page size', /Set the option Page Size|40|25/],
	[{ ignores: ['Take'] }, 'Page size', /Take has no effect/],
	[{ ignores: ['Skip'] }, 'Page size', /Skip has no effect/, ['TotalCount']],
	[{ naturalOrder: 'random', ignores: ['Sort'] }, 'Sort', /Sorts have no effect/, ['Page size', 'TotalCount']],
	[{ ignores: ['Filter'] }, 'Filter', /does not apply the filter/, ['Unknown field', 'Time zone']],
	[{ totalCount: 'page' }, 'TotalCount', /rows of the page alone/],
	[{ totalCount: { atMost: 100 } }, 'TotalCount', /counts 100 rows/],
	[{ totalCount: { offBy: 1 } }, 'TotalCount', /rows do not confirm/],
	[{ totalCount: 'null' }, 'TotalCount', /does not count/],
	[{ ids: { sessions: 'text' } }, 'Ids', /Ids are text/],
	[{ camelCase: true }, 'Fields', /camelCase/],
	[{ omitsEmpty: true }, 'Fields', /left out of the row/],
	[{ timestampFractions: true }, 'Times', /another form/],
	[{ conditionZoneHours: 2 }, 'Time zone', /not read as UTC/],
	[{ fault: { kind: 'html', status: 400, match: asksForUnknown } }, 'Unknown field', /not named/],
	[{ rows: "UPDATE stations SET HardwareStatus = 'Faulted'" }, 'Status codes', /Filters take only numbers there/],
	[{ rows: WITHOUT_IDS }, 'EVSEs', /no Ids of their own/],
	[{ exported: (ids) => ids.sort((a, b) => a - b) }, 'Export', /another order/],
	[{ exported: (ids) => ids.slice(0, 3) }, 'Export', /missing/],
	[{ exported: () => [] }, 'Export', /no records/],
	[{ exported: (ids) => ids.flatMap((id) => [id, id]) }, 'Export', /several records/],
	[{ exported: (ids) => [...ids, ...ids.map((id) => id - 50)] }, 'Export', /other records/],
	[{ csv: { idColumn: 'Nummer' } }, 'Export', /Session ID Column/],
	[{ fault: { kind: 'status', status: 413, match: { method: 'POST' } } }, 'Export', /Sessions cannot be exported/],
	[{ ...OPEN_LOCATIONS, arrays: ['locations'] }, 'TotalCount', /bare list/],
	[{ ...OPEN_LOCATIONS, ids: { locations: 'none' } }, 'Ids', /no Id/],
	[{ fields: SPECIFIED_FIELDS }, undefined],
	[{ naturalOrder: 'idDesc' }, undefined],
	[{ csv: { bom: true, newline: '\n', finalNewline: false, delimiter: ';', idColumn: 'SessionId' } }, undefined],
];

describe('a switch of the stand-in, and the finding that names it', () => {
	/** With the words of a function in it. */
	const written = (odd: Odd) =>
		JSON.stringify(odd, (_, value: unknown) =>
			typeof value === 'function' ? String(value).replaceAll(/\s+/g, ' ') : value,
		);

	it.each(SWITCHES.map((one) => [written(one[0]), one] as const))('%s', async (_, [odd, finds, says, affects = []]) => {
		const claims = claimsIn((await check(odd)).findings);
		if (finds) expect(claims.map((one) => one.check)).toContain(finds);
		if (says) expect(claims.find((one) => one.check === finds)?.text).toMatch(says);
		expect(claims.filter((one) => one.check !== finds && !affects.includes(one.check))).toEqual([]);
	});
});

describe('what can be reached', () => {
	it('a wrong key is one finding with the advice of the other nodes, not an error', async () => {
		const { findings, requests } = await check({}, {}, 'wrong-key');
		expect(found(findings, 'Address')).toMatchObject({ result: 'limits' });
		expect(found(findings, 'Address')?.text).toContain('does not accept this API key');
		expect(findings.at(-1)).toMatchObject({ check: 'What to do', result: 'limits' });
		expect(findings.at(-1)?.text).toMatch(/^It may be mistyped, revoked/);
		expect(requests.length).toBeLessThanOrEqual(5);
	});

	it('an inactive license is named, without asking again and again', async () => {
		platform.license.active = false;
		const { findings, requests } = await check();
		expect(found(findings, 'License')).toMatchObject({ result: 'limits' });
		expect(requests.length).toBeLessThanOrEqual(3);
	});

	it('a signed-in user can run it, too', async () => {
		const { findings } = await check({}, { authentication: 'signedInUser' });
		expect(claimsIn(findings)).toEqual([]);
		expect(found(findings, 'EVSEs')).toMatchObject({ result: 'as specified' });
	});

	it('a missing scope is named, what other lists need, too, and the rest is checked', async () => {
		const { secret } = platform.createKey({ scopes: ['charging-stations:read', 'tariffs:read'] });
		const { findings } = await check({}, {}, secret);
		expect(claimsIn(findings)).toMatchObject([
			{ check: 'Access', list: 'charging sessions', text: expect.stringContaining('charging-sessions:read') as string },
		]);
		expect(found(findings, 'Other lists')?.text).toMatch(/^Can be read, too: \/api\/tariffs\/v1\..*teams:read/);
		expect(found(findings, 'EVSEs')?.list).toBe('charging stations');
	});

	it.each<Fault>([
		{ kind: 'status', status: 500 },
		{ kind: 'reply', status: 302, headers: { location: 'https://elsewhere.example/' }, body: {} },
	])('what fails cannot be told, without the name of a host, and the rest is checked: %j', async (fault) => {
		platform.faults.add({ ...fault, match: { path: '/api/charging-stations/v1/' }, times: Infinity });
		const { findings } = await check();
		expect(findings.filter(others).map((one) => one.check)).toEqual(['EVSEs', 'What to do']);
		expect(found(findings, 'EVSEs')).toMatchObject({ result: 'cannot tell' });
		expect(JSON.stringify(findings)).not.toContain(new URL(platform.baseUrl).host);
		expect(JSON.stringify(findings)).not.toContain('elsewhere');
	});

	it('no more requests are sent than said, and what was left out is said', async () => {
		const match = ({ dsquery }: { dsquery: unknown }) => JSON.stringify(dsquery ?? '').includes('Filter');
		platform.faults.add({ kind: 'status', status: 500, match, times: Infinity });
		const { findings } = await check(OPEN_LOCATIONS);
		expect(findings.some(({ text }) => text.startsWith('No more requests'))).toBe(true);
		expect(findings.at(-1)).toMatchObject({ check: 'What to do', result: 'cannot tell' });
	});

	it.each([0, 1, 60])('lists of %i rows: nothing is claimed that is not so', async (rows) => {
		for (const list of ['sessions', 'stations'])
			platform.db.exec(`DELETE FROM ${list} WHERE Id NOT IN (SELECT Id FROM ${list} LIMIT ${rows})`);
		const { findings } = await check();
		expect(claimsIn(findings)).toEqual([]);
		if (rows === 0) expect(found(findings, 'Filter')).toMatchObject({ result: 'cannot tell' });
	});
});

/** The report, and the facts at its end. */
async function reportOf(on: StandIn) {
	const { json } = await run({ result: 'oneReport' }, undefined, on);
	const [item] = json as Array<{ report: string }>;
	const report = item?.report ?? '';
	return { report, facts: JSON.parse(/^```json\n(.*)\n```/m.exec(report)?.[1] ?? '{}') as object };
}

describe('One Report', () => {
	it('is Markdown to paste into an issue', async () => {
		const { report } = await reportOf(platform);
		const lines = report.split('\n').filter((line) => line.startsWith('|'));
		expect(lines.length).toBeGreaterThan(25);
		for (const line of lines) expect(line.replaceAll('\\|', '').split('|')).toHaveLength(7);
	});

	it.each<Odd>([
		{ camelCase: true, takeClamp: 20, timestampFractions: true },
		{ ...OPEN_LOCATIONS, arrays: ['locations'], ids: { sessions: 'text', locations: 'text' } },
		{ totalCount: 'missing', omitsEmpty: true, rows: WITHOUT_IDS },
		{
			fields: { sessions: { Id: 'integer', Status: 'integer', StartedAtUtc: 'time', Vehicle: 'text', Tags: 'list' } },
			rows: 'UPDATE sessions SET Status = CASE Id % 8 WHEN 0 THEN 12 WHEN 1 THEN 7 ELSE 4 END',
			csv: { delimiter: ';', newline: '\n', idColumn: 'SessionId' },
		},
	])('a stand-in that is started like the report gives the same findings: %j', async ({ rows, ...behaviour }) => {
		const one = await startPlatform({ sessions: 230, stations: 120, locations: 30, rows, behaviour });
		const { report, facts } = await reportOf(one);
		await one.close();
		const other = await startPlatform(likeReport(JSON.stringify([{ report }])));
		const again = await reportOf(other);
		await other.close();
		const told = (text: string) =>
			text.split('\n').flatMap((line) => (line.startsWith('|') ? [line.split(' | ').slice(0, 4)] : []));
		expect(told(again.report)).toEqual(told(report));
		const shape = (value: object) =>
			JSON.stringify(value, (key, part: unknown) => (['codes', 'count'].includes(key) ? undefined : part));
		expect(shape(again.facts)).toBe(shape(facts));
	});

	/** Whichever is asked for. */
	const IDS = Array.from({ length: 400 }, (_, index) => `'${918273001 + index}'`);
	const QUOTES_A_VALUE: Fault = {
		...{ kind: 'reply', status: 400, body: { Message: `Id cannot be ${IDS.join(' or ')}` } },
		match: ({ dsquery }) =>
			JSON.stringify(dsquery ?? '').includes('"Id"') && JSON.stringify(dsquery).includes('Filter'),
	};

	it('nothing of a row is in it, whatever rows hold', async () => {
		const texts = fc.constantFrom('zqmark', 'Zqmark Åkesson', 'zqmark|x\n', '2031-04-05T06:07:08', '556677');
		const columns = fc.subarray(['StationName', 'UserName', 'Note', 'StartedAtUtc', 'Status'], { minLength: 1 });
		await fc.assert(
			fc.asyncProperty(texts, columns, fc.constantFrom('used', 'dropped', 'refused'), async (text, names, filters) => {
				platform.reset();
				if (filters === 'dropped') platform.behaviour.ignores = ['Filter'];
				if (filters === 'refused') platform.faults.add({ ...QUOTES_A_VALUE, times: Infinity });
				for (const name of names) platform.db.prepare(`UPDATE sessions SET ${name} = ?`).run(text);
				platform.db.exec(`UPDATE sessions SET Id = Id + 918273000, Price = 556677.5`);
				platform.db
					.prepare('UPDATE stations SET Name = ?, EVSEs = ?')
					.run(text, JSON.stringify([{ Status: 1, Label: text, zqField: 'x' }]));
				const { report } = await reportOf(platform);
				expect(/zqmark|556677|918273|2031/i.exec(report)?.[0]).toBeUndefined();
			}),
			{ numRuns: 15 },
		);
	});
});
