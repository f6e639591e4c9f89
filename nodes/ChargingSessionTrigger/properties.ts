import sortBy from 'lodash/sortBy';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { SESSION_CODES, SESSIONS } from '../shared/resources';
import { filterProperties, NO_CONDITION } from '../shared/node/form/filterForm';
import { eventOutputProperty, optionsProperty, pollingNotice } from '../shared/node/form/listParameters';
import { EVENT_NAMES, SESSION_EVENTS } from './state/events';
import type { SessionEventName, SessionEventRecord } from './state/events';

function optionOf(value: SessionEventName): INodePropertyOptions {
	const { label, description } = SESSION_EVENTS[value];
	return { name: label, value, description };
}

function namesOf(isMeant: (event: SessionEventRecord) => boolean): SessionEventName[] {
	return EVENT_NAMES.filter((name) => isMeant(SESSION_EVENTS[name]));
}

const eventProperties: INodeProperties[] = [
	pollingNotice(),
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		noDataExpression: true,
		options: sortBy(EVENT_NAMES.map(optionOf), 'name'),
		default: ['started'],
	},
	{
		displayName: 'End Status Names or IDs',
		name: 'endStatuses',
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: 'getEndStatuses' },
		default: [String(SESSION_CODES.finished), String(SESSION_CODES.failed)],
		description:
			'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
		hint: 'Reported as an end. Only the codes for finished and failed are public; others are listed as seen on your sessions.',
		displayOptions: { show: { events: ['ended'] } },
	},
	{
		displayName: 'Running Longer Than (Hours)',
		name: 'runningHours',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 24,
		description:
			'Each session is reported once, when it has been running for longer than this. Counted from Started At, by the clock of the platform.',
		displayOptions: { show: { events: ['runningLong'] } },
	},
	{
		displayName: 'Stalled After (Minutes)',
		name: 'stalledMinutes',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 10080 },
		default: 30,
		description:
			'How long the energy of a session must not have risen, as far as the polls saw. The minutes begin with the first poll that sees the session, and again after a restart of n8n.',
		hint: 'Sessions without a value in Energy Consumed are never reported.',
		displayOptions: { show: { events: namesOf(({ kind }) => kind === 'stall') } },
	},
	{
		displayName:
			'The status code for expired is not public, so expired sessions count as still running until you choose it: under End Status if Session Ends is selected, otherwise under Options > Other End Status.',
		name: 'expiredNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { events: namesOf(({ kind }) => kind !== 'new') } },
	},
];

const filterNotice: INodeProperties = {
	displayName:
		'Filters apply at the moment of the event: a session is reported if it matches then. Before and after do not count.',
	name: 'filterNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { filters: [{ _cnd: { not: NO_CONDITION } }] } },
};

const triggerOptions: INodeProperties[] = [
	{
		displayName: 'Other End Status Names or IDs',
		name: 'otherEndStatuses',
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: 'getOtherEndStatuses' },
		default: [],
		description:
			'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
		hint: 'These also end a session: it is no longer watched, and not reported. Finished and failed always count.',
	},
	{
		displayName: 'Report Initial State',
		name: 'emitInitialState',
		type: 'boolean',
		default: true,
		description:
			'Whether to report sessions that are already running (or running long) when the workflow first goes live. Otherwise, only what happens from then on is reported.',
		displayOptions: { show: { '/events': namesOf(({ baseline }) => baseline === 'ifAsked') } },
	},
	{
		displayName: 'Max Watch Time (Days)',
		name: 'watchDays',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 366 },
		default: 7,
		description:
			'How many days after its start to stop watching a session that has not ended. For Session Is Running Long, the days count from when it has run that long. This limits requests for sessions whose end is never reported or whose end status is not chosen.',
	},
];

/** The trigger's parameters. n8n adds the poll times itself. */
export const triggerProperties: INodeProperties[] = [
	...eventProperties,
	...filterProperties(SESSIONS),
	filterNotice,
	eventOutputProperty('many sessions send one message'),
	optionsProperty({ paging: true, extra: triggerOptions }),
];
