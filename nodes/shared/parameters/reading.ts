import findKey from 'lodash/findKey';
import mapValues from 'lodash/mapValues';
import once from 'lodash/once';
import pick from 'lodash/pick';
import { Info } from 'luxon';
import type { IDataObject, IExecuteFunctions, INodeProperties, IPollFunctions } from 'n8n-workflow';

import { ValidationIssues } from '../dsquery/validationIssues';
import type { ExpressionResult, FixedCollectionEntry } from '../dsquery/types';
import type { ExpressionEvaluator } from '../dsquery/values/unusableText';
import { isRecord, quote } from '../text';
import { inspectExpressions, explainEmpty } from './expressions';
import type { Dropdown } from './dropdown';
import type { ReadOptions, Parameter, Parameters, ParameterSource, ValuesOf } from './parameter';

/** The names of parameters, those of options among them. */
type NamesOf<P> = Extract<keyof P | (P extends { options: { parts: infer Options } } ? keyof Options : never), string>;

// --- the panel ---

/** What a node needs to show parameters: their properties, in their order, and their dropdowns. */
export function panelOf(parameters: Parameters) {
	return { properties: propertiesOf(parameters), dropdowns: dropdownsOf(parameters) };
}

/** The properties of parameters, in their order. */
function propertiesOf(parameters: Parameters): INodeProperties[] {
	return Object.entries(parameters).flatMap(([name, each]) => each.properties(name));
}

function dropdownsOf(parameters: Parameters): Dropdown[] {
	return Object.values(parameters).flatMap(({ dropdowns = [], parts = {} }) => [...dropdowns, ...dropdownsOf(parts)]);
}

// --- the values ---

/** Adds to the issues that a parameter cannot be used. The message begins with its label. */
export type RefuseParameter<P> = (name: NamesOf<P>, message: string) => undefined;

/** What parameters say, and what is wrong with them. */
interface ParameterReading<P> extends Pick<ParameterSource, 'zone' | 'now' | 'issues'> {
	values: ValuesOf<P>;
	refuse: RefuseParameter<P>;
	/**
	 * What saved state depends on: parameters as they are stored in the node, and what else their values say.
	 *
	 * @param names of only these parameters
	 */
	meaning(stored: IDataObject, names?: readonly NamesOf<P>[]): unknown;
}

/** Where the values of parameters come from. */
interface ValueOrigin extends Pick<ParameterSource, 'zone' | 'now' | 'items' | 'form'> {
	read(name: string, usual: unknown, options?: { extractValue?: boolean }): unknown;
	/**
	 * What `inspectExpressions` says of the value of a parameter, or of an option at its path. Undefined if no
	 * expression is stored.
	 */
	expression(path: string, value: unknown): ExpressionResult | undefined;
	/** Where faults are noted, and what stands before their places, if it is within another parameter. */
	issues?: ValidationIssues;
	label?: string;
}

/** What n8n knows of a node: for one input item, or one poll. */
interface StoredParameters {
	get(path: string, usual: unknown, options?: { extractValue?: boolean; rawExpressions?: boolean }): unknown;
	evaluate: ExpressionEvaluator;
}

function ofNode({ get, evaluate }: StoredParameters): Pick<ValueOrigin, 'read' | 'expression' | 'form'> {
	const stored = (path: string) => get(path, null, { rawExpressions: true });
	return {
		read: get,
		expression: (path, value) => inspectExpressions(stored(path), value, evaluate),
		form: (name) => ({ stored: stored(name), value: get(name, {}), evaluate }),
	};
}

/** Reads parameters for one input item. Nothing is sent. */
export function readItemParameters<P extends Parameters>(
	context: IExecuteFunctions,
	itemIndex: number,
	parameters: P,
): ParameterReading<P> {
	const ofItem: StoredParameters = {
		get: (path, usual, options) => context.getNodeParameter(path, itemIndex, usual, options),
		evaluate: (part) => context.evaluateExpression(part, itemIndex),
	};
	return read(parameters, {
		...ofNode(ofItem),
		zone: context.getTimezone(),
		now: startOf(context),
		items: () => context.getInputData().map(({ json }) => json),
	});
}

const starts = new WeakMap<IExecuteFunctions, Date>();

/** The moment "today" is counted from: the same for all input items, even if midnight passes between them. */
function startOf(context: IExecuteFunctions): Date {
	const start = starts.get(context) ?? new Date();
	starts.set(context, start);
	return start;
}

/** Reads the parameters of one entry of a form, which holds all of them. `label` stands before the places of faults. */
export function readEntryParameters<P extends Parameters>(
	{ values, expressions }: FixedCollectionEntry,
	parameters: P,
	{ zone, now, issues, items, form }: ParameterSource,
	label: string,
): ValuesOf<P> {
	const ofEntry = { read: (name: string) => values[name], expression: (name: string) => expressions.get(name), form };
	return read(parameters, { ...ofEntry, zone, now, items, issues, label }).values;
}

/** Reads parameters for one poll. */
export function readPollParameters<P extends Parameters>(context: IPollFunctions, parameters: P): ParameterReading<P> {
	// n8n has it in every context; its types leave it out of polls.
	const evaluating = context as IPollFunctions & Pick<IExecuteFunctions, 'evaluateExpression'>;
	const ofPoll: StoredParameters = {
		get: (path, usual, options) => context.getNodeParameter(path, usual, options),
		evaluate: (part) => evaluating.evaluateExpression(part, 0),
	};
	return read(parameters, {
		...ofNode(ofPoll),
		zone: context.getTimezone(),
		now: new Date(),
		items: () => [],
	});
}

function read<P extends Parameters>(parameters: P, origin: ValueOrigin): ParameterReading<P> {
	const { now, items, issues = new ValidationIssues(), label = '' } = origin;
	const options = parameters.options?.parts ?? {};
	const all: Parameters = { ...parameters, ...options };
	const isOption = (name: string) => Object.hasOwn(options, name);
	// Read once: an expression may be in it.
	const added = once(() => {
		const stored = origin.read('options', {});
		return isRecord(stored) ? stored : {};
	});
	const known = new Map<string, unknown>();
	const valueNamed = (name: string): unknown => {
		const parameter = all[name];
		if (parameter && !known.has(name)) {
			const isAbsent = isOption(name) && !parameter.isAlwaysRead && !(name in added());
			known.set(name, isAbsent ? parameter.absent : parameter.read(name, source));
		}
		return known.get(name);
	};
	const given = (name: string, usual: unknown, extractValue = false) => {
		const value = isOption(name) ? added()[name] : origin.read(name, usual, { extractValue });
		const expression = origin.expression(isOption(name) ? `options.${name}` : name, value);
		return { value: isOption(name) && !expression ? (value ?? usual) : value, expression };
	};
	/** Parameters whose expression gave nothing usable. That fault is noted; what their reader finds in `usual` is not. */
	const refused = new Set<string>();
	const common = { zone: readZone(origin.zone, issues), now, issues };
	const source: ParameterSource = {
		...common,
		items,
		valueNamed,
		// Each value has the type that its parameter says.
		valueOf: <Value>(other: Parameter<Value>) => valueNamed(nameOf(other, all)) as Value,
		form: origin.form,
		value(name, usual, { extractValue, isList }: ReadOptions = {}) {
			const { value, expression } = given(name, usual, extractValue);
			const why = expression && (expression.whyUnusable ?? explainEmpty(value, isList));
			if (why === undefined) return value;
			source.refuse(name, why);
			refused.add(name);
			return usual;
		},
		given(name, usual) {
			const { value, expression } = given(name, usual);
			return { value, isFromExpression: expression !== undefined };
		},
		refuse(name, message) {
			if (refused.has(name)) return;
			const shown = all[name]?.properties(name)[0]?.displayName ?? name;
			issues.add(`${label}${isOption(name) ? 'Options > ' : ''}${shown}`, message);
		},
	};
	return {
		...common,
		refuse: (name, message) => source.refuse(name, message),
		// Each value has the type that its parameter says.
		values: mapValues(parameters, (_, name) => valueNamed(name)) as ValuesOf<P>,
		meaning(stored, names = Object.keys(all) as Array<NamesOf<P>>) {
			const asStored = pick(stored, storedNames(pick(parameters, names)));
			const more = mapValues(pick(all, names), ({ meaning }, name) => meaning?.(valueNamed(name)));
			return [asStored, more];
		},
	};
}

/** The time zone of the workflow. In one that nobody knows, every local time and every day would be invalid. */
function readZone(zone: string, issues: ValidationIssues): string {
	if (Info.normalizeZone(zone).isValid) return zone;
	const setIn = 'Choose one under ⋯ → Settings. Where that says Default, the admin of n8n corrects GENERIC_TIMEZONE.';
	issues.add('Settings of the workflow > Timezone', `${quote(zone)} is no time zone. ${setIn}`);
	return 'utc';
}

function nameOf(parameter: Parameter, all: Parameters): string {
	const name = findKey(all, (each) => each === parameter);
	if (name === undefined) throw new Error('A parameter reads another one that is not beside it');
	return name;
}

/** The paths of what is stored under the names of parameters that give saved state its meaning. */
function storedNames(parameters: Parameters): string[] {
	return Object.entries(parameters).flatMap(([name, { givesMeaning, properties, parts = {} }]) => [
		...(givesMeaning ? properties(name).map((each) => each.name) : []),
		...storedNames(parts).map((part) => `${name}.${part}`),
	]);
}
