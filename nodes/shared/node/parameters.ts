import type { IExecuteFunctions, INodeProperties, IPollFunctions } from 'n8n-workflow';

import { Faults, isBlank, isRecord, kindOf, quote } from '../dsquery/faults';
import { isNote, parseFieldValue } from '../dsquery/fieldValue';
import { readFilterInto, readSortsInto } from '../dsquery/read/form';
import type { Catalogue, Query } from '../dsquery/types';
import type { Paging, PlatformOptions } from '../platform';
import { ON_CONTRADICTION } from './form/listParameters';

/** Where parameters are read from, with the time zone and moment that periods depend on. */
interface Source {
	read(name: string, fallback: unknown, options?: { extractValue?: boolean; rawExpressions?: boolean }): unknown;
	zone: string;
	now: Date;
}

/**
 * The parameters of a node, for one input item or one poll. Defaults, limits and the labels in messages come from the
 * parameters' declarations (`INodeProperties`). Parameters in the Options collection are read by their own name, like
 * all others.
 *
 * Faults are collected in `faults`, and a value of the right type is returned: call `check` before using it.
 */
export class Parameters {
	readonly faults = new Faults();
	/** The workflow's time zone. */
	readonly zone: string;
	/** The moment "today" is counted from. */
	readonly now: Date;
	private readonly options: Readonly<Record<string, unknown>>;

	private constructor(
		private readonly source: Source,
		private readonly declared: readonly INodeProperties[],
	) {
		this.zone = source.zone;
		this.now = source.now;
		const options = source.read('options', {});
		this.options = isRecord(options) ? options : {};
	}

	/** @param declared the properties of the node, or of the operation that reads them */
	static ofItem(context: IExecuteFunctions, itemIndex: number, declared: readonly INodeProperties[]): Parameters {
		const source: Source = {
			read: (name, fallback, options) => context.getNodeParameter(name, itemIndex, fallback, options),
			zone: context.getTimezone(),
			now: startOf(context),
		};
		return new Parameters(source, declared);
	}

	/** @param declared the properties of the trigger */
	static ofPoll(context: IPollFunctions, declared: readonly INodeProperties[]): Parameters {
		const source: Source = {
			read: (name, fallback, options) => context.getNodeParameter(name, fallback, options),
			zone: context.getTimezone(),
			now: new Date(),
		};
		return new Parameters(source, declared);
	}

	/** @throws {QueryError} naming every parameter that cannot be used, if there is one */
	check(): void {
		this.faults.check();
	}

	/** Notes that a parameter cannot be used. The place in the message is the parameter's label. */
	refuse(name: string, message: string): void {
		const { property, isOption } = this.declaration(name);
		this.faults.add(isOption ? `Options > ${property.displayName}` : property.displayName, message);
	}

	/** Whether the node has this parameter. Operations that share code do not share all parameters. */
	declares(name: string): boolean {
		return this.find(name) !== undefined;
	}

	/** Whether the user added an option, whatever its value. */
	hasOption(name: string): boolean {
		return name in this.options;
	}

	/** The unchecked value with expressions resolved; the default if nothing is stored. */
	value(name: string): unknown {
		const { property, isOption } = this.declaration(name);
		if (isOption) return this.options[name] ?? property.default;
		return this.source.read(name, property.default, { extractValue: property.type === 'resourceLocator' });
	}

	/** The value as it is stored in the workflow: an expression stays an expression. Not for options. */
	stored(name: string): unknown {
		return this.source.read(name, this.declaration(name).property.default, { rawExpressions: true });
	}

	/** A whole number within the declared `minValue` (otherwise 0) and `maxValue`. Also accepts digits as text. */
	wholeNumber(name: string): number {
		const { minValue = 0, maxValue = Number.MAX_SAFE_INTEGER } = this.declaration(name).property.typeOptions ?? {};
		const value = this.value(name);
		const number = typeof value === 'string' && WHOLE_NUMBER.test(value.trim()) ? Number(value) : value;
		if (typeof number === 'number' && Number.isInteger(number) && number >= minValue && number <= maxValue) {
			return number;
		}
		const range = maxValue === Number.MAX_SAFE_INTEGER ? `of ${minValue} or more` : `from ${minValue} to ${maxValue}`;
		this.refuse(name, `a whole number ${range} is needed, but ${shown(value)}.`);
		return minValue;
	}

	/** A switch; an option is off until it is added. Also accepts text, as expressions and AI models write it. */
	flag(name: string): boolean {
		if (this.declaration(name).isOption && !this.hasOption(name)) return false;
		const value = this.value(name);
		const text = typeof value === 'string' ? value.trim().toLowerCase() : value;
		if (text === true || text === 'true') return true;
		if (text !== false && text !== 'false') this.refuse(name, `true or false is needed, but ${shown(value)}.`);
		return false;
	}

	/** One of the given names, in any case. */
	choice<Name extends string>(name: string, names: readonly [Name, ...Name[]]): Name {
		const value = this.value(name);
		return this.oneOf(name, value, names) ?? names[0];
	}

	/** Any of the given names, in any case and in the order of `names`; none if nothing is chosen. */
	choices<Name extends string>(name: string, names: readonly Name[]): Name[] {
		const chosen = this.texts(name).map((text) => this.oneOf(name, text, names));
		return names.filter((each) => chosen.includes(each));
	}

	/** The names of one or more fields, each once. The type within `Name|type` is left out. */
	fieldNames(name: string): string[] {
		const texts = this.texts(name);
		const names = texts.filter((text) => !isNote(text)).map((text) => parseFieldValue(text).name);
		const chosen = [...new Set(names.filter((field) => !isBlank(field)))];
		if (chosen.length === 0) {
			this.refuse(name, 'nothing is chosen. Choose at least one entry; if this is an expression, it came out empty.');
		}
		return chosen;
	}

	/** A list of texts without blank ones. Also accepts text with commas, as expressions and AI models write it. */
	texts(name: string): string[] {
		const value = this.value(name);
		if (typeof value === 'string' && value.length > LONGEST_LIST) {
			this.refuse(name, `this text has ${value.length} characters. At most ${LONGEST_LIST} are possible.`);
			return [];
		}
		const entries: unknown = typeof value === 'string' ? listIn(value) : typeof value === 'number' ? [value] : value;
		if (!Array.isArray(entries)) {
			this.refuse(name, `a list of names is needed here, but this is ${kindOf(value)}.`);
			return [];
		}
		const texts: string[] = [];
		for (const entry of entries as unknown[]) {
			if (typeof entry === 'string' || typeof entry === 'number') texts.push(String(entry).trim());
			else this.refuse(name, `a list of names is needed here, but ${kindOf(entry)} is in it.`);
		}
		return texts.filter((text) => !isBlank(text));
	}

	/**
	 * The identifier of one session or station. Accepts numbers and text: the specification shows integers for sessions
	 * and only "identifier" for stations.
	 */
	identifier(name: string): string {
		const value = this.value(name);
		if (isBlank(value)) {
			this.refuse(name, 'nothing is filled in. Enter an ID; if this is an expression, it came out empty.');
		} else if (typeof value === 'number' && !Number.isSafeInteger(value)) {
			this.refuse(
				name,
				`${value} is not a whole number up to 9007199254740991, so it may not be the ID that was meant.`,
			);
		} else if (typeof value === 'string' && value.length > LONGEST_ID) {
			this.refuse(name, `${quote(value)} is too long for an ID.`);
		} else if (typeof value === 'string' && ['.', '..'].includes(value.trim())) {
			// In the path of a URL these point elsewhere, however they are encoded.
			this.refuse(name, `${quote(value)} cannot be an ID. Use the Id of a row that Get Many returns.`);
		} else if (typeof value !== 'string' && typeof value !== 'number') {
			this.refuse(name, 'an ID is text or a number, but this is something else. Pick the Id property of one row.');
		}
		return String(value).trim();
	}

	/** Page size and parallel requests. */
	paging(): Paging {
		return {
			pageSize: this.wholeNumber('pageSize'),
			parallel: this.wholeNumber('parallelRequests'),
			onContradiction: this.onContradiction(),
		};
	}

	/** What to do if the platform contradicts itself. */
	onContradiction() {
		return this.choice('onContradiction', ON_CONTRADICTION);
	}

	/** Timeout and rate limit wait of requests. */
	platformOptions(): PlatformOptions {
		return {
			timeoutMs: this.wholeNumber('timeout') * 1000,
			maxRateLimitWaitMs: this.wholeNumber('maxRateLimitWait') * 1000,
		};
	}

	/** The filter, and the user's sorts if there is a sort form. */
	query(catalogue: Catalogue): Query {
		const stored = { filters: this.value('filters'), logic: this.value('logic') };
		const form = readFilterInto(stored, { catalogue, zone: this.zone, now: this.now }, this.faults);
		const sort = this.declares('sort') ? this.value('sort') : undefined;
		return { filter: form.filter, sorts: readSortsInto(sort, form, catalogue, this.faults) };
	}

	private oneOf<Name extends string>(name: string, value: unknown, names: readonly Name[]): Name | undefined {
		const typed = typeof value === 'string' ? value.slice(0, LONGEST_ID).trim().toLowerCase() : undefined;
		const found = names.find((each) => each.toLowerCase() === typed);
		if (found === undefined) this.refuse(name, `${quote(value)} is none of: ${names.join(', ')}.`);
		return found;
	}

	private declaration(name: string): Declaration {
		const found = this.find(name);
		if (!found) throw new Error(`The parameter ${name} is read but not declared`);
		return found;
	}

	private find(name: string): Declaration | undefined {
		const property = this.declared.find((each) => each.name === name);
		if (property) return { property, isOption: false };
		const options = this.declared.find((each) => each.name === 'options')?.options ?? [];
		const option = options.find((each): each is INodeProperties => 'type' in each && each.name === name);
		return option && { property: option, isOption: true };
	}
}

interface Declaration {
	property: INodeProperties;
	/** Whether it is in the Options collection. */
	isOption: boolean;
}

/** Longer texts are not IDs or names, or lists of them. Limits the work on unexpected results of expressions. */
const LONGEST_ID = 500;
const LONGEST_LIST = 100_000;
const WHOLE_NUMBER = /^\d+(?:\.0*)?$/;

/** The entries of a list written as text. Models also write it as JSON. */
function listIn(text: string): string[] {
	const trimmed = text.trim();
	const list = trimmed.startsWith('[') && trimmed.endsWith(']') ? trimmed.slice(1, -1) : trimmed;
	return list.split(/[,\n]/).map((entry) => entry.trim().replace(/^(["'])(.*)\1$/, '$2'));
}

function shown(value: unknown): string {
	if (isBlank(value)) return 'it is empty';
	return typeof value === 'number' ? `it is ${value}` : `it is ${quote(value)}`;
}

const starts = new WeakMap<IExecuteFunctions, Date>();

/** The moment "today" is counted from: the same for all input items, even if midnight passes between them. */
function startOf(context: IExecuteFunctions): Date {
	const start = starts.get(context) ?? new Date();
	starts.set(context, start);
	return start;
}
