import isEmpty from 'lodash/isEmpty';
import isNil from 'lodash/isNil';

import { kindOf } from '../../text';
import { valueNamed } from '../../dsquery/fieldName';
import type { ListResource } from '../../resources';
import type { Page, Row } from '../types';
import type { PlatformError } from './errors';
import { isObject, plainName } from './jsonNodes';
import { describeRefusal } from './refusals';
import { headerText } from './retryAfter';
import { safeText, shownNames } from './safeText';
import { damaged as damagedAnswer, notThePlatform, type Answer } from './unusable';

/** Most property names shown when something other than the platform answers. */
const MAX_NAMES = 5;
/** What a list without a count has instead, if its shape is unknown. */
export const NO_TOTAL = 'its answer has no TotalCount';
/** Objects around the rows: `{"result":{"data":[...]}}` has two. */
const MAX_WRAPPERS = 3;

/** Reads the answer of a list. An answer without content is an empty page. */
export function readListAnswer(answer: Answer, list: ListResource): Page {
	if (answer.body === null) return { rows: [], isBlank: true };
	return list.unknownShape ? readUnknownAnswer(answer, list) : readEnvelope(answer, list);
}

/**
 * Checks that an answer is the paged envelope (specification, "Paged envelope"): `Items`, an array of objects, and
 * `TotalCount`, the number of all matching rows. Names may be in any case; in the rows, `Id` and the known fields of
 * the list get the specification's spelling.
 *
 * @throws PlatformError of kind not-the-platform when it is something else, invalid-answer when it is damaged
 */
function readEnvelope(answer: Answer, list: ListResource): Page {
	const { body } = answer;
	if (!isObject(body)) throw strange(answer);
	const items = valueNamed(body, 'Items');
	const counted = valueNamed(body, 'TotalCount');
	const count = readCount(counted, answer.asRefusal.secrets);
	if (items === undefined && counted === undefined) throw strange(answer);
	const isLeftOut = count.totalCount === 0 && items === undefined;
	if (!Array.isArray(items) && items !== null && !isLeftOut) throw damaged(answer, 'it has no list of Items');
	const rows = rowsOf(answer, Array.isArray(items) ? items : [], 'Items', list);
	refuseFailure(answer, body, rows.length > 0);
	const isMore = hasMore(body) || hasNextLink(answer);
	const other = otherTotal(answer, body, rows.length);
	return { rows, ...count, ...(isMore && { hasMore: true }), ...(other > rows.length && { otherTotal: other }) };
}

/**
 * Reads the answer of a list whose shape the specification does not show: the paged envelope, an array of rows, or
 * either of them inside other objects, under any name.
 *
 * @throws PlatformError of kind not-the-platform or invalid-answer when it holds no list
 */
function readUnknownAnswer(answer: Answer, list: ListResource): Page {
	let totalCount: number | undefined;
	let isMore = hasNextLink(answer);
	for (const body of layersOf(answer.body, listIn)) {
		if (Array.isArray(body)) {
			const rows = rowsOf(answer, body, 'the list', list);
			totalCount ??= totalInHeader(answer.asRefusal.headers);
			const count = totalCount === undefined ? { uncounted: NO_TOTAL } : { totalCount };
			return { rows, ...count, ...(isMore && { hasMore: true }) };
		}
		if (!isObject(body)) break;
		const [items, counted] = [valueNamed(body, 'Items'), valueNamed(body, 'TotalCount')];
		if ((Array.isArray(items) || items === null) && !isNil(counted)) {
			const page = readEnvelope({ ...answer, body }, list);
			return isMore ? { ...page, hasMore: true } : page;
		}
		totalCount ??= totalOf(body);
		isMore ||= hasMore(body);
		refuseFailure(answer, body, !isEmpty(listIn(body)));
	}
	throw strange(answer);
}

/** A body and what is inside it, layer by layer. */
function* layersOf(body: unknown, inside: (object: object) => unknown): Generator<unknown> {
	let layer = body;
	for (let depth = 0; depth <= MAX_WRAPPERS && layer !== undefined; depth++) {
		yield layer;
		layer = isObject(layer) ? inside(layer) : undefined;
	}
}

/** Names of the list of rows, as `plainName` has them. */
const LIST_NAMES = /^(?:items|data|results?|rows|values?|records|content|list|entries|elements)$/;
/** Lists beside the rows. */
const OTHER_LISTS = /^(?:errors?|warnings?|messages|links)$/;

/** The only filled list, else an empty one; without lists, the only object. */
function listIn(body: object): unknown {
	const entries = Object.entries(body).filter(([name]) => !OTHER_LISTS.test(plainName(name)));
	const lists = entries.filter(([, value]) => Array.isArray(value)) as Array<[string, unknown[]]>;
	const named = lists.filter(([name]) => LIST_NAMES.test(plainName(name)));
	const filled = lists.filter(([, { length }]) => length > 0);
	const objects = entries.filter(([, value]) => isObject(value));
	const inside = [named, filled, lists.slice(0, 1), objects].find(({ length }) => length > 0) ?? [];
	return inside.length === 1 ? inside[0]?.[1] : undefined;
}

const TOTALS = /^(?:total|totalcount|totalitems|totalelements|totalrecords|totalrows|totalresults|recordstotal)$/;
const MORE =
	/^(?:hasmore|hasnext|hasnextpage|next|nextpage|nextlink|@?odata\.nextlink|nextpagetoken|nexttoken|nextcursor|continuationtoken)$/;
const PAGES = /^(?:totalpages|pagecount|pagestotal|lastpage)$/;
const PAGING = /^(?:paging|pagination|page|pageinfo|meta|metadata|links)$/;

/** A number of all rows that is told beside TotalCount: in a header, or at least by the number of pages. */
function otherTotal({ asRefusal: { headers } }: Answer, body: object, rows: number): number {
	const pages = withPaging(body).filter(([name]) => PAGES.test(plainName(name)));
	const most = Math.max(1, ...pages.map(([, value]) => readCount(value).totalCount ?? 0));
	return Math.max(most > 1 ? (most - 1) * rows + 1 : 0, totalInHeader(headers) ?? 0);
}

function totalInHeader(headers: Record<string, unknown>): number | undefined {
	return readCount(headerText(headers, 'x-total-count')).totalCount;
}

/** How many rows there are, under a usual name, in the object or in its part about paging. */
function totalOf(body: object): number | undefined {
	const totals = withPaging(body).filter(([name]) => TOTALS.test(plainName(name)));
	return totals.map(([, value]) => readCount(value).totalCount).find((total) => total !== undefined);
}

/** Whether the object, or its part about paging, says that there are more rows. */
function hasMore(body: object): boolean {
	return withPaging(body).some(([name, value]) => MORE.test(plainName(name)) && Boolean(value) && value !== 'false');
}

function withPaging(body: object): Array<[string, unknown]> {
	const entries = Object.entries(body);
	const inner = entries.filter(([name, value]) => PAGING.test(plainName(name)) && isObject(value));
	return [...entries, ...inner.flatMap(([, value]) => Object.entries(value as object))];
}

function hasNextLink({ asRefusal: { headers } }: Answer): boolean {
	return /;\s*rel="?next\b/i.test(headerText(headers, 'link')?.slice(0, 10_000) ?? '');
}

/** Some serialisers write integers as text. */
function readCount(counted: unknown, secrets: readonly string[] = []): Pick<Page, 'totalCount' | 'uncounted'> {
	const count = typeof counted === 'string' && /^\d{1,16}$/.test(counted) ? Number(counted) : counted;
	if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) return { totalCount: count };
	const shown = typeof counted === 'string' ? `“${safeText(counted, secrets).slice(0, 20)}”` : found(counted);
	return { uncounted: `TotalCount is ${typeof counted === 'number' ? counted : shown}` };
}

/**
 * A page may carry a failure: `Success: false`, or something under `Error` or `Errors`. Without rows it is no empty
 * list, and beside rows a part of one.
 */
function refuseFailure(answer: Answer, body: object, hasRows: boolean): void {
	const isFilled = (value: unknown) => Boolean(value) && !(typeof value === 'object' && isEmpty(value));
	const found = ['Error', 'Errors'].find((name) => isFilled(valueNamed(body, name)));
	const failed = valueNamed(body, 'Success') === false ? 'Success: false' : found;
	if (failed === undefined) return;
	throw damaged(
		answer,
		hasRows ? `it has ${failed} beside its rows, so some may be missing` : `it has no rows, but ${failed}`,
	);
}

/**
 * Checks that an answer is the resource that was asked for. It may stand inside other objects or in a list of its own,
 * and may lack an Id.
 *
 * @throws PlatformError of kind not-found for an answer without content, not-the-platform when it is something else,
 * invalid-answer when it is another resource
 */
export function readRow(answer: Answer, list: ListResource, id: string): Row {
	const { asRefusal } = answer;
	if (answer.body === null) throw describeRefusal({ ...asRefusal, status: 404 });
	const idNames = ['Id', `${list.noun}Id`];
	const names = [...idNames, ...list.fields.map(({ name }) => name), ...(list.detailFields ?? [])];
	const isOne = (object: object) => names.some((name) => valueNamed(object, name) !== undefined);
	const found = [...layersOf(onlyOne(answer.body), objectIn)].find((layer) => isObject(layer) && isOne(layer));
	const [row] = found ? rowsOf(answer, [found], 'the answer', list) : [];
	if (!row) throw strange(answer);
	const own = idNames.map((name) => valueNamed(row, name)).find((value) => !isNil(value));
	if (own === undefined || isSameId(own, id)) return row;
	const other = safeText(shownId({ Id: own }), asRefusal.secrets);
	throw damaged(answer, `it is the ${list.noun} ${other}, not the ${list.noun} ${id}`);
}

/** The only object in an object, by itself or in a list of its own. */
function objectIn(object: object): unknown {
	const inside = Object.values(object).map(onlyOne).filter(isObject);
	return inside.length === 1 ? inside[0] : undefined;
}

function onlyOne(value: unknown): unknown {
	return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

/** The platform compares by value: 0042 equals 42, and text may be compared without regard to case. */
export function isSameId(found: unknown, asked: string): boolean {
	if (typeof found === 'number') return /^[+]?\d+$/.test(asked) && Number(asked) === found;
	return typeof found === 'string' && found.toLowerCase() === asked.toLowerCase();
}

/** An Id in a message. */
export function shownId({ Id: id }: { Id?: unknown }): string {
	if (typeof id === 'string') return `“${id.slice(0, 40)}”`;
	return typeof id === 'number' ? String(id) : 'without an Id';
}

/** The rows, as `spelled` gives them. */
function rowsOf(answer: Answer, entries: readonly unknown[], place: string, list: ListResource): Row[] {
	const other = entries.findIndex((entry) => !isObject(entry));
	if (other >= 0) throw damaged(answer, `entry ${other + 1} of ${place} is ${found(entries[other])}`);
	const inOwnSpelling = spelled(list);
	return (entries as Row[]).map((entry) => inOwnSpelling(entry, Object.keys(entry)));
}

/** Gives a row `Id` and the known fields in the specification's spelling. A row that has it is not copied. */
function spelled(list: ListResource): (row: Row, names: readonly string[]) => Row {
	const wanted = new Map(['Id', ...list.fields.map(({ name }) => name)].map((name) => [name.toLowerCase(), name]));
	const spellings = new Map<string, string>();
	const spellingOf = (name: string) => {
		const known = spellings.get(name);
		if (known !== undefined) return known;
		const spelling = wanted.get(name.toLowerCase()) ?? name;
		spellings.set(name, spelling);
		return spelling;
	};
	return (row, names) => {
		// If a row has both spellings, the specification's one is used.
		const isOther = (name: string) => {
			const spelling = spellingOf(name);
			return spelling !== name && !Object.hasOwn(row, spelling);
		};
		if (!names.some(isOther)) return row;
		return Object.fromEntries(names.map((name) => [isOther(name) ? spellingOf(name) : name, row[name]]));
	};
}

/** Shows only property names: values may be personal data from another service. */
function strange({ body, asRefusal }: Answer): PlatformError {
	const names = isObject(body) ? Object.keys(body) : [];
	const shown = shownNames(names, asRefusal.secrets, MAX_NAMES);
	const what = names.length > 0 ? `got JSON with ${shown}` : `got JSON that is ${found(body)}`;
	return notThePlatform(asRefusal, what);
}

function damaged({ asRefusal }: Answer, found: string): PlatformError {
	return damagedAnswer(asRefusal, found);
}

/** What came, as messages name it. */
function found(value: unknown): string {
	if (value === undefined) return 'missing';
	if (value === null) return 'null';
	if (Array.isArray(value) && value.length === 0) return 'an empty list';
	return isObject(value) && Object.keys(value).length === 0 ? 'an empty object' : kindOf(value);
}
