import type { INodeProperties } from 'n8n-workflow';

/** The values of Output; the first is the default. */
export const OUTPUTS = ['all', 'simplified', 'selected'] as const;
export type OutputName = (typeof OUTPUTS)[number];

/** Fields in a simplified row: as many as n8n's guidelines advise for a table and for an AI model. */
export const MOST_SIMPLE_FIELDS = 10;

/** What each returned row holds: the parameters `output` and `outputFields`. */
export const outputProperties: INodeProperties[] = [
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		options: [
			{ name: 'All Fields', value: 'all', description: 'Everything that the platform sends' },
			{
				name: 'Simplified',
				value: 'simplified',
				description: `At most ${MOST_SIMPLE_FIELDS} fields with a single value each, the important ones first. Lists and objects are left out; what an option adds comes in addition.`,
			},
			{ name: 'Selected Fields', value: 'selected', description: 'Only the fields that you choose' },
		],
		default: 'all',
		description:
			'How much of each row to return: all fields, at most 10 simple ones (simplified), or only those you choose (selected). Fewer fields suit tables and AI models.',
	},
	{
		displayName: 'Field Names or IDs',
		name: 'outputFields',
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: 'getOutputFields' },
		default: [],
		description:
			'The fields to return. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
		displayOptions: { show: { output: ['selected'] } },
	},
];
