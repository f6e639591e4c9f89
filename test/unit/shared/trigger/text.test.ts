import { digestText, formatValue, rowName } from '../../../../nodes/shared/trigger/text';

it.each([
	['Zürich Market Square 003 & Co.', 'Zürich Market Square 003 & Co.'],
	['<!channel>', '‹!channel›'],
	['<https://evil.example|Log in>', '‹https://evil.example|Log in›'],
	['one\r\ntwo\u2028three\tfour\u0000five', 'one two three four five'],
	['safe\u202Eelif', 'safe elif'],
	['😀'.repeat(101), `${'😀'.repeat(99)}…`],
	['😀'.repeat(100), '😀'.repeat(100)],
	['Depot \ud83d', 'Depot'],
	['Depot \udc68 7 🚗', 'Depot 7 🚗'],
	[`${' '.repeat(999)}😀`, '?'],
	['\n\u0007', '?'],
	[7, '7'],
])('%j is shown as %j', (value, text) => {
	expect(formatValue(value)).toBe(text);
});

it.each(['', ' ', '\t\r\n', '\u00a0', '\u200b\u2060', '\ufeff ', null, 7])('%j is no name of a row', (Name) => {
	expect(rowName({ Id: 7, Name })).toBeUndefined();
});

it('a name of 15 MB costs what 100 characters cost', () => {
	expect(formatValue(`${'\n'.repeat(15_000_000)}x`)).toBe('?');
	expect(formatValue('y'.repeat(15_000_000))).toHaveLength(100);
});

// The sentences of each event, with hostile texts: hostileTexts.test.ts and triggerEvents.test.ts in test/engine/everyNode.

describe('the text of a digest', () => {
	const lines = (count: number, length = 1) =>
		Array.from({ length: count }, (_, index) => `${index}`.padEnd(length, 'x'));

	it('is its first 20 lines, and how many more there are', () => {
		expect(digestText(lines(20)).split('\n')).toEqual(lines(20));
		expect(digestText(lines(1_220)).split('\n')).toEqual([...lines(20), 'and 1,200 more']);
	});

	it.each([
		[19, 100],
		[35, 100],
		[5_000, 450],
	])('of %d lines with %d characters has at most 1,900, and leaves no line out in silence', (count, length) => {
		const text = digestText(lines(count, length), ['Site North:']);
		const [heading, ...shownLines] = text.split('\n').filter((line) => !line.startsWith('and '));
		const more = Number(/^and ([\d,]+) more$/m.exec(text)?.[1]?.replace(',', '') ?? 0);
		expect(heading).toBe('Site North:');
		expect(text.length).toBeLessThanOrEqual(1_900);
		expect(shownLines.every((line) => line.length === length)).toBe(true);
		expect(shownLines.length + more).toBe(count);
		expect(shownLines.length).toBeGreaterThanOrEqual(Math.min(count, 20, Math.floor(1_860 / (length + 1))));
	});
});
