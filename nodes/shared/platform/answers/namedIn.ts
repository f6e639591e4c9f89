import { escaped, safeText } from './answerText';

/** What a query asked for, to find it in the platform's words. */
interface Asked {
	/** Fields that it filters and sorts by. */
	fields: readonly string[];
	/** What it compares them with. */
	values: readonly string[];
	secrets: readonly string[];
}

/** Longer fields are not searched for. */
const LONGEST_FIELD = 80;

/**
 * The field of the query that a message names: a quoted one, else the first one mentioned.
 */
export function fieldIn(words: string, { fields, secrets }: Omit<Asked, 'values'>): string | undefined {
	const mentioned = fields
		.filter((field) => field.length <= LONGEST_FIELD)
		.map((field) => ({ field, at: words.search(new RegExp(`(?<![\\w.])${escaped(field)}(?!\\w)`)) }))
		.filter(({ at }) => at >= 0)
		.sort((a, b) => a.at - b.at || b.field.length - a.field.length);
	const quoted = /['"‘’“”`]([A-Za-z_][\w.]{0,80})['"‘’“”`]/.exec(words)?.[1];
	const asSent = fields.find((field) => field.toLowerCase() === quoted?.toLowerCase());
	const name = asSent ?? mentioned[0]?.field;
	return name === undefined ? undefined : safeText(name, secrets);
}

/** The value of the query that a message quotes. */
export function valueIn(words: string, { fields, values, secrets }: Asked): string | undefined {
	const quoted = [...words.matchAll(/['"‘“`](?=([^'"‘’“”`]{1,80})['"’”`])/g)].map(([, text = '']) => text);
	const value = quoted.find((text) => values.includes(text) && !fields.includes(text));
	return value === undefined ? undefined : safeText(value, secrets);
}
