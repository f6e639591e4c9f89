import sortBy from 'lodash/sortBy';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { filterProperties } from '../shared/node/form/filterForm';
import { eventOutputProperty, optionsProperty, pollingNotice } from '../shared/node/form/listParameters';
import { STATIONS } from '../shared/resources';
import { CHARGE_POINT_CHOICES, CHARGE_POINT_EVENTS } from './state/events';
import type { ChargePointChoice } from './state/events';

/** Longest time a state may be waited for: a week. */
const MOST_MINUTES = 10_080;
const CHOOSE =
	'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>';

function optionOf(value: ChargePointChoice): INodePropertyOptions {
	const { label, description } = CHARGE_POINT_EVENTS[value];
	return { name: label, value, description };
}

function codes(displayName: string, name: string, hint: string, event: ChargePointChoice): INodeProperties {
	return {
		displayName,
		name,
		type: 'multiOptions',
		typeOptions: {
			loadOptionsMethod: `get${name[0]?.toUpperCase()}${name.slice(1)}`,
			loadOptionsDependsOn: ['statusField'],
		},
		default: [],
		description: CHOOSE,
		hint,
		displayOptions: { show: { event: [event] } },
	};
}

const eventProperties: INodeProperties[] = [
	pollingNotice(
		'That holds for up to 100 stations: each look at one costs a request, so they take turns. 300 are looked at every 15 minutes, 1,200 once an hour. <b>Most Stations per Poll</b> and the filter change that.',
	),
	{
		displayName: 'Trigger On',
		name: 'event',
		type: 'options',
		noDataExpression: true,
		options: sortBy(CHARGE_POINT_CHOICES.map(optionOf), 'name'),
		default: 'outOfOrder',
	},
	{
		displayName: 'Status Field Name or ID',
		name: 'statusField',
		type: 'options',
		typeOptions: { loadOptionsMethod: 'getStatusFields' },
		required: true,
		default: '',
		description:
			'The field of a charge point that has its status, as seen on your stations. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	},
	codes(
		'Out of Order Names or IDs',
		'outOfOrderValues',
		'A charge point with one of these values is out of order. What a code means is not public: ask the platform.',
		'outOfOrder',
	),
	codes(
		'Old Status Names or IDs',
		'fromValues',
		'Report only changes that start from one of these values. Without a choice, from any.',
		'statusChange',
	),
	codes(
		'New Status Names or IDs',
		'toValues',
		'Report only changes that lead to one of these values. Without a choice, to any.',
		'statusChange',
	),
	{
		displayName: 'Alert Only After (Minutes)',
		name: 'minutesInState',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: MOST_MINUTES },
		default: 0,
		description:
			'How long a charge point must be in the new state before it is reported. Shorter changes are not reported. Counted from the first look that sees it, so it takes at least two looks.',
	},
];

const triggerOptions: INodeProperties[] = [
	{
		displayName: 'Most Stations per Poll',
		name: 'mostStations',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 10_000 },
		default: 100,
		description:
			'How many stations a poll looks at, one request for each. The next poll goes on with those after them. Fewer if the time of the poll or the rate limit of the key does not allow so many.',
	},
	{
		displayName: 'Report Initial State',
		name: 'emitInitialState',
		type: 'boolean',
		default: true,
		description:
			'Whether to report charge points that are already out of order (or all statuses) when the workflow first goes live. Otherwise, only changes from then on are reported.',
	},
	{
		displayName: 'Report Watched Time Hourly',
		name: 'reportWatching',
		type: 'boolean',
		default: true,
		description:
			'Whether to also output one item an hour (event: watching) with the time in which all charge points were watched, and which were out of order. Uptime is computed from these and the incidents. They come mixed with the alerts: filter on event. For uptime, leave Alert Only After at 0: it hides shorter incidents.',
		displayOptions: { show: { '/event': ['outOfOrder'] } },
	},
];

/** The trigger's parameters. n8n adds the poll times itself. */
export const triggerProperties: INodeProperties[] = [
	...eventProperties,
	...filterProperties(
		STATIONS,
		'Only charge points of stations that match are watched. Without a condition, those of all stations.',
	),
	eventOutputProperty('many charge points send one message'),
	optionsProperty({ paging: true, extra: triggerOptions }),
];
