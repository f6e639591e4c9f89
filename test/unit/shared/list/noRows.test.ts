import { nothingMatches } from '../../../../nodes/shared/list/noRows';
import type { Condition, Group } from '../../../../nodes/shared/dsquery/types';

const and = (...filters: Group['filters']): Group => ({ logic: 'And', filters: [...filters] });
const name: Condition = { field: 'Name', operator: 'Contains', value: 'zürich' };

describe('the note that nothing matches', () => {
	it('says what was asked for in words, that times are in UTC, and that capitals may matter in text', () => {
		const since: Condition = {
			field: 'StartedAtUtc',
			operator: 'GteLt',
			value: '2026-11-01T00:00:00,2026-12-01T00:00:00',
		};
		const status: Condition = { field: 'Status', operator: 'In', value: '4,6' };
		expect(nothingMatches('charging sessions', and(since, { logic: 'Or', filters: [status, name] }))).toBe(
			'None of the charging sessions matches the filter: StartedAtUtc between ' +
				'"2026-11-01T00:00:00,2026-12-01T00:00:00" and (Status is any of "4,6" or Name contains "zürich"). ' +
				'Times are in UTC. In text, upper and lower case may count as different.',
		);
	});

	it('is short for codes alone, and for many conditions', () => {
		const code: Condition = { field: 'Status', operator: 'Eq', value: '9' };
		expect(nothingMatches('rows', and(code))).toBe('None of the rows matches the filter: Status equals "9".');
		const many = nothingMatches('rows', and(...Array.from({ length: 3000 }, () => code)));
		expect(many).toBe('None of the rows matches the filter: 3000 conditions together.');
	});
});
