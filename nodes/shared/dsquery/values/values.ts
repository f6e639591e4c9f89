import { DateTime } from 'luxon';

import { isBlank, kindOf, quote } from '../faults';
import { instantOfLocal } from './localTime';
import type { Role, UnitOperator } from '../operators';
import { isRange, isUnit, RANGES, roleOf, UNITS } from '../operators';
import { localDaySpan, type TimeSpan } from './periods';
import type { FieldType, KnownCode, OperatorName } from '../types';

/** The field that a value is written for. */
export interface ValueField {
	name: string;
	type: FieldType;
	codes?: readonly KnownCode[];
}

/** A value as the platform takes it, or the reason why it is refused. */
export type Written = { value: string } | { refusal: string };

/** A range as the platform takes it, or what is wrong with its ends. An empty `part` means the range as a whole. */
export type WrittenRange =
	| { value: string }
	| { refusals: ReadonlyArray<{ part: '' | 'from' | 'to'; refusal: string }> };

const EMPTY =
	'nothing is filled in. Enter a value, or remove the condition; if this is an expression, it came out empty.';
/** How the platform writes times. They are UTC. */
export const WIRE_FORMAT = "yyyy-MM-dd'T'HH:mm:ss";

/** The text that an expression makes of an object or an invalid date. */
const BROKEN_TEXT = /\[object \w+\]|^Invalid (DateTime|Date)$/;

/** The most characters, and the most values in a list, that fit into a request: the filter is part of its URL. */
export const MOST_TEXT = 100_000;
export const MOST_VALUES = 10_000;

/**
 * Writes one value. The platform takes text whatever the field's type (specification, list query rule 4).
 * @param zone the time zone of a date that names none
 */
export function writeScalar(raw: unknown, field: ValueField, role: Role, zone: string): Written {
	const refusal = refusalOf(raw);
	if (refusal !== undefined) return { refusal };
	if (Array.isArray(raw)) {
		return {
			refusal: 'this is a list, but one value is needed here. To compare with several values choose Is Any Of.',
		};
	}
	if (typeof raw === 'object' && instantOf(raw) === undefined && field.type !== 'date') {
		return { refusal: `this is ${kindOf(raw)}, but a single value is needed here. Pick one of its properties.` };
	}
	if (typeof raw === 'string' && BROKEN_TEXT.test(raw)) {
		return { refusal: `${quote(raw)} is what is left of an object or date turned into text; check the expression.` };
	}
	switch (field.type) {
		case 'number':
			return writeNumber(raw, field);
		case 'code':
			return writeCode(raw, field);
		case 'date':
			return writeDate(raw, role, zone);
		case 'boolean':
			return writeBoolean(raw);
		case 'text':
		case 'any':
			return writeText(raw, role, zone);
	}
}

/** Why a value cannot be used for any field: it is empty, too long or an invalid date. */
function refusalOf(raw: unknown): string | undefined {
	if (isEmpty(raw)) return EMPTY;
	if (Number.isNaN(instantOf(raw))) return 'this is not a valid date; check the expression it comes from.';
	return typeof raw === 'string' ? tooLong(raw) : undefined;
}

/** Why a text is too long for a request. Undefined if it is not. */
export function tooLong({ length }: string): string | undefined {
	if (length <= MOST_TEXT) return undefined;
	return `this text has ${length} characters, more than a request can carry. At most ${MOST_TEXT} are possible.`;
}

/** Whether a value is empty in any of the ways an expression can be. */
function isEmpty(raw: unknown): boolean {
	return isBlank(raw) || Number.isNaN(raw) || (Array.isArray(raw) && raw.length === 0);
}

// --- numbers and codes ---

/** Far more digits than any number has; limits the work on invalid input. */
const MOST_DIGITS = 400;
const PLAIN_NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?$/;

/** Writes a decimal number without a plus sign or needless zeros. Undefined if the text is not one. */
function plainNumber(text: string): string | undefined {
	const trimmed = text.trim();
	const parts = trimmed.length <= MOST_DIGITS ? PLAIN_NUMBER.exec(trimmed) : null;
	if (!parts) return undefined;
	const [, sign, digits = '', fraction = ''] = parts;
	if (digits === '' && fraction === '') return undefined;
	const whole = digits.replace(/^0+(?=\d)/, '') || '0';
	const rest = fraction.replace(/0+$/, '');
	const number = rest === '' ? whole : `${whole}.${rest}`;
	return sign === '-' && number !== '0' ? `-${number}` : number;
}

function writeNumber(raw: unknown, field: ValueField): Written {
	if (typeof raw === 'number') {
		if (!Number.isFinite(raw)) return { refusal: 'this number is infinite; check the expression it comes from.' };
		if (Number.isInteger(raw) && !Number.isSafeInteger(raw)) return { refusal: tooLarge(field.name, raw) };
		// No exponents, since the specification shows none: 1e-7 becomes 0.0000001.
		raw = raw.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 100 });
	}
	if (typeof raw !== 'string' && typeof raw !== 'bigint') {
		return { refusal: `a number is needed here, but this is ${kindOf(raw)}.` };
	}
	const text = String(raw).trim();
	const value = plainNumber(text);
	if (value === undefined) return { refusal: `${quote(raw)} is not a number. ${numberHint(text)}` };
	// An id this large may have been rounded already and would then match another row.
	if (field.name.toLowerCase() === 'id' && !value.includes('.') && !Number.isSafeInteger(Number(value))) {
		return { refusal: tooLarge(field.name, value) };
	}
	return { value };
}

/** How to correct text that is not a number. */
function numberHint(text: string): string {
	if (text.startsWith('{{')) return 'If it is meant as an expression, switch the field from Fixed to Expression.';
	if (text.length <= MOST_DIGITS) {
		if (/^[+-]?\d+(\.\d+)?e[+-]?\d+$/i.test(text)) return 'It has an exponent; write the number in full.';
		if (/^[+-]?\d[\d.,' ]*$/.test(text)) {
			return 'Write it without separators, with a point before the decimals, such as 1234.5.';
		}
	}
	return 'Use digits, with a point before the decimals, such as 20.5.';
}

function tooLarge(name: string, value: number | string): string {
	return (
		`${name} ${value}`.trim() +
		` is above ${Number.MAX_SAFE_INTEGER}, the largest whole number that JSON carries exactly, ` +
		'so it may have been rounded already.'
	);
}

function writeCode(raw: unknown, field: ValueField): Written {
	const text = typeof raw === 'object' || typeof raw === 'boolean' ? '' : String(raw).trim();
	const known = field.codes?.find(({ label }) => label.toLowerCase() === text.toLowerCase());
	const value = known ? String(known.code) : plainNumber(text);
	if (value !== undefined && Number.isSafeInteger(Number(value)) && !value.includes('.')) return { value };
	return { refusal: `${quote(raw)} is not a code. Status codes are whole numbers such as 4.` };
}

// --- booleans and text ---

const BOOLEANS: Readonly<Record<string, string>> = { true: 'true', yes: 'true', false: 'false', no: 'false' };

function writeBoolean(raw: unknown): Written {
	const text = typeof raw === 'string' || typeof raw === 'boolean' ? String(raw).trim().toLowerCase() : '';
	const value = Object.hasOwn(BOOLEANS, text) ? BOOLEANS[text] : undefined;
	if (value === undefined)
		return { refusal: `${quote(raw)} is neither Yes nor No. An expression gives true or false.` };
	return { value };
}

function writeText(raw: unknown, role: Role, zone: string): Written {
	if (typeof raw === 'string') return { value: raw };
	if (typeof raw === 'boolean') return { value: String(raw) };
	if (typeof raw === 'number' || typeof raw === 'bigint') return writeNumber(raw, { name: '', type: 'number' });
	return writeDate(raw, role, zone);
}

// --- dates ---

/** A moment as given: an instant, or a wall-clock time that still needs a zone. */
type Moment = { instant: number } | { wall: number };

/** The instant of a luxon DateTime or a Date, which may come from another copy of luxon or another realm. */
function instantOf(raw: unknown): number | undefined {
	if (typeof raw !== 'object' || raw === null) return undefined;
	// A Duration has toMillis, too.
	if ('isLuxonDateTime' in raw && 'toMillis' in raw && typeof raw.toMillis === 'function') {
		return Number(raw.toMillis());
	}
	if (Object.prototype.toString.call(raw) !== '[object Date]') return undefined;
	return 'getTime' in raw && typeof raw.getTime === 'function' ? Number(raw.getTime()) : undefined;
}

const DATE_FORMS = 'Use a date such as 2026-01-31 or 2026-01-31T18:00:00.';
/** A calendar date, optionally with a time and a zone (captured). Week dates and bare digits would be guesses. */
const ISO_DATE = /^(?:\d{4}-\d{2}-\d{2}|\d{8}(?=T))(?:T[\d:.,]+)?((?:Z|[+-]\d{2}(?::?\d{2})?)?(?:\[[\w/+-]+\])?)$/;
const LONGEST_DATE = 80;

/** Reads a date in any form, or gives the reason why it is not one. */
function readMoment(raw: unknown, cut?: UnitOperator): Moment | { refusal: string } {
	const instant = instantOf(raw);
	if (instant !== undefined) return { instant };
	if (typeof raw !== 'string') return { refusal: `a date is needed here, but this is ${kindOf(raw)}. ${DATE_FORMS}` };
	const text = raw.trim().replace(/^(\d{4}-\d{2}-\d{2})[ t](?=\d)/, '$1T');
	const zone = text.length <= LONGEST_DATE ? ISO_DATE.exec(text)?.[1] : undefined;
	// Only these two operators can do without a day.
	const isPartial =
		(cut === 'IsYear' && /^\d{4}(?:-\d{2})?$/.test(text)) || (cut === 'IsMonth' && /^\d{4}-\d{2}$/.test(text));
	const time = zone !== undefined || isPartial ? DateTime.fromISO(text, { zone: 'utc' }) : undefined;
	if (!time?.isValid) return { refusal: `${quote(raw)} is not a date. ${DATE_FORMS}` };
	return zone ? { instant: time.toMillis() } : { wall: time.toMillis() };
}

/**
 * Writes a timestamp as the platform does, `YYYY-MM-DDThh:mm:ss` in UTC. Its timestamps are whole seconds, so a
 * fraction is rounded to the second that selects the same rows: up for "at or after" and "before", down for "after" and
 * "at or before". For an exact match a fraction is refused: no row could match it.
 */
function writeDate(raw: unknown, role: Role, zone: string): Written {
	const moment = readMoment(raw);
	if ('refusal' in moment) return moment;
	const instant = 'wall' in moment ? instantOfLocal(moment.wall, zone) : moment.instant;
	const up = role === 'gte' || role === 'lt';
	if (role === 'exact' && instant % 1000 !== 0) {
		return {
			refusal:
				'this time has a fraction of a second, but timestamps are whole seconds, so it can never be equal to one.',
		};
	}
	const seconds = instant / 1000;
	return writeInstant((up ? Math.ceil(seconds) : Math.floor(seconds)) * 1000);
}

function writeInstant(instant: number): Written {
	const time = DateTime.fromMillis(instant, { zone: 'utc' });
	if (!time.isValid || time.year < 1 || time.year > 9999) {
		return { refusal: 'this date lies outside the years 1 to 9999.' };
	}
	return { value: time.toFormat(WIRE_FORMAT) };
}

/**
 * Writes the value of an operator that compares a timestamp truncated to a unit. The platform truncates in UTC, so a
 * date without a zone is read as UTC. The value is truncated here too, in case the platform does not truncate it.
 */
function writeUnit(raw: unknown, operator: UnitOperator): Written {
	const moment = readMoment(raw, operator);
	if ('refusal' in moment) return moment;
	const instant = 'wall' in moment ? moment.wall : moment.instant;
	return writeInstant(DateTime.fromMillis(instant, { zone: 'utc' }).startOf(UNITS[operator]).toMillis());
}

/**
 * Writes a whole local day as the value of a GteLt range.
 * @param raw a date in any form; an instant means its day in the time zone
 */
export function writeLocalDay(raw: unknown, zone: string): Written {
	const refusal = refusalOf(raw);
	if (refusal !== undefined) return { refusal };
	const moment = readMoment(raw);
	if ('refusal' in moment) return moment;
	const local =
		'wall' in moment
			? DateTime.fromMillis(moment.wall, { zone: 'utc' })
			: DateTime.fromMillis(moment.instant, { zone });
	return writeSpan(localDaySpan(local.toFormat('yyyy-MM-dd'), zone));
}

/** Writes a span of instants as the value of a GteLt range. */
export function writeSpan({ from, to }: TimeSpan): Written {
	const low = writeInstant(from.toMillis());
	const high = writeInstant(to.toMillis());
	if ('refusal' in low) return low;
	return 'refusal' in high ? high : { value: `${low.value},${high.value}` };
}

// --- lists ---

/**
 * Writes the values of an In condition: a list, or text with commas between the values.
 * @param verbatim keep valid text as typed if the field's type is text or unknown (for JSON conditions)
 */
export function writeList(raw: unknown, field: ValueField, zone: string, verbatim = false): Written {
	const refusal = refusalOf(raw);
	if (refusal !== undefined) return { refusal };
	if (Array.isArray(raw)) return joinList(raw as unknown[], field, zone);
	if (typeof raw !== 'string') return joinList([raw], field, zone);
	const entries = raw.split(',');
	const written = joinList(
		entries.map((entry) => entry.trim()),
		field,
		zone,
	);
	if (verbatim && 'value' in written && (field.type === 'text' || field.type === 'any')) return { value: raw };
	return written;
}

function joinList(entries: readonly unknown[], field: ValueField, zone: string): Written {
	if (entries.length > MOST_VALUES) {
		const refusal = `these are ${entries.length} values, more than a request can carry. At most ${MOST_VALUES} are possible.`;
		return { refusal };
	}
	const values: string[] = [];
	for (const [index, entry] of entries.entries()) {
		const which = `value ${index + 1} of ${entries.length}`;
		if (isEmpty(entry)) return { refusal: `${which} is empty. Remove it, or check the expression it comes from.` };
		const written = writeScalar(entry, field, 'exact', zone);
		if ('refusal' in written) return { refusal: `${which}: ${written.refusal}` };
		if (written.value.includes(',')) {
			return {
				refusal:
					`${which}, ${quote(written.value)}, holds a comma, and the platform would read it as two values. ` +
					'Use a group that matches any condition, with one Equals condition for each value.',
			};
		}
		values.push(written.value);
	}
	return { value: values.join(',') };
}

// --- ranges ---

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2})?$/;

/** Whether a range begins above its end. Only the platform knows how texts are ordered. */
function isAbove(low: string, high: string, type: FieldType): boolean {
	if (type === 'text') return false;
	if (plainNumber(low) !== undefined && plainNumber(high) !== undefined) return Number(low) > Number(high);
	return TIMESTAMP.test(low) && TIMESTAMP.test(high) && low.length === high.length && low > high;
}

/**
 * Writes a range as `low,high`. An empty range is refused: low above high, or equal ends that are not both inclusive
 * (users who pick the same day twice mean that day, and would silently get nothing).
 */
export function writeRange(
	from: unknown,
	to: unknown,
	field: ValueField,
	operator: keyof typeof RANGES,
	zone: string,
): WrittenRange {
	const ends = [
		{ part: 'from', written: writeScalar(from, field, roleOf(RANGES[operator].low), zone) },
		{ part: 'to', written: writeScalar(to, field, roleOf(RANGES[operator].high), zone) },
	] as const;
	const refusals: Array<{ part: '' | 'from' | 'to'; refusal: string }> = [];
	const values: string[] = [];
	for (const { part, written } of ends) {
		if ('refusal' in written) refusals.push({ part, refusal: written.refusal });
		else if (written.value.includes(',')) {
			const refusal =
				`${quote(written.value)} holds a comma, which the platform would read as the border between From and To. ` +
				'Use two conditions instead, one for each end.';
			refusals.push({ part, refusal });
		} else values.push(written.value);
	}
	const [low, high] = values;
	if (refusals.length > 0 || low === undefined || high === undefined) return { refusals };
	const refuse = (refusal: string): WrittenRange => ({ refusals: [{ part: '', refusal }] });
	if (isAbove(low, high, field.type)) {
		const typed = (raw: unknown, written: string) => (typeof raw === 'string' ? raw.trim() : written);
		return refuse(`From (${typed(from, low)}) is above To (${typed(to, high)}), so nothing can match. Swap them.`);
	}
	if (low === high && operator !== 'GteLte') {
		return refuse(
			`From and To are both ${low} and not both of them are included, so nothing can match. ` +
				'Move To further on, or choose the range that includes both ends.',
		);
	}
	return { value: `${low},${high}` };
}

// --- the value of a condition in the platform's own form ---

/**
 * Writes the value of a JSON condition. For In and range operators it may be a list, or text with commas. Times without
 * a zone are UTC here, as the platform writes them (specification, list query rule 4).
 */
export function writeWireValue(raw: unknown, field: ValueField, operator: OperatorName | number): Written {
	if (typeof operator === 'number') {
		// Which operator a number means is not public, so the form of its value is unknown.
		if (Array.isArray(raw)) return writeList(raw, { ...field, type: 'any' }, 'UTC');
		return writeScalar(raw, { ...field, type: 'any' }, 'exact', 'UTC');
	}
	if (operator === 'In') return writeList(raw, field, 'UTC', true);
	if (isRange(operator)) return writeWireRange(raw, field, operator);
	return writeSingle(raw, field, operator, 'UTC');
}

/** Writes the value of an operator that takes one value. */
export function writeSingle(raw: unknown, field: ValueField, operator: OperatorName, zone: string): Written {
	const isDate = field.type === 'date' || instantOf(raw) !== undefined;
	if (isUnit(operator) && isDate && refusalOf(raw) === undefined) return writeUnit(raw, operator);
	return writeScalar(raw, field, roleOf(operator), zone);
}

function writeWireRange(raw: unknown, field: ValueField, operator: keyof typeof RANGES): Written {
	const refusal = refusalOf(raw);
	if (refusal !== undefined) return { refusal };
	const ends: unknown[] | undefined = Array.isArray(raw)
		? raw
		: typeof raw === 'string'
			? raw.split(',', 3)
			: undefined;
	if (ends?.length !== 2) {
		return { refusal: `a range needs two values with one comma between them, low first, such as "10,20".` };
	}
	const written = writeRange(ends[0], ends[1], field, operator, 'UTC');
	if ('value' in written) return written;
	const names = { '': '', from: 'low end: ', to: 'high end: ' };
	return { refusal: written.refusals.map(({ part, refusal }) => names[part] + refusal).join(' ') };
}
