import type { IPollFunctions } from 'n8n-workflow';

import type { Group } from '../shared/dsquery/types';
import { MINUTE_MS } from '../shared/dsquery/values/durations';
import { readPoll } from '../shared/parameters/reading';
import { pollSettingsOf, type PollSettings } from '../shared/trigger/parameters';
import { isNoneAValue } from '../shared/trigger/watch/status';
import type { StatusValue } from '../shared/trigger/types';
import { parameters } from './parameters';
import { CHARGE_POINT_EVENTS } from './state/events';
import type { ChargePointChoice } from './state/events';
import type { WatchRules } from './state/step';

/** What the node's parameters say, checked. */
export interface ChargePointSettings extends PollSettings, Omit<WatchRules, 'config' | 'longestGapMs'> {
	event: ChargePointChoice;
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
	const { event, statusField, outOfOrderValues: outOfOrder, filters, minutesInState, options } = reading.values;
	const [from, to] = [chosen(reading.values.fromValues), chosen(reading.values.toValues)];
	return {
		...pollSettingsOf(reading.values),
		event,
		statusField,
		outOfOrder,
		from,
		to,
		noneIsValue: isNoneAValue(statusField, outOfOrder, from, to),
		filter: filters.filter,
		afterMs: minutesInState * MINUTE_MS,
		reportInitialState: options.emitInitialState,
		keepsIncidents: CHARGE_POINT_EVENTS[event].keepsIncidents,
		reportsWatching: options.reportWatching ?? false,
		mostStations: options.mostStations,
		meaning: reading.meaning(context.getNode().parameters),
	};
}

/** Undefined if nothing is chosen: then any value will do. */
function chosen(values: ReadonlySet<StatusValue> | undefined): ReadonlySet<StatusValue> | undefined {
	return values && values.size > 0 ? values : undefined;
}
