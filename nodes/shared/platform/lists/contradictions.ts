import isEqual from 'lodash/isEqual';
import upperFirst from 'lodash/upperFirst';

import { resolveStatusCode, findKnownField } from '../../dsquery/listSchema';
import { splitRange } from '../../dsquery/compose';
import { findFieldValue } from '../../dsquery/fieldName';
import { operatorInWords } from '../../dsquery/operators';
import { type Condition, type FilterNode, isFilterGroup, type SortEntry } from '../../dsquery/types';
import { readTime } from '../../dsquery/values/readTime';
import type { ListResource } from '../../resources';
import { formatId } from '../answers/envelope';
import { PlatformError } from '../answers/errors';
import { quote } from '../../text';
import type { Row } from '../types';
import { FILTER_AFTERWARDS } from './wholeList';

/** If more rows than this do not match, the platform ignores the filter; fewer may just have changed. */
const MOST_CHANGED = { rows: 2, share: 0.05 };

/** A row that certainly does not match, and the condition that rules it out. */
interface ContradictingRow {
	row: Row;
	condition: Condition;
}

/** The rows that contradict a condition on the Id, or on a code among the fields of the list. */
export function findContradictions(
	list: ListResource,
	filter: FilterNode | undefined,
	rows: readonly Row[],
): ContradictingRow[] {
	if (!filter) return [];
	return rows.flatMap((row) => {
		const condition = brokenPart(filter, row, list);
		return condition ? [{ row, condition }] : [];
	});
}

/**
 * Compares the Id in the detail of a row with the Id that was asked for. A detail without an Id passes.
 *
 * @throws PlatformError if it is that of another row
 */
export function assertRequestedDetail(list: ListResource, id: string, row: Row): void {
	const condition: Condition = { field: 'Id', operator: 'Eq', value: id };
	if (!isBroken(condition, row, list)) return;
	throw new PlatformError('invalid-answer', inWordsOf(list, { row, condition }), {
		description:
			"Something between n8n and the platform, such as a cache, may mix up its answers. Run the workflow again; if this keeps happening, tell the platform's support.",
	});
}

/**
 * Compares a page with the filter that was sent, as a gateway may drop it. Only conditions on the Id and on codes count, as
 * these are exact: zone and rounding of times and numbers are the platform's. A page that is filtered by times, texts or
 * numbers only cannot be told from a whole list.
 *
 * @param before what was found in the same page a moment ago
 * @returns rows that may just have changed
 * @throws PlatformError where there are too many for that, or the same ones as before
 */
export function checkAgainstFilter(
	list: ListResource,
	filter: FilterNode | undefined,
	rows: readonly Row[],
	before: readonly ContradictingRow[] = [],
): ContradictingRow[] {
	const found = findContradictions(list, filter, rows);
	const [first] = found;
	const most = Math.max(MOST_CHANGED.rows, rows.length * MOST_CHANGED.share);
	const again = found.find(({ row }) => before.some((other) => isEqual(row.Id ?? row, other.row.Id ?? other.row)));
	if (again) throw filterIgnoredError(list, again);
	if (first && found.length > most) throw filterIgnoredError(list, first);
	return found;
}

/** A note on a row that may just have changed. */
export function contradictingRowNote(list: ListResource, contradiction: ContradictingRow): string {
	return `${inWordsOf(list, contradiction)}: it may just have changed. Check that the rows are what you expect.`;
}

/** What is thrown where a row shows that the filter is ignored. */
export function filterIgnoredError(list: ListResource, contradiction: ContradictingRow): PlatformError {
	const { field } = contradiction.condition;
	const message = `${inWordsOf(list, contradiction)}: the platform does not apply the condition on ${field}`;
	return new PlatformError('configuration', message, {
		description: `Nothing was returned, because it would not be what you asked for. Something between n8n and the platform may drop the whole filter: tell the platform's support. Until then, ${FILTER_AFTERWARDS}`,
	});
}

function inWordsOf(list: ListResource, { row, condition }: ContradictingRow): string {
	const { field, operator, value } = condition;
	const asked = operator === 'Eq' ? value.slice(0, 80) : `“${operatorInWords(operator)} ${value.slice(0, 80)}”`;
	return `${upperFirst(nameOf(list, row))} has ${field} ${shownValue(row, field)}, but ${asked} was asked for`;
}

/** A condition of the filter that this row certainly does not satisfy, and that therefore rules it out. */
function brokenPart(node: FilterNode, row: Row, list: ListResource): Condition | undefined {
	if (!isFilterGroup(node)) return isBroken(node, row, list) ? node : undefined;
	const parts = node.filters.map((inner) => brokenPart(inner, row, list));
	if (node.logic === 'And') return parts.find((part) => part !== undefined);
	return node.logic === 'Or' && parts.every((part) => part !== undefined) ? parts[0] : undefined;
}

/** Whether each operator is satisfied, by the sign of "value in the row minus value asked for". */
const HOLDS: Partial<Record<Condition['operator'], (sign: number) => boolean>> = {
	Eq: (sign) => sign === 0,
	Neq: (sign) => sign !== 0,
	Lt: (sign) => sign < 0,
	Lte: (sign) => sign <= 0,
	Gt: (sign) => sign > 0,
	Gte: (sign) => sign >= 0,
};

function isBroken({ field, operator, value }: Condition, row: Row, list: ListResource): boolean {
	const { type, codes } = findKnownField(list, field) ?? {};
	const isCode = type === 'code';
	if (!isCode && field.toLowerCase() !== 'id') return false;
	const ends = splitRange({ field, operator, value });
	if (ends) return ends.some((end) => isBroken(end, row, list));
	const found = findFieldValue(row, field);
	const shown = exact(isCode ? resolveStatusCode(codes, found) : found);
	if (shown === undefined) return false;
	if (operator === 'In') return value.split(',').every((one) => differ(shown, exact(one), isCode));
	const [asked, holds] = [exact(value), HOLDS[operator]];
	if (asked === undefined || !holds) return false;
	if (typeof shown !== 'bigint' || typeof asked !== 'bigint') return operator === 'Eq' && differ(shown, asked, isCode);
	return !holds(shown < asked ? -1 : shown > asked ? 1 : 0);
}

/** A whole number, or a text without what platforms may write in several ways, as in GUIDs. Undefined for anything else. */
function exact(value: unknown): bigint | string | undefined {
	if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
	if (typeof value !== 'string') return undefined;
	const text = value.trim();
	if (/^[+-]?\d{1,40}(?:\.0{1,9})?$/.test(text)) return BigInt(text.replace(/^\+|\..*$/g, ''));
	return text.toLowerCase().replace(/[{}-]/g, '') || undefined;
}

/** Whether two values certainly differ. A name and a number may stand for the same code, but not for the same Id. */
function differ(shown: bigint | string, asked: bigint | string | undefined, isCode: boolean): boolean {
	if (asked === undefined || (isCode && typeof shown !== typeof asked)) return false;
	return String(shown) !== String(asked);
}

/** If a larger share of neighbours than this is out of order, the platform ignores the sort. */
const MISPLACED_SHARE = 0.25;

/**
 * Checks that neighbouring numbers and times are in the order that was asked for: without it, the first rows would be
 * the wrong ones.
 *
 * @returns notes
 * @throws PlatformError if the platform does not sort
 */
export function checkSortOrder(list: ListResource, [sort]: readonly SortEntry[], rows: readonly Row[]): string[] {
	// Codes may be in the order of their names.
	if (!sort || findKnownField(list, sort.field)?.type === 'code') return [];
	const { field, direction } = sort;
	const values = rows.map((row) => ordered(findFieldValue(row, field), list, field));
	const pairs = rows.slice(1).flatMap((second, index) => {
		const [before, value] = [values[index], values[index + 1]];
		if (before === undefined || value === undefined) return [];
		return { first: rows[index] as Row, second, isMisplaced: direction === 'Asc' ? before > value : before < value };
	});
	const misplaced = pairs.filter(({ isMisplaced }) => isMisplaced);
	const [worst] = misplaced;
	if (!worst) return [];
	const show = (row: Row) => `${nameOf(list, row)} with ${field} ${shownValue(row, field)}`;
	const asked = `${field} ${direction === 'Asc' ? 'ascending' : 'descending'}`;
	const found = `${upperFirst(show(worst.first))} comes before ${show(worst.second)}, but ${asked} was asked for`;
	// Ids do not change.
	if (field.toLowerCase() !== 'id' && misplaced.length <= pairs.length * MISPLACED_SHARE) {
		return [`${found}: some rows may have changed while they were sorted. Use n8n's Sort node after this one.`];
	}
	throw new PlatformError('invalid-answer', `${found}: the platform does not sort by it`, {
		description: `Nothing was returned, because these would not be the first ones in that order. Turn on Return All, and use n8n's Limit node after this one.`,
	});
}

/** A value whose order is certain: a number, or a time. Some platforms write decimal numbers as text. */
function ordered(value: unknown, list: ListResource, field: string): number | undefined {
	if (typeof value === 'number') return value;
	const isNumber = findKnownField(list, field)?.type === 'number' && field.toLowerCase() !== 'id';
	if (isNumber && typeof value === 'string' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value)) return Number(value);
	return readTime(value);
}

function nameOf({ noun }: ListResource, row: Row): string {
	return row.Id === undefined || row.Id === null ? `a ${noun}` : `${noun} ${formatId(row)}`;
}

function shownValue(row: Row, field: string): string {
	const value = findFieldValue(row, field);
	if (value === undefined) return 'no value';
	return value === null ? 'null' : quote(value);
}
