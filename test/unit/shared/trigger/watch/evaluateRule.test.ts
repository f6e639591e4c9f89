/** Where two rules of watching meet. What is told when: the histories of each trigger. */
import type { AlertRule, Observation, ObservedValue } from '../../../../../nodes/shared/trigger/watch/alertRule';
import { evaluateRule } from '../../../../../nodes/shared/trigger/watch/evaluateRule';
import { NOTHING_KNOWN } from '../../../../../nodes/shared/trigger/watch/ruleState';

const MINUTE = 60_000;
const CONTEXT = { reportsFirst: false, longestGapMs: 15 * MINUTE, idOf: (...parts: unknown[]) => parts.join() };

interface Look {
	seen?: Record<string, ObservedValue>;
	isWhole?: boolean;
}

/** What is told of looks at these minutes: the minute, what, and since when. */
function toldOf(rule: AlertRule, looks: Record<number, Look>) {
	let state = NOTHING_KNOWN;
	return Object.entries(looks).flatMap(([minute, { seen = {}, isWhole = true }]) => {
		const look: Observation = {
			at: Number(minute) * MINUTE,
			seen: new Map(Object.entries(seen)),
			covers: () => true,
			isWhole,
			absent: new Map(),
		};
		const { state: after, changes } = evaluateRule(state, rule, look, CONTEXT);
		state = after;
		return changes.map(({ name, since }) => [Number(minute), name, since / MINUTE]);
	});
}

it('what begins and ends while the first reading takes several polls is told, and what was over before is not', () => {
	const rule: AlertRule = { kind: 'end', isOver: (value) => value === 'over', ends: () => 'ended' };
	const looks = { 100: { seen: { 1: 'over' }, isWhole: false }, 101: { seen: { 2: 'over' } } };
	expect(toldOf(rule, looks)).toEqual([[101, 'ended', 101]]);
});

describe('energy that stands still', () => {
	const rule: AlertRule = { kind: 'still', opens: 'stalled', closes: 'resumed', afterMs: 30 * MINUTE };
	/** What is told of values that are read every ten minutes. */
	const toldOfValues = (...values: number[]) =>
		toldOf(rule, Object.fromEntries(values.map((value, index) => [100 + 10 * index, { seen: { 1: value } }])));

	it('has not risen where only the rounding of a computer differs', () => {
		const told = [[130, 'stalled', 100]];
		expect(toldOfValues(12.3, 12.3000000002, 12.3, 12.3000000001, 12.3000000003)).toEqual(told);
		expect(toldOfValues(12.3, 12.2999999997, 12.2999999998, 12.2999999999, 12.3, 12.3)).toEqual(told);
	});

	it('has risen where many small rises add up', () => {
		const told = [
			[130, 'stalled', 100],
			[140, 'resumed', 100],
		];
		expect(toldOfValues(12.3, 12.3, 12.3, 12.3, 12.301)).toEqual(told);
		const rises = [0, 1, 2, 3, 4, 5].map((step) => 12.3 + step * 4e-7);
		expect(toldOfValues(...rises)).toEqual([]);
	});
});
