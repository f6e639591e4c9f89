import { knownField } from '../catalogue';
import { and, condition } from '../compose';
import { isBlank, quote } from '../../text';
import { type Faults } from '../faults';
import { chosenField, KNOWN_FIELD_PARTS, NO_FIELD, otherFieldParts, type PartNames } from '../fieldValue';
import { FORM_OPERATORS, isRange, isUnit, operatorFits, type FormOperatorName } from '../operators';
import type { Catalogue, Condition, FieldType, FilterNode, KnownField, OperatorName } from '../types';
import { ago, periodSpan } from '../values/periods';
import { ValueWriter, type Refuse, type ValueField } from '../values/values';
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
		const { entry, field, type, names } = part;
		const operator = this.operator(part);
		if (operator === undefined) return undefined;
		if (operator === 'InPeriod') return this.period(part);
		if (operator === 'OlderThan') return this.olderThan(part);
		if (operator === 'NotIn') return this.noneOf(part);
		if (operator === 'LocalDay') return wire(field, 'GteLt', this.writer(part, 'Date').localDay(entry[names.single]));
		if (operator === 'In') return wire(field, 'In', this.writer(part, 'Values').list(entry[names.list]));
		if (isRange(operator)) {
			const ends = { from: this.refuseAt(part, 'From'), to: this.refuseAt(part, 'To') };
			return wire(field, operator, this.writer(part).range(entry[names.from], entry[names.to], operator, ends));
		}
		// Only timestamps can be truncated to a unit, so the value is a date even if the field's type is unknown.
		const valueField: ValueField = isUnit(operator) ? { ...field, type: 'date' } : field;
		const writer = this.writer(part, type === 'date' ? 'Date' : 'Value', valueField);
		return wire(field, operator, writer.single(entry[names.single], operator));
	}

	/** Writes a value, and adds a fault at the input named `label` if it is refused. */
	private writer(part: Part, label?: string, field = part.field): ValueWriter {
		return new ValueWriter(field, this.context.zone, this.refuseAt(part, label));
	}

	private refuseAt({ place }: Part, label?: string): Refuse {
		return (message) => this.faults.add(label === undefined ? place : `${place} > ${label}`, message);
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
		const span = period && wire(part.field, 'GteLt', this.writer(part, 'Period').span(periodSpan(period, now, zone)));
		return span && period.name === 'lastDays' ? { ...span, isLastDays: true } : span;
	}

	private olderThan(part: Part): Condition | undefined {
		const { zone, now } = this.context;
		const age = readAgeInto(part.entry, part.place, this.faults);
		if (!age) return undefined;
		const writer = this.writer(part, 'Amount', { ...part.field, type: 'date' });
		return wire(part.field, 'Lt', writer.single(ago(age.amount, age.unit, now, zone), 'Lt'));
	}

	private noneOf(part: Part): FilterNode | undefined {
		const list = this.writer(part, 'Values').list(part.entry[part.names.list]);
		return and(...(list?.split(',').map((value) => condition(part.field.name, 'Neq', value)) ?? []));
	}
}

/** The condition as it is sent. Undefined if its value was refused. */
function wire({ name }: ValueField, operator: OperatorName, value: string | undefined): Condition | undefined {
	return value === undefined ? undefined : condition(name, operator, value);
}

function fits(operator: FormOperatorName, type: FieldType): boolean {
	if (operator === 'NotIn') return true;
	if (operator === 'InPeriod' || operator === 'LocalDay' || operator === 'OlderThan') {
		return type === 'date' || type === 'any';
	}
	return operatorFits(type, operator);
}
