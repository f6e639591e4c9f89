/** An exact decimal number: `units` divided by 10 to the power of `digits`. */
export interface Decimal {
	units: bigint;
	/** Digits after the decimal point, 0 or more. */
	digits: number;
}

export const ZERO: Decimal = { units: 0n, digits: 0 };

const WRITTEN = /^\s*([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?\s*$/;
/** No real figure is larger, and the sum of larger numbers could overflow. */
const TOO_LARGE = 1e290;
/** More digits after the decimal point than any JavaScript number needs. */
const MOST_DIGITS = 400;
/** More characters than any number within these limits needs. */
const LONGEST = 1000;

/** The number as written, or undefined if the value is not one. Some serialisers write decimal numbers as text. */
export function readDecimal(value: unknown): Decimal | undefined {
	if (typeof value !== 'number' && typeof value !== 'string') return undefined;
	const text = String(value);
	const parts = text.length <= LONGEST ? WRITTEN.exec(text) : null;
	if (!parts) return undefined;
	const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
	const digits = fraction.length - Number(exponent);
	if (Math.abs(Number(value)) > TOO_LARGE || Math.abs(digits) > MOST_DIGITS) return undefined;
	const units = BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`);
	return digits < 0 ? { units: units * 10n ** BigInt(-digits), digits: 0 } : { units, digits };
}

/**
 * The exact sum: 0.1 + 0.2 is 0.3, and the order of several does not change it. With floating-point numbers neither
 * holds.
 */
export function addDecimals(one: Decimal, other: Decimal): Decimal {
	const digits = Math.max(one.digits, other.digits);
	return { units: unitsAt(one, digits) + unitsAt(other, digits), digits };
}

/** The number closest to a decimal. */
function decimalToNumber({ units, digits }: Decimal): number {
	return Number(`${units}e-${digits}`);
}

/** The number closest to a decimal. As text if the decimal is whole and would lose digits, like an Id beyond 2^53. */
export function writeDecimal(decimal: Decimal): number | string {
	const number = decimalToNumber(decimal);
	const scale = 10n ** BigInt(decimal.digits);
	const written = readDecimal(number);
	const isKept = decimal.units % scale !== 0n || (written && compareDecimals(written, decimal) === 0);
	return isKept ? number : String(decimal.units / scale);
}

/** Below 0 if the first is less than the other. */
export function compareDecimals(one: Decimal, other: Decimal): number {
	const digits = Math.max(one.digits, other.digits);
	const [a, b] = [unitsAt(one, digits), unitsAt(other, digits)];
	return a === b ? 0 : a < b ? -1 : 1;
}

/** The number closest to a decimal divided by a count above 0. */
export function divideDecimal({ units, digits }: Decimal, count: number): number {
	return nearestRatio(units, BigInt(count) * 10n ** BigInt(digits));
}

/** How many percent a part is of a whole above 0. */
export function percentOf(part: number, whole: number): number {
	return nearestRatio(100n * BigInt(part), BigInt(whole));
}

/** The change of a figure. Null if one of the two is no number; the percentage also if the earlier one is 0. */
interface FigureChange {
	difference: number | string | null;
	percent: number | null;
}

/** Compares two figures as decimals: from 0.3 to 0.1 the difference is -0.2, unlike with floating-point numbers. */
export function compareFigures(now: unknown, before: unknown): FigureChange {
	const [to, from] = [readDecimal(now), readDecimal(before)];
	if (!to || !from) return { difference: null, percent: null };
	const digits = Math.max(to.digits, from.digits);
	const base = unitsAt(from, digits);
	const units = unitsAt(to, digits) - base;
	const percent = base === 0n ? null : nearestRatio(100n * units, base < 0n ? -base : base);
	return { difference: writeDecimal({ units, digits }), percent };
}

function unitsAt({ units, digits }: Decimal, wanted: number): bigint {
	return units * 10n ** BigInt(wanted - digits);
}

/** The number closest to a fraction, from 40 of its digits: a number holds 17. The denominator must be above 0. */
function nearestRatio(numerator: bigint, denominator: bigint): number {
	const digits = 40 + Math.max(0, String(denominator).length - String(numerator).length);
	return decimalToNumber({ units: (numerator * 10n ** BigInt(digits)) / denominator, digits });
}
