import sortBy from 'lodash/sortBy';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { STATIONS } from '../shared/resources';
import { filterProperties } from '../shared/node/form/filterForm';
import { eventOutputProperty, optionsProperty, pollingNotice } from '../shared/node/form/listParameters';
import { STATION_CHOICES, STATION_EVENTS } from './state/events';
import type { StationChoice } from './state/events';

/** Longest time a state may be waited for: a week. */
const MOST_MINUTES = 10_080;

function noticeFor(event: StationChoice): INodeProperties {
	const { notice, advice } = STATION_EVENTS[event];
	return { ...pollingNotice(advice, notice), displayOptions: { show: { event: [event] } } };
}

function optionOf(value: StationChoice): INodePropertyOptions {
	const { label, description } = STATION_EVENTS[value];
	return { name: label, value, description };
}

const eventProperties: INodeProperties[] = [
	...STATION_CHOICES.map(noticeFor),
	{
		displayName: 'Trigger On',
		name: 'event',
		type: 'options',
		noDataExpression: true,
		options: sortBy(STATION_CHOICES.map(optionOf), 'name'),
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
					'Says how long the station was offline. Sent only if the outage lasted as long as Alert Only After.',
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
			{ name: 'Starts Matching', value: 'starts' },
			{ name: 'Stops Matching', value: 'stops' },
		],
		default: ['starts', 'stops'],
		description: 'With both, a stop is reported only for stations whose start was reported',
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
			'How long a station must be in the new state before it is reported. Shorter changes are not reported. Counted from the first poll that sees it.',
	},
];

const triggerOptions: INodeProperties[] = [
	{
		displayName: 'Cause',
		name: 'cause',
		type: 'string',
		default: '',
		placeholder: 'e.g. faulted',
		description:
			'For uptime: what it is called when a station matches, such as faulted for Hardware Status is any of your fault codes. Events then count as incidents of this cause, which Availability can count as down.',
		displayOptions: { show: { '/event': ['filterMatch'] } },
	},
	{
		displayName: 'Report Initial State',
		name: 'emitInitialState',
		type: 'boolean',
		default: true,
		description:
			'Whether to report stations that are already offline (or already match, or all statuses) when the workflow first goes live. Otherwise, only changes from then on are reported.',
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
		displayName: 'Out-of-Service Names or IDs',
		name: 'outOfServiceValues',
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: 'getOutOfServiceValues' },
		default: [],
		description:
			'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
		hint: 'Administrative Status of stations out of service on purpose: not reported, and their incidents end silently.',
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
		displayName: 'Report Watched Time Hourly',
		name: 'reportWatching',
		type: 'boolean',
		default: true,
		description:
			'Whether to also output one item an hour (event: watching) with the time in which all stations were watched, and which were offline (or matched: then fill in Cause). Uptime is computed from these and the outages. They come mixed with the alerts: filter on event. For uptime, leave Alert Only After at 0: it hides shorter outages.',
		displayOptions: { show: { '/event': ['availability', 'filterMatch'] } },
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
	...filterProperties(STATIONS, 'Only stations that match are watched. Without a condition, all of them.'),
	eventOutputProperty('an outage of the whole network sends one message'),
	optionsProperty({ paging: true, extra: triggerOptions }),
];
