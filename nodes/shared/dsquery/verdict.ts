import { knownField } from './catalogue';
import { endsOf } from './compose';
import type { OperatorName } from './operators';
import { isGroup, type Catalogue, type Condition, type FilterNode } from './types';
import { SECOND_MS } from './values/durations';
import { readTime } from './values/readTime';

/** Whether a row satisfies a filter: certainly, certainly not, or it cannot be told from what the row shows. */
export type Verdict = 'yes' | 'no' | 'unsure';

export type Row = Readonly<Record<string, unknown>>;

/**
 * Whether a row satisfies a filter, as far as that is certain: numbers, codes, true and false, and times in UTC.
 * Whatever rounding, a second, a missing value, a name for a code, or a collation could explain decides nothing.
 */
export function verdictOf(node: FilterNode, row: Row, catalogue: Catalogue): Verdict {
	if (!isGroup(node)) return ofCondition(node, row, catalogue);
	if (node.logic !== 'And' && node.logic !== 'Or') return 'unsure';
	const verdicts = node.filters.map((inner) => verdictOf(inner, row, catalogue));
	const [decides, others] = node.logic === 'And' ? (['no', 'yes'] as const) : (['yes', 'no'] as const);
	if (verdicts.includes(decides)) return decides;
	return verdicts.every((verdict) => verdict === others) ? others : 'unsure';
}

/** The part of a filter that a row certainly does not satisfy: a condition, or a group joined with Or. */
export function brokenPart(node: FilterNode, row: Row, catalogue: Catalogue): FilterNode | undefined {
	if (verdictOf(node, row, catalogue) !== 'no') return undefined;
	if (!isGroup(node)) return node;
	const broken = node.filters.map((inner) => brokenPart(inner, row, catalogue)).filter((inner) => inner !== undefined);
	return node.logic === 'And' || broken.length === 1 ? broken[0] : node;
}

const OPPOSITES: Partial<Record<OperatorName, OperatorName>> = {
	...{ Eq: 'Neq', Neq: 'Eq', Lt: 'Gte', Gte: 'Lt', Gt: 'Lte', Lte: 'Gt' },
};

/** The filter that a row with a value satisfies exactly if it does not satisfy this one. Undefined where there is none. */
export function oppositeOf(node: FilterNode): FilterNode | undefined {
	if (isGroup(node)) {
		if (node.logic !== 'And' && node.logic !== 'Or') return undefined;
		return joined(node.logic === 'And' ? 'Or' : 'And', node.filters.map(oppositeOf));
	}
	const { field, operator, value } = node;
	if (typeof operator === 'number') return undefined;
	const opposite = OPPOSITES[operator];
	if (opposite) return { field, operator: opposite, value };
	const ends = endsOf(node);
	if (ends) return joined('Or', ends.map(oppositeOf));
	if (operator !== 'In') return undefined;
	return joined('And', value.split(',').map((one): Condition => ({ field, operator: 'Neq', value: one.trim() }))); // prettier-ignore
}

function joined(logic: 'And' | 'Or', parts: ReadonlyArray<FilterNode | undefined>): FilterNode | undefined {
	const filters = parts.filter((part) => part !== undefined);
	return filters.length === parts.length ? { logic, filters } : undefined;
}

function ofCondition(condition: Condition, row: Row, catalogue: Catalogue): Verdict {
	const { field, operator, value } = condition;
	const ends = endsOf(condition);
	if (ends) return verdictOf({ logic: 'And', filters: ends }, row, catalogue);
	const shown = comparedIn(row, field, catalogue);
	if (operator !== 'In') return ofValue(shown, condition, catalogue);
	const one = (text: string): Condition => ({ field, operator: 'Eq', value: text.trim() });
	const verdicts = value.split(',').map((text) => ofValue(shown, one(text), catalogue));
	if (verdicts.includes('yes')) return 'yes';
	return verdicts.every((verdict) => verdict === 'no') ? 'no' : 'unsure';
}

function ofValue(shown: unknown, condition: Condition, catalogue: Catalogue): Verdict {
	if (typeof shown === 'number') return ofNumber(shown, condition, catalogue);
	if (typeof shown === 'boolean') return ofBoolean(shown, condition);
	return typeof shown === 'string' ? ofTime(shown, condition) : 'unsure';
}

/**
 * A condition that every row must satisfy and that asks for a value where this row has null. As specified, a row without
 * a value satisfies none but Neq; a platform may see it otherwise, so this proves nothing.
 */
export function emptyPart(node: FilterNode, row: Row): Condition | undefined {
	if (!isGroup(node)) {
		const wantsValue = node.value !== '' && node.operator !== 'Neq' && oppositeOf(node) !== undefined;
		return wantsValue && valueIn(row, node.field) === null ? node : undefined;
	}
	if (node.logic !== 'And') return undefined;
	return node.filters.map((inner) => emptyPart(inner, row)).find((part) => part !== undefined);
}

/** The value of a field. Undefined if several fields differ only in case. */
export function valueIn(row: Row, field: string): unknown {
	const wanted = field.toLowerCase();
	// A row may have two thousand names, and most of them another length.
	const names = Object.keys(row).filter((name) => name.length === field.length && name.toLowerCase() === wanted);
	const [only] = names;
	return names.length === 1 && only !== undefined ? row[only] : undefined;
}

/** The value of a field as it is compared: a number that the platform writes as text is one, unless it is an Id. */
export function comparedIn(row: Row, field: string, catalogue: Catalogue): unknown {
	const shown = valueIn(row, field);
	const isText = typeof shown === 'string' && NUMBER.test(shown) && field.toLowerCase() !== 'id';
	return isText && knownField(catalogue, field)?.type === 'number' ? Number(shown) : shown;
}

/** A number that a filter can be compared with. */
const NUMBER = /^[+-]?\d{1,15}(?:\.\d{1,15})?$/;

/** A value as a filter writes it, if rows can be compared with it for certain: a number, or a time in UTC. */
export function comparableValue(shown: unknown, field: string): string | undefined {
	if (typeof shown === 'number') return [String(shown), shown.toFixed(6)].find((text) => NUMBER.test(text));
	const time = typeof shown === 'string' && isInUtc(shown, field) ? readTime(shown) : undefined;
	return time === undefined ? undefined : new Date(time).toISOString().slice(0, 19);
}

/** Codes and Ids are exact; any other number may have been rounded to the digits that it shows. */
function ofNumber(shown: number, { field, operator, value }: Condition, catalogue: Catalogue): Verdict {
	if (!NUMBER.test(value) || !Number.isFinite(shown)) return 'unsure';
	if (Number.isInteger(shown) && !Number.isSafeInteger(shown)) return 'unsure';
	const known = knownField(catalogue, field);
	const asked = Number(value);
	const areWhole = Number.isInteger(shown) && Number.isInteger(asked);
	const isExact = areWhole && (known?.type === 'code' || field.toLowerCase() === 'id');
	if ((operator === 'Eq' || operator === 'Neq') && !areWhole) return 'unsure';
	return compared(shown - asked, operator, isExact ? 0 : roundingOf(shown));
}

/** How far a number may be from what it stands for: one unit of its last digit, and at least 0.01. */
function roundingOf(shown: number): number {
	const digits = /\.(\d+)$/.exec(String(shown))?.[1]?.length ?? 0;
	return Math.max(0.01, 10 ** -digits) + Number.EPSILON * Math.abs(shown) * 4;
}

function ofBoolean(shown: boolean, { operator, value }: Condition): Verdict {
	const asked = value.trim().toLowerCase();
	if ((asked !== 'true' && asked !== 'false') || (operator !== 'Eq' && operator !== 'Neq')) return 'unsure';
	return ((asked === 'true') === shown) === (operator === 'Eq') ? 'yes' : 'no';
}

/** Whether a time says its zone, or its field that it is in UTC. */
function isInUtc(shown: string, field: string): boolean {
	return /(?:Z|[+-]\d\d:?\d\d)$/i.test(shown) || /utc$/i.test(field);
}

/** Times may be cut or rounded to a second. */
function ofTime(shown: string, { field, operator, value }: Condition): Verdict {
	if (!isInUtc(shown, field)) return 'unsure';
	const [time, asked] = [readTime(shown), readTime(value)];
	if (time === undefined || asked === undefined) return 'unsure';
	return compared(time - asked, operator, 2 * SECOND_MS);
}

/** @param margin differences up to this are no difference, or may be one; 0 for exact values */
function compared(difference: number, operator: Condition['operator'], margin: number): Verdict {
	if (margin > 0 && Math.abs(difference) <= margin) return 'unsure';
	const sign = Math.sign(difference);
	const holds = {
		Eq: sign === 0,
		Neq: sign !== 0,
		Lt: sign < 0,
		Lte: sign <= 0,
		Gt: sign > 0,
		Gte: sign >= 0,
	} as Partial<Record<Condition['operator'], boolean>>;
	const answer = holds[operator];
	return answer === undefined ? 'unsure' : answer ? 'yes' : 'no';
}
