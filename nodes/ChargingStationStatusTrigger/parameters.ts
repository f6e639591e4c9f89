import { isBlank, quote } from '../shared/dsquery/faults';
import { chosenSome } from '../shared/parameters/chosen';
import { filters } from '../shared/parameters/filters';
import { givenList } from '../shared/parameters/list';
import { options } from '../shared/parameters/options';
import { always, meaningful, shownFor, type Parameter } from '../shared/parameters/parameter';
import { flag, oneOf, someOf, text, whole } from '../shared/parameters/simple';
import { STATIONS } from '../shared/resources';
import { codes, eventChoices, eventOutput, pollingNotice, pollOptions, readCode } from '../shared/trigger/parameters';
import type { StatusValue } from '../shared/trigger/types';
import { STATION_EVENTS, type StationChoice } from './state/events';
import { DIMENSIONS, type Dimension } from './state/types';
import { statusDropdown, valuesDropdown } from './statusOptions';

/** Longest time a state may be waited for: a week. */
const MOST_MINUTES = 10_080;
const LONGEST_CAUSE = 100;
const NOTHING_TO_REPORT = 'choose at least one change to report.';

const list = givenList(STATIONS);

const event = oneOf<StationChoice>({
	label: 'Trigger On',
	isFixed: true,
	choices: eventChoices(STATION_EVENTS),
	default: 'availability',
});

const pollingNoticeOf = (choice: StationChoice) =>
	shownFor(event, [choice], pollingNotice(STATION_EVENTS[choice].advice));

/** Old or new statuses that changes are limited to: `NetworkStatus=2` limits one status; a code alone limits all. */
function statusValues(name: string, method: string, label: string, hint: string) {
	return shownFor(
		event,
		['statusChange'],
		chosenSome({ label, hint, dropdown: valuesDropdown(method, name) }, readValues),
	);
}

function readValues(texts: readonly string[], refuse: (message: string) => void) {
	const values = new Map<Dimension, Set<StatusValue>>();
	for (const each of texts) {
		const [name, code] = each.includes('=') ? each.split('=', 2) : [undefined, each];
		const named = DIMENSIONS.filter((dimension) => name === undefined || dimension === name);
		if (named.length === 0) refuse(`${quote(each)} begins with none of ${DIMENSIONS.join(', ')}.`);
		for (const dimension of named) {
			values.set(dimension, (values.get(dimension) ?? new Set()).add(readCode(code ?? '')));
		}
	}
	return values;
}

function readCause(value: unknown, refuse: (message: string) => void): string | undefined {
	if (isBlank(value)) return undefined;
	const cause = typeof value === 'string' ? value.trim() : '';
	if (cause.toLowerCase() === 'chargepoint') {
		refuse('chargePoint is for outages of charge points. Choose another word, such as faulted.');
	} else if (cause === '' || cause.length > LONGEST_CAUSE || cause.includes(',')) {
		refuse(`a word such as faulted is needed, but this is ${quote(value)}.`);
	}
	return cause;
}

/** With another cause, what is open begins again: begin and end of an incident have the same. */
const cause: Parameter<string | undefined, undefined> = {
	...text(
		{
			label: 'Cause',
			description:
				'For uptime: what it is called when a station matches, such as faulted for Hardware Status is any of your fault codes. Events then count as incidents of this cause, which Availability can count as down.',
			placeholder: 'e.g. faulted',
		},
		readCause,
	),
	meaning: (value) => value,
};

/** Whether any are reported decides what is watched. */
const stationChanges: Parameter<Array<'added' | 'removed'>, undefined> = {
	...someOf({
		label: 'Stations Added or Removed',
		description:
			'Also report stations that are new or no longer exist. Each poll then reads the whole list of stations.',
		choices: [
			{ name: 'Added', value: 'added' },
			{ name: 'Removed', value: 'removed', description: 'Each removal is confirmed by asking for the station itself' },
		],
		default: [],
	}),
	meaning: (changes) => changes.length > 0,
};

/** The trigger's parameters. n8n adds the poll times itself. */
export const parameters = {
	list,
	pollingNotice: pollingNoticeOf('availability'),
	matchNotice: pollingNoticeOf('filterMatch'),
	changeNotice: pollingNoticeOf('statusChange'),
	event,
	availabilityChanges: shownFor(
		event,
		['availability'],
		someOf({
			label: 'Report',
			description: 'With both, coming back is reported only for stations whose going offline was reported',
			choices: [
				{ name: 'Going Offline', value: 'offline' },
				{
					name: 'Coming Back',
					value: 'back',
					description:
						'Says how long the station was offline. Sent only if the outage lasted as long as Alert Only After.',
				},
			],
			default: ['offline', 'back'],
			whyNone: NOTHING_TO_REPORT,
		}),
	),
	matchChanges: shownFor(
		event,
		['filterMatch'],
		someOf({
			label: 'Report',
			description: 'With both, a stop is reported only for stations whose start was reported',
			choices: [
				{ name: 'Starts Matching', value: 'starts' },
				{ name: 'Stops Matching', value: 'stops' },
			],
			default: ['starts', 'stops'],
			whyNone: NOTHING_TO_REPORT,
		}),
	),
	dimensions: shownFor(
		event,
		['statusChange'],
		meaningful(
			someOf<Dimension>({
				label: 'Statuses to Watch',
				choices: [
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
				order: DIMENSIONS,
				whyNone: 'choose at least one status.',
			}),
		),
	),
	fromValues: statusValues(
		'fromValues',
		'getFromValues',
		'Old Status Names or IDs',
		'Report only changes that start from one of these values. A status without a choice here may start from any value.',
	),
	toValues: statusValues(
		'toValues',
		'getToValues',
		'New Status Names or IDs',
		'Report only changes that lead to one of these values. A status without a choice here may lead to any value.',
	),
	minutesInState: whole({
		label: 'Alert Only After (Minutes)',
		description:
			'How long a station must be in the new state before it is reported. Shorter changes are not reported. Counted from the first poll that sees it.',
		default: 0,
		min: 0,
		max: MOST_MINUTES,
	}),
	filters: meaningful(filters(list, 'Only stations that match are watched. Without a condition, all of them.')),
	output: eventOutput('an outage of the whole network sends one message'),
	options: options({
		...pollOptions,
		emitInitialState: flag({
			label: 'Report Initial State',
			description:
				'Whether to report stations that are already offline (or already match, or all statuses) when the workflow first goes live. Otherwise, only changes from then on are reported.',
			default: true,
		}),
		fetchDetail: flag({
			label: 'Fetch Full Detail',
			description:
				'Whether to add the full detail of the station (EVSEs, firmware, connectivity) to each event. Costs one request per event.',
			default: true,
		}),
		onlineValues: shownFor(
			event,
			['availability'],
			meaningful(
				always(
					codes({
						label: 'Online Status Names or IDs',
						hint: 'Codes of Network Status that count as online. With any other code a station is offline.',
						dropdown: statusDropdown('getOnlineValues', 'NetworkStatus', 'options.onlineValues'),
						default: ['1'],
						whyNone: 'choose at least one code that means online.',
					}),
				),
			),
		),
		outOfServiceValues: meaningful(
			always(
				codes({
					label: 'Out-of-Service Names or IDs',
					hint: 'Administrative Status of stations out of service on purpose: not reported, and their incidents end silently.',
					dropdown: statusDropdown('getOutOfServiceValues', 'Status', 'options.outOfServiceValues'),
				}),
			),
		),
		backAfterMinutes: shownFor(
			event,
			['availability', 'filterMatch'],
			always(
				whole({
					label: 'Report Back After (Minutes)',
					description:
						'How long a station must be back (or must no longer match) before that is reported. Shorter returns are taken for part of the same outage.',
					default: 0,
					min: 0,
					max: MOST_MINUTES,
				}),
			),
		),
		reportWatching: shownFor(
			event,
			['availability', 'filterMatch'],
			flag({
				label: 'Report Watched Time Hourly',
				description:
					'Whether to also output one item an hour (event: watching) with the time in which all stations were watched, and which were offline (or matched: then fill in Cause). Uptime is computed from these and the outages. They come mixed with the alerts: filter on event. For uptime, leave Alert Only After at 0: it hides shorter outages.',
				default: true,
			}),
		),
		// The fingerprint of saved states has these two in this order.
		stationChanges: always(stationChanges),
		cause: shownFor(event, ['filterMatch'], cause),
	}),
};
