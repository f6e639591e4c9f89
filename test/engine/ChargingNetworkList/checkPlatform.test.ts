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

const ROWS = { sessions: 330, stations: 330, locations: 130, tariffs: 130, idGaps: 1 };
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
	/** Which lists are checked, and by whom. */
	parameters?: object;
	/** Scopes of the key. */
	scopes?: string[];
	rows?: string;
	exported?: StandIn['exported'];
}

async function check(
	{ fault, rows, exported, scopes, parameters: chosen, ...behaviour }: Odd = {},
	parameters: object = chosen ?? {},
	key = scopes && platform.createKey({ scopes }).secret,
) {
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

const ALL = ['charging sessions', 'charging stations', 'locations'];
const OF_ONE: Record<string, string> = { 'Time zone': ALL[0] ?? '', Export: ALL[0] ?? '', EVSEs: ALL[1] ?? '' };
const OF_ROWS = [
	'Fields',
	'Times',
	'Time zone',
	'Status codes',
	'Ids',
	'Sort',
	'Page size',
	'TotalCount',
	'Filter',
	'Unknown field',
	'EVSEs',
	'Export',
];
const OF_PLATFORM = ['Address', 'License', 'Other lists'];

/** “Page size” stands for that of all lists, “Page size of locations” for one. */
function findingsOf(name: string): string[] {
	if (OF_PLATFORM.includes(name) || name.includes(' of ')) return [name];
	return (OF_ONE[name] ? [OF_ONE[name]] : ALL).map((list) => `${name} of ${list}`);
}

const ofList = ({ path }: RequestRecord) => path.startsWith('/api/');
const elsewhere = (request: RequestRecord) => ofList(request) && !/charging|locations/.test(request.path);
const asks =
	(text: string, path = '') =>
	(request: RequestRecord) =>
		(request.query ?? '').includes(text) && request.path.includes(path);
const takesOver40 = ({ path, dsquery }: RequestRecord) =>
	path.startsWith('/api/charging-') && Number((dsquery as { Pager?: { Take?: number } } | undefined)?.Pager?.Take) > 40;
const status = (code: number, match: Fault['match'], body?: string): { fault: Fault } => ({
	fault: { kind: 'status', status: code, match, body },
});
const page = (code: number, match: Fault['match']): { fault: Fault } => ({
	fault: { kind: 'html', status: code, match },
});
const evses = (each: string) => `UPDATE stations SET EVSEs = (SELECT json_group_array(${each}) FROM json_each(EVSEs))`;
const first = (count: number, list = 'sessions') =>
	`DELETE FROM ${list} WHERE Id NOT IN (SELECT Id FROM ${list} ORDER BY Id LIMIT ${count})`;
const UNPAGED: Odd = {
	parameters: { checkedLists: 'locations' },
	arrays: ['locations'],
	ignores: ['Filter', 'Sort', 'Skip', 'Take'],
};
const USER = { authentication: 'signedInUser' };
/** Sessions in any form. */
const sessions = (...items: object[]): { fault: Fault } => ({
	fault: {
		kind: 'reply',
		body: { Items: items, TotalCount: items.length },
		match: { path: '/api/charging-sessions/v1' },
	},
});
const session = { Id: 1, Status: 4, EnergyConsumed: 7.5, StartedAtUtc: '2026-11-01T08:00:00' };

const NO_SHOW = 'cannot tell: It does not show whether the platform accepts the credential';
const NO_LICENSE = 'cannot tell: No list could be read';
const NO_READ = 'limits: cannot be read';
const OF_PATHS = 'cannot tell: For 6 of the usual paths it does not show';
const LATER = 'cannot tell: cannot be read';
const NO_ROWS = Object.fromEntries(OF_ROWS.map((name) => [name, 'cannot tell: no rows to look at']));
const PAGE_LONGER = 'cannot tell: Only a list of more than 100 rows';

/** What is about the rows of one list is checked there. */
function onlyList(differ: Record<string, string>): Odd {
	const lists = [...new Set(Object.keys(differ).map((name) => OF_ONE[name] ?? name.split(' of ')[1] ?? ''))];
	const [only = ''] = lists;
	if (lists.length !== 1 || only === '' || Object.keys(differ).some((name) => name.startsWith('Access'))) return {};
	return { parameters: { checkedLists: only.replace('charging ', '') } };
}

/**
 * Checks by switches of the stand-in: which findings say something else than “as specified”, and what. All others say “as
 * specified”.
 */
const TABLE: Array<[name: string, odd: Odd, differ: Record<string, string>]> = [
	['the platform as specified', {}, {}],
	['only the fields that are specified', { fields: SPECIFIED_FIELDS }, {}],
	['another order by itself', { naturalOrder: 'idDesc' }, {}],
	['empty values sorted above others', { emptyValues: 'above' }, {}],

	...[500, 502].map((code): (typeof TABLE)[number] => [
		`each list answers ${code}`,
		status(code, ofList),
		{ Address: NO_SHOW, License: NO_LICENSE, 'Other lists': OF_PATHS, Access: LATER },
	]),
	...[400, 403].map((code): (typeof TABLE)[number] => [
		`each list answers ${code}`,
		status(code, ofList),
		{
			Address: NO_SHOW.replace('cannot tell', 'limits'),
			License: NO_LICENSE,
			Access: NO_READ,
			// Where 400 comes for any path, there is no list.
			...(code === 403 && { 'Other lists': OF_PATHS }),
		},
	]),
	[
		'a firewall refuses each list',
		page(403, ofList),
		{
			Address: 'limits: A gateway in front of the platform refused the request',
			License: NO_LICENSE,
			Access: NO_READ,
			'Other lists': OF_PATHS,
		},
	],
	[
		'each list answers 401',
		status(401, ofList),
		{ Address: 'limits: does not accept this API key', License: NO_LICENSE },
	],
	[
		'each list answers 404',
		status(404, ofList),
		{ Address: "limits: The platform's API was not found at http", License: NO_LICENSE },
	],
	[
		'a portal answers',
		page(200, ofList),
		{ Address: 'limits: Something other than the platform answers', License: NO_LICENSE },
	],
	[
		'no list answers with content',
		{ fault: { kind: 'reply', status: 204, match: ofList } },
		{
			Address: NO_SHOW,
			License: NO_LICENSE,
			'Other lists': 'cannot tell: The same comes for any path',
			Access: 'cannot tell: has no content',
			...NO_ROWS,
		},
	],
	[
		'the role is too low for each list',
		status(403, ofList, 'Role Accountant'),
		{ License: NO_LICENSE, Access: 'limits: The role of the API key', 'Other lists': OF_PATHS },
	],
	['no scope', { scopes: [] }, { License: NO_LICENSE, Access: 'limits: lacks the scope' }],
	[
		'locations answer 404',
		page(404, { path: '/api/locations' }),
		{ 'Access of locations': 'limits: The locations cannot be read: There is nothing at its path (status 404).' },
	],
	['locations take no keys', status(403, { path: '/api/locations' }), {}],
	['locations take no keys, and say so with 401', status(401, { path: '/api/locations' }), {}],
	['a firewall refuses locations', page(403, { path: '/api/locations' }), { 'Access of locations': NO_READ }],
	[
		'locations take no user',
		{ ...status(401, { path: '/api/locations' }), parameters: USER },
		{ 'Access of locations': NO_READ },
	],
	['sessions answer 500', status(500, { path: '/api/charging-sessions' }), { 'Access of charging sessions': LATER }],
	[
		'sessions cannot be found',
		status(404, { path: '/api/charging-sessions' }),
		{ 'Access of charging sessions': NO_READ },
	],

	...[400, 404, 405].flatMap((code): typeof TABLE => [
		[`unknown paths answer ${code}`, status(code, elsewhere), {}],
		[`unknown paths answer ${code} with a page`, page(code, elsewhere), {}],
	]),
	['unknown paths answer with a page', page(200, elsewhere), {}],
	...[401, 403, 500].flatMap((code): typeof TABLE => [
		[`unknown paths answer ${code}`, status(code, elsewhere), { 'Other lists': OF_PATHS }],
		[`unknown paths answer ${code} with a page`, page(code, elsewhere), { 'Other lists': OF_PATHS }],
	]),
	...[204, 200].map((code): (typeof TABLE)[number] => [
		`unknown paths answer ${code} with no rows`,
		{ fault: { kind: 'reply', status: code, ...(code === 200 && { body: [] }), match: elsewhere } },
		{ 'Other lists': 'cannot tell: The same comes for any path' },
	]),
	['unknown paths refuse a user', { ...status(401, elsewhere), parameters: USER }, { 'Other lists': OF_PATHS }],
	['a user', { parameters: USER }, {}],
	['tariffs cannot be found', status(404, { path: '/api/tariffs' }), {}],
	['tariffs refuse keys', status(401, { path: '/api/tariffs' }), {}],
	...[500, 400].map((code): (typeof TABLE)[number] => [
		`tariffs answer ${code}`,
		status(code, { path: '/api/tariffs' }),
		{ 'Other lists': 'cannot tell: For 1 of the usual paths' },
	]),
	[
		'a gateway refuses tariffs',
		page(401, { path: '/api/tariffs' }),
		{ 'Other lists': 'cannot tell: For 1 of the usual paths' },
	],

	['names in camelCase', { camelCase: true }, { Fields: 'works around: camelCase' }],
	[
		'specified names in camelCase',
		{ camelCase: true, fields: SPECIFIED_FIELDS },
		{ Fields: 'works around: Names are in camelCase' },
	],
	[
		'empty fields left out',
		{ omitsEmpty: true },
		{ 'Fields of charging sessions': 'works around: left out of the row' },
	],
	[
		'a specified field is missing',
		{ fields: { sessions: { Id: 'integer', Status: 'integer', StartedAtUtc: 'time' } } },
		{ 'Fields of charging sessions': 'limits: No row has EnergyConsumed' },
	],
	[
		'energy as text',
		{
			...sessions({ ...session, EnergyConsumed: '7.5' }, { ...session, Id: 2 }),
			parameters: { checkedLists: 'sessions' },
		},
		{
			'Fields of charging sessions': 'works around: EnergyConsumed is a number that is written as text',
			// Each request gets the same answer.
			'Sort of charging sessions': 'limits: Sorts have no effect',
			'Page size of charging sessions': 'limits: All rows come in one answer',
			'Time zone of charging sessions': 'limits: lets rows of other times through',
			'TotalCount of charging sessions': 'cannot tell: Skip has no effect',
			'Filter of charging sessions': 'limits: does not apply the filter',
			'Unknown field of charging sessions': 'limits: is ignored',
			'Export of charging sessions': 'limits: Sessions cannot be exported',
		},
	],
	[
		'energy in words',
		{ rows: "UPDATE sessions SET EnergyConsumed = 'n/a' WHERE Id % 2" },
		{ 'Fields of charging sessions': 'limits: EnergyConsumed holds something other than numbers' },
	],
	[
		'times with fractions',
		{ timestampFractions: true },
		{
			'Times of charging sessions': 'works around: another form',
			'Times of charging stations': 'works around: another form',
		},
	],
	[
		'times in words',
		{ rows: "UPDATE sessions SET StartedAtUtc = 'soon' WHERE Id % 2" },
		{ 'Times of charging sessions': 'limits: StartedAtUtc holds something other than times' },
	],
	[
		'no times',
		{ rows: 'UPDATE sessions SET StartedAtUtc = NULL, EndedAtUtc = NULL' },
		{ 'Times of charging sessions': 'cannot tell: No row has a time', 'Time zone': 'cannot tell: do not show it' },
	],
	['conditions in a zone ahead', { conditionZoneHours: 2 }, { 'Time zone': 'limits: not read as UTC' }],
	['conditions in a zone behind', { conditionZoneHours: -5 }, { 'Time zone': 'limits: not read as UTC' }],
	[
		'conditions on times are ignored',
		{ ignores: ['StartedAtUtc'] },
		{ 'Time zone': 'limits: lets rows of other times through' },
	],
	[
		'conditions on times are refused',
		status(400, asks('"Field":"StartedAtUtc"')),
		{ 'Time zone': 'limits: are refused' },
	],

	[
		'statuses as text',
		{ codes: 'text' },
		{
			'Status codes of charging sessions': 'works around: Status holds codes that are no plain numbers (text)',
			'Status codes of charging stations': 'works around: hold codes that are no plain numbers (text)',
		},
	],
	[
		'statuses in objects',
		{ codes: 'object' },
		{
			'Status codes of charging sessions': 'works around: (object)',
			'Status codes of charging stations': 'works around: (object)',
		},
	],
	[
		'statuses as names',
		{ codes: 'name' },
		{
			'Status codes of charging sessions': 'limits: Filters take only numbers there',
			'Status codes of charging stations': 'limits: Filters take only numbers there',
		},
	],
	[
		'no status yet',
		{ rows: 'UPDATE sessions SET Status = NULL' },
		{
			'Status codes of charging sessions': 'cannot tell: No row has a status',
		},
	],

	[
		'text Ids',
		{ ids: { stations: 'text' } },
		{ 'Ids of charging stations': 'works around: Ids are text. The nodes read' },
	],
	[
		'text Ids of sessions',
		{ ids: { sessions: 'text' } },
		{
			'Ids of charging sessions': 'works around: Ids are text',
			Export: 'cannot tell: do not show it',
		},
	],
	[
		'Ids beyond 2^53',
		{ rows: 'UPDATE stations SET Id = Id + 9007199254740993' },
		{ 'Ids of charging stations': 'works around: Ids are larger than other software reads exactly' },
	],
	[
		'no Ids of locations',
		{ ids: { locations: 'none' } },
		{
			'Ids of locations': 'works around: Rows have no Id. The nodes read this list by position',
			'Sort of locations': 'works around: refuses to sort by Id. The nodes read this list by position',
			'Filter of locations': 'cannot tell: do not show it',
		},
	],
	[
		'no Ids of sessions',
		{ ids: { sessions: 'none' } },
		{
			'Fields of charging sessions': 'limits: No row has Id',
			'Ids of charging sessions': 'works around: Rows have no Id.',
			'Sort of charging sessions': 'limits: nodes and triggers that read this list stop',
			'Filter of charging sessions': 'cannot tell: do not show it',
			'Time zone': 'cannot tell: do not show it',
			Export: 'cannot tell: do not show it',
		},
	],

	['sorts are ignored', { ignores: ['Sort'] }, { Sort: 'limits: Sorts have no effect' }],
	[
		'sorts are ignored, in a random order',
		{ naturalOrder: 'random', ignores: ['Sort'] },
		{ Sort: 'limits: Sorts have no effect' },
	],
	[
		'text Ids, and sorts are ignored',
		{ ids: { stations: 'text' }, ignores: ['Sort'] },
		{
			'Ids of charging stations': 'works around: Ids are text',
			Sort: 'limits: Sorts have no effect',
		},
	],
	[
		'a sort of sessions by Id is refused',
		status(400, asks('"Sorts"', 'sessions'), "'Id' cannot be sorted by"),
		{
			'Sort of charging sessions': 'limits: refuses to sort by Id',
		},
	],
	[
		'a sort of locations by Id is refused',
		status(400, asks('"Sorts"', 'locations'), "'Id' cannot be sorted by"),
		{
			'Sort of locations': 'works around: refuses to sort by Id',
		},
	],
	[
		'only a falling sort is refused',
		status(400, asks('"Desc"', 'sessions'), "'Id' cannot be sorted by"),
		{
			'Sort of charging sessions': 'limits: refuses to sort by Id',
		},
	],
	[
		'the last page fails',
		status(500, asks('"Desc"', 'sessions')),
		{
			'Sort of charging sessions': 'cannot tell: The last page did not come',
		},
	],

	['pages of 7', { takeClamp: 7 }, { 'Page size': 'works around: 7 rows at most' }],
	[
		'pages of 20, and 20 rows',
		{ takeClamp: 20, rows: first(20) },
		{
			'Page size of charging sessions': PAGE_LONGER,
			'Page size of charging stations': 'works around: 20 rows at most',
			'Page size of locations': 'works around: 20 rows at most',
		},
	],
	[
		'pages of 50, and 30 rows',
		{ takeClamp: 50, rows: first(30) },
		{
			'Page size of charging sessions': PAGE_LONGER,
			'Page size of charging stations': 'works around: 50 rows at most',
			'Page size of locations': 'works around: 50 rows at most',
		},
	],
	['exactly 100 rows', { rows: first(100) }, { 'Page size of charging sessions': PAGE_LONGER }],
	[
		'pages of 100 are refused',
		status(400, takesOver40),
		{
			'Page size of charging sessions': 'limits: Set the option Page Size',
			'Page size of charging stations': 'limits: Set the option Page Size',
		},
	],
	[
		'pages of 120, whatever is asked for',
		{ ignores: ['Take'], takeClamp: 120 },
		{ 'Page size': 'works around: A page has 120 rows, though 100 were asked for. The nodes read such pages' },
	],
	['Take is ignored', { ignores: ['Take'] }, { 'Page size': 'limits: All rows come in one answer' }],
	['Take and Skip are ignored', { ignores: ['Take', 'Skip'] }, { 'Page size': 'limits: All rows come in one answer' }],
	[
		'Skip is ignored',
		{ ignores: ['Skip'] },
		{
			'Page size': 'limits: Skip has no effect',
			TotalCount: 'cannot tell: Skip has no effect',
		},
	],
	...[130, 60].map((count): (typeof TABLE)[number] => [
		`a list of ${count} rows that hears no query`,
		{ ...UNPAGED, rows: first(count, 'locations') },
		{
			'Sort of locations': 'limits: Sorts have no effect',
			'Page size of locations': 'limits: The nodes use that answer once',
			'TotalCount of locations': 'limits: Count does not work',
			'Filter of locations': 'limits: does not apply the filter',
			'Unknown field of locations': 'limits: is ignored',
		},
	]),
	[
		'a list of one row that hears no query',
		{ ...UNPAGED, rows: first(1, 'locations') },
		{
			'Sort of locations': 'cannot tell: do not show whether they are sorted',
			'Page size of locations': PAGE_LONGER,
			'TotalCount of locations': 'limits: Count does not work',
			'Filter of locations': 'cannot tell: There is one row',
			'Unknown field of locations': 'limits: is ignored',
		},
	],

	...(['sessions', 'stations', 'locations'] as const).map((list, place): (typeof TABLE)[number] => [
		`${list} as a bare array`,
		{ arrays: [list] },
		{ [`TotalCount of ${ALL[place]}`]: 'limits: Rows come as a bare list, without a count' },
	]),
	['a count of the page alone', { totalCount: 'page' }, { TotalCount: 'limits: rows of the page alone' }],
	['a count that is capped', { totalCount: { atMost: 100 } }, { TotalCount: 'limits: counts 100 rows' }],
	[
		'a count that is always 0',
		{ totalCount: { atMost: 0 } },
		{ TotalCount: 'limits: rows do not confirm it. Count does not work' },
	],
	['a count that is too high', { totalCount: { offBy: 1 } }, { TotalCount: 'limits: rows do not confirm' }],
	['a count that is too low', { totalCount: { offBy: -1 } }, { TotalCount: 'limits: rows do not confirm' }],
	['no count', { totalCount: 'missing' }, { TotalCount: 'limits: does not count' }],
	['an empty count', { totalCount: 'null' }, { TotalCount: 'limits: does not count' }],
	['a count as text', { totalCount: 'text' }, { TotalCount: 'works around: It is written as text' }],

	[
		'filters are ignored',
		{ ignores: ['Filter'] },
		{
			Filter: 'limits: does not apply the filter',
			'Unknown field': 'limits: is ignored',
			'Time zone': 'limits: lets rows of other times through',
		},
	],
	[
		'a condition on the Id is refused',
		status(400, asks('"Field":"Id","Operator"')),
		{ Filter: 'limits: The platform refuses this query' },
	],
	[
		'a condition on the Id finds nothing',
		{ fault: { kind: 'reply', body: { Items: [], TotalCount: 0 }, match: asks('"Field":"Id","Operator"') } },
		{
			Filter: 'limits: Equals finds nothing by Id',
		},
	],
	[
		'an unknown field is refused, and not named',
		page(400, asks('NoSuchField')),
		{ 'Unknown field': 'works around: not named' },
	],
	[
		'an unknown field finds nothing',
		{ fault: { kind: 'reply', body: { Items: [], TotalCount: 0 }, match: asks('NoSuchField') } },
		{
			'Unknown field': 'works around: gives no rows',
		},
	],
	[
		'an unknown field is ignored',
		{ fault: { kind: 'reply', body: { Items: [{ Id: 1 }], TotalCount: 1 }, match: asks('NoSuchField') } },
		{
			'Unknown field': 'limits: is ignored',
		},
	],
	[
		'one row of sessions',
		{ rows: first(1) },
		{
			'Sort of charging sessions': 'cannot tell: do not show whether they are sorted',
			'Page size of charging sessions': PAGE_LONGER,
			'TotalCount of charging sessions': 'cannot tell: There is one row',
			'Filter of charging sessions': 'cannot tell: There is one row',
		},
	],
	['two rows of sessions', { rows: first(2) }, { 'Page size of charging sessions': PAGE_LONGER }],

	[
		'one charge point has no status',
		{ rows: evses("iif(key = 0, json_remove(value, '$.Status'), json(value))") },
		{ EVSEs: 'limits: 1 of the 3 EVSEs has no status' },
	],
	[
		'no charge point has a status',
		{ rows: evses("json_remove(value, '$.Status')") },
		{ EVSEs: 'limits: no field Status' },
	],
	['charge points without Ids', { rows: WITHOUT_IDS }, { EVSEs: 'works around: no Ids of their own' }],
	[
		'stations without charge points',
		{ rows: "UPDATE stations SET EVSEs = '[]'" },
		{ EVSEs: 'cannot tell: no EVSEs to look at' },
	],
	['no list of charge points', { rows: "UPDATE stations SET EVSEs = '3'" }, { EVSEs: 'limits: has no list of EVSEs' }],
	[
		'a detail cannot be found',
		status(404, { path: '/api/charging-stations/v1/' }),
		{ EVSEs: 'cannot tell: There is nothing at its path (status 404).' },
	],

	[
		'an export in rising order',
		{ exported: (ids) => ids.sort((a, b) => a - b) },
		{ Export: 'works around: another order' },
	],
	[
		'an export in falling order',
		{ exported: (ids) => ids.sort((a, b) => b - a) },
		{ Export: 'works around: another order' },
	],
	['an export that lacks sessions', { exported: (ids) => ids.slice(0, 3) }, { Export: 'works around: missing' }],
	['an empty export', { exported: () => [] }, { Export: 'works around: no records' }],
	[
		'an export with several records',
		{ exported: (ids) => ids.flatMap((id) => [id, id]) },
		{ Export: 'works around: several records' },
	],
	[
		'an export of other sessions, too',
		{ exported: (ids) => [...ids, ...ids.map((id) => id - 50)] },
		{ Export: 'works around: other records' },
	],
	['an export without Ids', { csv: { idColumn: 'Nummer' } }, { Export: 'limits: Session ID Column' }],
	[
		'an export in another form',
		{ csv: { bom: true, newline: '\n', finalNewline: false, delimiter: ';', idColumn: 'SessionId' } },
		{},
	],
	['no export', status(413, { method: 'POST' }), { Export: 'limits: Sessions cannot be exported' }],
	['an export fails', status(500, { method: 'POST' }), { Export: 'cannot tell: cannot answer at the moment' }],
];

describe('each statement where it is so, and none where it is not', () => {
	it.each(TABLE)('%s', async (_, odd, differ) => {
		const { findings } = await check({ ...OPEN_LOCATIONS, ...onlyList(differ), ...odd });
		const said = Object.fromEntries(
			findings
				.filter((one) => others(one) && one.check !== 'What to do')
				.map(({ check: name, list, result, text }) => [
					list === 'platform' ? name : `${name} of ${list}`,
					`${result}: ${text}`,
				]),
		);
		const expected = Object.entries(differ).flatMap(([name, says]) =>
			findingsOf(name).map((one) => [one, says] as const),
		);
		expect(Object.keys(said).sort()).toEqual(expected.map(([name]) => name).sort());
		for (const [name, says] of expected) {
			const [result = '', text = ''] = says.split(/: (.*)/s);
			expect(said[name]).toMatch(new RegExp(`^${result}: `));
			expect(said[name]).toContain(text);
		}
	});

	it.each<[string, object[], string]>([
		['two rows share an Id', [session, session, { ...session, Id: 2 }], 'Some rows share an Id. The nodes read'],
		['a row has another Id', [session, { ...session, Id: 'a' }], 'Some rows have another Id, or none. The nodes read'],
		['a row has no Id', [session, { ...session, Id: null }], 'Some rows have another Id, or none. The nodes read'],
	])('%s', async (_, rows, says) => {
		const { findings } = await check(sessions(...rows), { checkedLists: 'sessions' });
		const { result, text } = found(findings, 'Ids') ?? {};
		expect(`${result}: ${text}`).toContain(`works around: ${says}`);
	});

	it.each<[Odd, string]>([
		[{ fields: { tariffs: { Id: 'integer', Status: 'integer', Name: 'text' } } }, 'Each status is a code'],
		[
			{ fields: { tariffs: { Id: 'integer', Status: 'text', Name: 'text' } } },
			'Status holds names: filters compare them as text',
		],
		[{}, 'No field is a status'],
	])('a status of tariffs is one: %j', async (odd, says) => {
		const { findings } = await check(odd, at('/api/tariffs/v1'));
		expect(findings.filter(others)).toEqual([]);
		expect(found(findings, 'Status codes')?.text).toContain(says);
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

	it('a gateway that refuses each list: what to do is the advice of the other nodes', async () => {
		const { findings } = await check(page(403, ofList));
		expect(findings.at(-1)).toMatchObject({ check: 'What to do', result: 'limits' });
		expect(findings.at(-1)?.text).toMatch(/^It may only let certain networks/);
	});

	it('a list that refuses a sort, and cannot answer just now without one, may be readable', async () => {
		const match = asks('"Sorts"', 'locations');
		platform.faults.add({ kind: 'status', status: 400, match, times: Infinity });
		const { findings } = await check(status(503, { path: '/api/locations' }), { checkedLists: 'locations' });
		expect(found(findings, 'Access')).toMatchObject({ result: 'cannot tell' });
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
		// The first pages come, and nothing else.
		const match = (request: RequestRecord) => !asks('"Skip":0')(request) || !asks('"Asc"')(request);
		const { findings, requests } = await check({ ...OPEN_LOCATIONS, fault: { kind: 'status', status: 500, match } });
		expect(requests).toHaveLength(MOST_REQUESTS);
		expect(findings.some(({ text }) => text.startsWith('No more requests'))).toBe(true);
		expect(findings.at(-1)).toMatchObject({ check: 'What to do', result: 'cannot tell' });
	});

	it('no more are sent either where a user has to sign in again shortly before the last one', async () => {
		let count = 0;
		const isLate = (request: RequestRecord) => ofList(request) && ++count === MOST_REQUESTS - 2;
		platform.faults.add({ kind: 'status', status: 401, match: isLate });
		const match = (request: RequestRecord) => ofList(request) && !(asks('"Skip":0')(request) && asks('"Asc"')(request));
		const fault: Fault = { kind: 'status', status: 500, match };
		const { requests } = await check({ ...OPEN_LOCATIONS, parameters: USER, fault });
		expect(requests.length).toBeGreaterThanOrEqual(MOST_REQUESTS - 1);
	});

	it('where no list can be read, it says to run it again, and not that nothing needs to be done', async () => {
		const { findings } = await check({ fault: { kind: 'status', status: 500 } });
		expect(findings.at(-1)?.check).toBe('What to do');
		expect(findings.at(-1)?.text).toMatch(/^Not all lists could be read/);
	});

	it.each([{}, { parameters: USER }])('tries after a 429 count towards them: %j', async (odd) => {
		let count = 0;
		const fault: Fault = {
			kind: 'status',
			status: 429,
			headers: { 'retry-after': '1' },
			match: ({ path }) => path.startsWith('/api/') && ++count % 3 > 0,
		};
		const { findings, requests } = await check({ ...OPEN_LOCATIONS, ...odd, fault });
		expect(requests.length).toBeGreaterThanOrEqual(MOST_REQUESTS - 1);
		expect(found(findings, 'Fields')).toMatchObject({ result: 'as specified' });
		expect(found(findings, 'Other lists')).toMatchObject({ result: 'cannot tell' });
	});

	it('a user whom other paths refuse signs in once more, not for each of them', async () => {
		const { requests } = await check({ ...OPEN_LOCATIONS, ...status(401, elsewhere), parameters: USER });
		expect(requests.filter(({ path }) => path === '/token')).toHaveLength(2);
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
			arrays: ['sessions'],
			codes: 'object',
			fields: { stations: { ...SPECIFIED_FIELDS.stations, OcppStatus: 'text' } },
		},
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

	it.each<[string, Fault]>([
		['401', { kind: 'status', status: 401, body: { Message: 'Zqmark Åkesson is unknown' }, match: ofList }],
		['403', { kind: 'status', status: 403, body: { Message: 'Zqmark Åkesson may not' }, match: ofList }],
		['400', { kind: 'status', status: 400, body: { Message: 'Zqmark Åkesson may not' }, match: ofList }],
		['a page', { kind: 'html', status: 200, body: '<html><title>Zqmark Åkesson</title></html>', match: ofList }],
		['other JSON', { kind: 'reply', body: { zqmark: 'Zqmark' }, match: ofList }],
		['404 for a station', { kind: 'status', status: 404, match: { path: '/api/charging-stations/v1/' } }],
		['400 for a station', { kind: 'status', status: 400, match: { path: '/api/charging-stations/v1/' } }],
	])('words and values in the answers of a platform are not in it: %s', async (_, fault) => {
		platform.db.exec('UPDATE stations SET Id = Id + 918273000');
		platform.faults.add({ ...fault, times: Infinity });
		const { report } = await reportOf(platform);
		expect(/zqmark|kesson|918273/i.exec(report)?.[0]).toBeUndefined();
	});

	/** Whichever is asked for. */
	const IDS = Array.from({ length: 400 }, (_, index) => `'${918273001 + index}'`);
	const QUOTES_A_VALUE: Fault = {
		kind: 'reply',
		status: 400,
		body: { Message: `Id cannot be ${IDS.join(' or ')}` },
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
