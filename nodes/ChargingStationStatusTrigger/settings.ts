import type { IPollFunctions } from 'n8n-workflow';

import { and } from '../shared/dsquery/compose';
import type { Group } from '../shared/dsquery/types';
import { readPoll } from '../shared/parameters/reading';
import { watchSettingsOf, type WatchSettings } from '../shared/trigger/events/settings';
import type { StatusValue } from '../shared/trigger/types';
import { STATION_EVENTS } from './events';
import { parameters } from './parameters';
import type { StationRules } from './state/types';

export interface StationSettings extends WatchSettings, Pick<StationRules, 'rule' | 'fleet'> {
	/** Which of the stations that match the filter a poll has to read, if not all: those that are not online. */
	narrowing?: Group;
	/** The stations that a manual test shows first. */
	sampleFilter?: Group;
	/** Whether added and removed stations need a list of their own, because `filter` does not limit what is watched. */
	hasFleetList: boolean;
	outOfService: ReadonlySet<StatusValue>;
	fetchDetail: boolean;
}

export function readSettings(context: IPollFunctions): StationSettings {
	const reading = readPoll(context, parameters);
	const { event, filters, options } = reading.values;
	const { filter } = filters;
	const { cause, stationChanges: changes, reportWatching = false } = options;
	if (event === 'filterMatch' && filter === undefined) {
		const why = 'add at least one condition: without one every station matches, and nothing ever starts to.';
		reading.refuse('filters', why);
	}
	if (reportWatching && event === 'filterMatch' && cause === undefined) {
		reading.refuse('cause', 'fill in what was watched for, such as faulted. Report Watched Time Hourly needs it.');
	}
	reading.faults.check();

	const record = STATION_EVENTS[event];
	const rule = record.rule({ ...reading.values, ...options });
	const isState = rule.kind === 'inState';
	const narrowing = isState ? rule.narrowing : undefined;
	const fleet =
		changes.length > 0 ? { added: changes.includes('added'), removed: changes.includes('removed') } : undefined;
	return {
		...watchSettingsOf(context, record, reading),
		rule,
		fleet,
		outOfService: options.outOfServiceValues,
		narrowing: fleet ? undefined : narrowing,
		sampleFilter: isState && rule.reportsOpening ? and(filter, narrowing) : filter,
		hasFleetList: fleet !== undefined && event === 'filterMatch',
		fetchDetail: options.fetchDetail,
	};
}
