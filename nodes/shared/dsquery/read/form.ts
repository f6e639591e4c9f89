import { knownField, otherFieldLabel } from '../catalogue';
import { and, combine } from '../compose';
import { Faults, isBlank, isRecord, kindOf, quote } from '../faults';
import { chosenField, NO_FIELD } from '../fieldValue';
import type { FormOperator, FormOperatorName } from '../operators';
import { FORM_OPERATORS, isRange, isUnit, LOGIC_ENUM, operatorFits, readEnum } from '../operators';
import type { Period } from '../values/periods';
import { AGE_UNITS, ago, MOST_BACK, PERIODS, periodSpan } from '../values/periods';
import { MOST_CONDITIONS, MOST_LEVELS, readJsonInto } from './json';
import { readSortInto } from './sort';
import { checkZone } from '../values/localTime';
import type { Catalogue, Condition, FieldType, FilterNode, Group, KnownField, Query, SortEntry } from '../types';
import type { ValueField } from '../values/values';
import { writeList, writeLocalDay, writeRange, writeSingle, writeSpan } from '../values/values';

/** What reading a form depends on besides the form. */
export interface ReadContext {
	catalogue: Catalogue;
	/** The workflow's time zone (IANA name), in which dates without a zone and periods are read. */
	zone: string;
	/** The moment that "today" is counted from: one for all conditions of an execution. */
	now: Date;
}

/** The stored filter parameters: `filters` (the nested form) and `logic`. Anything may be in them. */
export interface StoredFilter {
	filters?: unknown;
	logic?: unknown;
}

/** The stored parameters of a list. */
export interface StoredQuery extends StoredFilter {
	sort?: unknown;
}

/**
 * Makes the query of a list from its stored parameters: the filter, undefined where the form holds no condition at all,
 * and the user's sorts as they are (see `stableSort`). A JSON condition may bring sorts where the sort form is empty. Notes
 * every empty field and value, operator that does not fit, and empty group, such as `Filters > Group 1 > Status 2 > Value`.
 */
export function readListQueryInto(parameters: StoredQuery, context: ReadContext, faults: Faults): Query {
	checkZone(context.zone);
	const sorts = readSortInto(parameters.sort, context.catalogue, faults);
	// A form that was never touched is not stored. One that is there but empty came out of an expression.
	if (!('filters' in parameters)) return { sorts };
	const reader = new FormReader(context, faults);
	const nodes = reader.conditions(parameters.filters, 'Filters', 0);
	const logic = parameters.logic === undefined ? 'And' : reader.logic(parameters.logic, 'Must Match');
	const filter = logic === undefined ? undefined : combine(logic, nodes);
	const places = [
		...(sorts.length > 0 ? ['the Sort form of this node'] : []),
		...reader.sorts.map(({ place }) => place),
	];
	const [first, second] = places;
	if (first && second) faults.add(`${second} > Sort`, `${first} holds a Sort as well. Keep one of the two.`);
	return { ...(filter && { filter }), sorts: sorts.length > 0 ? sorts : (reader.sorts[0]?.sorts ?? []) };
}

type Entry = Readonly<Record<string, unknown>>;

/** Where the form keeps the parts of a condition: known kinds and Other Field differ. */
interface Names {
	single: string;
	list: string;
	from: string;
	to: string;
}

const KNOWN_NAMES: Names = { single: 'value', list: 'values', from: 'from', to: 'to' };
const OTHER_NAMES: Names = { single: 'value', list: 'value', from: 'from', to: 'to' };
const OTHER_DATE_NAMES: Names = { single: 'date', list: 'value', from: 'fromDate', to: 'toDate' };

class FormReader {
	/** Sorts that came with JSON conditions. */
	readonly sorts: Array<{ place: string; sorts: SortEntry[] }> = [];
	private entryCount = 0;

	constructor(
		private readonly context: ReadContext,
		private readonly faults: Faults,
	) {}

	logic(value: unknown, place: string): Group['logic'] | undefined {
		const read = readEnum(value, LOGIC_ENUM);
		return 'member' in read ? read.member : this.faults.add(place, read.refusal);
	}

	/** The conditions and groups of one level of the form, in the order of its menu. */
	conditions(stored: unknown, place: string, depth: number): FilterNode[] {
		if (!isRecord(stored)) {
			this.faults.add(
				place,
				`conditions are needed here, but this is ${kindOf(stored)}. Fill in the form, or check the expression.`,
			);
			return [];
		}
		if (depth > MOST_LEVELS) {
			this.faults.stop('Filters', `groups nest more than ${MOST_LEVELS} levels deep, or contain themselves.`);
		}
		const { fields } = this.context.catalogue;
		const nodes: FilterNode[] = [];
		const add = (node: FilterNode | undefined) => {
			if (node) nodes.push(node);
		};
		for (const field of fields) {
			for (const [entry, at] of this.entries(stored, field.kind, `${place} > ${field.label}`)) {
				add(this.known(field, entry, at));
			}
		}
		const otherPlace = `${place} > ${otherFieldLabel(this.context.catalogue)}`;
		for (const [entry, at] of this.entries(stored, 'other', otherPlace)) add(this.other(entry, at));
		for (const [entry, at] of this.entries(stored, 'json', `${place} > Filter as JSON`)) add(this.json(entry, at));
		const groupName = depth === 0 ? 'Group' : 'Inner Group';
		for (const [entry, at] of this.entries(stored, 'groups', `${place} > ${groupName}`)) {
			add(this.group(entry, at, depth));
		}
		const kinds = [...fields.map(({ kind }) => kind), 'other', 'json', 'groups'];
		for (const kind of Object.keys(stored).filter((name) => !kinds.includes(name))) {
			this.faults.add(
				place,
				`${quote(kind)} is not a kind of condition for a ${this.context.catalogue.noun}. Remove it.`,
			);
		}
		return nodes;
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
		if (this.entryCount > MOST_CONDITIONS) {
			this.faults.stop('Filters', `these are more than ${MOST_CONDITIONS} conditions, more than a request can carry.`);
		}
		return list.flatMap((entry: unknown, index) => {
			const at = `${place} ${index + 1}`;
			if (isRecord(entry)) return [[entry, at] satisfies [Entry, string]];
			this.faults.add(at, `a condition is needed here, but this is ${kindOf(entry)}.`);
			return [];
		});
	}

	private group(entry: Entry, place: string, depth: number): Group | undefined {
		const before = this.faults.count;
		const logic = this.logic(entry.logic, `${place} > Must Match`);
		const filters = entry.filters === undefined ? [] : this.conditions(entry.filters, place, depth + 1);
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

	private known(field: KnownField, entry: Entry, place: string): FilterNode | undefined {
		return this.condition(field, field.type, entry, 'operator', KNOWN_NAMES, place);
	}

	private other(entry: Entry, place: string): FilterNode | undefined {
		const parsed = chosenField(entry.field);
		if (!parsed) return this.faults.add(`${place} > Field`, NO_FIELD);
		// The type within the stored field decides which operator and values the person saw; what the specification says
		// about the field decides how a value is written.
		const known = knownField(this.context.catalogue, parsed.name);
		const field: ValueField = known ?? parsed;
		const names = parsed.type === 'date' ? OTHER_DATE_NAMES : OTHER_NAMES;
		return this.condition(field, parsed.type, entry, `${parsed.type}Operator`, names, place);
	}

	private condition(
		field: ValueField,
		type: FieldType,
		entry: Entry,
		operatorKey: string,
		names: Names,
		place: string,
	): FilterNode | undefined {
		const operator = this.operator(entry[operatorKey], type, field, `${place} > Operator`);
		if (operator === undefined) return undefined;
		const { zone } = this.context;
		const write = (wire: Condition['operator'], part: string, written: { value: string } | { refusal: string }) =>
			'value' in written
				? { field: field.name, operator: wire, value: written.value }
				: this.faults.add(`${place} > ${part}`, written.refusal);
		if (operator === 'InPeriod') return this.period(entry, field, place);
		if (operator === 'LocalDay') return write('GteLt', 'Date', writeLocalDay(entry[names.single], zone));
		if (operator === 'OlderThan') return this.olderThan(entry, field, place);
		if (operator === 'NotIn') {
			const list = write('Neq', 'Values', writeList(entry[names.list], field, zone));
			return list && and(...list.value.split(',').map((value) => ({ ...list, value })));
		}
		if (operator === 'In') return write('In', 'Values', writeList(entry[names.list], field, zone));
		if (isRange(operator)) {
			const written = writeRange(entry[names.from], entry[names.to], field, operator, zone);
			if ('value' in written) return { field: field.name, operator, value: written.value };
			for (const { part, refusal } of written.refusals) {
				this.faults.add(part === '' ? place : `${place} > ${part === 'from' ? 'From' : 'To'}`, refusal);
			}
			return undefined;
		}
		// Only a timestamp can be cut to a unit, so the value is one even where the field's type is not known.
		const valueField: ValueField = isUnit(operator) ? { ...field, type: 'date' } : field;
		const label = names.single === 'date' || type === 'date' ? 'Date' : 'Value';
		return write(operator, label, writeSingle(entry[names.single], valueField, operator, zone));
	}

	private operator(value: unknown, type: FieldType, field: ValueField, place: string): FormOperatorName | undefined {
		if (isBlank(value)) {
			return this.faults.add(place, 'no operator is chosen. Choose one, or remove the condition.');
		}
		const offered: readonly FormOperator[] = FORM_OPERATORS[type];
		const typed = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
		const found = offered.find((operator) => operator.value.toLowerCase() === typed);
		if (!found || !fits(found.value, field.type)) {
			const names = (found ? FORM_OPERATORS[field.type] : offered).map(({ name }) => name).join(', ');
			return this.faults.add(place, `${quote(value)} does not fit ${field.name}. Choose one of: ${names}.`);
		}
		return found.value;
	}

	private period(entry: Entry, field: ValueField, place: string): Condition | undefined {
		const { zone, now } = this.context;
		const period = this.periodIn(entry, place);
		if (!period) return undefined;
		const written = writeSpan(periodSpan(period, now, zone));
		if ('refusal' in written) return this.faults.add(`${place} > Period`, written.refusal);
		return { field: field.name, operator: 'GteLt', value: written.value };
	}

	private periodIn({ period, days, hours }: Entry, place: string): Period | undefined {
		const name = this.oneOf(period, PERIODS, 'period', `${place} > Period`);
		if (name === undefined) return undefined;
		if (name === 'lastDays') {
			const number = this.wholeNumber(days, `${place} > Days`);
			return number === undefined ? undefined : { name, days: number };
		}
		if (name === 'lastHours') {
			const number = this.wholeNumber(hours, `${place} > Hours`);
			return number === undefined ? undefined : { name, hours: number };
		}
		return { name };
	}

	private olderThan(entry: Entry, field: ValueField, place: string): Condition | undefined {
		const { zone, now } = this.context;
		const amount = this.wholeNumber(entry.amount, `${place} > Amount`);
		const unit = this.oneOf(entry.unit, AGE_UNITS, 'unit', `${place} > Unit`);
		if (amount === undefined || unit === undefined) return undefined;
		const written = writeSingle(ago(amount, unit, now, zone), { ...field, type: 'date' }, 'Lt', zone);
		if ('refusal' in written) return this.faults.add(`${place} > Amount`, written.refusal);
		return { field: field.name, operator: 'Lt', value: written.value };
	}

	private oneOf<Name extends string>(value: unknown, names: readonly Name[], noun: string, place: string) {
		const found = names.find((name) => name === value);
		if (found !== undefined) return found;
		if (isBlank(value)) {
			return this.faults.add(place, `no ${noun} is chosen. Choose one, or choose another operator.`);
		}
		return this.faults.add(place, `${quote(value)} is not a ${noun}. Use one of: ${names.join(', ')}.`);
	}

	private wholeNumber(value: unknown, place: string): number | undefined {
		const number = typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value;
		if (typeof number === 'number' && Number.isInteger(number) && number >= 1 && number <= MOST_BACK) return number;
		return this.faults.add(place, `${quote(value)} cannot be used. Enter a whole number from 1 to ${MOST_BACK}.`);
	}
}

function fits(operator: FormOperatorName, type: FieldType): boolean {
	if (operator === 'NotIn') return true;
	if (operator === 'InPeriod' || operator === 'LocalDay' || operator === 'OlderThan') {
		return type === 'date' || type === 'any';
	}
	return operatorFits(type, operator);
}
