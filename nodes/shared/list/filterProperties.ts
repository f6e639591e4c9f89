import capitalize from 'lodash/capitalize';
import isEmpty from 'lodash/isEmpty';
import type {
	IDisplayOptions,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	NodeParameterValue,
} from 'n8n-workflow';

import { otherFieldLabel } from '../dsquery/listSchema';
import { formatFieldChoice, KNOWN_FIELD_PARTS, otherFieldParts, type ConditionPartNames } from '../dsquery/fieldChoice';
import {
	DEFAULT_OPERATORS,
	FIELD_TYPES,
	FORM_OPERATORS,
	OPERATORS,
	operatorsThatTake,
	OTHER_FIELD_OPERATORS,
	type FieldType,
	type FormOperatorName,
} from '../dsquery/operators';
import type { ListSchema, KnownField, LogicName } from '../dsquery/types';
import { AGE_UNITS, MOST_BACK, PERIODS, type PeriodName } from '../dsquery/values/periods';
import { dropdownDescription, multiDropdownDescription, loadOptionsProperties } from '../parameters/dropdownParameters';
import type { Dropdown } from '../parameters/dropdown';
import { createProperty, type ParameterDeclaration, type PropertyShape } from '../parameters/parameter';
import { codesMethod } from './dropdowns/fieldOptions';

const LOGIC_OPTIONS: INodePropertyOptions[] = [
	{ name: 'All Conditions (AND)', value: 'And' satisfies LogicName },
	{ name: 'Any Condition (OR)', value: 'Or' satisfies LogicName },
];

/** The empty form. n8n compares it deeply; its types only allow simple values. */
export const NO_CONDITION = {} as unknown as NodeParameterValue;

/** Labels of the periods, in time order. */
export const PERIOD_LABELS: Readonly<Record<PeriodName, string>> = {
	today: 'Today',
	yesterday: 'Yesterday',
	thisWeek: 'This Week (From Monday)',
	lastWeek: 'Last Week (From Monday)',
	thisMonth: 'This Month',
	lastMonth: 'Last Month',
	thisQuarter: 'This Quarter',
	lastQuarter: 'Last Quarter',
	thisYear: 'This Year',
	lastYear: 'Last Year',
	lastDays: 'Last Days (Up to Yesterday)',
	lastHours: 'Last Hours (Up to Now)',
};

/**
 * The filter parameters of a list, `filters` and `logic`: one nested form with the fields of the catalogue, any other
 * field, JSON conditions, and groups of these. Deeper groups need a JSON condition: each level would double the panel.
 */
export function filterProperties(
	schema: ListSchema,
	fields: Dropdown,
	description = `Which ${schema.noun}s to take. Without a condition, all of them.`,
): [form: INodeProperties, logic: INodeProperties] {
	return [
		{
			...conditions('Filters', 'Add Condition or Group', [...kinds(schema, fields), group(schema, fields)]),
			description,
		},
		{
			...logicOf('Must Match', 'Whether all of the conditions and groups above must match, or one is enough', 'And'),
			displayOptions: { show: { filters: [{ _cnd: { not: NO_CONDITION } }] } },
		},
	];
}

function logicOf(label: string, description: string, usual: LogicName): INodeProperties {
	return createProperty(
		'logic',
		{ label, description, isFixed: true },
		{ type: 'options', options: LOGIC_OPTIONS, default: usual },
	);
}

function kinds(schema: ListSchema, fields: Dropdown): INodePropertyCollection[] {
	return [...schema.fields.map(knownKind), otherField(schema, fields), jsonCondition(schema)];
}

function conditions(label: string, placeholder: string, options: INodePropertyCollection[]): INodeProperties {
	return {
		displayName: label,
		name: 'filters',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true, hideEmptyMessage: true },
		placeholder,
		// A default with a condition in it would come back whenever the user removes that condition.
		default: {},
		options,
	};
}

function group(schema: ListSchema, fields: Dropdown): INodePropertyCollection {
	// n8n shows the name of the kind above the first group only; this label begins every group.
	const label = 'This Group Must Match';
	const description = 'Whether all conditions of this group must match, or one is enough';
	return {
		displayName: 'Group',
		name: 'groups',
		values: [
			logicOf(label, description, 'Or'),
			conditions('Conditions in This Group', 'Add Condition Inside This Group', kinds(schema, fields)),
		],
	};
}

// --- a condition ---

type OfferedOperators = readonly FormOperatorName[];

/** Where the parameters of a condition are: in a known kind, or in Other Field, for one type of field. */
interface ConditionLayout {
	names: ConditionPartNames;
	/** While a field of that type is chosen; always in a known kind. */
	shown: IDisplayOptions;
	/** Only for known fields: within Other Field, a hidden required value would block the run. */
	required?: true;
}

const LISTS = operatorsThatTake('list');
const RANGES = operatorsThatTake('range');
const PERIODIC = operatorsThatTake('period');
const AGES = operatorsThatTake('age');

/** A parameter of a condition: its name, what the panel says of it, and what it holds. */
type ConditionParameter = [name: string, declared: ParameterDeclaration, own: PropertyShape];

const TEXT: PropertyShape = { type: 'string', default: '' };

/** Shown for these operators only. */
function during(
	part: ConditionLayout,
	operators: OfferedOperators,
	[name, declared, own]: ConditionParameter,
	more?: IDisplayOptions['show'],
) {
	const { show, hide } = part.shown;
	const displayOptions = { show: { ...show, ...more, [part.names.operator]: [...operators] }, ...(hide && { hide }) };
	return { ...createProperty(name, declared, own), displayOptions };
}

/** Shown for all but these operators. Written as "hide", so that it shows before an operator is stored. */
function except(part: ConditionLayout, operators: OfferedOperators, [name, declared, own]: ConditionParameter) {
	const { show, hide } = part.shown;
	const displayOptions = { ...(show && { show }), hide: { ...hide, [part.names.operator]: [...operators] } };
	return { ...createProperty(name, declared, own), displayOptions };
}

function operatorOf(name: string, type: FieldType, usual: FormOperatorName, description?: string): INodeProperties {
	const options = FORM_OPERATORS[type].map((operator) => ({ ...operator }));
	const declared: ParameterDeclaration = {
		label: 'Operator',
		isFixed: true,
		...(description !== undefined && { description }),
	};
	return createProperty(name, declared, { type: 'options', options, default: usual });
}

function knownKind(field: KnownField): INodePropertyCollection {
	const { name, type, label, kind, description } = field;
	const usual = name === 'Id' ? 'Eq' : DEFAULT_OPERATORS[type];
	const part: ConditionLayout = { names: KNOWN_FIELD_PARTS, shown: {}, required: true };
	return {
		displayName: label,
		name: kind,
		values: [
			// Reaches execute() and gives the entry its title.
			{ displayName: label, name: 'field', type: 'hidden', default: formatFieldChoice(name, type) },
			operatorOf('operator', type, usual, description),
			...(type === 'code' ? codeValues(field, part) : valuesOf(type, part, name === 'Id' ? ID_EXAMPLES : undefined)),
		],
	};
}

function codeValues(field: KnownField, part: ConditionLayout): INodeProperties[] {
	const { label } = field;
	const { required } = part;
	const typeOptions = { loadOptionsMethod: codesMethod(field) };
	const one: ParameterDeclaration = { label: `${label} Name or ID`, description: dropdownDescription(), required };
	const some: ParameterDeclaration = {
		label: `${label} Names or IDs`,
		description: multiDropdownDescription(),
		required,
	};
	return [
		except(part, LISTS, ['value', one, { type: 'options', typeOptions, default: '' }]),
		during(part, LISTS, ['values', some, { type: 'multiOptions', typeOptions, default: [] }]),
	];
}

/** An example of one value, and of several. */
type Examples = readonly [string, string];
const ID_EXAMPLES: Examples = ['e.g. 1024', 'e.g. 1024, 1025'];
const EXAMPLES = {
	number: ['e.g. 20.5', 'e.g. 12, 15, 20'],
	code: ['e.g. 4', 'e.g. 4, 6'],
	text: ['e.g. Main Street', 'e.g. first, second'],
	any: ['e.g. 20.5', 'e.g. first, second'],
} as const;

/**
 * What the operators of a type compare with. Numbers are text: n8n's number field turns 20,5 into 205 and an empty field
 * into 0.
 */
function valuesOf(type: FieldType, part: ConditionLayout, examples?: Examples): INodeProperties[] {
	if (type === 'date') return dateValues(part);
	if (type === 'boolean') return [booleanValue(part)];
	const { names, required } = part;
	const [one, several] = examples ?? EXAMPLES[type];
	const isText = type === 'text' || type === 'any';
	const value: ParameterDeclaration = {
		label: 'Value',
		placeholder: one,
		required,
		...(isText && { description: 'In text, upper and lower case may count as different' }),
	};
	const list: ParameterDeclaration = {
		label: 'Values',
		placeholder: several,
		required,
		description: 'Separated by commas. An expression may give a list.',
	};
	const hasRanges = type === 'number' || type === 'any';
	return [
		except(part, [...LISTS, ...RANGES], ['value', value, TEXT]),
		...(hasRanges ? rangeEnds(part, TEXT, ['e.g. 10', 'e.g. 20'], {}) : []),
		during(part, LISTS, [names.list, list, TEXT]),
	];
}

function rangeEnds(part: ConditionLayout, own: PropertyShape, examples: Examples, more: Partial<ParameterDeclaration>) {
	return (['from', 'to'] as const).map((end, index) => {
		const declared = { label: capitalize(end), placeholder: examples[index], required: part.required, ...more };
		return during(part, RANGES, [part.names[end], declared, own]);
	});
}

/** The only form that n8n's date field keeps when it is typed; it drops any other without a word. */
const TYPED_DATE = 'e.g. 2026-01-31 18:00:00';
const HOW_TO_TYPE =
	'Choose it, or type it as in 2026-01-31 18:00:00: the field drops other forms. A day that is chosen is its midnight';
const ZONE_NOTE = 'Without a time zone, it is read in that of the workflow';

function dateValues(part: ConditionLayout): INodeProperties[] {
	const { names, required } = part;
	const date: ParameterDeclaration = {
		label: 'Date',
		placeholder: TYPED_DATE,
		required,
		description: `${ZONE_NOTE}; operators with UTC in their name read it as UTC. ${HOW_TO_TYPE}.`,
	};
	const period: ParameterDeclaration = {
		label: 'Period',
		required,
		description: 'Whole days in the time zone of the workflow, or the last hours',
	};
	const unit: ParameterDeclaration = {
		label: 'Unit',
		description: 'Days and months are those of the calendar, in the time zone of the workflow',
	};
	const units = AGE_UNITS.map((name) => ({ name: capitalize(name), value: name }));
	const own: PropertyShape = { type: 'dateTime', default: '' };
	return [
		except(part, [...PERIODIC, ...AGES, ...RANGES], [names.value, date, own]),
		...rangeEnds(part, own, [TYPED_DATE, TYPED_DATE], { description: `${ZONE_NOTE}. ${HOW_TO_TYPE}.` }),
		// No default: a From and To that n8n stored without operator come back as In Period and must select nothing.
		during(part, PERIODIC, ['period', period, { type: 'options', options: PERIOD_OPTIONS, default: '' }]),
		during(part, PERIODIC, amount('days', 7, 'How many whole days, the last of them yesterday'), {
			period: ['lastDays'],
		}),
		during(part, PERIODIC, amount('hours', 24, 'How many hours, up to now'), { period: ['lastHours'] }),
		during(part, AGES, amount('amount', 24, 'How many minutes, hours, days or months ago')),
		during(part, AGES, ['unit', unit, { type: 'options', options: units, default: 'hours' }]),
	];
}

const PERIOD_OPTIONS = [
	{ name: 'Choose a Period', value: '' },
	...PERIODS.map((period) => ({ name: PERIOD_LABELS[period], value: period })),
];

function amount(name: string, usual: number, description: string): ConditionParameter {
	const typeOptions = { minValue: 1, maxValue: MOST_BACK };
	return [name, { label: capitalize(name), description }, { type: 'number', typeOptions, default: usual }];
}

function booleanValue({ shown }: ConditionLayout): INodeProperties {
	const declared = { label: 'Value', description: 'What to compare with. An expression gives true or false.' };
	const options = [
		{ name: 'Choose Yes or No', value: '' },
		{ name: 'Yes', value: 'true' },
		{ name: 'No', value: 'false' },
	];
	return { ...createProperty('value', declared, { type: 'options', options, default: '' }), displayOptions: shown };
}

// --- other field, JSON ---

const endsWith = (type: FieldType) => ({ _cnd: { endsWith: `|${type}` } });

/** Once a field of the type is chosen. Operators have a name per type: a shared one would go stale. */
function whenType(type: FieldType): IDisplayOptions {
	if (type !== 'any') return { show: { field: [endsWith(type)] } };
	return { hide: { field: ['', ...FIELD_TYPES.filter((other) => other !== 'any').map(endsWith)] } };
}

function otherField(schema: ListSchema, fields: Dropdown): INodePropertyCollection {
	const { otherExample } = schema;
	const example = 'A field of your rows. In an expression, its name, or its name and type, such as EndedAtUtc|date';
	return {
		displayName: `${otherFieldLabel(schema)}${isEmpty(otherExample) ? '' : ` (such as ${otherExample})`}`,
		name: 'other',
		values: [
			createProperty(
				'field',
				{ label: 'Field Name or ID', required: true, description: dropdownDescription(example) },
				{ type: 'options', typeOptions: loadOptionsProperties(fields), default: '' },
			),
			...FIELD_TYPES.map((type) => {
				const usual = OTHER_FIELD_OPERATORS[type];
				return { ...operatorOf(otherFieldParts(type).operator, type, usual), displayOptions: whenType(type) };
			}),
			...FIELD_TYPES.flatMap((type) => valuesOf(type, { names: otherFieldParts(type), shown: whenType(type) })),
		],
	};
}

/** A field with its known codes, because a code must not be guessed. */
function fieldForJson({ name, codes }: KnownField): string {
	return codes ? `${name} (${codes.map(({ code, label }) => `${code} = ${label}`).join(', ')})` : name;
}

/** A condition to fill in. Unchanged, it is refused with the names of its empty parts. */
const JSON_TEMPLATE = JSON.stringify({ Field: '', Operator: 'Eq', Value: '' }, null, 2);

function jsonCondition({ fields }: ListSchema): INodePropertyCollection {
	const names =
		fields.length > 0 ? `${fields.map(fieldForJson).join(', ')}, and any other of the rows` : 'those of the rows';
	return {
		displayName: 'Filter as JSON',
		name: 'json',
		values: [
			{
				displayName: 'Filter as JSON',
				name: 'json',
				type: 'json',
				required: true,
				default: JSON_TEMPLATE,
				description:
					'A condition { "Field": "…", "Operator": "…", "Value": "…" }, a group { "Logic": "And" or "Or", "Filters": [conditions or groups] }, or a whole platform query (dsquery). ' +
					`Fields: ${names}. ` +
					`Operators: ${OPERATORS.join(', ')}. A Value is text; a range or a list has its values separated by commas. ` +
					'Times are UTC, written like 2026-01-31T18:00:00; a date alone is the whole day.',
			},
		],
	};
}
