import isNil from 'lodash/isNil';
import sortBy from 'lodash/sortBy';
import uniq from 'lodash/uniq';

import { shortHash, sorted } from '../../shared/trigger/hash';
import type { PollDraft, PollStart, Position, RowKey, TriggerState } from '../../shared/trigger/types';
import { packKeys, packValues, unpackKeys, unpackValues } from '../../shared/trigger/watch/ranges';
import type { PackedKeys, PackedValues } from '../../shared/trigger/watch/ranges';
import { bounded } from '../../shared/trigger/watch/status';

/** The most values that are remembered: rows times fields. */
export const MOST_VALUES = 20_000;
/** The most rows outside of the filter that a poll looks up, to see that they are not gone: ten requests. */
const MOST_OUTSIDE = 1_000;

type Value = string | number | boolean;
/** Fields of a row, by their names. Those without a value are left out. */
type Values = Map<string, Value>;
type Json = Record<string, Value | null>;

export interface RowChange {
	row: RowKey;
	/** The values of the fields that have changed; of one that is gone, all that are known. */
	before: Json;
	now: Json;
	id: string;
}

export interface WatchedState extends TriggerState {
	kept: {
		/** Fingerprint of the settings: with others, a new state begins without a report. */
		config: string;
		ids: PackedKeys;
	};
	notes: {
		/** By field. A change that is reported is saved with its batch, and a row that is new with its Id. */
		values: Record<string, PackedValues<Value>>;
		/** Rows that the last poll did not find by their Ids. */
		missing: PackedKeys;
		/** Where the next poll goes on, if the last one did not get to the end of the list. */
		next?: Position;
	};
}

export interface WatchedRules {
	config: string;
	event: string;
	/** Whether a field is watched, by its name in lower case. */
	isWatched(name: string): boolean;
}

export class WatchedDraft implements PollDraft<RowChange, WatchedState> {
	readonly backlog = [];
	readonly events: RowChange[] = [];
	readonly rows: Map<RowKey, Values>;
	next: Position;
	/** The fields seen, as they were first spelled, by their names in lower case. */
	private readonly fields = new Map<string, string>();
	private readonly missing: Set<RowKey>;
	private readonly basis: string;

	constructor(
		private readonly rules: WatchedRules,
		{ state, basis, hasCurrentNotes }: Pick<PollStart<WatchedState>, 'state' | 'basis' | 'hasCurrentNotes'>,
	) {
		const { kept, notes } = state?.kept.config === rules.config ? state : newState(rules);
		this.basis = basis;
		this.rows = new Map(unpackKeys(kept.ids).map((key) => [key, new Map()]));
		for (const [name, values] of Object.entries(notes.values)) {
			this.fields.set(name.toLowerCase(), name);
			for (const [key, value] of unpackValues(values)) this.rows.get(key)?.set(name, value);
		}
		this.missing = new Set(hasCurrentNotes ? unpackKeys(notes.missing) : []);
		this.next = notes.next;
	}

	toState(): WatchedState {
		const { rules, missing, next } = this;
		const rows = sortBy([...this.rows], ([key]) => Number(key));
		const columns = [...this.fields.values()].map((name) => {
			const cells = rows.flatMap(([key, values]) => {
				const value = values.get(name);
				return value === undefined ? [] : [[key, value] as const];
			});
			return [name, packValues(new Map(cells))] as const;
		});
		return {
			kept: { config: rules.config, ids: packKeys(rows.map(([key]) => key)) },
			notes: { values: Object.fromEntries(columns), missing: packKeys([...missing]), next },
		};
	}

	get size() {
		return { rows: this.rows.size, fields: this.fields.size, values: this.rows.size * Math.max(1, this.fields.size) };
	}

	/** Takes in rows that are there; null for one whose values cannot be told. One that is seen first is only remembered. */
	see(found: ReadonlyMap<RowKey, object | null>): void {
		const known = new Set(this.fields.values());
		const present = new Set<string>();
		const told = [...found].flatMap(([key, row]) => {
			this.missing.delete(key);
			return row ? [{ key, before: this.rows.get(key), now: this.valuesOf(row, present) }] : [];
		});
		const [befores, nows] = [told.flatMap(({ before }) => before ?? []), told.map(({ now }) => now)];
		const isChangeOfPlatform = (name: string) =>
			known.has(name) ? !present.has(name) && isInAll(befores, name) : isInAll(nows, name);
		const quiet = new Set([...this.fields.values()].filter(isChangeOfPlatform));
		for (const name of quiet) if (!present.has(name)) this.fields.delete(name.toLowerCase());
		for (const { key, before, now } of told) {
			this.rows.set(key, now);
			if (before && this.rules.event === 'changedRow') this.compare(key, before, now, quiet);
		}
	}

	private compare(row: RowKey, before: Values, now: Values, quiet: ReadonlySet<string>): void {
		const names = uniq([...before.keys(), ...now.keys()]);
		const changed = names.filter((name) => !quiet.has(name) && before.get(name) !== now.get(name));
		if (changed.length === 0) return;
		const jsonOf = (values: Values): Json =>
			Object.fromEntries(changed.map((name) => [name, values.get(name) ?? null]));
		const [was, is] = [jsonOf(before), jsonOf(now)];
		this.raise(row, was, is, [was, is]);
	}

	/** Takes in that rows were not found by their Ids: those that the poll before did not find either are gone. */
	lose(rows: readonly RowKey[]): void {
		for (const row of rows) {
			if (!this.missing.delete(row)) {
				this.missing.add(row);
				continue;
			}
			// What is known of it may be as old as the last batch, so it is no part of the id.
			this.raise(row, Object.fromEntries(this.rows.get(row) ?? []), {}, []);
			this.rows.delete(row);
		}
	}

	/** The id is the same if the same saved state leads to the same event again. */
	private raise(row: RowKey, before: Json, now: Json, parts: unknown[]): void {
		const id = shortHash([this.basis, this.rules.event, row, ...parts]);
		this.events.push({ row, before, now, id });
	}

	/** Forgets rows that do not match any more, the lowest Ids first, where they are too many. */
	makeRoom(outside: readonly RowKey[]): void {
		const { rows, fields } = this.size;
		const tooMany = rows - Math.floor(MOST_VALUES / Math.max(1, fields));
		const tooCostly = this.rules.event === 'goneRow' ? outside.length - MOST_OUTSIDE : 0;
		const forgotten = sortBy(outside, Number).slice(0, Math.max(0, tooMany, tooCostly));
		for (const key of forgotten) this.rows.delete(key);
	}

	/** @param present gets the names of all watched fields that the row has, with or without a value */
	private valuesOf(row: object, present: Set<string>): Values {
		const values: Values = new Map();
		for (const [name, value] of Object.entries(row) as Array<[string, unknown]>) {
			const field = name.toLowerCase();
			if (field === 'id' || !this.rules.isWatched(field)) continue;
			const spelled = this.fields.get(field) ?? name;
			this.fields.set(field, spelled);
			present.add(spelled);
			const known = remembered(value);
			if (known !== undefined) values.set(spelled, known);
		}
		return values;
	}
}

function newState({ config }: WatchedRules): WatchedState {
	return { kept: { config, ids: [] }, notes: { values: {}, missing: [] } };
}

/** Whether all of several rows have a field. If none had it before, or none has it now, it is the platform that has changed. */
function isInAll(rows: readonly Values[], name: string): boolean {
	return rows.length > 1 && rows.every((values) => values.has(name));
}

/** A value as it is remembered and compared: lists and objects as JSON. */
function remembered(value: unknown): Value | undefined {
	if (isNil(value)) return undefined;
	if (typeof value === 'number' || typeof value === 'boolean') return value;
	return bounded(typeof value === 'string' ? value : JSON.stringify(sorted(value))) ?? undefined;
}
