import chunk from 'lodash/chunk';

import { type Connection, PlatformError, type Row } from '../../platform';
import { settle, type Settled } from '../../settle';
import { rowId, type RowKey } from '../keys';
import type { Poll, ReadLimits } from '../poll';

/** The most details that a poll reads for single stations. */
export const MOST_DETAILS = 100;

export interface Details {
	/** The detail of each station that was requested, or why it cannot be read. */
	found: Map<RowKey, Settled<Row>>;
	rateLimit?: Error;
}

/** Reads full details, several at a time, until the time is up or the rate limit lets nothing more through. */
export async function readDetails(poll: Poll, keys: readonly RowKey[], pace: ReadLimits): Promise<Details> {
	const found: Details['found'] = new Map();
	for (const group of chunk(keys, pace.parallel)) {
		// Each poll reads some, however late it is.
		if (found.size > 0 && performance.now() >= pace.until) break;
		const answers = await Promise.all(group.map(async (key) => await readDetail(poll.connection, key)));
		let rateLimit: Error | undefined;
		group.forEach((key, index) => {
			const answer = answers[index];
			if (answer && !answer.ok && failureKind(answer.error) === 'rate-limited') rateLimit = answer.error as Error;
			else if (answer) found.set(key, answer);
		});
		if (rateLimit) return { found, rateLimit };
	}
	return { found };
}

async function readDetail(connection: Connection, key: RowKey): Promise<Settled<Row>> {
	const answer = await settle(connection.getStation(String(rowId(key))));
	if (!answer.ok && !(answer.error instanceof PlatformError)) throw answer.error;
	return answer;
}

/** The kind of a failure, if it is the platform's. */
export function failureKind(error: unknown): string | undefined {
	return error instanceof PlatformError ? error.kind : undefined;
}
