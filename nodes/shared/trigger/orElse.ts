import { PlatformError } from '../platform';

/** A rate limit, a 5xx or a network fault: the next poll may well succeed. */
export function isPassing(error: unknown): error is PlatformError {
	return error instanceof PlatformError && error.transient;
}

/** The outcome of work that may end in an error that is expected; every other error goes on as it is. */
export async function orElse<Value>(
	work: Promise<Value>,
	isExpected: (error: unknown) => boolean,
): Promise<{ value: Value } | { error: unknown }> {
	return await work.then(
		(value) => ({ value }),
		(error: unknown) => {
			if (isExpected(error)) return { error };
			throw error;
		},
	);
}
