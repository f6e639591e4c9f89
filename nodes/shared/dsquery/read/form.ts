import { knownField, otherFieldLabel, spellField } from '../catalogue';
import { and, combine, condition } from '../compose';
import type { Faults } from '../faults';
import { chosenField, KNOWN_FIELD_PARTS, NO_FIELD, otherFieldParts, type PartNames } from '../fieldValue';
import { FORM_OPERATORS, LOGICS, operatorFits, readName, type FieldType, type FormOperatorName } from '../operators';
import type { Catalogue, Condition, FilterNode, Group, KnownField, SortEntry } from '../types';
import { AGE_UNITS, ago, localDaySpan, MOST_BACK, PERIODS, periodSpan } from '../values/periods';
import { readDate, writeSpan, type Refuse, type ValueField } from '../values/values';
import { isBlank, isRecord, kindOf, quote } from '../../text';
import { readCondition, readSorts, type ReadContext, type ValuePart } from './condition';
import { MOST_CONDITIONS, readJsonInto, TOO_MANY } from './json';

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
 * Makes the filter of a list from its stored parameters. Adds a fault for every empty field, value or group and every
 * unfit operator, with its place: `Filters > Group 1 > Status 2 > Value`.
 */
export function readFilterInto({ filters, logic: stored }: StoredFilter, context: ReadContext, faults: Faults): Filter {
	const reader = new FormReader(context, faults);
	const nodes = reader.conditions(filters, 'Filters');
	const logic = stored === undefined ? 'And' : reader.logic(stored, 'Must Match');
	const [ownSort, second] = reader.sorts;
	if (ownSort && second) refuseSecondSort(second, ownSort.place, faults);
	return { filter: logic === undefined ? undefined : combine(logic, nodes), ownSort };
}

/**
 * The user's sorts, unchanged (see `stableSort`): those of the sort form, `{ by: [{ field, direction }] }`, or those of
 * a JSON condition if it is empty. A missing sort is not a fault: it cannot make a list larger.
 */
export function readSortsInto(sort: unknown, { ownSort }: Filter, catalogue: Catalogue, faults: Faults): SortEntry[] {
	const entries = isRecord(sort) ? (sort.by ?? []) : (sort ?? []);
	if (!Array.isArray(entries)) {
		faults.add('Sort', `a list of sort fields is needed here, but this is ${kindOf(entries)}.`);
		return [];
	}
	const written = entries.map((entry: unknown, index) => {
		const place = `Sort > Field ${index + 1}`;
		const stored = isRecord(entry) ? entry : {};
		const chosen = chosenField(stored.field);
		if (!chosen) faults.add(place, NO_FIELD);
		const field = chosen && spellField(catalogue, chosen.name);
		return { field, direction: stored.direction, place, directionPlace: `${place} > Direction` };
	});
	const sorts = readSorts(written, faults);
	if (sorts.length > 0 && ownSort) refuseSecondSort(ownSort, 'the Sort form of this node', faults);
	return sorts.length > 0 ? sorts : (ownSort?.sorts ?? []);
}

function refuseSecondSort({ place }: PlacedSort, first: string, faults: Faults): void {
	faults.add(`${place} > Sort`, `${first} holds a Sort as well. Keep one of the two.`);
}

/** A stored condition or group. */
type Entry = Readonly<Record<string, unknown>>;

/** One kind of entry in the form: what its entries are stored under, how the form calls them, and what reads one. */
interface Kind {
	kind: string;
	label: string;
	read(entry: Entry, place: string): FilterNode | undefined;
}

class FormReader {
	/** Sorts from JSON conditions. */
	readonly sorts: PlacedSort[] = [];
	private entryCount = 0;

	constructor(
		private readonly context: ReadContext,
		private readonly faults: Faults,
	) {}

	logic(value: unknown, place: string): Group['logic'] | undefined {
		return readName(value, LOGICS, 'a logic', (refusal) => this.faults.add(place, refusal));
	}

	/** The conditions of a group of the form, or of the form itself with its groups, in the order of the menu. */
	conditions(stored: unknown, place: string, isGroup = false): FilterNode[] {
		if (!isRecord(stored)) {
			const message = `conditions are needed here, but this is ${kindOf(stored)}. Fill in the form, or check the expression.`;
			this.faults.add(place, message);
			return [];
		}
		const kinds = this.kinds(isGroup);
		for (const name of Object.keys(stored).filter((name) => !kinds.some(({ kind }) => kind === name))) {
			const unknown = `${quote(name)} is not a kind of condition for a ${this.context.catalogue.noun}. Remove it.`;
			const oneLevel = 'a group cannot hold further groups. For groups within groups, use Filter as JSON.';
			this.faults.add(place, name === 'groups' ? oneLevel : unknown);
		}
		return kinds.flatMap(({ kind, label, read }) =>
			this.entries(Object.hasOwn(stored, kind) ? stored[kind] : [], `${place} > ${label}`).flatMap(
				([entry, at]) => read(entry, at) ?? [],
			),
		);
	}

	private kinds(isGroup: boolean): Kind[] {
		const { catalogue } = this.context;
		const single = (field: KnownField | undefined, kind: string, label: string): Kind => ({
			kind,
			label,
			read: (entry, place) => readEntry(field, { ...this.context, faults: this.faults, entry, place }),
		});
		const group: Kind = { kind: 'groups', label: 'Group', read: (entry, at) => this.group(entry, at) };
		return [
			...catalogue.fields.map((field) => single(field, field.kind, field.label)),
			single(undefined, 'other', otherFieldLabel(catalogue)),
			{ kind: 'json', label: 'Filter as JSON', read: (entry, at) => this.json(entry, at) },
			...(isGroup ? [] : [group]),
		];
	}

	/** The stored entries of one kind, each with its place. */
	private entries(list: unknown, place: string): Array<[Entry, string]> {
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
		const filters = this.conditions(entry.filters ?? {}, place, true);
		if (this.faults.count > before || logic === undefined) return undefined;
		if (filters.length > 0) return { logic, filters };
		return this.faults.add(place, 'this group is empty. Add a condition to it, or remove the group.');
	}

	private json(entry: Entry, place: string): FilterNode | undefined {
		const read = readJsonInto(entry.json, this.context.catalogue, place, this.faults);
		if (read && read.sorts.length > 0) this.sorts.push({ place, sorts: read.sorts });
		return read?.filter;
	}
}

// --- a single condition ---

/** A stored condition, and where it is. */
interface Stored extends ReadContext {
	faults: Faults;
	entry: Entry;
	place: string;
}

/** A condition whose field and operator are known. */
interface Part extends Stored {
	field: ValueField;
	names: PartNames;
	refuseAt(label?: string): Refuse;
}

/** @param known the field of the catalogue; without it, the entry says which field it compares */
function readEntry(known: KnownField | undefined, stored: Stored): FilterNode | undefined {
	const { catalogue, faults, entry, place } = stored;
	const chosen = known ?? chosenField(entry.field);
	if (!chosen) return faults.add(`${place} > Field`, NO_FIELD);
	// The type of a known field decides how its value is written, whatever type is stored with it.
	const field = known ?? knownField(catalogue, chosen.name) ?? chosen;
	const names = known ? KNOWN_FIELD_PARTS : otherFieldParts(chosen.type);
	const operator = readOperator(entry[names.operator], chosen.type, field, (message) =>
		faults.add(`${place} > Operator`, message),
	);
	if (operator === undefined) return undefined;
	const refuseAt = (label?: string): Refuse => {
		const at = label === undefined ? place : `${place} > ${label}`;
		return (message) => faults.add(at, message);
	};
	return compare(operator, { ...stored, field, names, refuseAt }, chosen.type);
}

/** @param type that whose operators the form offered */
function readOperator(
	value: unknown,
	type: FieldType,
	field: ValueField,
	refuse: Refuse,
): FormOperatorName | undefined {
	if (isBlank(value)) return refuse('no operator is chosen. Choose one, or remove the condition.');
	const typed = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
	const found = FORM_OPERATORS[type].find((operator) => operator.value.toLowerCase() === typed);
	if (found && operatorFits(field.type, found.value)) return found.value;
	const labels = FORM_OPERATORS[found ? field.type : type].map(({ name }) => name).join(', ');
	return refuse(`${quote(value)} does not fit ${field.name}. Choose one of: ${labels}.`);
}

function compare(operator: FormOperatorName, part: Part, type: FieldType): FilterNode | undefined {
	const { field, zone, entry, names, refuseAt } = part;
	const labels = { value: type === 'date' ? 'Date' : 'Value', list: 'Values', from: 'From', to: 'To' };
	const written = {
		zone,
		given: (of: ValuePart) => entry[names[of]],
		refuseAt: (of?: ValuePart) => refuseAt(of && labels[of]),
	};
	switch (operator) {
		case 'InPeriod':
			return inPeriod(part);
		case 'OlderThan':
			return olderThan(part);
		case 'LocalDay':
			return localDay(part);
		case 'NotIn': {
			const listed = readCondition(field, 'In', written);
			return and(...(listed?.value.split(',').map((value) => condition(field.name, 'Neq', value)) ?? []));
		}
		default:
			return readCondition(field, operator, written);
	}
}

function inPeriod({ entry, field, zone, now, refuseAt }: Part): Condition | undefined {
	const name = oneOf(entry.period, PERIODS, 'period', refuseAt('Period'));
	if (name === undefined) return undefined;
	const days = name === 'lastDays' ? wholeNumber(entry.days, refuseAt('Days')) : 1;
	const hours = name === 'lastHours' ? wholeNumber(entry.hours, refuseAt('Hours')) : 1;
	if (days === undefined || hours === undefined) return undefined;
	const value = writeSpan(periodSpan({ name, days, hours }, now, zone), refuseAt('Period'));
	if (value === undefined) return undefined;
	return { ...condition(field.name, 'GteLt', value), ...(name === 'lastDays' && { isLastDays: true }) };
}

function olderThan({ entry, field, zone, now, refuseAt }: Part): Condition | undefined {
	const amount = wholeNumber(entry.amount, refuseAt('Amount'));
	const unit = oneOf(entry.unit, AGE_UNITS, 'unit', refuseAt('Unit'));
	if (amount === undefined || unit === undefined) return undefined;
	const moment = ago(amount, unit, now, zone);
	const asDate = { ...field, type: 'date' as const };
	return readCondition(asDate, 'Lt', { zone, given: () => moment, refuseAt: () => refuseAt('Amount') });
}

function localDay({ entry, field, zone, names, refuseAt }: Part): Condition | undefined {
	const refuse = refuseAt('Date');
	const day = readDate(entry[names.value], zone, refuse);
	const value = day && writeSpan(localDaySpan(day.toFormat('yyyy-MM-dd'), zone), refuse);
	return value === undefined ? undefined : condition(field.name, 'GteLt', value);
}

function oneOf<Name extends string>(
	value: unknown,
	names: readonly Name[],
	noun: string,
	refuse: Refuse,
): Name | undefined {
	const found = names.find((name) => name === value);
	if (found !== undefined) return found;
	if (isBlank(value)) return refuse(`no ${noun} is chosen. Choose one, or choose another operator.`);
	return refuse(`${quote(value)} is not a ${noun}. Use one of: ${names.join(', ')}.`);
}

function wholeNumber(value: unknown, refuse: Refuse): number | undefined {
	const number = typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value;
	if (typeof number === 'number' && Number.isInteger(number) && number >= 1 && number <= MOST_BACK) return number;
	return refuse(`${quote(value)} cannot be used. Enter a whole number from 1 to ${MOST_BACK}.`);
}
