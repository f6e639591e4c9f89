import type { StandIn } from '../../platform/index.ts';
import { allIds, answerWith, byIds, exportTests, runExport, spoilExports, storedFiles } from '../../support/export.ts';

let platform: StandIn;
exportTests({ sessions: 10, stations: 5 }, (started) => (platform = started));

/** Exports these sessions, to which the platform always answers with this file. */
async function exported(body: string, ids = '1,2') {
	answerWith(platform, body);
	return await runExport(platform, byIds(ids));
}

test.each([
	['quotes that do not begin a cell', 'Id,Size\n1,19" rack\n2,5"\n', 2],
	['commas and line ends inside quotes', 'Id,Note\n1,"a,\nb"\n2,"c\r\n\r\nd"\n', 2],
	['doubled quotes, also at the ends of a cell', 'Id,Note\n1,"""a"""\n2,""\n2,""""\n', 3],
	['text after a closing quote', 'Id,Note\n1,"a"b\n2,c\n', 2],
	['a carriage return inside a cell', 'Id,Note\n1,a\rb\n2,c\n', 2],
	['semicolons', 'Id;Note;Place\n1;5" a, b;"c\nd"\n2;;\n', 2],
	['tabs', 'Id\tNote\n1\ta;b,c,d\n2\t\n', 2],
	['a line for Excel before the header', 'sep=;\r\nId;Note,Place,Name\r\n1;"a\r\nb"\r\n2;\r\n', 2],
	['a header over two lines', 'No,"Note\r\nlong"\r\n1,a\r\n2,b\r\n', 2],
	['no line end after the last record', 'Id,Note\n1,a\n2,b', 2],
	['a header without a line end', 'Id,Note', 0],
	['the session Id in a quoted column of its own', 'Id,"Session ID"\n7,"1"\n8,"2"\n', 2],
	['trailing cells left out everywhere', 'Id,Note,Place\n1,a\n2,b', 2],
	['cells that hold the delimiter without quotes', 'Id,Energy,Name\n1,4,5,a\n2,7,Köln, Ring\n', 2],
	['records that end in a delimiter, below the Id', 'Id,Note\n1,a,\n2,b,\n', 2],
])('every byte is kept: %s', async (_, body, rowCount) => {
	const { file, json, refusal } = await exported(body);
	expect([refusal, file, json.rowCount]).toEqual([undefined, body, rowCount]);
});

test.each([
	['a record cut off in its last cell but one, which is asked for again', 'Id,Note,Place\n1,a,b\n2,c', [2]],
	['a record cut off in quotes, which is asked for again', 'Id,Note,Place\n1,a,b\n2,"c', [2]],
	['the only record, cut off', 'Id,Note,Place\n1,a', [1, 2]],
	['the only record, cut off in quotes', 'Id,Note\n1,"a', [1, 2]],
	['a cut record of another session, with the last one of those asked for', 'Id,Note,Place\n1,a,b\n2,c,d\n3', [2]],
])('%s, is not in the file', async (_, body, missingIds) => {
	const { file, json } = await exported(body);
	const records = body.split('\n').slice(0, 3 - missingIds.length);
	expect(file).toBe(`${records.join('\n')}\n`);
	expect(json.missingIds).toEqual(missingIds);
});

test('headers between the records, as where pages were joined, are kept out and counted', async () => {
	const { file, json } = await exported('Id,Note\n1,a\nId,Note\n2,b\nId,Note\n');
	expect(file).toBe('Id,Note\n1,a\n2,b\n');
	expect(json).toMatchObject({ rowCount: 2, missingCount: 0, foreignCount: 2, identityChecked: true, complete: true });
});

test('parts of which the delimiters differ make no file', async () => {
	for (const [index, body] of ['Id,Note\n1,a\n', 'Id;Note\n2;b\n'].entries()) answerWith(platform, body, index + 1);
	const { items, refusal } = await runExport(platform, byIds('1,2', { idsPerRequest: 1 }));
	expect(items).toEqual([]);
	expect(refusal).toMatch(/^The platform sent two parts of the export with different columns/);
});

test('where rows of other sessions come, such as line numbers in a column called Id, the file is not called complete', async () => {
	const { json } = await exported('Id,Session\n1,1\n2,1\n3,2\n4,2\n');
	expect(json).toMatchObject({ missingCount: 0, foreignCount: 2, identityChecked: true, complete: false });
});

const NO_CSV = /other than CSV text/;
const NO_COLUMNS = /^The first line of the platform’s CSV does not name its columns That line is “/;
const CUT = /^The CSV that the platform sent ends in the middle of a record/;

test.each<[string, string, RegExp]>([
	['no text', '\uFEFF \r\n', /an empty file/],
	[
		'a web page after a comment',
		'\uFEFF <!-- x --><html><body>Login, please</body></html>',
		/a web page instead of CSV/,
	],
	['a JSON list', '[{"Id":1,"Name":"a"}]', /JSON instead of CSV/],
	['a JSON object', '{"Message":"no"}', /JSON instead of CSV/],
	[
		'a sentence',
		'Service unavailable',
		/a single line of text instead of CSV The platform says: “Service unavailable”/,
	],
	['CSV in one JSON text', JSON.stringify('Id,Note\r\n1,a\r\n2,b\r\n'), /a single line of text instead of CSV/],
	['a title', 'Sessions of October\r\nId;Note\r\n1;a\r\n', NO_COLUMNS],
	['a blank line before the header', '\nId,Note\n1,a\n', NO_COLUMNS],
	['lines that end in CR alone', 'Id,Note\r1,"a\nb"\r2,c\r', /lines that end in LF or CR LF/],
	['one column that is not the Id', 'Result\nOut of memory\n', NO_COLUMNS],
	['a packed file', 'PK\u0003\u0004\u0000,,,,\n1,2,3', NO_CSV],
	['UTF-16', 'I\0d\0,\0N\0\n\x001\0,\0a\0', NO_CSV],
	['an open quote in a header after a line for Excel', 'sep=;\nId;"Note', CUT],
	['a record cut off where no column names the sessions', 'No,Note,Place\n1,a,b\n2,c', CUT],
])('%s is refused with a reason, and leaves no file', async (_, body, message) => {
	const before = storedFiles();
	const { items, refusal } = await exported(body);
	expect(refusal).toMatch(message);
	expect([items, storedFiles()]).toEqual([[], before]);
});

test('more than 32 MB in one part is refused for one session, and asked for in halves for several', async () => {
	const [a = 0, b = 0] = allIds(platform);
	const body = `Id,Note\n${a},${'x'.repeat(33 * 1024 ** 2)}\n`;
	const headers = { 'content-type': 'text/csv' };
	spoilExports(platform, { kind: 'reply', body, headers }, (ids) => ids.length > 1);
	const { json } = await runExport(platform, byIds(`${a},${b}`));
	expect(json).toMatchObject({ sessionCount: 2, missingCount: 0, requests: 3 });
	expect((await exported(body, `${a}`)).error?.message).toContain('more than 32 MB');
});
