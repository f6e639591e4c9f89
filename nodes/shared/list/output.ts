import mapKeys from 'lodash/mapKeys';
import memoize from 'lodash/memoize';
import partition from 'lodash/partition';
import { DateTime } from 'luxon';

import { derivedName, findKnownField, sourceOf, statusName } from '../dsquery/listSchema';
import { quote } from '../text';
import type { ListSchema } from '../dsquery/types';
import { isPlaceholderTime, readTime } from '../dsquery/values/readTime';
import type { Row } from '../platform';
import { MOST_SIMPLE_FIELDS } from './rowOutput';
import { FieldReader, findFieldValue } from '../dsquery/fieldName';

/** What a returned row holds: the values of `rowOutput` and `addedFields`. */
interface RowOutputOptions {
	output: 'all' | 'simplified' | 'selected';
	/** The chosen fields, in any case; undefined for other outputs. */
	outputFields?: readonly string[];
	/** Whether to add the name of each status beside its code. */
	addStatusNames: boolean;
	/** Whether to add the local time beside each time in UTC. */
	addLocalTimes: boolean;
	/** The zone of local times. */
	zone: string;
}

/** A field derived from another: its name, whether an option adds it, and its value, undefined for none. */
interface DerivedField {
	name: string;
	isAdded: boolean;
	of(value: unknown): string | null | undefined;
}

type OutputCell = [name: string, value: Row[string]];

/** Turns rows into output rows as they arrive. */
export class RowShaper {
	private readonly fields = new FieldReader();
	/** Chosen fields that no row has had so far. */
	private readonly missing: Set<string>;
	/** Chosen fields that became a column before a row told how it is spelled. */
	private readonly asChosen = new Set<string>();
	private rows = 0;

	constructor(
		private readonly chosen: RowOutputOptions,
		private readonly schema: ListSchema,
	) {
		this.missing = new Set(chosen.outputFields?.filter((name) => name !== 'Id'));
	}

	readonly shape = (rows: Row[]): Row[] => {
		this.rows += rows.length;
		const { output, addStatusNames, addLocalTimes } = this.chosen;
		if (output === 'all' && !addStatusNames && !addLocalTimes) return rows;
		return rows.map((row) => Object.fromEntries(output === 'selected' ? this.selected(row) : this.whole(row)));
	};

	/** All pages once the last row has come: a column that the first rows could not name is called as in the others. */
	finish(pages: Row[][]): Row[][] {
		const renamed = new Map([...this.asChosen].flatMap((field) => this.renamed(field)));
		if (renamed.size === 0) return pages;
		return pages.map((rows) => rows.map((row) => mapKeys(row, (_, name) => renamed.get(name) ?? name)));
	}

	/**
	 * Warns of chosen fields that no row has: a misspelling would otherwise go unnoticed.
	 *
	 * @param place where they are chosen
	 */
	notes(plural: string, place = 'Output > Field Names'): string[] {
		if (this.rows === 0 || this.missing.size === 0) return [];
		const names = [...this.missing].map((name) => quote(name)).join(', ');
		return [`None of the ${plural} has ${names}. Check the names in ${place}.`];
	}

	/** All fields, or the simple ones, each with what is added beside it. */
	private whole(row: Row): OutputCell[] {
		const names = this.chosen.output === 'all' ? Object.keys(row) : this.simple(row);
		return names.flatMap((name) => this.cells(row, name, row[name]));
	}

	/** Fields with a single value, those of the catalogue first. */
	private simple(row: Row): string[] {
		const names = Object.keys(row).filter((name) => typeof row[name] !== 'object' || row[name] === null);
		return partition(names, (name) => findKnownField(this.schema, name))
			.flat()
			.slice(0, MOST_SIMPLE_FIELDS);
	}

	/** The chosen fields in their order, null where the row has none, each with what is added beside it. */
	private selected(row: Row): OutputCell[] {
		return (this.chosen.outputFields ?? []).flatMap((field) => {
			const value = this.valueOf(row, field);
			if (value !== undefined) this.missing.delete(field);
			const name = this.columnOf(field);
			if (name === undefined) this.asChosen.add(field);
			return this.cells(row, name ?? field, value ?? null);
		});
	}

	/** The value of a chosen field, which may be a derived one. Undefined if the row has no such field. */
	private valueOf(row: Row, field: string): Row[string] | undefined {
		const found = this.fields.read(row, field);
		if (found) return found.value as Row[string];
		const source = sourceOf(this.schema, field);
		const made = source === undefined ? undefined : this.fields.read(row, source);
		return made && this.derivedOf(source ?? '')?.of(made.value);
	}

	/** What the column of a chosen field is called. Undefined as long as no row has told. */
	private columnOf(field: string): string | undefined {
		const own = this.fields.nameOf(field);
		if (own !== undefined) return own;
		const source = this.fields.nameOf(sourceOf(this.schema, field) ?? '');
		return source === undefined ? undefined : this.derivedOf(source)?.name;
	}

	/** The columns of a chosen field that are called otherwise now than they were. */
	private renamed(field: string): Array<[before: string, now: string]> {
		const name = this.columnOf(field) ?? field;
		const derived = [field, name].map((each) => this.derivedOf(each)?.name ?? each);
		const pairs: Array<[string, string]> = [
			[field, name],
			[derived[0] ?? field, derived[1] ?? name],
		];
		return pairs.filter(([before, now]) => before !== now);
	}

	/** A field and what is added beside it. A property that the platform sends under that name wins. */
	private cells(row: Row, name: string, value: Row[string]): OutputCell[] {
		const derived = this.derivedOf(name);
		const own: OutputCell = [name, value];
		if (!derived?.isAdded) return [own];
		const sent = name.includes('.') ? findFieldValue(row, derived.name) : row[derived.name];
		const added = sent === undefined ? derived.of(value) : (sent as Row[string]);
		return added === undefined ? [own] : [own, [derived.name, added]];
	}

	private readonly derivedOf = memoize((field: string): DerivedField | undefined => {
		const name = derivedName(this.schema, field);
		if (name === undefined) return undefined;
		const { addStatusNames, addLocalTimes, zone } = this.chosen;
		const known = findKnownField(this.schema, field);
		return known?.type === 'code'
			? { name, isAdded: addStatusNames, of: (value) => statusName(known.codes, value) }
			: { name, isAdded: addLocalTimes, of: (value) => formatLocalTime(value, zone) };
	});
}

const LOCAL_FORMAT = 'yyyy-MM-dd HH:mm:ss';

/** A time as clocks in the zone show it: null if there is none, undefined if the field holds anything but a time. */
export function formatLocalTime(value: unknown, zone: string): string | null | undefined {
	const instant = readTime(value);
	if (instant !== undefined) return DateTime.fromMillis(instant, { zone }).toFormat(LOCAL_FORMAT);
	return value === null || isPlaceholderTime(value) ? null : undefined;
}
