import { isBlank, kindOf, quote } from '../text';
import { entriesOf } from '../dsquery/values/list';
import { property, type Declaration, type Parameter, type Source } from './parameter';

/** One of the values to choose from. */
export interface Choice<Name extends string> {
	/** As the panel shows it. */
	name: string;
	value: Name;
	description?: string;
}

/** Longer texts are not names, or lists of them. Limits the work on unexpected results of expressions. */
const LONGEST_NAME = 500;
const LONGEST_LIST = 100_000;
const WHOLE_NUMBER = /^\d+(?:\.0*)?$/;

/** A switch. As an option it is off until it is added; the default is what adding it shows. Also accepts text. */
export function flag(declared: Declaration & { default: boolean }): Parameter<boolean, false> {
	return {
		absent: false,
		properties: (name) => [property(name, declared, { type: 'boolean', default: declared.default })],
		read(name, source) {
			const value = source.value(name, declared.default);
			const text = typeof value === 'string' ? value.trim().toLowerCase() : value;
			if (text === true || text === 'true') return true;
			if (text !== false && text !== 'false') source.refuse(name, `true or false is needed, but ${shown(value)}.`);
			return false;
		},
	};
}

interface Limits {
	/** 0 if left out. */
	min?: number;
	max?: number;
}

/** A whole number. Also accepts digits as text. */
export function whole(declared: Declaration & Limits & { default: number }): Parameter<number, undefined> {
	const { min, max, ...rest } = declared;
	const [lowest, highest] = [min ?? 0, max ?? Number.MAX_SAFE_INTEGER];
	return {
		properties: (name) => [numberProperty(name, rest, { min, max })],
		read(name, source) {
			const value = source.value(name, declared.default);
			const number = typeof value === 'string' && WHOLE_NUMBER.test(value.trim()) ? Number(value) : value;
			const isWhole = typeof number === 'number' && Number.isInteger(number);
			if (isWhole && number >= lowest && number <= highest) return number;
			const range = max === undefined ? `of ${lowest} or more` : `from ${lowest} to ${highest}`;
			source.refuse(name, `a whole number ${range} is needed, but ${shown(value)}.`);
			return lowest;
		},
	};
}

/** A number above 0, which may have decimals. */
export function decimal(
	declared: Declaration & { default: number; max: number; unit: string },
): Parameter<number, undefined> {
	const { max, unit, ...rest } = declared;
	return {
		properties: (name) => [numberProperty(name, rest, { min: 0 })],
		read(name, source) {
			const value = source.value(name, declared.default);
			const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
			if (typeof number === 'number' && number > 0 && number <= max) return number;
			source.refuse(name, `a number of ${unit} above 0, up to ${max}, is needed, but it is ${quote(value)}.`);
			return max;
		},
	};
}

function numberProperty(name: string, declared: Declaration & { default: number }, { min, max }: Limits) {
	const limits = { ...(min !== undefined && { minValue: min }), ...(max !== undefined && { maxValue: max }) };
	return property(name, declared, { type: 'number', typeOptions: limits, default: declared.default });
}

/** Text as it is stored, or what an expression makes of it: `read` says what it is. */
export function text<Value>(
	declared: Declaration & { default?: string },
	read: (value: unknown, refuse: (message: string) => void, source: Source) => Value,
): Parameter<Value, undefined> {
	const usual = declared.default ?? '';
	return {
		properties: (name) => [property(name, declared, { type: 'string', default: usual })],
		read: (name, source) => read(source.value(name, usual), (message) => source.refuse(name, message), source),
	};
}

/** One of some values, in any case. */
export function oneOf<const Name extends string>(
	declared: Declaration & { choices: ReadonlyArray<Choice<Name>>; default: NoInfer<Name> },
): Parameter<Name, undefined> {
	const { choices, ...rest } = declared;
	const names = choices.map(({ value }) => value);
	return {
		properties: (name) => [property(name, rest, { type: 'options', options: [...choices], default: declared.default })],
		read: (name, source) => among(names, source.value(name, declared.default), name, source) ?? declared.default,
	};
}

/** Any of some values, in any case and in the order of the choices, or of `order`. */
export function someOf<const Name extends string>(
	declared: Declaration & {
		choices: ReadonlyArray<Choice<Name>>;
		default: ReadonlyArray<NoInfer<Name>>;
		/** The order of the values, if it is not that of the panel. */
		order?: ReadonlyArray<NoInfer<Name>>;
		/** Why one at least must be chosen, if it must. */
		whyNone?: string;
	},
): Parameter<Name[], undefined> {
	const { choices, order, whyNone, ...rest } = declared;
	const names = order ?? choices.map(({ value }) => value);
	return {
		properties: (name) => [
			property(name, rest, { type: 'multiOptions', options: [...choices], default: [...declared.default] }),
		],
		read(name, source) {
			const texts = readTexts(source.value(name, declared.default), (message) => source.refuse(name, message));
			const chosen = texts.map((each) => among(names, each, name, source));
			if (chosen.length === 0 && whyNone !== undefined) source.refuse(name, whyNone);
			return names.filter((each) => chosen.includes(each));
		},
	};
}

/** That of the names which the value is, in any case. Adds a fault if it is none. */
export function among<Name extends string>(
	names: readonly Name[],
	value: unknown,
	name: string,
	source: Source,
): Name | undefined {
	const typed = typeof value === 'string' ? value.slice(0, LONGEST_NAME).trim().toLowerCase() : undefined;
	const found = names.find((each) => each.toLowerCase() === typed);
	if (found === undefined) source.refuse(name, `${quote(value)} is none of: ${names.join(', ')}.`);
	return found;
}

/** A list of texts without blank ones. */
export function readTexts(value: unknown, refuse: (message: string) => void): string[] {
	if (typeof value === 'string' && value.length > LONGEST_LIST) {
		refuse(`this text has ${value.length} characters. At most ${LONGEST_LIST} are possible.`);
		return [];
	}
	if (typeof value !== 'string' && typeof value !== 'number' && !Array.isArray(value)) {
		refuse(`a list of names is needed here, but this is ${kindOf(value)}.`);
		return [];
	}
	const texts: string[] = [];
	for (const entry of entriesOf(value)) {
		if (typeof entry === 'string' || typeof entry === 'number') texts.push(String(entry).trim());
		else refuse(`a list of names is needed here, but ${kindOf(entry)} is in it.`);
	}
	return texts.filter((each) => !isBlank(each));
}

function shown(value: unknown): string {
	if (isBlank(value)) return 'it is empty';
	return typeof value === 'number' ? `it is ${value}` : `it is ${quote(value)}`;
}
