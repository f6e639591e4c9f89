import type { IPollFunctions } from 'n8n-workflow';

import type { Group } from '../shared/dsquery/types';
import { readPoll } from '../shared/parameters/reading';
import { pollSettingsOf, type PollSettings } from '../shared/trigger/parameters';
import { CHARGE_POINT_EVENTS } from './events';
import { parameters } from './parameters';
import type { ChargePointRules } from './state/types';

/** What the node's parameters say, checked. */
export interface ChargePointSettings extends PollSettings, Omit<ChargePointRules, 'config' | 'longestGapMs'> {
	event: string;
	/** The user's station filter. */
	filter?: Group;
	/** The field of a charge point with its status. */
	statusField: string;
	/** The settings that give the saved state its meaning. */
	meaning: unknown;
}

/**
 * Reads the trigger's parameters.
 *
 * @throws QueryError naming every parameter that cannot be used
 */
export function readSettings(context: IPollFunctions): ChargePointSettings {
	const reading = readPoll(context, parameters);
	reading.faults.check();
	const { event, statusField, filters, options } = reading.values;
	const record = CHARGE_POINT_EVENTS[event];
	return {
		...pollSettingsOf(reading.values),
		event,
		statusField,
		rule: record.rule(reading.values),
		filter: filters.filter,
		reportInitialState: options.emitInitialState,
		keepsIncidents: record.keepsIncidents,
		reportsWatching: options.reportWatching ?? false,
		mostStations: options.mostStations,
		meaning: reading.meaning(context.getNode().parameters),
	};
}
