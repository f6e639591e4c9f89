import { begin } from '../../../../../nodes/shared/trigger/watch/steps';

const DAY = 86_400_000;
const HOUR = 3_600_000;

/** The fingerprint of what is watched. */
function fingerprintOf(meaning: unknown): string | undefined {
	const watch = { rule: { kind: 'presence' as const }, place: 'here', meaning, keepsIncidents: false };
	const { watches } = begin({ only: watch }, { isOfLastPoll: false }, { now: 0, isFirst: true });
	return watches.only?.config;
}

it('what is watched is another thing once two settings have changed places, and the same in another order of names', () => {
	// Watched for a day, long after a week; watched for a week, long after a day.
	expect(fingerprintOf([['4', '6'], DAY, 168 * HOUR])).not.toBe(fingerprintOf([['4', '6'], 7 * DAY, 24 * HOUR]));
	expect(fingerprintOf([{ filters: {}, options: 1 }, 2])).toBe(fingerprintOf([{ options: 1, filters: {} }, 2]));
});
