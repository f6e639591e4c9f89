import type { IPollFunctions } from 'n8n-workflow';

import type { Group } from '../shared/dsquery/types';
import { MINUTE_MS } from '../shared/dsquery/values/durations';
import { Parameters } from '../shared/node/parameters';
import { STATIONS } from '../shared/resources';
import { readCodes, readPollSettings, storedParameters } from '../shared/trigger/settings';
import type { PollSettings } from '../shared/trigger/settings';
import { isNoneAValue } from '../shared/trigger/state/status';
import type { StatusValue } from '../shared/trigger/types';
import { triggerProperties } from './properties';
import { CHARGE_POINT_CHOICES, CHARGE_POINT_EVENTS } from './state/events';
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

/** Parameters that give the saved state its meaning. */
const MEANINGFUL = ['filters', 'logic', 'statusField', 'outOfOrderValues'];

/**
 * Reads the trigger's parameters.
 *
 * @throws QueryError naming every parameter that cannot be used
 */
export function readSettings(context: IPollFunctions): ChargePointSettings {
	const parameters = Parameters.ofPoll(context, triggerProperties);
	const event = parameters.choice('event', CHARGE_POINT_CHOICES);
	const watchesOrder = event === 'outOfOrder';
	const [statusField = '', ...more] = parameters.fieldNames('statusField');
	if (more.length > 0) parameters.refuse('statusField', 'one field is needed here, but these are several.');
	const outOfOrder = watchesOrder ? readCodes(parameters, 'outOfOrderValues') : undefined;
	if (outOfOrder?.size === 0) {
		parameters.refuse(
			'outOfOrderValues',
			'nothing is chosen. Choose the codes that mean out of order: they are not public, so none is preset.',
		);
	}
	const from = watchesOrder ? undefined : readChosen(parameters, 'fromValues');
	const to = watchesOrder ? undefined : readChosen(parameters, 'toValues');
	const settings = {
		...readPollSettings(parameters),
		...{ event, statusField, outOfOrder, from, to },
		noneIsValue: isNoneAValue(statusField, outOfOrder, from, to),
		filter: parameters.query(STATIONS).filter,
		afterMs: parameters.wholeNumber('minutesInState') * MINUTE_MS,
		reportInitialState: parameters.flag('emitInitialState'),
		keepsIncidents: CHARGE_POINT_EVENTS[event].keepsIncidents,
		reportsWatching: watchesOrder && parameters.flag('reportWatching'),
		mostStations: parameters.wholeNumber('mostStations'),
		meaning: storedParameters(context, MEANINGFUL),
	};
	parameters.check();
	return settings;
}

/** Undefined if nothing is chosen: then any value will do. */
function readChosen(parameters: Parameters, name: string): Set<StatusValue> | undefined {
	const values = readCodes(parameters, name);
	return values.size > 0 ? values : undefined;
}
