import mapValues from 'lodash/mapValues';
import once from 'lodash/once';
import pick from 'lodash/pick';
import type { IDataObject, IExecuteFunctions, INodeProperties, IPollFunctions } from 'n8n-workflow';

import { Faults } from '../dsquery/faults';
import { isRecord } from '../text';
import type { Dropdown } from './dropdown';
import type { Parameters, Source, ValuesOf } from './parameter';

/** The names of parameters, those of options among them. */
export type NamesOf<P> = Extract<
	keyof P | (P extends { options: { parts: infer Options } } ? keyof Options : never),
	string
>;

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

/** What parameters say, and what is wrong with them. */
export interface Reading<P> extends Pick<Source, 'zone' | 'now' | 'faults'> {
	values: ValuesOf<P>;
	/** Adds the fault that a parameter cannot be used. The message begins with its label. */
	refuse(name: NamesOf<P>, message: string): void;
	/**
	 * What gives saved state its meaning: parameters as they are stored in the node, and what else their values say.
	 *
	 * @param names of only these parameters
	 */
	meaning(stored: IDataObject, names?: readonly NamesOf<P>[]): unknown;
}

/** What n8n knows of a node: for one input item, or one poll. */
interface Origin extends Pick<Source, 'zone' | 'now' | 'items'> {
	read(name: string, usual: unknown, options?: { extractValue?: boolean; rawExpressions?: boolean }): unknown;
	/** Where faults are noted, and what stands before their places, if it is within another parameter. */
	faults?: Faults;
	label?: string;
}

/** Reads parameters for one input item. Nothing is sent. */
export function readItem<P extends Parameters>(
	context: IExecuteFunctions,
	itemIndex: number,
	parameters: P,
): Reading<P> {
	return read(parameters, {
		read: (name, usual, options) => context.getNodeParameter(name, itemIndex, usual, options),
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
export function readEntry<P extends Parameters>(
	entry: Readonly<Record<string, unknown>>,
	parameters: P,
	{ zone, now, faults, items }: Source,
	label: string,
): ValuesOf<P> {
	return read(parameters, { read: (name) => entry[name], zone, now, items, faults, label }).values;
}

/** Reads parameters for one poll. */
export function readPoll<P extends Parameters>(context: IPollFunctions, parameters: P): Reading<P> {
	return read(parameters, {
		read: (name, usual, options) => context.getNodeParameter(name, usual, options),
		zone: context.getTimezone(),
		now: new Date(),
		items: () => [],
	});
}

function read<P extends Parameters>(parameters: P, origin: Origin): Reading<P> {
	const { zone, now, items, faults = new Faults(), label = '' } = origin;
	const options = parameters.options?.parts ?? {};
	const all: Parameters = { ...parameters, ...options };
	const isOption = (name: string) => Object.hasOwn(options, name);
	// Read once: an expression may be in it.
	const added = once(() => {
		const stored = origin.read('options', {});
		return isRecord(stored) ? stored : {};
	});
	const known = new Map<string, unknown>();
	const valueOf = (name: string): unknown => {
		const parameter = all[name];
		if (parameter && !known.has(name)) {
			const isAbsent = isOption(name) && !parameter.isAlwaysRead && !(name in added());
			known.set(name, isAbsent ? parameter.absent : parameter.read(name, source));
		}
		return known.get(name);
	};
	const source: Source = {
		...{ zone, now, faults, items, valueOf },
		value: (name, usual, how) => (isOption(name) ? (added()[name] ?? usual) : origin.read(name, usual, how)),
		stored: (name, usual) => origin.read(name, usual, { rawExpressions: true }),
		refuse(name, message) {
			const shown = all[name]?.properties(name)[0]?.displayName ?? name;
			faults.add(`${label}${isOption(name) ? 'Options > ' : ''}${shown}`, message);
		},
	};
	return {
		...{ zone, now, faults, refuse: (name, message) => source.refuse(name, message) },
		// Each value has the type that its parameter says.
		values: mapValues(parameters, (_, name) => valueOf(name)) as ValuesOf<P>,
		meaning(stored, names = Object.keys(all) as Array<NamesOf<P>>) {
			const asStored = pick(stored, storedNames(pick(parameters, names)));
			const more = mapValues(pick(all, names), ({ meaning }, name) => meaning?.(valueOf(name)));
			return [asStored, more];
		},
	};
}

/** The paths of what is stored under the names of parameters that give saved state its meaning. */
function storedNames(parameters: Parameters): string[] {
	return Object.entries(parameters).flatMap(([name, { givesMeaning, properties, parts = {} }]) => [
		...(givesMeaning ? properties(name).map((each) => each.name) : []),
		...storedNames(parts).map((part) => `${name}.${part}`),
	]);
}
