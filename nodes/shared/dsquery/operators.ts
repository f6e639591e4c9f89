import { isBlank, quote } from '../text';
import { suggest, type Synonyms } from './suggest';
import type { Condition, FieldType, LogicName, OperatorName, DirectionName } from './types';
import { OPERATORS } from './types';

/**
 * Operators only in the form. InPeriod and LocalDay become GteLt, OlderThan becomes Lt, and NotIn an And group of Neq.
 */
export type FormOnlyOperator = 'InPeriod' | 'LocalDay' | 'OlderThan' | 'NotIn';
export type FormOperatorName = OperatorName | FormOnlyOperator;

/** An operator as the form offers it. */
export interface FormOperator {
	value: FormOperatorName;
	/** Title Case, for the list. */
	name: string;
	description?: string;
}

/** The range operators, with the operators of their two ends. */
export const RANGES = {
	GteLte: { low: 'Gte', high: 'Lte' },
	GteLt: { low: 'Gte', high: 'Lt' },
	GtLte: { low: 'Gt', high: 'Lte' },
	GtLt: { low: 'Gt', high: 'Lt' },
} as const satisfies Partial<Record<OperatorName, { low: OperatorName; high: OperatorName }>>;
export type RangeOperator = keyof typeof RANGES;
export const RANGE_OPERATORS = Object.keys(RANGES) as RangeOperator[];

/** Operators that compare a timestamp truncated to a unit, with luxon's unit name. The platform truncates in UTC. */
export const UNITS = {
	IsYear: 'year',
	IsMonth: 'month',
	IsDate: 'day',
	IsHour: 'hour',
	IsMinute: 'minute',
	IsSecond: 'second',
} as const;
export type UnitOperator = keyof typeof UNITS;
export const UNIT_OPERATORS = Object.keys(UNITS) as UnitOperator[];

const TEXT_ONLY: readonly OperatorName[] = ['Contains', 'StartsWith', 'EndsWith'];
const ORDERED: readonly OperatorName[] = ['Gt', 'Gte', 'Lt', 'Lte'];

/** Whether an operator takes two values, `low,high`. */
export function isRange(operator: unknown): operator is RangeOperator {
	return typeof operator === 'string' && Object.hasOwn(RANGES, operator);
}

/** The two conditions that a range stands for. Undefined for any other condition. */
export function endsOf({ field, operator, value }: Condition): Condition[] | undefined {
	const [low, high, ...more] = value.split(',').map((end) => end.trim());
	if (!isRange(operator) || low === undefined || high === undefined || more.length > 0) return undefined;
	return [
		{ field, operator: RANGES[operator].low, value: low },
		{ field, operator: RANGES[operator].high, value: high },
	];
}

/** Whether an operator compares a timestamp truncated to a unit. */
export function isUnit(operator: unknown): operator is UnitOperator {
	return typeof operator === 'string' && Object.hasOwn(UNITS, operator);
}

const EQUALS: FormOperator = { value: 'Eq', name: 'Equals' };
const DIFFERS: FormOperator = { value: 'Neq', name: 'Does Not Equal' };
const ANY_OF: FormOperator = { value: 'In', name: 'Is Any Of' };
/** Operators that take a list of values. */
export const LIST_OPERATORS = ['In', 'NotIn'] as const satisfies readonly FormOperatorName[];

const BETWEEN: readonly FormOperator[] = [
	{ value: 'GteLte', name: 'Between (From ≤ Value ≤ To)' },
	{ value: 'GteLt', name: 'Between (From ≤ Value < To)' },
	{ value: 'GtLte', name: 'Between (From < Value ≤ To)' },
	{ value: 'GtLt', name: 'Between (From < Value < To)' },
];

const COMPARISONS: readonly FormOperator[] = [
	{ value: 'Gt', name: 'Greater Than' },
	{ value: 'Gte', name: 'Greater Than or Equal To' },
	{ value: 'Lt', name: 'Less Than' },
	{ value: 'Lte', name: 'Less Than or Equal To' },
];

const MATCHES: readonly FormOperator[] = [
	{ value: 'Contains', name: 'Contains' },
	{ value: 'StartsWith', name: 'Starts With' },
	{ value: 'EndsWith', name: 'Ends With' },
];

const UNIT_MATCHES: readonly FormOperator[] = [
	{
		value: 'IsDate',
		name: 'On Day (UTC)',
		description: 'The day in UTC. For a day in the time zone of the workflow, choose On Day (Local).',
	},
	{
		value: 'IsMonth',
		name: 'In Month (UTC)',
		description: 'The month in UTC. For a month in the time zone of the workflow, choose In Period.',
	},
	{
		value: 'IsYear',
		name: 'In Year (UTC)',
		description: 'The year in UTC. For a year in the time zone of the workflow, choose In Period.',
	},
	{ value: 'IsHour', name: 'In Hour (UTC)', description: 'The hour of that day, in UTC' },
	{ value: 'IsMinute', name: 'In Minute (UTC)', description: 'The minute of that hour, in UTC' },
	{ value: 'IsSecond', name: 'In Second (UTC)', description: 'The second of that minute, in UTC' },
];

/** The operators the form offers for each field type, in the order people think of them. */
export const FORM_OPERATORS: Readonly<Record<FieldType, readonly FormOperator[]>> = {
	number: [EQUALS, DIFFERS, ...COMPARISONS, ...BETWEEN, ANY_OF],
	code: [ANY_OF, { value: 'NotIn', name: 'Is None Of' }, EQUALS, DIFFERS],
	date: [
		{
			value: 'InPeriod',
			name: 'In Period',
			description: 'Today, this quarter, last month and the like, in the time zone of the workflow',
		},
		{ value: 'LocalDay', name: 'On Day (Local)', description: 'A whole day in the time zone of the workflow' },
		{
			value: 'OlderThan',
			name: 'More Than ... Ago',
			description: 'Before the time that many minutes, hours, days or months ago',
		},
		{ value: 'Gte', name: 'At or After' },
		{ value: 'Gt', name: 'After' },
		{ value: 'Lt', name: 'Before' },
		{ value: 'Lte', name: 'At or Before' },
		...[1, 0, 2, 3].flatMap((index) => BETWEEN[index] ?? []),
		{ value: 'Eq', name: 'At Exactly' },
		{ value: 'Neq', name: 'Not At' },
		...UNIT_MATCHES,
	],
	boolean: [EQUALS, DIFFERS],
	text: [EQUALS, DIFFERS, ...MATCHES, ANY_OF],
	any: [EQUALS, DIFFERS, ...MATCHES, ...COMPARISONS, ...BETWEEN, ANY_OF, ...UNIT_MATCHES],
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

/**
 * Whether the platform can apply an operator to a field of this type: Contains and the like need text, IsDate and the
 * like a timestamp. Allows more than the form offers, for JSON conditions.
 */
export function operatorFits(type: FieldType, operator: OperatorName): boolean {
	if (type === 'any') return true;
	if (isUnit(operator)) return type === 'date';
	return TEXT_ONLY.includes(operator) ? type === 'text' : true;
}

/** The role of a single value in a comparison. It decides how a fraction of a second is rounded. */
export type Role = 'exact' | 'gt' | 'gte' | 'lt' | 'lte';

/** The role of an operator's single value. */
export function roleOf(operator: OperatorName | number): Role {
	if (typeof operator === 'number' || !ORDERED.includes(operator)) return 'exact';
	return operator.toLowerCase() as Role;
}

/** Other words for operators, in lower case without spaces. Only used for suggestions, never accepted. */
const OPERATOR_SYNONYMS: Synonyms<OperatorName> = {
	Eq: '= == === equals equal equalto isequalto is',
	Neq: '!= !== <> ne notequals notequal notequalto doesnotequal not isnot',
	Lt: '< lessthan less before',
	Lte: '<= le lessthanorequal lessthanorequalto lessorequal',
	Gt: '> greaterthan greater morethan after',
	Gte: '>= ge greaterthanorequal greaterthanorequalto greaterorequal atleast',
	Contains: 'like includes include has',
	StartsWith: 'beginswith startwith prefix',
	EndsWith: 'endwith suffix',
	In: 'anyof isanyof oneof isoneof isin list',
	GteLte: 'between range',
	IsDate: 'day date isday onday',
	IsMonth: 'month inmonth',
	IsYear: 'year inyear',
	IsHour: 'hour',
	IsMinute: 'minute',
	IsSecond: 'second',
};

/** Far longer than the name of any operator, logic or direction; limits the work on invalid input. */
const LONGEST_OPERATOR = 100;

export const LOGICS: readonly LogicName[] = ['And', 'Or'];
export const DIRECTIONS: readonly DirectionName[] = ['Asc', 'Desc'];

/** The members of one of the platform's enum-typed properties, and what messages call one. */
interface EnumNames<T extends string> {
	names: readonly T[];
	/** "an operator" */
	noun: string;
	synonyms: Synonyms<T>;
}

export const OPERATOR_ENUM: EnumNames<OperatorName> = {
	names: OPERATORS,
	noun: 'an operator',
	synonyms: OPERATOR_SYNONYMS,
};
export const LOGIC_ENUM: EnumNames<LogicName> = {
	names: LOGICS,
	noun: 'a logic',
	synonyms: { And: 'all every && &', Or: 'any some || |' },
};
export const DIRECTION_ENUM: EnumNames<DirectionName> = {
	names: DIRECTIONS,
	noun: 'a direction',
	synonyms: { Asc: 'ascending up', Desc: 'descending down' },
};

/**
 * Reads an enum-typed property: a name in any case, or a number (specification, list query rule 1). Numbers are passed
 * through, since their meaning is not public.
 *
 * @param refuse called with the reason if the value is not a member
 */
export function readEnum<T extends string>(
	value: unknown,
	of: EnumNames<T>,
	refuse: (message: string) => undefined,
): T | number | undefined {
	if (isBlank(value)) return refuse(`nothing is filled in; use ${choice(of.names)}.`);
	const typed = typeof value === 'string' ? value.slice(0, LONGEST_OPERATOR).trim() : value;
	if (typeof typed === 'number' || (typeof typed === 'string' && /^\d+$/.test(typed))) {
		const member = Number(typed);
		// Adding 0 turns -0, which JSON allows, into 0.
		if (Number.isSafeInteger(member) && member >= 0) return member + 0;
	}
	if (typeof typed !== 'string') return refuse(`this must be ${of.noun}, written as text: ${choice(of.names)}.`);
	const member = of.names.find((name) => name.toLowerCase() === typed.toLowerCase());
	if (member) return member;
	const meant = suggest(typed, of.names, of.synonyms);
	const advice = meant ? `did you mean "${meant}"?` : `use ${choice(of.names)}.`;
	return refuse(`${quote(typed)} is not ${of.noun}, ${advice}`);
}

function choice(names: readonly string[]): string {
	return `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;
}

const WORDS: ReadonlyMap<unknown, string> = new Map(
	FORM_OPERATORS.any.map(({ value, name }) => [value, (name.split(' (')[0] ?? name).toLowerCase()]),
);

/** An operator in words, such as "is any of". The ends of a range are in its value. */
export function inWords(operator: Condition['operator']): string {
	return WORDS.get(operator) ?? String(operator);
}
