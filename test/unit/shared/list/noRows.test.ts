import { noRowsNote } from '../../../../nodes/shared/list/noRows';
import { condition } from '../../../../nodes/shared/dsquery/compose';
import type { Condition, FilterGroup } from '../../../../nodes/shared/dsquery/types';

const and = (...filters: FilterGroup['filters']): FilterGroup => ({ logic: 'And', filters });
const since = condition('StartedAtUtc', 'GteLt', '2026-11-01T00:00:00,2026-12-01T00:00:00');
const status = condition('Status', 'In', '4,6');
const name = condition('Name', 'Contains', 'zürich');

it('the note that nothing matches says what was asked for in words, that times are in UTC, and that capitals may matter', () => {
	expect(noRowsNote('charging sessions', and(since, { logic: 'Or', filters: [status, name] }))).toBe(
		'None of the charging sessions matches the filter: StartedAtUtc between ' +
			'"2026-11-01T00:00:00,2026-12-01T00:00:00" and (Status is any of "4,6" or Name contains "zürich"). ' +
			'Times are in UTC. In text, upper and lower case may count as different.',
	);
});

it('the note is short for codes alone, and for many conditions', () => {
	expect(noRowsNote('rows', and(status))).toBe('None of the rows matches the filter: Status is any of "4,6".');
	expect(noRowsNote('rows', and(...Array<Condition>(3000).fill(status)))).toBe(
		'None of the rows matches the filter: 3000 conditions together.',
	);
});
