/**
 * The specification leaves much open. Whatever the platform turns out to do, the nodes must give the right rows, or say
 * clearly what they cannot do. Tries every switch of the stand-in, with text Ids where they are read in another way.
 */
import type { IDataObject } from 'n8n-workflow';

import type { Behaviour, Role, StandIn } from '../../platform/index.ts';
import { startPlatform } from '../../platform/index.ts';
import { installFastClock, type FastClock } from '../../support/clock.ts';
import { credentialFor, editorContext, runNode, type CredentialData } from '../../support/harness.ts';
import { idText, sentWhileToldToWait, visibleText } from '../../support/engine.ts';

type Job =
	| 'sessions by Id'
	| 'sessions by energy'
	| 'sessions by start'
	| 'session'
	| 'newest session'
	| 'count'
	| 'stations'
	| 'station';

type IdType = Behaviour['idType'];
const BOTH: readonly IdType[] = ['integer', 'text'];

interface Unknown {
	name: string;
	behaviour: Partial<Behaviour>;
	/** Integer Ids, unless the switch is about reading in order, its end, or text. */
	ids?: readonly IdType[];
	/** The role and the scopes of the key. */
	role?: Role;
	scopes?: string[];
	/** Jobs that this platform makes impossible, and what the user is told instead. */
	refused?: Partial<Record<Job | 'dropdowns', RegExp>>;
	/** The same, only for text Ids. */
	refusedWithTextIds?: Unknown['refused'];
	/** How many of the newest rows the dropdowns can see. */
	sample?: number;
}

const EVERY_JOB: Job[] = [
	'sessions by Id',
	'sessions by energy',
	'sessions by start',
	'session',
	'newest session',
	'count',
	'stations',
	'station',
];
const everyJob = (message: RegExp): Unknown['refused'] =>
	Object.fromEntries([...EVERY_JOB, 'dropdowns'].map((job) => [job, message]));

const OTHER_CODES: Behaviour['statusCodes'] = {
	session: { active: 0, suspended: 9, finished: 4, expired: 12, failed: 6 },
	network: { online: 1, offline: 0, degraded: 7 },
	station: { inService: 5, outOfService: 8, planned: 2 },
	hardware: { available: 0, charging: 40, faulted: 3 },
};
const limited = (retryAfter: 'seconds' | 'date' | 'none' | 'zero' | 'garbage'): Partial<Behaviour> => ({
	rateLimit: { limit: 5, windowMs: 200, window: 'sliding', retryAfter },
});

const ONE_ROW = /do not fit together/;

const unknowns: Unknown[] = [
	{ name: 'the stricter reading of everything', ids: BOTH, behaviour: {} },
	{ name: 'rows in no order of their own', ids: BOTH, behaviour: { naturalOrder: 'random' } },
	{ name: 'rows from the last to the first', ids: BOTH, behaviour: { naturalOrder: 'idDesc' } },
	{ name: 'field names in exactly one spelling', behaviour: { fieldCase: 'sensitive' } },
	{ name: 'no Take of 0', behaviour: { takeZero: 'refuse' } },
	{ name: 'Take 0 as the default page', behaviour: { takeZero: 'default', defaultTake: 3 } },
	{ name: 'pages of 7 rows at most', ids: BOTH, behaviour: { takeClamp: 7 }, sample: 7 },
	{
		name: 'pages of one row',
		ids: BOTH,
		behaviour: { takeClamp: 1 },
		sample: 1,
		refused: { 'sessions by start': ONE_ROW, 'newest session': ONE_ROW },
		refusedWithTextIds: { 'sessions by Id': ONE_ROW, 'sessions by energy': ONE_ROW, stations: ONE_ROW },
	},
	{ name: 'rows without a value last', behaviour: { nullPlacement: 'last' } },
	{ name: 'rows without a value always first', ids: BOTH, behaviour: { nullPlacement: 'alwaysFirst' } },
	{ name: 'rows without a value always last', behaviour: { nullPlacement: 'alwaysLast' } },
	{ name: 'Neq that leaves out rows without a value', behaviour: { nullNeq: 'noMatch' } },
	{ name: 'timestamps with fractions', behaviour: { timestampFractions: true } },
	{ name: 'text without regard to case', ids: BOTH, behaviour: { collation: 'nocase' } },
	{ name: 'text Ids that do not sort as numbers', ids: ['text'], behaviour: { textIdDigits: 0 } },
	{ name: 'TotalCount as text', behaviour: { totalCount: 'text' } },
	{ name: 'TotalCount of null', ids: BOTH, behaviour: { totalCount: 'null' }, refused: { count: /TotalCount is/ } },
	{ name: 'no TotalCount', ids: BOTH, behaviour: { totalCount: 'missing' }, refused: { count: /TotalCount is/ } },
	{ name: 'text that is not compared by order', ids: ['text'], behaviour: { orderedText: 'refuse' } },
	{
		name: 'a kind reading of what the nodes never write',
		behaviour: {
			dateValues: 'lenient',
			textOperatorsOnNonText: 'cast',
			listSpaces: 'trim',
			unknownProperties: 'ignore',
			omittedEnums: 'default',
			enumBase: 1,
			emptyGroup: 'all',
		},
	},
	{ name: 'only the fields of the specification', behaviour: { sessionFields: 'minimal', stationFields: 'minimal' } },
	{ name: 'a hardware status left out', behaviour: { missingHardwareStatus: 'omitted' } },
	{ name: 'names for status codes', behaviour: { statusValueNames: true } },
	{ name: 'other status codes', behaviour: { statusCodes: OTHER_CODES } },
	{ name: 'a slow platform', behaviour: { latencyMs: 15 } },
	{
		name: 'a rate limit in seconds, and a key that is repeated in refusals',
		behaviour: { echoKey: true, ...limited('seconds') },
	},
	{
		name: 'a rate limit by date, its clock an hour ahead',
		ids: BOTH,
		behaviour: { ...limited('date'), clockSkewMs: 3_600_000 },
	},
	{
		name: 'a rate limit by date, its clock an hour behind',
		behaviour: { ...limited('date'), clockSkewMs: -3_600_000 },
	},
	{ name: 'a key that only reads', behaviour: {}, role: 'Accountant' },
	{
		name: 'scopes to read and write',
		behaviour: {},
		scopes: ['charging-sessions:readwrite', 'charging-stations:readwrite'],
	},
	{
		name: 'a role that may not read stations',
		behaviour: { roleRules: { accountantRefused: ['charging-stations'], code: undefined } },
		role: 'Accountant',
		refused: {
			stations: /role of the API key does not allow reading charging stations/,
			station: /role of the API key does not allow reading charging stations/,
			dropdowns: /role of the API key does not allow reading charging stations/,
		},
	},
	{
		name: 'a key without the scope for stations',
		behaviour: {},
		scopes: ['charging-sessions:read'],
		refused: {
			stations: /lacks the scope charging-stations:read/,
			station: /lacks the scope charging-stations:read/,
			dropdowns: /lacks the scope charging-stations:read/,
		},
	},
	{
		name: 'another address to go to',
		behaviour: { redirectTo: 'http://127.0.0.1:9/api/charging-sessions/v1' },
		refused: everyJob(/redirects to/),
	},
];

let clock: FastClock;
beforeAll(() => void (clock = installFastClock(10)));
afterAll(() => clock.restore());

const SINCE = '2025-09-01T00:00:00';

const cases = unknowns.flatMap((unknown) =>
	(unknown.ids ?? ['integer']).map((idType) => [unknown.name, idType, unknown] as const),
);

describe.each(cases)('a platform with %s, and %s Ids', (_, idType, unknown) => {
	const { behaviour, role, scopes, sample = 100 } = unknown;
	const refused = { ...unknown.refused, ...(idType === 'text' && unknown.refusedWithTextIds) };
	let platform: StandIn;
	let credential: CredentialData;

	beforeAll(async () => {
		platform = await startPlatform({ sessions: 260, stations: 130, idGaps: 2, behaviour: { ...behaviour, idType } });
		const { secret } = platform.createKey({
			...(role && { role }),
			scopes: scopes ?? ['charging-sessions:read', 'charging-stations:read'],
		});
		credential = { ...credentialFor(platform), apiKey: secret };
	});
	afterAll(async () => await platform.close());

	const sql = (text: string) => platform.db.prepare(text).all();
	const idsBySql = (text: string) => sql(text).map(({ Id: id }) => Number(id));
	/** The number behind an Id, which the stand-in shows as a number or as text. */
	const numberOf = (row: IDataObject) => Number(idText(row.Id).replace(/^\D+/, ''));
	const shownId = (prefix: string, id = 0) =>
		idType === 'integer' ? id : `${prefix}${String(id).padStart(platform.behaviour.textIdDigits, '0')}`;
	const sorted = (ids: number[]) => [...ids].sort((a, b) => a - b);

	/** Runs one job. Returns its rows, or undefined if it was refused as expected. */
	const run = async (job: Job, type: 'chargingSessions' | 'chargingStations', parameters: IDataObject) => {
		const result = await runNode({
			type,
			credential,
			parameters: parameters as NonNullable<Parameters<typeof runNode>[0]['parameters']>,
		});
		expect(visibleText(result.error, result.items, result.hints, result.run.data)).not.toContain(credential.apiKey);
		expect(sentWhileToldToWait(platform.requests)).toEqual([]);
		const message = refused[job];
		if (message) {
			expect(`${result.error?.message} ${result.error?.description}`).toMatch(message);
			return undefined;
		}
		expect(result.error).toBeUndefined();
		return result.json;
	};

	const finished = {
		status: [{ operator: 'In', values: ['4'] }],
		startedAtUtc: [{ operator: 'Gte', value: `${SINCE}Z` }],
	};
	const FINISHED = `SELECT Id FROM sessions WHERE Status = 4 AND StartedAtUtc >= '${SINCE}' ORDER BY Id`;
	const list = async (job: Job, sort: IDataObject) =>
		await run(job, 'chargingSessions', {
			operation: 'getAll',
			returnAll: true,
			filters: finished,
			sort,
		});

	it('Get Many returns the filtered rows by Id', async () => {
		const rows = await list('sessions by Id', {});
		if (!rows) return;
		const shown = rows.map(({ Id: id }) => id);
		expect(sorted(rows.map(numberOf))).toEqual(idsBySql(FINISHED));
		const compared = (a: unknown, b: unknown) => (idType === 'integer' ? Number(a) < Number(b) : idText(a) < idText(b));
		for (const [index, id] of shown.entries()) expect(index === 0 || compared(shown[index - 1], id)).toBe(true);
	});

	it('Get Many returns them in another order, including rows without a value', async () => {
		const rows = await list('sessions by energy', { by: [{ field: 'EnergyConsumed', direction: 'Desc' }] });
		if (!rows) return;
		expect(sorted(rows.map(numberOf))).toEqual(idsBySql(FINISHED));
		const energies = rows.flatMap(({ EnergyConsumed: energy }) => (typeof energy === 'number' ? [energy] : []));
		expect(energies).toEqual([...energies].sort((a, b) => b - a));
	});

	it('Get Many returns the newest first, up to the limit', async () => {
		const rows = await run('sessions by start', 'chargingSessions', {
			operation: 'getAll',
			limit: 120,
			sort: { by: [{ field: 'StartedAtUtc', direction: 'Desc' }] },
		});
		if (!rows) return;
		const newest = sql('SELECT StartedAtUtc FROM sessions ORDER BY StartedAtUtc DESC LIMIT 120');
		expect(rows.map(({ StartedAtUtc: start }) => idText(start).slice(0, 19))).toEqual(
			newest.map(({ StartedAtUtc: start }) => start),
		);
		expect(new Set(rows.map(numberOf)).size).toBe(120);
	});

	it('Count and Get agree with the list', async () => {
		const counted = await run('count', 'chargingSessions', { operation: 'count', filters: finished });
		if (counted) expect(counted).toEqual([{ count: idsBySql(FINISHED).length }]);

		const one = await run('newest session', 'chargingSessions', {
			operation: 'getAll',
			limit: 1,
			options: { pageSize: 1, parallelRequests: 1 },
		});
		const id = one?.[0]?.Id ?? shownId('ses-', idsBySql('SELECT min(Id) AS Id FROM sessions')[0]);
		const got = await run('session', 'chargingSessions', { operation: 'get', sessionId: id });
		if (got && one) expect(got).toEqual(one);
	});

	it('Charging Stations lists stations and reads their detail', async () => {
		const rows = await run('stations', 'chargingStations', {
			operation: 'getAll',
			returnAll: true,
			filters: { hardwareStatus: [{ operator: 'Neq', value: '3' }], name: [{ operator: 'Contains', value: 'a' }] },
		});
		const others = behaviour.nullNeq === 'noMatch' ? '<> 3' : 'IS NOT 3';
		const named = behaviour.collation === 'nocase' ? "LIKE '%a%'" : "GLOB '*a*'";
		if (rows) {
			expect(sorted(rows.map(numberOf))).toEqual(
				idsBySql(`SELECT Id FROM stations WHERE HardwareStatus ${others} AND Name ${named} ORDER BY Id`),
			);
		}
		const id = rows?.[0]?.Id ?? shownId('sta-', 1);
		const detail = await run('station', 'chargingStations', {
			operation: 'get',
			stationId: { __rl: true, mode: 'id', value: id },
		});
		if (detail) expect(detail[0]).toMatchObject({ Id: id, EVSEs: expect.any(Array) as unknown });
	});

	it('the dropdowns offer what live rows show, or say why not', async () => {
		const { context, nodeType } = await editorContext({ type: 'chargingStations', credential });
		const { loadOptions = {}, listSearch = {} } = nodeType.methods ?? {};
		const load = async (method: string) => (await loadOptions[method]?.call(context)) ?? [];
		// Editor requests do not wait for the rate limit: let it pass first.
		if (behaviour.rateLimit) await new Promise((resolve) => setTimeout(resolve, 1_500));
		const fields = await load('getFields');
		const codes = await load('getNetworkStatusCodes');
		expect(fields.map(({ value }) => value)).toEqual(expect.arrayContaining(['Name|text', 'NetworkStatus|code']));
		expect(codes[0]).toMatchObject({ name: 'Online (Code 1)', value: '1' });
		const search = async () => await listSearch.searchStations?.call(context, 'a');
		if (refused.dropdowns) {
			expect(fields.at(-1)?.description).toMatch(refused.dropdowns);
			await expect(search()).rejects.toMatchObject({ message: expect.stringMatching(refused.dropdowns) as unknown });
			return;
		}
		const newest = `SELECT NetworkStatus AS code FROM stations ORDER BY Id DESC LIMIT ${sample}`;
		// Unpadded text Ids sort differently, so that other rows are the newest.
		const seen = behaviour.textIdDigits === 0 ? ['1'] : sql(newest).map(({ code }) => String(code));
		expect(codes.map(({ value }) => value)).toEqual(expect.arrayContaining(seen));
		if (behaviour.stationFields !== 'minimal') {
			expect(fields.map(({ value }) => value)).toContain('LastHeartbeatAtUtc|date');
		}
		expect((await search())?.results.length).toBeGreaterThan(0);
	});
});
