/** A decimal number without rounding: `units` divided by 10 to the power of `digits`. */
export interface Decimal {
	units: bigint;
	/** Digits behind the point, 0 or more. */
	digits: number;
}

const WRITTEN = /^\s*([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?\s*$/;
/** Numbers from here on are no energies, and their sum could be more than a number can hold. */
const TOO_LARGE = 1e290;
/** The smallest number above zero has 324 digits behind the point, and a few more that tell it from its neighbours. */
const MOST_DIGITS = 400;
/** More characters than any number within these bounds needs. */
const LONGEST = 1000;

/** The number as it is written, or undefined where the value is none. Some serialisers write decimal numbers as text. */
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
 * Adds decimal numbers as they are written, without rounding: 0.1 and 0.2 make 0.3, and the sum is the same in whichever
 * order they come. Binary fractions, which numbers are to a computer, give neither.
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
		return Number(`${this.units}e-${this.digits}`);
	}
}
