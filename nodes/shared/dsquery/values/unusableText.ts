import { quote, shorten } from '../../text';

/** What JavaScript and luxon write for a value that is not there, in exactly this case: Null Street and nullable are names. */
const WORD = /(?<![\p{L}\p{M}\p{N}_])(?:undefined|null|NaN|Invalid Date(?:Time)?)(?![\p{L}\p{M}\p{N}_])/u;

export const CAME_OUT_EMPTY =
	'this expression came out empty. Check the data that it reads, or type the value as Fixed.';

/** Whether it is a list without entries, as text: a list that JSON or a sheet held. */
export function isEmptyListText(made: unknown): boolean {
	return typeof made === 'string' && /^\[\s*\]$/.test(made.trim());
}

/** Why a text, or one in a list, that an expression made cannot be what is meant. */
export function explainUnusableText(made: unknown): string | undefined {
	for (const text of Array.isArray(made) ? (made as unknown[]) : [made]) {
		if (isEmptyListText(text)) return CAME_OUT_EMPTY;
		const [word] = (typeof text === 'string' && WORD.exec(text)) || [];
		if (word !== undefined) {
			return `${quote(text)} holds the word ${word}, which an expression writes for a value that is not there. Check the data that it reads; if the word is meant, type it as Fixed.`;
		}
	}
	return undefined;
}

/** What a part of an expression gives: `{{ $json.no }}`. */
export type ExpressionEvaluator = (part: string) => unknown;

/** Up to the end if its braces are not closed, as n8n reads it. */
const PART = /(?<!\\)\{\{[\s\S]*?(?:(?<!\\)\}\}|$)/g;
const LONGEST_PART = 60;

/** Why a text cannot be meant: n8n leaves out what has no value, so `Depot {{ $json.no }}` becomes "Depot ". */
export function explainEmptyExpression(expression: string, evaluate: ExpressionEvaluator): string | undefined {
	const text = expression.slice(1);
	const parts = text.match(PART) ?? [];
	// Alone, it gives its value as it is.
	if (parts[0] === text) return undefined;
	const empty = parts.find((part) => {
		const value = evaluate(part);
		return value === undefined || value === null || Number.isNaN(value);
	});
	if (empty === undefined) return undefined;
	return `${shorten(empty, LONGEST_PART)} in this text came out empty. Check the data that it reads; where nothing may be there, say so, as in {{ $json.name ?? '' }}.`;
}
