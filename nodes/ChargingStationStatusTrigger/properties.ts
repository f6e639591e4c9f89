import type { INodeProperties } from 'n8n-workflow';

import { STATIONS } from '../shared/resources';
import { filterProperties } from '../shared/node/form/filterForm';
import { eventOutputProperty, optionsProperty } from '../shared/node/form/listParameters';

/** Longest time a state may be waited for: a week. */
const MOST_MINUTES = 10_080;

/** What polls cost, which depends on the event. */
function pollingNotice(name: string, event: string, cost: string): INodeProperties {
	return {
		displayName: `The platform recommends to poll every 1 to 5 minutes. ${cost}`,
		name,
		type: 'notice',
		default: '',
		displayOptions: { show: { event: [event] } },
	};
}

const eventProperties: INodeProperties[] = [
	pollingNotice('pollingNotice', 'availability', 'A poll costs one request while at most 100 stations are offline.'),
	pollingNotice(
		'matchNotice',
		'filterMatch',
		'A poll costs one request for each 100 stations that match the filter at the moment.',
	),
	pollingNotice(
		'changeNotice',
		'statusChange',
		'The first poll reads every station, 100 with a request, and later ones may have to: in a large network poll less often, or narrow the filter.',
	),
	{
		displayName: 'Trigger On',
		name: 'event',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Station Goes Offline or Comes Back',
				value: 'availability',
				description: 'When a station loses its connection, and when it is back',
			},
			{
				name: 'Station Starts or Stops Matching a Filter',
				value: 'filterMatch',
				description: 'When a station begins or ceases to fulfil conditions of your own',
			},
			{
				name: 'Station Status Changes',
				value: 'statusChange',
				description: 'When the network, administrative or hardware status of a station takes another value',
			},
		],
		default: 'availability',
	},
	{
		displayName: 'Report',
		name: 'availabilityChanges',
		type: 'multiOptions',
		options: [
			{ name: 'Going Offline', value: 'offline' },
			{
				name: 'Coming Back',
				value: 'back',
				description:
					'With how long the station was offline. Comes only after an outage that lasted as long as Alert Only After.',
			},
		],
		default: ['offline', 'back'],
		description: 'With both, coming back is reported only for stations whose going offline was reported',
		displayOptions: { show: { event: ['availability'] } },
	},
	{
		displayName: 'Report',
		name: 'matchChanges',
		type: 'multiOptions',
		options: [
			{ name: 'Starting to Match', value: 'starts' },
			{ name: 'Ceasing to Match', value: 'stops' },
		],
		default: ['starts', 'stops'],
		description: 'With both, ceasing to match is reported only for stations whose starting to match was reported',
		displayOptions: { show: { event: ['filterMatch'] } },
	},
	{
		displayName: 'Statuses to Watch',
		name: 'dimensions',
		type: 'multiOptions',
		options: [
			{
				name: 'Network Status',
				value: 'NetworkStatus',
				description: 'Whether the station is connected and heard from right now',
			},
			{
				name: 'Administrative Status',
				value: 'Status',
				description: 'The state of the station on the platform, such as taken out of service on purpose',
			},
			{
				name: 'Hardware Status',
				value: 'HardwareStatus',
				description: 'The condition the device reports about itself, where its vendor provides one',
			},
		],
		default: ['NetworkStatus'],
		displayOptions: { show: { event: ['statusChange'] } },
	},
	{
		displayName: 'Old Status Names or IDs',
		name: 'fromValues',
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: 'getFromValues' },
		default: [],
		description:
			'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
		hint: 'Report only changes that start from one of these values. A status without a choice here may start from any value.',
		displayOptions: { show: { event: ['statusChange'] } },
	},
	{
		displayName: 'New Status Names or IDs',
		name: 'toValues',
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: 'getToValues' },
		default: [],
		description:
			'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
		hint: 'Report only changes that lead to one of these values. A status without a choice here may lead to any value.',
		displayOptions: { show: { event: ['statusChange'] } },
	},
	{
		displayName: 'Alert Only After (Minutes)',
		name: 'minutesInState',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: MOST_MINUTES },
		default: 0,
		description:
			'How long a station must have been in the new state before it is reported. What passes sooner raises nothing. Counted from the first poll that sees it.',
	},
];

const triggerOptions: INodeProperties[] = [
	{
		displayName: 'Report Current State at First',
		name: 'emitInitialState',
		type: 'boolean',
		default: true,
		description:
			'Whether to report the stations that are already offline (or already match, or all statuses) when the workflow goes live for the first time. Otherwise only changes from then on are reported.',
	},
	{
		displayName: 'Fetch Full Detail',
		name: 'fetchDetail',
		type: 'boolean',
		default: true,
		description:
			'Whether to add the full detail of the station (EVSEs, firmware, connectivity) to each event. Costs one request per event.',
	},
	{
		displayName: 'Online Status Names or IDs',
		name: 'onlineValues',
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: 'getOnlineValues' },
		default: ['1'],
		description:
			'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
		hint: 'Codes of Network Status that count as online. With any other code a station is offline.',
		displayOptions: { show: { '/event': ['availability'] } },
	},
	{
		displayName: 'Out-of-Service Status Names or IDs',
		name: 'outOfServiceValues',
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: 'getOutOfServiceValues' },
		default: [],
		description:
			'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
		hint: 'Codes of the administrative Status of stations that were taken out of service on purpose. They raise nothing, and what was open for them ends without a message.',
	},
	{
		displayName: 'Report Back After (Minutes)',
		name: 'backAfterMinutes',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: MOST_MINUTES },
		default: 0,
		description:
			'How long a station must be back (or must no longer match) before that is reported. Shorter returns are taken for part of the same outage.',
		displayOptions: { show: { '/event': ['availability', 'filterMatch'] } },
	},
	{
		displayName: 'Report Hourly What Is Watched',
		name: 'reportWatching',
		type: 'boolean',
		default: true,
		description:
			'Whether to send one more item an hour (event: watching) that says from when to when all stations were watched, and what was offline. Uptime is computed from these and the outages. They come out among the alerts: filter on the event. For uptime, leave Alert Only After at 0: shorter outages are not seen.',
		displayOptions: { show: { '/event': ['availability'] } },
	},
	{
		displayName: 'Stations Added or Removed',
		name: 'stationChanges',
		type: 'multiOptions',
		options: [
			{ name: 'Added', value: 'added' },
			{ name: 'Removed', value: 'removed', description: 'Each removal is confirmed by asking for the station itself' },
		],
		default: [],
		description:
			'Also report stations that are new or no longer exist. Each poll then reads the whole list of stations.',
	},
];

/** The trigger's parameters. n8n adds the poll times itself. */
export const triggerProperties: INodeProperties[] = [
	...eventProperties,
	...filterProperties(STATIONS, {}, 'Only stations that match are watched. Without a condition, all of them.'),
	eventOutputProperty('an outage of the whole network sends one message'),
	optionsProperty({ paging: true, extra: triggerOptions }),
];
