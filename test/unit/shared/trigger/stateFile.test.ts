import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { codeOf } from '../../../../nodes/shared/dsquery/catalogue';
import { rowId, rowKey, rowKeys } from '../../../../nodes/shared/trigger/keys';
import { hasState, StateFile } from '../../../../nodes/shared/trigger/stateFile';
import type { LatestState } from '../../../../nodes/shared/trigger/stateFile';

const RUNS = 300;
const node = { workflowId: 'w', id: 'n', name: 'Trigger' };

interface State {
	kept: { a: unknown };
	notes: { b: unknown };
}

const json = fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.constantFrom('\ud800', '\u0000', '__proto__'));
const state: fc.Arbitrary<State> = fc.record({ kept: fc.record({ a: json }), notes: fc.record({ b: json }) });

/** The node's data as it comes back from a database. */
const throughDatabase = (stored: IDataObject) => JSON.parse(JSON.stringify(stored)) as IDataObject;
const load = (stored: IDataObject, memory: LatestState = {}, savesNotes = false, name = node.name) =>
	new StateFile<State>(stored, memory, { ...node, name }, savesNotes);

describe('the saved state', () => {
	it('comes back from the database as it was written, whatever was there before', () => {
		fc.assert(
			fc.property(state, state, (first, second) => {
				let stored: IDataObject = { version: 1, stations: {}, backlog: '[' };
				for (const written of [first, second]) {
					expect(load(stored).save(written, true)).toBe(true);
					stored = throughDatabase(stored);
					expect(load(stored).state).toEqual(written);
					expect(hasState(stored)).toBe(true);
				}
				expect(Object.keys(stored).sort()).toEqual(['batch', 'check', 'epoch', 'kept', 'notes', 'version']);
			}),
			{ numRuns: RUNS },
		);
	});

	it('is left alone where nothing has changed, so that nothing is saved', () => {
		const stored: IDataObject = {};
		const written = { kept: { a: 1 }, notes: { b: 2 } };
		load(stored).save(written, false);
		const guarded = new Proxy(throughDatabase(stored), {
			set: (_, name) => {
				throw new Error(`${String(name)} was written`);
			},
			deleteProperty: (_, name) => {
				throw new Error(`${String(name)} was deleted`);
			},
		});
		expect(load(guarded).save(written, false)).toBe(false);
	});

	it('that changed only in its notes needs no batch', () => {
		const stored: IDataObject = {};
		load(stored).save({ kept: { a: 1 }, notes: { b: 2 } }, false);
		expect(load(stored).save({ kept: { a: 1 }, notes: { b: 3 } }, false)).toBe(false);
		expect(load(stored).save({ kept: { a: 2 }, notes: { b: 3 } }, false)).toBe(true);
	});

	it('is unreadable once anything in it was changed', () => {
		fc.assert(
			fc.property(state, fc.nat(5), json, (written, entry, other) => {
				const stored: IDataObject = {};
				load(stored).save(written, true);
				const name = Object.keys(stored)[entry] ?? '';
				fc.pre(name !== 'version' && stored[name] !== other);
				stored[name] = other as IDataObject[string];
				expect(load(stored)).toMatchObject({ state: undefined, isUnreadable: true, isFirst: false });
			}),
			{ numRuns: RUNS },
		);
	});

	it.each([
		['nothing', {}, { isFirst: true, isUnreadable: false }],
		['a later version', { version: 3, kept: '{}' }, { isFirst: false, isUnreadable: true }],
		['something else', { lastTimeChecked: '2026-11-21' }, { isFirst: true, isUnreadable: false }],
	])('%s is not a state', (_, stored, expected) => {
		expect(load(stored)).toMatchObject({ ...expected, state: undefined });
	});

	it('continues when the node is renamed, and when it gets its old name back', () => {
		const memory: LatestState = {};
		const [old, renamed]: IDataObject[] = [{}, {}];
		if (!old || !renamed) return;
		const at = (a: number): State => ({ kept: { a }, notes: { b: a } });
		load(old, memory).save(at(1), true);
		expect(load(renamed, memory, false, 'New').state).toEqual(at(1));
		expect(load(renamed, memory, false, 'New').save(at(1), false)).toBe(true);
		load(renamed, memory, false, 'New').save(at(2), true);
		expect(load(old, memory).state).toEqual(at(2));
		// Another process has only what is in the database.
		expect(load(old).state).toEqual(at(1));
	});

	it('has the notes of the last poll only where this process made them or n8n saves them', () => {
		const memory: LatestState = {};
		const stored: IDataObject = {};
		load(stored, memory).save({ kept: { a: 1 }, notes: { b: 1 } }, true);
		const saved = throughDatabase(stored);
		load(stored, memory).save({ kept: { a: 1 }, notes: { b: 2 } }, false);
		expect(load(saved, memory)).toMatchObject({ hasCurrentNotes: true, state: { notes: { b: 2 } } });
		expect(load(saved)).toMatchObject({ hasCurrentNotes: false, state: { notes: { b: 1 } } });
		expect(load(saved, {}, true)).toMatchObject({ hasCurrentNotes: true, state: { notes: { b: 1 } } });
	});
});

describe('keys and codes', () => {
	const id = fc.oneof(
		fc.integer(),
		fc.string({ minLength: 1, unit: 'binary' }),
		fc.constantFrom('__proto__', 'constructor', '17', ',', '#', '=', ' ', '\ud800'),
	);

	it('are unique for every id', () => {
		fc.assert(
			fc.property(id, id, (a, b) => {
				expect(rowId(rowKey(a) ?? '')).toBe(Object.is(a, -0) ? 0 : a);
				expect(rowKeys([a].map((value) => rowId(rowKey(value) ?? '')))).toEqual([rowKey(a)]);
				if (!Object.is(a, b)) expect(rowKey(a)).not.toBe(rowKey(b));
			}),
			{ numRuns: RUNS },
		);
		expect(rowKey(17)).not.toBe(rowKey('17'));
		for (const value of [undefined, null, '', Number.NaN, {}]) expect(rowKey(value)).toBeUndefined();
	});

	it('treat a number sent as text as the same code', () => {
		expect(['1', 1, '-3', 'x', '', null, undefined, true, '12345678901234567890'].map(codeOf)).toEqual([
			...[1, 1, -3, 'x', '', null, null, 'true', '12345678901234567890'],
		]);
	});
});
