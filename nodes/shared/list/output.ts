import memoize from 'lodash/memoize';
import partition from 'lodash/partition';
import { DateTime } from 'luxon';

import { derivedName, knownField, statusName } from '../dsquery/catalogue';
import { quote } from '../text';
import type { Catalogue } from '../dsquery/types';
import { isNoTime, readTime } from '../dsquery/values/readTime';
import type { Row } from '../platform';
import { MOST_SIMPLE_FIELDS } from './rowOutput';
import { fieldAt } from '../dsquery/fieldName';

/** What a returned row holds: the values of `rowOutput` and `addedFields`. */
export interface Output {
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
interface Derived {
	name: string;
	isAdded: boolean;
	of(value: unknown): string | null | undefined;
}

type Cell = [name: string, value: Row[string]];

/** Turns rows into output rows as they arrive. */
export class RowShaper {
	private readonly missing: Set<string>;
	private rows = 0;

	constructor(
		private readonly chosen: Output,
		private readonly catalogue: Catalogue,
	) {
		this.missing = new Set(chosen.outputFields?.filter((name) => name !== 'Id'));
	}

	readonly shape = (rows: Row[]): Row[] => {
		this.rows += rows.length;
		const { output, addStatusNames, addLocalTimes } = this.chosen;
		if (output === 'all' && !addStatusNames && !addLocalTimes) return rows;
		return rows.map((row) => Object.fromEntries(output === 'selected' ? this.selected(row) : this.whole(row)));
	};

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
	private whole(row: Row): Cell[] {
		const names = this.chosen.output === 'all' ? Object.keys(row) : this.simple(row);
		return names.flatMap((name) => this.cells(row, name, row[name]));
	}

	/** Fields with a single value, those of the catalogue first. */
	private simple(row: Row): string[] {
		const names = Object.keys(row).filter((name) => typeof row[name] !== 'object' || row[name] === null);
		return partition(names, (name) => knownField(this.catalogue, name))
			.flat()
			.slice(0, MOST_SIMPLE_FIELDS);
	}

	/** The chosen fields in their order, each with what is added beside it. A derived field may be chosen by itself. */
	private selected(row: Row): Cell[] {
		return (this.chosen.outputFields ?? []).flatMap((field) => {
			const found = fieldAt(row, field);
			const cells = found ? this.cells(row, found.name, found.value as Row[string]) : this.derivedCell(row, field);
			if (cells.length > 0) this.missing.delete(field);
			return cells;
		});
	}

	/** A field and what is added beside it. A property that the platform sends under that name wins. */
	private cells(row: Row, name: string, value: Row[string]): Cell[] {
		const derived = this.derivedOf(name);
		const own: Cell = [name, value];
		if (!derived?.isAdded) return [own];
		const added = Object.hasOwn(row, derived.name) ? row[derived.name] : derived.of(value);
		return added === undefined ? [own] : [own, [derived.name, added]];
	}

	/** The derived field of this name, in any case; none if no field of the row gives it. */
	private derivedCell(row: Row, wanted: string): Cell[] {
		for (const name of Object.keys(row)) {
			const derived = this.derivedOf(name);
			if (derived?.name.toLowerCase() !== wanted.toLowerCase()) continue;
			const value = derived.of(row[name]);
			return value === undefined ? [] : [[derived.name, value]];
		}
		return [];
	}

	private readonly derivedOf = memoize((field: string): Derived | undefined => {
		const name = derivedName(this.catalogue, field);
		if (name === undefined) return undefined;
		const { addStatusNames, addLocalTimes, zone } = this.chosen;
		const known = knownField(this.catalogue, field);
		return known?.type === 'code'
			? { name, isAdded: addStatusNames, of: (value) => statusName(known.codes, value) }
			: { name, isAdded: addLocalTimes, of: (value) => localTime(value, zone) };
	});
}

const LOCAL_FORMAT = 'yyyy-MM-dd HH:mm:ss';

/** A time as clocks in the zone show it: null if there is none, undefined if the field holds anything but a time. */
function localTime(value: unknown, zone: string): string | null | undefined {
	const instant = readTime(value);
	if (instant !== undefined) return DateTime.fromMillis(instant, { zone }).toFormat(LOCAL_FORMAT);
	return value === null || isNoTime(value) ? null : undefined;
}
