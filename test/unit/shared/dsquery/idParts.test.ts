import { idParts, isListable } from '../../../../nodes/shared/dsquery/idParts.ts';

it.each([
	['1024', true],
	['a b', false],
	['a,b', false],
	['', false],
])('%j can stand in a list: %s', (id, can) => expect(isListable(id)).toBe(can));

const lengths = (ids: string[]) => idParts(ids, String).map((part) => part.length);

it.each([
	['GUIDs', '3f2504e0-4f89-11d3-9a0c-0305e82c3301'],
	['texts with blanks and umlauts', 'Säule 7, Zürich'],
	['half characters', '\ud811'],
])('%s: each part stays below 1,500 encoded characters, and none is lost', (_, id) => {
	const ids = Array<string>(250).fill(id);
	const parts = idParts(ids, String);
	expect(parts.flat()).toEqual(ids);
	const longest = Math.max(...parts.map((part) => encodeURIComponent(String(Buffer.from(part.join(',')))).length));
	expect(longest).toBeLessThanOrEqual(1_500);
});

it('short Ids are a hundred in a part, and one that is too long for any list stands alone', () => {
	expect(lengths(Array.from({ length: 250 }, (_, index) => String(index + 1)))).toEqual([100, 100, 50]);
	expect(lengths(['1', 'x'.repeat(2_000), '2'])).toEqual([1, 1, 1]);
});
