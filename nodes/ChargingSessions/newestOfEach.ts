import orderBy from 'lodash/orderBy';

import { firstNames } from '../shared/dsquery/faults';
import { fieldNameIn } from '../shared/dsquery/fieldName';
import { readTime } from '../shared/dsquery/values/readTime';
import { PlatformError, type Row, type Sink } from '../shared/platform';
import { MOST_GROUPS, noSingleValue } from '../shared/summary/groups';

/** The most sessions that are read where nothing else bounds them. */
export const MOST_READ = 10_000;

/** Keeps the newest session of each value of a field, whatever the order in which they come. */
export class NewestOfEach implements Sink {
	/** How many sessions came. */
	read = 0;
	hasField = false;
	/** The names of the fields that the first session has. */
	names: readonly string[] = [];
	private readonly newest = new Map<string, Begun>();
	private withoutValue = 0;
	private readonly only: ReadonlySet<string>;

	/** @param only the values that count; all where there is none */
	constructor(
		private readonly field: string,
		only: readonly string[],
	) {
		this.only = new Set(only);
	}

	begin(): void {
		this.read = 0;
		this.withoutValue = 0;
		this.newest.clear();
	}

	add(rows: readonly Row[]): void {
		for (const row of rows) this.addRow(row);
	}

	/** Whether each of the values asked for has a session. */
	get isComplete(): boolean {
		return this.only.size > 0 && this.newest.size === this.only.size;
	}

	/** Newest first. */
	get rows(): Row[] {
		return orderBy([...this.newest.values()], ['begin', 'id'], ['desc', 'desc']).map(({ row }) => row);
	}

	get notes(): string[] {
		const missing = [...this.only].filter((value) => !this.newest.has(value));
		const { withoutValue, field } = this;
		const have = withoutValue === 1 ? 'One session has' : `${withoutValue} sessions have`;
		return [
			...(withoutValue > 0 ? [`${have} no ${field}. They are left out.`] : []),
			...(missing.length > 0 ? [`No session with this ${field} matches the filter: ${firstNames(missing)}.`] : []),
		];
	}

	private addRow(row: Row): void {
		this.read++;
		if (this.read === 1) this.names = Object.keys(row);
		const name = fieldNameIn(row, this.field);
		if (name !== undefined) this.hasField = true;
		const value = name === undefined ? null : (row[name] ?? null);
		if (value === null || value === '') this.withoutValue++;
		else if (typeof value === 'object') throw noSingleValue('sessions', 'grouped by', this.field);
		else this.take(String(value), row);
	}

	private take(value: string, row: Row): void {
		if (this.only.size > 0 && !this.only.has(value)) return;
		const begun = begunOf(row);
		const known = this.newest.get(value);
		if (known && !isNewer(begun, known)) return;
		this.newest.set(value, begun);
		if (this.newest.size > MOST_GROUPS) throw tooMany(this.field);
	}
}

/** A session, and what tells which of two is newer: when it began, then its Id. */
interface Begun {
	row: Row;
	/** One without a begin is older than all others. */
	begin: number;
	id: number;
}

function begunOf(row: Row): Begun {
	return { row, begin: readTime(row.StartedAtUtc) ?? Number.NEGATIVE_INFINITY, id: Number(row.Id) };
}

function isNewer(one: Begun, other: Begun): boolean {
	return one.begin === other.begin ? one.id > other.id : one.begin > other.begin;
}

function tooMany(field: string): PlatformError {
	return new PlatformError('configuration', `There are too many different values of ${field}`, {
		description: `There are more than ${MOST_GROUPS.toLocaleString('en')}, so there would be nearly as many items as sessions. Choose another field, such as the station, or narrow the filter.`,
	});
}
