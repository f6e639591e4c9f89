import { createHash } from 'node:crypto';

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
	LIST_PATH,
	isUnknown,
	listRequests,
	platformExport,
	runExport,
	spoilExports,
	storedFiles,
} from '../../support/export.ts';

let platform: StandIn;
exportTests({ sessions: 12_000, stations: 30 }, (started) => (platform = started));

describe("one file, byte for byte equal to the platform's single export", () => {
	test.each(DIALECTS)('by filter, with CSV written as %j', async (csv) => {
		Object.assign(platform.behaviour.csv, csv);
		const ids = idsBySql(platform, 'SELECT Id FROM sessions WHERE Status = 6 ORDER BY Id');
		expect(ids.length).toBeGreaterThan(1000);
		const { items, status } = await runExport(platform, {
			operation: 'exportByFilter',
			filters: { status: [{ operator: 'Eq', value: '6' }] },
			logic: 'And',
			options: { idsPerRequest: 300 },
		});
		expect(status).toBe('success');
		expect(items).toHaveLength(1);
		const file = await fileOf(items[0]);
		const single = await platformExport(platform, ids);
		expect(file.equals(single)).toBe(true);
		// The file has all that makes CSV hard: quotes, delimiters, line ends inside quotes, umlauts.
		expect(single.toString()).toMatch(/""[^]*\n[^]*Müller/);
		expect(items[0]?.json).toMatchObject({
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
	});

	test('rows follow the chosen sort', async () => {
		const ids = idsBySql(platform, 'SELECT Id FROM sessions WHERE Status = 6 ORDER BY StartedAtUtc DESC, Id ASC');
		const { items } = await runExport(platform, {
			operation: 'exportByFilter',
			filters: { status: [{ operator: 'Eq', value: '6' }] },
			sort: { by: [{ field: 'StartedAtUtc', direction: 'Desc' }] },
			options: { idsPerRequest: 250 },
		});
		expect((await fileOf(items[0])).equals(await platformExport(platform, ids))).toBe(true);
	});

	test.each([1, 499, 500, 501, 10_000])('%i ids', async (count) => {
		const ids = allIds(platform).reverse().slice(0, count);
		const { items } = await runExport(platform, byIds(ids.join(', ')));
		expect((await fileOf(items[0])).equals(await platformExport(platform, ids))).toBe(true);
		expect(items[0]?.json).toMatchObject({ requestedCount: count, sessionCount: count });
		expect(items[0]?.json.requests).toBe(Math.ceil(count / 500));
	});
});

test('a session with a negative Id is found in the column of its Ids', async () => {
	const [id = 0] = allIds(platform);
	platform.db.exec(`UPDATE sessions SET Id = -5 WHERE Id = ${id}`);
	const filters = { id: [{ operator: 'Lt', value: 0 }] };
	const { items, hints } = await runExport(platform, { operation: 'exportByFilter', filters });
	expect((await fileOf(items[0])).equals(await platformExport(platform, [-5]))).toBe(true);
	expect(items[0]?.json).toMatchObject({ sessionCount: 1, lowestId: -5, identityChecked: true });
	expect(hints).toEqual([]);
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

describe('session ids', () => {
	test.each([
		['a number', (ids: number[]) => ids[0]],
		['a list of numbers', (ids: number[]) => ids],
		['a list of texts', (ids: number[]) => ids.map(String)],
		['text with commas', (ids: number[]) => ids.join(', ')],
		['text with semicolons and a last one', (ids: number[]) => `${ids.join(';')};`],
		['text with line ends', (ids: number[]) => `${ids.join('\r\n')}\r\n`],
		['text with tabs and spaces', (ids: number[]) => ` ${ids.join('\t')} `],
		['a JSON list', (ids: number[]) => JSON.stringify(ids)],
		['text in quotes', (ids: number[]) => ids.map((id) => `"${id}"`).join()],
	])('as %s', async (_, write) => {
		const ids = allIds(platform).slice(100, 104);
		const given = write(ids);
		const { items, error } = await runExport(platform, byIds('={{ $json.given }}'), { items: [{ given }] });
		expect(error).toBeUndefined();
		const asked = typeof given === 'number' ? [given] : ids;
		expect((await fileOf(items[0])).equals(await platformExport(platform, asked))).toBe(true);
	});

	test.each(['-5', -5, '[-5]'])('below zero: %j', async (given) => {
		platform.db.exec('UPDATE sessions SET Id = -5 WHERE Id = (SELECT max(Id) FROM sessions)');
		const { items, error } = await runExport(platform, byIds('={{ $json.given }}'), { items: [{ given }] });
		expect(error?.message).toBeUndefined();
		expect(idsSent(platform)).toEqual([[-5]]);
		expect(items).toHaveLength(1);
	});

	test.each([
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
		const { error, items } = await runExport(platform, byIds('={{ $json.given }}'), {
			items: [{ given: given as never }],
		});
		expect(error?.message).toContain(`${place}:`);
		expect(error?.message).toContain(what);
		expect(items).toHaveLength(0);
		expect(platform.requests).toHaveLength(0);
	});

	test.each(['007', 'a1'])(
		'an Id that came as the text %s is no whole number: refused, nothing is exported',
		async (id) => {
			const body = JSON.stringify({ Items: [{ Id: id, Status: 4 }], TotalCount: 1 });
			const headers = { 'content-type': 'application/json' };
			platform.faults.add({ kind: 'reply', body, headers, times: Infinity, match: { path: LIST_PATH } });
			const { error, items } = await runExport(platform, { operation: 'exportByFilter' });
			expect(error?.message).toContain(`have Ids such as "${id}", which cannot be exported`);
			expect(items).toEqual([]);
			expect(exportRequests(platform)).toEqual([]);
		},
	);

	test('Ids beyond 2^53 keep their digits, from the parameter and in the column of the CSV', async () => {
		const [a, b] = ['9007199254740993', '9007199254740995'];
		const headers = { 'content-type': 'text/csv' };
		const lines = [`Id,Note`, `${b},second`, `${a},first`, ''];
		platform.faults.add({ kind: 'reply', body: lines.join('\n'), headers, match: { path: EXPORT_PATH } });
		const { items, error } = await runExport(platform, byIds(`${a}, ${b}`));
		expect(error?.message).toBeUndefined();
		expect((await fileOf(items[0])).toString()).toBe(`Id,Note\n${a},first\n${b},second\n`);
		expect(items[0]?.json).toMatchObject({ sessionCount: 2, missingIds: [], lowestId: a, highestId: b });
	});

	test('gathered from all input items: one file, duplicates dropped, order kept, paired with all items', async () => {
		const ids = allIds(platform).slice(40, 46);
		const [a, b, c, d, e, f] = ids;
		const { items } = await runExport(
			platform,
			{ operation: 'exportByIds', sessionIdsFrom: 'items', idField: 'session.Id' },
			{
				items: [
					{ session: { Id: c } },
					{ session: { Id: String(a) } },
					{ 'session.Id': b },
					{ session: { Id: c } },
					{ session: { Id: [f, d] } },
					{ session: { Id: `${e},${a}` } },
				],
			},
		);
		expect(items).toHaveLength(1);
		expect((await fileOf(items[0])).equals(await platformExport(platform, [c, a, b, f, d, e] as number[]))).toBe(true);
		expect(items[0]?.pairedItem).toEqual([0, 1, 2, 3, 4, 5].map((item) => ({ item })));
	});

	test('gathered from input items: every unusable item is named', async () => {
		const { error } = await runExport(
			platform,
			{ operation: 'exportByIds', sessionIdsFrom: 'items', idField: 'Id' },
			{ items: [{ Id: 5 }, { Id: 2.5 }, { Name: 'x' }, { Id: '3.5' }, { Id: '' }] },
		);
		const text = `${error?.message} ${error?.description ?? ''}`;
		for (const place of ['Item 1, field Id', 'Item 2, field Id', 'Item 3, field Id', 'Item 4, field Id'])
			expect(text).toContain(place);
		expect(text).not.toContain('Item 0');
		expect(platform.requests).toHaveLength(0);
	});

	test('each input item gives its own file', async () => {
		const [a, b] = allIds(platform).slice(7, 9) as [number, number];
		const { items } = await runExport(platform, byIds('={{ $json.id }}'), { items: [{ id: a }, { id: b }, { id: a }] });
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
		expect(idsSent(platform)).toEqual([[a], [b], [a]]);
		expect((await fileOf(items[2])).equals(await platformExport(platform, [a]))).toBe(true);
		expect(items[0]?.json).not.toBe(items[2]?.json);
	});
});

describe('sessions that the platform does not have', () => {
	test.each([true, false])(
		'are reported, and the rest is exported (unknown ids left out: %s)',
		async (omitsUnknown) => {
			if (!omitsUnknown) spoilExports(platform, { kind: 'status', status: 404 }, (some) => some.some(isUnknown));
			const known = allIds(platform).slice(0, 8);
			const ids = [900_000_001, ...known.slice(0, 5), 900_000_002, ...known.slice(5), 900_000_003];
			const { items, hints, status } = await runExport(platform, byIds(ids.join(','), { idsPerRequest: 4 }));
			expect(status).toBe('success');
			expect((await fileOf(items[0])).equals(await platformExport(platform, known))).toBe(true);
			expect(items[0]?.json).toMatchObject({
				requestedCount: 11,
				sessionCount: 8,
				missingCount: 3,
				missingIds: [900_000_001, 900_000_002, 900_000_003],
			});
			expect(hints.map(({ message }) => message).join()).toContain('3 of 11 sessions are not in the file');
		},
	);

	test.each([true, false])(
		'all of them unknown: as When Nothing Matches says, whether a header comes or a refusal (a header: %s)',
		async (omitsUnknown) => {
			if (!omitsUnknown) spoilExports(platform, { kind: 'status', status: 404 }, (some) => some.some(isUnknown));
			const before = storedFiles();
			const { items, hints, status } = await runExport(platform, byIds('900000001, 900000002'));
			expect([status, items]).toEqual(['success', []]);
			expect(hints.map(({ message }) => message).join()).toContain('The platform has none of the 2 sessions');

			const options = { whenNothingMatches: 'itemWithoutFile' };
			const chosen = await runExport(platform, byIds('900000001, 900000002', options));
			expect(chosen.items[0]?.json).toMatchObject({ fileName: null, missingIds: [900_000_001, 900_000_002] });
			expect(chosen.items[0]?.binary).toBeUndefined();

			const stopped = await runExport(platform, byIds('900000001', { whenNothingMatches: 'fail' }));
			expect(stopped.error?.message).toContain('The platform has none of the 1 sessions');
			expect(storedFiles()).toEqual(before);
		},
	);

	test('all of them in the list, but in no CSV: a file without records, and its item names them', async () => {
		const [a, b] = allIds(platform) as [number, number];
		const empty = await platformExport(platform, [900_000_001]);
		platform.exported = () => [];
		const { items } = await runExport(platform, byIds(`${a}, ${b}`));
		expect((await fileOf(items[0])).equals(empty)).toBe(true);
		expect(items[0]?.json).toMatchObject({ rowCount: 0, missingReasons: { leftOut: [a, b] } });
	});

	test('a session deleted between list and export is reported as missing', async () => {
		platform.beforeList = undefined;
		const ids = idsBySql(platform, 'SELECT Id FROM sessions WHERE Status = 6 ORDER BY Id');
		const gone = ids[700] ?? 0;
		const lastPage = Math.ceil(ids.length / 100);
		platform.beforeList = ({ count }) => {
			if (count === lastPage) setImmediate(() => platform.db.exec(`DELETE FROM sessions WHERE Id = ${gone}`));
		};
		const { items } = await runExport(platform, {
			operation: 'exportByFilter',
			filters: { status: [{ operator: 'Eq', value: '6' }] },
			options: { parallelRequests: 1 },
		});
		expect(items[0]?.json).toMatchObject({
			requestedCount: ids.length,
			sessionCount: ids.length - 1,
			missingIds: [gone],
		});
	});
});

describe('nothing to export', () => {
	const none = { operation: 'exportByFilter', filters: { id: [{ operator: 'Lt', value: 0 }] } };

	test('gives no item by default', async () => {
		const { items, hints, status } = await runExport(platform, none);
		expect([status, items]).toEqual(['success', []]);
		expect(hints.map(({ message }) => message).join()).toContain('No charging session matches the filter');
		expect(exportRequests(platform)).toHaveLength(0);
	});

	test('gives an item without a file if chosen', async () => {
		const { items } = await runExport(platform, { ...none, options: { whenNothingMatches: 'itemWithoutFile' } });
		expect(items).toHaveLength(1);
		expect(items[0]).toMatchObject({
			json: { fileName: null, sessionCount: 0, requestedCount: 0, rowCount: 0, lowestId: null, sha256: null },
			pairedItem: { item: 0 },
		});
		expect(items[0]?.binary).toBeUndefined();
	});

	test('stops the workflow if chosen', async () => {
		const { error, status } = await runExport(platform, { ...none, options: { whenNothingMatches: 'fail' } });
		expect(status).toBe('error');
		expect(error?.message).toBe('No charging session matches the filter, so there is nothing to export');
	});

	test('gives no item for an empty list of ids, and sends nothing', async () => {
		for (const given of [[], '', '[]']) {
			const { items, status } = await runExport(platform, byIds('={{ $json.given }}'), { items: [{ given }] });
			expect([status, items]).toEqual(['success', []]);
		}
		expect(platform.requests).toHaveLength(0);
	});
});

describe('too many sessions at once', () => {
	test.each([
		[413, 200],
		[400, 200],
		[413, 7],
		[400, 1],
	] as const)('status %i above %i ids: goes on with half as many, and the file is complete', async (status, most) => {
		const ids = allIds(platform).slice(0, most < 10 ? 60 : 1700);
		const single = await platformExport(platform, ids);
		spoilExports(platform, { kind: 'status', status }, (some) => some.length > most);
		platform.requests.length = 0;
		const { items, error } = await runExport(platform, byIds(ids.join(',')));
		expect(error).toBeUndefined();
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

describe('several files', () => {
	test('are complete CSV files, numbered, each with at most the chosen number of sessions', async () => {
		Object.assign(platform.behaviour.csv, { bom: true, finalNewline: false });
		const ids = allIds(platform).slice(0, 1050);
		const { items } = await runExport(platform, {
			...byIds(ids.join(','), { sessionsPerFile: 100, idsPerRequest: 70 }),
			fileName: 'report.csv',
		});
		expect(items).toHaveLength(11);
		for (const [index, item] of items.entries()) {
			const some = ids.slice(index * 100, index * 100 + 100);
			expect((await fileOf(item)).equals(await platformExport(platform, some))).toBe(true);
			expect(item.json).toMatchObject({
				fileName: `report-part-${String(index + 1).padStart(2, '0')}-of-11.csv`,
				sessionCount: some.length,
				fileNumber: index + 1,
				fileCount: 11,
			});
			expect(item.binary?.data?.fileName).toBe(item.json.fileName);
			expect(item.pairedItem).toEqual({ item: 0 });
		}
		expect(items.reduce((sum, { json }) => sum + Number(json.requests), 0)).toBe(exportRequests(platform).length - 11);
	});
});

describe('byte order mark', () => {
	test.each([
		['keep', false, false],
		['keep', true, true],
		['add', false, true],
		['add', true, true],
		['remove', true, false],
		['remove', false, false],
	])('%s, when the platform sends one: %s', async (byteOrderMark, bom, expected) => {
		platform.behaviour.csv.bom = bom;
		const { items } = await runExport(
			platform,
			byIds(allIds(platform).slice(0, 5).join(','), { byteOrderMark, idsPerRequest: 2 }),
		);
		const text = (await fileOf(items[0])).toString();
		expect(text.startsWith('\uFEFF')).toBe(expected);
		expect(text.lastIndexOf('\uFEFF')).toBeLessThan(1);
	});
});

describe('Excel Umlauts with text that is not UTF-8', () => {
	/** Exports sessions in two parts, of which these have a Ü, as a platform that writes Latin-1 does. */
	const inLatin1 = async (withUmlaut: (place: number) => boolean, byteOrderMark: string) => {
		const ids = allIds(platform).slice(0, 4);
		platform.db.exec(`UPDATE sessions SET (StationName, UserName, Note) = ('x', 'x', 'x') WHERE Id <= ${ids[3]}`);
		for (const id of ids.filter((_, place) => withUmlaut(place)))
			platform.db.exec(`UPDATE sessions SET Note = 'Übach' WHERE Id = ${id}`);
		platform.behaviour.encoding = 'latin1';
		const { items, hints } = await runExport(platform, byIds(ids.join(','), { byteOrderMark, idsPerRequest: 2 }));
		const file = await fileOf(items[0]);
		return { isAsSent: file.equals(await platformExport(platform, ids)), file, hints: hints.map((h) => h.message) };
	};

	test('no mark of UTF-8 is put before it, and a note says what to do', async () => {
		const { isAsSent, hints } = await inLatin1((place) => place === 1, 'add');
		expect(isAsSent).toBe(true);
		expect(hints).toEqual([expect.stringContaining('not written in UTF-8')]);
		expect(hints[0]).toContain('Data → From Text/CSV');
	});

	test('where it shows only after the mark was written, a note says so', async () => {
		const { file, hints } = await inLatin1((place) => place === 3, 'add');
		expect(file.toString('latin1')).toMatch(/^\xef\xbb\xbf[^]*\xdcbach/);
		expect(hints).toEqual([expect.stringContaining('As the Platform Sends It')]);
	});

	test('without the option there is nothing to say', async () => {
		expect(await inLatin1(() => true, 'keep')).toMatchObject({ isAsSent: true, hints: [] });
	});
});

describe('file name', () => {
	const named = async (parameters: object, timezone = 'UTC') =>
		(
			await runExport(
				platform,
				{ operation: 'exportByFilter', options: { whenNothingMatches: 'itemWithoutFile' }, ...parameters } as never,
				{ timezone },
			)
		).items[0];

	test('names the month of the period, in the time zone of the workflow', async () => {
		const month = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 1, 15))
			.toISOString()
			.slice(0, 7);
		platform.db.exec(`UPDATE sessions SET StartedAtUtc = '${month}-15T12:00:00' WHERE Id < 100`);
		for (const timezone of ['UTC', 'America/New_York', 'Asia/Tokyo']) {
			const item = await named(
				{
					filters: {
						startedAtUtc: [{ operator: 'InPeriod', period: 'lastMonth' }],
						id: [{ operator: 'Lt', value: 100 }],
					},
				},
				timezone,
			);
			expect(item?.json.fileName).toBe(`charging-sessions-${month}.csv`);
			expect(item?.json.period).toMatchObject({ from: `${month}-01` });
			expect(item?.binary?.data).toMatchObject({
				fileName: `charging-sessions-${month}.csv`,
				mimeType: 'text/csv',
				fileExtension: 'csv',
			});
		}
		expect(listRequests(platform).length).toBeGreaterThan(0);
	});

	test('may be an expression, and characters that a file name cannot have are replaced', async () => {
		const [id] = allIds(platform);
		const { items } = await runExport(
			platform,
			{ ...byIds(String(id)), fileName: '={{ $json.customer }}' },
			{ items: [{ customer: '../../etc/Müller & Söhne: "Q3"\u0000' }, { customer: '' }] },
		);
		expect(items[0]?.json.fileName).toBe('etc-Müller & Söhne- -Q3-.csv');
		expect(items[0]?.binary?.data).toMatchObject({ fileName: 'etc-Müller & Söhne- -Q3-.csv' });
		expect(items[0]?.binary?.data?.directory).toBeUndefined();
		expect(items[1]?.json.fileName).toMatch(/^charging-sessions-exported-\d{4}-\d\d-\d\d\.csv$/);
	});

	test('the file goes into the field asked for', async () => {
		const [id] = allIds(platform) as [number];
		const { items } = await runExport(platform, { ...byIds(String(id)), binaryPropertyName: 'report' });
		expect((await fileOf(items[0], 'report')).equals(await platformExport(platform, [id]))).toBe(true);
		expect(Object.keys(items[0]?.binary ?? {})).toEqual(['report']);
	});
});
