import { chargePointFields, chargePointValues } from '../shared/node/dropdowns/chargePoints';
import { field } from '../shared/parameters/chosen';
import { filters } from '../shared/parameters/filters';
import { givenList } from '../shared/parameters/list';
import { options } from '../shared/parameters/options';
import { always, meaningful, shownFor } from '../shared/parameters/parameter';
import { flag, oneOf, whole } from '../shared/parameters/simple';
import { STATIONS } from '../shared/resources';
import { codes, eventChoices, eventOutput, pollingNotice, pollOptions } from '../shared/trigger/parameters';
import { CHARGE_POINT_EVENTS, type ChargePointChoice } from './state/events';

/** Longest time a state may be waited for: a week. */
const MOST_MINUTES = 10_080;

const event = oneOf<ChargePointChoice>({
	label: 'Trigger On',
	isFixed: true,
	choices: eventChoices(CHARGE_POINT_EVENTS),
	default: 'outOfOrder',
});

const dependsOn = ['statusField'];
const list = givenList(STATIONS);

/** The trigger's parameters. n8n adds the poll times itself. */
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
	outOfOrderValues: shownFor(
		event,
		['outOfOrder'],
		meaningful(
			codes({
				label: 'Out of Order Names or IDs',
				hint: 'A charge point with one of these values is out of order. What a code means is not public: ask the platform.',
				dropdown: { method: 'getOutOfOrderValues', load: chargePointValues('outOfOrderValues', 'statusField') },
				dependsOn,
				whyNone: 'nothing is chosen. Choose the codes that mean out of order: they are not public, so none is preset.',
			}),
		),
	),
	fromValues: shownFor(
		event,
		['statusChange'],
		codes({
			label: 'Old Status Names or IDs',
			hint: 'Report only changes that start from one of these values. Without a choice, from any.',
			dropdown: { method: 'getFromValues', load: chargePointValues('fromValues', 'statusField') },
			dependsOn,
		}),
	),
	toValues: shownFor(
		event,
		['statusChange'],
		codes({
			label: 'New Status Names or IDs',
			hint: 'Report only changes that lead to one of these values. Without a choice, to any.',
			dropdown: { method: 'getToValues', load: chargePointValues('toValues', 'statusField') },
			dependsOn,
		}),
	),
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
	output: eventOutput('many charge points send one message'),
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
				'Whether to report charge points that are already out of order (or all statuses) when the workflow first goes live. Otherwise, only changes from then on are reported.',
			default: true,
		}),
		reportWatching: shownFor(
			event,
			['outOfOrder'],
			flag({
				label: 'Report Watched Time Hourly',
				description:
					'Whether to also output one item an hour (event: watching) with the time in which all charge points were watched, and which were out of order. Uptime is computed from these and the incidents. They come mixed with the alerts: filter on event. For uptime, leave Alert Only After at 0: it hides shorter incidents.',
				default: true,
			}),
		),
	}),
};
