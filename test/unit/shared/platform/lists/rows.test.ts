import { withoutRepeats } from '../../../../../nodes/shared/platform/lists/rows';

it('gives way while it looks for repeated rows: a platform may send 50,000 at once', async () => {
	const rows = Array.from({ length: 50_000 }, (_, index) => {
		const fields = Array.from({ length: 20 }, (_name, field): [string, number] => [`Field${field}`, field]);
		return { Id: index >> 1, ...Object.fromEntries(fields) };
	});
	let turns = 0;
	const timer = setInterval(() => turns++, 0);
	const different = await withoutRepeats(rows);
	clearInterval(timer);
	expect(turns).toBeGreaterThan(0);
	expect(different.map(({ Id: id }) => id)).toEqual(Array.from({ length: 25_000 }, (_, index) => index));
});
