import type { IPollFunctions } from 'n8n-workflow';

import { SESSIONS } from '../shared/resources';
import { quote } from '../shared/dsquery/faults';
import type { Group } from '../shared/dsquery/types';
import { SettingsReader } from '../shared/trigger/settingsReader';
import type { PollSettings } from '../shared/trigger/settingsReader';
import type { StatusValue } from '../shared/trigger/types';
import { SESSION_EVENTS } from './state/types';
import type { SessionRules } from './state/types';

/** What the node's parameters say, checked. */
export interface SessionSettings
	extends PollSettings,
		Omit<SessionRules, 'failedCodes' | 'place' | 'openConfig' | 'longConfig'> {
	/** The user's filter. A session must match it when it is reported. */
	filter?: Group;
	/** The filter as it is stored in the workflow. */
	storedFilter: unknown;
}

const HOUR_MS = 3_600_000;
/** A year. */
const MOST_DAYS = 366;
const MOST_HOURS = MOST_DAYS * 24;
/** The codes with which a session is over whatever the user chooses: finished and failed. */
const KNOWN_OVER = [4, 6] as const;
/** The code of failed sessions. */
export const FAILED_CODES: ReadonlySet<StatusValue> = new Set([6]);

/**
 * Reads the trigger's parameters.
 *
 * @throws QueryError naming every parameter that cannot be used
 */
export function readSettings(context: IPollFunctions): SessionSettings {
	const reader = new SettingsReader(context, SESSIONS);
	const { options, faults } = reader;
	const events = new Set(reader.list(reader.value('events', ['started']), 'Trigger On', SESSION_EVENTS));
	if (events.size === 0) reader.refuse('Trigger On', 'choose at least one event.');
	const common = reader.common();
	const endCodes = events.has('ended')
		? reader.codes(reader.value('endStatuses', [...KNOWN_OVER]), 'Ended With')
		: new Set<StatusValue>();
	if (events.has('ended') && endCodes.size === 0) {
		reader.refuse('Ended With', 'choose at least one status, or take Session Ends off Trigger On.');
	}
	const others = reader.codes(options.otherEndStatuses ?? [], 'Options > Also Over');
	const hours = events.has('runningLong') ? readHours(reader) : 24;
	const days = reader.number('Options > Watch for at Most', options.watchDays ?? 7, 1, MOST_DAYS);
	const filter = reader.filter();
	faults.check();
	return {
		...common,
		events,
		endCodes,
		overCodes: new Set([...KNOWN_OVER, ...endCodes, ...others]),
		watchMs: days * 24 * HOUR_MS,
		longMs: hours * HOUR_MS,
		reportInitialState: options.emitInitialState === true,
		filter,
		storedFilter: reader.stored(['filters', 'logic']),
	};
}

function readHours(reader: SettingsReader): number {
	const given = reader.value('runningHours', 24);
	const hours = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
	if (typeof hours === 'number' && hours > 0 && hours <= MOST_HOURS) return hours;
	reader.refuse('Running Longer Than', `a number of hours up to ${MOST_HOURS} is needed, but it is ${quote(given)}.`);
	return 24;
}
