import type { Group, Query } from '../../../../nodes/shared/dsquery/types';
import { readQuery, writeQuery } from '../../../../nodes/shared/dsquery/write';
import { faultsOf } from '../../../support/dsquery/faults.ts';

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

it('writes the names of the specification', () => {
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

it('reads back what it wrote', () => {
	expect(readQuery(writeQuery(QUERY))).toEqual(QUERY);
	expect(readQuery('{}')).toEqual({ sorts: [] });
});

it('writes and reads 10,000 levels', () => {
	let group: Group = { logic: 'Or', filters: [{ field: 'Id', operator: 'Eq', value: '1' }] };
	for (let level = 0; level < 10_000; level++) group = { logic: 'And', filters: [group] };
	const text = writeQuery({ filter: group, sorts: [] });
	expect(writeQuery(readQuery(text))).toBe(text);
});

it('refuses text that is no dsquery, with every place', () => {
	const condition = { Field: 'Id', Operator: 'Eq', Value: 5 };
	expect(
		faultsOf(() =>
			readQuery(
				JSON.stringify({
					Filter: { Logic: 'And', Filters: [condition, { ...condition, Value: ' ' }] },
					Pager: { Skip: -1 },
				}),
			),
		),
	).toEqual([
		'Filter.Filters[0].Value: this must be text, but it is a number.',
		'Filter.Filters[1].Value: nothing is filled in.',
		'Pager.Skip: this must be a whole number from 0 up.',
		'Pager.Take: this must be a whole number from 0 up.',
	]);
	expect(faultsOf(() => readQuery('{"Filter":{"Field":"Id","Operator":"Eq","Value":"5"}}'))).toEqual([
		'Filter: this must be a group, with Logic and Filters.',
	]);
	expect(faultsOf(() => readQuery('[]'))).toHaveLength(1);
	expect(faultsOf(() => readQuery('{"Pager":5}'))).toHaveLength(2);
});
