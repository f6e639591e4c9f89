import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { stableSort } from '../dsquery/compose';
import { Faults, isBlank, quote } from '../dsquery/faults';
import { readListQueryInto } from '../dsquery/read/form';
import type { Catalogue, Query } from '../dsquery/types';
import { DEFAULT_OPTIONS } from '../platform';
import type { PlatformOptions } from '../platform';
import { MAX_PAGE_SIZE, MAX_PARALLEL_REQUESTS } from './form/listParameters';
import { readOutput, type Output } from './output';

/** What a list operation asks for, read from the form. */
export interface ListParameters {
	/** The filter, and sorts that end in the Id. */
	query: Query;
	/** How many of the sorts the user chose. */
	ownSorts: number;
	/** All rows when left out. */
	limit: number | undefined;
	pageSize: number;
	parallel: number;
	output: Output;
	platformOptions: PlatformOptions;
}

/**
 * Reads the parameters that all list operations share.
 *
 * @throws QueryError naming every parameter that cannot be used
 */
export function readListParameters(
	context: IExecuteFunctions,
	itemIndex: number,
	catalogue: Catalogue,
): ListParameters {
	const faults = new Faults();
	const options = readOptions(context, itemIndex);
	const returnAll = yesOrNo(faults, 'Return All', context.getNodeParameter('returnAll', itemIndex, false));
	const limit = returnAll
		? undefined
		: wholeNumber(faults, 'Limit', context.getNodeParameter('limit', itemIndex, 50), 1);
	const paging = readPaging(options, faults);
	const platformOptions = readPlatformOptions(options, faults);
	const query = readQuery(context, itemIndex, catalogue, faults);
	const output = readOutput(context, itemIndex, wantsStatusNames(options, faults), faults);
	faults.check();
	return {
		query: { ...query, sorts: stableSort(query.sorts) },
		ownSorts: query.sorts.length,
		limit,
		...paging,
		output,
		platformOptions,
	};
}

const starts = new WeakMap<IExecuteFunctions, Date>();

/** The moment "today" is counted from: the same for all input items, also when midnight passes between them. */
export function startOf(context: IExecuteFunctions): Date {
	const start = starts.get(context) ?? new Date();
	starts.set(context, start);
	return start;
}

/** Reads the filter (and the sort, where the operation has one) of one item. Notes what cannot be used. */
export function readQuery(context: IExecuteFunctions, itemIndex: number, catalogue: Catalogue, faults: Faults): Query {
	return readListQueryInto(
		{
			filters: context.getNodeParameter('filters', itemIndex, {}),
			logic: context.getNodeParameter('logic', itemIndex, 'And'),
			sort: context.getNodeParameter('sort', itemIndex, {}),
		},
		{ catalogue, zone: context.getTimezone(), now: startOf(context) },
		faults,
	);
}

/** The Options collection of one item. */
export function readOptions(context: IExecuteFunctions, itemIndex: number): IDataObject {
	const options = context.getNodeParameter('options', itemIndex, {});
	return typeof options === 'object' && options !== null && !Array.isArray(options) ? (options as IDataObject) : {};
}

/** Page size and parallel requests from the Options collection. Notes what cannot be used. */
export function readPaging(options: IDataObject, faults: Faults): { pageSize: number; parallel: number } {
	const { pageSize = MAX_PAGE_SIZE, parallelRequests = 4 } = options;
	return {
		pageSize: wholeNumber(faults, 'Options > Page Size', pageSize, 1, MAX_PAGE_SIZE),
		parallel: wholeNumber(faults, 'Options > Parallel Requests', parallelRequests, 1, MAX_PARALLEL_REQUESTS),
	};
}

/** Waiting time and timeout from the Options collection, in milliseconds. Notes what cannot be used. */
export function readPlatformOptions(options: IDataObject, faults: Faults): PlatformOptions {
	const { timeoutMs, maxRateLimitWaitMs } = DEFAULT_OPTIONS;
	const seconds = {
		timeout: wholeNumber(faults, 'Options > Request Timeout', options.timeout ?? timeoutMs / 1000, 1, 3600),
		wait: wholeNumber(
			faults,
			'Options > Max Rate Limit Wait',
			options.maxRateLimitWait ?? maxRateLimitWaitMs / 1000,
			0,
			86_400,
		),
	};
	return { timeoutMs: seconds.timeout * 1000, maxRateLimitWaitMs: seconds.wait * 1000 };
}

/** Whether the meaning of status codes is to be added. */
export function wantsStatusNames(options: IDataObject, faults: Faults): boolean {
	return yesOrNo(faults, 'Options > Add Status Names', options.addStatusNames ?? false);
}

/** A switch; false where it cannot be used: then a fault is noted. Expressions and AI models also write it as text. */
function yesOrNo(faults: Faults, place: string, value: unknown): boolean {
	const text = typeof value === 'string' ? value.trim().toLowerCase() : value;
	if (text === true || text === 'true') return true;
	if (text !== false && text !== 'false') faults.add(place, `true or false is needed, but ${shown(value)}.`);
	return false;
}

/** The number, or the lower bound where it cannot be used: then a fault is noted. */
export function wholeNumber(
	faults: Faults,
	place: string,
	value: unknown,
	min: number,
	max = Number.MAX_SAFE_INTEGER,
): number {
	const number = typeof value === 'string' && /^\s*\d+(?:\.0*)?\s*$/.test(value) ? Number(value) : value;
	if (typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max) return number;
	const range = max === Number.MAX_SAFE_INTEGER ? `of ${min} or more` : `from ${min} to ${max}`;
	faults.add(place, `a whole number ${range} is needed, but ${shown(value)}.`);
	return min;
}

function shown(value: unknown): string {
	const isEmpty = value === undefined || value === null || (typeof value === 'string' && isBlank(value));
	if (isEmpty) return 'it is empty';
	return typeof value === 'number' ? `it is ${value}` : `it is ${quote(value)}`;
}
