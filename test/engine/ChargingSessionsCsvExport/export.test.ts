import { createHash } from 'node:crypto';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { StandIn } from '../../platform/index.ts';
import {
	allIds,
	byIds,
	DIALECTS,
	EXPORT_PATH,
	exportRequests,
	exportTests,
	fileOf,
	idsBySql,
	idsSent,
	isUnknown,
	LIST_PATH,
	platformExport,
	runExport,
	spoilExports,
	storedFiles,
} from '../../support/export.ts';

let platform: StandIn;
exportTests({ sessions: 2_000, stations: 30 }, (started) => (platform = started));

/** The file of an item, and what the platform sends for these sessions at once. */
async function expectExportOf(ids: readonly number[], item: Parameters<typeof fileOf>[0], field?: string) {
	expect((await fileOf(item, field)).toString()).toBe((await platformExport(platform, ids)).toString());
}
const notesOf = ({ hints }: Awaited<ReturnType<typeof runExport>>) => hints.map(({ message }) => message).join();
const failed = { operation: 'exportByFilter', filters: { status: [{ operator: 'Eq', value: '6' }] } };

describe("one file, byte for byte equal to the platform's single export", () => {
	test.each(DIALECTS)('by filter, with CSV written as %j', async (csv) => {
		Object.assign(platform.behaviour.csv, csv);
		const ids = idsBySql(platform, 'SELECT Id FROM sessions WHERE Status = 6 ORDER BY Id');
		expect(ids.length).toBeGreaterThan(150);
		const { items } = await runExport(platform, { ...failed, options: { idsPerRequest: 40 } });
		expect(items).toHaveLength(1);
		const file = await fileOf(items[0]);
		const single = await platformExport(platform, ids);
		expect(file.equals(single)).toBe(true);
		// The file has all that makes CSV hard: quotes, delimiters, line ends inside quotes, umlauts.
		expect(single.toString()).toMatch(/""[^]*\n[^]*Müller/);
		expect(items[0]?.json).toMatchObject({
			...{ sessionCount: ids.length, requestedCount: ids.length, missingCount: 0, missingIds: [] },
			// What a receiver can prove the file with.
			...{ rowCount: ids.length, lowestId: ids[0], highestId: ids.at(-1) },
			sha256: createHash('sha256').update(file).digest('hex'),
		});
	});

	test('rows follow the chosen sort', async () => {
		const ids = idsBySql(platform, 'SELECT Id FROM sessions WHERE Status = 6 ORDER BY StartedAtUtc DESC, Id ASC');
		const sort = { by: [{ field: 'StartedAtUtc', direction: 'Desc' }] };
		const { items } = await runExport(platform, { ...failed, sort, options: { idsPerRequest: 50 } });
		await expectExportOf(ids, items[0]);
	});

	test.each([1, 500, 501])('%i Ids', async (count) => {
		const ids = allIds(platform).reverse().slice(0, count);
		const { items } = await runExport(platform, byIds(ids.join(', ')));
		await expectExportOf(ids, items[0]);
		expect(items[0]?.json).toMatchObject({ sessionCount: count, requests: Math.ceil(count / 500) });
	});

	test('a session with a negative Id', async () => {
		platform.db.exec('UPDATE sessions SET Id = -5 WHERE Id = (SELECT max(Id) FROM sessions)');
		const filters = { id: [{ operator: 'Lt', value: 0 }] };
		const { items, hints } = await runExport(platform, { operation: 'exportByFilter', filters });
		await expectExportOf([-5], items[0]);
		expect(items[0]?.json).toMatchObject({ sessionCount: 1, lowestId: -5, identityChecked: true });
		expect(hints).toEqual([]);
	});
});

describe('the request has exactly the shape of the specification', () => {
	test('POST, Content-Type: application/json, { "Ids": [integers] } and nothing else', async () => {
		const ids = allIds(platform).slice(0, 3);
		await runExport(platform, byIds(ids.map(String).join('\n')));
		const [request] = exportRequests(platform);
		expect(request).toMatchObject({ method: 'POST', query: undefined, body: { Ids: ids } });
		expect(request?.headers['content-type']).toBe('application/json');
		expect(Object.keys(request?.body as object)).toEqual(['Ids']);
	});

	test('consecutive requests cover each id once, without a gap', async () => {
		const ids = allIds(platform).slice(0, 25);
		await runExport(platform, byIds([...ids, ...ids.slice(5, 9)].join(','), { idsPerRequest: 10 }));
		expect(idsSent(platform)).toEqual([ids.slice(0, 10), ids.slice(10, 20), ids.slice(20)]);
	});
});

describe('session Ids', () => {
	const exported = async (given: unknown) =>
		await runExport(platform, byIds('={{ $json.given }}'), { items: [{ given } as IDataObject] });

	test.each<[unknown, number[]]>([
		[12, [12]],
		[-5, [-5]],
		[
			[12, '13'],
			[12, 13],
		],
		['12, 13;14;', [12, 13, 14]],
		[' 12\t13\r\n14\r\n', [12, 13, 14]],
		['[12,-5]', [12, -5]],
		['"12","13"', [12, 13]],
	])('may be %j', async (given, ids) => {
		const { error } = await exported(given);
		expect(error).toBeUndefined();
		expect(idsSent(platform)[0]).toEqual(ids);
	});

	test.each<[string, unknown, string, string]>([
		['a decimal one', [12, 13, 1.5], 'Session IDs, entry 3', '1.5'],
		['a decimal one as text', '1.5', 'Session IDs', '"1.5"'],
		['text', '12, abc, 14', 'Session IDs, entry 2', '"abc"'],
		['an empty entry', '12,,14', 'Session IDs, entry 2', 'an empty entry'],
		['nothing', null, 'Session IDs', 'the value is empty'],
		['nothing in a list', [12, null], 'Session IDs, entry 2', 'nothing'],
		['true', true, 'Session IDs', 'true'],
		['an object', { Id: 5 }, 'Session IDs', 'an object'],
		['one too large to be exact', 2 ** 53, 'Session IDs', '9007199254740991'],
		['a power', '1e3', 'Session IDs', '"1e3"'],
	])('%s is refused, its place is named, and nothing is sent', async (_, given, place, what) => {
		const { error, items } = await exported(given);
		expect(error?.message).toContain(`${place}:`);
		expect(error?.message).toContain(what);
		expect([items, platform.requests]).toEqual([[], []]);
	});

	test.each(['007', 'a1'])('that came as the text %s are no whole numbers: nothing is exported', async (id) => {
		const body = JSON.stringify({ Items: [{ Id: id, Status: 4 }], TotalCount: 1 });
		const headers = { 'content-type': 'application/json' };
		platform.faults.add({ kind: 'reply', body, headers, times: Infinity, match: { path: LIST_PATH } });
		const { error, items } = await runExport(platform, { operation: 'exportByFilter' });
		expect(error?.message).toContain(`have Ids such as "${id}", which cannot be exported`);
		expect([items, exportRequests(platform)]).toEqual([[], []]);
	});

	test('beyond 2^53 keep their digits, from the parameter and in the column of the CSV', async () => {
		const [a, b] = ['9007199254740993', '9007199254740995'];
		const body = `Id,Note\n${b},second\n${a},first\n`;
		const headers = { 'content-type': 'text/csv' };
		platform.faults.add({ kind: 'reply', body, headers, match: { path: EXPORT_PATH } });
		const { items } = await runExport(platform, byIds(`${a}, ${b}`));
		expect((await fileOf(items[0])).toString()).toBe(`Id,Note\n${a},first\n${b},second\n`);
		expect(items[0]?.json).toMatchObject({ sessionCount: 2, missingIds: [], lowestId: a, highestId: b });
	});

	test('gathered from all input items make one file: duplicates dropped, order kept, paired with all items', async () => {
		const [a = 0, b = 0, c = 0, d = 0] = allIds(platform);
		const items = [
			{ session: { Id: c } },
			{ session: { Id: String(a) } },
			{ 'session.Id': b },
			{ session: { Id: [c, d] } },
			{ session: { Id: `${d},${a}` } },
		];
		const gathered = { operation: 'exportByIds', sessionIdsFrom: 'items', idField: 'session.Id' };
		const result = await runExport(platform, gathered, { items });
		expect(result.items).toHaveLength(1);
		await expectExportOf([c, a, b, d], result.items[0]);
		expect(result.items[0]?.pairedItem).toEqual([0, 1, 2, 3, 4].map((item) => ({ item })));
	});

	test('gathered from input items: every unusable item is named', async () => {
		const items = [{ Id: 5 }, { Id: 2.5 }, { Name: 'x' }, { Id: '3.5' }, { Id: '' }];
		const gathered = { operation: 'exportByIds', sessionIdsFrom: 'items', idField: 'Id' };
		const { error } = await runExport(platform, gathered, { items });
		const said = `${error?.message} ${error?.description ?? ''}`;
		for (const item of [1, 2, 3, 4]) expect(said).toContain(`Item ${item}, field Id`);
		expect(said).not.toContain('Item 0');
		expect(platform.requests).toHaveLength(0);
	});

	test('of each input item give a file of its own', async () => {
		const [a = 0, b = 0] = allIds(platform);
		const { items } = await runExport(platform, byIds('={{ $json.id }}'), { items: [{ id: a }, { id: b }, { id: a }] });
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
		expect(idsSent(platform)).toEqual([[a], [b], [a]]);
		await expectExportOf([a], items[2]);
		expect(items[0]?.json).not.toBe(items[2]?.json);
	});
});

describe('sessions that the platform does not have', () => {
	const gone = [900_000_001, 900_000_002, 900_000_003];

	describe.each([true, false])('where they are left out of the CSV (otherwise it is refused): %s', (areLeftOut) => {
		beforeEach(() => {
			if (!areLeftOut) spoilExports(platform, { kind: 'status', status: 404 }, (some) => some.some(isUnknown));
		});

		test('are reported, and the rest is exported', async () => {
			const known = allIds(platform).slice(0, 8);
			const ids = [gone[0], ...known.slice(0, 5), gone[1], ...known.slice(5), gone[2]];
			const result = await runExport(platform, byIds(ids.join(','), { idsPerRequest: 4 }));
			await expectExportOf(known, result.items[0]);
			expect(result.items[0]?.json).toMatchObject({
				...{ requestedCount: 11, sessionCount: 8, missingCount: 3, missingIds: gone },
			});
			expect(notesOf(result)).toContain('3 of 11 sessions are not in the file');
		});

		test('all of them: as When Nothing Matches says', async () => {
			const before = storedFiles();
			const result = await runExport(platform, byIds(gone.join()));
			expect([result.status, result.items]).toEqual(['success', []]);
			expect(notesOf(result)).toContain('The platform has none of the 3 sessions');
			const chosen = await runExport(platform, byIds(gone.join(), { whenNothingMatches: 'itemWithoutFile' }));
			expect(chosen.items[0]?.json).toMatchObject({ fileName: null, missingIds: gone });
			expect(chosen.items[0]?.binary).toBeUndefined();
			const stopped = await runExport(platform, byIds(gone.join(), { whenNothingMatches: 'fail' }));
			expect(stopped.error?.message).toContain('The platform has none of the 3 sessions');
			expect(storedFiles()).toEqual(before);
		});
	});

	test('a session deleted between list and export is reported as missing', async () => {
		const ids = allIds(platform).slice(0, 300);
		const [at = 0, last = 0] = [ids[70], ids.at(-1)];
		platform.beforeList = ({ count }) => {
			if (count === 3) setImmediate(() => platform.db.exec(`DELETE FROM sessions WHERE Id = ${at}`));
		};
		const { items } = await runExport(platform, {
			operation: 'exportByFilter',
			filters: { id: [{ operator: 'Lte', value: last }] },
			options: { parallelRequests: 1 },
		});
		expect(items[0]?.json).toMatchObject({ requestedCount: 300, sessionCount: 299, missingIds: [at] });
	});
});

describe('nothing to export', () => {
	const none = (whenNothingMatches: string): INodeParameters => ({
		operation: 'exportByFilter',
		filters: { id: [{ operator: 'Lt', value: 0 }] },
		options: { whenNothingMatches },
	});

	test('gives no item by default', async () => {
		const result = await runExport(platform, { ...none(''), options: {} });
		expect([result.status, result.items]).toEqual(['success', []]);
		expect(notesOf(result)).toContain('No charging session matches the filter');
		expect(exportRequests(platform)).toHaveLength(0);
	});

	test('gives an item without a file if chosen', async () => {
		const { items } = await runExport(platform, none('itemWithoutFile'));
		const json = { fileName: null, sessionCount: 0, requestedCount: 0, rowCount: 0, lowestId: null, sha256: null };
		expect(items).toMatchObject([{ json, pairedItem: { item: 0 } }]);
		expect(items[0]?.binary).toBeUndefined();
	});

	test('stops the workflow if chosen', async () => {
		const { error, status } = await runExport(platform, none('fail'));
		expect(status).toBe('error');
		expect(error?.message).toBe('No charging session matches the filter, so there is nothing to export');
	});

	test('gives no item for an empty list of Ids, and sends nothing', async () => {
		const items = [[], '', '[]'].map((given) => ({ given }));
		const result = await runExport(platform, byIds('={{ $json.given }}'), { items });
		expect([result.status, result.items]).toEqual(['success', []]);
		expect(platform.requests).toHaveLength(0);
	});
});

describe('too many sessions at once', () => {
	test.each([
		[413, 200, 1700],
		[400, 7, 60],
		[400, 1, 60],
	])('status %i above %i Ids: goes on with half as many, and the file is complete', async (status, most, count) => {
		const ids = allIds(platform).slice(0, count);
		const single = await platformExport(platform, ids);
		spoilExports(platform, { kind: 'status', status }, (some) => some.length > most);
		platform.requests.length = 0;
		const { items } = await runExport(platform, byIds(ids.join(',')));
		expect((await fileOf(items[0])).equals(single)).toBe(true);
		// A size that was refused is not tried again.
		const refused = exportRequests(platform).filter((request) => request.status === status);
		expect(refused.length).toBeLessThanOrEqual(9);
	});

	test('says so when even a single session is too large', async () => {
		spoilExports(platform, { kind: 'status', status: 413 }, () => true);
		const { error } = await runExport(platform, byIds('12, 13'));
		expect(error?.message).toBe('The platform does not export this many sessions at once');
	});
});

test('several files are complete CSV files, numbered, each with at most the chosen number of sessions', async () => {
	Object.assign(platform.behaviour.csv, { bom: true, finalNewline: false });
	const ids = allIds(platform).slice(0, 105);
	const { items } = await runExport(platform, {
		...byIds(ids.join(','), { sessionsPerFile: 10, idsPerRequest: 7 }),
		fileName: 'report.csv',
	});
	expect(items).toHaveLength(11);
	for (const [index, item] of items.entries()) {
		const some = ids.slice(index * 10, index * 10 + 10);
		await expectExportOf(some, item);
		expect(item.json).toMatchObject({
			fileName: `report-part-${String(index + 1).padStart(2, '0')}-of-11.csv`,
			...{ sessionCount: some.length, fileNumber: index + 1, fileCount: 11 },
		});
		expect(item.binary?.data?.fileName).toBe(item.json.fileName);
		expect(item.pairedItem).toEqual({ item: 0 });
	}
	// 11 are those of this test.
	expect(items.reduce((sum, { json }) => sum + Number(json.requests), 0)).toBe(exportRequests(platform).length - 11);
});

describe('Excel Umlauts', () => {
	test.each([
		['keep', false, false],
		['keep', true, true],
		['add', false, true],
		['add', true, true],
		['remove', true, false],
		['remove', false, false],
	])('%s the mark, when the platform sends one: %s', async (byteOrderMark, bom, expected) => {
		platform.behaviour.csv.bom = bom;
		const ids = allIds(platform).slice(0, 5);
		const { items } = await runExport(platform, byIds(ids.join(','), { byteOrderMark, idsPerRequest: 2 }));
		const text = (await fileOf(items[0])).toString();
		expect(text.startsWith('\uFEFF')).toBe(expected);
		expect(text.lastIndexOf('\uFEFF')).toBeLessThan(1);
	});

	describe('with text that is not UTF-8', () => {
		/** Exports sessions in two parts, as a platform that writes Latin-1 does. These have an umlaut. */
		const inLatin1 = async (places: number[], byteOrderMark: string) => {
			const ids = allIds(platform).slice(0, 4);
			platform.db.exec(`UPDATE sessions SET (StationName, UserName, Note) = ('x', 'x', 'x') WHERE Id <= ${ids[3]}`);
			for (const place of places) platform.db.exec(`UPDATE sessions SET Note = 'Übach' WHERE Id = ${ids[place]}`);
			platform.behaviour.csv.encoding = 'latin1';
			const { items, hints } = await runExport(platform, byIds(ids.join(','), { byteOrderMark, idsPerRequest: 2 }));
			const file = await fileOf(items[0]);
			return { isAsSent: file.equals(await platformExport(platform, ids)), file, notes: hints.map((h) => h.message) };
		};

		test('no mark of UTF-8 is put before it, and a note says what to do', async () => {
			const { isAsSent, notes } = await inLatin1([1], 'add');
			expect(isAsSent).toBe(true);
			expect(notes).toEqual([expect.stringMatching(/not written in UTF-8.*Data → From Text\/CSV/)]);
		});

		test('where it shows only after the mark was written, a note says so', async () => {
			const { file, notes } = await inLatin1([3], 'add');
			expect(file.toString('latin1')).toMatch(/^\xef\xbb\xbf[^]*\xdcbach/);
			expect(notes).toEqual([expect.stringContaining('As the Platform Sends It')]);
		});

		test('without the option there is nothing to say', async () => {
			expect(await inLatin1([0, 1, 2, 3], 'keep')).toMatchObject({ isAsSent: true, notes: [] });
		});
	});
});

describe('file name', () => {
	test.each(['UTC', 'America/New_York', 'Asia/Tokyo'])('names the month of the period, in %s', async (timezone) => {
		const month = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 1, 15))
			.toISOString()
			.slice(0, 7);
		platform.db.exec(`UPDATE sessions SET StartedAtUtc = '${month}-15T12:00:00' WHERE Id < 100`);
		const filters = {
			startedAtUtc: [{ operator: 'InPeriod', period: 'lastMonth' }],
			id: [{ operator: 'Lt', value: 100 }],
		};
		const { items } = await runExport(platform, { operation: 'exportByFilter', filters }, { timezone });
		const fileName = `charging-sessions-${month}.csv`;
		expect(items[0]?.json).toMatchObject({ fileName, period: { from: `${month}-01` } });
		expect(items[0]?.binary?.data).toMatchObject({ fileName, mimeType: 'text/csv', fileExtension: 'csv' });
	});

	test('may be an expression, and characters that a file name cannot have are replaced', async () => {
		const parameters = { ...byIds('12'), fileName: '={{ $json.customer }}' };
		const customers = [{ customer: '../../etc/Müller & Söhne: "Q3"\u0000' }, { customer: '' }];
		const { items } = await runExport(platform, parameters, { items: customers });
		expect(items[0]?.json.fileName).toBe('etc-Müller & Söhne- -Q3-.csv');
		expect(items[0]?.binary?.data).toMatchObject({ fileName: 'etc-Müller & Söhne- -Q3-.csv' });
		expect(items[0]?.binary?.data?.directory).toBeUndefined();
		expect(items[1]?.json.fileName).toMatch(/^charging-sessions-exported-\d{4}-\d\d-\d\d\.csv$/);
	});

	test('the file goes into the field asked for', async () => {
		const { items } = await runExport(platform, { ...byIds('12'), binaryPropertyName: 'report' });
		await expectExportOf([12], items[0], 'report');
		expect(Object.keys(items[0]?.binary ?? {})).toEqual(['report']);
	});
});

test('formulas stay as sent, or are made harmless for spreadsheets if chosen', async () => {
	platform.db.exec(`UPDATE sessions SET UserName = '=cmd|'' /C calc''!A0', Price = -4.5, Note = '+x, y' WHERE Id = 12`);
	await expectExportOf([12], (await runExport(platform, byIds('12'))).items[0]);
	const escaped = await runExport(platform, byIds('12', { escapeFormulas: true }));
	const text = (await fileOf(escaped.items[0])).toString();
	expect(text).toContain(`,'=cmd|' /C calc'!A0,-4.5,`);
	expect(text).toContain(`"'+x, y"`);
});
