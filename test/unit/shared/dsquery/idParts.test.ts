import { and, condition } from '../../../../nodes/shared/dsquery/compose.ts';
import { splitByUrlLength, isListable } from '../../../../nodes/shared/dsquery/idParts.ts';
import type { Condition } from '../../../../nodes/shared/dsquery/types.ts';
import { writeQuery } from '../../../../nodes/shared/dsquery/write.ts';

it.each([
	['1024', true],
	['a b', false],
	['a,b', false],
	['', false],
])('%j can stand in a list: %s', (id, can) => expect(isListable(id)).toBe(can));

const ADDRESS = 'https://platform.example/api/charging-sessions/v1';
const rest = (conditions = 0) => ({
	address: ADDRESS,
	query: { filter: and(...Array<Condition>(conditions).fill(condition('LocationName', 'Neq', 'x'))), sorts: [] },
});
const lengths = (ids: string[], conditions = 0) =>
	splitByUrlLength(ids, String, rest(conditions)).map((part) => part.length);

it.each([
	['GUIDs', '3f2504e0-4f89-11d3-9a0c-0305e82c3301'],
	['texts with blanks and umlauts', 'Säule 7, Zürich'],
	['half characters', '\ud811'],
])('%s: each URL stays below 1,800 encoded characters, whatever else is in it, and no Id is lost', (_, id) => {
	const ids = Array<string>(250).fill(id);
	const parts = splitByUrlLength(ids, String, rest(5));
	expect(parts.flat()).toEqual(ids);
	const encodedLength = (text: string) => encodeURIComponent(String(Buffer.from(text))).length;
	const longest = Math.max(...parts.map((part) => encodedLength(part.join(','))));
	expect(longest + encodedLength(ADDRESS + writeQuery(rest(5).query))).toBeLessThanOrEqual(1_800);
});

it('where the rest leaves no room, five Ids are asked for together', () => {
	expect(lengths(Array<string>(11).fill('3f2504e0-4f89-11d3-9a0c-0305e82c3301'), 30)).toEqual([5, 5, 1]);
});

it('short Ids are a hundred in a part', () => {
	expect(lengths(Array.from({ length: 250 }, (_, index) => String(index + 1)))).toEqual([100, 100, 50]);
});
