import { SharedIds } from '../../../../../nodes/shared/platform/lists/sharedIds';
import { keepRows } from '../../../../../nodes/shared/platform/lists/sink';

const found = (...ids: unknown[]) => {
	const shared = new SharedIds('stations', keepRows());
	shared.add(
		ids.map((Id) => ({ Id }) as { Id: string }),
		0,
	);
	return shared.notes.join();
};

it('names the first Ids, and says how many more there are', () => {
	expect(found(1, 2, 1, 'a', 'a', 'b')).toContain('by it: 1, "a". ');
	const many = Array.from({ length: 20 }, (_, index) => [index, String(index)]).flat();
	expect(found(...many)).toContain('by it: 0, 1, 2, 3, 4 and 15 more. ');
});

it.each([[[1, '01']], [[1, 1.5]], [[null, null]], [['', '']], [[undefined, undefined]], [[{ a: 1 }, { a: 1 }]]])(
	'different Ids, and rows without one, do not count: %j',
	(ids) => expect(found(...ids)).toBe(''),
);

it('long Ids are cut in the note, and very long ones are not remembered', () => {
	expect(found('x'.repeat(100), 'x'.repeat(100))).toContain(`by it: "${'x'.repeat(60)}…". `);
	expect(found('x'.repeat(101), 'x'.repeat(101))).toBe('');
});

it('what was added before begin is void', () => {
	const shared = new SharedIds('stations', keepRows());
	shared.add([{ Id: 1 }, { Id: 1 }], 0);
	shared.begin();
	shared.add([{ Id: 1 }], 0);
	expect(shared.notes).toEqual([]);
});
