import type { Refuse } from '../dsquery/validationIssues';
import { isBlank, kindOf, quote } from '../text';
import { parseList } from '../dsquery/values/list';
import { toWholeNumber } from '../dsquery/values/wholeNumber';
import { createParameter, type ParameterDeclaration, type Parameter, type ParameterSource } from './parameter';

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

/** A switch. As an option it is off until it is added; the default is what adding it shows. Also accepts text. */
export function flag(declared: ParameterDeclaration & { default: boolean }): Parameter<boolean, false> {
	const { default: usual, ...rest } = declared;
	const read = (value: unknown, refuse: Refuse) => {
		const text = typeof value === 'string' ? value.trim().toLowerCase() : value;
		if (text !== true && text !== false && text !== 'true' && text !== 'false') {
			refuse(`true or false is needed, but ${shown(value)}.`);
		}
		return text === true || text === 'true';
	};
	return { ...createParameter<boolean>(rest, { type: 'boolean', default: usual }, read), absent: false };
}

interface NumberDeclaration extends ParameterDeclaration {
	default: number;
	max?: number;
}

/** A whole number, from 0 unless another minimum is said. Also accepts digits as text. */
export function integer(declared: NumberDeclaration & { min?: number }): Parameter<number, undefined> {
	const { min, max, default: usual, ...rest } = declared;
	const [lowest, highest] = [min ?? 0, max ?? Number.MAX_SAFE_INTEGER];
	return createParameter(rest, { type: 'number', typeOptions: limits(min, max), default: usual }, (value, refuse) => {
		const number = toWholeNumber(value);
		if (number !== undefined && number >= lowest && number <= highest) return number;
		const range = max === undefined ? `of ${lowest} or more` : `from ${lowest} to ${highest}`;
		refuse(`a whole number ${range} is needed, but ${shown(value)}.`);
		return lowest;
	});
}

/** A number above 0, which may have decimals. */
export function decimal(declared: NumberDeclaration & { max: number; unit: string }): Parameter<number, undefined> {
	const { max, unit, default: usual, ...rest } = declared;
	return createParameter(rest, { type: 'number', typeOptions: limits(0), default: usual }, (value, refuse) => {
		const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
		if (typeof number === 'number' && number > 0 && number <= max) return number;
		refuse(`a number of ${unit} above 0, up to ${max}, is needed, but it is ${quote(value)}.`);
		return max;
	});
}

const limits = (min?: number, max?: number) => ({
	...(min !== undefined && { minValue: min }),
	...(max !== undefined && { maxValue: max }),
});

/** Text as it is stored, or what an expression makes of it: `read` says what it is. */
export function textParameter<Value>(
	{ default: usual = '', ...declared }: ParameterDeclaration & { default?: string },
	read: (value: unknown, refuse: Refuse, source: ParameterSource) => Value,
): Parameter<Value, undefined> {
	return createParameter(declared, { type: 'string', default: usual }, read);
}

/** A text that holds a list, such as codes with commas, or what an expression makes of it. */
export function textListParameter<Value>(
	{ default: usual, ...declared }: ParameterDeclaration & { default: string },
	read: (entries: string[], refuse: Refuse) => Value,
): Parameter<Value, undefined> {
	const readList = (value: unknown, refuse: Refuse) => read(readTextList(value, refuse), refuse);
	return createParameter(declared, { type: 'string', default: usual }, readList, true);
}

/** One of some values, in any case. */
export function oneOf<const Name extends string>(
	declared: ParameterDeclaration & { choices: ReadonlyArray<Choice<Name>>; default: NoInfer<Name> },
): Parameter<Name, undefined> {
	const { choices, default: usual, ...rest } = declared;
	const names = choices.map(({ value }) => value);
	const own = { type: 'options' as const, options: [...choices], default: usual };
	return createParameter(rest, own, (value, refuse) => nameAmong(names, value, refuse) ?? usual);
}

/** Any of some values, in any case and in the order of the choices, or of `order`. */
export function someOf<const Name extends string>(
	declared: ParameterDeclaration & {
		choices: ReadonlyArray<Choice<Name>>;
		default: ReadonlyArray<NoInfer<Name>>;
		/** The order of the values, if it is not that of the panel. */
		order?: ReadonlyArray<NoInfer<Name>>;
		/** Why at least one must be chosen. Left out if none may be chosen. */
		whyNone?: string;
	},
): Parameter<Name[], undefined> {
	const { choices, order, whyNone, default: usual, ...rest } = declared;
	const names = order ?? choices.map(({ value }) => value);
	const own = { type: 'multiOptions' as const, options: [...choices], default: [...usual] };
	return createParameter(rest, own, (value, refuse) => {
		const chosen = readTextList(value, refuse).map((each) => nameAmong(names, each, refuse));
		if (chosen.length === 0 && whyNone !== undefined) refuse(whyNone);
		return names.filter((each) => chosen.includes(each));
	});
}

/** The name that the value is, in any case. Refuses any other value. */
export function matchName<Name extends string>(
	names: readonly Name[],
	value: unknown,
	name: string,
	source: ParameterSource,
): Name | undefined {
	return nameAmong(names, value, (message) => source.refuse(name, message));
}

function nameAmong<Name extends string>(names: readonly Name[], value: unknown, refuse: Refuse): Name | undefined {
	const typed = typeof value === 'string' ? value.slice(0, LONGEST_NAME).trim().toLowerCase() : undefined;
	const found = names.find((each) => each.toLowerCase() === typed);
	if (found === undefined) refuse(`${quote(value)} is none of: ${names.join(', ')}.`);
	return found;
}

/** A list of texts without blank ones, in any form of a list. */
export function readTextList(value: unknown, refuse: Refuse): string[] {
	if (typeof value === 'string' && value.length > LONGEST_LIST) {
		refuse(`this text has ${value.length} characters. At most ${LONGEST_LIST} are possible.`);
		return [];
	}
	if (typeof value !== 'string' && typeof value !== 'number' && !Array.isArray(value)) {
		refuse(`a list of names is needed here, but this is ${kindOf(value)}.`);
		return [];
	}
	const texts = parseList(value).map((entry) => {
		if (typeof entry === 'string' || typeof entry === 'number') return String(entry).trim();
		refuse(`a list of names is needed here, but ${kindOf(entry)} is in it.`);
		return '';
	});
	return texts.filter((each) => !isBlank(each));
}

function shown(value: unknown): string {
	if (isBlank(value)) return 'it is empty';
	return typeof value === 'number' ? `it is ${value}` : `it is ${quote(value)}`;
}
