import { DateTime } from 'luxon';

import { isBlank, kindOf, quote } from '../../text';
import { instantOfLocal } from './localTime';
import { isRange, isUnit, RANGES, roleOf, UNITS, type RangeOperator, type Role, type UnitOperator } from '../operators';
import { entriesOf } from './list';
import { localDaySpan, type TimeSpan } from './periods';
import type { FieldType, KnownCode, OperatorName } from '../types';

/** The field that a value is written for. */
export interface ValueField {
	name: string;
	type: FieldType;
	codes?: readonly KnownCode[];
}

/** Adds the reason why a value cannot be used. */
export type Refuse = (message: string) => undefined;

const EMPTY =
	'nothing is filled in. Enter a value, or remove the condition; if this is an expression, it came out empty.';
/** How the platform writes times. They are UTC. */
export const WIRE_FORMAT = "yyyy-MM-dd'T'HH:mm:ss";

/** The text that an expression makes of an object or an invalid date. */
const BROKEN_TEXT = /\[object \w+\]|^Invalid (DateTime|Date)$/;

/** The most characters, and the most values in a list, that fit into a request: the filter is part of its URL. */
export const MOST_TEXT = 100_000;
export const MOST_VALUES = 10_000;

const BOOLEANS: Readonly<Record<string, string>> = { true: 'true', yes: 'true', false: 'false', no: 'false' };

/** A moment as given: an instant, or a wall-clock time that still needs a zone. */
type Moment = { instant: number } | { wall: number };

/**
 * Writes the values of one condition as the platform takes them: as text whatever the field's type (specification, list
 * query rule 4). What cannot be used is refused, and undefined returned.
 */
export class ValueWriter {
	/** @param zone the time zone of a date that names none */
	constructor(
		private readonly field: ValueField,
		private readonly zone: string,
		private readonly refuse: Refuse,
	) {}

	/** The value of an operator that takes one. */
	single(raw: unknown, operator: OperatorName): string | undefined {
		const isDate = this.field.type === 'date' || instantOf(raw) !== undefined;
		if (isUnit(operator) && isDate && refusalOf(raw) === undefined) return this.unit(raw, operator);
		return this.scalar(raw, roleOf(operator));
	}

	/** The values of an In condition, in any form of a list. */
	list(raw: unknown): string | undefined {
		if (!this.isUsable(raw)) return undefined;
		const entries = entriesOf(raw);
		return entries.length === 0 ? this.refuse(EMPTY) : this.joined(entries);
	}

	/**
	 * A range, as `low,high`. An empty one is refused: low above high, or equal ends that are not both inclusive (users who
	 * pick the same day twice mean that day, and would silently get nothing).
	 */
	range(from: unknown, to: unknown, operator: RangeOperator, refuse: { from: Refuse; to: Refuse }): string | undefined {
		const low = this.end(from, roleOf(RANGES[operator].low), refuse.from);
		const high = this.end(to, roleOf(RANGES[operator].high), refuse.to);
		if (low === undefined || high === undefined) return undefined;
		if (isAbove(low, high, this.field.type)) {
			const typed = (raw: unknown, written: string) => (typeof raw === 'string' ? raw.trim() : written);
			const ends = `From (${typed(from, low)}) is above To (${typed(to, high)})`;
			return this.refuse(`${ends}, so nothing can match. Swap them.`);
		}
		if (low === high && operator !== 'GteLte') {
			return this.refuse(
				`From and To are both ${low} and not both of them are included, so nothing can match. ` +
					'Move To further on, or choose the range that includes both ends.',
			);
		}
		return `${low},${high}`;
	}

	/** A whole local day as a GteLt range. `raw` is a date in any form; an instant means its day in the time zone. */
	localDay(raw: unknown): string | undefined {
		const moment = this.isUsable(raw) ? this.moment(raw) : undefined;
		if (!moment) return undefined;
		const { zone } = this;
		const local =
			'wall' in moment
				? DateTime.fromMillis(moment.wall, { zone: 'utc' })
				: DateTime.fromMillis(moment.instant, { zone });
		return this.span(localDaySpan(local.toFormat('yyyy-MM-dd'), zone));
	}

	/** A span of instants as a GteLt range. */
	span({ from, to }: TimeSpan): string | undefined {
		const low = this.instant(from.toMillis());
		const high = low && this.instant(to.toMillis());
		return high && `${low},${high}`;
	}

	/**
	 * The value of a JSON condition. For In and range operators it may be a list in any form.
	 *
	 * @param operator undefined if it is not known, so that the form of its value is not either
	 */
	wire(raw: unknown, operator: OperatorName | undefined): string | undefined {
		if (operator === undefined) return Array.isArray(raw) ? this.list(raw) : this.scalar(raw, 'exact');
		if (operator === 'In') return this.list(raw);
		if (!isRange(operator)) return this.single(raw, operator);
		if (!this.isUsable(raw)) return undefined;
		const ends = entriesOf(raw);
		if (ends.length !== 2) {
			return this.refuse('a range needs two values with one comma between them, low first, such as "10,20".');
		}
		return this.range(ends[0], ends[1], operator, {
			from: (message) => this.refuse(`low end: ${message}`),
			to: (message) => this.refuse(`high end: ${message}`),
		});
	}

	/** One value. `role` decides how a fraction of a second is rounded. */
	scalar(raw: unknown, role: Role): string | undefined {
		if (!this.isUsable(raw)) return undefined;
		if (Array.isArray(raw)) {
			return this.refuse(
				'this is a list, but one value is needed here. To compare with several values choose Is Any Of.',
			);
		}
		if (typeof raw === 'object' && instantOf(raw) === undefined && this.field.type !== 'date') {
			return this.refuse(`this is ${kindOf(raw)}, but a single value is needed here. Pick one of its properties.`);
		}
		if (typeof raw === 'string' && BROKEN_TEXT.test(raw)) {
			return this.refuse(`${quote(raw)} is what is left of an object or date turned into text; check the expression.`);
		}
		switch (this.field.type) {
			case 'number':
				return this.number(raw, this.field.name);
			case 'code':
				return this.code(raw);
			case 'date':
				return this.date(raw, role);
			case 'boolean':
				return this.boolean(raw);
			case 'text':
			case 'any':
				return this.text(raw, role);
		}
	}

	/** Refuses what cannot be used for any field. */
	private isUsable(raw: unknown): boolean {
		const refusal = refusalOf(raw);
		if (refusal !== undefined) this.refuse(refusal);
		return refusal === undefined;
	}

	private joined(entries: readonly unknown[]): string | undefined {
		const { length } = entries;
		if (length > MOST_VALUES) {
			return this.refuse(
				`these are ${length} values, more than a request can carry. At most ${MOST_VALUES} are possible.`,
			);
		}
		const values: string[] = [];
		for (const [index, entry] of entries.entries()) {
			const which = `value ${index + 1} of ${length}`;
			if (isEmpty(entry)) return this.refuse(`${which} is empty. Remove it, or check the expression it comes from.`);
			const refuse: Refuse = (message) => this.refuse(`${which}: ${message}`);
			const value = new ValueWriter(this.field, this.zone, refuse).scalar(entry, 'exact');
			if (value === undefined) return undefined;
			if (value.includes(',')) {
				return this.refuse(
					`${which}, ${quote(value)}, holds a comma, and the platform would read it as two values. ` +
						'Use a group that matches any condition, with one Equals condition for each value.',
				);
			}
			values.push(value);
		}
		return values.join(',');
	}

	private end(raw: unknown, role: Role, refuse: Refuse): string | undefined {
		const value = new ValueWriter(this.field, this.zone, refuse).scalar(raw, role);
		if (!value?.includes(',')) return value;
		return refuse(
			`${quote(value)} holds a comma, which the platform would read as the border between From and To. ` +
				'Use two conditions instead, one for each end.',
		);
	}

	private number(raw: unknown, name: string): string | undefined {
		if (typeof raw === 'number') {
			if (!Number.isFinite(raw)) {
				return this.refuse('this number is infinite; check the expression it comes from.');
			}
			if (Number.isInteger(raw) && !Number.isSafeInteger(raw)) return this.refuse(tooLarge(name, raw));
			raw = inDigits(raw);
		}
		if (typeof raw !== 'string' && typeof raw !== 'bigint') {
			return this.refuse(`a number is needed here, but this is ${kindOf(raw)}.`);
		}
		const text = String(raw).trim();
		const value = plainNumber(text);
		if (value === undefined) return this.refuse(`${quote(raw)} is not a number. ${numberHint(text)}`);
		// An id this large may have been rounded already and would then match another row.
		const isLargeId = name.toLowerCase() === 'id' && !value.includes('.') && !Number.isSafeInteger(Number(value));
		return isLargeId ? this.refuse(tooLarge(name, value)) : value;
	}

	private code(raw: unknown): string | undefined {
		const text = typeof raw === 'object' || typeof raw === 'boolean' ? '' : String(raw).trim();
		const known = this.field.codes?.find(({ label }) => label.toLowerCase() === text.toLowerCase());
		const value = known ? String(known.code) : plainNumber(text);
		if (value !== undefined && Number.isSafeInteger(Number(value)) && !value.includes('.')) return value;
		return this.refuse(`${quote(raw)} is not a code. Status codes are whole numbers such as 4.`);
	}

	private boolean(raw: unknown): string | undefined {
		const text = typeof raw === 'string' || typeof raw === 'boolean' ? String(raw).trim().toLowerCase() : '';
		if (Object.hasOwn(BOOLEANS, text)) return BOOLEANS[text];
		return this.refuse(`${quote(raw)} is neither Yes nor No. An expression gives true or false.`);
	}

	private text(raw: unknown, role: Role): string | undefined {
		if (typeof raw === 'string') return raw;
		if (typeof raw === 'boolean') return String(raw);
		if (typeof raw === 'number' || typeof raw === 'bigint') return this.number(raw, '');
		return this.date(raw, role);
	}

	/** Reads a date in any form. */
	private moment(raw: unknown, cut?: UnitOperator): Moment | undefined {
		const instant = instantOf(raw);
		if (instant !== undefined) return { instant };
		if (cut === 'IsYear' && typeof raw === 'number') raw = String(raw);
		if (typeof raw !== 'string') {
			return this.refuse(`a date is needed here, but this is ${kindOf(raw)}. ${DATE_FORMS}`);
		}
		const text = raw.trim().replace(/^(\d{4}-\d{2}-\d{2})[ t](?=\d)/, '$1T');
		const zone = text.length <= LONGEST_DATE ? ISO_DATE.exec(text)?.[1] : undefined;
		// Only these two operators can do without a day.
		const isPartial =
			(cut === 'IsYear' && /^\d{4}(?:-\d{2})?$/.test(text)) || (cut === 'IsMonth' && /^\d{4}-\d{2}$/.test(text));
		const time = zone !== undefined || isPartial ? DateTime.fromISO(text, { zone: 'utc' }) : undefined;
		if (!time?.isValid) return this.refuse(`${quote(raw)} is not a date. ${DATE_FORMS}`);
		return zone ? { instant: time.toMillis() } : { wall: time.toMillis() };
	}

	/**
	 * A timestamp as the platform writes it, `YYYY-MM-DDThh:mm:ss` in UTC. Its timestamps are whole seconds, so a fraction
	 * is rounded to the second that selects the same rows: up for "at or after" and "before", down for "after" and "at or
	 * before". For an exact match a fraction is refused: no row could match it.
	 */
	private date(raw: unknown, role: Role): string | undefined {
		const moment = this.moment(raw);
		if (!moment) return undefined;
		const instant = 'wall' in moment ? instantOfLocal(moment.wall, this.zone) : moment.instant;
		if (role === 'exact' && instant % 1000 !== 0) {
			return this.refuse(
				'this time has a fraction of a second, but timestamps are whole seconds, so it can never be equal to one.',
			);
		}
		const round = role === 'gte' || role === 'lt' ? Math.ceil : Math.floor;
		return this.instant(round(instant / 1000) * 1000);
	}

	/**
	 * The value of an operator that compares a timestamp truncated to a unit. The platform truncates in UTC, so a date
	 * without a zone is read as UTC. The value is truncated here too, in case the platform does not truncate it.
	 */
	private unit(raw: unknown, operator: UnitOperator): string | undefined {
		const moment = this.moment(raw, operator);
		if (!moment) return undefined;
		const instant = 'wall' in moment ? moment.wall : moment.instant;
		return this.instant(DateTime.fromMillis(instant, { zone: 'utc' }).startOf(UNITS[operator]).toMillis());
	}

	private instant(instant: number): string | undefined {
		const time = DateTime.fromMillis(instant, { zone: 'utc' });
		if (time.isValid && time.year >= 1 && time.year <= 9999) return time.toFormat(WIRE_FORMAT);
		return this.refuse('this date lies outside the years 1 to 9999.');
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

/**
 * Writes a number without an exponent, since the specification shows none: 1.5e-7 becomes 0.00000015. In Node 20
 * `toLocaleString` has 20 decimals at most.
 */
function inDigits(number: number): string {
	const [, sign = '', first = '', rest = '', zeros] = /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/.exec(String(number)) ?? [];
	return zeros === undefined ? String(number) : `${sign}0.${'0'.repeat(Number(zeros) - 1)}${first}${rest}`;
}

/** How to correct text that is not a number. */
function numberHint(text: string): string {
	if (text.startsWith('{{')) return 'If it is meant as an expression, switch the field from Fixed to Expression.';
	return 'Write it in digits without separators or exponent, with a point before the decimals, such as 1234.5.';
}

function tooLarge(name: string, value: number | string): string {
	return (
		`${name} ${value}`.trim() +
		` is above ${Number.MAX_SAFE_INTEGER}, the largest whole number that JSON carries exactly, ` +
		'so it may have been rounded already.'
	);
}

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

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2})?$/;

/** Whether a range begins above its end. Only the platform knows how texts are ordered. */
function isAbove(low: string, high: string, type: FieldType): boolean {
	if (type === 'text') return false;
	if (plainNumber(low) !== undefined && plainNumber(high) !== undefined) return Number(low) > Number(high);
	return TIMESTAMP.test(low) && TIMESTAMP.test(high) && low.length === high.length && low > high;
}
