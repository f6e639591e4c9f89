import { chargePointFields } from '../shared/list/dropdowns/chargePoints';
import { field } from '../shared/parameters/chosen';
import { filters } from '../shared/list/filters';
import { givenList } from '../shared/list/list';
import { options } from '../shared/parameters/options';
import { always, meaningful } from '../shared/parameters/parameter';
import { flag, oneOf, whole } from '../shared/parameters/simple';
import { STATIONS } from '../shared/resources';
import { broughtBy, MOST_MINUTES } from '../shared/trigger/events/records';
import { eventChoices, eventOutput, pollingNotice, pollOptions } from '../shared/trigger/parameters';
import { CHARGE_POINT_EVENTS, type ChargePointChoice } from './events';

const event = oneOf<ChargePointChoice>({
	label: 'Trigger On',
	isFixed: true,
	choices: eventChoices(CHARGE_POINT_EVENTS),
	default: 'outOfOrder',
});

const list = givenList(STATIONS);

export const parameters = {
	list,
	pollingNotice: pollingNotice(
		'That holds for up to 100 stations: each look at one costs a request, so they take turns. 300 are looked at every 15 minutes, 1,200 once an hour. <b>Most Stations per Poll</b> and the filter change that.',
	),
	event,
	statusField: meaningful(
		field({
			label: 'Status Field Name or ID',
			description: 'The field of a charge point that has its status, as seen on your stations',
			required: true,
			dropdown: { method: 'getStatusFields', load: chargePointFields('statusField') },
		}),
	),
	...broughtBy('event', CHARGE_POINT_EVENTS, 'parameters'),
	minutesInState: whole({
		label: 'Alert Only After (Minutes)',
		description:
			'How long a charge point must be in the new state before it is reported. Shorter changes are not reported. Counted from the first look that sees it, so it takes at least two looks.',
		default: 0,
		min: 0,
		max: MOST_MINUTES,
	}),
	filters: meaningful(
		filters(list, 'Only charge points of stations that match are watched. Without a condition, those of all stations.'),
	),
	...eventOutput(list, 'many charge points send one message'),
	options: options({
		...pollOptions,
		mostStations: always(
			whole({
				label: 'Most Stations per Poll',
				description:
					'How many stations a poll looks at, one request for each. The next poll goes on with those after them. Fewer if the time of the poll or the rate limit of the key does not allow so many.',
				default: 100,
				min: 1,
				max: 10_000,
			}),
		),
		emitInitialState: flag({
			label: 'Report Initial State',
			description:
				'Whether to report charge points that are already out of order (or in a chosen status, or all statuses) when the workflow first goes live. Otherwise, only changes from then on are reported.',
			default: true,
		}),
		...broughtBy('event', CHARGE_POINT_EVENTS, 'options'),
	}),
};
