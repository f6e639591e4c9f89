import type { IPollFunctions } from 'n8n-workflow';

import { readPoll } from '../shared/parameters/reading';
import { type PollSettings, pollSettingsOf } from '../shared/trigger/parameters';
import type { StatusValue } from '../shared/dsquery/catalogue';
import { STATION_EVENTS, type StationChoice } from './events';
import { parameters } from './parameters';
import type { StationRule } from './rules';

export interface StationSettings extends PollSettings, StationRule {
	event: StationChoice;
	/** Set if added or removed stations are reported. */
	fleet?: { appears?: 'added'; vanishes?: 'removed' };
	/** What says which stations these can be: the filter, unless that is the state. */
	fleetMeaning: unknown;
	outOfService: ReadonlySet<StatusValue>;
	fetchDetail: boolean;
}

export function readSettings(context: IPollFunctions): StationSettings {
	const reading = readPoll(context, parameters);
	const { event, filters, options } = reading.values;
	const { cause, stationChanges: changes, reportWatching = false } = options;
	if (event === 'filterMatch' && filters.filter === undefined) {
		const why = 'add at least one condition: without one every station matches, and nothing ever starts to.';
		reading.refuse('filters', why);
	}
	if (reportWatching && event === 'filterMatch' && cause === undefined) {
		reading.refuse('cause', 'fill in what was watched for, such as faulted. Report Watched Time Hourly needs it.');
	}
	reading.faults.check();

	const fleet = {
		...(changes.includes('added') && { appears: 'added' as const }),
		...(changes.includes('removed') && { vanishes: 'removed' as const }),
	};
	return {
		...pollSettingsOf(context, reading),
		...STATION_EVENTS[event].rule({ ...reading.values, ...options }),
		event,
		...(changes.length > 0 && { fleet }),
		fleetMeaning: event === 'filterMatch' ? null : reading.meaning(context.getNode().parameters, ['filters']),
		outOfService: options.outOfServiceValues,
		fetchDetail: options.fetchDetail,
	};
}
