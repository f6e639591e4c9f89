import fc from 'fast-check';

import chunk from 'lodash/chunk';
import uniq from 'lodash/uniq';
import type { INodeExecutionData } from 'n8n-workflow';

import type { Fault, StandIn } from '../../platform/index.ts';
import {
	allIds,
	byIds,
	EXPORT_PATH,
	exportTests,
	fileOf,
	single,
	runExport,
	storedFiles,
} from '../../support/export.ts';
import { SPECIFIED_FIELDS } from '../../platform/tables.ts';
import { draws, randomFrom } from '../../support/draws.ts';

let platform: StandIn;
exportTests({ sessions: 300, stations: 5 }, (started) => {
	platform = started;
});

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
			{ kind: 'reply', headers: csv },
			{ kind: 'reply', body: 'Id,Other\r\n', headers: csv },
			{ kind: 'status', status: 413 },
		),
	},
);

const rarely = (value: fc.Arbitrary<number>) =>
	fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

const histories = (mostFaults: number) =>
	fc.record({
		count: fc.integer({ min: 1, max: 60 }),
		fields: fc.constantFrom(undefined, SPECIFIED_FIELDS),
		sessionsPerFile: rarely(fc.integer({ min: 1, max: 30 })),
		idsPerRequest: fc.integer({ min: 1, max: 25 }),
		unknown: fc.array(fc.integer({ min: 900_000_000, max: 900_000_999 }), { maxLength: 3 }),
		csv: fc.record({
			bom: fc.boolean(),
			newline: fc.constantFrom('\r\n' as const, '\n' as const),
			finalNewline: fc.boolean(),
			delimiter: fc.constantFrom(',' as const, ';' as const),
		}),
		silent: fc.record({
			order: fc.constantFrom('asked', 'random'),
			foreignShare: fc.constantFrom(0, 0, 0.1, 1),
			idColumn: fc.constantFrom('Id', 'Vorgangsnummer', undefined),
			maxRecords: rarely(fc.integer({ min: 1, max: 20 })),
			noneAboveIds: rarely(fc.integer({ min: 1, max: 20 })),
			leaveOutEvery: rarely(fc.integer({ min: 1, max: 20 })),
			leaveOutShare: fc.constantFrom(0, 0, 0, 0.01, 0.3, 1),
			doubleShare: fc.constantFrom(0, 0, 0, 0.05, 1),
			seed: fc.nat(),
		}),
		faults: fc.array(fc.record({ nth: fc.integer({ min: 1, max: 8 }), fault: faults }), { maxLength: mostFaults }),
	});
type History = ReturnType<typeof histories> extends fc.Arbitrary<infer Drawn> ? Drawn : never;

const isKnown = (id: number) => id < 900_000_000;
const shuffled = (ids: number[]) => ids.sort((a, b) => ((a * 7919) % 1009) - ((b * 7919) % 1009));

/** The records that the platform sends of those it is asked for, and some of the first twenty sessions, which it is not. */
function spoiled({ silent }: History): (ids: number[]) => number[] {
	const random = randomFrom(silent.seed);
	const { noneAboveIds = Infinity, leaveOutEvery = Infinity, maxRecords } = silent;
	return (ids) => {
		if (ids.length > noneAboveIds) return [];
		const sent = ids
			.filter((id) => id % leaveOutEvery !== 0 && random() >= silent.leaveOutShare)
			.flatMap((id) => (random() < silent.doubleShare ? [id, id] : [id]))
			.slice(0, maxRecords);
		const ordered = silent.order === 'random' ? shuffled(sent) : sent;
		return ordered.flatMap((id) => (random() < silent.foreignShare ? [id, 1 + Math.floor(random() * 20)] : [id]));
	};
}

const linesOf = (file: string) => file.split(/\r\n|\n/);

/** A file as text, without its last line end: whether there is one is the platform's affair. */
const textOf = (file: string) => file.replace(/\uFEFF/, '').replace(/\r?\n$/, '');

/** The file of a platform that does what it is asked. */
async function honest(ids: readonly number[]): Promise<string> {
	const { exported } = platform;
	platform.exported = undefined;
	return textOf(await single(platform, ids).finally(() => (platform.exported = exported)));
}

/** Checks a file, and what its item says of the sessions that were asked for it. */
async function checkFile(
	{ silent, faults: met }: History,
	group: readonly number[],
	item: INodeExecutionData,
	notes: string,
) {
	const { foreignShare, doubleShare, idColumn, leaveOutShare, leaveOutEvery, noneAboveIds } = silent;
	const { json } = item;
	const missing = new Set(json.missingIds as number[]);
	const inFile = group.filter((id) => !missing.has(id));
	const reasons = json.missingReasons as Record<string, number[]>;
	expect(json).toMatchObject({ requestedCount: group.length, sessionCount: inFile.length });
	expect(Object.values(reasons).flat().sort()).toEqual([...missing].sort());
	const file = textOf((await fileOf(item)).toString());
	const isTruncated = met.some(({ fault }) => fault.kind === 'truncate');
	const addsRecords = foreignShare > 0;
	const lacksRecords = leaveOutShare > 0 || leaveOutEvery !== undefined || noneAboveIds !== undefined;
	// Records that come instead of all sessions of the first part cannot be told from theirs.
	const isHidden = addsRecords && lacksRecords && json.identityChecked === false;
	if (idColumn !== undefined && !isHidden) {
		expect(reasons.notFound).toEqual(group.filter((id) => !isKnown(id)));
		// An answer cut off in its header looks like one without records. With more records than were asked for, it
		// may be cut off in the last cell of the last session, which shows only where lines have an end.
		const isSure = inFile.length > 0 && !(isTruncated && (addsRecords || doubleShare > 0));
		const once = (text: string) => (doubleShare > 0 ? uniq(linesOf(text)) : text);
		if (isSure) expect(once(file)).toEqual(once(await honest(inFile)));
		expect(json.identityChecked).toBe(true);
		if (!addsRecords) expect(json.foreignCount).toBe(0);
	} else if (isHidden || inFile.length > 0) {
		// Nothing shows whose records these are, and the item and a hint say so.
		expect(json.identityChecked).toBe(false);
		expect(notes).toContain('could not be checked');
	}
	if (idColumn === undefined && !addsRecords && !isTruncated) {
		// All that came is in the file, and where it is less than was asked for, that is said.
		const possible = linesOf(await honest(group.filter(isKnown)));
		expect(possible).toEqual(expect.arrayContaining(linesOf(file)));
		const isAll = inFile.length + (reasons.notFound ?? []).length === group.length;
		if (isAll && doubleShare === 0) expect(new Set(linesOf(file))).toEqual(new Set(possible));
	}
}

// Faults are rarer than everything else that is drawn, as each costs the wait before the next try.
test.each([
	['whatever the platform sends', 0, draws()],
	['whatever breaks', 2, draws(200)],
])(
	'%s, a file has exactly the sessions asked for, in order, or its item says what not; or the export fails with a reason and no file',
	async (_, mostFaults, numRuns) => {
		await fc.assert(
			fc.asyncProperty(histories(mostFaults), async (history) => {
				const { idsPerRequest, sessionsPerFile, silent } = history;
				platform.reset();
				platform.behaviour.fields = history.fields;
				Object.assign(platform.behaviour.csv, history.csv, { idColumn: silent.idColumn });
				platform.exported = spoiled(history);
				for (const { nth, fault } of history.faults) {
					platform.faults.add({ ...fault, match: { path: EXPORT_PATH, nth } });
				}
				const before = storedFiles();
				const ids = shuffled([...uniq(history.unknown), ...allIds(platform).slice(20, 20 + history.count)]);
				const options = {
					idsPerRequest,
					...(sessionsPerFile !== undefined && { sessionsPerFile }),
					...(silent.idColumn === 'Vorgangsnummer' && { sessionIdColumn: silent.idColumn }),
				};
				const { status, items, notes, error } = await runExport(platform, byIds(ids.join(','), options));
				if (status !== 'success') {
					expect([status, items]).toEqual(['error', []]);
					expect(error?.message.length).toBeGreaterThan(20);
					expect(error?.description?.length).toBeGreaterThan(20);
					if (sessionsPerFile === undefined) expect(storedFiles()).toEqual(before);
					return;
				}
				if (items.length === 0) return expect(ids.filter(isKnown)).toEqual([]);
				platform.faults.clear();
				const groups = chunk(ids, sessionsPerFile ?? ids.length);
				expect(items).toHaveLength(groups.length);
				for (const [index, item] of items.entries()) await checkFile(history, groups[index] ?? [], item, notes);
			}),
			{ numRuns },
		);
	},
	1_800_000,
);
