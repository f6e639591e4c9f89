import type { IPollFunctions } from 'n8n-workflow';

import { SESSION_CODES, SESSIONS } from '../shared/resources';
import { quote } from '../shared/dsquery/faults';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../shared/dsquery/values/durations';
import type { Group } from '../shared/dsquery/types';
import { Parameters } from '../shared/node/parameters';
import { readCodes, readPollSettings, storedParameters } from '../shared/trigger/settings';
import type { PollSettings } from '../shared/trigger/settings';
import { triggerProperties } from './properties';
import type { StatusValue } from '../shared/trigger/types';
import { EVENT_NAMES, eventsOf } from './state/events';
import type { SessionRules } from './state/types';

/** What the node's parameters say, checked. */
export interface SessionSettings extends PollSettings, Omit<SessionRules, 'place' | 'configs'> {
	/** The user's filter. A session must match it when it is reported. */
	filter?: Group;
	/** The filter as it is stored in the workflow. */
	storedFilter: unknown;
}

/** A year. */
const MOST_HOURS = 366 * 24;

/**
 * Reads the trigger's parameters.
 *
 * @throws QueryError naming every parameter that cannot be used
 */
export function readSettings(context: IPollFunctions): SessionSettings {
	const parameters = Parameters.ofPoll(context, triggerProperties);
	const events = new Set(parameters.choices('events', EVENT_NAMES));
	if (events.size === 0) parameters.refuse('events', 'choose at least one event.');
	const common = readPollSettings(parameters);
	const endCodes = events.has('ended') ? readCodes(parameters, 'endStatuses') : new Set<StatusValue>();
	if (events.has('ended') && endCodes.size === 0) {
		parameters.refuse('endStatuses', 'choose at least one status, or take Session Ends off Trigger On.');
	}
	const others = readCodes(parameters, 'otherEndStatuses');
	const hours = events.has('runningLong') ? readHours(parameters) : 0;
	const watchesStalls = eventsOf('stall').some(([name]) => events.has(name));
	const minutes = watchesStalls ? parameters.wholeNumber('stalledMinutes') : 0;
	const days = parameters.wholeNumber('watchDays');
	const { filter } = parameters.query(SESSIONS);
	const reportInitialState = parameters.flag('emitInitialState');
	parameters.check();
	return {
		...common,
		events,
		endCodes,
		overCodes: new Set([...Object.values(SESSION_CODES), ...endCodes, ...others]),
		watchMs: days * DAY_MS,
		longMs: hours * HOUR_MS,
		stalledMs: minutes * MINUTE_MS,
		reportInitialState,
		filter,
		storedFilter: storedParameters(context, ['filters', 'logic']),
	};
}

function readHours(parameters: Parameters): number {
	const given = parameters.value('runningHours');
	const hours = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
	if (typeof hours === 'number' && hours > 0 && hours <= MOST_HOURS) return hours;
	parameters.refuse(
		'runningHours',
		`a number of hours above 0, up to ${MOST_HOURS}, is needed, but it is ${quote(given)}.`,
	);
	return 0;
}
