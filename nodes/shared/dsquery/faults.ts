import { QueryError, type Fault } from './types';

/** The most faults that a message shows; the others are only counted. */
const MOST_SHOWN = 20;
const LONGEST_PLACE = 300;
const LONGEST_MESSAGE = 1000;

/** Collects everything that is wrong with a query, so that the user can correct it all at once. */
export class Faults {
	private readonly shown: Fault[] = [];
	private total = 0;

	/** Adds a fault. Returns undefined, so that callers can end with `return faults.add(...)`. */
	add(place: string, message: string): undefined {
		this.total++;
		if (this.shown.length < MOST_SHOWN) {
			this.shown.push({ place: shorten(place, LONGEST_PLACE), message: shorten(message, LONGEST_MESSAGE) });
		}
		return undefined;
	}

	/** @throws {QueryError} with this fault and all others so far, for input too deep or too large to read to its end */
	stop(place: string, message: string): never {
		this.add(place, message);
		throw new QueryError(this.shown, this.total);
	}

	get count(): number {
		return this.total;
	}

	/** @throws {QueryError} with all faults so far, if there are any */
	check(): void {
		if (this.total > 0) throw new QueryError(this.shown, this.total);
	}
}

function shorten(text: string, length: number): string {
	return text.length <= length ? text : `${text.slice(0, length)}…`;
}

const SHOWN_LENGTH = 60;

/** A value as messages quote it: text in double quotes and cut short, objects and lists by their kind. */
export function quote(value: unknown): string {
	if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
	if (typeof value !== 'string') return kindOf(value);
	return JSON.stringify(shorten(value, SHOWN_LENGTH));
}

/** Whether a value is missing, or only whitespace and invisible characters such as copied text may contain. */
export function isBlank(value: unknown): boolean {
	if (value === undefined || value === null) return true;
	return typeof value === 'string' && /^[\s\u200b-\u200d\u2060\ufeff]*$/.test(value);
}

/** Whether a value is an object, not an array or a Date. It may be of another realm: expressions run in their own. */
export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && Object.prototype.toString.call(value) === '[object Object]';
}

/** The kind of a value, as messages name it: "a list". */
export function kindOf(value: unknown): string {
	if (value === undefined || value === null) return 'nothing';
	if (Array.isArray(value)) return 'a list';
	if (typeof value === 'object') {
		if ('isLuxonDuration' in value) return 'a length of time';
		const isDate = 'isLuxonDateTime' in value || Object.prototype.toString.call(value) === '[object Date]';
		return isDate ? 'a date' : 'an object';
	}
	return KINDS[typeof value] ?? 'something else';
}

const KINDS: Readonly<Record<string, string>> = {
	string: 'text',
	number: 'a number',
	bigint: 'a number',
	boolean: 'true or false',
};

/** Names that a message lists; of others it says how many they are. */
const MOST_NAMED = 5;

/** Names as messages list them: the first ones, and how many more there are. */
export function firstNames<Name>(
	names: readonly Name[],
	most = MOST_NAMED,
	show: (name: Name) => string = String,
): string {
	return andMore(names.slice(0, most).map(show), names.length - most);
}

/** Texts in one line, and how many there are beside them. */
export function andMore(shown: readonly string[], more: number, separator = ', '): string {
	const text = shown.join(separator);
	return more > 0 ? `${text} and ${more} more` : text;
}

/** A count with its noun: "1 row", "2 rows". */
export function counted(count: number, one: string, many = `${one}s`): string {
	return `${count} ${count === 1 ? one : many}`;
}
