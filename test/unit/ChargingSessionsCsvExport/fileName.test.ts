import { and, condition } from '../../../nodes/shared/dsquery/compose';
import type { FilterNode } from '../../../nodes/shared/dsquery/types';
import {
	cleanFileName,
	defaultFileName,
	uniqueFileNames,
	partFileNames,
} from '../../../nodes/ChargingSessionsCsvExport/fileName';
import { coveredDays } from '../../../nodes/shared/dsquery/values/coveredDays';

const started = (operator: Parameters<typeof condition>[1], value: string) =>
	condition('StartedAtUtc', operator, value);
const nameOf = (zone: string, ...nodes: FilterNode[]) =>
	defaultFileName(coveredDays(and(...nodes), zone, 'StartedAtUtc'), new Date('2026-11-21T12:00:00Z'), 'UTC');

describe('the default file name', () => {
	test.each([
		['a month', 'Europe/Berlin', 'GteLt', '2026-09-30T22:00:00,2026-10-31T23:00:00', '2026-10'],
		['a month west of Greenwich', 'America/New_York', 'GteLt', '2026-10-01T04:00:00,2026-11-01T04:00:00', '2026-10'],
		['a year', 'UTC', 'GteLt', '2025-01-01T00:00:00,2026-01-01T00:00:00', '2025'],
		['a day', 'Asia/Tokyo', 'GteLt', '2026-11-19T15:00:00,2026-11-20T15:00:00', '2026-11-20'],
		['a week', 'UTC', 'GteLt', '2026-11-09T00:00:00,2026-11-16T00:00:00', '2026-11-09-to-2026-11-15'],
		[
			'up to and including a moment',
			'UTC',
			'GteLte',
			'2026-11-09T00:00:00,2026-11-15T23:59:59',
			'2026-11-09-to-2026-11-15',
		],
		['a month in UTC, wherever the workflow is', 'Asia/Tokyo', 'IsMonth', '2026-10-05T00:00:00', '2026-10'],
		['a day in UTC', 'Asia/Tokyo', 'IsDate', '2026-10-05T23:00:00', '2026-10-05'],
	] as const)('%s', (_, zone, operator, value, expected) => {
		expect(nameOf(zone, started(operator, value))).toBe(`charging-sessions-${expected}.csv`);
	});

	test('names the period between two conditions, in a group or not', () => {
		const from = started('Gte', '2026-10-01T00:00:00');
		const to = started('Lt', '2026-11-01T00:00:00');
		const status = condition('Status', 'Eq', '4');
		expect(nameOf('UTC', status, from, { logic: 'And', filters: [to] })).toBe('charging-sessions-2026-10.csv');
	});

	test('names the day of the export if the filter has no single period with both ends', () => {
		const expected = 'charging-sessions-exported-2026-11-21.csv';
		const month = started('GteLt', '2026-10-01T00:00:00,2026-11-01T00:00:00');
		expect(nameOf('UTC', started('Gte', '2026-10-01T00:00:00'))).toBe(expected);
		expect(nameOf('UTC', condition('EndedAtUtc', 'GteLt', '2026-10-01T00:00:00,2026-11-01T00:00:00'))).toBe(expected);
		expect(nameOf('UTC', { logic: 'Or', filters: [month, condition('Status', 'Eq', '4')] })).toBe(expected);
	});
});

describe('a name that the user chose', () => {
	test.each([
		['report.csv', 'report.csv'],
		['report', 'report.csv'],
		['report.txt', 'report.txt'],
		['Bericht Köln (März).CSV', 'Bericht Köln (März).CSV'],
		['report 2026.10', 'report 2026.10.csv'],
		['../../etc/passwd', 'etc-passwd.csv'],
		['a\u0000b\r\nc\u001b.csv', 'abc.csv'],
		['invoice\u202Evsc.exe', 'invoicevsc.exe.csv'],
		['Muster GmbH & Co.KG', 'Muster GmbH & Co.KG.csv'],
		['2026-10-01T00:00:00.000Z', '2026-10-01T00-00-00.000Z.csv'],
		['..hidden. .', 'hidden.csv'],
		['con', '_con.csv'],
		['what? <a|b> "c" *', 'what- -a-b- -c- -.csv'],
		[`${'ä'.repeat(300)}.csv`, `${'ä'.repeat(98)}.csv`],
	])('%j becomes %j', (given, expected) => {
		expect(cleanFileName(given)).toBe(expected);
	});

	test.each(['', '...', '\u0000', '-'])('nothing is left of %j', (given) => {
		expect(cleanFileName(given)).toBeUndefined();
	});

	test('numbers several files so that they sort in order', () => {
		expect(partFileNames('report.csv', 12)[1]).toBe('report-part-02-of-12.csv');
		expect(partFileNames('charging-sessions-2026-10.csv', 3)[0]).toBe('charging-sessions-2026-10-part-1-of-3.csv');
	});
});

test('a name that earlier files of the run have is numbered', () => {
	const taken = new Set(['report.csv', 'report-file-2.csv']);
	expect(uniqueFileNames('Report.csv', 1, taken)).toEqual(['Report-file-3.csv']);
	expect(uniqueFileNames('other.csv', 1, taken)).toEqual(['other.csv']);
});
