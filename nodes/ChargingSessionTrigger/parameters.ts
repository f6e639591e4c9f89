import { filterNotice, filters } from '../shared/list/filters';
import { options } from '../shared/parameters/options';
import { always, meaningful, notice, shownFor } from '../shared/parameters/parameter';
import { flag, someOf, whole } from '../shared/parameters/simple';
import { broughtBy } from '../shared/trigger/events/records';
import { codes, eventChoices, eventOutput, pollingNotice, pollOptions } from '../shared/trigger/parameters';
import { EVENT_NAMES, list, SESSION_EVENTS, type SessionEventName, statuses } from './events';

const events = someOf<SessionEventName>({
	label: 'Trigger On',
	isFixed: true,
	choices: eventChoices(SESSION_EVENTS),
	default: ['started'],
	order: EVENT_NAMES,
	whyNone: 'choose at least one event.',
});

const { expiredNotice, ...brought } = broughtBy('events', SESSION_EVENTS, 'parameters');

/** Events for which it matters what is so when the workflow first goes live. */
const findsAtFirst = EVENT_NAMES.filter((name) => ['new', 'long'].includes(SESSION_EVENTS[name].rule({}).kind));

const filtered = meaningful(filters(list));

export const parameters = {
	list,
	pollingNotice: pollingNotice(),
	events,
	...brought,
	expiredNotice,
	filters: filtered,
	filterNotice: filterNotice(
		'filtered',
		notice(
			'Filters apply at the moment of the event: a session is reported if it matches then. Before and after do not count.',
		),
	),
	...eventOutput(list, 'many sessions send one message'),
	options: options({
		...pollOptions,
		otherEndStatuses: always(
			codes({
				label: 'Other End Status Names or IDs',
				hint: 'These also end a session: it is no longer watched, and not reported. Finished and failed always count.',
				dropdown: statuses('getOtherEndStatuses', 'options.otherEndStatuses'),
			}),
		),
		emitInitialState: shownFor(
			'/events',
			findsAtFirst,
			flag({
				label: 'Report Initial State',
				description:
					'Whether to report sessions that are already running (or running long) when the workflow first goes live. Otherwise, only what happens from then on is reported.',
				default: true,
			}),
		),
		watchDays: always(
			whole({
				label: 'Max Watch Time (Days)',
				description:
					'How many days after its start to stop watching a session that has not ended; a new one with an older start, after it was first seen. For Session Is Running Long, the days count from when it has run that long. This limits requests for sessions whose end is never reported or whose end status is not chosen.',
				default: 7,
				min: 1,
				max: 366,
			}),
		),
	}),
};
