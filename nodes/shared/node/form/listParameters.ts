import type { INodeProperties } from 'n8n-workflow';

import { DEFAULT_OPTIONS } from '../../platform';
import type { ListResource } from '../../resources';

/** The largest page the specification recommends. */
const MAX_PAGE_SIZE = 100;
export const MAX_PARALLEL_REQUESTS = 8;
const TIMEOUT_SECONDS = DEFAULT_OPTIONS.timeoutMs / 1000;
const RATE_LIMIT_WAIT_SECONDS = DEFAULT_OPTIONS.maxRateLimitWaitMs / 1000;

/** Return All and Limit, as n8n's own nodes show them. */
export const returnAllProperty: INodeProperties = {
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	default: false,
	description: 'Whether to return all results or only up to a given limit',
};

export const limitProperty: INodeProperties = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 50,
	description: 'Max number of results to return',
	displayOptions: { show: { returnAll: [false] } },
};

const waitingOptions: INodeProperties[] = [
	{
		displayName: 'Max Rate Limit Wait (Seconds)',
		name: 'maxRateLimitWait',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 86_400 },
		default: RATE_LIMIT_WAIT_SECONDS,
		description:
			'How long the node may wait per request when the rate limit is reached. The platform limits how many requests a key may send. If it asks for a longer wait, the node stops and says so.',
	},
	{
		displayName: 'Request Timeout (Seconds)',
		name: 'timeout',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 3600 },
		default: TIMEOUT_SECONDS,
		description: 'How long a single request may take. A request that takes longer is tried up to three times.',
	},
];

/** What to do if rows contradict the filter. */
export const ON_CONTRADICTION = ['stop', 'note'] as const;

/** On every operation that reads a list. */
export const contradictionOption: INodeProperties = {
	displayName: 'On Contradiction',
	name: 'onContradiction',
	type: 'options',
	options: [
		{
			name: 'Note',
			value: 'note',
			description:
				'Take what came, with a note at the output; in a trigger, a line in the log. For when you know that it is right.',
		},
		{
			name: 'Stop',
			value: 'stop',
			description:
				'Return nothing, and say what contradicts what. A trigger goes on with rows that certainly match, and says so after 15 minutes.',
		},
	],
	default: 'stop',
	description:
		'What to do if the platform contradicts itself: rows that certainly do not match the filter, the first rows in another order than asked for, or a count that the rows do not confirm. Further requests make sure first.',
};

const pagingOptions: INodeProperties[] = [
	contradictionOption,
	{
		displayName: 'Page Size',
		name: 'pageSize',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: MAX_PAGE_SIZE },
		default: MAX_PAGE_SIZE,
		description: 'How many rows to ask for in one request. Lower it only if the platform answers slowly.',
	},
	{
		displayName: 'Parallel Requests',
		name: 'parallelRequests',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: MAX_PARALLEL_REQUESTS },
		default: 4,
		description: 'How many pages may be read at the same time. 1 reads one page after the other.',
	},
];

/** The Options collection, sorted by name; paging options only for operations that read pages. */
export function optionsProperty({
	paging,
	extra = [],
}: {
	paging: boolean;
	extra?: INodeProperties[];
}): INodeProperties {
	const byName = (a: INodeProperties, b: INodeProperties) => a.displayName.localeCompare(b.displayName);
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [...extra, ...(paging ? pagingOptions : []), ...waitingOptions].sort(byName),
	};
}

/**
 * What a person decides with Poll Times.
 *
 * @param advice what else matters for this trigger: whole sentences
 */
export function pollingNotice(advice = '', name = 'pollingNotice'): INodeProperties {
	return {
		displayName:
			`How soon do you want to know? <b>Poll Times</b> decides: with a poll every 5 minutes, you know at most 5 minutes later. The platform recommends 1 to 5 minutes. ${advice}`.trim(),
		name,
		type: 'notice',
		default: '',
	};
}

/** How a trigger hands over its events. `purpose` says what a digest is good for: "many sessions send one message". */
export function eventOutputProperty(purpose: string): INodeProperties {
	return {
		displayName: 'Output',
		name: 'output',
		type: 'options',
		options: [
			{ name: 'One Item per Event', value: 'items' },
			{
				name: 'One Digest Item per Poll',
				value: 'digest',
				description: `All events of a poll in one item, so that ${purpose}`,
			},
		],
		default: 'items',
	};
}

/** Keeps track of which input item a result is about, where many come in. */
export const includeInputOption: INodeProperties = {
	displayName: 'Include Input Fields',
	name: 'includeInputFields',
	type: 'boolean',
	default: true,
	description:
		'Whether to add the fields of the input item to each of its results, so that a count of each of five stations says which station it is. A field of the result wins over one of the same name.',
};

/** Options that add fields to each row. Status names only for lists in which the meaning of a code is known. */
export function additionOptions({ statusExample }: ListResource): INodeProperties[] {
	const localTimes: INodeProperties = {
		displayName: 'Add Local Times',
		name: 'addLocalTimes',
		type: 'boolean',
		default: true,
		description:
			'Whether to add each UTC time in the time zone of the workflow too, written for spreadsheets, for example "StartedAtLocal": "2026-01-31 18:00:00" beside "StartedAtUtc": "2026-01-31T17:00:00"',
	};
	if (statusExample === undefined) return [localTimes];
	const statusNames: INodeProperties = {
		displayName: 'Add Status Names',
		name: 'addStatusNames',
		type: 'boolean',
		default: true,
		description: `Whether to add what each status code means beside the code, for example ${statusExample}. A code whose meaning is not public is called by its number, "Code 5".`,
	};
	return [localTimes, statusNames];
}
