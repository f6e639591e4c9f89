import fc from 'fast-check';

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

const RUNS = process.env.DEEP ? 200 : 12;

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
			{ kind: 'reply', body: 'Id,Other\r\n1,2\r\n', headers: csv },
			{ kind: 'status', status: 413 },
		),
	},
);

const histories = fc.record({
	count: fc.integer({ min: 1, max: 60 }),
	idsPerRequest: fc.integer({ min: 1, max: 25 }),
	unknown: fc.array(fc.integer({ min: 900_000_000, max: 900_000_999 }), { maxLength: 3 }),
	csv: fc.record({
		bom: fc.boolean(),
		newline: fc.constantFrom('\r\n' as const, '\n' as const),
		finalNewline: fc.boolean(),
		delimiter: fc.constantFrom(',' as const, ';' as const),
		chunked: fc.boolean(),
	}),
	faults: fc.array(fc.record({ nth: fc.integer({ min: 1, max: 8 }), fault: faults }), { maxLength: 5 }),
});

test('whatever breaks while the parts arrive: the file is complete and equal, or there is a reason and no file', async () => {
	let complete = 0;
	let refused = 0;
	await fc.assert(
		fc.asyncProperty(histories, async (history) => {
			platform.reset();
			Object.assign(platform.behaviour.csv, history.csv);
			const ids = [...history.unknown, ...allIds(platform).slice(0, history.count)];
			const single = await platformExport(platform, ids);
			for (const { nth, fault } of history.faults) platform.faults.add({ ...fault, match: { path: EXPORT_PATH, nth } });
			const before = storedFiles();
			const { status, items, error } = await runExport(
				platform,
				byIds(ids.join(','), { idsPerRequest: history.idsPerRequest }),
			);
			if (status === 'success') {
				complete++;
				expect((await fileOf(items[0])).toString()).toBe(single.toString());
				expect(items[0]?.json).toMatchObject({ sessionCount: history.count, requestedCount: new Set(ids).size });
			} else {
				refused++;
				expect(status).toBe('error');
				expect(error?.message.length).toBeGreaterThan(20);
				expect(error?.description?.length).toBeGreaterThan(20);
				expect(items).toHaveLength(0);
				expect(storedFiles()).toEqual(before);
			}
		}),
		{ numRuns: RUNS },
	);
	expect(complete).toBeGreaterThan(0);
	if (process.env.DEEP) expect(refused).toBeGreaterThan(0);
}, 1_800_000);
