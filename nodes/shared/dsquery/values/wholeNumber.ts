import { quote } from '../../text';

/** A point before three digits may separate thousands; 12.0 can only be 12. */
const WHOLE = /^[+-]?\d+(?:\.0{0,2})?$/;
const THOUSANDS = /^[+-]?[1-9]\d{0,2}(?:[., \u00a0\u202f'’]\d{3})+$/;

/** Whether this is a whole number, as it came or as a person or a sheet writes it. */
export function isWholeNumber(value: unknown): boolean {
	const isText = typeof value === 'string' || typeof value === 'bigint';
	return isText ? WHOLE.test(String(value).trim()) : Number.isInteger(value);
}

/** That number. Undefined if it is none. */
export function toWholeNumber(value: unknown): number | undefined {
	return isWholeNumber(value) ? Number(value) : undefined;
}

/** Whether something may separate thousands in it: `1.000` and `1,003` may be 1 and 1.003, or 1000 and 1003. */
export function mayHaveThousands(value: unknown): boolean {
	return typeof value === 'string' && THOUSANDS.test(value.trim());
}

export function noIdMessage(value: unknown): string {
	return `${quote(value)} is not an ID. Use only digits, such as 10482.`;
}
