import type { PlatformError } from './errors';
import { unexpectedAnswer } from './refusals';
import type { Answer } from './refusals';
import type { OpenAnswer, Page, Row } from '../types';

/** Property names that are shown when something else than the platform answers. */
const MAX_NAMES = 5;

/**
 * Checks that an answer is the paged envelope (specification, "Paged envelope"): `Items`, an array of objects, and
 * `TotalCount`, the number of all rows that match.
 *
 * @throws PlatformError of kind not-the-platform when it is something else, invalid-answer when it is damaged
 */
export function readPage(answer: Answer<unknown>): Page {
	const { body } = answer;
	if (!isObject(body)) throw strange(answer);
	const items = property(body, 'Items');
	const counted = property(body, 'TotalCount');
	if (items === undefined && counted === undefined) throw strange(answer);
	if (!Array.isArray(items)) throw damaged(answer, 'it has no list of Items');
	const rows = objectsOf(answer, items, 'Items');
	// Some serialisers write large integers as text; that leaves no doubt about the number.
	const totalCount = typeof counted === 'string' && /^\d+$/.test(counted) ? Number(counted) : counted;
	if (typeof totalCount !== 'number' || !Number.isSafeInteger(totalCount) || totalCount < 0) {
		throw damaged(answer, `TotalCount is ${typeof counted === 'number' ? counted : kindOf(counted)}`);
	}
	return { rows, totalCount };
}

/** Names under which services put their rows, and what they wrap an answer in. Compared without case, _ and -. */
const ROWS_NAMES = /^(?:items|locations|data|results?|values?|records|rows|content|list|entries)$/;
const WRAPPER_NAMES = /^(?:data|results?|payload|response|body|content)$/;
/** An object of nothing but these says how a request went; it is no row. */
const VERDICT_NAMES = /^(?:success|ok|status|statuscode|code|error|errors|message|messages|detail|title|type|traceid)$/;
const MAX_WRAPPERS = 3;

/**
 * Reads the answer of a list whose shape the specification does not show: the paged envelope, an array, either of them
 * inside another object, or a single object.
 *
 * @throws PlatformError of kind not-the-platform or invalid-answer when it holds no rows
 */
export function readOpenAnswer(answer: Answer<unknown>): OpenAnswer {
	let { body } = answer;
	for (let depth = 0; depth <= MAX_WRAPPERS; depth++) {
		if (Array.isArray(body)) return { shape: 'list', rows: objectsOf(answer, body, 'the list') };
		if (!isObject(body)) break;
		const counted = property(body, 'TotalCount');
		if (Array.isArray(property(body, 'Items')) && counted !== undefined && counted !== null) {
			return { shape: 'envelope', ...readPage({ ...answer, body }) };
		}
		if (property(body, 'Id') !== undefined) return { shape: 'object', rows: [body as Row] };
		const entries: Array<[string, unknown]> = Object.entries(body).map(([name, value]) => [plain(name), value]);
		const rows = entries.find(([name, value]) => ROWS_NAMES.test(name) && Array.isArray(value));
		const wrapped = entries.find(([name, value]) => WRAPPER_NAMES.test(name) && isObject(value));
		if (rows === undefined && wrapped === undefined) {
			const isRow = entries.some(([name]) => !VERDICT_NAMES.test(name));
			if (isRow) return { shape: 'object', rows: [body as Row] };
			break;
		}
		body = (rows ?? wrapped)?.[1];
	}
	throw strange(answer);
}

/**
 * Checks that an answer is one resource.
 *
 * @throws PlatformError of kind not-the-platform when it is something else
 */
export function readRow(answer: Answer<unknown>): Row {
	const { body } = answer;
	if (!isObject(body) || property(body, 'Id') === undefined) throw strange(answer);
	return body as Row;
}

function objectsOf(answer: Answer<unknown>, entries: readonly unknown[], place: string): Row[] {
	const other = entries.findIndex((entry) => !isObject(entry));
	if (other >= 0) throw damaged(answer, `entry ${other + 1} of ${place} is ${kindOf(entries[other])}`);
	return entries as Row[];
}

function plain(name: string): string {
	return name.toLowerCase().replace(/[_-]/g, '');
}

/** A property under the specification's name, or under one that differs only in case. */
function property(value: object, name: string): unknown {
	if (Object.hasOwn(value, name)) return Reflect.get(value, name);
	const other = Object.keys(value).find((key) => key.toLowerCase() === name.toLowerCase());
	return other === undefined ? undefined : Reflect.get(value, other);
}

/** Only property names are shown: values may be personal data of whoever answered. */
function strange({ body, asRefusal }: Answer<unknown>): PlatformError {
	const names = isObject(body) ? Object.keys(body).map((name) => name.slice(0, 40)) : [];
	const shown = names.slice(0, MAX_NAMES).join(', ') + (names.length > MAX_NAMES ? ', …' : '');
	const found = names.length > 0 ? `JSON with ${shown} came` : `JSON came that is ${kindOf(body)}`;
	return unexpectedAnswer(asRefusal, 'not-the-platform', found);
}

function damaged({ asRefusal }: Answer<unknown>, found: string): PlatformError {
	return unexpectedAnswer(asRefusal, 'invalid-answer', found);
}

function isObject(value: unknown): value is object {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
	if (value === undefined) return 'missing';
	if (value === null) return 'null';
	if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
	if (typeof value === 'object') return Object.keys(value).length === 0 ? 'an empty object' : 'an object';
	return { string: 'text', number: 'a number', boolean: 'true or false' }[typeof value as string] ?? 'something else';
}
