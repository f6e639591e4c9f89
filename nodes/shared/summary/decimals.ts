/** An exact decimal number: `units` divided by 10 to the power of `digits`. */
export interface Decimal {
	units: bigint;
	/** Digits after the decimal point, 0 or more. */
	digits: number;
}

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
 * Adds decimal numbers without rounding: 0.1 + 0.2 is 0.3, and the order does not change the sum. With floating-point
 * numbers neither holds.
 */
export class DecimalSum {
	private units = 0n;
	private digits = 0;

	add({ units, digits }: Decimal): void {
		if (digits > this.digits) {
			this.units *= 10n ** BigInt(digits - this.digits);
			this.digits = digits;
		}
		this.units += digits < this.digits ? units * 10n ** BigInt(this.digits - digits) : units;
	}

	get exact(): Decimal {
		return { units: this.units, digits: this.digits };
	}

	/** The number closest to the exact sum. */
	get value(): number {
		return nearest(this.exact);
	}

	/** The number closest to the exact sum divided by a count above 0. */
	dividedBy(count: number): number {
		return nearestRatio(this.units, BigInt(count) * 10n ** BigInt(this.digits));
	}
}

/** The change of a figure. Null if one of the two is missing; the percentage also if the earlier one is 0. */
export interface Change {
	difference: number | null;
	percent: number | null;
}

/** Compares two figures as decimals: from 0.3 to 0.1 the difference is -0.2, unlike with floating-point numbers. */
export function change(now: unknown, before: unknown): Change {
	const [to, from] = [readDecimal(now), readDecimal(before)];
	if (!to || !from) return { difference: null, percent: null };
	const digits = Math.max(to.digits, from.digits);
	const scaled = ({ units, digits: own }: Decimal) => units * 10n ** BigInt(digits - own);
	const [units, base] = [scaled(to) - scaled(from), scaled(from)];
	const percent = base === 0n ? null : nearestRatio(100n * units, base < 0n ? -base : base);
	return { difference: nearest({ units, digits }), percent };
}

function nearest({ units, digits }: Decimal): number {
	return Number(`${units}e-${digits}`);
}

/** How many percent a part is of a whole above 0. */
export function percentOf(part: number, whole: number): number {
	return nearestRatio(100n * BigInt(part), BigInt(whole));
}

/** The number closest to a fraction, from 40 of its digits: a number holds 17. The denominator must be above 0. */
function nearestRatio(numerator: bigint, denominator: bigint): number {
	const digits = 40 + Math.max(0, String(denominator).length - String(numerator).length);
	return nearest({ units: (numerator * 10n ** BigInt(digits)) / denominator, digits });
}
