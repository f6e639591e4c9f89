import { retryAfterMs } from '../../../../../nodes/shared/platform/answers/retryAfter';

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0);
const date = (ms: number) => new Date(NOW + ms).toUTCString();
beforeEach(() => jest.spyOn(Date, 'now').mockReturnValue(NOW));
afterEach(() => jest.restoreAllMocks());

it.each([
	['30', 30_000],
	['1.5', 1_500],
	[' 2 ', 2_000],
	['0', undefined],
	['-5', undefined],
	['soon', undefined],
	['1e15', undefined],
	['', undefined],
	['9'.repeat(400), Number.MAX_SAFE_INTEGER],
])('"%s" seconds', (header, expected) => {
	expect(retryAfterMs({ 'retry-after': header })).toBe(expected);
});

it('no header', () => {
	expect(retryAfterMs({})).toBeUndefined();
});

it('a date by its distance to the Date header, whatever this machine’s clock says', () => {
	for (const skew of [0, 700, -86_400_000, -5_000, 5_000, 86_400_000]) {
		jest.spyOn(Date, 'now').mockReturnValue(NOW + skew);
		expect(retryAfterMs({ 'retry-after': date(10_000), date: date(0) })).toBe(10_000);
	}
});

it('a date by this machine’s clock where the response has no Date header', () => {
	expect(retryAfterMs({ 'retry-after': date(10_000) })).toBe(10_000);
});

it('a date in the past asks for nothing; the older forms are dates too', () => {
	expect(retryAfterMs({ 'retry-after': date(-1_000), date: date(0) })).toBeUndefined();
	expect(retryAfterMs({ 'retry-after': 'Saturday, 21-Nov-26 12:00:10 GMT' })).toBe(10_000);
	expect(retryAfterMs({ 'retry-after': 'Sat Nov 21 12:00:10 2026' })).toBe(10_000);
});
