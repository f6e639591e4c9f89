import merge from 'lodash/merge';
import type { IDataObject, IDisplayOptions, INodeProperties, NodeParameterValue } from 'n8n-workflow';

import type { ValidationIssues, Refuse } from '../dsquery/validationIssues';
import { quote } from '../text';
import type { Dropdown } from './dropdown';
import type { StoredFixedCollection } from './fixedCollection';

/**
 * A parameter of a node: its property and how its value is read. Its name is its key among the other parameters of an
 * operation or a trigger.
 *
 * @typeParam Value what operations get. Always of this type: what is wrong with a stored value is added to the faults.
 * @typeParam Absent what they get of an option that was not added
 */
export interface Parameter<Value = unknown, Absent = unknown> {
	/** What the panel shows. Usually one property; none for what is read otherwise. */
	properties(name: string): INodeProperties[];
	read(name: string, source: ParameterSource): Value;
	/** The value of an option that was not added. */
	readonly absent?: Absent;
	/** Whether the default counts, too, where it is an option that was not added. */
	readonly isAlwaysRead?: true;
	/** The parameters in it: the Options collection has some. */
	readonly parts?: Parameters;
	/** What the panel asks the platform for. */
	readonly dropdowns?: readonly Dropdown[];
	/**
	 * Whether a change of what is stored, such as an edited expression, changes what saved state means, so that a
	 * trigger begins anew.
	 */
	readonly givesMeaning?: true;
	/** What else, besides the stored value, saved state depends on; undefined for nothing. */
	meaning?(value: Value): unknown;
}

/** The parameters of an operation or a trigger in the order of the panel, by their stored names. */
export type Parameters = Readonly<Record<string, Parameter>>;

/** What an operation gets: a value for each parameter. */
export type ValuesOf<P> = { readonly [Name in keyof P]: P[Name] extends Parameter<infer Value> ? Value : never };

/** How a stored value is read. */
export interface ReadOptions {
	/** Whether the value is within what is stored, as that of a chosen row is. */
	extractValue?: boolean;
	/** Whether the value is a list, in any form of one. */
	isList?: boolean;
}

/** Where values come from. */
export interface ParameterSource {
	/** The workflow's time zone. */
	readonly zone: string;
	/** The moment "today" is counted from: the same for all input items. */
	readonly now: Date;
	/** What is wrong with the parameters. */
	readonly issues: ValidationIssues;
	/**
	 * What is stored, with expressions resolved; `usual` if nothing is. Where an expression gave nothing, or a list with an
	 * empty entry, that is refused, and `usual` returned.
	 */
	value(name: string, usual?: unknown, how?: ReadOptions): unknown;
	/** What is stored, whatever it is, and whether an expression made it. */
	given(name: string, usual: unknown): { value: unknown; isFromExpression: boolean };
	/** A form, as `readFixedCollection` takes it. */
	form(name: string): StoredFixedCollection;
	/** Adds the fault that a parameter cannot be used. The message begins with its label. */
	refuse(name: string, message: string): undefined;
	/** The value of another parameter of the same operation or trigger. */
	valueOf<Value>(other: Parameter<Value>): Value;
	/** The same, by the name of the other one. */
	valueNamed(name: string): unknown;
	/** All input items. None in a trigger. */
	items(): readonly IDataObject[];
}

/** What makers of parameters have in common. */
export interface ParameterDeclaration {
	/** Its label in the panel. */
	label: string;
	description?: string;
	placeholder?: string;
	hint?: string;
	required?: true;
	/** Whether it is stored as chosen, never as an expression. */
	isFixed?: true;
}

/** What a property holds, and how it is shown. */
export type PropertyShape = Pick<INodeProperties, 'type' | 'default' | 'options' | 'typeOptions' | 'modes'>;

/** The property of a parameter with one. */
export function createProperty(
	name: string,
	{ label, isFixed, ...declared }: ParameterDeclaration,
	own: PropertyShape,
): INodeProperties {
	return { displayName: label, name, ...(isFixed && { noDataExpression: true }), ...declared, ...own };
}

/** A parameter with one property: its value is what `read` makes of what is stored. */
export function createParameter<Value>(
	declared: ParameterDeclaration,
	own: PropertyShape,
	read: (value: unknown, refuse: Refuse, source: ParameterSource, name: string) => Value,
	isList = own.type === 'multiOptions',
): Parameter<Value, undefined> {
	const how = { extractValue: own.type === 'resourceLocator', isList };
	return {
		properties: (name) => [createProperty(name, declared, own)],
		read: (name, source) =>
			read(source.value(name, own.default, how), (message) => source.refuse(name, message), source, name),
	};
}

/** The properties of a parameter, shown under a further condition. */
export function propertiesShownUnder(parameter: Parameter, condition: IDisplayOptions): Parameter['properties'] {
	return (name) =>
		parameter.properties(name).map((each) => ({
			...each,
			displayOptions: merge({}, each.displayOptions, condition),
		}));
}

/**
 * A parameter that is shown, and read, only while another one has one of these values, or holds one. n8n drops what it does
 * not show, so where the other one is stored in another form, such as in capitals, that is refused.
 *
 * @param other the name of the other one as n8n's conditions write it: within the options it begins with a slash
 */
export function showParameterWhen<Value, Absent>(
	other: string,
	values: readonly NodeParameterValue[],
	parameter: Parameter<Value, Absent>,
): Parameter<Value | undefined, Absent> {
	const named = other.replace('/', '');
	const isAmong = (given: unknown) => values.some((value) => [given].flat().includes(value));
	return {
		...parameter,
		properties: propertiesShownUnder(parameter, { show: { [other]: [...values] } }),
		read(name, source) {
			const chosen = source.valueNamed(named);
			if (!isAmong(chosen)) return undefined;
			const { value: stored, isFromExpression } = source.given(named, chosen);
			if (isFromExpression || isAmong(stored)) return parameter.read(name, source);
			const known = `n8n does not know ${quote([stored].flat().join(', '))}, and leaves out what belongs to it`;
			return source.refuse(named, `${known}. Write ${JSON.stringify(chosen)}.`);
		},
	};
}

/** A parameter that is shown, and read, unless another one has one of these values: also where n8n does not know its value. */
export function hideParameterWhen<Value, Absent>(
	other: string,
	values: readonly NodeParameterValue[],
	parameter: Parameter<Value, Absent>,
): Parameter<Value | undefined, Absent> {
	return {
		...parameter,
		properties: propertiesShownUnder(parameter, { hide: { [other]: [...values] } }),
		read(name, source) {
			return values.some((value) => value === source.valueNamed(other)) ? undefined : parameter.read(name, source);
		},
	};
}

/** An option whose default counts even if it was not added. */
export function withDefault<Value>(option: Parameter<Value>): Parameter<Value, Value> {
	return { ...option, absent: undefined, isAlwaysRead: true };
}

/** A parameter that may stay empty: where nothing is filled in, or an expression gives an empty text, it is none. */
export function optional<Value>(parameter: Parameter<Value, undefined>): Parameter<Value | undefined, undefined> {
	return {
		...parameter,
		read: (name, source) => (source.given(name, '').value === '' ? undefined : parameter.read(name, source)),
	};
}

/** A parameter of a trigger that begins anew when the stored value changes: for an expression, when it is edited. */
export function restartsWatch<Value, Absent>(parameter: Parameter<Value, Absent>): Parameter<Value, Absent> {
	return { ...parameter, givesMeaning: true };
}

/** Text in the panel. It has no value. */
export function notice(text: string): Parameter<undefined, undefined> {
	return {
		properties: (name) => [{ displayName: text, name, type: 'notice', default: '' }],
		read: () => undefined,
	};
}

/** A value that is not chosen, so it has no property. */
export function constant<Value>(value: Value): Parameter<Value, Value> {
	return { isAlwaysRead: true, properties: () => [], read: () => value };
}

/** What is read of all input items. It has no property. */
export function inputItemsParameter<Value>(
	read: (items: readonly IDataObject[], source: ParameterSource) => Value,
): Parameter<Value, undefined> {
	return { properties: () => [], read: (_, source) => read(source.items(), source) };
}
