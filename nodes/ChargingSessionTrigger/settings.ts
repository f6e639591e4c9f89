import type { IPollFunctions } from 'n8n-workflow';

import { SESSION_CODES } from '../shared/resources';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../shared/dsquery/values/durations';
import type { Group } from '../shared/dsquery/types';
import { readPoll } from '../shared/parameters/reading';
import { pollSettingsOf, type PollSettings } from '../shared/trigger/parameters';
import { parameters } from './parameters';
import type { SessionRules } from './state/types';

/** What the node's parameters say, checked. */
export interface SessionSettings extends PollSettings, Omit<SessionRules, 'place' | 'configs'> {
	/** The user's filter. A session must match it when it is reported. */
	filter?: Group;
	/** The filter as it is stored in the workflow. */
	storedFilter: unknown;
}

/**
 * Reads the trigger's parameters.
 *
 * @throws QueryError naming every parameter that cannot be used
 */
export function readSettings(context: IPollFunctions): SessionSettings {
	const reading = readPoll(context, parameters);
	reading.faults.check();
	const { events, endStatuses = new Set(), runningHours = 0, stalledMinutes = 0, filters, options } = reading.values;
	const { watchDays, otherEndStatuses, emitInitialState = false } = options;
	return {
		...pollSettingsOf(reading.values),
		events: new Set(events),
		endCodes: endStatuses,
		overCodes: new Set([...Object.values(SESSION_CODES), ...endStatuses, ...otherEndStatuses]),
		watchMs: watchDays * DAY_MS,
		longMs: runningHours * HOUR_MS,
		stalledMs: stalledMinutes * MINUTE_MS,
		reportInitialState: emitInitialState,
		filter: filters.filter,
		storedFilter: reading.meaning(context.getNode().parameters),
	};
}
