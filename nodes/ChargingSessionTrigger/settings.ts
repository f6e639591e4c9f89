import type { IPollFunctions } from 'n8n-workflow';

import type { Group } from '../shared/dsquery/types';
import { DAY_MS } from '../shared/dsquery/values/durations';
import { readPoll } from '../shared/parameters/reading';
import { SESSION_CODES } from '../shared/resources';
import { pollSettingsOf, type PollSettings } from '../shared/trigger/parameters';
import { SESSION_EVENTS } from './events';
import { parameters } from './parameters';
import type { SessionRules } from './state/types';

export interface SessionSettings extends PollSettings, SessionRules {
	/** The user's filter. A session must match it when it is reported. */
	filter?: Group;
}

export function readSettings(context: IPollFunctions): SessionSettings {
	const reading = readPoll(context, parameters);
	reading.faults.check();
	const { events, endStatuses = [], filters, options } = reading.values;
	return {
		...pollSettingsOf(reading.values),
		rules: new Map(events.map((name) => [name, SESSION_EVENTS[name].rule(reading.values)])),
		overCodes: new Set([...Object.values(SESSION_CODES), ...endStatuses, ...options.otherEndStatuses]),
		watchMs: options.watchDays * DAY_MS,
		reportInitialState: options.emitInitialState ?? false,
		filter: filters.filter,
		storedFilter: reading.meaning(context.getNode().parameters),
	};
}
