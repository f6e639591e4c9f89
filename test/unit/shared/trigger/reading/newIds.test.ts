import { NewIds } from '../../../../../nodes/shared/trigger/reading/newIds';
import type { NewIdsState } from '../../../../../nodes/shared/trigger/reading/newIds';

const empty = (): NewIdsState => ({ kept: {}, notes: { recent: [], unsaved: 0 } });
const of = ({ kept, notes }: NewIdsState) => new NewIds(kept, notes);

it('an Id that the platform sends twice is new only once', () => {
	const state = empty();
	of(state).startAt([1, 2]);
	expect(of(state).discover([2, 3, 3])).toEqual([3]);
});

it('after a thousand rows without an event the state changes, so that it is saved', () => {
	const state = empty();
	of(state).startAt([1]);
	const ids = Array.from({ length: 1000 }, (_, index) => index + 2);
	of(state).discover(ids.slice(0, 999));
	of(state).beforeSave(false);
	expect(state.kept.newSince).toBe(1);
	of(state).discover(ids.slice(999));
	of(state).beforeSave(false);
	expect(state).toMatchObject({ kept: { newSince: 1001 }, notes: { unsaved: 0 } });
});
