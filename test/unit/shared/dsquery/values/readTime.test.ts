import { Settings } from 'luxon';

import { isPlaceholderTime, readTime } from '../../../../../nodes/shared/dsquery/values/readTime';

// Of n8n, if nobody has set another.
Settings.defaultZone = 'America/New_York';

it.each([
	'0001-01-01T00:00:00',
	'0000-00-00 00:00:00',
	'9999-12-31T23:59:59',
	'1970-01-01 01:00:00',
	' 1970-01-01T00:00:00.000Z ',
	'1969-12-31T16:00:00-08:00',
])('%p stands for no time', (written) => {
	expect([readTime(written), isPlaceholderTime(written)]).toEqual([undefined, true]);
});

it.each(['1969-12-31T23:59:59', '1970-01-02T00:00:00', '1900-01-01T00:00:00'])('%p is a time', (written) => {
	expect([readTime(written), isPlaceholderTime(written)]).toEqual([Date.parse(`${written}Z`), false]);
});

it.each(['', '1970-01-01', '2026-13-01T00:00:00', 0, null])('%p is neither', (written) => {
	expect([readTime(written), isPlaceholderTime(written)]).toEqual([undefined, false]);
});
