import { PlatformError } from '../shared/platform';
import type { Poll, ReadPace } from '../shared/trigger/poll';
import { failureKind, readDetails } from '../shared/trigger/reading/details';
import type { StationKey } from './state/types';

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
