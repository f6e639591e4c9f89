import { DateTime } from 'luxon';

import type { Refuse } from '../validationIssues';
import { isBlank, kindOf, quote } from '../../text';
import { noStatusCodeMessage, resolveStatusCode } from '../listSchema';
import { endOperators, comparesPartOfText, unitOf, type FieldType, type OperatorName } from '../operators';
import type { KnownCode } from '../types';
import { parseList, refusalsOfGroups } from './list';
import { localToInstant } from './localTime';
import { localDaySpan, type TimeSpan } from './periods';
import { isBeforeAllRows } from './readTime';
import { isWholeNumber, mayHaveThousands, noIdMessage } from './wholeNumber';

/** The field that a value is written for. */
export interface ComparedField {
	name: string;
	type: FieldType;
	codes?: readonly KnownCode[];
}

/** What a value is written for, and the time zone of a date that names none. */
interface WriteContext {
	field: ComparedField;
	zone: string;
	refuse: Refuse;
}

/** How the platform writes times. They are UTC. */
export const WIRE_FORMAT = "yyyy-MM-dd'T'HH:mm:ss";

const EMPTY =
	'nothing is filled in. Enter a value, or remove the condition; if this is an expression, it came out empty: check the data that it reads.';

/** The most values of a list: the filter is part of a URL. */
const MOST_VALUES = 10_000;

/** What the platform compares a field with, and how. */
export interface WrittenComparison {
	operator: OperatorName;
	value: string;
}

/**
 * Writes the value of an operator that takes one. What cannot be used is refused, and undefined returned; so it is in
 * the functions below.
 */
export function writeSingleValue(
	raw: unknown,
	operator: OperatorName,
	writing: WriteContext,
): WrittenComparison | undefined {
	const end = writeEnd(raw, operator, writing);
	return end && { operator: end.operator, value: end.value };
}

/** What a date without a time means to operators that order: its whole day. */
const WHOLE_DAYS = { Lt: 'Lt', Lte: 'Lt', Gt: 'Gte', Gte: 'Gte' } as const;
const isOrdering = (operator: OperatorName): operator is keyof typeof WHOLE_DAYS => operator in WHOLE_DAYS;

/** The end of the times that the platform can write. */
const LAST_TIME = DateTime.utc(9999, 12, 31, 23, 59, 59);

/** Where an end lies: `begin` is the value as it was entered, for a date without a time the begin of that day. */
interface RangeEnd<Operator> {
	operator: Operator;
	value: string;
	begin: string;
}

/**
 * Writes one value. A date without a time is a whole day: up to and including it is before the next midnight, and after
 * it begins at that (specification, list query rule 8).
 */
function writeEnd<Operator extends OperatorName>(
	raw: unknown,
	operator: Operator,
	writing: WriteContext,
): RangeEnd<Operator | 'Lt' | 'Gte'> | undefined {
	const { field, zone, refuse } = writing;
	if (!isOrdering(operator) || !isDay(raw) || (field.type !== 'date' && field.type !== 'any')) {
		const value = writeValue(raw, operator, writing);
		return value === undefined ? undefined : { operator, value, begin: value };
	}
	const day = readDate(raw, zone, refuse);
	const { from, to } = day ? localDaySpan(day, zone) : {};
	const begin = from && writeInstant(from, refuse);
	if (begin === undefined || to === undefined) return undefined;
	const isBehind = operator === 'Lte' || operator === 'Gt';
	const value = isBehind ? writeInstant(DateTime.min(to, LAST_TIME), refuse) : begin;
	return value === undefined ? undefined : { operator: WHOLE_DAYS[operator], value, begin };
}

/** Writes a value as text, whatever the field's type (specification, list query rule 4). */
function writeValue(raw: unknown, operator: OperatorName, writing: WriteContext): string | undefined {
	const { field, zone, refuse } = writing;
	const unusable = whyUnusable(raw);
	if (unusable !== undefined) return refuse(unusable);
	const unit = unitOf(operator);
	if (unit !== undefined) return writeUnit(raw, unit, refuse);
	const identifier = identifierIn(field);
	const isPart = comparesPartOfText(operator);
	if (identifier !== undefined && !isPart && mayHaveThousands(raw)) return refuse(NOT_WHOLE[identifier](raw));
	if (field.type === 'number') return writeNumber(raw, identifier, refuse);
	if (field.type === 'code') return writeCode(raw, field.codes, refuse);
	if (field.type === 'date' || typeof raw === 'object' || (field.type === 'any' && !isPart && isTime(raw))) {
		return writeDate(raw, operator, zone, refuse);
	}
	if (typeof raw === 'number') return writeNumber(raw, undefined, refuse);
	return isPart ? String(raw) : String(raw).trim();
}

/** Writes the values of an In condition, given in any form of a list. */
export function writeList(raw: unknown, writing: WriteContext): string | undefined {
	const { field, refuse } = writing;
	const identifier = identifierIn(field);
	const [ambiguous] = identifier === undefined ? [] : refusalsOfGroups(raw, identifier);
	if (ambiguous !== undefined) return refuse(ambiguous);
	const entries = isEmptyValue(raw) ? [] : parseList(raw);
	const { length } = entries;
	if (length === 0) return refuse(EMPTY);
	if (length > MOST_VALUES) {
		return refuse(`these are ${length} values; at most ${MOST_VALUES} are possible. Split them over several nodes.`);
	}
	const values: string[] = [];
	for (const [index, entry] of entries.entries()) {
		const which = `value ${index + 1} of ${length}`;
		if (isEmptyValue(entry)) return refuse(`${which} is empty. Remove it, or check the expression it comes from.`);
		const value = writeValue(entry, 'Eq', { ...writing, refuse: (message) => refuse(`${which}: ${message}`) });
		if (value === undefined) return undefined;
		if (value.includes(',')) {
			return refuse(
				`${which}, ${quote(value)}, holds a comma, and the platform would read it as two values. Add a Group with Any Condition (OR), and in it one Equals for each value.`,
			);
		}
		values.push(value);
	}
	return values.join(',');
}

/**
 * Writes a range, as `low,high`. One that nothing can be in is refused: who picks the same day twice means that day, and
 * would silently get nothing.
 *
 * @param refuseAt where faults of each end go
 */
export function writeRange(
	ends: readonly [unknown, unknown],
	range: OperatorName,
	writing: WriteContext,
	refuseAt: readonly [Refuse, Refuse],
): WrittenComparison | undefined {
	const [atLow, atHigh] = endOperators(range);
	const low = writeRangeEnd(ends[0], atLow, { ...writing, refuse: refuseAt[0] });
	const high = writeRangeEnd(ends[1], atHigh, { ...writing, refuse: refuseAt[1] });
	if (low === undefined || high === undefined) return undefined;
	const operator = `${low.operator}${high.operator}` as OperatorName;
	const { type } = writing.field;
	if (isAbove(low.value, high.value, type) || (low.value === high.value && operator !== 'GteLte')) {
		return writing.refuse(whyNothing(ends, low.begin, high.begin, type));
	}
	return { operator, value: `${low.value},${high.value}` };
}

function writeRangeEnd<Operator extends OperatorName>(raw: unknown, operator: Operator, writing: WriteContext) {
	const end = writeEnd(raw, operator, writing);
	if (!end?.value.includes(',')) return end;
	return writing.refuse(
		`${quote(end.value)} holds a comma, which the platform would read as the border between From and To. Use two conditions instead, one for each end.`,
	);
}

/** Why nothing can be in a range, in the words that were entered. */
function whyNothing(ends: readonly [unknown, unknown], low: string, high: string, type: FieldType): string {
	const [from, to] = ends.map((raw, end) => (typeof raw === 'string' ? raw.trim() : [low, high][end]));
	const inclusive = 'choose Between (From ≤ Value ≤ To), in JSON "GteLte".';
	if (isAbove(low, high, type)) return `From (${from}) comes after To (${to}), so nothing can match. Swap them.`;
	if (low === high) {
		return `From (${from}) and To (${to}) are the same, and this operator does not include both, so nothing can match. Enter a higher or later To, or ${inclusive}`;
	}
	return `nothing is between From (${from}) and To (${to}), since this operator leaves out the whole day of an end. Enter a later To, or ${inclusive}`;
}

/** Writes a span of instants as a GteLt range. */
export function writeSpan({ from, to }: TimeSpan, refuse: Refuse): string | undefined {
	const low = writeInstant(from, refuse);
	const high = low && writeInstant(to, refuse);
	return high && `${low},${high}`;
}

/** Reads a date in any form, if rows can be of that time. `zone` is that of the result, and of a date that names none. */
export function readDate(raw: unknown, zone: string, refuse: Refuse): DateTime | undefined {
	const date = readAnyDate(raw, zone, refuse);
	if (!date || !isBeforeAllRows(date.toMillis())) return date;
	const shown = typeof raw === 'string' ? raw.trim() : date.toISO();
	return refuse(
		`${quote(shown)} is in the year ${date.year}, and no row is that old. Write the year with four digits, such as 2026.`,
	);
}

function readAnyDate(raw: unknown, zone: string, refuse: Refuse): DateTime | undefined {
	const unusable = whyUnusable(raw);
	if (unusable !== undefined) return refuse(unusable);
	const instant = instantOf(raw);
	if (instant !== undefined) return DateTime.fromMillis(instant, { zone });
	if (isSheetDate(raw)) return refuse(`${quote(raw)} ${SHEET_DATE}`);
	if (typeof raw !== 'string') return refuse(`a date is needed here, but this is ${kindOf(raw)}. ${NUMBER_FORMS}`);
	const text = withT(raw);
	const stated = text.length <= LONGEST_DATE ? ISO_DATE.exec(text)?.[1] : undefined;
	const time = stated === undefined ? undefined : DateTime.fromISO(text, { zone: 'utc' });
	if (!time?.isValid) return refuse(`${quote(raw)} is not a date. ${DATE_FORMS}`);
	const millis = stated === '' ? localToInstant(time.toMillis(), zone) : time.toMillis();
	return DateTime.fromMillis(millis, { zone });
}

/** A text with the T of ISO between a date and a time. */
const withT = (text: string) => text.trim().replace(/^(\d{4}-\d{2}-\d{2})[ t](?=\d)/, '$1T');

/** Whether a text is a date and a time, with hours and minutes at least. */
function isTime(raw: unknown): boolean {
	const text = typeof raw === 'string' && raw.length <= LONGEST_DATE ? withT(raw) : '';
	return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(text) && ISO_DATE.test(text);
}

/** Whether a text is a date without a time. */
const isDay = (raw: unknown) => typeof raw === 'string' && /^\s*\d{4}-\d{2}-\d{2}\s*$/.test(raw);

const DATE_FORMS = 'Use a date such as 2026-01-31 or 2026-01-31T18:00:00.';
const NUMBER_FORMS = `${DATE_FORMS} To a number of milliseconds since 1970, add .toDateTime() in the expression; to one of seconds, .toDateTime('s').`;
const SHEET_DATE =
	"looks like a spreadsheet's number for a date. Have the column read as text such as 2026-01-31, or turn it into a date with an expression: {{ DateTime.fromISO('1899-12-30').plus({ days: Number($json.date) }) }}, with the name of your column.";

/** Whether it can hardly be anything else than a date as spreadsheets count days, of 1982 to 2119: as seconds, it is on 1 January 1970. */
const isSheetDate = (raw: unknown) =>
	(typeof raw === 'number' || typeof raw === 'string') && /^\s*[3-7]\d{4}(?:\.\d+)?\s*$/.test(String(raw));

/** A calendar date, optionally with a time and a zone (captured). Week dates and bare digits would be guesses. */
const ISO_DATE = /^(?:\d{4}-\d{2}-\d{2}|\d{8}(?=T))(?:T[\d:.,]+)?((?:Z|[+-]\d{2}(?::?\d{2})?)?(?:\[[\w/+-]+\])?)$/;
const LONGEST_DATE = 80;

/**
 * The platform's timestamps are whole seconds, so a fraction is rounded to the second that selects the same rows: up
 * for "at or after" and "before", down for "after" and "at or before".
 */
function writeDate(raw: unknown, operator: OperatorName, zone: string, refuse: Refuse): string | undefined {
	if (isDay(raw)) {
		return refuse(
			`${quote(raw)} is a whole day, and this operator compares with one moment. For the day, choose On Day (Local), or On Day (UTC), in JSON "IsDate"; for a moment, add its time.`,
		);
	}
	const time = readDate(raw, zone, refuse);
	const roundsUp = operator === 'Gte' || operator === 'Lt';
	return time && writeInstant(roundsUp ? time.plus({ milliseconds: 999 }) : time, refuse);
}

/** The platform cuts times in UTC, so a date without a zone is UTC here. It is cut here, too. */
function writeUnit(raw: unknown, unit: NonNullable<ReturnType<typeof unitOf>>, refuse: Refuse): string | undefined {
	const text = typeof raw === 'number' ? String(raw) : raw;
	const isPartOf = (pattern: RegExp) => typeof text === 'string' && pattern.test(text.trim());
	const isYear = unit === 'year' && isPartOf(/^\d{4}$/);
	const isMonth = (unit === 'year' || unit === 'month') && isPartOf(/^\d{4}-\d{2}$/);
	const time = readDate(isYear ? `${text}-01-01` : isMonth ? `${text}-01` : raw, 'utc', refuse);
	return time && writeInstant(time.toUTC().startOf(unit), refuse);
}

function writeInstant(time: DateTime, refuse: Refuse): string | undefined {
	const utc = time.toUTC();
	if (utc.isValid && utc.year >= 1 && utc.year <= 9999) return utc.toFormat(WIRE_FORMAT);
	const shown = utc.isValid ? `${utc.toFormat('yyyy-MM-dd HH:mm:ss')} UTC` : 'this date';
	return refuse(
		`${shown} is outside of the years 1 to 9999. Enter a date within them; if this is an expression, check the data that it reads.`,
	);
}

/** What a field identifies, by its name, if its numbers are whole: a row has an `Id` in every list, and another row's as in `StationId`. */
function identifierIn({ name, type }: ComparedField): keyof typeof NOT_WHOLE | undefined {
	if (type === 'code' || /status$/i.test(name)) return 'code';
	return /^id$|_id$/i.test(name) || /Id$|[a-z\d]ID$/.test(name) ? 'ID' : undefined;
}

const NOT_WHOLE = {
	ID: noIdMessage,
	code: noStatusCodeMessage,
};

/** @param identifier set if the number must be a whole one */
function writeNumber(raw: unknown, identifier: keyof typeof NOT_WHOLE | undefined, refuse: Refuse): string | undefined {
	if (typeof raw === 'object') return refuse('a number is needed here, but this is a date. Use another field.');
	if (typeof raw === 'number' && Number.isInteger(raw) && !Number.isSafeInteger(raw)) {
		return refuse(
			`${raw} is so large a number that its last digits may have changed on the way. Type the digits here, or have its source give them as text, in quotes.`,
		);
	}
	// Without an exponent: the specification shows none.
	const text = String(raw).includes('e-') && typeof raw === 'number' ? raw.toFixed(20) : String(raw);
	const value = plainNumber(text);
	if (value !== undefined && identifier !== undefined && !isWholeNumber(raw)) return refuse(NOT_WHOLE[identifier](raw));
	if (value !== undefined) return value;
	if (text.trim().startsWith('{{')) {
		return refuse(
			`${quote(raw)} is not a number. If it is meant as an expression, switch the field from Fixed to Expression.`,
		);
	}
	return refuse(`${quote(raw)} is not a number. Use only digits, with a point before the decimals, such as 1234.5.`);
}

function writeCode(raw: unknown, codes: readonly KnownCode[] = [], refuse: Refuse): string | undefined {
	const code = resolveStatusCode(codes, String(raw).trim());
	const value = isWholeNumber(code) ? plainNumber(String(code)) : undefined;
	return value !== undefined && Number.isSafeInteger(Number(value)) ? value : refuse(NOT_WHOLE.code(raw));
}

/** The texts that an expression makes of an object, and of an invalid date. */
const OBJECT_TEXT = /\[object \w+\]/;
const INVALID_DATE = /^Invalid (DateTime|Date)$/;

/** Why a value cannot be used for any field. */
function whyUnusable(raw: unknown): string | undefined {
	if (isEmptyValue(raw)) return EMPTY;
	if (Array.isArray(raw)) {
		return 'this is a list, but one value is needed here. For several values choose Is Any Of or, where it is not offered, add a Group with Any Condition (OR) and one condition for each value.';
	}
	const instant = instantOf(raw);
	const text = typeof raw === 'string' ? raw : '';
	if (Number.isNaN(instant) || INVALID_DATE.test(text)) {
		return 'this is not a valid date. Check the expression that it comes from.';
	}
	if (typeof raw === 'object' && raw !== null && 'isLuxonDuration' in raw) {
		return "this is a length of time. For a date, use for example {{ $now.minus({ days: 7 }) }}; for a number, add .as('hours') in the expression.";
	}
	const isObject = (typeof raw === 'object' && instant === undefined) || OBJECT_TEXT.test(text);
	return isObject
		? `${text ? quote(text) : 'this'} stands for several fields, but one value is needed here. Use a single field from inside it, such as {{ $json.driver.name }} instead of {{ $json.driver }}.`
		: undefined;
}

/** Whether a value is empty in any of the ways an expression can be. */
export function isEmptyValue(raw: unknown): boolean {
	return isBlank(raw) || Number.isNaN(raw) || (Array.isArray(raw) && raw.length === 0);
}

/** The instant of a luxon DateTime or a Date, which may come from another copy of luxon or another realm. */
function instantOf(raw: unknown): number | undefined {
	if (typeof raw !== 'object' || raw === null) return undefined;
	// A Duration has toMillis, too.
	if ('isLuxonDateTime' in raw && 'toMillis' in raw && typeof raw.toMillis === 'function')
		return Number(raw.toMillis());
	const isDate = Object.prototype.toString.call(raw) === '[object Date]' && 'getTime' in raw;
	return isDate && typeof raw.getTime === 'function' ? Number(raw.getTime()) : undefined;
}

/** Far more digits than any number has; limits the work on invalid input. */
const MOST_DIGITS = 400;

/** A decimal number without a plus sign or needless zeros. Undefined if the text is not one. */
function plainNumber(text: string): string | undefined {
	const trimmed = text.trim();
	const [, sign = '', digits = '', fraction = ''] =
		(trimmed.length <= MOST_DIGITS && /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(trimmed)) || [];
	if (digits === '' && fraction === '') return undefined;
	const whole = digits.replace(/^0+(?=\d)/, '') || '0';
	const rest = fraction.replace(/0+$/, '');
	const number = rest === '' ? whole : `${whole}.${rest}`;
	return sign === '-' && number !== '0' ? `-${number}` : number;
}

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/;

/** Whether a range begins above its end. Only the platform knows how texts are ordered. */
function isAbove(low: string, high: string, type: FieldType): boolean {
	if (type === 'text') return false;
	if (plainNumber(low) !== undefined && plainNumber(high) !== undefined) return Number(low) > Number(high);
	return TIMESTAMP.test(low) && TIMESTAMP.test(high) && low > high;
}
