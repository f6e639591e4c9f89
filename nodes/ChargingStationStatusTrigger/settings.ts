import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { and, condition } from '../shared/dsquery/compose';
import { STATIONS } from '../shared/dsquery/catalogue';
import { Faults, quote } from '../shared/dsquery/faults';
import { readListQueryInto } from '../shared/dsquery/readForm';
import type { Group } from '../shared/dsquery/types';
import { readPlatformOptions, wholeNumber } from '../shared/operations/parameters';
import type { PlatformOptions } from '../shared/platform/types';
import { MAX_PAGE_SIZE, MAX_PARALLEL_REQUESTS } from '../shared/ui/listParameters';
import type { FleetRules } from '../shared/watch/fleet';
import type { IncidentRules } from '../shared/watch/incidents';
import { decodeValue, encodeValue } from '../shared/watch/keys';
import type { StatusRules } from '../shared/watch/statuses';
import type { Dimension, WatchMode } from '../shared/watch/types';
import { DIMENSIONS } from '../shared/watch/types';

/** What the node's parameters say, checked. */
export interface TriggerSettings {
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
	output: 'items' | 'digest';
	fetchDetail: boolean;
	pageSize: number;
	/** Requests for single stations that may be under way at once. */
	parallel: number;
	/**
	 * The same for pages of the list. One after the other costs the fewest requests, which every poll has to pay, so more
	 * is for those who ask for it.
	 */
	scanParallel: number;
	platformOptions: PlatformOptions;
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
	const reader = new SettingsReader(context);
	const mode = reader.oneOf('event', 'Trigger On', MODES, 'availability');
	const { options, faults } = reader;
	const afterMs = reader.number('Alert Only After', reader.value('minutesInState', 0), 0, MOST_MINUTES) * MINUTE_MS;
	const backAfter = reader.number('Options > Report Back Only After', options.backAfterMinutes ?? 0, 0, MOST_MINUTES);
	const pageSize = reader.number('Options > Page Size', options.pageSize ?? MAX_PAGE_SIZE, 1, MAX_PAGE_SIZE);
	const parallel = reader.number(
		'Options > Parallel Requests',
		options.parallelRequests ?? 4,
		1,
		MAX_PARALLEL_REQUESTS,
	);
	const platformOptions = readPlatformOptions(options, faults);

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
	const output = reader.oneOf('output', 'Output', ['items', 'digest'], 'items');
	faults.check();

	return {
		mode,
		watch,
		fleet,
		reportInitialState: options.emitInitialState === true,
		filter,
		onlineValues,
		outOfService,
		output,
		fetchDetail: options.fetchDetail === true,
		pageSize,
		parallel,
		scanParallel: options.parallelRequests === undefined ? 1 : parallel,
		platformOptions,
		// The form as it is stored: a filter on "the last seven days" is the same filter tomorrow.
		meaning: {
			filters: reader.raw('filters', {}),
			logic: reader.raw('logic', 'And'),
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

class SettingsReader {
	readonly faults = new Faults();
	readonly options: IDataObject;

	constructor(private readonly context: IPollFunctions) {
		const options = this.value('options', {});
		this.options = typeof options === 'object' && options !== null ? (options as IDataObject) : {};
	}

	value(name: string, fallback: unknown): unknown {
		return this.context.getNodeParameter(name, fallback);
	}

	raw(name: string, fallback: unknown): unknown {
		return this.context.getNodeParameter(name, fallback, { rawExpressions: true }) as unknown;
	}

	refuse(place: string, message: string): void {
		this.faults.add(place, message);
	}

	number(place: string, value: unknown, min: number, max: number): number {
		return wholeNumber(this.faults, place, value, min, max);
	}

	oneOf<Name extends string>(parameter: string, place: string, names: readonly Name[], fallback: Name): Name {
		const value = this.value(parameter, fallback);
		const name = names.find((candidate) => candidate === value);
		if (name === undefined) this.refuse(place, `${quote(value)} is not one of ${names.join(', ')}.`);
		return name ?? fallback;
	}

	list<Name extends string>(value: unknown, place: string, names: readonly Name[]): Name[] {
		const given = this.texts(value, place);
		for (const text of given) {
			if (!names.some((name) => name === text)) this.refuse(place, `"${text}" is not one of ${names.join(', ')}.`);
		}
		return names.filter((name) => given.includes(name));
	}

	/** Codes, encoded as the state holds them. */
	codes(value: unknown, place: string): string[] {
		return this.texts(value, place).map(encodeCode);
	}

	filter(): Group | undefined {
		const form = { filters: this.value('filters', {}), logic: this.value('logic', 'And') };
		const place = { catalogue: STATIONS, zone: this.context.getTimezone(), now: new Date() };
		return readListQueryInto(form, place, this.faults).filter;
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

	private texts(value: unknown, place: string): string[] {
		const entries: unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [value];
		const texts: string[] = [];
		for (const entry of entries) {
			if (typeof entry === 'number') texts.push(String(entry));
			else if (typeof entry === 'string') texts.push(entry.trim());
			else this.refuse(place, 'a list of codes is needed. If this is an expression, it came out as something else.');
		}
		return texts.filter((text) => text !== '');
	}
}

/** A code as typed or chosen, encoded. `none` stands for a station that reports no such status. */
function encodeCode(text: string): string {
	if (text === 'none') return encodeValue(null);
	return /^-?\d+$/.test(text) ? encodeValue(Number(text)) : encodeValue(text);
}
