import {
	restoreState,
	evaluateWatches,
	type WatchDefinition,
} from '../../../../../nodes/shared/trigger/watch/evaluate';

const DAY = 86_400_000;
const HOUR = 3_600_000;

/** The fingerprint of what is watched. */
function fingerprintOf(meaning: unknown): string | undefined {
	const watch = { rule: { kind: 'presence' as const }, place: 'here', meaning, keepsIncidents: false };
	const { watches } = restoreState({ only: watch }, { isOfLastPoll: false }, { now: 0, isFirst: true });
	return watches.only?.config;
}

it('what is watched is another thing once two settings have changed places, and the same in another order of names', () => {
	// Watched for a day, long after a week; watched for a week, long after a day.
	expect(fingerprintOf([['4', '6'], DAY, 168 * HOUR])).not.toBe(fingerprintOf([['4', '6'], 7 * DAY, 24 * HOUR]));
	expect(fingerprintOf([{ filters: {}, options: 1 }, 2])).toBe(fingerprintOf([{ options: 1, filters: {} }, 2]));
});

describe('what the filter could not be asked about', () => {
	const fresh: WatchDefinition = {
		rule: { kind: 'presence', appears: 'started', isReported: (value) => value === true, isReportedAtFirst: true },
		place: 'here',
		meaning: true,
		newest: 2,
		filtersEvents: true,
	};
	const moment = { now: 1, usualMs: 60_000, idOf: String, onceIdOf: String };
	const start = (reportsFirst: boolean) =>
		restoreState({ fresh }, { isOfLastPoll: true }, { now: 0, isFirst: true, reportsFirst });
	type State = ReturnType<typeof start>;

	/** A poll that reads these Ids, of which some are new. */
	function poll(state: State, { old = [], fresh: ids = [] }: Record<string, number[]>, unmatched: number[] = []) {
		const seen = new Map([...old.map((id) => [`${id}`, false] as const), ...ids.map((id) => [`${id}`, true] as const)]);
		const look = { seen, covers: () => false, isWhole: true, absent: new Map(), border: { above: 0, began: 0 } };
		const found = { watchReadings: { fresh: look }, readings: {}, unmatched: new Set(unmatched.map(String)) };
		const { state: after, changes } = evaluateWatches({ fresh }, state, found, moment);
		return { after, known: Object.keys(after.watches.fresh?.entries ?? {}), told: changes.map(({ key }) => key) };
	}

	it('is reported by the next poll, which finds it again: one Id below it is remembered', () => {
		const { after } = poll(start(false), { old: [7, 8] });
		const second = poll(after, { old: [7, 8], fresh: [9, 10, 11] }, [9]);
		expect([second.told, second.known]).toEqual([
			['10', '11'],
			['8', '10', '11'],
		]);
		const border = second.after.watches.fresh?.border?.from ?? 0;
		expect(border).toBeLessThan(9);
		expect(poll(second.after, { old: [8, 10, 11], fresh: [9] }).told).toEqual(['9']);
	});

	it('is remembered by a first reading that reports what it finds, which then has not reached its end', () => {
		const { after, known, told } = poll(start(true), { fresh: [3, 8, 9] }, [3]);
		expect([told, known, after.watches.fresh?.isBegun]).toEqual([['8', '9'], ['3', '8', '9'], false]);
		const next = poll(after, { old: [8, 9], fresh: [3] });
		expect([next.told, next.after.watches.fresh?.isBegun]).toEqual([['3'], true]);
	});
});
