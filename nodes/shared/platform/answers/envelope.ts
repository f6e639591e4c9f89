import { kindOf, quote } from '../../text';
import { findFieldValue } from '../../dsquery/fieldName';
import type { ListResource } from '../../resources';
import type { JsonAnswer, OddForm, Page, Row } from '../types';
import type { PlatformError } from './errors';
import { isObject } from './json';
import { formatFieldNames } from './safeText';
import { damagedAnswerError, interruptedError, notThePlatformError } from './answerErrors';

/** Most property names shown when something other than the platform answers. */
const MAX_NAMES = 5;

/**
 * Reads the answer of a list: the paged envelope (specification, "Paged envelope") with `Items`, an array of objects, and
 * `TotalCount`, the number of all matching rows; or the bare array. Names may be in any case; in the rows, `Id` and the
 * known fields of the list get the specification's spelling. An answer without content is an empty page.
 *
 * @throws PlatformError of kind not-the-platform when it is something else, invalid-answer when it is damaged
 */
export function readListAnswer(answer: JsonAnswer, list: ListResource): Page {
	const { json } = answer;
	if (json === null) return { rows: [], isBlank: true };
	if (Array.isArray(json)) {
		const rows = rowsOf(answer, json, 'the list', list);
		return { rows, oddForm: oddForm({ 'bare array': true, 'other case': differ(rows, json) }) };
	}
	if (!isObject(json)) throw strange(answer);
	const items = findFieldValue(json, 'Items');
	const counted = findFieldValue(json, 'TotalCount');
	if (items === undefined && counted === undefined) throw strange(answer);
	const totalCount = readCount(counted);
	// Some serialisers write null for a list without entries.
	const entries: unknown = items === null && totalCount === 0 ? [] : items;
	if (!Array.isArray(entries)) throw damagedAnswerError(answer, 'it has no list of Items', true);
	const rows = rowsOf(answer, entries, 'Items', list);
	const isOtherCase = !Object.hasOwn(json, 'Items') || differ(rows, entries);
	const isText = totalCount !== undefined && typeof counted === 'string';
	return { rows, totalCount, oddForm: oddForm({ 'other case': isOtherCase, 'count as text': isText }) };
}

/** Undefined for an answer in the form that is specified. */
function oddForm(forms: Partial<Record<OddForm, boolean>>): OddForm[] | undefined {
	const odd = Object.entries(forms).flatMap(([form, isSo]) => (isSo ? (form as OddForm) : []));
	return odd.length > 0 ? odd : undefined;
}

/** Whether names in a row were changed to the specification's spelling. */
function differ(rows: readonly Row[], entries: readonly unknown[]): boolean {
	return rows.some((row, index) => row !== entries[index]);
}

/** The number of rows that is counted, if it is one. Some serialisers write integers as text. */
function readCount(counted: unknown): number | undefined {
	const count = typeof counted === 'string' && /^\d{1,16}$/.test(counted) ? Number(counted) : counted;
	return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/**
 * Checks that an answer is the detail of a row. It may lack an Id.
 *
 * @throws PlatformError of kind invalid-answer for an answer without content, not-the-platform when it is something else
 */
export function parseDetailAnswer(answer: JsonAnswer, list: ListResource): Row {
	const { json } = answer;
	if (json === null) {
		const { noun } = list;
		const check = `Check the ID: there may be no ${noun} that has it. `;
		throw interruptedError('nothing', `the ${noun} ${quote(answer.endpoint.id)}`, { check });
	}
	const names = ['Id', ...list.fields.map(({ name }) => name), ...(list.detailFields ?? [])];
	if (!isObject(json) || names.every((name) => findFieldValue(json, name) === undefined)) throw strange(answer);
	return spelled(list)(json as Row);
}

/** An Id in a message. */
export function formatId({ Id: id }: { Id?: unknown }): string {
	if (typeof id === 'string') return `“${id.slice(0, 40)}”`;
	return typeof id === 'number' ? String(id) : 'without an Id';
}

function rowsOf(answer: JsonAnswer, entries: readonly unknown[], place: string, list: ListResource): Row[] {
	const other = entries.findIndex((entry) => !isObject(entry));
	if (other >= 0) throw damagedAnswerError(answer, `entry ${other + 1} of ${place} is ${found(entries[other])}`);
	return (entries as Row[]).map(spelled(list));
}

/** Gives a row `Id` and the known fields in the specification's spelling. A row that has it is not copied. */
function spelled(list: ListResource): (row: Row) => Row {
	const wanted = new Map(['Id', ...list.fields.map(({ name }) => name)].map((name) => [name.toLowerCase(), name]));
	return (row) => {
		const names = Object.keys(row);
		const spellingOf = (name: string) => {
			const spelling = wanted.get(name.toLowerCase()) ?? name;
			// If a row has both spellings, the specification's one is used.
			return Object.hasOwn(row, spelling) ? name : spelling;
		};
		if (names.every((name) => spellingOf(name) === name)) return row;
		return Object.fromEntries(names.map((name) => [spellingOf(name), row[name]]));
	};
}

/** Shows only property names: values may be personal data from another service. */
function strange(answer: JsonAnswer): PlatformError {
	const { json, secrets } = answer;
	const names = isObject(json) ? Object.keys(json) : [];
	const shown = formatFieldNames(names, secrets, MAX_NAMES);
	return notThePlatformError(answer, names.length > 0 ? `got JSON with ${shown}` : `got JSON that is ${found(json)}`);
}

/** What came, as messages name it. */
function found(value: unknown): string {
	if (value === undefined) return 'missing';
	if (value === null) return 'null';
	if (Array.isArray(value) && value.length === 0) return 'an empty list';
	return isObject(value) && Object.keys(value).length === 0 ? 'an empty object' : kindOf(value);
}
