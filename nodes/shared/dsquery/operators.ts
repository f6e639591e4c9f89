import mapValues from 'lodash/mapValues';

import type { Refuse } from './validationIssues';
import { isBlank, quote } from '../text';

/** What a field holds; it decides which operators make sense and how a value is written. `any` means unknown. */
export const FIELD_TYPES = ['number', 'code', 'date', 'boolean', 'text', 'any'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/** What an operator compares with. `unit`: one date, of which the platform compares a part, in UTC. */
type OperandKind = 'one' | 'range' | 'list' | 'unit' | 'period' | 'day' | 'age';

interface OperatorRow {
	/** Title Case, for the lists of the form. */
	label: string;
	/** What it is called for dates, if it is called otherwise. */
	ofDates?: string;
	description?: string;
	takes: OperandKind;
	/** The only type of field that the platform can apply it to. */
	only?: FieldType;
}

const UTC = 'in UTC. For the time zone of the workflow, choose';

/** The operators of the specification, under their names there. */
const SPECIFIED = {
	Eq: { label: 'Equals', ofDates: 'At Exactly', takes: 'one' },
	Neq: { label: 'Does Not Equal', ofDates: 'Not At', takes: 'one' },
	Lt: { label: 'Less Than', ofDates: 'Before', takes: 'one' },
	Lte: { label: 'Less Than or Equal To', ofDates: 'At or Before', takes: 'one' },
	Gt: { label: 'Greater Than', ofDates: 'After', takes: 'one' },
	Gte: { label: 'Greater Than or Equal To', ofDates: 'At or After', takes: 'one' },
	Contains: { label: 'Contains', takes: 'one', only: 'text' },
	StartsWith: { label: 'Starts With', takes: 'one', only: 'text' },
	EndsWith: { label: 'Ends With', takes: 'one', only: 'text' },
	In: { label: 'Is Any Of', takes: 'list' },
	GteLte: { label: 'Between (From ≤ Value ≤ To)', takes: 'range' },
	GteLt: { label: 'Between (From ≤ Value < To)', takes: 'range' },
	GtLte: { label: 'Between (From < Value ≤ To)', takes: 'range' },
	GtLt: { label: 'Between (From < Value < To)', takes: 'range' },
	IsDate: { label: 'On Day (UTC)', description: `The day ${UTC} On Day (Local).`, takes: 'unit', only: 'date' },
	IsMonth: { label: 'In Month (UTC)', description: `The month ${UTC} In Period.`, takes: 'unit', only: 'date' },
	IsYear: { label: 'In Year (UTC)', description: `The year ${UTC} In Period.`, takes: 'unit', only: 'date' },
	IsHour: { label: 'In Hour (UTC)', takes: 'unit', only: 'date' },
	IsMinute: { label: 'In Minute (UTC)', takes: 'unit', only: 'date' },
	IsSecond: { label: 'In Second (UTC)', takes: 'unit', only: 'date' },
} as const satisfies Record<string, OperatorRow>;

/** Those that only the form has. They become GteLt, GteLt, Lt, and an And group of Neq. */
const FORM_ONLY = {
	InPeriod: {
		label: 'In Period',
		description: 'Today, this quarter, last month and the like, in the time zone of the workflow',
		takes: 'period',
		only: 'date',
	},
	LocalDay: {
		label: 'On Day (Local)',
		description: 'A whole day in the time zone of the workflow',
		takes: 'day',
		only: 'date',
	},
	OlderThan: {
		label: 'More Than ... Ago',
		description: 'Before the time that many minutes, hours, days or months ago',
		takes: 'age',
		only: 'date',
	},
	NotIn: { label: 'Is None Of', takes: 'list' },
} as const satisfies Record<string, OperatorRow>;

const TABLE = { ...SPECIFIED, ...FORM_ONLY };

export type FormOperatorName = keyof typeof TABLE;
export type OperatorName = keyof typeof SPECIFIED;
/** The specification's operators. */
export const OPERATORS = Object.keys(SPECIFIED) as OperatorName[];

/** What the form offers for each type of field, in the order people think of them. */
const OFFERED: Readonly<Record<FieldType, readonly FormOperatorName[]>> = {
	number: ['Eq', 'Neq', 'Gt', 'Gte', 'Lt', 'Lte', 'GteLte', 'GteLt', 'GtLte', 'GtLt', 'In'],
	code: ['In', 'NotIn', 'Eq', 'Neq'],
	date: [
		...(['InPeriod', 'LocalDay', 'OlderThan', 'Gte', 'Gt', 'Lt', 'Lte', 'GteLt', 'GteLte', 'GtLte', 'GtLt'] as const),
		...(['Eq', 'Neq', 'IsDate', 'IsMonth', 'IsYear', 'IsHour', 'IsMinute', 'IsSecond'] as const),
	],
	boolean: ['Eq', 'Neq'],
	text: ['Eq', 'Neq', 'Contains', 'StartsWith', 'EndsWith', 'In'],
	any: [
		...(['Eq', 'Neq', 'Contains', 'StartsWith', 'EndsWith', 'Gt', 'Gte', 'Lt', 'Lte'] as const),
		...(['GteLte', 'GteLt', 'GtLte', 'GtLt', 'In'] as const),
		...(['IsDate', 'IsMonth', 'IsYear', 'IsHour', 'IsMinute', 'IsSecond'] as const),
	],
};

/** The operator a new condition starts with. Saved workflows do not store defaults, so these must never change. */
export const DEFAULT_OPERATORS: Readonly<Record<FieldType, FormOperatorName>> = {
	number: 'Gte',
	code: 'In',
	date: 'InPeriod',
	boolean: 'Eq',
	text: 'Contains',
	any: 'Eq',
};

/** The same in Other Field. */
export const OTHER_FIELD_OPERATORS: Readonly<Record<FieldType, FormOperatorName>> = {
	...DEFAULT_OPERATORS,
	number: 'Eq',
	text: 'Eq',
};

const rows: Readonly<Record<FormOperatorName, OperatorRow>> = TABLE;
/** An operator as the form offers it. */
interface FormOperator {
	value: FormOperatorName;
	name: string;
	description?: string;
}

/** The operators the form offers for each type of field. */
export const FORM_OPERATORS: Readonly<Record<FieldType, readonly FormOperator[]>> = mapValues(OFFERED, (names, type) =>
	names.map((value) => {
		const { label, ofDates, description } = rows[value];
		return { value, name: (type === 'date' && ofDates) || label, ...(description !== undefined && { description }) };
	}),
);

/** What an operator compares with. */
export function operandKindOf(operator: FormOperatorName): OperandKind {
	return rows[operator].takes;
}

/** The operators that compare with a range, or with a list. */
export const operatorsThatTake = (wanted: OperandKind) =>
	(Object.keys(TABLE) as FormOperatorName[]).filter((name) => rows[name].takes === wanted);

/** Whether the platform can apply an operator to a field of this type. Allows more than the form offers, for JSON. */
export function isOperatorApplicable(type: FieldType, operator: FormOperatorName): boolean {
	const { only = type } = rows[operator];
	return type === 'any' || type === only;
}

/** Whether an operator compares with a part of a text: its spaces count. */
export function comparesPartOfText(operator: OperatorName): boolean {
	return rows[operator].only === 'text';
}

/** An operator in words, such as "is any of". The ends of a range are in its value. */
export function operatorInWords(operator: OperatorName): string {
	return (rows[operator].label.split(' (')[0] ?? '').toLowerCase();
}

/** The operators of the two ends of a range: `GteLt` is `Gte` and `Lt`. */
export function endOperators(range: OperatorName): ['Gt' | 'Gte', 'Lt' | 'Lte'] {
	return [range.startsWith('Gte') ? 'Gte' : 'Gt', range.endsWith('Lte') ? 'Lte' : 'Lt'];
}

/** The part of a time that an operator compares, with luxon's name of it. Undefined for operators that compare otherwise. */
export function unitOf(operator: FormOperatorName) {
	return UNITS[operator];
}

const UNITS: Partial<Record<FormOperatorName, 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second'>> = {
	IsYear: 'year',
	IsMonth: 'month',
	IsDate: 'day',
	IsHour: 'hour',
	IsMinute: 'minute',
	IsSecond: 'second',
};

export const LOGICS = ['And', 'Or'] as const;
export const DIRECTIONS = ['Asc', 'Desc'] as const;

/** The operator that the form calls by this label, in any case. */
export function findOperatorByLabel(label: unknown): OperatorName | undefined {
	if (typeof label !== 'string') return undefined;
	const wanted = label.slice(0, 100).trim().toLowerCase();
	return OPERATORS.find((name) => [rows[name].label, rows[name].ofDates].some((own) => own?.toLowerCase() === wanted));
}

/**
 * Reads an operator, a logic or a direction, in any case.
 *
 * @param choices the names as messages list them
 * @param refuse called with the reason if the value is none of the names
 */
export function readKeyword<Name extends string>(
	value: unknown,
	names: readonly Name[],
	choices: string,
	refuse: Refuse,
): Name | undefined {
	if (isBlank(value)) return refuse(`this is missing or empty. Use ${choices}.`);
	const text = typeof value === 'string' ? value.slice(0, 100).trim().toLowerCase() : undefined;
	return (
		names.find((name) => name.toLowerCase() === text) ?? refuse(`${quote(value)} is not possible here. Use ${choices}.`)
	);
}
