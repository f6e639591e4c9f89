import { otherFieldLabel } from '../catalogue';
import { combine } from '../compose';
import { isRecord, kindOf, quote } from '../../text';
import { Faults } from '../faults';
import { LOGIC_ENUM, readEnum } from '../operators';
import type { Catalogue, FilterNode, Group, SortEntry } from '../types';
import { checkZone } from '../values/localTime';
import { ConditionReader, type Entry, type ReadContext } from './condition';
import { MOST_CONDITIONS, readJsonInto, TOO_MANY } from './json';
import { readSortInto } from './sort';

/** The stored parameters of a filter, not yet validated: the nested form and its `logic`. */
export interface StoredFilter {
	filters: unknown;
	logic?: unknown;
}

/** What the filter form holds. */
export interface Filter {
	/** Undefined if it holds no condition. */
	filter?: Group;
	/** The sort that a JSON condition supplies, with the place of that condition. */
	ownSort?: PlacedSort;
}

interface PlacedSort {
	place: string;
	sorts: SortEntry[];
}

/**
 * Makes the filter of a list from its stored parameters. Adds a fault for every empty field, value or
 * group and every unfit operator, with its place: `Filters > Group 1 > Status 2 > Value`.
 */
export function readFilterInto({ filters, logic: stored }: StoredFilter, context: ReadContext, faults: Faults): Filter {
	checkZone(context.zone);
	const reader = new FormReader(context, faults);
	const nodes = reader.conditions(filters, 'Filters');
	const logic = stored === undefined ? 'And' : reader.logic(stored, 'Must Match');
	const [ownSort, second] = reader.sorts;
	if (ownSort && second) refuseSecondSort(second, ownSort.place, faults);
	return { filter: logic === undefined ? undefined : combine(logic, nodes), ownSort };
}

/** The user's sorts, unchanged (see `stableSort`): those of the sort form, or those of a JSON condition if it is empty. */
export function readSortsInto(sort: unknown, { ownSort }: Filter, catalogue: Catalogue, faults: Faults): SortEntry[] {
	const sorts = readSortInto(sort, catalogue, faults);
	if (sorts.length === 0) return ownSort?.sorts ?? [];
	if (ownSort) refuseSecondSort(ownSort, 'the Sort form of this node', faults);
	return sorts;
}

function refuseSecondSort({ place }: PlacedSort, first: string, faults: Faults): void {
	faults.add(`${place} > Sort`, `${first} holds a Sort as well. Keep one of the two.`);
}

const ONE_LEVEL = 'a group cannot hold further groups. For groups within groups, use Filter as JSON.';

/** One kind of entry in the form. */
interface Kind {
	kind: string;
	label: string;
	read(entry: Entry, place: string): FilterNode | undefined;
}

class FormReader {
	/** Sorts from JSON conditions. */
	readonly sorts: PlacedSort[] = [];
	private readonly single: ConditionReader;
	private entryCount = 0;

	constructor(
		private readonly context: ReadContext,
		private readonly faults: Faults,
	) {
		this.single = new ConditionReader(context, faults);
	}

	logic(value: unknown, place: string): Group['logic'] | undefined {
		return readEnum(value, LOGIC_ENUM, (refusal) => this.faults.add(place, refusal));
	}

	/** The conditions of a group of the form, or of the form itself with its groups, in the order of the menu. */
	conditions(stored: unknown, place: string, isGroup = false): FilterNode[] {
		if (!isRecord(stored)) {
			this.faults.add(
				place,
				`conditions are needed here, but this is ${kindOf(stored)}. Fill in the form, or check the expression.`,
			);
			return [];
		}
		const kinds = this.kinds(isGroup);
		const nodes = kinds.flatMap(({ kind, label, read }) =>
			this.entries(stored, kind, `${place} > ${label}`).flatMap(([entry, at]) => read(entry, at) ?? []),
		);
		for (const name of Object.keys(stored).filter((name) => !kinds.some(({ kind }) => kind === name))) {
			this.faults.add(place, name === 'groups' ? ONE_LEVEL : this.unknownKind(name));
		}
		return nodes;
	}

	private unknownKind(name: string): string {
		return `${quote(name)} is not a kind of condition for a ${this.context.catalogue.noun}. Remove it.`;
	}

	/** What a menu offers: what its entries are stored under, how the form calls them, and what reads one. */
	private kinds(isGroup: boolean): Kind[] {
		const { catalogue } = this.context;
		const known = catalogue.fields.map((field): Kind => {
			return { kind: field.kind, label: field.label, read: (entry, at) => this.single.read(field, entry, at) };
		});
		const other = otherFieldLabel(catalogue);
		const groups: Kind = { kind: 'groups', label: 'Group', read: (entry, at) => this.group(entry, at) };
		return [
			...known,
			{ kind: 'other', label: other, read: (entry, at) => this.single.read(undefined, entry, at) },
			{ kind: 'json', label: 'Filter as JSON', read: (entry, at) => this.json(entry, at) },
			...(isGroup ? [] : [groups]),
		];
	}

	/** The stored entries of one kind, each with its place. */
	private entries(stored: Entry, kind: string, place: string): Array<[Entry, string]> {
		if (!Object.hasOwn(stored, kind)) return [];
		const list = stored[kind];
		if (!Array.isArray(list)) {
			this.faults.add(place, `a list of conditions is needed here, but this is ${kindOf(list)}.`);
			return [];
		}
		this.entryCount += list.length;
		if (this.entryCount > MOST_CONDITIONS) this.faults.stop('Filters', TOO_MANY);
		return list.flatMap((entry: unknown, index) => {
			const at = `${place} ${index + 1}`;
			if (isRecord(entry)) return [[entry, at] satisfies [Entry, string]];
			this.faults.add(at, `a condition is needed here, but this is ${kindOf(entry)}.`);
			return [];
		});
	}

	private group(entry: Entry, place: string): Group | undefined {
		const before = this.faults.count;
		const logic = this.logic(entry.logic, `${place} > Must Match`);
		const filters = entry.filters === undefined ? [] : this.conditions(entry.filters, place, true);
		if (this.faults.count > before || logic === undefined) return undefined;
		if (filters.length === 0) {
			return this.faults.add(place, 'this group is empty. Add a condition to it, or remove the group.');
		}
		return { logic, filters };
	}

	private json(entry: Entry, place: string): FilterNode | undefined {
		const read = readJsonInto(entry.json, this.context.catalogue, place, this.faults);
		if (read && read.sorts.length > 0) this.sorts.push({ place, sorts: read.sorts });
		return read?.filter;
	}
}
