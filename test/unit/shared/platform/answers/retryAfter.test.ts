import { retryAfterMs } from '../../../../../nodes/shared/platform/answers/retryAfter';

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0);
const date = (ms: number) => new Date(NOW + ms).toUTCString();
const setClock = (ms: number) => jest.spyOn(Date, 'now').mockReturnValue(ms);
beforeEach(() => setClock(NOW));
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
	[undefined, undefined],
	['9'.repeat(400), Number.MAX_SAFE_INTEGER],
	[date(10_000), 10_000],
	[date(-1_000), undefined],
])('reads the header %p', (header, expected) => {
	expect(retryAfterMs({ 'retry-after': header })).toBe(expected);
});

it('measures a date from the Date header, whatever this machine’s clock says', () => {
	for (const skew of [700, -86_400_000, 86_400_000]) {
		setClock(NOW + skew);
		expect(retryAfterMs({ 'retry-after': date(10_000), date: date(0) })).toBe(10_000);
	}
});
