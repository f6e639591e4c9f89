import uniq from 'lodash/uniq';

import type { Condition } from './types';
import { valueIn } from './verdict';

const LONGEST_TEXT = 200;

/** Text comparison may be case-sensitive: the text as typed, lower case, upper case, and each word capitalized. */
export function casesOf(text: string): string[] {
	const lower = text.toLowerCase();
	const capitalized = lower.replace(/(?<![\p{L}\p{N}])\p{L}/gu, (letter) => letter.toUpperCase());
	return uniq([text, lower, text.toUpperCase(), capitalized]);
}

/** Whether a text holds what was asked for. Both are compared as they are. */
type Matches = (text: string, asked: string) => boolean;

const MATCHES: Partial<Record<Condition['operator'], Matches>> = {
	Eq: (text, asked) => text === asked,
	In: (text, asked) => text === asked,
	Contains: (text, asked) => text.includes(asked),
	StartsWith: (text, asked) => text.startsWith(asked),
	EndsWith: (text, asked) => text.endsWith(asked),
};

/** The texts that a condition looks for, each as a condition of its own; none if capitals do not matter to it. */
export function textsOf(condition: Condition): Condition[] {
	const { operator, value } = condition;
	if (MATCHES[operator] === undefined) return [];
	const texts = operator === 'In' ? value.split(',') : [value];
	return texts
		.map((text) => text.trim())
		.filter((text) => /\p{L}/u.test(text) && text.length <= LONGEST_TEXT)
		.map((text) => ({ ...condition, operator: operator === 'In' ? 'Eq' : operator, value: text }));
}

/** A text of the rows that fits the condition but for its capitals, or that holds the whole text asked for. Undefined if none does, or if one fits as it is. */
export function otherSpelling(
	{ field, operator, value }: Condition,
	rows: ReadonlyArray<Readonly<Record<string, unknown>>>,
): string | undefined {
	const matches = MATCHES[operator];
	if (matches === undefined || value.length > LONGEST_TEXT) return undefined;
	const cells = rows.map((row) => valueIn(row, field));
	const texts = cells.filter((text) => typeof text === 'string' && text.length <= LONGEST_TEXT) as string[];
	if (texts.some((text) => matches(text, value))) return undefined;
	const fits = (how: Matches) => texts.find((text) => how(text.toLowerCase(), value.toLowerCase()));
	// A part of a name is easily taken for the whole: "zürich market" for "Zürich Market Square".
	return fits(matches) ?? (operator === 'Eq' ? fits((text, asked) => text.includes(asked)) : undefined);
}
