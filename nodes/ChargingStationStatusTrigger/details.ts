import chunk from 'lodash/chunk';

import { PlatformError, settle } from '../shared/platform';
import type { Connection, Row, Settled } from '../shared/platform';
import { rowId } from '../shared/trigger/keys';
import type { Poll, ReadPace } from '../shared/trigger/poll';
import type { StationKey } from './state/types';

export interface Details {
	/** The detail of each station that was asked for, or why it cannot be read. */
	found: Map<StationKey, Settled<Row>>;
	/** The rate limit that ended the reading. */
	rateLimit?: Error;
}

/** Reads full details, several at a time, until the time is up or the rate limit lets nothing more through. */
export async function readDetails(poll: Poll, keys: readonly StationKey[], pace: ReadPace): Promise<Details> {
	const found: Details['found'] = new Map();
	for (const group of chunk(keys, pace.parallel)) {
		// However late it is, some are read in each poll.
		if (found.size > 0 && performance.now() >= pace.until) break;
		const answers = await Promise.all(group.map(async (key) => await readDetail(poll.connection, key)));
		let rateLimit: Error | undefined;
		group.forEach((key, index) => {
			const answer = answers[index];
			if (answer && !answer.ok && kindOf(answer.error) === 'rate-limited') rateLimit = answer.error as Error;
			else if (answer) found.set(key, answer);
		});
		if (rateLimit) return { found, rateLimit };
	}
	return { found };
}

async function readDetail(connection: Connection, key: StationKey): Promise<Settled<Row>> {
	const id = String(rowId(key));
	if (!isAddressable(id)) {
		const message = `The Id “${id}” cannot stand in a web address, so there is no detail of this station`;
		return { ok: false, error: new PlatformError('configuration', message) };
	}
	const answer = await settle(connection.getStation(id));
	if (!answer.ok && !(answer.error instanceof PlatformError)) throw answer.error;
	return answer;
}

/** Dots mean another place in a path, however they are written, and half a character cannot be written at all. */
function isAddressable(id: string): boolean {
	return !/^\.{1,2}$/.test(id) && !/\p{Surrogate}/u.test(id);
}

/**
 * Which of the stations that no list shows any more do not exist. Where the platform says anything else than that there
 * is no such station, this counts only if it gives the detail of another station.
 *
 * @param others stations that exist
 * @returns for each station that could be asked for, whether it is gone
 */
export async function areGone(
	poll: Poll,
	keys: readonly StationKey[],
	others: readonly StationKey[],
	pace: ReadPace,
): Promise<Map<StationKey, boolean>> {
	const gone = new Map<StationKey, boolean>();
	// Each poll begins elsewhere, so that those that can never be read keep no others back.
	const first = poll.memory.polls % Math.max(1, keys.length);
	const { found, rateLimit } = await readDetails(poll, [...keys.slice(first), ...keys.slice(0, first)], pace);
	if (rateLimit) poll.leave(rateLimit);
	let givesDetails: Promise<boolean> | undefined;
	for (const [key, answer] of found) {
		if (answer.ok || kindOf(answer.error) === 'configuration') {
			gone.set(key, false);
		} else if (kindOf(answer.error) === 'not-found') {
			gone.set(key, true);
		} else if (answer.error instanceof PlatformError) {
			givesDetails ??= canReadOne(poll, others, pace);
			if (!answer.error.transient && (await givesDetails)) gone.set(key, true);
			else poll.leave(answer.error);
		}
	}
	return gone;
}

/** Each poll tries another one. */
async function canReadOne(poll: Poll, keys: readonly StationKey[], pace: ReadPace): Promise<boolean> {
	const key = keys[poll.memory.polls % Math.max(1, keys.length)];
	if (key === undefined) return false;
	const { found } = await readDetails(poll, [key], pace);
	return found.get(key)?.ok === true;
}

function kindOf(error: unknown): string | undefined {
	return error instanceof PlatformError ? error.kind : undefined;
}
