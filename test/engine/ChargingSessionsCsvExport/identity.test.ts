import type { StandIn } from '../../platform/index.ts';
import {
	allIds,
	answerWith,
	byIds,
	exportRequests,
	exportTests,
	fileOf,
	idsSent,
	LIST_PATH,
	listRequests,
	runExport,
	single,
	storedFiles,
} from '../../support/export.ts';

// Whose records are in the file, and what the item says of those that lack: examples. At random: histories.deep.test.ts.

let platform: StandIn;
exportTests({ sessions: 2_000, stations: 5 }, (started) => (platform = started));

/** Sessions asked for, neither the first nor in the order of their Ids. */
const someIds = (count: number) =>
	allIds(platform)
		.slice(900, 900 + count)
		.reverse();
const twoIds = () => someIds(2) as [number, number];

const run = async (ids: readonly number[], options = {}) => await runExport(platform, byIds(ids.join(','), options));

describe('a column names the sessions', () => {
	it('what is left out is named, records of others are kept out and counted, and the order is restored', async () => {
		const ids = someIds(1000);
		const [leftOut, inFile] = [ids.filter((id) => id % 2 === 0), ids.filter((id) => id % 2 !== 0)];
		const whole = await single(platform, inFile);
		platform.exported = (some) => [...some.filter((id) => id % 2 !== 0), 1, 2].sort((a, b) => a - b);
		const { file, json, notes } = await run(ids);
		expect(file).toBe(whole);
		expect(json).toMatchObject({
			sessionCount: 500,
			requestedCount: 1000,
			missingCount: 500,
			missingIds: leftOut,
			missingReasons: { notFound: [], leftOut, notConfirmed: [] },
			identityChecked: true,
		});
		expect(json.foreignCount).toBeGreaterThan(0);
		expect(notes).toMatch(/leaves them out of its CSV.*records that belong to none of the sessions asked for/);
		expect(exportRequests(platform).length).toBeLessThanOrEqual(2 * 5);
		expect(listRequests(platform).length).toBeLessThanOrEqual(2 * 4);
	});

	it.each<[string, number, (ids: number[]) => number[]]>([
		['at most 100 records in an answer', 16, (ids) => ids.slice(0, 100)],
		['no record where more than 20 Ids are asked for', 100, (ids) => (ids.length > 20 ? [] : ids)],
	])('%s: what is missing is asked for again, and the file is complete', async (_, most, records) => {
		const ids = someIds(700);
		const whole = await single(platform, ids);
		platform.exported = records;
		const { file, json, notes } = await run(ids);
		expect([file === whole, json.missingIds, notes]).toEqual([true, [], '']);
		expect(exportRequests(platform).length).toBeLessThanOrEqual(most);
	});

	it('equal lines of one answer are all kept; what another answer has delivered already is not in the file twice', async () => {
		const [a, b] = twoIds();
		const fees = `Id,Article,Price\r\n${a},Parking,1.00\r\n${a},Parking,1.00\r\n`;
		const all = `${fees}${b},Parking,2.00\r\n`;
		platform.exported = (some) => (some.length > 1 ? fees : all);
		const { file, json } = await run([a, b]);
		expect(file).toBe(all);
		expect(json).toMatchObject({ sessionCount: 2, missingCount: 0, rowCount: 3 });
		// The last session of an answer that lacks another is asked for alone.
		expect(idsSent(platform)).toEqual([[a, b], [b], [a]]);
	});

	it.each([500, 2])(
		'a session that the list has twice is in the file once, by %i Ids in a request, and a note says so',
		async (idsPerRequest) => {
			const [b, a] = twoIds();
			const rows = [a, b, b].map((Id) => ({ Id, Status: 4 }));
			platform.faults.add({ kind: 'reply', body: { Items: rows, TotalCount: 3 }, match: { path: LIST_PATH } });
			const parameters = { operation: 'exportByFilter', options: { idsPerRequest } };
			const { file, json, notes } = await runExport(platform, parameters);
			expect(file).toBe(await single(platform, [a, b]));
			expect(json).toMatchObject({ requestedCount: 2, sessionCount: 2, rowCount: 2, missingCount: 0 });
			expect(notes).toBe("The platform's list has 3 rows for 2 sessions. Each session was exported once.");
			expect(idsSent(platform)).toEqual([[a, b]]);
		},
	);

	it('of several files, those without a record are there, too', async () => {
		const [a, b] = twoIds();
		const gone = [900_000_001, 900_000_002, 900_000_003];
		const { items } = await run([...gone.slice(0, 2), a, b, ...gone.slice(2)], { sessionsPerFile: 2 });
		expect(items.map(({ json }) => [json.fileNumber, json.sessionCount, json.missingIds])).toEqual([
			[1, 0, gone.slice(0, 2)],
			[2, 2, []],
			[3, 0, gone.slice(2)],
		]);
		const files = await Promise.all(items.map(async (item) => (await fileOf(item)).toString()));
		const empty = await single(platform, []);
		expect(files).toEqual([empty, await single(platform, [a, b]), empty]);
	});
});

describe('a column in another language', () => {
	const idColumn = 'Vorgangsnummer';

	it('without Session ID Column all rows are kept as they came, and a note names it', async () => {
		const ids = someIds(60);
		platform.behaviour.csv.idColumn = idColumn;
		const whole = await single(platform, [...ids].reverse());
		platform.exported = (some) => some.sort((a, b) => a - b);
		const { file, json, notes } = await run(ids);
		expect(file).toBe(whole);
		expect(json).toMatchObject({ sessionCount: 60, missingCount: 0, rowCount: 60, identityChecked: false });
		expect(notes).toMatch(/could not be checked\. If one .*, enter it in the option Session ID Column\./);
	});

	it.each(['utf8', 'latin1'] as const)('is found behind a line for Excel and with umlauts, in %s', async (encoding) => {
		const [a, b] = twoIds();
		const head = 'sep=;\r\n"Vorgänge; Nr.";Preis\r\n';
		answerWith(platform, Buffer.from(`${head}${b};1,20\r\n${a};3,40`, encoding));
		const { items, json } = await run([a, b], { sessionIdColumn: ' vorgänge; nr. ' });
		expect((await fileOf(items[0])).toString(encoding)).toBe(`${head}${a};3,40\r\n${b};1,20`);
		expect(json).toMatchObject({ sessionCount: 2, identityChecked: true });
	});

	it('beside a column Id with numbers of its own: a note names the option, and with it the rows are found', async () => {
		const [a, b] = twoIds();
		const body = `Id,Vorgangsnummer\r\n900000001,${a}\r\n900000002,${b}\r\n`;
		answerWith(platform, body);
		const without = await run([a, b]);
		expect(without.json).toMatchObject({ sessionCount: 0, missingReasons: { leftOut: [a, b] } });
		expect(without.notes).toContain('enter it in the option Session ID Column');
		const { file, json } = await run([a, b], { sessionIdColumn: idColumn });
		expect(file).toBe(body);
		expect(json).toMatchObject({ missingCount: 0, identityChecked: true });
	});

	it('a name that no column has: the columns are listed, and no file is made', async () => {
		platform.behaviour.csv.idColumn = idColumn;
		const before = storedFiles();
		const { error, items } = await run(someIds(10), { sessionIdColumn: 'Vorgang' });
		expect(error?.message).toBe('The platform’s CSV has no column "Vorgang"');
		expect(error?.description).toContain('Its columns are: "Vorgangsnummer", "Status"');
		expect([items, storedFiles(), exportRequests(platform).length]).toEqual([[], before, 1]);
	});

	it('a column with other values: all rows are kept, and nothing is taken for a session', async () => {
		const ids = someIds(30);
		const whole = await single(platform, ids);
		const { file, json } = await run(ids, { sessionIdColumn: 'UserName' });
		expect(file).toBe(whole);
		expect(json).toMatchObject({ rowCount: 30, missingCount: 0, foreignCount: 0, identityChecked: false });
	});

	it.each([
		['an empty name', ' ', 'the name is empty'],
		['a number', '={{ 7 }}', 'a name is needed here, but this is a number'],
	])('%s is refused before anything is sent', async (_, sessionIdColumn, why) => {
		const { error } = await run(someIds(1), { sessionIdColumn });
		expect(error?.message).toContain(`Session ID Column: ${why}`);
		expect(platform.requests).toEqual([]);
	});
});

describe('no column names the sessions', () => {
	it('where some lack, all that came is in the file, and a note says that some lack', async () => {
		const ids = someIds(500);
		const inFile = ids.filter((id) => id % 20 !== 0);
		platform.behaviour.csv.idColumn = undefined;
		const whole = await single(platform, inFile);
		platform.exported = (some) => some.filter((id) => id % 20 !== 0);
		const { file, json, notes } = await run(ids);
		expect(file).toBe(whole);
		const missingReasons = { notFound: [], leftOut: [], notConfirmed: ids };
		expect(json).toMatchObject({ rowCount: 475, missingReasons, identityChecked: false });
		expect(notes).toMatch(/^Of 500 sessions, some are not in the file.*could not be checked/);
		expect(exportRequests(platform)).toHaveLength(1);

		// One by one, it is clear which.
		const again = await run(ids.slice(0, 40), { idsPerRequest: 1 });
		expect(again.json.missingIds).toEqual(ids.slice(0, 40).filter((id) => id % 20 === 0));
	});

	it('where as many rows came as the platform still has sessions, only the deleted one is missing', async () => {
		const deleted = 900_000_001;
		platform.behaviour.csv.idColumn = undefined;
		const { json } = await run([...someIds(3), deleted]);
		expect(json).toMatchObject({ rowCount: 3, missingIds: [deleted], missingReasons: { notFound: [deleted] } });
	});

	it('two sessions with equal records are both in the file', async () => {
		const body = 'Place,Price\r\nDepot,1\r\nDepot,1\r\n';
		answerWith(platform, body);
		const { file, json } = await run(someIds(2));
		expect(file).toBe(body);
		expect(json).toMatchObject({ sessionCount: 2, missingIds: [] });
	});
});

it.each(['Id', undefined])(
	'records that all come twice are kept, with a column for the session: %s',
	async (idColumn) => {
		const ids = someIds(100);
		platform.behaviour.csv.idColumn = idColumn;
		platform.exported = (some) => some.flatMap((id) => [id, id]);
		const whole = await single(platform, ids);
		const { file, json, notes } = await run(ids);
		expect(file).toBe(whole);
		expect(json).toMatchObject({ sessionCount: 100, missingCount: 0, rowCount: 200 });
		expect(notes).toContain('100 more records than sessions');
	},
);
