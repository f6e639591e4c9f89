import capitalize from 'lodash/capitalize';
import type {
	IDisplayOptions,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	NodeParameterValue,
} from 'n8n-workflow';

import { otherFieldLabel } from '../dsquery/catalogue';
import { fieldValue, KNOWN_FIELD_PARTS, otherFieldParts, type PartNames } from '../dsquery/fieldValue';
import {
	DEFAULT_OPERATORS,
	FIELD_TYPES,
	FORM_OPERATORS,
	OPERATORS,
	operatorsThatTake,
	type FieldType,
	type FormOperator,
	type FormOperatorName,
} from '../dsquery/operators';
import { AGE_UNITS, MOST_BACK, PERIODS, type PeriodName } from '../dsquery/values/periods';
import type { Catalogue, KnownField, LogicName } from '../dsquery/types';
import { chooseOne, chooseSome } from '../parameters/chosen';
import { property } from '../parameters/parameter';
import { codesMethod } from './dropdowns/fieldOptions';

const LIST_OPERATORS = operatorsThatTake('list');
const RANGE_OPERATORS = operatorsThatTake('range');

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
	catalogue: Catalogue,
	description = `Which ${catalogue.noun}s to take. Without a condition, all of them.`,
): INodeProperties[] {
	return [
		{ ...conditions('Filters', 'Add Condition or Group', [...kinds(catalogue), group(catalogue)]), description },
		{
			...logicOf('Must Match', 'Whether all of the conditions and groups above must match, or one is enough', 'And'),
			displayOptions: { show: { filters: [{ _cnd: { not: NO_CONDITION } }] } },
		},
	];
}

function logicOf(label: string, description: string, usual: LogicName): INodeProperties {
	return property(
		'logic',
		{ label, description, isFixed: true },
		{ type: 'options', options: LOGIC_OPTIONS, default: usual },
	);
}

function kinds(catalogue: Catalogue): INodePropertyCollection[] {
	return [...catalogue.fields.map(knownKind), otherField(catalogue), jsonCondition(catalogue)];
}

function conditions(label: string, placeholder: string, options: INodePropertyCollection[]): INodeProperties {
	return {
		displayName: label,
		name: 'filters',
		type: 'fixedCollection',
		typeOptions: {
			multipleValues: true,
			sortable: true,
			hideEmptyMessage: true,
		},
		placeholder,
		// A default with a condition in it would come back whenever the user removes that condition.
		default: {},
		options,
	};
}

function group(catalogue: Catalogue): INodePropertyCollection {
	// n8n shows the name of the kind above the first group only; this label begins every group.
	const label = 'This Group Must Match';
	const description = 'Whether all conditions of this group must match, or one is enough';
	return {
		displayName: 'Group',
		name: 'groups',
		values: [
			logicOf(label, description, 'Or'),
			conditions('Conditions in This Group', 'Add Condition Inside This Group', kinds(catalogue)),
		],
	};
}

// --- known fields ---

function knownKind(field: KnownField): INodePropertyCollection {
	return {
		displayName: field.label,
		name: field.kind,
		values: [
			// Reaches execute() and gives the entry its title.
			{ displayName: field.label, name: 'field', type: 'hidden', default: fieldValue(field.name, field.type) },
			operatorOf(
				'operator',
				FORM_OPERATORS[field.type],
				field.name === 'Id' ? 'Eq' : DEFAULT_OPERATORS[field.type],
				field.description,
			),
			...(field.type === 'code' ? codeValues(field) : valuesOf(field.type, KNOWN, field.name === 'Id')),
		],
	};
}

function operatorOf(
	name: string,
	operators: readonly FormOperator[],
	usual: FormOperatorName,
	description?: string,
): INodeProperties {
	const declared = { label: 'Operator', isFixed: true, ...(description !== undefined && { description }) } as const;
	const options = operators.map((operator) => ({ ...operator }));
	return property(name, declared, { type: 'options', options, default: usual });
}

const KNOWN: Part = { names: KNOWN_FIELD_PARTS, show: {}, required: true };

function codeValues(field: KnownField): INodeProperties[] {
	const { label } = field;
	const typeOptions = { loadOptionsMethod: codesMethod(field) };
	const one = { label: `${label} Name or ID`, description: chooseOne() };
	const some = { label: `${label} Names or IDs`, description: chooseSome() };
	const operator = [...LIST_OPERATORS];
	return [
		valueIn(KNOWN, 'value', one, { type: 'options', typeOptions, default: '' }, { hide: { operator } }),
		valueIn(KNOWN, 'values', some, { type: 'multiOptions', typeOptions, default: [] }, { show: { operator } }),
	];
}

// --- parts that known fields and Other Field share ---

/** A part of a condition that is shown for some operators, and in Other Field for one type of field only. */
interface Part {
	names: PartNames;
	show: NonNullable<IDisplayOptions['show']>;
	hide?: NonNullable<IDisplayOptions['hide']>;
	/** Only for known fields: within Other Field, a hidden required value would block the run. */
	required: boolean;
}

/** Shown for the given operators, while the condition's field has the part's type. */
function during(part: Part, operators: NodeParameterValue[]): IDisplayOptions {
	return {
		show: { ...part.show, [part.names.operator]: operators },
		...(part.hide && { hide: part.hide }),
	};
}

/** Shown for all but the given operators. Written as "hide", so that it shows before an operator is stored. */
function except(part: Part, operators: NodeParameterValue[]): IDisplayOptions {
	return {
		...(Object.keys(part.show).length > 0 && { show: part.show }),
		hide: { ...part.hide, [part.names.operator]: operators },
	};
}

type Declared = Parameters<typeof property>[1];
type Own = Parameters<typeof property>[2];

function valueIn(part: Part, name: string, declared: Declared, own: Own, shown: IDisplayOptions): INodeProperties {
	return { ...property(name, { ...declared, ...(part.required && { required: true }) }, own), displayOptions: shown };
}

const TEXT: Own = { type: 'string', default: '' };

function textValue(part: Part, placeholder: string): INodeProperties {
	const description = 'What to compare with. In text, upper and lower case may count as different.';
	const others = [...LIST_OPERATORS, ...RANGE_OPERATORS];
	return valueIn(part, 'value', { label: 'Value', placeholder, description }, TEXT, except(part, others));
}

function listValues(part: Part, placeholder: string): INodeProperties {
	const description = 'The values to look for, separated by commas. An expression may give a list.';
	const declared = { label: 'Values', placeholder, description };
	return valueIn(part, part.names.list, declared, TEXT, during(part, [...LIST_OPERATORS]));
}

function rangeEnds(
	part: Part,
	type: 'string' | 'dateTime',
	placeholders: { from: string; to: string },
	addition = '',
): INodeProperties[] {
	return (['from', 'to'] as const).map((end) => {
		const description = `The ${end === 'from' ? 'lower' : 'upper'} end of the range${addition}`;
		const declared = { label: capitalize(end), placeholder: placeholders[end], description };
		return valueIn(part, part.names[end], declared, { type, default: '' }, during(part, RANGE_OPERATORS));
	});
}

const NUMBER_RANGE = { from: 'e.g. 10', to: 'e.g. 20' };
/** The only form that n8n's date field keeps when it is typed; it drops any other without a word. */
const TYPED_DATE = 'e.g. 2026-01-31 18:00:00';
const HOW_TO_TYPE = 'Choose it, or type it with the time, as in 2026-01-31 18:00:00: the field drops other forms';
const ZONE_NOTE = 'Without a time zone, it is read in the time zone of the workflow';

function dateValues(part: Part): INodeProperties[] {
	return [
		valueIn(
			part,
			part.names.value,
			{
				label: 'Date',
				placeholder: TYPED_DATE,
				description: `The date to compare with. ${ZONE_NOTE}, except that operators with UTC in their name read it as UTC. ${HOW_TO_TYPE}.`,
			},
			{ type: 'dateTime', default: '' },
			except(part, ['InPeriod', 'OlderThan', ...RANGE_OPERATORS]),
		),
		...rangeEnds(part, 'dateTime', { from: TYPED_DATE, to: TYPED_DATE }, `. ${ZONE_NOTE}. ${HOW_TO_TYPE}.`),
		valueIn(
			part,
			'period',
			{ label: 'Period', description: 'Whole days in the time zone of the workflow, or the last hours' },
			// No default: a From and To that n8n stored without operator come back as In Period and must select nothing.
			{ type: 'options', options: PERIOD_OPTIONS, default: '' },
			during(part, ['InPeriod']),
		),
		{
			...amount('Days', 'days', 7, 'How many whole days, the last of them yesterday'),
			displayOptions: during({ ...part, show: { ...part.show, period: ['lastDays'] } }, ['InPeriod']),
		},
		{
			...amount('Hours', 'hours', 24, 'How many hours, up to now'),
			displayOptions: during({ ...part, show: { ...part.show, period: ['lastHours'] } }, ['InPeriod']),
		},
		{
			...amount('Amount', 'amount', 24, 'How many minutes, hours, days or months ago'),
			displayOptions: during(part, ['OlderThan']),
		},
		{
			...property(
				'unit',
				{ label: 'Unit', description: 'Days and months are those of the calendar, in the time zone of the workflow' },
				{
					type: 'options',
					options: AGE_UNITS.map((unit) => ({ name: capitalize(unit), value: unit })),
					default: 'hours',
				},
			),
			displayOptions: during(part, ['OlderThan']),
		},
	];
}

const PERIOD_OPTIONS = [
	{ name: 'Choose a Period', value: '' },
	...PERIODS.map((period) => ({ name: PERIOD_LABELS[period], value: period })),
];

function amount(label: string, name: string, usual: number, description: string): INodeProperties {
	const typeOptions = { minValue: 1, maxValue: MOST_BACK };
	return property(name, { label, description }, { type: 'number', typeOptions, default: usual });
}

function booleanValue(part: Part): INodeProperties {
	const declared = { label: 'Value', description: 'What to compare with. An expression gives true or false.' };
	const options = [
		{ name: 'Choose Yes or No', value: '' },
		{ name: 'Yes', value: 'true' },
		{ name: 'No', value: 'false' },
	];
	return {
		...property('value', declared, { type: 'options', options, default: '' }),
		displayOptions: { show: part.show },
	};
}

/**
 * What the operators of a type compare with. Numbers are text: n8n's number field turns 20,5 into 205 and an empty field
 * into 0.
 */
function valuesOf(type: FieldType, part: Part, isId = false): INodeProperties[] {
	switch (type) {
		case 'number':
			return [
				textValue(part, `e.g. ${isId ? '1024' : '20.5'}`),
				...rangeEnds(part, 'string', NUMBER_RANGE),
				listValues(part, 'e.g. 12, 15, 20'),
			];
		case 'code':
			return [textValue(part, 'e.g. 4'), listValues(part, 'e.g. 4, 6')];
		case 'date':
			return dateValues(part);
		case 'boolean':
			return [booleanValue(part)];
		case 'text':
			return [textValue(part, `e.g. ${isId ? '1024' : 'Main Street'}`), listValues(part, 'e.g. first, second')];
		case 'any':
			return [
				textValue(part, 'e.g. 20.5'),
				listValues(part, 'e.g. first, second'),
				...rangeEnds(part, 'string', NUMBER_RANGE),
			];
	}
}

// --- other field, JSON ---

const endsWith = (type: FieldType) => ({ _cnd: { endsWith: `|${type}` } });

/** Shows a part once a field of the type is chosen. Operators have a name per type: a shared one would go stale. */
function whenType(type: FieldType): Pick<Part, 'show' | 'hide'> {
	if (type !== 'any') return { show: { field: [endsWith(type)] } };
	const others = FIELD_TYPES.filter((other) => other !== 'any');
	return { show: {}, hide: { field: ['', ...others.map(endsWith)] } };
}

function otherField(catalogue: Catalogue): INodePropertyCollection {
	const { otherExample } = catalogue;
	const partOf = (type: FieldType): Part => ({ ...whenType(type), names: otherFieldParts(type), required: false });
	return {
		displayName: `${otherFieldLabel(catalogue)}${otherExample ? ` (such as ${otherExample})` : ''}`,
		name: 'other',
		values: [
			property(
				'field',
				{
					label: 'Field Name or ID',
					required: true,
					description: chooseOne(
						'A field of your rows. In an expression, use its name, or its name and type, such as EndedAtUtc|date',
					),
				},
				{ type: 'options', typeOptions: { loadOptionsMethod: 'getFields' }, default: '' },
			),
			...FIELD_TYPES.map((type) => {
				const { show, hide } = whenType(type);
				const displayOptions = { ...(Object.keys(show).length > 0 && { show }), ...(hide && { hide }) };
				const operator = type === 'number' || type === 'text' ? 'Eq' : DEFAULT_OPERATORS[type];
				const { operator: name } = otherFieldParts(type);
				return { ...operatorOf(name, FORM_OPERATORS[type], operator), displayOptions };
			}),
			...FIELD_TYPES.flatMap((type) => valuesOf(type, partOf(type))),
		],
	};
}

/** A field with its known codes, because a code must not be guessed. */
function fieldForJson({ name, codes }: KnownField): string {
	return codes ? `${name} (${codes.map(({ code, label }) => `${code} = ${label}`).join(', ')})` : name;
}

/** A condition to fill in. Unchanged, it is refused with the names of its empty parts. */
const JSON_TEMPLATE = JSON.stringify({ Field: '', Operator: 'Eq', Value: '' }, null, 2);

function jsonCondition({ fields }: Catalogue): INodePropertyCollection {
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
					'Times are UTC, written like 2026-01-31T18:00:00. ' +
					'A Sort in a dsquery object counts where this node sorts and its own Sort is empty.',
			},
		],
	};
}
