import type { IPollFunctions } from 'n8n-workflow';

import { readPoll } from '../shared/parameters/reading';
import { type PollSettings, pollSettingsOf } from '../shared/trigger/parameters';
import { CHARGE_POINT_EVENTS, type ChargePointChoice } from './events';
import { parameters } from './parameters';
import type { ChargePointRule } from './points';

export interface ChargePointSettings extends PollSettings, ChargePointRule {
	event: ChargePointChoice;
	statusField: string;
	/** How many stations a poll looks at. */
	mostStations: number;
}

export function readSettings(context: IPollFunctions): ChargePointSettings {
	const reading = readPoll(context, parameters);
	const { event, statusField, minutesInState, options } = reading.values;
	if (event === 'inStatus' && minutesInState === 0) {
		reading.refuse('minutesInState', 'enter after how many minutes it is too long, such as 240.');
	}
	reading.faults.check();
	return {
		...pollSettingsOf(context, reading),
		...CHARGE_POINT_EVENTS[event].rule(reading.values),
		event,
		statusField,
		mostStations: options.mostStations,
	};
}
