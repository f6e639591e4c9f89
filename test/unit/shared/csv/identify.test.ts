import { identifyRecords } from '../../../../nodes/shared/csv/identify';
import { Turns } from '../../../../nodes/shared/platform';
import { readCsv } from '../../../support/csv.ts';

const identified = async (file: string, asked: readonly number[], given?: string) => {
	const part = await readCsv([Buffer.from(file)]);
	return await identifyRecords(part, part.records, asked, new Turns(), given);
};

test.each<[string, string, string | undefined, number | undefined]>([
	['named so', 'Price,Session ID\n5,503\n500,506\n', undefined, 1],
	['named so, with only other sessions', 'Price,SessionId\n500,9\n503,10\n', undefined, 1],
	['the session’s, next to an own id of each record', 'Id,charging_session_id\n503,500\n500,503\n', undefined, 1],
	['named so, with other values', 'Id,Price\nx500,5\nx503,5\n', undefined, undefined],
	['named so, with GUIDs, in a single record', 'Id,Price\n6f9619ff-8b86,5\n', undefined, undefined],
	['named so, and empty', 'Id,Price\n,5\n,5\n', undefined, undefined],
	['not named so, with all sessions', 'No,Vorgang\n1,500\n2,503\n', undefined, undefined],
	['the one given, in any case', 'Id,Vorgang\n1,500\n2,503\n', 'VORGANG', 1],
	['the one given, with umlauts and quotes', 'No,"Größe ""netto"""\n1,500\n2,503\n', 'größe "netto"', 1],
	['the one given, with other values', 'Id,Vorgang\n500,a\n503,b\n', 'Vorgang', undefined],
])('the column of the session: %s', async (_, file, given, column) => {
	expect((await identified(file, [500, 503], given))?.column).toBe(column);
});

test.each<[string, string, boolean]>([
	['with separators, read', "Id\n500\n1.500\n2'500\n3\u00a0500\n", true],
	['one that cannot be read, while a session is missing', 'Id\n500\n+1500\n2500\n3500\n', false],
	['one with decimals, while a session is missing', 'Id\n500\n1500.0\n2500\n3500\n', false],
	['one as a power, while a session is missing', 'Id\n500\n1.5E+3\n2500\n3500\n', false],
	['one that cannot be read, and all sessions', 'Id\n500\n1500\n2500\n3500\n#4\n', true],
	['a line with totals, while a session is missing', 'Id\n500\n2500\n3500\nTotal: 3\n', true],
	['a line with totals alone', 'Id\nTotal\n', true],
])('Ids %s', async (_, file, isIdentified) => {
	const found = await identified(file, [500, 1500, 2500, 3500]);
	expect(found !== undefined).toBe(isIdentified);
});

test('negative Ids are Ids, with separators, too', async () => {
	const found = await identified('Id,Note\n-5,a\n"-1,500",b\n', [-5, -1500]);
	expect([...(found?.bySession.keys() ?? [])]).toEqual([-5, -1500]);
});

test('sorts records by session, equal ones too, and counts those of no session asked for', async () => {
	const found = await identified('Id,Note\n9,x\n503,b\n500,a\n503,b\n503,c\nTotal,5\n', [500, 503, 506]);
	expect(found?.foreign).toBe(2);
	expect([...(found?.bySession ?? [])]).toEqual([
		[503, ['503,b\n', '503,b\n', '503,c\n']],
		[500, ['500,a\n']],
	]);
});
