import type { IPollFunctions } from 'n8n-workflow';

import { readPoll } from '../shared/parameters/reading';
import { watchSettingsOf, type WatchSettings } from '../shared/trigger/events/settings';
import { CHARGE_POINT_EVENTS } from './events';
import { parameters } from './parameters';
import type { ChargePointRules } from './state/types';

/** What the node's parameters say, checked. */
export interface ChargePointSettings extends WatchSettings, Pick<ChargePointRules, 'rule' | 'mostStations'> {
	/** The field of a charge point with its status. */
	statusField: string;
}

/**
 * Reads the trigger's parameters.
 *
 * @throws QueryError naming every parameter that cannot be used
 */
export function readSettings(context: IPollFunctions): ChargePointSettings {
	const reading = readPoll(context, parameters);
	reading.faults.check();
	const { event, statusField, options } = reading.values;
	const record = CHARGE_POINT_EVENTS[event];
	return {
		...watchSettingsOf(context, record, reading),
		statusField,
		rule: record.rule(reading.values),
		mostStations: options.mostStations,
	};
}
