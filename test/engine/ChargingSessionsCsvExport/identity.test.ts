import type { CsvBehaviour, StandIn } from '../../platform/index.ts';
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
	storedFiles,
} from '../../support/export.ts';
import { randomFrom } from '../../support/draws.ts';

// Which records belong to the sessions asked for, whatever a platform sends, and what the item says of those that lack.

let platform: StandIn;
exportTests({ sessions: 2_000, stations: 5 }, (started) => (platform = started));

const NONE_MISSING = { notFound: [], leftOut: [], notConfirmed: [] };

const honest = async (ids: readonly number[], csv?: Partial<CsvBehaviour>) => await honestExport(platform, ids, csv);
const linesOf = (file: string) => file.split('\r\n');

/** Sessions asked for, neither the first nor in the order of their Ids. */
const someIds = (count: number) =>
	allIds(platform)
		.slice(900, 900 + count)
		.reverse();

// What a platform may do with the records of the sessions that it is asked for.
type Records = (ids: number[]) => number[];
const random = randomFrom(1);
const byId: Records = (ids) => ids.sort((a, b) => a - b);
const shuffled: Records = (ids) => ids.sort((a, b) => ((a * 7919) % 1009) - ((b * 7919) % 1009));
const without =
	(every: number): Records =>
	(ids) =>
		ids.filter((id) => id % every !== 0);
const lacking =
	(share: number): Records =>
	(ids) =>
		ids.filter(() => random() > share);
/** Each tenth record comes with one of a session that was not asked for. */
const withForeign: Records = (ids) => ids.flatMap((id, place) => (place % 10 === 0 ? [id, id - 800] : [id]));
const twice: Records = (ids) => ids.flatMap((id) => [id, id]);

/** Answers each export request, or only one of them, with this file. */
const answer = (body: string | Buffer, nth?: number) =>
	platform.faults.add({
		...{ kind: 'reply', body, headers: { 'content-type': 'text/csv' } },
		...(nth === undefined ? { times: Infinity, match: { path: EXPORT_PATH } } : { match: { path: EXPORT_PATH, nth } }),
	});

const run = async (ids: readonly number[], options = {}) => {
	const result = await runExport(platform, byIds(ids.join(','), options));
	const [item] = result.items;
	const notes = result.hints.map(({ message }) => message).join(' ');
	return { ...result, item, json: item?.json, notes, file: item?.binary ? (await fileOf(item)).toString() : '' };
};

describe('a column names the sessions', () => {
	test.each<[string, Records, Partial<CsvBehaviour>]>([
		['in the order of their Ids', byId, {}],
		['in any order, without a last line end', shuffled, { finalNewline: false }],
	])('records sent %s are in the order asked for', async (_, order, csv) => {
		const ids = someIds(60);
		const whole = await honest(ids, csv);
		Object.assign(platform.behaviour.csv, csv);
		platform.exported = order;
		const { file, json, notes } = await run(ids, { idsPerRequest: 25 });
		expect(file).toBe(whole);
		expect(json).toMatchObject({ sessionCount: 60, foreignCount: 0, identityChecked: true });
		expect(notes).toBe('');
	});

	test.each<[string, Records]>([
		['at most 100 records in an answer', (ids) => ids.slice(0, 100)],
		['no record where more than 200 Ids are asked for', (ids) => (ids.length > 200 ? [] : ids)],
		['every answer lacks some at random', lacking(0.1)],
	])('%s: what is missing is asked for again, and the file is complete', async (_, records) => {
		const ids = someIds(700);
		const whole = await honest(ids);
		platform.exported = records;
		const { file, json, notes } = await run(ids);
		expect(file).toBe(whole);
		expect(json).toMatchObject({ sessionCount: 700, missingIds: [], missingReasons: NONE_MISSING });
		expect(notes).toBe('');
		expect(exportRequests(platform).length).toBeLessThanOrEqual(2 * (1 + 64));
	});

	test('sessions that are never in the CSV are each named, at the cost of a few requests', async () => {
		const ids = someIds(1000);
		const leftOut = ids.filter((id) => id % 2 === 0);
		const rest = ids.filter((id) => id % 2 !== 0);
		const whole = await honest(rest);
		platform.exported = without(2);
		const { file, json, notes } = await run(ids);
		expect(file).toBe(whole);
		expect(json).toMatchObject({
			...{ sessionCount: rest.length, requestedCount: 1000, missingCount: leftOut.length, missingIds: leftOut },
			missingReasons: { ...NONE_MISSING, leftOut },
		});
		expect(notes).toContain('leaves them out of its CSV');
		expect(exportRequests(platform).length).toBeLessThanOrEqual(2 * 4);
		expect(listRequests(platform).length).toBeLessThanOrEqual(2 * 4);
	});

	test('all of them in the list, but in no CSV: a file without records, and its item names them', async () => {
		const ids = someIds(2);
		const empty = await honest([]);
		platform.exported = () => [];
		const { file, json } = await run(ids);
		expect(file).toBe(empty);
		expect(json).toMatchObject({ rowCount: 0, missingReasons: { leftOut: ids } });
	});

	test('records of other sessions do not stand in for one that is left out, and are counted', async () => {
		const ids = someIds(40);
		const inFile = ids.filter((id) => id % 23 !== 0);
		expect(inFile.length).toBeLessThan(40);
		const whole = await honest(inFile);
		platform.exported = (some) => withForeign(without(23)(some));
		const { file, json, notes } = await run(ids);
		expect(file).toBe(whole);
		expect(json?.missingIds).toEqual(ids.filter((id) => id % 23 === 0));
		expect(json).toMatchObject({ sessionCount: inFile.length, identityChecked: true });
		expect(json?.foreignCount).toBeGreaterThan(0);
		expect(notes).toContain('records that belong to none of the sessions asked for');
	});

	test('a record that comes twice does not stand in for one that is missing', async () => {
		const ids = someIds(600);
		const whole = linesOf(await honest(ids));
		platform.exported = (some) => lacking(0.02)(some).flatMap((id) => (random() > 0.02 ? [id] : [id, id]));
		const { file, json } = await run(ids);
		expect([...new Set(linesOf(file))]).toEqual([...new Set(whole)]);
		expect(linesOf(file).length).toBeGreaterThan(whole.length);
		expect(json).toMatchObject({ sessionCount: 600, missingCount: 0 });
	});

	test('equal lines of one answer are all kept; what another answer has delivered already is not in the file twice', async () => {
		const [a, b] = someIds(2) as [number, number];
		const fees = `Id,Article,Price\r\n${a},Parking,1.00\r\n${a},Parking,1.00\r\n`;
		answer(fees, 1);
		answer(`${fees}${b},Parking,2.00\r\n`, 2);
		const { file, json } = await run([a, b]);
		expect(file).toBe(`${fees}${b},Parking,2.00\r\n`);
		expect(json).toMatchObject({ sessionCount: 2, missingCount: 0, rowCount: 3 });
		expect(idsSent(platform)).toEqual([[a, b], [b]]);
	});

	test.each([true, false])(
		'of several files, those without any record are there, too (a CSV comes anyway: %s)',
		async (omit) => {
			if (!omit) spoilExports(platform, { kind: 'status', status: 404 }, (some) => some.some(isUnknown));
			const [a, b] = someIds(2) as [number, number];
			const gone = [900_000_001, 900_000_002, 900_000_003, 900_000_004];
			const ids = [...gone.slice(0, 2), a, b, ...gone.slice(2)];
			const { items } = await run(ids, { sessionsPerFile: 2 });
			expect(items.map(({ json }) => [json.fileNumber, json.sessionCount, json.missingIds])).toEqual([
				[1, 0, gone.slice(0, 2)],
				[2, 2, []],
				[3, 0, gone.slice(2)],
			]);
			const files = await Promise.all(items.map(async (item) => (await fileOf(item)).toString()));
			expect(files).toEqual([await honest([]), await honest([a, b]), await honest([])]);
		},
	);
});

describe('a column in another language, given as Session ID Column', () => {
	const idColumn = 'Vorgangsnummer';

	test('what is missing is asked for again, what is left out is named, and the order restored', async () => {
		const ids = [900_000_001, ...someIds(200)];
		const leftOut = ids.filter((id) => id % 23 === 0);
		const inFile = ids.slice(1).filter((id) => !leftOut.includes(id));
		const whole = await honest(inFile, { idColumn });
		platform.behaviour.csv.idColumn = idColumn;
		platform.exported = (some) => shuffled(withForeign(without(23)(some).slice(0, 60)));
		const { file, json } = await run(ids, { sessionIdColumn: ' vorgangsnummer ' });
		expect(file).toBe(whole);
		expect(json).toMatchObject({
			sessionCount: inFile.length,
			missingReasons: { notFound: [900_000_001], leftOut, notConfirmed: [] },
			identityChecked: true,
		});
	});

	test('without the option all rows are kept as they came, and a note names it', async () => {
		const ids = someIds(60);
		const whole = await honest([...ids].reverse(), { idColumn });
		platform.behaviour.csv.idColumn = idColumn;
		platform.exported = byId;
		const { file, json, notes } = await run(ids);
		expect(file).toBe(whole);
		expect(json).toMatchObject({ sessionCount: 60, missingCount: 0, rowCount: 60, identityChecked: false });
		expect(notes).toMatch(/could not be checked\. If one .*, enter it in the option Session ID Column\./);
	});

	test.each(['utf8', 'latin1'] as const)('behind a line for Excel and with umlauts, in %s', async (encoding) => {
		const [a, b] = someIds(2) as [number, number];
		const head = 'sep=;\r\n"Vorgänge; Nr.";Preis\r\n';
		answer(Buffer.from(`${head}${b};1,20\r\n${a};3,40`, encoding), 1);
		const { item, json } = await run([a, b], { sessionIdColumn: 'Vorgänge; Nr.' });
		expect((await fileOf(item)).toString(encoding)).toBe(`${head}${a};3,40\r\n${b};1,20`);
		expect(json).toMatchObject({ sessionCount: 2, identityChecked: true });
	});

	test('where a column Id has numbers of its own: a note names the option, and with it the rows are found', async () => {
		const [a, b] = someIds(2) as [number, number];
		const body = `Id,Vorgangsnummer\r\n900000001,${a}\r\n900000002,${b}\r\n`;
		answer(body);
		const without = await run([a, b]);
		expect(without.json).toMatchObject({ sessionCount: 0, missingReasons: { leftOut: [a, b] } });
		expect(without.notes).toContain('enter it in the option Session ID Column');
		const { file, json } = await run([a, b], { sessionIdColumn: idColumn });
		expect(file).toBe(body);
		expect(json).toMatchObject({ missingCount: 0, identityChecked: true });
	});

	test('a name that no column has: the columns are listed, and no file is made', async () => {
		platform.behaviour.csv.idColumn = idColumn;
		const before = storedFiles();
		const { error, items } = await run(someIds(10), { sessionIdColumn: 'Vorgang' });
		expect(error?.message).toBe('The platform’s CSV has no column "Vorgang"');
		expect(error?.description).toContain('Its columns are: "Vorgangsnummer", "Status"');
		expect([items, storedFiles(), exportRequests(platform).length]).toEqual([[], before, 1]);
	});

	test('a column with other values: all rows are kept, and nothing is taken for a session', async () => {
		const ids = someIds(30);
		const whole = await honest(ids);
		const { file, json } = await run(ids, { sessionIdColumn: 'UserName' });
		expect(file).toBe(whole);
		expect(json).toMatchObject({ rowCount: 30, missingCount: 0, foreignCount: 0, identityChecked: false });
	});

	test('an empty name is refused before anything is sent', async () => {
		const { error } = await run(someIds(1), { sessionIdColumn: ' ' });
		expect(error?.message).toContain('Session ID Column: the name is empty');
		expect(platform.requests).toEqual([]);
	});
});

describe('no column names the sessions', () => {
	test('where some lack, all that came is in the file, and a note says that some lack', async () => {
		const ids = someIds(500);
		const whole = await honest(without(20)(ids), { idColumn: undefined });
		platform.behaviour.csv.idColumn = undefined;
		platform.exported = without(20);
		const { file, json, notes } = await run(ids);
		expect(file).toBe(whole);
		expect(json).toMatchObject({ rowCount: 475, missingReasons: { ...NONE_MISSING, notConfirmed: ids } });
		expect(json?.identityChecked).toBe(false);
		expect(notes).toMatch(/^Of 500 sessions, some are not in the file.*could not be checked/);
		expect(exportRequests(platform)).toHaveLength(1);

		// One by one, it is clear which.
		const few = ids.slice(0, 40);
		const again = await run(few, { idsPerRequest: 1 });
		expect(again.json?.missingIds).toEqual(few.filter((id) => id % 20 === 0));
	});

	test('two sessions with equal records are both in the file', async () => {
		const body = 'Place,Price\r\nDepot,1\r\nDepot,1\r\n';
		answer(body);
		const { file, json } = await run(someIds(2));
		expect(file).toBe(body);
		expect(json).toMatchObject({ sessionCount: 2, missingIds: [] });
	});
});

test.each(['Id', undefined])(
	'records that all come twice are kept, with a column for the session: %s',
	async (idColumn) => {
		const ids = someIds(100);
		platform.behaviour.csv.idColumn = idColumn;
		platform.exported = twice;
		const whole = (await platformExport(platform, ids)).toString();
		const { file, json, notes } = await run(ids);
		expect(file).toBe(whole);
		expect(json).toMatchObject({ sessionCount: 100, missingCount: 0, rowCount: 200 });
		expect(notes).toContain('100 more records than sessions');
	},
);
