import chunk from 'lodash/chunk';

import { PlatformError, settle } from '../shared/platform';
import type { Connection, Row, Settled } from '../shared/platform';
import { rowId } from '../shared/trigger/keys';
import type { Poll, ReadPace } from '../shared/trigger/poll';
import type { StationKey } from './state/types';

export interface Details {
	/** The detail of each station that was requested, or why it cannot be read. */
	found: Map<StationKey, Settled<Row>>;
	/** The rate limit error that ended the reading. */
	rateLimit?: Error;
}

/** Reads full details, several at a time, until the time is up or the rate limit lets nothing more through. */
export async function readDetails(poll: Poll, keys: readonly StationKey[], pace: ReadPace): Promise<Details> {
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

async function readDetail(connection: Connection, key: StationKey): Promise<Settled<Row>> {
	const answer = await settle(connection.getStation(String(rowId(key))));
	if (!answer.ok && !(answer.error instanceof PlatformError)) throw answer.error;
	return answer;
}

/**
 * Which of the stations that no list shows any more are gone. Apart from not-found, a lasting refusal counts as gone
 * only if the platform returns the detail of another station.
 *
 * @param others stations that exist
 * @returns whether each station is gone, if that could be determined
 */
export async function areGone(
	poll: Poll,
	keys: readonly StationKey[],
	others: readonly StationKey[],
	pace: ReadPace,
): Promise<Map<StationKey, boolean>> {
	const gone = new Map<StationKey, boolean>();
	// Each poll starts at another station, so that unreadable ones do not hold up the rest.
	const first = poll.memory.polls % Math.max(1, keys.length);
	const { found, rateLimit } = await readDetails(poll, [...keys.slice(first), ...keys.slice(0, first)], pace);
	if (rateLimit) poll.leave(rateLimit);
	let givesDetails: Promise<boolean> | undefined;
	for (const [key, answer] of found) {
		if (answer.ok || failureKind(answer.error) === 'configuration') {
			gone.set(key, false);
		} else if (failureKind(answer.error) === 'not-found') {
			gone.set(key, true);
		} else if (answer.error instanceof PlatformError) {
			givesDetails ??= canReadOne(poll, others, pace);
			if (!answer.error.transient && (await givesDetails)) gone.set(key, true);
			else poll.leave(answer.error);
		}
	}
	return gone;
}

/** Whether a detail can be read at all. Each poll tries another station. */
async function canReadOne(poll: Poll, keys: readonly StationKey[], pace: ReadPace): Promise<boolean> {
	const key = keys[poll.memory.polls % Math.max(1, keys.length)];
	if (key === undefined) return false;
	const { found } = await readDetails(poll, [key], pace);
	return found.get(key)?.ok === true;
}

function failureKind(error: unknown): string | undefined {
	return error instanceof PlatformError ? error.kind : undefined;
}
