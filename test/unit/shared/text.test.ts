import { formatDuration } from '../../../nodes/shared/text';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../nodes/shared/dsquery/values/durations';

test.each([
	[1, '1 second'],
	[44_001, '45 seconds'],
	[MINUTE_MS, '1 minute'],
	[9 * MINUTE_MS + 1, '10 minutes'],
	[2 * HOUR_MS, '2 hours'],
	[DAY_MS + 3 * HOUR_MS + MINUTE_MS, '1 day 3 hours 1 minute'],
	[Number.MAX_SAFE_INTEGER, 'more than 10000 days'],
])('%d ms are said as “%s”, never too short', (ms, words) => expect(formatDuration(ms)).toBe(words));
