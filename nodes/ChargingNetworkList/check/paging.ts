import { counted } from '../../shared/text';
import { comesBefore, isUnsorted } from '../../shared/dsquery/order';
import type { Query } from '../../shared/dsquery/types';
import {
	farBeyond,
	isQueryRefused,
	isSame,
	orderOf,
	type Page,
	PlatformError,
	type Row,
	settle,
	skipIsApplied,
} from '../../shared/platform';
import { fine, handled, limited, type ListCheck, unclear, type Verdict } from './findings';
import { byId, type ListProbe, PAGE } from './listProbe';
import { isInTextOrder } from './shape';

/** So many rows beyond a page are not just new. */
const CERTAINLY_MORE = 3;

/** Whether pages in both directions are in the order asked for. */
async function bothWays(list: ListProbe, field: string) {
	const pages: Array<Page | undefined> = [];
	let sorted: 'yes' | 'no' | 'unsure' = 'yes';
	let [misplaced, neighbours] = [0, 0];
	for (const direction of ['Asc', 'Desc'] as const) {
		const sorts = [{ field, direction }];
		const page = await list.attempt({ sorts, pager: { skip: 0, take: PAGE } });
		const order = await orderOf(page?.rows ?? [], sorts, list.resource);
		misplaced += order.misplaced.length;
		neighbours += order.decided;
		pages.push(page);
		if (!page || isUnsorted(order.decided, order.misplaced.length)) sorted = 'no';
		else if (sorted === 'yes' && (order.decided === 0 || order.misplaced.length > 0)) sorted = 'unsure';
	}
	const [up, down] = pages;
	const evidence = `${misplaced} of ${neighbours} neighbours the wrong way round`;
	return { sorted, evidence, isByPage: sorted === 'yes' && beginAlike(up, down) };
}

/** Whether both directions begin with the same rows, of many: then each page is sorted alone. */
function beginAlike(up: Page | undefined, down: Page | undefined): boolean {
	if (!up || !down || up.rows.length >= (up.totalCount ?? 0)) return false;
	return up.rows.every((row) => down.rows.some((other) => isSame(row, other)));
}

/** A field whose order shows in the rows: the Id if it is sorted as a number, otherwise a number or a time in UTC. */
async function sortField(list: ListProbe): Promise<string | undefined> {
	const ascending = (await list.attempt(byId('Asc')))?.rows ?? [];
	const isNumber = ascending.length > 0 && ascending.every(({ Id: id }) => typeof id === 'number');
	if (isNumber && !isInTextOrder(ascending)) return 'Id';
	const others = (await list.fields()).filter(({ name }) => name !== 'Id');
	return others.find(({ name, type }) => type === 'number' || (type === 'date' && /utc$/i.test(name)))?.name;
}

/** Whether rows come in the order asked for, in both directions. */
async function sort(list: ListProbe): Promise<Verdict> {
	const field = await sortField(list);
	if (field === undefined) return unclear('No field shows in which order rows come.', 'no number, no time in UTC');
	const { sorted, evidence, isByPage } = await bothWays(list, field);
	if (isByPage) {
		const text = 'Each page is sorted alone. With a limit, other rows than the first ones come: use Return All.';
		return limited(text, 'both directions begin with the same rows');
	}
	if (sorted === 'yes') return fine('Rows come in the order asked for, in both directions.', evidence);
	if (sorted === 'unsure') return unclear('The rows do not show whether they are sorted.', evidence);
	const text =
		'Sorts have no effect, or not in both directions. Turn on Return All and use n8n’s Sort and Limit nodes: with a limit, the nodes stop rather than return the wrong first rows.';
	return limited(text, evidence);
}

/** Rows of these pages that are not in the first one. */
function others(first: Page, ...pages: ReadonlyArray<Page | undefined>): Row[] {
	const rows = pages.flatMap((page) => page?.rows ?? []);
	return rows.filter((row) => !first.rows.some((one) => isSame(row, one)));
}

const at = (list: ListProbe, skip: number, take = PAGE): Query => ({ ...list.firstQuery, pager: { skip, take } });

/** How many rows a page has at most. */
async function pageSize(list: ListProbe): Promise<Verdict> {
	const { page, came: length } = await list.first();
	const one = await list.attempt(at(list, 0, 1));
	if (length > PAGE || (one && one.rows.length > 1))
		return handled('Take has no effect: more rows come than asked for. The nodes leave out what is too much.');
	if (length === 0) return unclear('The list has no rows.');
	const next = await list.attempt(at(list, length));
	if (length < PAGE && others(page, next, await list.attempt(byId('Desc'))).length >= CERTAINLY_MORE) {
		const most = `A page has ${counted(length, 'row')} at most, though 100 were asked for.`;
		return handled(`${most} The nodes read more pages instead.`);
	}
	const nextLength = next?.rows.length ?? 0;
	const isShorter = nextLength > 0 && nextLength < length;
	const after = isShorter ? await list.attempt(at(list, length + nextLength)) : undefined;
	if (others(page, after).length >= CERTAINLY_MORE)
		return handled('Pages differ in length. The nodes go on where each page ended.');
	return fine('A page has as many rows as asked for, up to 100.');
}

const UNREACHED =
	'Remove sorts, so that lists are read by Id, and narrow filters: the nodes stop where rows cannot be reached.';

/** Whether Skip is applied, near and far. */
async function skip(list: ListProbe): Promise<Verdict> {
	const { page, came: length } = await list.first();
	if (length === 0) return unclear('The list has no rows.');
	const next = await list.attempt(at(list, length));
	const isRepeated = next !== undefined && next.rows.length > 0 && others(page, next).length === 0;
	if (!(await skipIsApplied(list.ask, list.firstQuery)))
		return limited(`Skip ${isRepeated ? 'has no effect' : 'is not applied beyond some place'}. ${UNREACHED}`);
	const deep = (page.totalCount ?? 0) - 1;
	if (deep <= length) return fine('Skip is applied.');
	const last = await settle(list.ask(at(list, deep, 2)));
	if (last.ok || isCutBehind(last.error)) return fine('Skip is applied, also far out.');
	if (isQueryRefused(last.error)) return limited(`A Skip of ${deep} is refused. ${UNREACHED}`);
	throw last.error;
}

/** Whether TotalCount is right, as far as the rows show it. */
async function totalCount(list: ListProbe): Promise<Verdict> {
	const { page, facts, came: length } = await list.first();
	const evidence = `TotalCount: ${facts.total}`;
	const { totalCount: count = page.isBlank && 0, uncounted } = page;
	if (count === undefined) return limited(`The platform does not count rows: ${uncounted}. ${READ_INSTEAD}`, evidence);
	// The last row counted, and none after it.
	const last = await list.attempt(at(list, Math.max(0, count - 1), 2));
	if (last?.rows.length !== Math.min(1, count)) {
		if (last === undefined || !(await skipIsApplied(list.ask, list.firstQuery)))
			return unclear('The count cannot be compared with rows: see Skip.', evidence);
		const kind = await kindOfCount(list, page, length);
		if (kind === '' && last.totalCount !== count)
			return unclear('The number of rows changed while it was checked.', evidence);
		const wrong = `The platform counts ${counted(count, 'row')}, and its rows do not confirm it.`;
		return limited(`${wrong} ${kind}Count returns that figure. ${READ_INSTEAD}`, evidence);
	}
	const isLast = await isLastRow(list, count);
	if (isLast === undefined)
		return unclear('Without a sort, it cannot be told whether the rows counted are all: see Sort.', evidence);
	if (!isLast) {
		const text = `The list ends after ${counted(count, 'row')}, though there are others: they come in reverse order. Use filters that match fewer rows.`;
		return limited(text, evidence);
	}
	if (facts.total === 'text') return handled('TotalCount is exact, but written as text. The nodes read it.', evidence);
	return fine('TotalCount is exact: the last row counted is there, and none after it.', evidence);
}

const READ_INSTEAD = 'Get Many with Return All gives every row.';

/** What a wrong count seems to be, as a sentence; empty if that does not show. */
async function kindOfCount(list: ListProbe, { totalCount: count = 0 }: Page, length: number): Promise<string> {
	const one = await list.attempt(at(list, 0, 1));
	if (count === length && one?.totalCount === one?.rows.length) return 'It counts the rows of the page alone. ';
	return count > 0 && count % 100 === 0 ? `It may stop at ${count}. ` : '';
}

/** Whether no row comes behind the last one counted: in reverse order, none does. Undefined where sorts have no effect. */
async function isLastRow(list: ListProbe, count: number): Promise<boolean | undefined> {
	const field = await sortField(list);
	if (count === 0 || field === undefined) return true;
	if ((await sort(list)).result === 'limits') return undefined;
	const up = { field, direction: 'Asc' } as const;
	const greatest = await list.attempt({ sorts: [{ field, direction: 'Desc' }], pager: { skip: 0, take: PAGE } });
	const last = (await list.attempt({ sorts: [up], pager: { skip: count - 1, take: 2 } }))?.rows.at(-1);
	return !last || !greatest?.rows[0] || !comesBefore(last, greatest.rows[0], up, list.resource);
}

/** How a page behind the end of the list is written. */
async function end(list: ListProbe): Promise<Verdict> {
	const answer = await settle(list.inspect(farBeyond(list.firstQuery)));
	if (!answer.ok) {
		const { error } = answer;
		if (isCutBehind(error))
			return limited(`A page behind the end is answered with status ${error.status}. ${CUT_SHORT}`);
		if (!isQueryRefused(error)) throw error;
		return handled('A page behind the end is refused. The nodes take that for the end.');
	}
	const { came, facts } = answer.value;
	if (came > 0) return unclear('Rows come where the list is over: see Skip.');
	if (facts.form === 'nothing') return limited(`A page behind the end has no content. ${CUT_SHORT}`);
	if (facts.items !== 'null') return fine('A page behind the end is empty.');
	return handled('A page behind the end has no list of Items. The nodes take that for the end.');
}

const CUT_SHORT =
	'Gateways answer so while the platform is away, so the nodes do not take it for the end: a reading that gets there stops without rows.';

/** Whether the platform says that there is nothing at this place. */
function isCutBehind(error: unknown): error is PlatformError {
	return error instanceof PlatformError && (error.status === 404 || error.status === 416);
}

export const PAGING_CHECKS: readonly ListCheck[] = [
	{ name: 'Sort', mostRequests: 5, find: sort },
	{ name: 'Page size', mostRequests: 5, find: pageSize },
	{ name: 'Skip', mostRequests: 5, find: skip },
	{ name: 'TotalCount', mostRequests: 18, find: totalCount },
	{ name: 'End of the list', mostRequests: 1, find: end },
];
