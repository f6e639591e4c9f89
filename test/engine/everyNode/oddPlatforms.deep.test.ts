/**
 * Two to four odd behaviours at random, on a list that holds still, over every action node: what comes out is complete,
 * or refused, or has a note. Nothing is wrong in silence. Left out are only those that no reading can see through,
 * listed in docs/where-the-specification-is-silent.md.
 */
import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import { applyBehaviour } from '../../platform/behaviour.ts';
import {
	startPlatform,
	type Behaviour,
	type ListName,
	type ListsBehaviour,
	type StandIn,
} from '../../platform/index.ts';
import { draws } from '../../support/draws.ts';
import { keepFilesOnDisk } from '../../support/export.ts';
import { credentialFor, runNode, type RunResult } from '../../support/harness.ts';

const DRAWS = draws(2000);
const ROWS = 730;
const SCOPES = ['charging-sessions:read', 'charging-stations:read', 'locations:read', 'tariffs:read'];

type Odd = Partial<Omit<Behaviour, 'lists' | 'locations'>> & {
	lists?: Partial<ListsBehaviour>;
	locations?: Partial<Behaviour['locations']>;
};

/** Odd behaviours by their part of the platform. At most one of each part is drawn. */
const ODDITIES: Record<string, Odd[]> = {
	page: [
		...[7, 10, 25, 37, 50, 99].map((takeClamp) => ({ takeClamp })),
		{ takeClamp: 40, takeOverClamp: 'refuse' },
		{ lists: { unevenPages: true } },
		{ lists: { takeOffBy: -1 } },
		{ lists: { stationsTakeClamp: 40 }, takeOverClamp: 'refuse' },
	],
	count: [
		{ lists: { count: 'page' } },
		{ lists: { count: 'capped', countCap: 100 } },
		...[1, -1, 60, -40].map((countOffBy) => ({ lists: { count: 'offBy' as const, countOffBy } })),
		{ totalCount: 'null' },
		{ totalCount: 'missing' },
		{ totalCount: 'text' },
	],
	skip: [
		{ lists: { maxSkip: 150, skipOverMax: 'refuse' } },
		{ lists: { maxSkip: 150, skipOverMax: 'ignore' } },
		{ lists: { maxSkip: 150, skipOverMax: 'clamp' } },
		{ lists: { listensTo: { filter: true, sort: true, skip: false, take: true } } },
	],
	sort: [
		{ naturalOrder: 'idDesc', lists: { listensTo: { filter: true, sort: false, skip: true, take: true } } },
		{ naturalOrder: 'random', lists: { listensTo: { filter: true, sort: false, skip: true, take: true } } },
		{ lists: { sorting: 'page' } },
		{ lists: { sorting: 'text' } },
		{ naturalOrder: 'idDesc', lists: { sorting: 'page' } },
		{ lists: { unsortedAnswers: 1 } },
		{ nullPlacement: 'alwaysLast' },
		{ nullPlacement: 'alwaysFirst' },
	],
	filter: [
		{ lists: { listensTo: { filter: false, sort: true, skip: true, take: true } } },
		...['Eq', 'Neq', 'Gt', 'Gte', 'Lt', 'Lte', 'In', 'GteLt'].map((operator) => ({
			lists: { ignoredOperators: [operator] },
		})),
		...['Status', 'EnergyConsumed', 'NetworkStatus'].map((field) => ({ lists: { ignoredFields: [field] } })),
	],
	signs: (['HasMore', 'NextPage', 'PageInfo', 'TotalPages', 'X-Total-Count', 'Link'] as const).map((moreSign) => ({
		lists: { moreSign },
	})),
	failure: (['Success', 'Error', 'Errors'] as const).map((failure) => ({ lists: { failure } })),
	replica: [{ lists: { cutReplica: 50 } }, { lists: { cutReplica: 37 } }],
	window: [20, 100, 300, 500].map((window) => ({ lists: { window } })),
	laterSorts: [{ lists: { mostSorts: 1 } }],
	take: [{ lists: { listensTo: { filter: true, sort: true, skip: true, take: false } } }],
	ids: [
		{ idType: 'text' },
		{ idType: 'text', textIdDigits: 0 },
		{ idType: 'digits', textIdDigits: 0 },
		{ lists: { idOrder: 'text' } },
		{ lists: { idComparison: 'text' } },
		{ lists: { oddIds: 'null', oddIdEvery: 20 } },
		{ lists: { oddIds: 'doubled', oddIdEvery: 20 } },
		{ lists: { oddIds: 'text', oddIdEvery: 20 } },
		{ lists: { oddIds: 'large', oddIdEvery: 20 } },
	],
	detail: (['evses', 'stationId', 'array', 'items'] as const).map((stationDetail) => ({ stationDetail })),
	chargePoints: (['none', 'large'] as const).map((ids) => ({ chargePoints: { ids, status: 'code' } })),
	encoding: [{ encoding: 'latin1' }],
	names: [{ lists: { names: 'camel' } }, { lists: { emptyProperties: 'omitted' } }],
	values: [{ lists: { decimals: 'text' } }],
	end: [
		{ lists: { emptyItems: 'null' } },
		...(['null', 'nothing', 'notFound'] as const).map((behindEnd) => ({ lists: { behindEnd } })),
	],
	first: [{ lists: { emptyAnswers: 1 } }],
	shape: (['array', 'object', 'data'] as const).map((shape) => ({ locations: { shape } })),
};

const platformOf = fc
	.uniqueArray(fc.constantFrom(...Object.keys(ODDITIES)), { minLength: 2, maxLength: 4 })
	.chain((parts) => fc.tuple(...parts.map((part) => fc.constantFrom(...(ODDITIES[part] ?? [])))));

/** What no reading can see through. */
function isBeyondProof(odd: readonly Odd[], { parameters }: Job): boolean {
	const { naturalOrder, locations, totalCount, lists } = merged(odd);
	const isArray = locations?.shape === 'array' || locations?.shape === 'object';
	const isCutWithCount = lists?.count === 'capped' || (lists?.window ?? lists?.cutReplica) !== undefined;
	const isUncounted = isArray || totalCount === 'null' || totalCount === 'missing';
	return (
		// Pages that are sorted each by itself, in a list that begins with the highest Id, and a count that stops where the
		// page does.
		(naturalOrder === 'idDesc' && lists?.sorting === 'page' && isCutWithCount) ||
		// Count gives the platform's own figure, and one row to compare with the filter.
		(parameters.operation === 'count' && (countsWrong(lists) || ignoresFilter(lists))) ||
		// An empty answer with a count of 0, or without one.
		(lists?.emptyAnswers === 1 && (isUncounted || lists.count !== undefined || lists.cutReplica !== undefined)) ||
		// Rows without an Id of their own in another order at each request.
		(naturalOrder === 'random' && lists?.oddIds !== undefined) ||
		// An array has no place for a failure.
		(isArray && lists?.failure !== undefined)
	);
}

function countsWrong({ count, window, cutReplica }: Odd['lists'] = {}): boolean {
	return (count ?? window ?? cutReplica) !== undefined;
}

function ignoresFilter({ listensTo, ignoredOperators, ignoredFields }: Odd['lists'] = {}): boolean {
	return listensTo?.filter === false || (ignoredOperators ?? ignoredFields) !== undefined;
}

function merged(odd: readonly Odd[]): Odd {
	return odd.reduce<Odd>((all, one) => {
		const listensTo = { ...HEARS, ...all.lists?.listensTo };
		for (const [part, hears] of Object.entries(one.lists?.listensTo ?? {})) {
			if (!hears) listensTo[part as keyof typeof listensTo] = false;
		}
		return { ...all, ...one, lists: { ...all.lists, ...one.lists, listensTo } };
	}, {});
}

const HEARS = { filter: true, sort: true, skip: true, take: true };

interface Job {
	list: ListName;
	type: string;
	parameters: INodeParameters;
	/** SQL of the rows that are asked for; all of the list when left out. */
	from?: string;
	where?: string;
	/** SQL of what is looked for: the number of rows when left out. */
	figure?: string;
	/** The same in the result. */
	found: (result: RunResult) => number;
}

const rowsOf = ({ json }: RunResult) =>
	new Set(json.map(({ Id, Name, Note, ...row }) => JSON.stringify([Id, Name, Note, row]))).size;
const countOf = ({ json }: RunResult) => Number(json[0]?.count);
const ALL = { operation: 'getAll', returnAll: true };
const BY_ENERGY = { by: [{ field: 'EnergyConsumed', direction: 'Desc' }] };
const FINISHED = { filters: { status: [{ operator: 'In', values: ['4'] }] }, logic: 'And' };
const ABOVE_40 = { filters: { energyConsumed: [{ operator: 'Gt', value: 40 }] }, logic: 'And' };
const OFFLINE = { filters: { networkStatus: [{ operator: 'NotIn', values: ['1'] }] }, logic: 'And' };
/** Where a platform puts rows without a value is its own affair. */
const WITH_ENERGY = { filters: { energyConsumed: [{ operator: 'Gte', value: 0 }] }, logic: 'And' };
const STATUS_4_OR_6 = 'Status IN (4, 6) AND EnergyConsumed >= 0';
const FAILED_OR_FINISHED = {
	filters: {
		status: [{ operator: 'In', values: ['4', '6'] }],
		energyConsumed: [{ operator: 'Gte', value: '0' }],
	},
	logic: 'And',
};
const BY_STATUS_AND_ENERGY = {
	by: [
		{ field: 'Status', direction: 'Asc' },
		{ field: 'EnergyConsumed', direction: 'Desc' },
	],
};
/** Filters with each operator that the form has for a code, a number or an Id, and the same in SQL. */
const WAYS_TO_FILTER: Array<[INodeParameters, string]> = [
	[{ status: [{ operator: 'Eq', value: '6' }] }, 'Status = 6'],
	[{ status: [{ operator: 'Neq', value: '4' }] }, 'Status <> 4'],
	[{ status: [{ operator: 'In', values: ['4', '6'] }] }, 'Status IN (4, 6)'],
	[{ energyConsumed: [{ operator: 'Lt', value: '20' }] }, 'EnergyConsumed < 20'],
	[{ energyConsumed: [{ operator: 'Lte', value: '20' }] }, 'EnergyConsumed <= 20'],
	[{ energyConsumed: [{ operator: 'Gte', value: '30' }] }, 'EnergyConsumed >= 30'],
	[{ energyConsumed: [{ operator: 'GteLt', from: '10', to: '30' }] }, 'EnergyConsumed >= 10 AND EnergyConsumed < 30'],
	[
		{ status: [{ operator: 'In', values: ['4'] }], energyConsumed: [{ operator: 'Gt', value: '40' }] },
		'Status = 4 AND EnergyConsumed > 40',
	],
];
const TARIFFS = { __rl: true, mode: 'path', value: '/api/tariffs/v1' };

/** Ten months before the sessions that still charge have begun. */
const [FROM, TO] = ['2026-01-01T00:00:00Z', '2026-11-01T00:00:00Z'];
const MONTHS = { startedAtUtc: [{ operator: 'GteLt', from: FROM, to: TO }] };
const DURATION = { function: 'duration', endField: 'EndedAtUtc' };

const JOBS: Job[] = [
	{
		// The seconds.
		list: 'sessions',
		type: 'chargingSessions',
		parameters: { operation: 'summary', groupBy: [], filters: MONTHS, logic: 'And', measures: { values: [DURATION] } },
		figure: 'total(unixepoch(EndedAtUtc) - unixepoch(StartedAtUtc))',
		where: `StartedAtUtc >= '${FROM.slice(0, 19)}' AND StartedAtUtc < '${TO.slice(0, 19)}'`,
		found: ({ json }) => Math.round(Number(json[0]?.duration) * 3600),
	},
	{
		list: 'sessions',
		type: 'chargingSessions',
		parameters: {
			...{ operation: 'summary', groupBy: ['field'], groupByField: 'Currency', result: 'itemPerGroup' },
			measures: { values: [{ field: 'StartedAtUtc', function: 'max' }] },
		},
		from: '(SELECT DISTINCT Currency FROM sessions)',
		found: ({ json }) => {
			const latest = latestStarts();
			return json.filter(({ StartedAtUtc_max: last }) => latest.has(Date.parse(last as string))).length;
		},
	},
	{
		list: 'sessions',
		type: 'chargingSessions',
		parameters: { ...ALL, ...FINISHED },
		where: 'Status = 4',
		found: rowsOf,
	},
	{
		list: 'sessions',
		type: 'chargingSessions',
		parameters: { ...ALL, ...ABOVE_40, sort: BY_ENERGY },
		where: 'EnergyConsumed > 40',
		found: rowsOf,
	},
	{
		list: 'sessions',
		type: 'chargingSessions',
		parameters: { operation: 'summary', ...ABOVE_40 },
		where: 'EnergyConsumed > 40',
		found: countOf,
	},
	{
		// The first ten, and the tenth of them as SQL has it.
		list: 'sessions',
		type: 'chargingSessions',
		parameters: { operation: 'getAll', limit: 10, ...WITH_ENERGY, sort: BY_ENERGY },
		where: 'Id IN (SELECT Id FROM sessions WHERE EnergyConsumed >= 0 ORDER BY EnergyConsumed DESC LIMIT 10)',
		found: ({ json }) => json.filter(({ EnergyConsumed: energy }) => Number(energy) >= tenth()).length,
	},
	{ list: 'sessions', type: 'chargingSessions', parameters: ALL, found: rowsOf },
	{ list: 'sessions', type: 'chargingSessions', parameters: { ...ALL, sort: BY_ENERGY }, found: rowsOf },
	{ list: 'sessions', type: 'chargingSessions', parameters: { operation: 'summary' }, found: countOf },
	{ list: 'sessions', type: 'chargingSessions', parameters: { operation: 'count' }, found: countOf },
	{
		list: 'sessions',
		type: 'chargingSessions',
		parameters: { operation: 'count', ...FINISHED },
		where: 'Status = 4',
		found: countOf,
	},
	{
		// A second sort that is ignored shows in the rows of the first status.
		list: 'sessions',
		type: 'chargingSessions',
		parameters: { operation: 'getAll', limit: 10, ...FAILED_OR_FINISHED, sort: BY_STATUS_AND_ENERGY },
		where: `Id IN (SELECT Id FROM sessions WHERE ${STATUS_4_OR_6} ORDER BY Status, EnergyConsumed DESC LIMIT 10)`,
		found: ({ json }) => {
			const [first = '', second = ''] = keysOfTenth();
			return json.filter(
				({ Status: status, EnergyConsumed: energy }) =>
					Number(status) < Number(first) || (status === first && Number(energy) >= Number(second)),
			).length;
		},
	},
	...WAYS_TO_FILTER.map(
		([filters, where]): Job => ({
			list: 'sessions',
			type: 'chargingSessions',
			parameters: { ...ALL, filters, logic: 'And' },
			where,
			found: rowsOf,
		}),
	),
	{
		list: 'stations',
		type: 'chargingStations',
		parameters: { ...ALL, ...OFFLINE },
		where: 'NetworkStatus <> 1',
		found: rowsOf,
	},
	{ list: 'stations', type: 'chargingStations', parameters: ALL, found: rowsOf },
	{ list: 'stations', type: 'chargingStations', parameters: { operation: 'availability' }, found: rowsOf },
	{
		list: 'stations',
		type: 'chargingStations',
		parameters: { ...ALL, operation: 'getChargePoints', ...OFFLINE },
		from: 'stations, json_each(EVSEs)',
		where: 'NetworkStatus <> 1',
		found: ({ json }) => json.length,
	},
	{ list: 'locations', type: 'chargingLocations', parameters: ALL, found: rowsOf },
	{ list: 'locations', type: 'chargingLocations', parameters: { operation: 'count' }, found: countOf },
	{ list: 'tariffs', type: 'chargingNetworkList', parameters: { ...ALL, list: TARIFFS }, found: rowsOf },
	{ list: 'tariffs', type: 'chargingNetworkList', parameters: { operation: 'count', list: TARIFFS }, found: countOf },
	{
		list: 'sessions',
		type: 'chargingSessionsCsvExport',
		parameters: { operation: 'exportByFilter', filters: { status: [{ operator: 'Neq', value: '99' }] }, logic: 'And' },
		found: ({ json }) => Number(json[0]?.requestedCount),
	},
];

let platform: StandIn;
const expectedOf = ({ list, figure = 'count(*)', from = list, where = '1' }: Job) =>
	Number(platform.db.prepare(`SELECT ${figure} AS found FROM ${from} WHERE ${where}`).get()?.found);
const latestStarts = () =>
	new Set(
		platform.db
			.prepare('SELECT max(StartedAtUtc) AS start FROM sessions GROUP BY Currency')
			.all()
			.map(({ start }) => Date.parse(`${String(start)}Z`)),
	);
const tenth = () =>
	Number(
		platform.db
			.prepare(
				'SELECT min(EnergyConsumed) AS energy FROM (SELECT EnergyConsumed FROM sessions WHERE EnergyConsumed >= 0 ORDER BY EnergyConsumed DESC LIMIT 10)',
			)
			.get()?.energy,
	);
/** Status and energy of the tenth row in the order of both. */
const keysOfTenth = () => {
	const sql = `SELECT Status, EnergyConsumed FROM sessions WHERE ${STATUS_4_OR_6} ORDER BY Status, EnergyConsumed DESC LIMIT 10`;
	return Object.values(platform.db.prepare(sql).all().at(-1) ?? {});
};
/** Where pages are sorted each alone, by a code or so that the first one happens to hold the first row, nothing shows it. */
const startsWithFirst = ({ json: [first] }: RunResult) =>
	Number(/\d+$/.exec(`${first?.Id as string | number | undefined}`)?.[0]) ===
	platform.db.prepare('SELECT Id FROM sessions ORDER BY EnergyConsumed DESC, Id LIMIT 1').get()?.Id;
beforeAll(async () => {
	await keepFilesOnDisk();
	platform = await startPlatform({ sessions: ROWS, stations: ROWS, locations: ROWS, tariffs: ROWS, idGaps: 1 });
});
afterAll(async () => await platform.close());

it(`gives every row, or says what it cannot do, in ${DRAWS} draws`, async () => {
	let refused = 0;
	/** Wrong results without a sign. */
	const silent: object[] = [];
	await fc.assert(
		fc.asyncProperty(
			platformOf,
			fc.constantFrom(...JOBS),
			fc.constantFrom(ROWS, ROWS, 101, 100, 50, 25, 3),
			fc.constantFrom(100, 25),
			async (odd, job, rows, pageSize) => {
				fc.pre(!isBeyondProof(odd, job));
				platform.reset();
				const { list } = job;
				platform.db.exec(`DELETE FROM ${list} WHERE Id NOT IN (SELECT Id FROM ${list} ORDER BY Id LIMIT ${rows})`);
				applyBehaviour(platform.behaviour, merged(odd));
				platform.behaviour.locations.acceptsKeys = true;
				const { secret } = platform.createKey({ scopes: SCOPES });
				const result = await runNode({
					type: job.type,
					credential: { ...credentialFor(platform), apiKey: secret },
					parameters: {
						...job.parameters,
						...(job.parameters.operation !== 'count' && { options: { pageSize, parallelRequests: 4 } }),
					},
				});
				if (result.error) {
					expect(['NodeApiError', 'NodeOperationError']).toContain(result.error.name);
					expect(result.error.description).not.toBe('');
					refused++;
				} else if (
					result.hints.length === 0 &&
					job.found(result) !== expectedOf(job) &&
					!(
						merged(odd).lists?.sorting === 'page' &&
						(job.parameters.sort === BY_STATUS_AND_ENERGY || startsWithFirst(result))
					)
				) {
					const counts = { pageSize, rows, expected: expectedOf(job), found: job.found(result) };
					silent.push({ odd, type: job.type, ...job.parameters, ...counts });
				}
			},
		),
		{ numRuns: DRAWS },
	);
	expect(silent).toEqual([]);
	// Most can be read: a refusal without need would show here.
	expect(refused).toBeLessThan(DRAWS / 2);
}, 900_000);
