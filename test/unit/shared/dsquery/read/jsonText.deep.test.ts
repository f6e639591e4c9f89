import fc from 'fast-check';

import { readJsonText } from '../../../../../nodes/shared/dsquery/read/jsonText';

const RUNS = process.env.DEEP ? 20_000 : 500;

it('reads what JSON.parse reads', () => {
	fc.assert(
		fc.property(fc.json(), fc.nat(3), (text, indent) => {
			const value: unknown = JSON.parse(text);
			expect(readJsonText(JSON.stringify(value, null, indent))).toEqual({ value });
		}),
		{ numRuns: RUNS },
	);
});

it('refuses what JSON.parse refuses, and names a place within the text', () => {
	const broken = fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 })).map(([text, at, other]) => {
		const index = at % (text.length + 1);
		return text.slice(0, index) + other + text.slice(index + 1);
	});
	fc.assert(
		fc.property(broken, (text) => {
			let expected: { value: unknown } | undefined;
			try {
				expected = { value: JSON.parse(text) as unknown };
			} catch {
				// Not JSON; the reader must say where.
			}
			const read = readJsonText(text);
			if ('flaw' in read) {
				// A property that is there twice is the one thing JSON.parse lets pass.
				if (expected) expect(read.flaw.message).toMatch(/is there twice/);
				const lines = text.split('\n');
				expect(read.flaw.line).toBeLessThanOrEqual(lines.length);
				expect(read.flaw.column).toBeLessThanOrEqual((lines[read.flaw.line - 1] ?? '').length + 1);
			} else expect(read).toEqual(expected);
		}),
		{ numRuns: RUNS },
	);
});
