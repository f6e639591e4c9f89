export type Settled<Value> = { ok: true; value: Value } | { ok: false; error: unknown };

/** The result of a promise, or the error it ended with. Never throws. */
export async function settle<Value>(promise: Promise<Value>): Promise<Settled<Value>> {
	return await promise.then(
		(value) => ({ ok: true, value }),
		(error: unknown) => ({ ok: false, error }),
	);
}
