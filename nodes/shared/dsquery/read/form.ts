import castArray from 'lodash/castArray';

import { knownField, otherFieldLabel } from '../catalogue';
import { and, combine, or } from '../compose';
import { Faults, isBlank, isRecord, kindOf, quote } from '../faults';
import { chosenField, KNOWN_FIELD_PARTS, NO_FIELD, otherFieldParts, type PartNames } from '../fieldValue';
import type { FormOperatorName } from '../operators';
import { FORM_OPERATORS, isRange, isUnit, LOGIC_ENUM, operatorFits, readEnum } from '../operators';
import type { Period } from '../values/periods';
import { AGE_UNITS, ago, MOST_BACK, PERIODS, periodSpan } from '../values/periods';
import { MOST_CONDITIONS, MOST_LEVELS, readJsonInto } from './json';
import { readSortInto } from './sort';
import { checkZone } from '../values/localTime';
import type { Catalogue, Condition, FieldType, FilterNode, Group, KnownField, Query, SortEntry } from '../types';
import type { ValueField, Written } from '../values/values';
import { writeList, writeLocalDay, writeRange, writeSingle, writeSpan } from '../values/values';

/** What reading a form needs besides the form. */
export interface ReadContext {
	catalogue: Catalogue;
	/** The workflow's time zone (IANA name), in which dates without a zone and periods are read. */
	zone: string;
	/** The current time, the same for all conditions of an execution. */
	now: Date;
}

/** The stored parameters of a list, not yet validated: the nested form, its `logic`, and the sort form. */
export interface StoredQuery {
	filters?: unknown;
	logic?: unknown;
	sort?: unknown;
}

/**
 * Makes the query of a list from its stored parameters: the filter, undefined if the form holds no condition, and the
 * user's sorts unchanged (see `stableSort`). If the sort form is empty, a JSON condition may supply the sorts. Notes
 * every empty field, value or group and every unfit operator with its place: `Filters > Group 1 > Status 2 > Value`.
 */
export function readListQueryInto(parameters: StoredQuery, context: ReadContext, faults: Faults): Query {
	checkZone(context.zone);
	const sorts = readSortInto(parameters.sort, context.catalogue, faults);
	// An untouched form is not stored. A stored but empty one comes from an expression.
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
	return { filter, sorts: sorts.length > 0 ? sorts : (reader.sorts[0]?.sorts ?? []) };
}

type Entry = Readonly<Record<string, unknown>>;

/** One condition of the form. */
interface Part {
	entry: Entry;
	/** Its place in the form, for messages. */
	place: string;
	/** The field that it compares. */
	field: ValueField;
	/** The type whose operators the form offered. */
	type: FieldType;
	names: PartNames;
}

class FormReader {
	/** Sorts from JSON conditions. */
	readonly sorts: Array<{ place: string; sorts: SortEntry[] }> = [];
	private entryCount = 0;

	constructor(
		private readonly context: ReadContext,
		private readonly faults: Faults,
	) {}

	logic(value: unknown, place: string): Group['logic'] | undefined {
		return readEnum(value, LOGIC_ENUM, (refusal) => this.faults.add(place, refusal));
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
		return this.condition({ entry, place, field, type: field.type, names: KNOWN_FIELD_PARTS });
	}

	private other(entry: Entry, place: string): FilterNode | undefined {
		const chosen = chosenField(entry.field);
		if (!chosen) return this.faults.add(`${place} > Field`, NO_FIELD);
		// The type of a known field decides how its value is written, whatever type is stored with it.
		const field = knownField(this.context.catalogue, chosen.name) ?? chosen;
		return this.condition({ entry, place, field, type: chosen.type, names: otherFieldParts(chosen.type) });
	}

	private condition(part: Part): FilterNode | undefined {
		const { entry, place, field, type, names } = part;
		const { zone } = this.context;
		const operator = this.operator(part);
		if (operator === undefined) return undefined;
		if (operator === 'InPeriod') return this.period(part);
		if (operator === 'OlderThan') return this.olderThan(part);
		if (operator === 'LocalDay') return this.wire(part, 'GteLt', 'Date', writeLocalDay(entry[names.single], zone));
		if (operator === 'In') return this.wire(part, 'In', 'Values', writeList(entry[names.list], field, zone));
		if (operator === 'Seen') return this.chosenTexts(part);
		if (operator === 'NotIn') return this.noneOf(part);
		if (isRange(operator)) {
			const written = writeRange(entry[names.from], entry[names.to], field, operator, zone);
			if ('value' in written) return { field: field.name, operator, value: written.value };
			for (const { part: end, refusal } of written.refusals) {
				this.faults.add(end === '' ? place : `${place} > ${end === 'from' ? 'From' : 'To'}`, refusal);
			}
			return undefined;
		}
		// Only timestamps can be truncated to a unit, so the value is a date even if the field's type is unknown.
		const valueField: ValueField = isUnit(operator) ? { ...field, type: 'date' } : field;
		const written = writeSingle(entry[names.single], valueField, operator, zone);
		return this.wire(part, operator, type === 'date' ? 'Date' : 'Value', written);
	}

	/** The condition as it is sent. If its value is refused, notes why at the input named `label`. */
	private wire({ field, place }: Part, operator: Condition['operator'], label: string, written: Written) {
		if ('refusal' in written) return this.faults.add(`${place} > ${label}`, written.refusal);
		return { field: field.name, operator, value: written.value } satisfies Condition;
	}

	private operator({ entry, place, field, type, names }: Part): FormOperatorName | undefined {
		const value = entry[names.operator];
		const at = `${place} > Operator`;
		if (isBlank(value)) return this.faults.add(at, 'no operator is chosen. Choose one, or remove the condition.');
		const offered = FORM_OPERATORS[type];
		const typed = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
		const found = offered.find((operator) => operator.value.toLowerCase() === typed);
		if (found && fits(found.value, field.type)) return found.value;
		const labels = (found ? FORM_OPERATORS[field.type] : offered).map(({ name }) => name).join(', ');
		return this.faults.add(at, `${quote(value)} does not fit ${field.name}. Choose one of: ${labels}.`);
	}

	private period(part: Part): Condition | undefined {
		const { zone, now } = this.context;
		const period = this.periodIn(part);
		return period && this.wire(part, 'GteLt', 'Period', writeSpan(periodSpan(period, now, zone)));
	}

	private periodIn({ entry, place }: Part): Period | undefined {
		const name = this.oneOf(entry.period, PERIODS, 'period', `${place} > Period`);
		if (name === 'lastDays') {
			const days = this.wholeNumber(entry.days, `${place} > Days`);
			return days === undefined ? undefined : { name, days };
		}
		if (name === 'lastHours') {
			const hours = this.wholeNumber(entry.hours, `${place} > Hours`);
			return hours === undefined ? undefined : { name, hours };
		}
		return name && { name };
	}

	private olderThan(part: Part): Condition | undefined {
		const { entry, place, field } = part;
		const { zone, now } = this.context;
		const amount = this.wholeNumber(entry.amount, `${place} > Amount`);
		const unit = this.oneOf(entry.unit, AGE_UNITS, 'unit', `${place} > Unit`);
		if (amount === undefined || unit === undefined) return undefined;
		const written = writeSingle(ago(amount, unit, now, zone), { ...field, type: 'date' }, 'Lt', zone);
		return this.wire(part, 'Lt', 'Amount', written);
	}

	private noneOf(part: Part): FilterNode | undefined {
		const { entry, field, names } = part;
		const list = this.wire(part, 'Neq', 'Values', writeList(entry[names.list], field, this.context.zone));
		return list && and(...list.value.split(',').map((value) => ({ ...list, value })));
	}

	/** The values chosen from a dropdown: one Equals for each, because a text may hold a comma. */
	private chosenTexts(part: Part): FilterNode | undefined {
		const { entry, place, field } = part;
		const texts = castArray(entry.seenValues ?? []).filter((text) => !isBlank(text));
		const at = `${place} > Values`;
		if (texts.length === 0) return this.faults.add(at, 'no value is chosen. Choose one, or choose another operator.');
		if (texts.length > MOST_CONDITIONS) {
			return this.faults.add(at, `these are more than ${MOST_CONDITIONS} values, more than a request can carry.`);
		}
		const before = this.faults.count;
		const conditions = texts.flatMap(
			(text) => this.wire(part, 'Eq', 'Values', writeSingle(text, field, 'Eq', this.context.zone)) ?? [],
		);
		return this.faults.count > before ? undefined : or(...conditions);
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
	if (operator === 'NotIn' || operator === 'Seen') return true;
	if (operator === 'InPeriod' || operator === 'LocalDay' || operator === 'OlderThan') {
		return type === 'date' || type === 'any';
	}
	return operatorFits(type, operator);
}
