import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { stableSort } from '../dsquery/compose';
import { Faults, isBlank, quote } from '../dsquery/faults';
import { readListQueryInto } from '../dsquery/readForm';
import type { Catalogue, Query } from '../dsquery/types';
import { DEFAULT_OPTIONS } from '../platform/connect';
import type { PlatformOptions } from '../platform/types';
import { MAX_PAGE_SIZE, MAX_PARALLEL_REQUESTS } from '../ui/listParameters';

/** What a list operation asks for, read from the form. */
export interface ListParameters {
	/** The filter, and sorts that end in the Id. */
	query: Query;
	/** All rows when left out. */
	limit: number | undefined;
	pageSize: number;
	parallel: number;
	addStatusNames: boolean;
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
	const returnAll = context.getNodeParameter('returnAll', itemIndex, false) === true;
	const limit = returnAll
		? undefined
		: wholeNumber(faults, 'Limit', context.getNodeParameter('limit', itemIndex, 50), 1);
	const pageSize = wholeNumber(faults, 'Options > Page Size', options.pageSize ?? MAX_PAGE_SIZE, 1, MAX_PAGE_SIZE);
	const parallel = wholeNumber(
		faults,
		'Options > Parallel Requests',
		options.parallelRequests ?? 4,
		1,
		MAX_PARALLEL_REQUESTS,
	);
	const platformOptions = readPlatformOptions(options, faults);
	const query = readQuery(context, itemIndex, catalogue, faults);
	faults.check();
	return {
		query: { ...query, sorts: stableSort(query.sorts) },
		limit,
		pageSize,
		parallel,
		addStatusNames: options.addStatusNames === true,
		platformOptions,
	};
}

/** Reads the filter (and the sort, where the operation has one) of one item. Notes what cannot be used. */
export function readQuery(context: IExecuteFunctions, itemIndex: number, catalogue: Catalogue, faults: Faults): Query {
	return readListQueryInto(
		{
			filters: context.getNodeParameter('filters', itemIndex, {}),
			logic: context.getNodeParameter('logic', itemIndex, 'And'),
			sort: context.getNodeParameter('sort', itemIndex, {}),
		},
		{ catalogue, zone: context.getTimezone(), now: new Date() },
		faults,
	);
}

/** The Options collection of one item. */
export function readOptions(context: IExecuteFunctions, itemIndex: number): IDataObject {
	const options = context.getNodeParameter('options', itemIndex, {});
	return typeof options === 'object' && options !== null && !Array.isArray(options) ? (options as IDataObject) : {};
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

/** The number, or the lower bound where it cannot be used: then a fault is noted. */
export function wholeNumber(
	faults: Faults,
	place: string,
	value: unknown,
	min: number,
	max = Number.MAX_SAFE_INTEGER,
): number {
	const number = typeof value === 'string' && !isBlank(value) ? Number(value) : value;
	if (typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max) return number;
	const range = max === Number.MAX_SAFE_INTEGER ? `of ${min} or more` : `from ${min} to ${max}`;
	const given = value === undefined || value === null || value === '' ? 'it is empty' : `it is ${quote(value)}`;
	faults.add(place, `a whole number ${range} is needed, but ${given}.`);
	return min;
}
