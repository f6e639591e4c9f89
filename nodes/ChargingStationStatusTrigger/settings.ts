import type { IPollFunctions } from 'n8n-workflow';

import { and, condition } from '../shared/dsquery/compose';
import { STATIONS } from '../shared/resources';
import type { Group } from '../shared/dsquery/types';
import { codeOf } from '../shared/trigger/keys';
import { readCode, SettingsReader } from '../shared/trigger/settingsReader';
import type { PollSettings } from '../shared/trigger/settingsReader';
import type { StatusValue } from '../shared/trigger/types';
import { IncidentWatch, MATCHING, OFFLINE } from './state/incidents';
import { StatusWatch } from './state/statuses';
import type { WatchRules } from './state/step';
import type { Dimension, Observation } from './state/types';
import { DIMENSIONS } from './state/types';
import type { Watch } from './state/watch';

/** What the node's parameters say, checked. */
export interface StationSettings extends PollSettings, Omit<WatchRules, 'config'> {
	event: (typeof EVENTS)[number];
	/** The user's station filter. */
	filter?: Group;
	/** The stations that a poll has to read: all that match the filter, or only those of them that are not online. */
	listFilter?: Group;
	/** The stations that a manual test shows first. */
	sampleFilter?: Group;
	/** Whether the stations there are take a list of their own: `filter` says nothing about them. */
	hasFleetList: boolean;
	/** Codes of the administrative Status of stations that are out of service. */
	outOfService: ReadonlySet<StatusValue>;
	fetchDetail: boolean;
	/** What of the settings gives the saved state its meaning. */
	meaning: unknown;
}

const MINUTE_MS = 60_000;
/** Longest time a state may be waited for: a week. */
const MOST_MINUTES = 10_080;
/** Parameters that give the saved state its meaning. */
const MEANINGFUL = ['filters', 'logic', 'dimensions', 'options.onlineValues', 'options.outOfServiceValues'];
const EVENTS = ['availability', 'statusChange', 'filterMatch'] as const;

/**
 * Reads the trigger's parameters.
 *
 * @throws QueryError naming every parameter that cannot be used
 */
export function readSettings(context: IPollFunctions): StationSettings {
	const reader = new SettingsReader(context, STATIONS);
	const { options } = reader;
	const event = reader.oneOf('event', 'Trigger On', EVENTS, 'availability');
	const filter = reader.filter();
	if (event === 'filterMatch' && filter === undefined) {
		reader.refuse(
			'Filters',
			'add at least one condition: without one every station matches, and nothing ever starts to.',
		);
	}
	const online = reader.codes(options.onlineValues ?? ['1'], 'Options > Online Values');
	if (event === 'availability' && online.size === 0) {
		reader.refuse('Options > Online Values', 'choose at least one code that means online.');
	}
	const outOfService = reader.codes(options.outOfServiceValues ?? [], 'Options > Out of Service Values');
	const dimensions = event === 'statusChange' ? readDimensions(reader) : [];
	const watch = readWatch(reader, event, online, dimensions);
	const fleet = readFleet(reader);
	const common = reader.common();
	reader.faults.check();

	const isAvailability = event === 'availability';
	const notOnline = [...online].map((code) => condition('NetworkStatus', 'Neq', String(code)));
	const offline = isAvailability ? and(filter, ...notOnline) : filter;
	return {
		...common,
		...{ event, watch, fleet, filter, outOfService },
		listFilter: fleet ? filter : offline,
		sampleFilter: watch.reportsOpening ? offline : filter,
		hasFleetList: fleet !== undefined && event === 'filterMatch',
		keepsIncidents: isAvailability,
		reportInitialState: options.emitInitialState === true,
		fetchDetail: options.fetchDetail === true,
		meaning: [reader.stored(MEANINGFUL), fleet !== undefined],
	};
}

function readFleet(reader: SettingsReader): WatchRules['fleet'] {
	const place = 'Options > Stations Added or Removed';
	const changes = reader.list(reader.options.stationChanges ?? [], place, ['added', 'removed']);
	if (changes.length === 0) return undefined;
	return { added: changes.includes('added'), removed: changes.includes('removed') };
}

function readWatch(
	reader: SettingsReader,
	event: StationSettings['event'],
	online: ReadonlySet<StatusValue>,
	dimensions: readonly Dimension[],
): Watch {
	const afterMs = reader.number('Alert Only After', reader.value('minutesInState', 0), 0, MOST_MINUTES) * MINUTE_MS;
	if (event === 'statusChange') {
		const [from, to] = [readValues(reader, 'fromValues', 'From'), readValues(reader, 'toValues', 'To')];
		return new StatusWatch({ dimensions, from, to, afterMs });
	}
	const [parameter, opening, closing] =
		event === 'availability'
			? (['availabilityChanges', 'offline', 'back'] as const)
			: (['matchChanges', 'starts', 'stops'] as const);
	const changes = reader.list(reader.value(parameter, [opening, closing]), 'Report', [opening, closing]);
	if (changes.length === 0) reader.refuse('Report', 'choose at least one change to report.');
	const backAfter = reader.options.backAfterMinutes ?? 0;
	const isAvailability = event === 'availability';
	return new IncidentWatch({
		...(isAvailability ? OFFLINE : MATCHING),
		isActive: ({ row, matches }: Observation) => (isAvailability ? !online.has(codeOf(row.NetworkStatus)) : matches),
		opening: changes.includes(opening),
		closing: changes.includes(closing),
		openAfterMs: afterMs,
		closeAfterMs: reader.number('Options > Report Back Only After', backAfter, 0, MOST_MINUTES) * MINUTE_MS,
	});
}

function readDimensions(reader: SettingsReader): Dimension[] {
	const dimensions = reader.list(reader.value('dimensions', ['NetworkStatus']), 'Statuses to Watch', DIMENSIONS);
	if (dimensions.length === 0) reader.refuse('Statuses to Watch', 'choose at least one status.');
	return dimensions;
}

/** `NetworkStatus=2` limits one dimension; a code alone, as an expression may give it, limits all. */
function readValues(reader: SettingsReader, parameter: string, place: string): Map<Dimension, Set<StatusValue>> {
	const values = new Map<Dimension, Set<StatusValue>>();
	for (const text of reader.texts(reader.value(parameter, []), place)) {
		const [name, code] = text.includes('=') ? text.split('=', 2) : [undefined, text];
		const named = DIMENSIONS.filter((dimension) => name === undefined || dimension === name);
		if (named.length === 0) reader.refuse(place, `"${text}" begins with none of ${DIMENSIONS.join(', ')}.`);
		for (const dimension of named) {
			values.set(dimension, (values.get(dimension) ?? new Set()).add(readCode(code ?? '')));
		}
	}
	return values;
}
