import { findKnownField, otherFieldLabel, canonicalFieldName } from '../listSchema';
import { and, joinFilters, condition } from '../compose';
import type { ValidationIssues, Refuse } from '../validationIssues';
import {
	formatFieldChoice,
	readFieldChoice,
	KNOWN_FIELD_PARTS,
	NO_FIELD,
	otherFieldParts,
	type ConditionPartNames,
	type FieldChoice,
} from '../fieldChoice';
import {
	DIRECTIONS,
	FIELD_TYPES,
	FORM_OPERATORS,
	LOGICS,
	OTHER_FIELD_OPERATORS,
	isOperatorApplicable,
	readKeyword,
	type FieldType,
	type FormOperatorName,
} from '../operators';
import type {
	ListSchema,
	Condition,
	FilterNode,
	FormEntries,
	FixedCollectionEntry,
	FilterGroup,
	KnownField,
	SortEntry,
} from '../types';
import { AGE_UNITS, timeAgo, localDaySpan, MOST_BACK, PERIODS, periodSpan } from '../values/periods';
import { readDate, writeSpan, type ComparedField } from '../values/values';
import { toWholeNumber } from '../values/wholeNumber';
import { isBlank, quote } from '../../text';
import { readCondition, type FilterContext, type OperandName } from './condition';
import { readJsonFilter } from './json';

/** What the filter form holds: undefined if it holds no condition. */
export interface OptionalFilter {
	filter?: FilterGroup;
}

/** The logics and the directions, as the panel calls them. */
const FORM_LOGICS = 'All Conditions (AND) or Any Condition (OR)';
const FORM_DIRECTIONS = 'Ascending (Asc) or Descending (Desc)';

/**
 * Makes the filter of a list from its form and its *Must Match*. Adds a fault for every empty field, value or group and
 * every unfit operator, with its place: `Filters > Group 1 > Status 2 > Value`.
 */
export function readFilterForm(
	form: FormEntries,
	mustMatch: unknown,
	context: FilterContext,
	issues: ValidationIssues,
): OptionalFilter {
	const nodes = conditions(form, { ...context, issues, place: 'Filters' });
	const logic = readKeyword(mustMatch, LOGICS, FORM_LOGICS, (message) => issues.add('Must Match', message));
	return { filter: logic && joinFilters(logic, nodes) };
}

/** The user's sorts in their order, as they are (`withIdSort` adds the Id), each field once. */
export function readSortForm({ by = [] }: FormEntries, schema: ListSchema, issues: ValidationIssues): SortEntry[] {
	const sorts: SortEntry[] = [];
	for (const [index, entry] of by.entries()) {
		const place = `Sort > Field ${index + 1}`;
		const chosen = readField(entry, (message) => issues.add(place, message));
		const direction = readKeyword(entry.values.direction, DIRECTIONS, FORM_DIRECTIONS, (message) =>
			issues.add(`${place} > Direction`, message),
		);
		if (!chosen || !direction) continue;
		const field = canonicalFieldName(schema, chosen.name);
		if (sorts.some((other) => other.field.toLowerCase() === field.toLowerCase())) {
			issues.add(place, `another entry above sorts by ${quote(field)} already. Remove one of the two.`);
		}
		sorts.push({ field, direction });
	}
	return sorts;
}

/** Where something of the form is read. */
interface FormContext extends FilterContext {
	issues: ValidationIssues;
	place: string;
}

/** A stored condition or group, and where it is. */
interface StoredEntry extends FormContext {
	entry: FixedCollectionEntry;
}

/** The field that is chosen in an entry. */
function readField({ values, expressions }: FixedCollectionEntry, refuse: Refuse) {
	const whyUnusable = expressions.get('field')?.whyUnusable;
	return whyUnusable === undefined ? (readFieldChoice(values.field) ?? refuse(NO_FIELD)) : refuse(whyUnusable);
}

/** The conditions of the form or of a group, in the order of the menu. */
function conditions(form: FormEntries, at: FormContext): FilterNode[] {
	const { schema, issues, place } = at;
	const kinds: Array<[kind: string, label: string, read: (stored: StoredEntry) => FilterNode | undefined]> = [
		...schema.fields.map((field): (typeof kinds)[number] => [
			field.kind,
			field.label,
			(stored) => readEntry(field, stored),
		]),
		['other', otherFieldLabel(schema), (stored) => readEntry(undefined, stored)],
		[
			'json',
			'Filter as JSON',
			({ entry: { values, expressions }, place: at }) =>
				readJsonFilter(values.json, schema, at, issues, expressions.get('json')),
		],
		['groups', 'Group', readGroup],
	];
	return kinds.flatMap(([kind, label, read]) =>
		(form[kind] ?? []).flatMap(
			(entry, index) => read({ ...at, entry, place: `${place} > ${label} ${index + 1}` }) ?? [],
		),
	);
}

function readGroup(stored: StoredEntry): FilterGroup | undefined {
	const { issues, entry, place } = stored;
	const before = issues.count;
	const logic = readKeyword(entry.values.logic, LOGICS, FORM_LOGICS, (message) =>
		issues.add(`${place} > This Group Must Match`, message),
	);
	const filters = conditions((entry.values.filters ?? {}) as FormEntries, stored);
	if (issues.count > before || logic === undefined) return undefined;
	if (filters.length > 0) return { logic, filters };
	return issues.add(place, 'this group is empty. Add a condition to it, or remove the group.');
}

// --- a single condition ---

/** A condition whose field and operator are known. */
interface StoredCondition extends StoredEntry {
	field: ComparedField;
	names: ConditionPartNames;
	refuseAt(label?: string): Refuse;
}

/** @param known the field of the catalogue; without it, the entry says which field it compares */
function readEntry(known: KnownField | undefined, stored: StoredEntry): FilterNode | undefined {
	const { schema, issues, entry, place } = stored;
	const chosen = known ?? readField(entry, (message) => issues.add(`${place} > Field`, message));
	if (!chosen) return undefined;
	// The type of a known field decides how its value is written, whatever type is stored with it.
	const field = known ?? findKnownField(schema, chosen.name) ?? chosen;
	const names = known ? KNOWN_FIELD_PARTS : otherFieldParts(chosen.type);
	const refuseAt =
		(label?: string): Refuse =>
		(message) =>
			issues.add(label === undefined ? place : `${place} > ${label}`, message);
	if (known) refuseOtherField(entry, known, refuseAt());
	else refuseOtherOperator(entry, chosen, refuseAt);
	const operator = readOperator(entry.values[names.operator], chosen.type, field, refuseAt('Operator'));
	return operator && compare(operator, { ...stored, field, names, refuseAt }, chosen.type);
}

/** The panel never shows the field of a known condition, but a workflow that was written as text may name another. */
function refuseOtherField({ values }: FixedCollectionEntry, { name, label }: KnownField, refuse: Refuse): void {
	const given = readFieldChoice(values.field)?.name;
	if (given === undefined || given.toLowerCase() === name.toLowerCase()) return;
	refuse(
		`this condition compares ${name}, but ${quote(given)} is given as its field. Use Any Other Field, or ${label} without a field.`,
	);
}

/** In a form that an expression made, the operator of another type would go unused, and the usual one apply. */
function refuseOtherOperator(
	entry: FixedCollectionEntry,
	chosen: FieldChoice,
	refuseAt: (label?: string) => Refuse,
): void {
	const wanted = otherFieldParts(chosen.type).operator;
	const given = FIELD_TYPES.map((type) => otherFieldParts(type).operator).filter((name) => entry.expressions.has(name));
	if (given.length === 0) refuseUnusedOperator(entry, chosen, refuseAt('Operator'));
	if (given.length === 0 || given.includes(wanted)) return;
	refuseAt()(
		`the operator of this field is named ${quote(wanted)}, but ${quote(given[0])} is given. Rename it, or write another type behind the field, such as |text.`,
	);
}

/**
 * Where an expression chooses the field, n8n shows the operator for the type that it has at the moment. With another type,
 * that operator would go unused, and the usual one apply: maybe the opposite of what was asked for.
 */
function refuseUnusedOperator(
	{ values, expressions }: FixedCollectionEntry,
	{ name, type }: FieldChoice,
	refuse: Refuse,
): void {
	if (!expressions.has('field')) return;
	const operatorOf = (of: FieldType) => values[otherFieldParts(of).operator] ?? OTHER_FIELD_OPERATORS[of];
	const isUsual = (of: FieldType) => operatorOf(of) === OTHER_FIELD_OPERATORS[of];
	const other = FIELD_TYPES.find((of) => !isUsual(of));
	if (other === undefined || !isUsual(type)) return;
	const shown = (of: FieldType) => FORM_OPERATORS[of].find(({ value }) => value === operatorOf(of))?.name;
	const given = (of: FieldType) => quote(of === 'any' ? name : formatFieldChoice(name, of));
	refuse(
		`the expression gives the field as ${given(type)}, for which the operator is still ${shown(type)}; ${shown(other) ?? quote(operatorOf(other))} was chosen for another type. Let it give ${given(other)}, or remove this entry and add it again.`,
	);
}

/** @param type that whose operators the form offered */
function readOperator(
	value: unknown,
	type: FieldType,
	field: ComparedField,
	refuse: Refuse,
): FormOperatorName | undefined {
	if (isBlank(value)) return refuse('no operator is chosen. Choose one, or remove the condition.');
	const typed = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
	const found = FORM_OPERATORS[type].find((operator) => operator.value.toLowerCase() === typed);
	if (found && isOperatorApplicable(field.type, found.value)) return found.value;
	const labels = FORM_OPERATORS[found ? field.type : type].map(({ name }) => name).join(', ');
	return refuse(`${quote(found?.name ?? value)} does not fit ${field.name}. Choose one of: ${labels}.`);
}

function compare(operator: FormOperatorName, part: StoredCondition, type: FieldType): FilterNode | undefined {
	const { field, zone, entry, names, refuseAt } = part;
	const labels = { value: type === 'date' ? 'Date' : 'Value', list: 'Values', from: 'From', to: 'To' };
	const written = {
		zone,
		given: (of: OperandName) => entry.values[names[of]],
		whyUnusable: (of: OperandName) => entry.expressions.get(names[of])?.whyUnusable,
		refuseAt: (of?: OperandName) => refuseAt(of && labels[of]),
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

function inPeriod({ entry: { values }, field, zone, now, refuseAt }: StoredCondition): Condition | undefined {
	const name = oneOf(values.period, PERIODS, 'period', refuseAt('Period'));
	if (name === undefined) return undefined;
	const days = name === 'lastDays' ? wholeNumber(values.days, refuseAt('Days')) : 1;
	const hours = name === 'lastHours' ? wholeNumber(values.hours, refuseAt('Hours')) : 1;
	if (days === undefined || hours === undefined) return undefined;
	const value = writeSpan(periodSpan({ name, days, hours }, now, zone), refuseAt('Period'));
	if (value === undefined) return undefined;
	return { ...condition(field.name, 'GteLt', value), ...(name === 'lastDays' && { isLastDays: true }) };
}

function olderThan({ entry: { values }, field, zone, now, refuseAt }: StoredCondition): Condition | undefined {
	const refuse = refuseAt('Amount');
	const amount = wholeNumber(values.amount, refuse);
	const unit = oneOf(values.unit, AGE_UNITS, 'unit', refuseAt('Unit'));
	if (amount === undefined || unit === undefined) return undefined;
	const moment = timeAgo(amount, unit, now, zone);
	const asDate = { ...field, type: 'date' as const };
	const tooEarly = () => refuse(`${amount} ${unit} ago is before the year 1900. Enter a smaller amount.`);
	const written = { zone, given: () => moment, whyUnusable: () => undefined, refuseAt: () => tooEarly };
	return readCondition(asDate, 'Lt', written);
}

function localDay({ entry, field, zone, names, refuseAt }: StoredCondition): Condition | undefined {
	const refuse = refuseAt('Date');
	const whyUnusable = entry.expressions.get(names.value)?.whyUnusable;
	if (whyUnusable !== undefined) return refuse(whyUnusable);
	const raw = entry.values[names.value];
	const day = readDate(raw, zone, refuse);
	const value = day && writeSpan(localDaySpan(day, zone), (why) => refuse(`the local day of ${quote(raw)}: ${why}`));
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
	const number = toWholeNumber(value);
	if (number !== undefined && number >= 1 && number <= MOST_BACK) return number;
	return refuse(`a whole number from 1 to ${MOST_BACK} is needed, but this is ${quote(value)}.`);
}
