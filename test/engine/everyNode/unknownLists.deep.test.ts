/**
 * On random platforms, every node that reads a list gives every row once, or says clearly what it cannot do, or has a
 * hint that says how many rows came and how many the platform counts. The number of requests is limited, too.
 */
import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import type { ListName, StandIn } from '../../platform/index.ts';
import { startPlatform } from '../../platform/index.ts';
import { become, unknownPlatform, type Drawn, type UnknownPlatform, type Unrest } from '../../platform/unknown.ts';
import { keepFilesOnDisk } from '../../support/export.ts';
import { credentialFor, runNode, type RunResult } from '../../support/harness.ts';
import { draws } from '../../support/draws.ts';

const DRAWS = draws(300);
const ROWS = 230;
const PAGE = 25;

let platform: StandIn;
beforeAll(async () => {
	await keepFilesOnDisk();
	platform = await startPlatform({ sessions: ROWS, stations: ROWS, locations: ROWS, tariffs: ROWS, idGaps: 1 });
});
afterAll(async () => await platform.close());

const TARIFFS = { __rl: true, mode: 'path', value: '/api/tariffs/v1' };

interface Job {
	list: ListName;
	type: string;
	parameters: INodeParameters;
	drawn?: Partial<Drawn>;
	/** The least share of platforms on which the run must not be refused; one half by default. */
	least?: number;
	/** Checks the result of a run that was not refused. */
	judge: (result: RunResult, unrest: Unrest, unknown: UnknownPlatform) => void;
}

/** An order that changes with each request may show only after many requests that bring nothing new. */
const isShuffled = ({ behaviour: { naturalOrder, lists } }: UnknownPlatform) =>
	naturalOrder === 'random' && lists.listensTo?.sort === false;
const MOST_WITHOUT_PROGRESS = 60;

const hintText = ({ hints }: RunResult) => hints.map(({ message }) => message).join(' ');

/** Every steady row once, or a hint with both figures. */
function everyRowOnce(result: RunResult, unrest: Unrest): void {
	const marks = result.json.map((row) => unrest.markOf(row));
	const returned = new Set(marks);
	expect(marks.length - returned.size).toBe(0);
	if (unrest.steady().some((mark) => !returned.has(mark))) {
		expect(hintText(result)).toMatch(new RegExp(`sent ${marks.length} [a-z" ]+ but counts \\d+`));
	}
}

/** The count is not too small, unless a hint says so. */
function everyRowCounted(count: unknown, result: RunResult, unrest: Unrest, hint: RegExp): void {
	if (Number(count) < unrest.steady().length) expect(hintText(result)).toMatch(hint);
}

/** It is the platform's own figure: right, if the platform counts right. */
function countedExactly(result: RunResult, unrest: Unrest, { unrest: changes, behaviour }: UnknownPlatform): void {
	if (behaviour.lists.count !== 'exact') return;
	const count = Number(result.json[0]?.count);
	expect(count).toBeGreaterThanOrEqual(unrest.steady().length);
	if (changes === 0) expect(count).toBe(unrest.count());
}

const JOBS: Record<string, Job> = {
	'Charging Sessions, Get Many': {
		list: 'sessions',
		type: 'chargingSessions',
		parameters: { operation: 'getAll', returnAll: true },
		judge: everyRowOnce,
	},
	'Charging Sessions, Get Many in another order': {
		list: 'sessions',
		type: 'chargingSessions',
		parameters: {
			operation: 'getAll',
			returnAll: true,
			sort: { by: [{ field: 'EnergyConsumed', direction: 'Desc' }] },
		},
		judge: everyRowOnce,
	},
	'Charging Sessions, Summarize': {
		list: 'sessions',
		type: 'chargingSessions',
		parameters: { operation: 'summary' },
		judge: (result, unrest, { unrest: changes }) => {
			const count = Number(result.json[0]?.count);
			everyRowCounted(count, result, unrest, /sent \d+ charging sessions but counts \d+/);
			if (changes === 0) expect(count).toBeLessThanOrEqual(unrest.count());
		},
	},
	'Charging Sessions, Count': {
		list: 'sessions',
		type: 'chargingSessions',
		parameters: { operation: 'count' },
		judge: countedExactly,
	},
	'Charging Stations, Get Many': {
		list: 'stations',
		type: 'chargingStations',
		parameters: { operation: 'getAll', returnAll: true },
		judge: everyRowOnce,
	},
	'Charging Locations, Get Many': {
		list: 'locations',
		type: 'chargingLocations',
		parameters: { operation: 'getAll', returnAll: true },
		judge: everyRowOnce,
	},
	'Charging Network List, Get Many': {
		list: 'tariffs',
		type: 'chargingNetworkList',
		parameters: { operation: 'getAll', returnAll: true, list: TARIFFS },
		judge: everyRowOnce,
	},
	'Charging Network List, Get Many in another order': {
		list: 'tariffs',
		type: 'chargingNetworkList',
		parameters: {
			operation: 'getAll',
			returnAll: true,
			list: TARIFFS,
			sort: { by: [{ field: 'PricePerKwh', direction: 'Desc' }] },
		},
		judge: everyRowOnce,
	},
	'Charging Network List, Summarize': {
		list: 'tariffs',
		type: 'chargingNetworkList',
		parameters: { operation: 'summary', list: TARIFFS },
		judge: (result, unrest, { unrest: changes }) => {
			const count = Number(result.json[0]?.count);
			everyRowCounted(count, result, unrest, /sent \d+ rows of "tariffs" but counts \d+/);
			if (changes === 0) expect(count).toBeLessThanOrEqual(unrest.count());
		},
	},
	'Charging Network List, Count': {
		list: 'tariffs',
		type: 'chargingNetworkList',
		parameters: { operation: 'count', list: TARIFFS },
		judge: countedExactly,
		least: 1 / 4,
	},
	'Charging Sessions CSV Export': {
		list: 'sessions',
		type: 'chargingSessionsCsvExport',
		parameters: { operation: 'exportByFilter', filters: { status: [{ operator: 'Neq', value: '99' }] }, logic: 'And' },
		drawn: { oddIds: false },
		judge: (result, unrest) =>
			everyRowCounted(result.json[0]?.requestedCount, result, unrest, /sent \d+ charging sessions but counts \d+/),
	},
};

describe.each(Object.entries(JOBS))('%s', (_, job) => {
	const { list, type, parameters, drawn, least = 1 / 2 } = job;
	it(`returns every row, or says what it cannot do, on ${DRAWS} random platforms`, async () => {
		let given = 0;
		await fc.assert(
			fc.asyncProperty(
				unknownPlatform(drawn),
				fc.constantFrom(ROWS, 101, 26, 25, 3, 1),
				fc.constantFrom(1, 4, 8),
				async (unknown, rows, parallel) => {
					const unrest = become(platform, unknown, list, rows);
					platform.behaviour.locations.acceptsKeys = true;
					if (list === 'locations' && unknown.seed % 3 === 0) {
						platform.behaviour.locations.shape = 'array';
						// Without a count, an empty answer, or one with always the same few rows, cannot be noticed.
						platform.behaviour.lists.emptyAnswers = 0;
						platform.behaviour.takeClamp = undefined;
					}
					const { secret } = platform.createKey({ scopes: READ_SCOPES });
					const options: INodeParameters = { ...(parameters.options as INodeParameters) };
					if (parameters.operation !== 'count') Object.assign(options, { pageSize: PAGE, parallelRequests: parallel });
					const result = await runNode({
						type,
						credential: { ...credentialFor(platform), apiKey: secret },
						parameters: { ...parameters, options },
					});
					const asked = platform.requests.filter(({ method }) => method === 'GET').length;
					const page = Math.min(PAGE, unknown.behaviour.takeClamp ?? PAGE);
					// Read by Id and, if that cannot be walked, by position. A changing list may take twice as many.
					const usual = 2 * (Math.ceil((rows + unrest.came()) / (page - 1)) + 3 * parallel) + 3;
					expect(asked).toBeLessThanOrEqual(usual + (isShuffled(unknown) ? MOST_WITHOUT_PROGRESS : 0));
					if (result.error) {
						expect(['NodeApiError', 'NodeOperationError']).toContain(result.error.name);
						expect(result.error.description).not.toBe('');
						return;
					}
					given++;
					job.judge(result, unrest, unknown);
				},
			),
			{ numRuns: DRAWS },
		);
		// Enough platforms can be read.
		expect(given).toBeGreaterThan(DRAWS * least);
	}, 900_000);
});

const READ_SCOPES = ['charging-sessions:read', 'charging-stations:read', 'locations:read', 'tariffs:read'];
