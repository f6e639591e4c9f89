import { randomUUID } from 'node:crypto';

import { idParts, isListable } from '../../../../nodes/shared/dsquery/idParts.ts';

it.each([
	['1024', true],
	['a b', false],
	['a,b', false],
	[' 7', false],
	['', false],
])('%j can stand in a list: %s', (id, can) => expect(isListable(id)).toBe(can));

const itself = (id: string) => id;

it('short Ids: a hundred in a part', () => {
	const ids = Array.from({ length: 250 }, (_, index) => String(index + 1));
	expect(idParts(ids, itself).map((part) => part.length)).toEqual([100, 100, 50]);
});

it.each([
	['GUIDs', () => randomUUID()],
	['large integers', () => '9007199254740993123'],
	['texts with blanks and umlauts', () => 'Säule 7, Zürich'],
])('%s: each part stays below 1,500 encoded characters, and none is lost', (_, make) => {
	const ids = Array.from({ length: 250 }, make);
	const parts = idParts(ids, itself);
	expect(parts.flat()).toEqual(ids);
	for (const part of parts) expect(encodeURIComponent(part.join(',')).length).toBeLessThanOrEqual(1_500);
});

it('half a character is an Id like any other', () => {
	expect(idParts(['\ud811', '1'], itself)).toEqual([['\ud811', '1']]);
});

it('an Id that is too long for any list stands alone', () => {
	expect(idParts(['1', 'x'.repeat(2_000), '2'], itself).map((part) => part.length)).toEqual([1, 1, 1]);
});
