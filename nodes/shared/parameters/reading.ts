import mapValues from 'lodash/mapValues';
import once from 'lodash/once';
import pick from 'lodash/pick';
import cloneDeepWith from 'lodash/cloneDeepWith';
import type { IDataObject, IExecuteFunctions, INodeProperties, IPollFunctions } from 'n8n-workflow';

import { isRecord } from '../text';
import { Faults } from '../dsquery/faults';
import type { Dropdown } from './dropdown';
import type { Parameter, Parameters, Siblings, Source, ValuesOf } from './parameter';

type ReadOptions = { extractValue?: boolean; rawExpressions?: boolean };

/** What n8n knows of a node: for one input item, or one poll. */
interface Origin {
	read(name: string, usual: unknown, options?: ReadOptions): unknown;
	zone: string;
	now: Date;
	items(): readonly IDataObject[];
	/** Where faults are noted, and what stands before their places, if it is within another parameter. */
	faults?: Faults;
	label?: string;
}

/** The names of parameters, those of options among them. */
export type NamesOf<P> = Extract<
	keyof P | (P extends { options: { parts: infer Options } } ? keyof Options : never),
	string
>;

/** What a node needs to show parameters: their properties, in their order, and their dropdowns. */
export function panelOf(parameters: Parameters) {
	return { properties: propertiesOf(parameters), dropdowns: dropdownsOf(parameters) };
}

/** The properties of parameters, in their order. */
export function propertiesOf(parameters: Parameters): INodeProperties[] {
	const siblings: Siblings = { nameOf: (other) => nameAmong(parameters, other) };
	const path = Object.values(parameters).find(({ reloads }) => reloads !== undefined)?.reloads;
	const all = Object.entries(parameters).flatMap(([name, each]) => each.properties(name, siblings));
	return path === undefined ? all : (cloneDeepWith(all, (value) => reloading(value, path)) as INodeProperties[]);
}

/** What loads the entries of a dropdown, with what it depends on. Undefined for anything else. */
function reloading(value: unknown, path: string): object | undefined {
	if (!isRecord(value) || value.loadOptionsMethod === undefined) return undefined;
	const others: unknown = value.loadOptionsDependsOn;
	return { ...value, loadOptionsDependsOn: [path, ...(Array.isArray(others) ? (others as unknown[]) : [])] };
}

function nameAmong(parameters: Parameters, other: Parameter): string {
	const name = Object.keys(parameters).find((each) => parameters[each] === other);
	if (name === undefined) throw new Error('A parameter depends on one that is not beside it');
	return name;
}

/** The dropdowns of parameters. */
function dropdownsOf(parameters: Parameters): Dropdown[] {
	return Object.values(parameters).flatMap(({ dropdowns = [], parts = {} }) => [...dropdowns, ...dropdownsOf(parts)]);
}

/** Reads parameters for one input item. Nothing is sent. */
export function readItem<P extends Parameters>(
	context: IExecuteFunctions,
	itemIndex: number,
	parameters: P,
): Reading<P> {
	return new Reading(parameters, {
		read: (name, usual, options) => context.getNodeParameter(name, itemIndex, usual, options),
		zone: context.getTimezone(),
		now: startOf(context),
		items: () => context.getInputData().map(({ json }) => json),
	});
}

/** Reads the parameters of one entry of a collection. `label` stands before the places of faults. */
export function readEntry<P extends Parameters>(
	entry: Readonly<Record<string, unknown>>,
	parameters: P,
	source: Source,
	label: string,
): ValuesOf<P> {
	const { zone, now, faults } = source;
	const read: Origin['read'] = (name, usual) => entry[name] ?? usual;
	return new Reading(parameters, { read, zone, now, items: () => source.items(), faults, label }).values;
}

/** Reads parameters for one poll. */
export function readPoll<P extends Parameters>(context: IPollFunctions, parameters: P): Reading<P> {
	return new Reading(parameters, {
		read: (name, usual, options) => context.getNodeParameter(name, usual, options),
		zone: context.getTimezone(),
		now: new Date(),
		items: () => [],
	});
}

const starts = new WeakMap<IExecuteFunctions, Date>();

/** The moment "today" is counted from: the same for all input items, even if midnight passes between them. */
function startOf(context: IExecuteFunctions): Date {
	const start = starts.get(context) ?? new Date();
	starts.set(context, start);
	return start;
}

/** What parameters say, and what is wrong with them. */
export class Reading<P extends Parameters> {
	readonly values: ValuesOf<P>;
	readonly faults: Faults;
	readonly zone: string;
	readonly now: Date;
	private readonly levels = new Map<Parameter, Level>();
	private readonly known = new Map<Parameter, unknown>();

	constructor(
		private readonly parameters: P,
		origin: Origin,
	) {
		this.zone = origin.zone;
		this.now = origin.now;
		this.faults = origin.faults ?? new Faults();
		this.register(new Level(this, parameters, origin, origin.label ?? ''));
		// Each value has the type that its parameter says.
		this.values = mapValues(parameters, (parameter) => this.valueOf(parameter)) as ValuesOf<P>;
	}

	/** Adds the fault that a parameter cannot be used. The message begins with its label. */
	refuse(name: NamesOf<P>, message: string): void {
		const { parameters } = this;
		const all = { ...parameters.options?.parts, ...parameters } as Parameters;
		const parameter = all[name];
		if (parameter) this.levels.get(parameter)?.refuse(name, message);
	}

	/** What gives saved state its meaning: parameters as they are stored in the node, and what else their values say. */
	meaning(stored: IDataObject): unknown {
		const asStored = pick(stored, storedNames(this.parameters));
		const more = this.meaningsIn(this.parameters);
		return more.length > 0 ? [asStored, ...more] : asStored;
	}

	valueOf<Value>(parameter: Parameter<Value>): Value {
		if (!this.known.has(parameter)) this.known.set(parameter, this.levels.get(parameter)?.read(parameter));
		return this.known.get(parameter) as Value;
	}

	private meaningsIn(parameters: Parameters): unknown[] {
		return Object.values(parameters).flatMap((parameter) => {
			const meaning = parameter.meaning?.(this.valueOf(parameter));
			return [...(meaning === undefined ? [] : [meaning]), ...this.meaningsIn(parameter.parts ?? {})];
		});
	}

	private register(level: Level): void {
		for (const [name, parameter] of Object.entries(level.parameters)) {
			this.levels.set(parameter, level);
			if (parameter.parts) this.register(level.within(name, parameter));
		}
	}
}

/** The paths of what is stored under the names of parameters that give saved state its meaning. */
function storedNames(parameters: Parameters, siblings?: Siblings): string[] {
	const here = siblings ?? { nameOf: (other) => nameAmong(parameters, other) };
	return Object.entries(parameters).flatMap(([name, parameter]) => [
		...(parameter.givesMeaning ? parameter.properties(name, here).map((each) => each.name) : []),
		...storedNames(parameter.parts ?? {}, here).map((part) => `${name}.${part}`),
	]);
}

/** Parameters that are stored side by side: those of the node, or those among its options. */
class Level implements Source {
	readonly zone: string;
	readonly now: Date;

	constructor(
		private readonly reading: Reading<Parameters>,
		readonly parameters: Parameters,
		private readonly origin: Origin,
		private readonly label: string,
		private readonly added?: () => Readonly<Record<string, unknown>>,
	) {
		this.zone = origin.zone;
		this.now = origin.now;
	}

	get faults(): Faults {
		return this.reading.faults;
	}

	/** The parameters within a collection. */
	within(name: string, collection: Parameter): Level {
		const { origin } = this;
		// Read once: an expression may be in it.
		const added = once(() => {
			const stored = origin.read(name, {});
			return isRecord(stored) ? stored : {};
		});
		return new Level(this.reading, collection.parts ?? {}, origin, `${this.labelOf(name)} > `, added);
	}

	read(parameter: Parameter): unknown {
		const name = nameAmong(this.parameters, parameter);
		const isAbsent = this.added && !parameter.isAlwaysRead && !(name in this.added());
		return isAbsent ? parameter.absent : parameter.read(name, this);
	}

	value(name: string, usual?: unknown, options?: ReadOptions): unknown {
		return this.added ? (this.added()[name] ?? usual) : this.origin.read(name, usual, options);
	}

	stored(name: string, usual: unknown): unknown {
		return this.origin.read(name, usual, { rawExpressions: true });
	}

	refuse(name: string, message: string): void {
		this.faults.add(`${this.label}${this.labelOf(name)}`, message);
	}

	valueOf<Value>(other: Parameter<Value>): Value {
		return this.reading.valueOf(other);
	}

	items(): readonly IDataObject[] {
		return this.origin.items();
	}

	private labelOf(name: string): string {
		const anywhere: Siblings = { nameOf: () => '' };
		return this.parameters[name]?.properties(name, anywhere)[0]?.displayName ?? name;
	}
}
