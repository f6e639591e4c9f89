import mapValues from 'lodash/mapValues';
import type { INodeProperties } from 'n8n-workflow';

import { DEFAULT_OPTIONS, type PagingOptions, type PlatformOptions } from '../platform';
import { withDefault, type Parameter, type Parameters } from './parameter';
import { flag, integer } from './simple';

/** What an operation gets of its options. */
export type OptionValues<P> = {
	readonly [Name in keyof P]: P[Name] extends Parameter<infer Value, infer Absent> ? Value | Absent : never;
};

/** The Options collection. */
export interface OptionsCollectionParameter<P extends Parameters> extends Parameter<OptionValues<P>, undefined> {
	readonly parts: P;
}

/** The Options collection, in the order of the labels. What was not added is undefined, and a switch is off. */
export function options<P extends Parameters>(parts: P): OptionsCollectionParameter<P> {
	return {
		parts,
		properties(name) {
			const all = Object.entries(parts).flatMap(([part, parameter]) => parameter.properties(part));
			const byLabel = (a: INodeProperties, b: INodeProperties) => a.displayName.localeCompare(b.displayName);
			return [
				{
					displayName: 'Options',
					name,
					type: 'collection',
					placeholder: 'Add Option',
					default: {},
					options: all.sort(byLabel),
				},
			];
		},
		// Each value has the type that its parameter says.
		read: (_, source) => mapValues(parts, (part) => source.valueOf(part)) as OptionValues<P>,
	};
}

/** How patiently requests are sent. On every operation. */
export const timeoutOptions = {
	maxRateLimitWait: withDefault(
		integer({
			label: 'Max Rate Limit Wait (Seconds)',
			description:
				'How long the node may wait without an answer in between, all its requests together, when the rate limit is reached, or the platform is away and says for how long. If it asks for a longer wait, the node stops and says so.',
			default: DEFAULT_OPTIONS.maxRateLimitWaitMs / 1000,
			min: 0,
			max: 86_400,
		}),
	),
	timeout: withDefault(
		integer({
			label: 'Request Timeout (Seconds)',
			description: 'How long a single request may take. A request that takes longer is tried up to three times.',
			default: DEFAULT_OPTIONS.timeoutMs / 1000,
			min: 1,
			max: 3600,
		}),
	),
};

export function toPlatformOptions({ timeout, maxRateLimitWait }: OptionValues<typeof timeoutOptions>): PlatformOptions {
	return { timeoutMs: timeout * 1000, maxRateLimitWaitMs: maxRateLimitWait * 1000 };
}

/** The largest page the specification recommends. */
const MAX_PAGE_SIZE = 100;
const MAX_PARALLEL_REQUESTS = 8;
/** Requests under way at once, unless the option is added. */
const USUAL_REQUESTS = 4;

/** How lists are read. On every operation that reads pages. */
export const paging = {
	pageSize: withDefault(
		integer({
			label: 'Page Size',
			description: 'How many rows to ask for in one request. Lower it only if the platform answers slowly.',
			default: MAX_PAGE_SIZE,
			min: 1,
			max: MAX_PAGE_SIZE,
		}),
	),
	parallelRequests: parallelRequests('How many pages may be read at the same time. 1 reads one page after the other.'),
};

export function parallelRequests(description: string) {
	const declared = { label: 'Parallel Requests', description };
	return integer({ ...declared, default: USUAL_REQUESTS, min: 1, max: MAX_PARALLEL_REQUESTS });
}

export function toPagingOptions(chosen: OptionValues<typeof paging>): PagingOptions {
	const { pageSize, parallelRequests: parallel = USUAL_REQUESTS } = chosen;
	return { pageSize, parallel };
}

/** Keeps track of which input item a result is about, where many come in. */
export const includeInputFields = flag({
	label: 'Include Input Fields',
	description:
		'Whether to add the fields of the input item to each of its results, so that a count of each of five stations says which station it is. A field of the result wins over one of the same name.',
	default: true,
});
