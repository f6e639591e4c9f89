import type { Fault } from './types';
import { QueryError } from './types';

/** Collects everything that is wrong with a query, so that a person can put all of it right in one go. */
export class Faults {
	private readonly list: Fault[] = [];

	/** Notes a fault. Gives undefined back, so that a reader can end with `return faults.add(...)`. */
	add(place: string, message: string): undefined {
		this.list.push({ place, message });
		return undefined;
	}

	get count(): number {
		return this.list.length;
	}

	/** @throws {QueryError} with every fault noted so far, if there is one. */
	check(): void {
		if (this.list.length > 0) throw new QueryError(this.list);
	}
}

const SHOWN_LENGTH = 60;

/** A value as it is quoted in a message: short, in double quotes where it is text. */
export function quote(value: unknown): string {
	let text: string | undefined;
	try {
		text = typeof value === 'bigint' ? String(value) : JSON.stringify(value);
	} catch {
		// A value that contains itself has no JSON text.
	}
	text ??= kindOf(value);
	if (text.length <= SHOWN_LENGTH) return text;
	return typeof value === 'string' ? `${text.slice(0, SHOWN_LENGTH - 1)}…"` : `${text.slice(0, SHOWN_LENGTH - 1)}…`;
}

/** Nothing a person could see: blanks, and the invisible characters that come along when text is copied. */
export function isBlank(text: string): boolean {
	return /^[\s\u200b-\u200d\u2060\ufeff]*$/.test(text);
}

/** A plain object of this or another realm (an expression runs in its own): no array, no date. */
export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && Object.prototype.toString.call(value) === '[object Object]';
}

/** Names the kind of a value in a message: "a list". */
export function kindOf(value: unknown): string {
	if (value === undefined || value === null) return 'nothing';
	if (Array.isArray(value)) return 'a list';
	switch (typeof value) {
		case 'string':
			return 'text';
		case 'number':
		case 'bigint':
			return 'a number';
		case 'boolean':
			return 'true or false';
		default:
			return 'an object';
	}
}
