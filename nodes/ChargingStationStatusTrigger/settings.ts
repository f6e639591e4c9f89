import type { IPollFunctions } from 'n8n-workflow';

import { and, condition } from '../shared/dsquery/compose';
import { MINUTE_MS } from '../shared/dsquery/values/durations';
import type { ValuesOf } from '../shared/parameters/parameter';
import { readPoll } from '../shared/parameters/reading';
import type { Group } from '../shared/dsquery/types';
import { pollSettingsOf, type PollSettings } from '../shared/trigger/parameters';
import { readStatus, UNKNOWN } from '../shared/trigger/watch/status';
import type { StatusValue } from '../shared/trigger/types';
import { parameters } from './parameters';
import { STATION_EVENTS } from './state/events';
import type { StationChoice, StationEventRecord } from './state/events';
import { IncidentWatch, MATCHING, OFFLINE } from './state/incidents';
import { StatusWatch } from './state/statuses';
import type { WatchRules } from './state/step';
import type { Observation } from './state/types';
import type { Watch } from './state/watch';

/** What the node's parameters say, checked. */
export interface StationSettings extends PollSettings, Omit<WatchRules, 'config' | 'longestGapMs'> {
	event: StationChoice;
	/** The user's station filter. */
	filter?: Group;
	/** Which of the stations that match the filter a poll has to read, if not all: those that are not online. */
	narrowing?: Group;
	/** The stations that a manual test shows first. */
	sampleFilter?: Group;
	/** Whether added and removed stations need a list of their own, because `filter` does not limit what is watched. */
	hasFleetList: boolean;
	/** Codes of the administrative Status of stations that are out of service. */
	outOfService: ReadonlySet<StatusValue>;
	fetchDetail: boolean;
	/** What events of stations that match the filter are about, for uptime; undefined if they are not. */
	cause?: string;
	/** The settings that give the saved state its meaning. */
	meaning: unknown;
}

/**
 * Reads the trigger's parameters.
 *
 * @throws QueryError naming every parameter that cannot be used
 */
export function readSettings(context: IPollFunctions): StationSettings {
	const reading = readPoll(context, parameters);
	const { event, filters, options } = reading.values;
	const { filter } = filters;
	const { cause, onlineValues: online = new Set(), stationChanges: changes, reportWatching = false } = options;
	if (event === 'filterMatch' && filter === undefined) {
		const why = 'add at least one condition: without one every station matches, and nothing ever starts to.';
		reading.refuse('filters', why);
	}
	if (reportWatching && event === 'filterMatch' && cause === undefined) {
		reading.refuse('cause', 'fill in what was watched for, such as faulted. Report Watched Time Hourly needs it.');
	}
	reading.faults.check();

	const { keepsIncidents, baseline }: StationEventRecord = STATION_EVENTS[event];
	const isAvailability = event === 'availability';
	const notOnline = [...online].map((code) => condition('NetworkStatus', 'Neq', String(code)));
	const narrowing = isAvailability ? and(...notOnline) : undefined;
	const fleet =
		changes.length > 0 ? { added: changes.includes('added'), removed: changes.includes('removed') } : undefined;
	const watch = watchOf(reading.values);
	return {
		...pollSettingsOf(reading.values),
		event,
		watch,
		fleet,
		filter,
		outOfService: options.outOfServiceValues,
		cause,
		reportsWatching: reportWatching,
		narrowing: fleet ? undefined : narrowing,
		sampleFilter: watch.reportsOpening ? and(filter, narrowing) : filter,
		hasFleetList: fleet !== undefined && event === 'filterMatch',
		keepsIncidents,
		reportInitialState: baseline === 'ifAsked' && options.emitInitialState,
		fetchDetail: options.fetchDetail,
		meaning: reading.meaning(context.getNode().parameters),
	};
}

function watchOf({
	event,
	minutesInState,
	dimensions = [],
	fromValues: from = new Map(),
	toValues: to = new Map(),
	availabilityChanges = [],
	matchChanges = [],
	options: { onlineValues: online = new Set(), backAfterMinutes = 0 },
}: ValuesOf<typeof parameters>): Watch {
	const openAfterMs = minutesInState * MINUTE_MS;
	if (event === 'statusChange') return new StatusWatch({ dimensions, from, to, afterMs: openAfterMs });
	const isAvailability = event === 'availability';
	return new IncidentWatch({
		...(isAvailability ? OFFLINE : MATCHING),
		isActive: ({ row, matches }: Observation) => (isAvailability ? !isOnline(row.NetworkStatus, online) : matches),
		opening: isAvailability ? availabilityChanges.includes('offline') : matchChanges.includes('starts'),
		closing: isAvailability ? availabilityChanges.includes('back') : matchChanges.includes('stops'),
		openAfterMs,
		closeAfterMs: backAfterMinutes * MINUTE_MS,
	});
}

/** A station whose network status cannot be read is not online. */
function isOnline(shown: unknown, online: ReadonlySet<StatusValue>): boolean {
	const status = readStatus(shown, online.has(null));
	return status !== UNKNOWN && online.has(status);
}
