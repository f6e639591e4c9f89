import type { IPollFunctions } from 'n8n-workflow';

import { DAY_MS } from '../shared/dsquery/values/durations';
import { readPoll } from '../shared/parameters/reading';
import { SESSION_CODES } from '../shared/resources';
import { pollSettingsOf, type PollSettings } from '../shared/trigger/parameters';
import type { StatusValue } from '../shared/dsquery/catalogue';
import { SESSION_EVENTS } from './events';
import { parameters } from './parameters';
import type { SessionRule } from './rules';

export interface SessionSettings extends PollSettings {
	/** The rules of the chosen events. */
	rules: ReadonlyMap<string, SessionRule>;
	/** All codes with which a session is over. */
	overCodes: ReadonlySet<StatusValue>;
	/** How long a session is watched from its start; a long one, from when it has run that long. */
	watchMs: number;
}

export function readSettings(context: IPollFunctions): SessionSettings {
	const reading = readPoll(context, parameters);
	reading.faults.check();
	const { events, endStatuses = [], options } = reading.values;
	return {
		...pollSettingsOf(context, reading),
		rules: new Map(events.map((name) => [name, SESSION_EVENTS[name].rule(reading.values)])),
		overCodes: new Set([...Object.values(SESSION_CODES), ...endStatuses, ...options.otherEndStatuses]),
		watchMs: options.watchDays * DAY_MS,
	};
}
