import type { INodeProperties } from 'n8n-workflow';

import type { BomChoice } from './csv/merge';
import { SESSIONS } from '../shared/resources';
import { filterProperties, NO_CONDITION } from '../shared/node/form/filterForm';
import { optionsProperty } from '../shared/node/form/listParameters';
import { sortProperty } from '../shared/node/form/sortForm';
import { operationProperties, type OperationEntry } from '../shared/node/operation';

export const WHEN_NOTHING = ['noItem', 'itemWithoutFile', 'fail'] as const;
export const BOM_CHOICES = ['keep', 'add', 'remove'] as const satisfies readonly BomChoice[];

/** Bounds the answer to one request, which is held in memory until it has arrived whole. */
const MAX_IDS_PER_REQUEST = 5000;

const exportOptions: INodeProperties[] = [
	{
		displayName: 'Excel Umlauts',
		name: 'byteOrderMark',
		type: 'options',
		options: [
			{
				name: 'Add',
				value: 'add',
				description: 'Excel then shows umlauts and other special characters correctly',
			},
			{ name: 'As the Platform Sends It', value: 'keep' },
			{
				name: 'Remove',
				value: 'remove',
				description: 'For programs that would read it as part of the first column',
			},
		],
		default: 'add',
		description:
			'A byte order mark: three invisible bytes at the start of the file, with which Excel reads umlauts and accents correctly. Without this option they are as the platform sends them.',
	},
	{
		displayName: 'Escape Formulas',
		name: 'escapeFormulas',
		type: 'boolean',
		default: true,
		description:
			'Whether to put an apostrophe before text that a spreadsheet would run as a formula, such as <code>=HYPERLINK(…)</code> in the name of a user. Add it for files that people open in Excel and the like, not for programs that need the text as it is.',
	},
	{
		displayName: 'IDs per Request',
		name: 'idsPerRequest',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: MAX_IDS_PER_REQUEST },
		default: 500,
		description:
			'How many sessions to export in one request. The node joins the answers into one file. If the platform says it is too many, the node continues with half.',
	},
	{
		displayName: 'Sessions per File',
		name: 'sessionsPerFile',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 10_000,
		description:
			'Make several files with at most this many sessions each, one output item per file, named "... -part-1-of-3". Without this option there is one file.',
	},
	{
		displayName: 'When Nothing Matches',
		name: 'whenNothingMatches',
		type: 'options',
		options: [
			{ name: 'Return an Item Without File', value: 'itemWithoutFile' },
			{ name: 'Return No Item', value: 'noItem', description: 'The nodes after this one do not run' },
			{ name: 'Stop the Workflow', value: 'fail' },
		],
		default: 'noItem',
		description: 'What to do when there is no session to export',
	},
];

function options(): INodeProperties {
	const property = optionsProperty({ paging: true, extra: exportOptions });
	return {
		...property,
		options: property.options?.map((option) =>
			['onContradiction', 'pageSize', 'parallelRequests'].includes(option.name)
				? { ...option, displayOptions: { show: { '/operation': ['exportByFilter'] } } }
				: option,
		) as INodeProperties[],
	};
}

const everythingNotice: INodeProperties = {
	displayName:
		'Without a condition, every charging session is exported. For those of last month, add Started At and choose In Period.',
	name: 'everythingNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { filters: [{ _cnd: { eq: NO_CONDITION } }] } },
};

const sessionIds: INodeProperties[] = [
	{
		displayName: 'Take Session IDs From',
		name: 'sessionIdsFrom',
		type: 'options',
		noDataExpression: true,
		options: [
			{ name: 'The Field Below', value: 'field', description: 'One file for each input item' },
			{
				name: 'All Input Items Together',
				value: 'items',
				description: 'One file for all input items, each of which brings one or more IDs',
			},
		],
		default: 'field',
	},
	{
		displayName: 'Session IDs',
		name: 'sessionIds',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. 10482, 10483',
		description:
			'Separate the IDs with commas or line breaks, or use an expression that returns a list. Duplicates are exported once.',
		displayOptions: { show: { sessionIdsFrom: ['field'] } },
	},
	{
		displayName: 'ID Field',
		name: 'idField',
		type: 'string',
		required: true,
		default: 'Id',
		placeholder: 'e.g. sessionId',
		description: 'The field of the input items that holds the session ID',
		hint: 'Write the name without braces, for example Id or session.Id',
		displayOptions: { show: { sessionIdsFrom: ['items'] } },
	},
];

const file: INodeProperties[] = [
	{
		displayName: 'File Name',
		name: 'fileName',
		type: 'string',
		default: '',
		placeholder: 'e.g. charging-sessions-2026-10.csv',
		description:
			'Leave it empty for a name that says the month or the days that the filter covers. Characters that a file name cannot have are replaced.',
	},
	{
		displayName: 'Put Output File in Field',
		name: 'binaryPropertyName',
		type: 'string',
		required: true,
		default: 'data',
		placeholder: 'e.g. data',
		hint: 'The name of the output binary field to put the file in',
	},
	options(),
];

export const operations: OperationEntry[] = [
	{
		name: 'Export Sessions by Filter',
		value: 'exportByFilter',
		action: 'Export sessions by filter',
		description: 'For example all finished sessions of last month',
		properties: [...filterProperties(SESSIONS), everythingNotice, ...file, sortProperty(SESSIONS)],
	},
	{
		name: 'Export Sessions by ID',
		value: 'exportByIds',
		action: 'Export sessions by ID',
		description: 'Exactly these sessions, in this order',
		properties: [...sessionIds, ...file],
	},
];
export const OPERATIONS = ['exportByFilter', 'exportByIds'] as const;

/** The node's parameters in the order of the panel. */
export const properties: INodeProperties[] = [
	...operationProperties(operations, 'exportByFilter', SESSIONS.noun),
	{
		// Drafts from before 0.1.0 say here what the operation says now. n8n would drop it, and export everything.
		displayName: 'Source',
		name: 'source',
		type: 'hidden',
		default: '',
	},
];
