import * as fc from 'fast-check';

import { NewIds, REMEMBERED_IDS } from '../../../../nodes/shared/trigger/newIds';
import type { NewIdsState } from '../../../../nodes/shared/trigger/newIds';
import { draws } from '../../../support/draws.ts';

const RUNS = draws(5_000);
const empty = (): NewIdsState => ({ kept: {}, notes: { recent: [], unsaved: 0 } });
const of = ({ kept, notes }: NewIdsState) => new NewIds(kept, notes);

/** Rows in the order in which they become visible, some of them later than rows with higher Ids. */
const story = fc.record({
	before: fc.integer({ min: 0, max: 120 }),
	rows: fc.array(fc.record({ gap: fc.integer({ min: 1, max: 3 }), lateBy: fc.nat({ max: 20 }) }), { maxLength: 200 }),
	perPoll: fc.integer({ min: 1, max: 30 }),
});

it('every row is found once, even one that appears after up to 49 rows with higher Ids', () => {
	fc.assert(
		fc.property(story, ({ before, rows, perPoll }) => {
			const state = empty();
			let visible = Array.from({ length: before }, (_, index) => index - 60);
			of(state).startAt(visible);
			expect(of(state).isKnown).toBe(true);

			let id = 1000;
			const arrivals = rows
				.map(({ gap, lateBy }, index) => ({ id: (id += gap), at: index + lateBy }))
				.sort((a, b) => a.at - b.at);
			const found: number[] = [];
			for (let next = 0; next < arrivals.length; next += perPoll) {
				visible = [...visible, ...arrivals.slice(next, next + perPoll).map((row) => row.id)];
				const { after } = of(state);
				const fresh = of(state).discover(visible.filter((each) => each > after));
				found.push(...fresh);
				expect(of(state).discover(visible.filter((each) => each > after))).toEqual([]);
				expect(state.notes.recent.length).toBeLessThanOrEqual(REMEMBERED_IDS);
			}
			// At most 20 rows with higher Ids become visible before a row, and at most 29 more in the same poll.
			expect(found.sort((a, b) => a - b)).toEqual(arrivals.map((row) => row.id).sort((a, b) => a - b));
		}),
		{ numRuns: RUNS },
	);
});

it('an Id that the platform sends twice is new only once', () => {
	const state = empty();
	of(state).startAt([1, 2]);
	expect(of(state).discover([2, 3, 3])).toEqual([3]);
});

it('the first row of a list that was empty at the start is new', () => {
	const state = empty();
	expect(of(state).isKnown).toBe(false);
	of(state).startAt([]);
	expect(of(state).isKnown).toBe(true);
	expect(of(state).discover([7])).toEqual([7]);
});

it('after a thousand rows without an event the state changes, so that it is saved', () => {
	const state = empty();
	of(state).startAt([1]);
	const ids = Array.from({ length: 1000 }, (_, index) => index + 2);
	of(state).discover(ids.slice(0, 999));
	of(state).settle(false);
	expect(state.kept.newSince).toBe(1);
	of(state).discover(ids.slice(999));
	of(state).settle(false);
	expect(state).toMatchObject({ kept: { newSince: 1001 }, notes: { unsaved: 0 } });
});
