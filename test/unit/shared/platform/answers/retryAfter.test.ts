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
])('reads the header "%s"', (header, expected) => {
	expect(retryAfterMs({ 'retry-after': header })).toBe(expected);
});

it('asks for nothing without a header', () => {
	expect(retryAfterMs({})).toBeUndefined();
});

it('measures a date from the Date header, whatever this machine’s clock says', () => {
	for (const skew of [0, 700, -86_400_000, -5_000, 5_000, 86_400_000]) {
		jest.spyOn(Date, 'now').mockReturnValue(NOW + skew);
		expect(retryAfterMs({ 'retry-after': date(10_000), date: date(0) })).toBe(10_000);
	}
});

it('measures a date by this machine’s clock when the response has no Date header', () => {
	expect(retryAfterMs({ 'retry-after': date(10_000) })).toBe(10_000);
});

it('ignores a date in the past', () => {
	expect(retryAfterMs({ 'retry-after': date(-1_000), date: date(0) })).toBeUndefined();
});
