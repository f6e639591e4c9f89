import { readPart } from '../../../../nodes/shared/csv/part';
import { Turns } from '../../../../nodes/shared/platform';
import { merge, readCsv } from '../../../support/csv.ts';

const text = (...files: string[]) => files.map((file) => [Buffer.from(file)]);
const merged = async (...files: string[]) => (await merge(text(...files))).bytes.toString();

/** Each byte as its own piece, so that everything that can be cut is cut. */
const byByte = (file: string) => [...Buffer.from(file)].map((byte) => Buffer.from([byte]));

describe('merging', () => {
	test('writes the header once, rows in order, and adds a line end only where one is missing', async () => {
		expect(await merged('Id,Name\r\n1,a\r\n', 'Id,Name\r\n2,b\r\n')).toBe('Id,Name\r\n1,a\r\n2,b\r\n');
		expect(await merged('Id,Name\r\n1,a', 'Id,Name\r\n2,b')).toBe('Id,Name\r\n1,a\r\n2,b');
		expect(await merged('Id,Name\n1,a\n', 'Id,Name\n2,b', 'Id,Name\n3,c')).toBe('Id,Name\n1,a\n2,b\n3,c');
	});

	test('parts without records add nothing, whether their header ends in a line end or not', async () => {
		expect(await merged('Id,Name', 'Id,Name', 'Id,Name\r\n2,b', 'Id,Name')).toBe('Id,Name\r\n2,b');
		expect(await merged('Id,Name\n', 'Id,Name\n')).toBe('Id,Name\n');
	});

	test('writes the line that tells Excel the delimiter once, at the start', async () => {
		const start = 'sep=;\r\nId;Name, first\r\n';
		expect(await merged(`${start}1;a\r\n`, `${start}2;b, c\r\n`, start, start.trimEnd())).toBe(
			`${start}1;a\r\n2;b, c\r\n`,
		);
	});

	test('keeps bytes that are not UTF-8 unchanged', async () => {
		const latin = Buffer.from('Id;Ort\n1;M\xfcnchen\n', 'latin1');
		expect(
			(await merge([[latin], [latin]])).bytes.equals(Buffer.from('Id;Ort\n1;M\xfcnchen\n1;M\xfcnchen\n', 'latin1')),
		).toBe(true);
	});
});

describe('counting records', () => {
	const records = async (file: string) => (await readCsv(byByte(file))).records.length;

	test.each([
		['quotes that do not begin a field', 'Id,Size\n1,19" rack\n2,5"\n', 2],
		['commas and line ends inside quotes', 'Id,Note\n1,"a,\nb"\n2,"c\r\n\r\nd"\n', 2],
		['doubled quotes, also at the ends of a field', 'Id,Note\n1,"""a"""\n2,""\n3,""""\n', 3],
		['text after a closing quote', 'Id,Note\n1,"a"b\n2,c\n', 2],
		['blank lines, which are none', 'Id,Note\n\n1,a\r\n\r\n2,b\n\n', 2],
		['empty fields, which are some', 'Id,Note\n,\n,\n', 2],
		['another delimiter than a comma', 'Id;Note;Place\n1;5" a, b;"c\nd"\n', 1],
		['a line for Excel before the header', 'sep=;\nId;Note,Place,Name\n1;"a\nb"\n', 1],
		['a carriage return inside a field', 'Id,Note\n1,a\rb\n', 1],
		['a header over two lines', 'Id,"Note\nlong"\n1,a\n', 1],
		['a header alone', 'Id,Note', 0],
		['a quoted header alone', '"Id","Note"', 0],
		['no line end after the last record', 'Id,Note\n1,a\n2,b', 2],
		['trailing fields left out everywhere', 'Id,Note,Place\n1,a\n2,b', 2],
	])('%s', async (_, file, expected) => {
		expect(await records(file)).toBe(expected);
	});
});

test.each([
	['half a record', 'Id,Note,Place\n1,a,b\n2,c', true],
	['half of the only record', 'Id,Note,Place\n1,a', true],
	['half of the only record, after a line for Excel', 'sep=;\nId;Note;Place\n1;a', true],
	['a short line with totals', 'Id,Note,Place\n1,a,b\nTotal', true],
	['a whole record without a line end', 'Id,Note,Place\n1,a,b\n2,c,d', false],
	['a short record with a line end', 'Id,Note,Place\n1,a,b\n2,c\n', false],
])('notices that the last record may be cut off: %s', async (_, file, endsEarly) => {
	expect(await readCsv([Buffer.from(file)])).toMatchObject({ endsEarly });
});

test.each([
	['one column', 'Id\n1\n2\n', 'Id', 2],
	['a header like its records', 'Name,Note\na,b\nId,c\n', 'Name,Note', 2],
	['records that end in a delimiter, below the Id', 'Id,Note\n1,a,\n2,b,\n', 'Id,Note', 2],
	['a quoted header over two lines', 'No,"Note\r\nlong"\r\n1,a\r\n', 'No,"Note\r\nlong"', 1],
])('the first line is the header: %s; and the merged file keeps every byte', async (_, file, header, count) => {
	const part = await readCsv(byByte(file));
	expect([part.header, part.records.length]).toEqual([header, count]);
	expect(await merged(file)).toBe(file);
});

test('more than these sessions need is not read', async () => {
	let sent = 0;
	async function* endless(line: string) {
		yield await Promise.resolve(Buffer.from('Id,Note\n'));
		for (const piece = Buffer.from(line.repeat(65_536 / line.length)); ; sent += piece.length) yield piece;
	}
	for (const line of ['1,a\n', '1,abcdefghijklmnopqrstuvwxyz01\n', ',', '"', '\n']) {
		sent = 0;
		await expect(readCsv(endless(line), 1)).rejects.toMatchObject({ problem: 'too-large' });
		expect(sent).toBeLessThan(2 * 1024 ** 2);
		sent = 0;
		await expect(readCsv(endless(line), 5000)).rejects.toMatchObject({ problem: 'too-large' });
		expect(sent).toBeLessThan(33 * 1024 ** 2);
	}
	const lines = Buffer.from(`Id,Note\n${'1,\n'.repeat(100_000)}`);
	await expect(readCsv([lines], 1)).rejects.toMatchObject({ problem: 'too-large' });
	expect((await readCsv([lines], 5000)).records).toHaveLength(100_000);
});

test('parsing stops with the execution', async () => {
	const stop = new AbortController();
	const file = Buffer.from(`Id,Note\n${'1,abcdefgh\n'.repeat(80_000)}`);
	const reading = readPart([file], { sessions: 5000, turns: new Turns(stop.signal), hideSecrets: (text) => text });
	stop.abort();
	await expect(reading).rejects.toMatchObject({ kind: 'canceled' });
});

/** One character for each byte. */
const UTF16 = Buffer.from('\uFEFFId,Name\n1,a\n', 'utf16le').toString('latin1');

describe('what is not CSV', () => {
	test.each([
		['nothing', '', 'empty'],
		['a byte order mark alone', '\uFEFF', 'empty'],
		['white space', ' \r\n\r\n', 'empty'],
		['a web page', '<!DOCTYPE html>\r\n<html><head><title>502, Bad Gateway</title></head></html>', 'not-csv'],
		['a web page after a comment', '\uFEFF <!-- x --><html><body>Login, please</body></html>', 'not-csv'],
		['XML', '<?xml version="1.0"?><Error><Code>1</Code></Error>', 'not-csv'],
		['JSON', '{\n  "Message": "Oops, not today"\n}', 'not-csv'],
		['a JSON list', '[{"Id":1,"Name":"a"}]', 'not-csv'],
		['a sentence', 'Service unavailable', 'message'],
		['a title', 'Sessions of October\r\nId;Note\r\n1;a\r\n', 'not-csv'],
		['a title with a comma', 'Sessions, all\nNo,Note,Place\n1,a,b\n', 'not-csv'],
		['a title without records', 'October\nId,Note\n', 'not-csv'],
		['a blank line before the header', '\nId,Note\n1,a\n', 'not-csv'],
		['lines that end in CR alone', 'Id,Note\r1,"a\nb"\r2,c\r', 'not-csv'],
		['bars between the cells', 'No|Note\n1|a\n', 'not-csv'],
		['a line for Excel that names another delimiter', 'sep=:\nId:Note\n1:a\n', 'not-csv'],
		['one column that is not the Id', 'Result\nOut of memory\n', 'not-csv'],
		['a packed file', 'PK\u0003\u0004,,,,\n1,2,3', 'not-csv'],
		['UTF-16', UTF16, 'not-csv'],
		['an open quote', 'Id,Note\n1,"a', 'cut-off'],
		['an open quote in a header after a line for Excel', 'sep=;\nId;"Note', 'cut-off'],
	])('%s is refused', async (_, file, problem) => {
		const bytes = Buffer.from(file, file === UTF16 ? 'latin1' : 'utf8');
		await expect(readCsv([bytes])).rejects.toMatchObject({ name: 'CsvFault', problem });
	});

	test('an error while the bytes arrive is passed on', async () => {
		async function* broken() {
			yield await Promise.resolve(Buffer.from('Id,Name\n1,a\n'));
			throw new Error('connection lost');
		}
		await expect(readCsv(broken())).rejects.toThrow('connection lost');
	});
});
