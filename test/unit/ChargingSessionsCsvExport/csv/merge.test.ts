import { readPart } from '../../../../nodes/ChargingSessionsCsvExport/csv/part';
import { merge } from '../../../support/csv.ts';

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

	test('writes the byte order mark at the start or not at all, as chosen', async () => {
		const files = text('\uFEFFId,Name\n1,a\n', '\uFEFFId,Name\n2,b\n');
		expect((await merge(files)).bytes.toString()).toBe('\uFEFFId,Name\n1,a\n2,b\n');
		expect((await merge(files, 'add')).bytes.toString()).toBe('\uFEFFId,Name\n1,a\n2,b\n');
		expect((await merge(files, 'remove')).bytes.toString()).toBe('Id,Name\n1,a\n2,b\n');
		expect((await merge(text('Id,Name\n'), 'add')).bytes.toString()).toBe('\uFEFFId,Name\n');
		expect((await merge(text('Id,Name\n'))).bytes.toString()).toBe('Id,Name\n');
	});

	test('characters, line ends and byte order marks may be cut anywhere', async () => {
		const file = '\uFEFF"Id","Größe, ""netto"""\r\n1,"ä\r\nö; 山😀"\r\n2,ß\r\n';
		const result = await merge([byByte(file), byByte(file)]);
		expect(result.bytes.toString()).toBe(`${file}1,"ä\r\nö; 山😀"\r\n2,ß\r\n`);
		expect(result.records).toBe(4);
	});

	test('keeps bytes that are not UTF-8 unchanged', async () => {
		const latin = Buffer.from('Id;Ort\n1;M\xfcnchen\n', 'latin1');
		expect(
			(await merge([[latin], [latin]])).bytes.equals(Buffer.from('Id;Ort\n1;M\xfcnchen\n1;M\xfcnchen\n', 'latin1')),
		).toBe(true);
	});

	test('refuses a part with other columns and names them', async () => {
		await expect(merged('Id,Name\n1,a\n', 'Id,Price\n2,3\n')).rejects.toMatchObject({
			name: 'CsvFault',
			problem: 'other-header',
			description: expect.stringContaining('"Id,Price"') as string,
		});
		await expect(merged('Id,Name\n1,a\n', 'Name,Id\na,1\n')).rejects.toMatchObject({ problem: 'other-header' });
	});
});

describe('counting records', () => {
	const records = async (file: string) => (await readPart(byByte(file))).records.length;

	test.each([
		['quotes that do not begin a field', 'Id,Size\n1,19" rack\n2,5"\n', 2],
		['commas and line ends inside quotes', 'Id,Note\n1,"a,\nb"\n2,"c\r\n\r\nd"\n', 2],
		['doubled quotes, also at the ends of a field', 'Id,Note\n1,"""a"""\n2,""\n3,""""\n', 3],
		['text after a closing quote', 'Id,Note\n1,"a"b\n2,c\n', 2],
		['blank lines, which are none', 'Id,Note\n\n1,a\r\n\r\n2,b\n\n', 2],
		['empty fields, which are some', 'Id,Note\n,\n,\n', 2],
		['another delimiter than a comma', 'Id;Note;Place\n1;5" a, b;"c\nd"\n', 1],
		['bars between the cells', 'Id|Note\n1|"a\nb"\n', 1],
		['a line for Excel before the header', 'sep=:\nId:Note,Place,Name\n1:"a\nb"\n', 1],
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
		['a sentence', 'Service unavailable', 'not-csv'],
		['a packed file', 'PK\u0003\u0004,,,,\n1,2,3', 'not-csv'],
		['UTF-16', UTF16, 'not-csv'],
		['lines that end in carriage returns alone', 'Id,Note\r1,a\r2,b', 'not-csv'],
		['an open quote', 'Id,Note\n1,"a', 'cut-off'],
		['half a record', 'Id,Note,Place\n1,a,b\n2,c', 'cut-off'],
		['half of the only record', 'Id,Note,Place\n1,a', 'cut-off'],
		['half of the only record, after a line for Excel', 'sep=;\nId;Note;Place\n1;a', 'cut-off'],
		['an open quote in a header after a line for Excel', 'sep=;\nId;"Note', 'cut-off'],
	])('%s is refused', async (_, file, problem) => {
		const bytes = Buffer.from(file, file === UTF16 ? 'latin1' : 'utf8');
		await expect(readPart([bytes])).rejects.toMatchObject({ name: 'CsvFault', problem });
	});

	test('an error while the bytes arrive is passed on', async () => {
		async function* broken() {
			yield await Promise.resolve(Buffer.from('Id,Name\n1,a\n'));
			throw new Error('connection lost');
		}
		await expect(readPart(broken())).rejects.toThrow('connection lost');
	});
});
