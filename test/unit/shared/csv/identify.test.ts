import { identifyRecords } from '../../../../nodes/shared/csv/identify';
import { Turns } from '../../../../nodes/shared/platform';
import { readCsv } from '../../../support/csv.ts';

const ids = Array.from({ length: 12 }, (_, index) => 500 + index * 3);
const identified = async (file: string, asked: readonly number[] = ids, known?: number) => {
	const part = await readCsv([Buffer.from(file)]);
	return await identifyRecords(part, part.records, asked, new Turns(), known);
};
const rows = (write: (id: number, index: number) => string) => ids.map((id, index) => `${write(id, index)}\n`).join('');

describe('the column that identifies the sessions', () => {
	test.each<[string, string, number | undefined]>([
		['is named so', 'Price,Session ID\n5,503\n500,506\n', 1],
		['is named so, and has only other sessions', 'Price,SessionId\n500,9\n503,10\n', 1],
		['is named so, but has text', `Id,Price\n${rows((id) => `x${id},5`)}`, undefined],
		['has another name and all sessions', `No,Vorgang\n${rows((id, index) => `${index},${id}`)}`, 1],
		[
			'has another name and lacks a session',
			`No,Vorgang\n${rows((id, index) => `1,${index === 3 ? 1 : id}`)}`,
			undefined,
		],
		['has another name and few records', 'No,Vorgang\n1,500\n2,503\n', undefined],
		[
			'is named so, next to an own id of each record',
			`Id,SessionId\n${rows((id, index) => `${500 + index},${id}`)}`,
			1,
		],
		['is one of two that fit, and the named one', `Vorgang,Id\n${rows((id) => `${id},${id}`)}`, 1],
		[
			'is named so and unreadable, next to one with all numbers',
			`Id,Vorgang\n${rows((id) => `#${id},${id}`)}`,
			undefined,
		],
		...['StationId', 'Charge Point', 'user', 'Tariff', 'Location ID'].map((name): [string, string, undefined] => [
			`has all numbers, but is named ${name}`,
			`No,${name}\n${rows((id, index) => `${index},${id}`)}`,
			undefined,
		]),
		['is one of two that fit, and none is named', `Vorgang,Nummer\n${rows((id) => `${id},${id}`)}`, undefined],
	])('%s', async (_, file, column) => {
		expect((await identified(file))?.column).toBe(column);
	});

	test('a column that an earlier answer showed is used for few records, too', async () => {
		expect(await identified('No,Vorgang\n1,500\n2,503\n', [503, 500], 1)).toMatchObject({ column: 1, foreign: 0 });
		expect(await identified('No,Vorgang\n1,500\n2,9\n', [503, 500], 1)).toBeUndefined();
	});

	test.each<[string, string, boolean]>([
		['with separators, read', "Id\n500\n1.500\n2'500\n3\u00a0500\n", true],
		['one that cannot be read, while a session is missing', 'Id\n500\n+1500\n2500\n3500\n', false],
		['one with decimals, while a session is missing', 'Id\n500\n1500.0\n2500\n3500\n', false],
		['one as a power, while a session is missing', 'Id\n500\n1.5E+3\n2500\n3500\n', false],
		['one that cannot be read, and all sessions', 'Id\n500\n1500\n2500\n3500\n#4\n', true],
		['a line with totals, while a session is missing', 'Id\n500\n2500\n3500\nTotal: 3\n', true],
	])('Ids %s', async (_, file, isIdentified) => {
		const found = await identified(file, [500, 1500, 2500, 3500]);
		expect(found !== undefined).toBe(isIdentified);
	});

	test('negative Ids are Ids, with separators, too', async () => {
		const found = await identified('Id,Note\n-5,a\n"-1,500",b\n', [-5, -1500]);
		expect([...(found?.bySession.keys() ?? [])]).toEqual([-5, -1500]);
	});

	test('sorts records by session, equal ones too, and counts those of no session asked for', async () => {
		const found = await identified('Id,Note\n9,x\n503,b\n500,a\n503,b\n503,c\nTotal,5\n');
		expect(found?.foreign).toBe(2);
		expect([...(found?.bySession ?? [])]).toEqual([
			[503, ['503,b\n', '503,b\n', '503,c\n']],
			[500, ['500,a\n']],
		]);
	});
});
