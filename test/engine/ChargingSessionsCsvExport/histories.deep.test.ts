import { parse } from 'csv-parse/sync';
import fc from 'fast-check';

import chunk from 'lodash/chunk';
import type { INodeExecutionData } from 'n8n-workflow';

import { defaultBehaviour } from '../../platform/behaviour.ts';
import { startPlatform, type Fault, type StandIn } from '../../platform/index.ts';
import {
	allIds,
	byIds,
	EXPORT_PATH,
	fileOf,
	keepFilesOnDisk,
	platformExport,
	runExport,
	storedFiles,
} from '../../support/export.ts';
import { draws, IS_DEEP } from '../../support/draws.ts';

const RUNS = draws(400);

let platform: StandIn;

beforeAll(async () => {
	await keepFilesOnDisk();
	platform = await startPlatform({ sessions: 300, stations: 5 });
});
afterAll(async () => await platform.close());

const csv = { 'content-type': 'text/csv' };
const faults: fc.Arbitrary<Fault> = fc.oneof(
	{ weight: 8, arbitrary: fc.constantFrom<Fault>({ kind: 'dropMidBody' }, { kind: 'drop' }, { kind: 'truncate' }) },
	{
		weight: 3,
		arbitrary: fc.constantFrom<Fault>(
			{ kind: 'status', status: 503 },
			{ kind: 'html', status: 502 },
			{ kind: 'status', status: 429, headers: { 'retry-after': '1' } },
			{ kind: 'drip', delayMs: 1 },
		),
	},
	{
		weight: 1,
		arbitrary: fc.constantFrom<Fault>(
			{ kind: 'html', status: 200 },
			{ kind: 'empty', headers: csv },
			{ kind: 'reply', body: 'Id,Other\r\n', headers: csv },
			{ kind: 'status', status: 413 },
		),
	},
);

const rarely = (value: fc.Arbitrary<number>) =>
	fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

const histories = fc.record({
	count: fc.integer({ min: 1, max: 60 }),
	sessionFields: fc.constantFrom('rich' as const, 'minimal' as const),
	sessionsPerFile: rarely(fc.integer({ min: 1, max: 30 })),
	idsPerRequest: fc.integer({ min: 1, max: 25 }),
	unknown: fc.array(fc.integer({ min: 900_000_000, max: 900_000_999 }), { maxLength: 3 }),
	csv: fc.record({
		bom: fc.boolean(),
		newline: fc.constantFrom('\r\n' as const, '\n' as const),
		finalNewline: fc.boolean(),
		delimiter: fc.constantFrom(',' as const, ';' as const),
		chunked: fc.boolean(),
		omitUnknownIds: fc.boolean(),
	}),
	silent: fc.record({
		order: fc.constantFrom('asked' as const, 'id' as const, 'random' as const),
		idColumn: fc.boolean(),
		maxIds: rarely(fc.integer({ min: 1, max: 20 })),
		maxRecords: rarely(fc.integer({ min: 1, max: 20 })),
		noneAboveIds: rarely(fc.integer({ min: 1, max: 20 })),
		leaveOutEvery: rarely(fc.integer({ min: 1, max: 20 })),
		leaveOutShare: fc.constantFrom(0, 0, 0, 0.01, 0.3, 1),
		doubleShare: fc.constantFrom(0, 0, 0, 0.05, 1),
		noneShare: fc.constantFrom(0, 0, 0, 0.2),
		seed: fc.nat(),
	}),
	faults: fc.array(fc.record({ nth: fc.integer({ min: 1, max: 8 }), fault: faults }), { maxLength: 5 }),
});

/** The header of a file, then its records, sorted. */
function recordsOf(file: Buffer, delimiter: string): string[] {
	const [header = [], ...records]: string[][] = parse(file, { bom: true, delimiter });
	return [header.join('|'), ...records.map((record) => record.join('|')).sort()];
}

test('whatever breaks, each session is in a file or named with a reason, or the export fails with a reason and no file', async () => {
	const seen = { complete: 0, lacking: 0, refused: 0 };
	await fc.assert(
		fc.asyncProperty(histories, async (history) => {
			const { count, idsPerRequest, sessionsPerFile, silent } = history;
			platform.reset();
			Object.assign(platform.behaviour, { sessionFields: history.sessionFields });
			Object.assign(platform.behaviour.csv, history.csv, { idColumn: silent.idColumn, omitUnknownIds: true });
			const ids = [...new Set([...history.unknown, ...allIds(platform).slice(0, count)])];
			const whole = async (some: readonly number[]) => {
				const { csv } = platform.behaviour;
				platform.behaviour.csv = { ...defaultBehaviour().csv, ...history.csv, idColumn: silent.idColumn };
				const file = await platformExport(platform, some).finally(() => (platform.behaviour.csv = csv));
				return recordsOf(file, history.csv.delimiter);
			};
			Object.assign(platform.behaviour.csv, history.csv, silent);
			for (const { nth, fault } of history.faults) {
				// If records come twice, half an answer may look complete.
				if (fault.kind === 'truncate' && silent.doubleShare > 0) continue;
				platform.faults.add({ ...fault, match: { path: EXPORT_PATH, nth } });
			}
			const before = storedFiles();
			const options = { idsPerRequest, ...(sessionsPerFile !== undefined && { sessionsPerFile }) };
			const { status, items, error } = await runExport(platform, byIds(ids.join(','), options));
			if (status !== 'success') {
				seen.refused++;
				expect(status).toBe('error');
				expect(error?.message.length).toBeGreaterThan(20);
				expect(error?.description?.length).toBeGreaterThan(20);
				expect(items).toHaveLength(0);
				if (sessionsPerFile === undefined) expect(storedFiles()).toEqual(before);
				return;
			}
			if (items.length === 0) return expect(ids.filter((id) => id < 900_000_000)).toEqual([]);
			platform.faults.clear();
			const groups = chunk(ids, sessionsPerFile ?? ids.length);
			expect(items).toHaveLength(groups.length);
			for (const [index, group] of groups.entries()) {
				const { json } = items[index] as INodeExecutionData;
				const missing = new Set(json.missingIds as number[]);
				const inFile = group.filter((id) => !missing.has(id));
				const reasons = json.missingReasons as Record<string, number[]>;
				expect(json).toMatchObject({ requestedCount: group.length, sessionCount: inFile.length });
				expect(Object.values(reasons).flat().sort()).toEqual([...missing].sort());
				expect(reasons.notFound).toEqual(group.filter((id) => id >= 900_000_000));
				const records = recordsOf(await fileOf(items[index]), history.csv.delimiter);
				const expected = await whole(inFile);
				// An answer cut off in its first line twice looks like one without records.
				if (inFile.length === 0) expect(records).toHaveLength(1);
				// Without an Id column, duplicate records cannot be told from sessions that look alike.
				else if (silent.idColumn) expect(records).toEqual(expected);
				else expect(new Set(records)).toEqual(new Set(expected));
				if (Object.values(reasons).flat().length > (reasons.notFound ?? []).length) seen.lacking++;
				else seen.complete++;
			}
		}),
		{ numRuns: RUNS },
	);
	expect(seen.complete).toBeGreaterThan(0);
	if (IS_DEEP) {
		expect(seen.lacking).toBeGreaterThan(0);
		expect(seen.refused).toBeGreaterThan(0);
	}
}, 1_800_000);
