import type { IPollFunctions } from 'n8n-workflow';

import { readPoll } from '../shared/parameters/reading';
import { watchSettingsOf, type WatchSettings } from '../shared/trigger/events/settings';
import { CHARGE_POINT_EVENTS } from './events';
import { parameters } from './parameters';
import type { ChargePointRule } from './points';

export interface ChargePointSettings extends WatchSettings, ChargePointRule {
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
	const record = CHARGE_POINT_EVENTS[event];
	return {
		...watchSettingsOf(context, record, reading),
		statusField,
		...record.rule(reading.values),
		mostStations: options.mostStations,
	};
}
