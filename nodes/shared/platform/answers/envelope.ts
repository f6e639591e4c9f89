import { kindOf } from '../../dsquery/faults';
import type { ListResource } from '../../resources';
import type { PlatformError } from './errors';
import { unexpectedAnswer } from './refusals';
import type { Answer } from './refusals';
import type { OpenAnswer, Page, Row } from '../types';

/** Most property names shown when something other than the platform answers. */
const MAX_NAMES = 5;
/** Objects around the rows: `{"result":{"data":[...]}}` has two. */
const MAX_WRAPPERS = 3;

/**
 * Checks that an answer is the paged envelope (specification, "Paged envelope"): `Items`, an array of objects, and
 * `TotalCount`, the number of all matching rows. Names may be in any case; in the rows, `Id` and the known fields of
 * the list get the specification's spelling.
 *
 * @throws PlatformError of kind not-the-platform when it is something else, invalid-answer when it is damaged
 */
export function readPage(answer: Answer<unknown>, list: ListResource): Page {
	const { body } = answer;
	if (!isObject(body)) throw strange(answer);
	const items = itemsOf(body);
	const counted = property(body, 'TotalCount');
	if (items === undefined && counted === undefined) throw strange(answer);
	if (!Array.isArray(items)) throw damaged(answer, 'it has no list of Items');
	const rows = rowsOf(answer, items, 'Items', list);
	// Some serialisers write large integers as text.
	const totalCount = typeof counted === 'string' && /^\d{1,16}$/.test(counted) ? Number(counted) : counted;
	if (typeof totalCount !== 'number' || !Number.isSafeInteger(totalCount) || totalCount < 0) {
		throw damaged(answer, `TotalCount is ${typeof counted === 'number' ? counted : found(counted)}`);
	}
	return { rows, totalCount };
}

/**
 * Reads the answer of a list whose shape the specification does not show: the paged envelope, an array of rows, or
 * either of them inside other objects, under any name.
 *
 * @throws PlatformError of kind not-the-platform or invalid-answer when it holds no list
 */
export function readOpenAnswer(answer: Answer<unknown>, list: ListResource): OpenAnswer {
	let { body } = answer;
	for (let depth = 0; depth <= MAX_WRAPPERS; depth++) {
		if (Array.isArray(body)) return { rows: rowsOf(answer, body, 'the list', list) };
		if (!isObject(body)) break;
		const counted = property(body, 'TotalCount');
		if (Array.isArray(itemsOf(body)) && counted !== undefined && counted !== null) {
			return readPage({ ...answer, body }, list);
		}
		// Continue with the only non-empty list, else an empty one; without lists, with the only object.
		const values: unknown[] = Object.values(body);
		const lists = values.filter(Array.isArray);
		const filled = lists.filter(({ length }) => length > 0);
		const inside = lists.length > 0 ? (filled.length > 0 ? filled : lists.slice(0, 1)) : values.filter(isObject);
		if (inside.length !== 1) break;
		[body] = inside;
	}
	throw strange(answer);
}

/**
 * Checks that an answer is one resource.
 *
 * @throws PlatformError of kind not-the-platform when it is something else
 */
export function readRow(answer: Answer<unknown>, list: ListResource): Row {
	const { body } = answer;
	if (!isObject(body) || property(body, 'Id') === undefined) throw strange(answer);
	return spelled([body as Row], list)[0] as Row;
}

function rowsOf(answer: Answer<unknown>, entries: readonly unknown[], place: string, list: ListResource): Row[] {
	const other = entries.findIndex((entry) => !isObject(entry));
	if (other >= 0) throw damaged(answer, `entry ${other + 1} of ${place} is ${found(entries[other])}`);
	return spelled(entries as Row[], list);
}

/** The rows with `Id` and the known fields in the specification's spelling. Rows that have it are not copied. */
function spelled(rows: Row[], list: ListResource): Row[] {
	const wanted = new Map(['Id', ...list.fields.map(({ name }) => name)].map((name) => [name.toLowerCase(), name]));
	const spellings = new Map<string, string>();
	const spellingOf = (name: string) => {
		const known = spellings.get(name);
		if (known !== undefined) return known;
		const spelling = wanted.get(name.toLowerCase()) ?? name;
		spellings.set(name, spelling);
		return spelling;
	};
	return rows.map((row) => {
		const names = Object.keys(row);
		// If a row has both spellings, the specification's one is used.
		const isOther = (name: string) => spellingOf(name) !== name && !Object.hasOwn(row, spellingOf(name));
		if (!names.some(isOther)) return row;
		return Object.fromEntries(names.map((name) => [isOther(name) ? spellingOf(name) : name, row[name]]));
	});
}

/** The rows of an envelope. Some languages write an empty list as null. */
function itemsOf(body: object): unknown {
	const items = property(body, 'Items');
	return items === null ? [] : items;
}

/** A property under the specification's name, or under one that differs only in case. */
function property(value: object, name: string): unknown {
	if (Object.hasOwn(value, name)) return Reflect.get(value, name);
	const other = Object.keys(value).find((key) => key.toLowerCase() === name.toLowerCase());
	return other === undefined ? undefined : Reflect.get(value, other);
}

/** Shows only property names: values may be personal data from another service. */
function strange({ body, asRefusal }: Answer<unknown>): PlatformError {
	const names = isObject(body) ? Object.keys(body).map((name) => name.slice(0, 40)) : [];
	const shown = names.slice(0, MAX_NAMES).join(', ') + (names.length > MAX_NAMES ? ', …' : '');
	const what = names.length > 0 ? `got JSON with ${shown}` : `got JSON that is ${found(body)}`;
	return unexpectedAnswer(asRefusal, 'not-the-platform', what);
}

function damaged({ asRefusal }: Answer<unknown>, found: string): PlatformError {
	return unexpectedAnswer(asRefusal, 'invalid-answer', found);
}

function isObject(value: unknown): value is object {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What came, as messages name it. */
function found(value: unknown): string {
	if (value === undefined) return 'missing';
	if (value === null) return 'null';
	if (Array.isArray(value) && value.length === 0) return 'an empty list';
	return isObject(value) && Object.keys(value).length === 0 ? 'an empty object' : kindOf(value);
}
