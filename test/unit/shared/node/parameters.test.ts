import type { IExecuteFunctions, INodeProperties, IPollFunctions } from 'n8n-workflow';

import { QueryError } from '../../../../nodes/shared/dsquery/types';
import { Parameters } from '../../../../nodes/shared/node/parameters';

const DECLARED: INodeProperties[] = [
	{ displayName: 'Limit', name: 'limit', type: 'number', typeOptions: { minValue: 1 }, default: 50 },
	{ displayName: 'Colour Name or ID', name: 'colour', type: 'options', default: 'red' },
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		default: {},
		options: [
			{
				displayName: 'Speed (Rows per Second)',
				name: 'speed',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 9 },
				default: 4,
			},
		],
	},
];

const stored = (parameters: Record<string, unknown>) => (name: string, fallback: unknown) =>
	parameters[name] ?? fallback;
const ofItem = (parameters: Record<string, unknown>) =>
	Parameters.ofItem(
		{
			getNodeParameter: (name: string, _: number, fallback: unknown) => stored(parameters)(name, fallback),
			getTimezone: () => 'UTC',
		} as unknown as IExecuteFunctions,
		0,
		DECLARED,
	);
const ofPoll = (parameters: Record<string, unknown>) =>
	Parameters.ofPoll(
		{ getNodeParameter: stored(parameters), getTimezone: () => 'UTC' } as unknown as IPollFunctions,
		DECLARED,
	);

describe.each([
	['an input item', ofItem],
	['a poll', ofPoll],
])('the parameters of %s', (_, read) => {
	it('have the declared defaults', () => {
		const parameters = read({});
		expect(parameters.wholeNumber('limit')).toBe(50);
		expect(parameters.wholeNumber('speed')).toBe(4);
		expect(parameters.choice('colour', ['blue', 'red'])).toBe('red');
		expect(parameters.hasOption('speed')).toBe(false);
		parameters.check();
	});

	it('are refused beyond the declared limits, under the label that the panel shows', () => {
		const parameters = read({ limit: 0, colour: 'green', options: { speed: '10' } });
		parameters.wholeNumber('limit');
		parameters.wholeNumber('speed');
		parameters.choice('colour', ['blue', 'red']);
		expect(parameters.hasOption('speed')).toBe(true);
		expect(() => parameters.check()).toThrow(
			new QueryError([
				{ place: 'Limit', message: 'a whole number of 1 or more is needed, but it is 0.' },
				{
					place: 'Options > Speed (Rows per Second)',
					message: 'a whole number from 1 to 9 is needed, but it is "10".',
				},
				{ place: 'Colour Name or ID', message: '"green" is none of: blue, red.' },
			]),
		);
	});

	it('that are not declared cannot be read, so a misspelled name does not return a default', () => {
		expect(() => read({ sped: 3 }).wholeNumber('sped')).toThrow('read but not declared');
	});
});
