import type { IPollFunctions } from 'n8n-workflow';

import { and, condition } from '../shared/dsquery/compose';
import { isBlank, quote } from '../shared/dsquery/faults';
import { MINUTE_MS } from '../shared/dsquery/values/durations';
import { Parameters } from '../shared/node/parameters';
import { STATIONS } from '../shared/resources';
import type { Group } from '../shared/dsquery/types';
import { readCode, readCodes, readPollSettings, storedParameters } from '../shared/trigger/settings';
import type { PollSettings } from '../shared/trigger/settings';
import { readStatus, UNKNOWN } from '../shared/trigger/state/status';
import type { StatusValue } from '../shared/trigger/types';
import { triggerProperties } from './properties';
import { STATION_CHOICES, STATION_EVENTS } from './state/events';
import type { StationChoice, StationEventRecord } from './state/events';
import { IncidentWatch, MATCHING, OFFLINE } from './state/incidents';
import { StatusWatch } from './state/statuses';
import type { WatchRules } from './state/step';
import type { Dimension, Observation } from './state/types';
import { DIMENSIONS } from './state/types';
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

/** Parameters that give the saved state its meaning. */
const MEANINGFUL = ['filters', 'logic', 'dimensions', 'options.onlineValues', 'options.outOfServiceValues'];

/**
 * Reads the trigger's parameters.
 *
 * @throws QueryError naming every parameter that cannot be used
 */
export function readSettings(context: IPollFunctions): StationSettings {
	const parameters = Parameters.ofPoll(context, triggerProperties);
	const event = parameters.choice('event', STATION_CHOICES);
	const { filter } = parameters.query(STATIONS);
	if (event === 'filterMatch' && filter === undefined) {
		const why = 'add at least one condition: without one every station matches, and nothing ever starts to.';
		parameters.refuse('filters', why);
	}
	const online = readCodes(parameters, 'onlineValues');
	if (event === 'availability' && online.size === 0) {
		parameters.refuse('onlineValues', 'choose at least one code that means online.');
	}
	const watch = readWatch(parameters, event, online);
	const fleet = readFleet(parameters);
	const cause = readCause(parameters, event);
	const reportsWatching = event !== 'statusChange' && parameters.flag('reportWatching');
	if (reportsWatching && event === 'filterMatch' && cause === undefined) {
		parameters.refuse('cause', 'fill in what was watched for, such as faulted. Report Watched Time Hourly needs it.');
	}
	const common = readPollSettings(parameters);
	const outOfService = readCodes(parameters, 'outOfServiceValues');
	parameters.check();

	const { keepsIncidents, baseline }: StationEventRecord = STATION_EVENTS[event];
	const isAvailability = event === 'availability';
	const notOnline = [...online].map((code) => condition('NetworkStatus', 'Neq', String(code)));
	const narrowing = isAvailability ? and(...notOnline) : undefined;
	return {
		...common,
		...{ event, watch, fleet, filter, outOfService, cause, reportsWatching },
		narrowing: fleet ? undefined : narrowing,
		sampleFilter: watch.reportsOpening ? and(filter, narrowing) : filter,
		hasFleetList: fleet !== undefined && event === 'filterMatch',
		keepsIncidents,
		reportInitialState: baseline === 'ifAsked' && parameters.flag('emitInitialState'),
		fetchDetail: parameters.flag('fetchDetail'),
		// With another cause, what is open begins again: begin and end of an incident have the same.
		meaning: [storedParameters(context, MEANINGFUL), fleet !== undefined, ...(cause === undefined ? [] : [cause])],
	};
}

function readFleet(parameters: Parameters): StationSettings['fleet'] {
	const changes = parameters.choices('stationChanges', ['added', 'removed']);
	if (changes.length === 0) return undefined;
	return { added: changes.includes('added'), removed: changes.includes('removed') };
}

const LONGEST_CAUSE = 100;

function readCause(parameters: Parameters, event: StationSettings['event']): string | undefined {
	const value = event === 'filterMatch' ? parameters.value('cause') : undefined;
	if (isBlank(value)) return undefined;
	const cause = typeof value === 'string' ? value.trim() : '';
	if (cause.toLowerCase() === 'chargepoint') {
		parameters.refuse('cause', 'chargePoint is for outages of charge points. Choose another word, such as faulted.');
	} else if (cause === '' || cause.length > LONGEST_CAUSE || cause.includes(',')) {
		parameters.refuse('cause', `a word such as faulted is needed, but this is ${quote(value)}.`);
	}
	return cause;
}

function readWatch(parameters: Parameters, event: StationSettings['event'], online: ReadonlySet<StatusValue>): Watch {
	const openAfterMs = parameters.wholeNumber('minutesInState') * MINUTE_MS;
	if (event === 'statusChange') {
		const dimensions = parameters.choices('dimensions', DIMENSIONS);
		if (dimensions.length === 0) parameters.refuse('dimensions', 'choose at least one status.');
		const [from, to] = [readValues(parameters, 'fromValues'), readValues(parameters, 'toValues')];
		return new StatusWatch({ dimensions, from, to, afterMs: openAfterMs });
	}
	const isAvailability = event === 'availability';
	const [name, opening, closing] = isAvailability
		? (['availabilityChanges', 'offline', 'back'] as const)
		: (['matchChanges', 'starts', 'stops'] as const);
	const changes = parameters.choices(name, [opening, closing]);
	if (changes.length === 0) parameters.refuse(name, 'choose at least one change to report.');
	return new IncidentWatch({
		...(isAvailability ? OFFLINE : MATCHING),
		isActive: ({ row, matches }: Observation) => (isAvailability ? !isOnline(row.NetworkStatus, online) : matches),
		opening: changes.includes(opening),
		closing: changes.includes(closing),
		openAfterMs,
		closeAfterMs: parameters.wholeNumber('backAfterMinutes') * MINUTE_MS,
	});
}

/** A station whose network status cannot be read is not online. */
function isOnline(shown: unknown, online: ReadonlySet<StatusValue>): boolean {
	const status = readStatus(shown, online.has(null));
	return status !== UNKNOWN && online.has(status);
}

/** `NetworkStatus=2` limits one dimension; a code alone, as an expression may return it, limits all. */
function readValues(parameters: Parameters, parameter: string): Map<Dimension, Set<StatusValue>> {
	const values = new Map<Dimension, Set<StatusValue>>();
	for (const text of parameters.texts(parameter)) {
		const [name, code] = text.includes('=') ? text.split('=', 2) : [undefined, text];
		const named = DIMENSIONS.filter((dimension) => name === undefined || dimension === name);
		if (named.length === 0)
			parameters.refuse(parameter, `${quote(text)} begins with none of ${DIMENSIONS.join(', ')}.`);
		for (const dimension of named) {
			values.set(dimension, (values.get(dimension) ?? new Set()).add(readCode(code ?? '')));
		}
	}
	return values;
}
