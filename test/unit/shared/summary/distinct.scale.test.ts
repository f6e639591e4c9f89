import range from 'lodash/range';

import { SESSIONS } from '../../../../nodes/shared/resources';
import { RowAggregator } from '../../../../nodes/shared/summary/rowAggregator';
import type { Measure } from '../../../../nodes/shared/summary/measures';

const LANE = { by: 'field', field: 'Lane' } as const;
const DRIVERS: Measure = { field: 'Driver', function: 'distinct' };

it('a distinct count that would keep more than two million values in groups is refused', () => {
	const collector = new RowAggregator(
		{
			rows: 'sessions',
			list: SESSIONS,
			zone: 'UTC',
			today: '2026-11-21',
			now: {},
			result: 'oneItem',
			measures: Array<Measure>(60).fill(DRIVERS),
			groupBy: [LANE],
			breakdowns: [[LANE]],
			maxGroups: 100,
			orderGroupsBy: 'group',
			minimumSessions: 0,
			showAllOthers: false,
			timeNames: { first: 'first', last: 'last', without: 'without' },
		},
		{},
	);
	const rows = range(20_000).map((Driver) => ({ Lane: Driver % 100, Driver }));
	collector.add(rows.slice(0, 16_000));
	expect(() => collector.add(rows.slice(16_000))).toThrow(
		/^The different values of Driver cannot be counted: there are too many$/,
	);
});
