import type { Query } from '../../../../nodes/shared/dsquery/types';
import { writeQuery } from '../../../../nodes/shared/dsquery/write';

const QUERY: Query = {
	pager: { skip: 100, take: 50 },
	filter: {
		logic: 'And',
		filters: [
			{ field: 'Status', operator: 'In', value: '4,6' },
			{
				logic: 1,
				filters: [
					{ field: 'Name', operator: 7, value: 'a "b" \\ ü' },
					{ field: 'Id', operator: 'Gt', value: '5' },
				],
			},
		],
	},
	sorts: [
		{ field: 'StartedAtUtc', direction: 'Desc' },
		{ field: 'Id', direction: 0 },
	],
};

it('writes property names as in the specification', () => {
	expect(JSON.parse(writeQuery(QUERY))).toEqual({
		Pager: { Skip: 100, Take: 50 },
		Filter: {
			Logic: 'And',
			Filters: [
				{ Field: 'Status', Operator: 'In', Value: '4,6' },
				{
					Logic: 1,
					Filters: [
						{ Field: 'Name', Operator: 7, Value: 'a "b" \\ ü' },
						{ Field: 'Id', Operator: 'Gt', Value: '5' },
					],
				},
			],
		},
		Sort: {
			Sorts: [
				{ Field: 'StartedAtUtc', Dir: 'Desc' },
				{ Field: 'Id', Dir: 0 },
			],
		},
	});
	expect(writeQuery({ sorts: [] })).toBe('{}');
});
