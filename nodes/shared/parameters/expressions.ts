import { isExpression } from 'n8n-workflow';

import type { ExpressionResult } from '../dsquery/types';
import {
	CAME_OUT_EMPTY,
	explainEmptyExpression,
	explainUnusableText,
	type ExpressionEvaluator,
} from '../dsquery/values/unusableText';
import { parseList } from '../dsquery/values/list';
import { isEmptyValue } from '../dsquery/values/values';

/** Why a value that an expression made cannot be used, if so. Undefined if no expression is stored. */
export function inspectExpressions(
	stored: unknown,
	value: unknown,
	evaluate: ExpressionEvaluator,
): ExpressionResult | undefined {
	const expressions = expressionsIn(stored);
	if (expressions.length === 0) return undefined;
	const incomplete = expressions.map((expression) => explainEmptyExpression(expression, evaluate));
	return { whyUnusable: incomplete.find((why) => why !== undefined) ?? explainUnusableText(value) };
}

/** The expressions in a stored value: in a text, or in texts within a list or an object. */
function expressionsIn(stored: unknown): string[] {
	if (typeof stored === 'string') return isExpression(stored) ? [stored] : [];
	return typeof stored === 'object' && stored !== null ? Object.values(stored).flatMap(expressionsIn) : [];
}

/**
 * Why the result of an expression counts as empty, or an entry of it does. A list may come in any form: `[]` as text
 * has no entries.
 */
export function explainEmpty(value: unknown, isList = false): string | undefined {
	const made: unknown = isList && typeof value === 'string' && !isEmptyValue(value) ? parseList(value) : value;
	if (isEmptyValue(made)) return CAME_OUT_EMPTY;
	const values: unknown[] = Array.isArray(made) ? made : [];
	const empty = values.findIndex(isEmptyValue);
	if (empty < 0) return undefined;
	return `value ${empty + 1} of ${values.length} is empty. Remove it, or check the expression it comes from.`;
}
