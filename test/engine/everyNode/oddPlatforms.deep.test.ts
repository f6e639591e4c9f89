/**
 * What really happens to people (`Behaviour`), two at a time and at random, over every node that lists: what comes
 * out is complete, or refused, or has a note. Nothing is wrong in silence. Drawn is what stands in `ODDITIES`; left out is
 * what cannot be known, in `isBeyondProof`.
 */
import fc from 'fast-check';
import sumBy from 'lodash/sumBy';
import type { INodeParameters } from 'n8n-workflow';

import { applyBehaviour } from '../../platform/behaviour.ts';
import { startPlatform, type BehaviourChanges, type Fault, type ListName, type StandIn } from '../../platform/index.ts';
import { installFastClock, type FastClock } from '../../support/clock.ts';
import { draws } from '../../support/draws.ts';
import { keepFilesOnDisk } from '../../support/export.ts';
import { credentialFor, runNode, type RunResult } from '../../support/harness.ts';
import { ALL_SCOPES } from '../../support/nodes.ts';

const DRAWS = draws(2000);
const ROWS = 730;

type Odd = BehaviourChanges & {
	/** What the third request meets. */
	fault?: Omit<Fault, 'match'>;
	/** SQL that changes the rows. */
	rows?: string;
};

/** SQL that puts some Ids of a list above 2^53. */
const above53 = (list: string) => `UPDATE ${list} SET Id = Id + 9007199254740992 WHERE Id % 20 = 7;`;

/** Odd behaviours by their part of the platform. Two parts are drawn. */
const ODDITIES: Record<string, Odd[]> = {
	page: [10, 25, 37, 50, 99].map((takeClamp) => ({ takeClamp })),
	count: [
		{ totalCount: 'page' },
		{ totalCount: { atMost: 100 } },
		...[1, -1, 60, -40].map((offBy) => ({ totalCount: { offBy } })),
		{ totalCount: 'null' },
		{ totalCount: 'missing' },
		{ totalCount: 'text' },
	],
	sort: (['idDesc', 'random'] as const).map((naturalOrder) => ({
		naturalOrder,
		ignores: ['Sort'],
	})),
	empty: [{ emptyValues: 'below' }, { emptyValues: 'above' }],
	filter: ['Status', 'NetworkStatus', 'Id'].map((field) => ({ ignores: [field] })),
	ids: [
		...(['text', 'digits'] as const).map((kind) => ({
			ids: { sessions: kind, stations: kind, locations: kind, tariffs: kind },
		})),
		...(['pairs', 'threes'] as const).map((kind) => ({ ids: { locations: kind, tariffs: kind } })),
		{ rows: above53('sessions') + above53('stations') },
		{ rows: `UPDATE stations SET EVSEs = replace(EVSEs, '"Id":', '"Id":900719925474099')` },
		{ rows: 'UPDATE sessions SET Id = Id - 500; UPDATE stations SET Id = -Id' },
	],
	status: [
		...(['text', 'name', 'object'] as const).map((codes) => ({ codes })),
		{ rows: `UPDATE stations SET EVSEs = replace(EVSEs, '"Status":3', '"Status":"Faulted"')` },
		{ rows: 'UPDATE stations SET NetworkStatus = NULL WHERE NetworkStatus = 1' },
	],
	names: [{ camelCase: true }, { omitsEmpty: true }],
	values: [
		{ timestampFractions: true },
		{ rows: "UPDATE sessions SET StartedAtUtc = StartedAtUtc || 'Z', EndedAtUtc = EndedAtUtc || 'Z'" },
	],
	shape: [
		{ arrays: ['locations'] },
		{ arrays: ['locations'], ignores: ['Take'] },
		{ arrays: ['locations'], ignores: ['Take', 'Skip'] },
	],
	limit: (['seconds', 'date', 'none'] as const).map((retryAfter) => ({
		rateLimit: { limit: 20, windowMs: 100, retryAfter },
	})),
	fault: [
		{ fault: { kind: 'status', status: 500 } },
		{ fault: { kind: 'status', status: 503, headers: { 'retry-after': '1' } } },
		{ fault: { kind: 'html', status: 502 } },
		{ fault: { kind: 'truncate' } },
		{ fault: { kind: 'dropMidBody' } },
		{ fault: { kind: 'status', status: 404 } },
		{ fault: { kind: 'reply', status: 204 } },
		{ fault: { kind: 'reply', body: 'null' } },
	],
};

const platformOf = fc
	.uniqueArray(fc.constantFrom(...Object.keys(ODDITIES)), { minLength: 2, maxLength: 2 })
	.chain((parts) => fc.tuple(...parts.map((part) => fc.constantFrom(...(ODDITIES[part] ?? [])))));

/** What no reading can know. */
function isBeyondProof(odd: Odd, { parameters }: Job): boolean {
	const { takeClamp = 0, totalCount = 'right', ignores = [], fault } = odd;
	const isCounted = parameters.operation === 'count';
	const isWrong = totalCount === 'page' || typeof totalCount === 'object';
	return (
		// Count gives the platform's own figure, and compares ten rows with the filter.
		(isCounted && (isWrong || /Status|Id/.test(ignores.join()))) ||
		// A page cut to a length that is no multiple of five, and counted alone.
		(totalCount === 'page' && takeClamp % 5 > 0) ||
		// An answer without content as the very first one is an empty list.
		(fault?.status === 204 && (isCounted || isWrong))
	);
}

const merged = (odd: readonly Odd[]): Odd => ({
	...odd.reduce((all, one) => ({ ...all, ...one }), {}),
	ignores: odd.flatMap(({ ignores = [] }) => ignores),
	rows: odd.map(({ rows = '' }) => rows).join(';'),
});

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
const FINISHED = { filters: { status: [{ operator: 'In', values: ['4'] }] } };
const ABOVE_40 = { filters: { energyConsumed: [{ operator: 'Gt', value: 40 }] } };
const BETWEEN = { operator: 'GteLt', from: '10', to: '30' };
const OFFLINE = { filters: { networkStatus: [{ operator: 'NotIn', values: ['1'] }] } };
/** Where a platform puts rows without a value is its own affair. */
const WITH_ENERGY = { filters: { energyConsumed: [{ operator: 'Gte', value: 0 }] } };
const TARIFFS = { list: { __rl: true, mode: 'path', value: '/api/tariffs/v1' } };

/** Ten months before the sessions that still charge have begun. */
const [FROM, TO] = ['2026-01-01T00:00:00Z', '2026-11-01T00:00:00Z'];
const MONTHS = { filters: { startedAtUtc: [{ operator: 'GteLt', from: FROM, to: TO }] } };

/** A job of the node of a list; of all its rows when no SQL says of which. */
const jobOf =
	(list: ListName, type: string) =>
	(parameters: INodeParameters, where?: string, found: Job['found'] = rowsOf): Job => ({
		list,
		type,
		where,
		found,
		parameters: { logic: 'And', ...parameters },
	});
const ofSessions = jobOf('sessions', 'chargingSessions');
const ofStations = jobOf('stations', 'chargingStations');
const ofLocations = jobOf('locations', 'chargingLocations');
const ofTariffs = jobOf('tariffs', 'chargingNetworkList');
const ofExport = jobOf('sessions', 'chargingSessionsCsvExport');
const COUNT = { operation: 'count' };
const SUMMARY = { operation: 'summary' };

const JOBS: Job[] = [
	ofSessions(ALL),
	ofSessions({ ...ALL, sort: BY_ENERGY }),
	ofSessions({ ...ALL, ...FINISHED }, 'Status = 4'),
	ofSessions({ ...ALL, ...ABOVE_40, sort: BY_ENERGY }, 'EnergyConsumed > 40'),
	ofSessions({ ...ALL, filters: { status: [{ operator: 'Neq', value: '4' }] } }, 'Status <> 4'),
	ofSessions({ ...ALL, filters: { energyConsumed: [BETWEEN] } }, 'EnergyConsumed >= 10 AND EnergyConsumed < 30'),
	{
		// The energy of the first ten: others may have as much as the tenth.
		...ofSessions(
			{ operation: 'getAll', limit: 10, ...WITH_ENERGY, sort: BY_ENERGY },
			'Id IN (SELECT Id FROM sessions WHERE EnergyConsumed >= 0 ORDER BY EnergyConsumed DESC LIMIT 10)',
			({ json }) => Math.round(sumBy(json, ({ EnergyConsumed: energy }) => Number(energy)) * 1_000),
		),
		figure: 'round(total(EnergyConsumed) * 1000)',
	},
	ofSessions(COUNT, undefined, countOf),
	ofSessions({ ...COUNT, ...FINISHED }, 'Status = 4', countOf),
	ofSessions(SUMMARY, undefined, countOf),
	ofSessions({ ...SUMMARY, ...ABOVE_40 }, 'EnergyConsumed > 40', countOf),
	// A status is the same in every form.
	ofSessions({ ...SUMMARY, groupBy: ['status'], result: 'itemPerGroup' }, 'Status = 6', ({ json }) =>
		Number(json.find(({ status }) => status === 6)?.count ?? 0),
	),
	{
		// The seconds.
		...ofSessions(
			{ ...SUMMARY, ...MONTHS, groupBy: [], measures: { values: [{ function: 'duration', endField: 'EndedAtUtc' }] } },
			`StartedAtUtc >= '${FROM.slice(0, 19)}' AND StartedAtUtc < '${TO.slice(0, 19)}'`,
			({ json }) => Math.round(Number(json[0]?.duration) * 3600),
		),
		figure: 'total(unixepoch(EndedAtUtc) - unixepoch(StartedAtUtc))',
	},
	ofStations(ALL),
	ofStations({ ...ALL, ...OFFLINE }, 'NetworkStatus IS NOT 1'),
	ofStations({ operation: 'availability' }),
	{
		...ofStations({ ...ALL, operation: 'getChargePoints', ...OFFLINE }, 'NetworkStatus IS NOT 1'),
		from: 'stations, json_each(EVSEs)',
		found: ({ json }) => json.length,
	},
	ofLocations(ALL),
	ofLocations(COUNT, undefined, countOf),
	ofTariffs({ ...ALL, ...TARIFFS }),
	ofTariffs({ ...COUNT, ...TARIFFS }, undefined, countOf),
	ofExport(
		{ operation: 'exportByFilter', filters: { status: [{ operator: 'Neq', value: '99' }] } },
		undefined,
		({ json }) => Number(json[0]?.requestedCount),
	),
];

let clock: FastClock;
let platform: StandIn;
const expectedOf = ({ list, figure = 'count(*)', from = list, where = '1' }: Job) =>
	Number(platform.db.prepare(`SELECT ${figure} AS found FROM ${from} WHERE ${where}`).get()?.found);
beforeAll(async () => {
	await keepFilesOnDisk();
	clock = installFastClock(10);
	platform = await startPlatform({ sessions: ROWS, stations: ROWS, locations: ROWS, tariffs: ROWS, idGaps: 1 });
});
afterAll(async () => {
	clock.restore();
	await platform.close();
});

const isOfWaiting = ({ message }: RunResult['hints'][number]) => message.includes('Nothing was left out');

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
				const { fault, rows: change, ...behaviour } = merged(odd);
				fc.pre(!isBeyondProof({ fault, ...behaviour }, job));
				platform.reset();
				const { list } = job;
				platform.db.exec(`DELETE FROM ${list} WHERE Id NOT IN (SELECT Id FROM ${list} ORDER BY Id LIMIT ${rows})`);
				platform.db.exec(change ?? '');
				applyBehaviour(platform.behaviour, behaviour);
				platform.behaviour.locationsScope = 'locations:read';
				if (fault) platform.faults.add({ ...fault, match: { nth: 3 } });
				const { secret } = platform.createKey({ scopes: ALL_SCOPES });
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
				} else if (result.hints.every(isOfWaiting) && job.found(result) !== expectedOf(job)) {
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
