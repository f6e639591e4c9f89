import castArray from 'lodash/castArray';

import { knownField } from '../catalogue';
import { and, or } from '../compose';
import { isBlank, quote, type Faults } from '../faults';
import { chosenField, KNOWN_FIELD_PARTS, NO_FIELD, otherFieldParts, type PartNames } from '../fieldValue';
import type { FormOperatorName } from '../operators';
import { FORM_OPERATORS, isRange, isUnit, operatorFits } from '../operators';
import type { Catalogue, Condition, FieldType, FilterNode, KnownField } from '../types';
import { ago, periodSpan } from '../values/periods';
import type { ValueField, Written } from '../values/values';
import { writeList, writeLocalDay, writeRange, writeSingle, writeSpan } from '../values/values';
import { MOST_CONDITIONS, TOO_MANY } from './json';
import { readAgeInto, readPeriodInto } from './period';

/** What reading a form needs besides the form. */
export interface ReadContext {
	catalogue: Catalogue;
	/** The workflow's time zone (IANA name), in which dates without a zone and periods are read. */
	zone: string;
	/** The current time, the same for all conditions of an execution. */
	now: Date;
}

/** A stored condition or group of the form. */
export type Entry = Readonly<Record<string, unknown>>;

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

/** Reads single conditions of the form: field, operator and value. Each fault is added at the input it is about. */
export class ConditionReader {
	constructor(
		private readonly context: ReadContext,
		private readonly faults: Faults,
	) {}

	/** @param known the field of the catalogue; without it, the entry says which field it compares */
	read(known: KnownField | undefined, entry: Entry, place: string): FilterNode | undefined {
		if (known) return this.compare({ entry, place, field: known, type: known.type, names: KNOWN_FIELD_PARTS });
		const chosen = chosenField(entry.field);
		if (!chosen) return this.faults.add(`${place} > Field`, NO_FIELD);
		// The type of a known field decides how its value is written, whatever type is stored with it.
		const field = knownField(this.context.catalogue, chosen.name) ?? chosen;
		return this.compare({ entry, place, field, type: chosen.type, names: otherFieldParts(chosen.type) });
	}

	private compare(part: Part): FilterNode | undefined {
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

	/** The condition as it is sent. If its value is refused, adds a fault at the input named `label`. */
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
		const period = readPeriodInto(part.entry, part.place, this.faults);
		const span = period && this.wire(part, 'GteLt', 'Period', writeSpan(periodSpan(period, now, zone)));
		return span && period.name === 'lastDays' ? { ...span, isLastDays: true } : span;
	}

	private olderThan(part: Part): Condition | undefined {
		const { zone, now } = this.context;
		const age = readAgeInto(part.entry, part.place, this.faults);
		if (!age) return undefined;
		const field: ValueField = { ...part.field, type: 'date' };
		return this.wire(part, 'Lt', 'Amount', writeSingle(ago(age.amount, age.unit, now, zone), field, 'Lt', zone));
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
		if (texts.length > MOST_CONDITIONS) return this.faults.add(at, TOO_MANY);
		const before = this.faults.count;
		const conditions = texts.flatMap(
			(text) => this.wire(part, 'Eq', 'Values', writeSingle(text, field, 'Eq', this.context.zone)) ?? [],
		);
		return this.faults.count > before ? undefined : or(...conditions);
	}
}

function fits(operator: FormOperatorName, type: FieldType): boolean {
	if (operator === 'NotIn' || operator === 'Seen') return true;
	if (operator === 'InPeriod' || operator === 'LocalDay' || operator === 'OlderThan') {
		return type === 'date' || type === 'any';
	}
	return operatorFits(type, operator);
}
