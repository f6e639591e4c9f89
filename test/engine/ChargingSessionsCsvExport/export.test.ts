import { createHash } from 'node:crypto';
import { DateTime } from 'luxon';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { CsvBehaviour, StandIn } from '../../platform/index.ts';
import {
	allIds,
	answerWith,
	byIds,
	exportRequests,
	exportTests,
	fileOf,
	idsSent,
	isUnknown,
	LIST_PATH,
	platformExport,
	runExport,
	single,
	spoilExports,
	storedFiles,
} from '../../support/export.ts';

let platform: StandIn;
exportTests({ sessions: 2_000, stations: 30 }, (started) => (platform = started));

const failed = { operation: 'exportByFilter', filters: { status: [{ operator: 'Eq', value: '6' }] } };

describe("one file, byte for byte equal to the platform's single export", () => {
	test.each<Partial<CsvBehaviour>>([{}, { delimiter: ';', bom: true, finalNewline: false, newline: '\n' }])(
		'by filter, with CSV written as %j',
		async (csv) => {
			Object.assign(platform.behaviour.csv, csv);
			const ids = allIds(platform, 'Status = 6 ORDER BY Id');
			expect(ids.length).toBeGreaterThan(150);
			const { items, file, json } = await runExport(platform, { ...failed, options: { idsPerRequest: 40 } });
			expect(items).toHaveLength(1);
			expect(file).toBe(await single(platform, ids));
			// The file has all that makes CSV hard: quotes, delimiters, line ends inside quotes, umlauts.
			expect(file).toMatch(/""[^]*\n[^]*Müller/);
			expect(json).toMatchObject({
				sessionCount: ids.length,
				requestedCount: ids.length,
				missingCount: 0,
				missingIds: [],
				// What a receiver can prove the file with.
				rowCount: ids.length,
				lowestId: ids[0],
				highestId: ids.at(-1),
				sha256: createHash('sha256').update(file).digest('hex'),
			});
		},
	);

	test('rows follow the chosen sort', async () => {
		const ids = allIds(platform, 'Status = 6 ORDER BY StartedAtUtc DESC, Id ASC');
		const sort = { by: [{ field: 'StartedAtUtc', direction: 'Desc' }] };
		const { file } = await runExport(platform, { ...failed, sort, options: { idsPerRequest: 50 } });
		expect(file).toBe(await single(platform, ids));
	});

	test('a session with a negative Id', async () => {
		platform.db.exec('UPDATE sessions SET Id = -5 WHERE Id = (SELECT max(Id) FROM sessions)');
		const filters = { id: [{ operator: 'Lt', value: 0 }] };
		const { file, json, notes } = await runExport(platform, { operation: 'exportByFilter', filters });
		expect(file).toBe(await single(platform, [-5]));
		expect(json).toMatchObject({ sessionCount: 1, lowestId: -5, identityChecked: true });
		expect(notes).toBe('');
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
		const ids = allIds(platform).slice(0, 501);
		await runExport(platform, byIds([...ids, ...ids.slice(5, 9)].join(',')));
		expect(idsSent(platform)).toEqual([ids.slice(0, 500), ids.slice(500)]);
	});
});

describe('session Ids', () => {
	const exported = async (given: unknown) =>
		await runExport(platform, byIds('={{ $json.given }}'), { items: [{ given } as IDataObject] });
	const gathered = (idField: string) => ({ operation: 'exportByIds', sessionIdsFrom: 'items', idField });

	test.each<[unknown, number[]]>([
		[12, [12]],
		[
			[12, '13'],
			[12, 13],
		],
		[' 12, 13;14\t15\r\n16\n', [12, 13, 14, 15, 16]],
		['[12,-5]', [12, -5]],
		['101,102', [101, 102]],
		['00101,00102', [101, 102]],
		['1, 002', [1, 2]],
		['1,2,003', [1, 2, 3]],
		['1,234', [1, 234]],
		['012,013', [12, 13]],
		['101 012 7', [101, 12, 7]],
	])('may be %j', async (given, ids) => {
		const { refusal } = await exported(given);
		expect([refusal, idsSent(platform)[0]]).toEqual([undefined, ids]);
	});

	test.each<[string, unknown, RegExp]>([
		['a decimal one', [12, 13, 1.5], /^Session IDs, entry 3: .*1\.5/],
		['text', '12, abc, 14', /^Session IDs, entry 2: .*"abc"/],
		['an empty entry', '12,,14', /^Session IDs, entry 2: .*an empty entry/],
		['an empty entry at the end', '12,', /^Session IDs, entry 2: .*an empty entry/],
		['nothing', null, /^Session IDs: this expression came out empty/],
		['an object', { Id: 5 }, /^Session IDs: .*an object/],
		['one too large to be exact', 2 ** 53, /^Session IDs: .*9007199254740991/],
		['a power', '1e3', /^Session IDs: .*"1e3"/],
		['one as a sheet shows it', '1,002', /^Session IDs: "1,002" .* write 1002, for several write 1, 2\./],
		['one as a sheet shows it, with a sign', '-1,002', /^Session IDs: "-1,002" /],
		['a large one as a sheet shows it', '12,345,067', /^Session IDs: "12,345,067" .*12345067.*12, 345, 67\./],
		['one as a sheet shows it, in a column', '10482\n1,002\n1,003', /^Session IDs: "1,002" .*Session IDs: "1,003" /],
		['one as a sheet shows it, with a space', '1 002', /^Session IDs: "1 002" .* write 1002, for several write 1, 2\./],
		['one as a sheet shows it, with a narrow space', '1\u202f002', /^Session IDs: /],
	])('%s is refused, its place is named, and nothing is sent', async (_, given, message) => {
		expect((await exported(given)).refusal).toMatch(message);
		expect(platform.requests).toEqual([]);
	});

	test('that came as the text 007 are no whole numbers: nothing is exported', async () => {
		const body = JSON.stringify({ Items: [{ Id: '007', Status: 4 }], TotalCount: 1 });
		const headers = { 'content-type': 'application/json' };
		platform.faults.add({ kind: 'reply', body, headers, times: Infinity, match: { path: LIST_PATH } });
		const { refusal } = await runExport(platform, { operation: 'exportByFilter' });
		expect(refusal).toContain('have Ids such as "007", which cannot be exported');
		expect(exportRequests(platform)).toEqual([]);
	});

	test('beyond 2^53 keep their digits, from the parameter and in the column of the CSV', async () => {
		const [a, b] = ['9007199254740993', '9007199254740995'];
		answerWith(platform, `Id,Note\n${b},second\n${a},first\n`);
		const { file, json } = await runExport(platform, byIds(`${a}, ${b}`));
		expect(file).toBe(`Id,Note\n${a},first\n${b},second\n`);
		expect(json).toMatchObject({ sessionCount: 2, missingIds: [], lowestId: a, highestId: b });
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
		const result = await runExport(platform, gathered('session.Id'), { items });
		expect(result.file).toBe(await single(platform, [c, a, b, d]));
		expect(result.items.map(({ pairedItem }) => pairedItem)).toEqual([[0, 1, 2, 3, 4].map((item) => ({ item }))]);
	});

	test('gathered from input items: every unusable item is named', async () => {
		const items = [{ Id: 5 }, { Id: 2.5 }, { Name: 'x' }, { Id: '' }, { Id: '1,002' }, { Id: ' \t' }, { Id: '\u200b' }];
		const { refusal } = await runExport(platform, gathered('Id'), { items });
		for (const item of [1, 2, 3, 4, 5, 6]) expect(refusal).toContain(`Item ${item}, field Id`);
		expect(refusal).not.toContain('Item 0');
		expect(platform.requests).toHaveLength(0);
	});

	test('of each input item give a file of its own', async () => {
		const [a = 0, b = 0] = allIds(platform);
		const { items } = await runExport(platform, byIds('={{ $json.id }}'), { items: [{ id: a }, { id: b }, { id: a }] });
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
		expect(idsSent(platform)).toEqual([[a], [b], [a]]);
		expect((await fileOf(items[2])).toString()).toBe(await single(platform, [a]));
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
			const { file, json, notes } = await runExport(platform, byIds(ids.join(','), { idsPerRequest: 4 }));
			expect(file).toBe(await single(platform, known));
			expect(json).toMatchObject({ requestedCount: 11, sessionCount: 8, missingCount: 3, missingIds: gone });
			expect(notes).toContain('3 of 11 sessions are not in the file');
		});

		test('all of them: as When Nothing Matches says', async () => {
			const before = storedFiles();
			const { status, items, notes } = await runExport(platform, byIds(gone.join()));
			expect([status, items]).toEqual(['success', []]);
			expect(notes).toContain('The platform has none of the 3 sessions');
			const { json } = await runExport(platform, byIds(gone.join(), { whenNothingMatches: 'itemWithoutFile' }));
			expect(json).toMatchObject({ fileName: null, missingIds: gone });
			expect(storedFiles()).toEqual(before);
		});
	});

	test('a session deleted between list and export is reported as missing', async () => {
		const [at = 0, last = 0] = allIds(platform).slice(70, 72);
		platform.beforeList = () => setImmediate(() => platform.db.exec(`DELETE FROM sessions WHERE Id = ${at}`));
		const filters = { id: [{ operator: 'Lte', value: last }] };
		const { json } = await runExport(platform, { operation: 'exportByFilter', filters });
		expect(json).toMatchObject({ requestedCount: 72, sessionCount: 71, missingIds: [at] });
	});
});

describe('nothing to export', () => {
	const none = async (options: INodeParameters) =>
		await runExport(platform, {
			operation: 'exportByFilter',
			filters: { id: [{ operator: 'Lt', value: 0 }] },
			options,
		});

	test('gives no item by default', async () => {
		const { status, items, notes } = await none({});
		expect([status, items, exportRequests(platform)]).toEqual(['success', [], []]);
		expect(notes).toContain('No charging session matches the filter');
	});

	test('gives an item without a file if chosen', async () => {
		const { items } = await none({ whenNothingMatches: 'itemWithoutFile' });
		const json = { fileName: null, sessionCount: 0, requestedCount: 0, rowCount: 0, lowestId: null, sha256: null };
		expect(items).toMatchObject([{ json, pairedItem: { item: 0 } }]);
		expect(items[0]?.binary).toBeUndefined();
	});

	test('stops the workflow if chosen', async () => {
		const { error } = await none({ whenNothingMatches: 'fail' });
		expect(error?.message).toBe('No charging session matches the filter, so there is nothing to export');
	});

	test('although the platform counts some: the item says so, and what stops the workflow', async () => {
		platform.behaviour.totalCount = { offBy: 3 };
		const counted = 'The platform sent 0 charging sessions but counts 3';
		const { json } = await none({ whenNothingMatches: 'itemWithoutFile' });
		expect(json).toMatchObject({ requestedCount: 0, missingCount: 0, listNotes: [expect.stringContaining(counted)] });
		expect((await none({ whenNothingMatches: 'fail' })).refusal).toContain(counted);
	});

	test('gives no item for an empty list of Ids, and sends nothing', async () => {
		const items = [[], '', '[]'].map((given) => ({ given }));
		const result = await runExport(platform, byIds('={{ $json.given }}'), { items });
		expect([result.status, result.items, platform.requests]).toEqual(['success', [], []]);
	});
});

test('several files are complete CSV files, numbered, each with at most the chosen number of sessions', async () => {
	Object.assign(platform.behaviour.csv, { bom: true, finalNewline: false });
	const ids = allIds(platform).slice(0, 95);
	const options = { sessionsPerFile: 10, idsPerRequest: 7 };
	const { items } = await runExport(platform, { ...byIds(ids.join(','), options), fileName: 'report.csv' });
	expect(exportRequests(platform)).toHaveLength(9 * 2 + 1);
	expect(items).toHaveLength(10);
	for (const [index, item] of items.entries()) {
		const some = ids.slice(index * 10, index * 10 + 10);
		expect((await fileOf(item)).toString()).toBe(await single(platform, some));
		expect(item.json).toMatchObject({
			fileName: `report-part-${String(index + 1).padStart(2, '0')}-of-10.csv`,
			sessionCount: some.length,
			fileNumber: index + 1,
			fileCount: 10,
			requests: index < 9 ? 2 : 1,
		});
		expect([item.binary?.data?.fileName, item.pairedItem]).toEqual([item.json.fileName, { item: 0 }]);
	}
});

describe('Excel Umlauts', () => {
	test.each([
		['keep', true, true],
		['add', false, true],
		['add', true, true],
		['remove', true, false],
	])('%s the mark, when the platform sends one: %s', async (byteOrderMark, bom, expected) => {
		platform.behaviour.csv.bom = bom;
		const ids = allIds(platform).slice(0, 5);
		const { file } = await runExport(platform, byIds(ids.join(','), { byteOrderMark, idsPerRequest: 2 }));
		expect(file.startsWith('\uFEFF')).toBe(expected);
		expect(file.lastIndexOf('\uFEFF')).toBeLessThan(1);
	});

	test.each<[string, number, number, RegExp, string]>([
		['the first part', 2, 1, /not written in UTF-8.*Data → From Text\/CSV/, ''],
		['the first of several answers that make a part', 4, 0, /not written in UTF-8.*Data → From Text\/CSV/, ''],
		['the second part, after the mark was written', 2, 3, /As the Platform Sends It/, '\xef\xbb\xbf'],
	])(
		'does not fit Latin-1, and a note says what to do: it shows in %s',
		async (_, idsPerRequest, place, note, mark) => {
			const ids = allIds(platform).slice(0, 4);
			platform.db.exec(`UPDATE sessions SET (StationName, UserName, Note) = ('x', 'x', 'x') WHERE Id <= ${ids[3]}`);
			platform.db.exec(`UPDATE sessions SET Note = 'Übach' WHERE Id = ${ids[place]}`);
			platform.behaviour.csv.encoding = 'latin1';
			const asSent = (await platformExport(platform, ids)).toString('latin1');
			platform.exported = (some) => some.slice(0, 2);
			const exported = async (options: IDataObject) => {
				const { items, notes } = await runExport(platform, byIds(ids.join(','), { ...options, idsPerRequest }));
				return { file: (await fileOf(items[0])).toString('latin1'), notes };
			};
			const notes = expect.stringMatching(note) as string;
			expect(await exported({ byteOrderMark: 'add' })).toEqual({ file: mark + asSent, notes });
			expect(await exported({})).toEqual({ file: asSent, notes: '' });
		},
	);

	test('does not fit Latin-1: of several files, the note comes also where only the second has such text', async () => {
		const ids = allIds(platform).slice(0, 4);
		platform.db.exec(`UPDATE sessions SET (StationName, UserName, Note) = ('x', 'x', 'x') WHERE Id <= ${ids[3]}`);
		platform.db.exec(`UPDATE sessions SET Note = 'Übach' WHERE Id = ${ids[3]}`);
		platform.behaviour.csv.encoding = 'latin1';
		const options = { byteOrderMark: 'add', sessionsPerFile: 2 };
		const { items, notes } = await runExport(platform, byIds(ids.join(','), options));
		expect([items.length, notes]).toEqual([2, expect.stringContaining('not written in UTF-8')]);
	});
});

describe('the file', () => {
	test('is named after the month of the period, in the time zone of the workflow', async () => {
		const timezone = 'America/New_York';
		const month = DateTime.now().setZone(timezone).minus({ months: 1 }).toFormat('yyyy-MM');
		platform.db.exec(`UPDATE sessions SET StartedAtUtc = '${month}-15T12:00:00' WHERE Id < 100`);
		const startedAtUtc = [{ operator: 'InPeriod', period: 'lastMonth' }];
		const filters = { startedAtUtc, id: [{ operator: 'Lt', value: 100 }] };
		const { items, json } = await runExport(platform, { operation: 'exportByFilter', filters }, { timezone });
		const fileName = `charging-sessions-${month}.csv`;
		expect(json).toMatchObject({ fileName, period: { from: `${month}-01` } });
		expect(items[0]?.binary?.data).toMatchObject({ fileName, mimeType: 'text/csv', fileExtension: 'csv' });
	});

	test.each([
		// A date alone is the whole day, as the period says; the midnight of a date picker is not.
		['2026-10-31', '2026-10-31', [1, 2]],
		['2026-10-31T00:00:00', '2026-10-30', [1]],
	])('of a range to %s inclusive holds what its period says', async (to, last, ids) => {
		platform.db.exec("UPDATE sessions SET StartedAtUtc = '2026-10-05T12:00:00' WHERE Id = 1");
		platform.db.exec("UPDATE sessions SET StartedAtUtc = '2026-10-31T22:59:59' WHERE Id = 2");
		platform.db.exec("UPDATE sessions SET StartedAtUtc = '2026-10-31T23:00:00' WHERE Id = 3");
		const startedAtUtc = [{ operator: 'GteLte', from: '2026-10-01', to }];
		const filters = { startedAtUtc, id: [{ operator: 'Lt', value: 4 }] };
		const parameters = { operation: 'exportByFilter', filters } as INodeParameters;
		const { json, file } = await runExport(platform, parameters, { timezone: 'Europe/Berlin' });
		expect(json).toMatchObject({ sessionCount: ids.length, period: { from: '2026-10-01', to: last } });
		expect(json.fileName).toBe(`charging-sessions-2026-10${last.endsWith('31') ? '' : '-01-to-2026-10-30'}.csv`);
		expect(file).toBe(await single(platform, ids));
	});

	test('may have a name by expression, without characters that a file name cannot have, and a field of its own', async () => {
		const parameters = { ...byIds('12'), fileName: '={{ $json.customer }}', binaryPropertyName: 'report' };
		const customers = [{ customer: '../../etc/Müller & Söhne: "Q3"\u0000' }, { customer: '' }];
		const { items, json } = await runExport(platform, parameters, { items: customers });
		const fileName = 'etc-Müller & Söhne- -Q3-.csv';
		expect(json).toMatchObject({ fileName });
		expect(items[0]?.binary).toEqual({ report: expect.objectContaining({ fileName }) as object });
		expect(items[0]?.binary?.report?.directory).toBeUndefined();
		expect(items[1]?.json.fileName).toMatch(/^charging-sessions-exported-\d{4}-\d\d-\d\d\.csv$/);
	});
});

test('items tell what was odd about the list, and nothing if it was not', async () => {
	const some = { ...failed, options: { sessionsPerFile: 60 } };
	for (const { json } of (await runExport(platform, some)).items) {
		expect(json.complete).toBe(true);
		expect(json).not.toHaveProperty('listNotes');
	}
	platform.behaviour.totalCount = { offBy: 2 };
	const { items } = await runExport(platform, some);
	const { length } = allIds(platform, 'Status = 6');
	expect(items.length).toBeGreaterThan(2);
	for (const { json } of items) {
		expect(json.complete).toBe(false);
		expect(json.listNotes).toEqual([
			expect.stringContaining(`sent ${length} charging sessions but counts ${length + 2}`),
		]);
	}
});

describe('several files of one run', () => {
	const named = async (fileNames: string[], options: IDataObject = {}) => {
		const items = fileNames.map((fileName, index) => ({ fileName, ids: index === 1 ? '900000001' : '12,13' }));
		const parameters = { ...byIds('={{ $json.ids }}', options), fileName: '={{ $json.fileName }}' };
		const result = await runExport(platform, parameters, { items });
		const names = result.items.map(({ json, binary }) => {
			expect(json.fileName).toBe(binary?.data?.fileName);
			return binary?.data?.fileName ?? '';
		});
		return { names, notes: result.notes };
	};

	test('without a chosen name have different ones: none replaces another where it is uploaded', async () => {
		const { names, notes } = await named(['', '', '', '']);
		// No file is made for the second item.
		const base = names[0]?.replace('.csv', '');
		expect(base).toMatch(/^charging-sessions-exported-\d{4}-\d\d-\d\d$/);
		expect(names).toEqual([`${base}.csv`, `${base}-file-2.csv`, `${base}-file-3.csv`]);
		expect(notes).not.toContain('File Name');
	});

	test('in parts, too', async () => {
		const { names } = await named(['', '', ''], { sessionsPerFile: 1 });
		expect(names.map((name) => name.replace(/^.*-\d\d(?=-)/, ''))).toEqual([
			'-part-1-of-2.csv',
			'-part-2-of-2.csv',
			'-file-2-part-1-of-2.csv',
			'-file-2-part-2-of-2.csv',
		]);
	});

	test('with a chosen name that repeats keep it, and a note says how to name each', async () => {
		const { names, notes } = await named(['depot 1', 'x', 'Depot 1.csv', 'depot 2']);
		expect(names).toEqual(['depot 1.csv', 'Depot 1.csv', 'depot 2.csv']);
		expect(notes).toContain('More than one file of this run has the name "Depot 1.csv"');
		expect(notes).toContain('=sessions-{{ $json.depot }}');
		expect((await named(['a', 'b', 'c'])).notes).not.toContain('More than one file');
	});
});

test('formulas stay as sent, or are made harmless for spreadsheets if chosen', async () => {
	platform.db.exec(`UPDATE sessions SET UserName = '=cmd|'' /C calc''!A0', Price = -4.5, Note = '+x, y' WHERE Id = 12`);
	expect((await runExport(platform, byIds('12'))).file).toBe(await single(platform, [12]));
	const { file } = await runExport(platform, byIds('12', { escapeFormulas: true }));
	expect(file).toContain(`,'=cmd|' /C calc'!A0,-4.5,`);
	expect(file).toContain(`"'+x, y"`);
});
