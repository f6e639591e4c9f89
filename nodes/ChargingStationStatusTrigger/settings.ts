import type { IPollFunctions } from 'n8n-workflow';

import { and, condition } from '../shared/dsquery/compose';
import { STATIONS } from '../shared/resources';
import type { Group } from '../shared/dsquery/types';
import { encodeCode, SettingsReader } from '../shared/trigger/settingsReader';
import type { PollSettings } from '../shared/trigger/settingsReader';
import type { FleetRules } from './state/fleet';
import type { IncidentRules } from './state/incidents';
import { decodeValue } from '../shared/trigger/keys';
import type { StatusRules } from './state/statuses';
import type { Dimension, WatchMode } from './state/types';
import { DIMENSIONS } from './state/types';

/** What the node's parameters say, checked. */
export interface TriggerSettings extends PollSettings {
	mode: WatchMode;
	watch: IncidentRules | StatusRules;
	fleet?: FleetRules;
	reportInitialState: boolean;
	/** The user's station filter. */
	filter?: Group;
	/** Codes of Network Status that count as online, encoded. */
	onlineValues: ReadonlySet<string>;
	/** Codes of the administrative Status of stations that are out of service, encoded. */
	outOfService: ReadonlySet<string>;
	fetchDetail: boolean;
	/** What of the settings gives the saved state its meaning, as it is stored in the workflow. */
	meaning: unknown;
}

const MINUTE_MS = 60_000;
/** Longest time a state may be waited for: a week. */
const MOST_MINUTES = 10_080;
const MODES: readonly WatchMode[] = ['availability', 'statusChange', 'filterMatch'];

/**
 * Reads the trigger's parameters.
 *
 * @throws QueryError naming every parameter that cannot be used
 */
export function readSettings(context: IPollFunctions): TriggerSettings {
	const reader = new StationSettingsReader(context);
	const mode = reader.oneOf('event', 'Trigger On', MODES, 'availability');
	const { options, faults } = reader;
	const afterMs = reader.number('Alert Only After', reader.value('minutesInState', 0), 0, MOST_MINUTES) * MINUTE_MS;
	const backAfter = reader.number('Options > Report Back Only After', options.backAfterMinutes ?? 0, 0, MOST_MINUTES);
	const common = reader.common();
	const filter = reader.filter();
	if (mode === 'filterMatch' && filter === undefined) {
		reader.refuse(
			'Filters',
			'add at least one condition: without one every station matches, and nothing ever starts to.',
		);
	}
	const onlineValues = new Set(reader.codes(options.onlineValues ?? ['1'], 'Options > Online Values'));
	if (mode === 'availability' && onlineValues.size === 0) {
		reader.refuse('Options > Online Values', 'choose at least one code that means online.');
	}
	const outOfService = new Set(reader.codes(options.outOfServiceValues ?? [], 'Options > Out of Service Values'));
	const watch =
		mode === 'statusChange' ? reader.statusRules(afterMs) : reader.incidentRules(mode, afterMs, backAfter * MINUTE_MS);
	const changes = reader.list(options.stationChanges ?? [], 'Options > Stations Added or Removed', [
		'added',
		'removed',
	]);
	const fleet =
		changes.length > 0 ? { added: changes.includes('added'), removed: changes.includes('removed') } : undefined;
	faults.check();

	return {
		mode,
		watch,
		fleet,
		reportInitialState: options.emitInitialState === true,
		filter,
		onlineValues,
		outOfService,
		fetchDetail: options.fetchDetail === true,
		...common,
		meaning: {
			...reader.storedFilter(),
			onlineValues: mode === 'availability' ? [...onlineValues].sort() : [],
			outOfService: [...outOfService].sort(),
			dimensions: watch.mode === 'statusChange' ? watch.dimensions : [],
			fleet: fleet !== undefined,
		},
	};
}

/** The stations a poll has to read: all that match the filter, or only those of them that are not online. */
export function listFilter({ mode, fleet, filter, onlineValues }: TriggerSettings): Group | undefined {
	if (mode !== 'availability' || fleet) return filter;
	const notOnline = [...onlineValues].map((value) => condition('NetworkStatus', 'Neq', String(decodeValue(value))));
	return and(filter, ...notOnline);
}

class StationSettingsReader extends SettingsReader {
	constructor(context: IPollFunctions) {
		super(context, STATIONS);
	}

	incidentRules(mode: IncidentRules['mode'], openAfterMs: number, closeAfterMs: number): IncidentRules {
		const [parameter, place, opening, closing] =
			mode === 'availability'
				? (['availabilityChanges', 'Report', 'offline', 'back'] as const)
				: (['matchChanges', 'Report', 'starts', 'stops'] as const);
		const changes = this.list(this.value(parameter, [opening, closing]), place, [opening, closing]);
		if (changes.length === 0) this.refuse(place, 'choose at least one change to report.');
		return {
			mode,
			opening: changes.includes(opening),
			closing: changes.includes(closing),
			openAfterMs,
			closeAfterMs,
		};
	}

	statusRules(afterMs: number): StatusRules {
		const dimensions = this.list(this.value('dimensions', ['NetworkStatus']), 'Statuses to Watch', DIMENSIONS);
		if (dimensions.length === 0) this.refuse('Statuses to Watch', 'choose at least one status.');
		return {
			mode: 'statusChange',
			dimensions,
			from: this.byDimension('fromValues', 'From'),
			to: this.byDimension('toValues', 'To'),
			afterMs,
		};
	}

	/** `NetworkStatus=2` limits one dimension; a code alone, as an expression may give it, limits all. */
	private byDimension(parameter: string, place: string): Map<Dimension, Set<string>> {
		const values = new Map<Dimension, Set<string>>();
		for (const text of this.texts(this.value(parameter, []), place)) {
			const [name, code] = text.includes('=') ? text.split('=', 2) : [undefined, text];
			const named = DIMENSIONS.filter((dimension) => name === undefined || dimension === name);
			if (named.length === 0) this.refuse(place, `"${text}" begins with none of ${DIMENSIONS.join(', ')}.`);
			for (const dimension of named) {
				values.set(dimension, (values.get(dimension) ?? new Set()).add(encodeCode(code ?? '')));
			}
		}
		return values;
	}
}
