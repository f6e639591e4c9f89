import type { CsvBehaviour, StandIn } from '../../platform/index.ts';
import { randomFrom } from '../../support/draws.ts';
import {
	allIds,
	byIds,
	EXPORT_PATH,
	exportRequests,
	exportTests,
	fileOf,
	honestExport,
	idsSent,
	isUnknown,
	listRequests,
	platformExport,
	runExport,
	spoilExports,
} from '../../support/export.ts';

let platform: StandIn;
exportTests({ sessions: 1200, stations: 5 }, (started) => (platform = started));

const NONE_MISSING = { notFound: [], leftOut: [], notConfirmed: [] };

const honest = async (ids: readonly number[], csv?: Partial<CsvBehaviour>) => await honestExport(platform, ids, csv);

const linesOf = (file: string) => file.split('\r\n');

describe('an export that silently sends fewer records than requested', () => {
	const random = randomFrom(1);

	test.each<[string, StandIn['exported'], number]>([
		['at most 100 records in an answer', (ids) => ids.slice(0, 100), 1000],
		['no record where more than 200 ids are asked for', (ids) => (ids.length > 200 ? [] : ids), 1000],
		['every answer lacks some at random', (ids) => ids.filter(() => random() > 0.1), 600],
	])('%s: the file is complete', async (_, exported, count) => {
		const ids = allIds(platform).slice(0, count);
		const whole = await honest(ids);
		platform.exported = exported;
		const { items, hints, error } = await runExport(platform, byIds(ids.join(',')));
		expect(error).toBeUndefined();
		expect((await fileOf(items[0])).toString()).toBe(whole);
		expect(items[0]?.json).toMatchObject({
			sessionCount: count,
			missingCount: 0,
			missingIds: [],
			missingReasons: NONE_MISSING,
		});
		expect(hints).toEqual([]);
		expect(items[0]?.json.identityChecked).toBe(true);
		expect(exportRequests(platform).length).toBeLessThanOrEqual(2 * (1 + 64));
	});

	test('a record that comes twice does not stand in for one that is missing', async () => {
		const ids = allIds(platform).slice(0, 600);
		const whole = linesOf(await honest(ids));
		platform.exported = (some) =>
			some.filter(() => random() > 0.02).flatMap((id) => (random() > 0.02 ? [id] : [id, id]));
		const { items } = await runExport(platform, byIds(ids.join(',')));
		const file = linesOf((await fileOf(items[0])).toString());
		expect([...new Set(file)]).toEqual([...new Set(whole)]);
		expect(file.length).toBeGreaterThan(whole.length);
		expect(items[0]?.json).toMatchObject({ sessionCount: 600, missingCount: 0 });
	});

	test('sessions that are never in the CSV: each is named, at the cost of a few requests', async () => {
		const ids = allIds(platform).slice(0, 1000);
		const leftOut = ids.filter((id) => id % 2 === 0);
		const rest = ids.filter((id) => id % 2 !== 0);
		const whole = await honest(rest);
		platform.exported = (some) => some.filter((id) => id % 2 !== 0);
		const { items, hints } = await runExport(platform, byIds(ids.join(',')));
		expect((await fileOf(items[0])).toString()).toBe(whole);
		expect(items[0]?.json).toMatchObject({
			sessionCount: rest.length,
			requestedCount: 1000,
			missingCount: leftOut.length,
			missingIds: leftOut,
			missingReasons: { ...NONE_MISSING, leftOut },
		});
		expect(hints.map(({ message }) => message).join()).toContain('leaves them out of its CSV');
		expect(exportRequests(platform).length).toBeLessThanOrEqual(2 * 4);
		expect(listRequests(platform).length).toBeLessThanOrEqual(2 * 4);
	});

	test('sessions left out of a CSV without an Id column: all that came is in the file, and a hint says that some lack', async () => {
		const ids = allIds(platform).slice(0, 500);
		const rest = ids.filter((id) => id % 20 !== 0);
		const whole = await honest(rest, { idColumn: undefined });
		platform.behaviour.csv.idColumn = undefined;
		platform.exported = (some) => some.filter((id) => id % 20 !== 0);
		const { items, hints } = await runExport(platform, byIds(ids.join(',')));
		expect((await fileOf(items[0])).toString()).toBe(whole);
		expect(items[0]?.json).toMatchObject({
			rowCount: 475,
			missingReasons: { ...NONE_MISSING, notConfirmed: ids },
			identityChecked: false,
		});
		expect(hints.map(({ message }) => message).join()).toContain('Of 500 sessions, some are not in the file');
		expect(exportRequests(platform)).toHaveLength(1);

		// One by one, it is clear which.
		const again = await runExport(platform, byIds(ids.slice(0, 40).join(','), { idsPerRequest: 1 }));
		expect(again.items[0]?.json.missingIds).toEqual(ids.slice(0, 40).filter((id) => id % 20 === 0));
	});

	test('two sessions with equal records are both in the file', async () => {
		const [a, b] = allIds(platform) as [number, number];
		platform.db.exec(
			`UPDATE sessions SET (Status, EnergyConsumed, StartedAtUtc) = (6, 0, '2026-11-01T00:00:00') WHERE Id IN (${a}, ${b})`,
		);
		platform.behaviour.sessionFields = 'minimal';
		platform.behaviour.csv.idColumn = undefined;
		const { items } = await runExport(platform, byIds(`${a}, ${b}`));
		expect((await fileOf(items[0])).equals(await platformExport(platform, [a, b]))).toBe(true);
		expect(items[0]?.json).toMatchObject({ sessionCount: 2, missingIds: [] });
	});

	test('sessions that do not exist are counted apart from sessions that are left out', async () => {
		const ids = [900_000_001, ...allIds(platform).slice(0, 40), 900_000_002];
		const leftOut = ids.filter((id) => id % 10 === 0);
		platform.exported = (some) => some.filter((id) => id % 10 !== 0);
		const { items } = await runExport(platform, byIds(ids.join(',')));
		expect(items[0]?.json).toMatchObject({
			missingIds: ids.filter((id) => id > 900_000_000 || id % 10 === 0),
			missingReasons: { notFound: [900_000_001, 900_000_002], leftOut, notConfirmed: [] },
		});
	});

	test('a platform that refuses when none of the sessions is in its CSV does not fail the export', async () => {
		const ids = allIds(platform).slice(0, 30);
		const leftOut = ids.filter((id) => id % 10 === 0);
		platform.exported = (some) => some.filter((id) => id % 10 !== 0);
		spoilExports(platform, { kind: 'status', status: 404 }, (some) => some.every((id) => id % 10 === 0));
		const { items, error } = await runExport(platform, byIds(ids.join(',')));
		expect(error).toBeUndefined();
		expect(items[0]?.json).toMatchObject({ sessionCount: 27, missingReasons: { ...NONE_MISSING, leftOut } });
	});
});

describe('several files', () => {
	test.each([true, false])(
		'sessions without a record are named with their file (a CSV comes anyway: %s)',
		async (omits) => {
			if (!omits) spoilExports(platform, { kind: 'status', status: 404 }, (some) => some.some(isUnknown));
			const [a, b] = allIds(platform) as [number, number];
			const ids = [900_000_001, 900_000_002, a, b, 900_000_003, 900_000_004];
			const { items } = await runExport(platform, byIds(ids.join(','), { sessionsPerFile: 2 }));
			expect(items.map(({ json }) => [json.fileNumber, json.sessionCount, json.missingIds])).toEqual([
				[1, 0, [900_000_001, 900_000_002]],
				[2, 2, []],
				[3, 0, [900_000_003, 900_000_004]],
			]);
			const files = await Promise.all(items.map(async (item) => (await fileOf(item)).toString()));
			expect(files[1]).toBe(await honest([a, b]));
			expect(files[0]).toBe(await honest([]));
			expect(files[2]).toBe(files[0]);
		},
	);
});

describe('equal lines of one answer are all kept', () => {
	test('two parking fees of one session, next to a session that is asked for again', async () => {
		const [a, b] = allIds(platform) as [number, number];
		const headers = { 'content-type': 'text/csv' };
		const [fees, other] = [`${a},Parking,1.00\r\n${a},Parking,1.00\r\n`, `${b},Parking,2.00\r\n`];
		const body = `Id,Article,Price\r\n${fees}`;
		platform.faults.add({ kind: 'reply', body, headers, match: { path: EXPORT_PATH, nth: 1 } });
		// The second answer has what the first had already: that is not in the file twice.
		platform.faults.add({ kind: 'reply', body: body + other, headers, match: { path: EXPORT_PATH, nth: 2 } });
		const { items } = await runExport(platform, byIds(`${a},${b}`));
		expect((await fileOf(items[0])).toString()).toBe(body + other);
		expect(items[0]?.json).toMatchObject({ sessionCount: 2, missingCount: 0, rowCount: 3 });
		expect(idsSent(platform)).toEqual([[a, b], [b]]);
	});

	test.each(['Id', undefined])('of each session, with a column for the session: %s', async (idColumn) => {
		const ids = allIds(platform).slice(0, 100);
		platform.behaviour.csv.idColumn = idColumn;
		platform.exported = (some) => some.flatMap((id) => [id, id]);
		const whole = (await platformExport(platform, ids)).toString();
		const { items, hints } = await runExport(platform, byIds(ids.join(',')));
		expect((await fileOf(items[0])).toString()).toBe(whole);
		expect(items[0]?.json).toMatchObject({ sessionCount: 100, missingCount: 0, rowCount: 200 });
		expect(hints.map(({ message }) => message).join()).toContain('100 more records than sessions');
	});
});

test('formulas stay as sent, or are made harmless for spreadsheets if chosen', async () => {
	const [id] = allIds(platform) as [number];
	platform.db.exec(
		`UPDATE sessions SET UserName = '=cmd|'' /C calc''!A0', Price = -4.5, Note = '+x, y' WHERE Id = ${id}`,
	);
	const asSent = await runExport(platform, byIds(String(id)));
	expect((await fileOf(asSent.items[0])).equals(await platformExport(platform, [id]))).toBe(true);
	const escaped = await runExport(platform, byIds(String(id), { escapeFormulas: true }));
	const text = (await fileOf(escaped.items[0])).toString();
	expect(text).toContain(`,'=cmd|' /C calc'!A0,-4.5,`);
	expect(text).toContain(`"'+x, y"`);
});
