import { filters } from '../shared/list/filters';
import { givenList } from '../shared/list/list';
import { options } from '../shared/parameters/options';
import { always, meaningful, shownFor } from '../shared/parameters/parameter';
import { flag, oneOf, someOf, whole } from '../shared/parameters/simple';
import { STATIONS } from '../shared/resources';
import { broughtBy, MOST_MINUTES } from '../shared/trigger/events/records';
import { codes, eventChoices, eventOutput, pollingNotice, pollOptions } from '../shared/trigger/parameters';
import { STATION_EVENTS, type StationChoice } from './events';
import { statusDropdown } from './statusOptions';

const list = givenList(STATIONS);

const event = oneOf<StationChoice>({
	label: 'Trigger On',
	isFixed: true,
	choices: eventChoices(STATION_EVENTS),
	default: 'availability',
});

const pollingNoticeOf = (choice: StationChoice) =>
	shownFor('event', [choice], pollingNotice(STATION_EVENTS[choice].advice));

const stationChanges = someOf<'added' | 'removed'>({
	label: 'Stations Added or Removed',
	description: 'Also report stations that are new or no longer exist. Each poll then reads the whole list of stations.',
	choices: [
		{ name: 'Added', value: 'added' },
		{ name: 'Removed', value: 'removed', description: 'Each removal is confirmed by asking for the station itself' },
	],
	default: [],
});

export const parameters = {
	list,
	pollingNotice: pollingNoticeOf('availability'),
	matchNotice: pollingNoticeOf('filterMatch'),
	changeNotice: pollingNoticeOf('statusChange'),
	unstableNotice: pollingNoticeOf('unstable'),
	event,
	...broughtBy('event', STATION_EVENTS, 'parameters'),
	minutesInState: whole({
		label: 'Alert Only After (Minutes)',
		description:
			'How long a station must be in the new state before it is reported. Shorter changes are not reported. Counted from the first poll that sees it.',
		default: 0,
		min: 0,
		max: MOST_MINUTES,
	}),
	filters: meaningful(filters(list, 'Only stations that match are watched. Without a condition, all of them.')),
	...eventOutput(list, 'an outage of the whole network sends one message'),
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
		outOfServiceValues: meaningful(
			always(
				codes({
					label: 'Out-of-Service Names or IDs',
					hint: 'Administrative Status of stations out of service on purpose: not reported, and their incidents end silently.',
					dropdown: statusDropdown('getOutOfServiceValues', 'Status', 'options.outOfServiceValues'),
				}),
			),
		),
		stationChanges: always(stationChanges),
		...broughtBy('event', STATION_EVENTS, 'options'),
	}),
};
