import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { stableSort } from '../dsquery/compose';
import { readListQuery } from '../dsquery/readForm';
import type { Catalogue, Fault, Query } from '../dsquery/types';
import { QueryError } from '../dsquery/types';
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
	const reader = new NumberReader();
	const options = readOptions(context, itemIndex);
	const returnAll = context.getNodeParameter('returnAll', itemIndex, false) === true;
	const limit = returnAll ? undefined : reader.read('Limit', context.getNodeParameter('limit', itemIndex, 50), 1);
	const pageSize = reader.read('Options > Page Size', options.pageSize ?? MAX_PAGE_SIZE, 1, MAX_PAGE_SIZE);
	const parallel = reader.read('Options > Parallel Requests', options.parallelRequests ?? 4, 1, MAX_PARALLEL_REQUESTS);
	const platformOptions = readPlatformOptions(options, reader);
	const query = reader.beside(() => readQuery(context, itemIndex, catalogue));
	reader.check();
	return {
		query: { ...query, sorts: stableSort(query.sorts) },
		limit,
		pageSize,
		parallel,
		addStatusNames: options.addStatusNames === true,
		platformOptions,
	};
}

/** Reads the filter (and the sort, where the operation has one) of one item. */
export function readQuery(context: IExecuteFunctions, itemIndex: number, catalogue: Catalogue): Query {
	return readListQuery(
		{
			filters: context.getNodeParameter('filters', itemIndex, {}),
			logic: context.getNodeParameter('logic', itemIndex, 'And'),
			sort: context.getNodeParameter('sort', itemIndex, {}),
		},
		{ catalogue, zone: context.getTimezone(), now: new Date() },
	);
}

/** The Options collection of one item. */
export function readOptions(context: IExecuteFunctions, itemIndex: number): IDataObject {
	const options = context.getNodeParameter('options', itemIndex, {});
	return typeof options === 'object' && options !== null && !Array.isArray(options) ? (options as IDataObject) : {};
}

/** Waiting time and timeout from the Options collection, in milliseconds. */
export function readPlatformOptions(options: IDataObject, reader = new NumberReader()): PlatformOptions {
	const { timeoutMs, maxRateLimitWaitMs } = DEFAULT_OPTIONS;
	const seconds = {
		timeout: reader.read('Options > Request Timeout', options.timeout ?? timeoutMs / 1000, 1, 3600),
		wait: reader.read(
			'Options > Longest Wait for Rate Limit',
			options.maxRateLimitWait ?? maxRateLimitWaitMs / 1000,
			0,
			86_400,
		),
	};
	return { timeoutMs: seconds.timeout * 1000, maxRateLimitWaitMs: seconds.wait * 1000 };
}

/** Reads whole numbers and collects what is wrong with them, so that a person sees all of it at once. */
export class NumberReader {
	private readonly faults: Fault[] = [];

	/** The number, or the lower bound where it cannot be used; `check` then refuses the lot. */
	read(place: string, value: unknown, min: number, max = Number.MAX_SAFE_INTEGER): number {
		const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
		if (typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max) return number;
		const range = max === Number.MAX_SAFE_INTEGER ? `of ${min} or more` : `from ${min} to ${max}`;
		const given =
			value === undefined || value === null || value === '' ? 'it is empty' : `it is ${JSON.stringify(value)}`;
		this.faults.push({ place, message: `a whole number ${range} is needed, but ${given}.` });
		return min;
	}

	/** Runs a reader that throws a QueryError, and keeps its faults beside those of the numbers. */
	beside(read: () => Query): Query {
		try {
			return read();
		} catch (error) {
			if (!(error instanceof QueryError)) throw error;
			this.faults.push(...error.faults);
			return { sorts: [] };
		}
	}

	/** @throws QueryError with everything that was found wrong */
	check(): void {
		if (this.faults.length > 0) throw new QueryError(this.faults);
	}
}
