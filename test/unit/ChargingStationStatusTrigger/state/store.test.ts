import * as fc from 'fast-check';

import { encodeValue, decodeValue, rowId, rowKey } from '../../../../nodes/shared/trigger/keys';
import { readState, writeState } from '../../../../nodes/ChargingStationStatusTrigger/state/store';
import { hasState } from '../../../../nodes/shared/trigger/stored';
import type { StoredState } from '../../../../nodes/shared/trigger/stored';
import { DIMENSIONS } from '../../../../nodes/ChargingStationStatusTrigger/state/types';
import type { WatchEvent, WatchState } from '../../../../nodes/ChargingStationStatusTrigger/state/types';

const RUNS = process.env.DEEP ? 5000 : 300;

const id = fc.oneof(
	fc.integer({ min: 0, max: 2 ** 53 - 1 }),
	fc.string({ minLength: 1 }),
	fc.constantFrom('__proto__', 'constructor', '17', ',', '#', '/', '=', ' '),
);
const key = id.map((value) => rowKey(value) ?? '');
const time = fc.integer({ min: 0, max: 4_102_444_800_000 });
const value = fc.oneof(fc.integer(), fc.string(), fc.constant(null));
const text = fc.string();
const event: fc.Arbitrary<WatchEvent> = fc.record({
	name: fc.constantFrom('offline', 'backOnline', 'statusChanged', 'added', 'removed'),
	station: key,
	dimension: fc.constantFrom(null, ...DIMENSIONS),
	from: value,
	to: value,
	since: time,
	detectedAt: time,
	durationSeconds: fc.nat(),
	id: text,
});
const state: fc.Arbitrary<WatchState> = fc.record({
	config: text,
	epoch: text,
	batch: fc.nat(),
	quiet: fc.nat(),
	baselineUpTo: fc.constantFrom(undefined, Number.NEGATIVE_INFINITY, 0, 17),
	initial: fc.constantFrom(undefined, true as const),
	scanAfter: fc.constantFrom(undefined, 0, 4711),
	stations: fc.array(fc.tuple(key, text)).map((entries) => new Map(entries)),
	known: fc.option(
		fc
			.array(fc.tuple(key, fc.boolean()))
			.map((keys) => new Set(keys.map(([name, away]) => (away ? `/${name}` : name)))),
		{ nil: undefined },
	),
	waiting: fc.array(fc.tuple(key, fc.record({ value: text, since: time }))).map((entries) => new Map(entries)),
	backlog: fc.array(event),
});

/** What a database does to the node's data. */
const throughDatabase = (stored: StoredState) => JSON.parse(JSON.stringify(stored)) as StoredState;

describe('the stored state', () => {
	it('comes back from the database as it was written', () => {
		fc.assert(
			fc.property(state, (written) => {
				const stored: StoredState = {};
				writeState(stored, undefined, written);
				const read = readState(throughDatabase(stored));
				expect(read).toEqual(written);
				expect(hasState(stored)).toBe(true);
			}),
			{ numRuns: RUNS },
		);
	});

	it('can be written over any other', () => {
		fc.assert(
			fc.property(state, state, (first, second) => {
				const stored: StoredState = {};
				writeState(stored, undefined, first);
				const loaded = throughDatabase(stored);
				writeState(loaded, readState(loaded), second);
				expect(readState(throughDatabase(loaded))).toEqual(second);
			}),
			{ numRuns: RUNS },
		);
	});

	it('leaves alone what has not changed, so that nothing is saved for it', () => {
		fc.assert(
			fc.property(state, (written) => {
				const stored: StoredState = {};
				writeState(stored, undefined, written);
				const loaded = throughDatabase(stored);
				const guarded = new Proxy(loaded, {
					set: (_, name) => {
						throw new Error(`${String(name)} was written`);
					},
					deleteProperty: (_, name) => {
						throw new Error(`${String(name)} was deleted`);
					},
				});
				writeState(guarded, readState(loaded), written);
			}),
			{ numRuns: RUNS },
		);
	});

	it.each([
		['nothing', {}],
		['another version', { version: 2, config: 'a', epoch: 'b', batch: 1 }],
		['something else', { version: 'x', lastTimeChecked: '2026-11-21' }],
	])('%s is no state', (_, stored) => {
		expect(readState(stored)).toBeUndefined();
	});

	it('is small: 10,000 known stations and 10,000 statuses', () => {
		const ids = Array.from({ length: 10_000 }, (_, index) => rowKey(1_000_000 + index * 7) ?? '');
		const empty = { config: 'a.b', epoch: 'c', batch: 1, quiet: 0, waiting: new Map(), backlog: [] };
		const size = (what: Pick<WatchState, 'stations' | 'known'>) => {
			const stored: StoredState = {};
			writeState(stored, undefined, { ...empty, ...what });
			return Buffer.byteLength(JSON.stringify(stored));
		};
		expect(size({ stations: new Map(ids.map((station) => [station, '1,1,1'])) })).toBeLessThan(300_000);
		expect(size({ stations: new Map(ids.slice(0, 40).map((station) => [station, 'mi8v3k2s'])) })).toBeLessThan(2_000);
		expect(size({ stations: new Map(), known: new Set(ids) })).toBeLessThan(30_000);
	});
});

describe('keys and values', () => {
	it('name every id unmistakably', () => {
		fc.assert(
			fc.property(id, id, (a, b) => {
				expect(rowId(rowKey(a) ?? '')).toBe(Object.is(a, -0) ? 0 : a);
				if (!Object.is(a, b)) expect(rowKey(a)).not.toBe(rowKey(b));
			}),
			{ numRuns: RUNS },
		);
		expect(rowKey(17)).not.toBe(rowKey('17'));
		expect([undefined, null, '', Number.NaN, {}].map(rowKey)).toEqual([
			undefined,
			undefined,
			undefined,
			undefined,
			undefined,
		]);
	});

	it('keep every status value, without a comma', () => {
		fc.assert(
			fc.property(fc.oneof(fc.integer(), fc.string(), fc.constant(null)), (status) => {
				expect(decodeValue(encodeValue(status))).toBe(status);
				expect(encodeValue(status)).not.toContain(',');
			}),
			{ numRuns: RUNS },
		);
		expect(encodeValue(undefined)).toBe(encodeValue(null));
	});
});
