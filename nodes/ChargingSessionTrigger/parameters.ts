import { codesFor } from '../shared/node/dropdowns/statusCodes';
import { listDropdown } from '../shared/node/dropdowns/liveRows';
import { filterNotice, filters } from '../shared/parameters/filters';
import { givenList } from '../shared/parameters/list';
import { options } from '../shared/parameters/options';
import { always, meaningful, notice, shownFor } from '../shared/parameters/parameter';
import { decimal, flag, someOf, whole } from '../shared/parameters/simple';
import { SESSION_CODES, SESSIONS } from '../shared/resources';
import { codes, eventChoices, eventOutput, pollingNotice, pollOptions } from '../shared/trigger/parameters';
import { EVENT_NAMES, SESSION_EVENTS } from './state/events';
import type { SessionEventName, SessionEventRecord } from './state/events';

/** A year. */
const MOST_HOURS = 366 * 24;

const list = givenList(SESSIONS);

function namesOf(isMeant: (event: SessionEventRecord) => boolean): SessionEventName[] {
	return EVENT_NAMES.filter((name) => isMeant(SESSION_EVENTS[name]));
}

/** A dropdown of the codes seen in sessions, and of those stored in the parameter at `path`. */
const statuses = (method: string, path: string) => ({
	method,
	load: codesFor(listDropdown(list, 'getStatusCodes').load, path),
});

const events = someOf<SessionEventName>({
	label: 'Trigger On',
	isFixed: true,
	choices: eventChoices(SESSION_EVENTS),
	default: ['started'],
	order: EVENT_NAMES,
	whyNone: 'choose at least one event.',
});

const filtered = meaningful(filters(list));

/** The trigger's parameters. n8n adds the poll times itself. */
export const parameters = {
	list,
	pollingNotice: pollingNotice(),
	events,
	endStatuses: shownFor(
		events,
		['ended'],
		codes({
			label: 'End Status Names or IDs',
			hint: 'Reported as an end. Only the codes for finished and failed are public; others are listed as seen on your sessions.',
			dropdown: statuses('getEndStatuses', 'endStatuses'),
			default: [String(SESSION_CODES.finished), String(SESSION_CODES.failed)],
			whyNone: 'choose at least one status, or take Session Ends off Trigger On.',
		}),
	),
	runningHours: shownFor(
		events,
		['runningLong'],
		decimal({
			label: 'Running Longer Than (Hours)',
			description:
				'Each session is reported once, when it has been running for longer than this. Counted from Started At, by the clock of the platform.',
			default: 24,
			max: MOST_HOURS,
			unit: 'hours',
		}),
	),
	stalledMinutes: shownFor(
		events,
		namesOf(({ kind }) => kind === 'stall'),
		whole({
			label: 'Stalled After (Minutes)',
			description:
				'How long the energy of a session must not have risen, as far as the polls saw. The minutes begin with the first poll that sees the session, and again after a restart of n8n.',
			hint: 'Sessions without a value in Energy Consumed are never reported.',
			default: 30,
			min: 1,
			max: 10_080,
		}),
	),
	expiredNotice: shownFor(
		events,
		namesOf(({ kind }) => kind !== 'new'),
		notice(
			'The status code for expired is not public, so expired sessions count as still running until you choose it: under End Status if Session Ends is selected, otherwise under Options > Other End Status.',
		),
	),
	filters: filtered,
	filterNotice: filterNotice(
		filtered,
		'filtered',
		notice(
			'Filters apply at the moment of the event: a session is reported if it matches then. Before and after do not count.',
		),
	),
	output: eventOutput('many sessions send one message'),
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
			events,
			namesOf(({ baseline }) => baseline === 'ifAsked'),
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
					'How many days after its start to stop watching a session that has not ended. For Session Is Running Long, the days count from when it has run that long. This limits requests for sessions whose end is never reported or whose end status is not chosen.',
				default: 7,
				min: 1,
				max: 366,
			}),
		),
	}),
};
