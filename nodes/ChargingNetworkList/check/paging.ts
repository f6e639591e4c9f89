import isNil from 'lodash/isNil';

import { orderOf } from '../../shared/dsquery/order';
import { seenFields } from '../../shared/node/dropdowns/seenFields';
import type { Query, SortEntry } from '../../shared/dsquery/types';
import {
	countKnown,
	countUnknown,
	farBeyond,
	isBeyondEnd,
	isQueryRefused,
	isSame,
	PlatformError,
	settle,
	skipIsApplied,
} from '../../shared/platform';
import type { Page, Row } from '../../shared/platform';
import { counted, fine, handled, limited, unclear } from './findings';
import type { ListCheck, Verdict } from './findings';
import { byId, PAGE } from './listProbe';
import type { ListProbe } from './listProbe';
import { isInTextOrder } from './shape';

/** Share of neighbours out of order from which the platform does not sort: rows that have just changed are few. */
const UNSORTED_SHARE = 0.25;
/** So many rows beyond a page are not just new. */
const CERTAINLY_MORE = 3;

type Sorted = 'yes' | 'no' | 'unsure';

/** Whether pages are in the order that was asked for, and how many neighbours showed it. */
async function sortedBy(
	list: ListProbe,
	orders: readonly SortEntry[][],
): Promise<{ sorted: Sorted; evidence: string }> {
	let sorted: Sorted = 'yes';
	const evidence: string[] = [];
	for (const sorts of orders) {
		const page = await list.attempt({ sorts, pager: { skip: 0, take: PAGE } });
		const { decided, misplaced } = orderOf(page?.rows ?? [], sorts, list.resource);
		const asked = sorts
			.map(({ field, direction }) => `${list.connection.nameOf(field)} ${String(direction)}`)
			.join(', ');
		const came = page ? `${misplaced.length} of ${decided} neighbours the wrong way round` : 'refused';
		evidence.push(`${asked}: ${came}`);
		if (!page || misplaced.length > decided * UNSORTED_SHARE) sorted = 'no';
		else if (sorted === 'yes' && (decided === 0 || misplaced.length > 0)) sorted = 'unsure';
	}
	return { sorted, evidence: evidence.join('; ') };
}

/** A field whose order shows in the rows: the Id if it is sorted as a number, otherwise a number or a time in UTC. */
async function sortField(list: ListProbe): Promise<string | undefined> {
	const ascending = (await list.attempt(byId('Asc')))?.rows ?? [];
	const isNumber = ascending.length > 0 && ascending.every(({ Id: id }) => typeof id === 'number');
	if (isNumber && !isInTextOrder(ascending)) return 'Id';
	const fields = seenFields(list.resource, await list.sample());
	const showsOrder = ({ name, type }: (typeof fields)[number]) =>
		name !== 'Id' && (type === 'number' || (type === 'date' && /utc$/i.test(name)));
	return fields.find(showsOrder)?.name;
}

/** Whether both directions begin with the same rows, of many: then each page is sorted alone. */
async function isSortedByPage(list: ListProbe, field: string): Promise<boolean> {
	const page = async (direction: 'Asc' | 'Desc') =>
		await list.attempt({ sorts: [{ field, direction }], pager: { skip: 0, take: PAGE } });
	const [up, down] = [await page('Asc'), await page('Desc')];
	if (!up || !down || up.rows.length >= (up.totalCount ?? 0)) return false;
	return up.rows.every((row) => down.rows.some((other) => isSame(row, other)));
}

/** Whether rows come in the order asked for, in both directions. */
async function sort(list: ListProbe): Promise<Verdict> {
	const field = await sortField(list);
	if (field === undefined) return unclear('No field shows in which order rows come.', 'no number, no time in UTC');
	const { sorted, evidence } = await sortedBy(list, [[{ field, direction: 'Asc' }], [{ field, direction: 'Desc' }]]);
	if (sorted === 'yes' && (await isSortedByPage(list, field))) {
		const text = 'Each page is sorted alone. With a limit, other rows than the first ones come: use Return All.';
		return limited(text, `${evidence}; both directions begin with the same rows`);
	}
	if (sorted === 'yes') return fine('Rows come in the order asked for, in both directions.', evidence);
	if (sorted === 'unsure') return unclear('The rows do not show whether they are sorted.', evidence);
	return limited(
		'Sorts have no effect, or not in both directions. Turn on Return All and use n8n’s Sort and Limit nodes: with a limit, the nodes stop rather than return the wrong first rows.',
		evidence,
	);
}

/** Whether a second sort has an effect. */
async function secondSort(list: ListProbe): Promise<Verdict> {
	const codes = seenFields(list.resource, await list.sample()).filter(({ type }) => type === 'code');
	const [first, field] = [codes[0]?.name, await sortField(list)];
	if (first === undefined || field === undefined) {
		return unclear('No two fields show whether a second sort has an effect.', 'no status code, or nothing to sort by');
	}
	if ((await sort(list)).result !== 'as specified') return unclear('See Sort.', 'not tried');
	const orders = (['Desc', 'Asc'] as const).map((direction): SortEntry[] => [
		{ field: first, direction: 'Asc' },
		{ field, direction },
	]);
	const { sorted, evidence } = await sortedBy(list, orders);
	if (sorted === 'yes') return fine('A second sort decides among rows that are equal by the first.', evidence);
	if (sorted === 'unsure') return unclear('The rows do not show whether a second sort has an effect.', evidence);
	return limited(
		'Only the first sort has an effect. Sort by one field, or use n8n’s Sort node after Return All.',
		evidence,
	);
}

/** Rows of these pages that are not in the first one. */
function others(first: Page, pages: ReadonlyArray<Page | undefined>): Row[] {
	const known = first.rows.slice(0, PAGE);
	const rows = pages.flatMap((page) => page?.rows.slice(0, PAGE) ?? []);
	return rows.filter((row) => !known.some((one) => isSame(row, one)));
}

const at = (list: ListProbe, skip: number): Query => ({ ...list.firstQuery, pager: { skip, take: PAGE } });
const oneRow = (list: ListProbe): Query => ({ ...list.firstQuery, pager: { skip: 0, take: 1 } });
const cameIn = (page: Page | undefined) => (page ? counted(page.rows.length, 'row') : 'refused');

/** How many rows a page has at most. */
async function pageSize(list: ListProbe): Promise<Verdict> {
	const { page, came: length } = await list.first();
	const one = await list.attempt(oneRow(list));
	const evidence = `Take 100: ${counted(length, 'row')}, Take 1: ${cameIn(one)}`;
	if (Math.max(length - PAGE, (one?.rows.length ?? 1) - 1) > 0) {
		const text = 'Take has no effect: more rows come than asked for. The nodes leave out what is too much.';
		return handled(text, evidence);
	}
	if (length === 0) return unclear('The list has no rows.', evidence);
	const next = await list.attempt(at(list, length));
	const beyond = others(page, [next, await list.attempt(byId('Desc'))]);
	const more = `${evidence}; Skip ${length}, Take 100: ${cameIn(next)}`;
	if (length < PAGE && beyond.length >= CERTAINLY_MORE) {
		const most = `A page has ${counted(length, 'row')} at most, though 100 were asked for.`;
		return handled(`${most} The nodes read more pages instead.`, more);
	}
	const full = 'A page has as many rows as asked for, up to 100.';
	const nextLength = next?.rows.length ?? 0;
	if (nextLength === 0 || nextLength >= length) return fine(full, more);
	const after = await list.attempt(at(list, length + nextLength));
	const came = `${more}; Skip ${length + nextLength}: ${cameIn(after)}`;
	const isCut = others(page, [after]).length >= CERTAINLY_MORE;
	return isCut ? handled('Pages differ in length. The nodes go on where each page ended.', came) : fine(full, came);
}

const UNREACHED =
	'Remove sorts, so that lists are read by Id, and narrow filters: the nodes stop where rows cannot be reached.';

/** Whether Skip is applied, near and far. */
async function skip(list: ListProbe): Promise<Verdict> {
	const { page, came: length } = await list.first();
	if (length === 0) return unclear('The list has no rows.', 'no rows');
	const next = await list.attempt(at(list, length));
	const isRepeated = next !== undefined && next.rows.length > 0 && others(page, [next]).length === 0;
	const isFarApplied = await skipIsApplied(list.ask, { sorts: list.firstQuery.sorts });
	const far = isFarApplied ? 'no rows' : 'rows';
	const evidence = `Skip ${length}: ${isRepeated ? 'the first rows again' : cameIn(next)}; Skip 2,000,000,000: ${far}`;
	if (!isFarApplied) {
		return limited(`Skip ${isRepeated ? 'has no effect' : 'is not applied beyond some place'}. ${UNREACHED}`, evidence);
	}
	const deep = (page.totalCount ?? 0) - 1;
	return deep <= length ? fine('Skip is applied.', evidence) : await deepSkip(list, deep, evidence);
}

/** Whether the last place of the list can be skipped to. */
async function deepSkip(list: ListProbe, deep: number, evidence: string): Promise<Verdict> {
	const last = await settle(list.ask({ ...list.firstQuery, pager: { skip: deep, take: 2 } }));
	if (last.ok) return fine('Skip is applied, also far out.', `${evidence}; Skip ${deep}: ${cameIn(last.value)}`);
	if (isBeyondEnd(last.error)) return fine('Skip is applied, also far out.', `${evidence}; Skip ${deep}: no rows`);
	if (!isQueryRefused(last.error)) throw last.error;
	return limited(`A Skip of ${deep} is refused. ${UNREACHED}`, `${evidence}; Skip ${deep}: refused`);
}

/** Whether TotalCount is right, as far as the rows show it. */
async function totalCount(list: ListProbe): Promise<Verdict> {
	const { resource } = list;
	const { page, facts, came: length } = await list.first();
	const { plural } = resource;
	const evidence = `TotalCount: ${page.totalCount ?? facts.total}, written as: ${facts.total}, rows on the first page: ${length}`;
	const proof = await settle(
		resource.unknownShape ? countUnknown(list.askAgain, { plural }) : countKnown(list.askAgain, { plural }),
	);
	if (!proof.ok) {
		const { error } = proof;
		if (!(error instanceof PlatformError) || error.kind !== 'invalid-answer') throw error;
		if (!(await skipIsApplied(list.ask, { sorts: list.firstQuery.sorts }))) {
			return unclear('The count cannot be compared with rows: see Skip.', evidence);
		}
		const kind = await kindOfCount(list, page, length);
		return limited(
			`${error.message}. ${kind}Count says so instead of returning it. Get Many with Return All gives every row.`,
			evidence,
		);
	}
	const { count, hints, offBy } = proof.value;
	const [hint] = hints;
	if (hint !== undefined)
		return offBy === undefined ? unclear(hint, evidence) : handled(`${hint} Count says so.`, evidence);
	const reached = await reachesLast(list, count);
	if (reached === 'no') {
		return limited(
			`The list ends after ${counted(count, 'row')}, though there are others: they come in reverse order. Use filters that match fewer rows.`,
			evidence,
		);
	}
	if (reached === 'unsure')
		return unclear('Without a sort, it cannot be told whether the rows counted are all: see Sort.', evidence);
	if (facts.total === 'text') return handled('TotalCount is exact, but written as text. The nodes read it.', evidence);
	return fine(
		'TotalCount is exact: the last row counted is there, and none after it.',
		`${evidence}, proven: ${count}`,
	);
}

/** What a wrong count seems to be, as a sentence; empty if that does not show. */
async function kindOfCount(list: ListProbe, { totalCount: count = 0 }: Page, length: number): Promise<string> {
	const one = await list.attempt(oneRow(list));
	if (count === length && one?.totalCount === one?.rows.length) return 'It counts the rows of the page alone. ';
	return count > 0 && count % 100 === 0 ? `It may stop at ${count}. ` : '';
}

/** Whether the last row counted is the first one in reverse order, as far as their values show it. */
async function reachesLast(list: ListProbe, count: number): Promise<Sorted> {
	const field = await sortField(list);
	if (count === 0 || field === undefined) return 'yes';
	if ((await sort(list)).result === 'limits') return 'unsure';
	const valueIn = async (direction: 'Asc' | 'Desc', skipped: number, take: number) =>
		(await list.attempt({ sorts: [{ field, direction }], pager: { skip: skipped, take } }))?.rows;
	const greatest = (await valueIn('Desc', 0, PAGE))?.[0]?.[field];
	const last = (await valueIn('Asc', count - 1, 2))?.at(-1)?.[field];
	if (isNil(greatest) || isNil(last) || typeof greatest !== typeof last) return 'yes';
	return last < greatest ? 'no' : 'yes';
}

/** How a page behind the end of the list is written. */
async function end(list: ListProbe): Promise<Verdict> {
	const answer = await settle(list.look(farBeyond({ sorts: list.firstQuery.sorts })));
	const asked = 'Skip 2,000,000,000, Take 1';
	if (!answer.ok) {
		const { error } = answer;
		if (!isBeyondEnd(error) && !isQueryRefused(error)) throw error;
		const status = error instanceof PlatformError ? error.status : undefined;
		return handled(
			'A page behind the end is refused. The nodes take that for the end.',
			`${asked}: ${status ?? 'refused'}`,
		);
	}
	const { page, facts } = answer.value;
	const evidence = `${asked}: ${counted(page.rows.length, 'row')}, form: ${facts.form}, Items: ${facts.items}`;
	if (page.rows.length > 0) return unclear('Rows come where the list is over: see Skip.', evidence);
	if (facts.form === 'nothing')
		return handled('A page behind the end has no content. The nodes take that for the end.', evidence);
	if (facts.items === 'null')
		return handled('A page behind the end has no list of Items. The nodes take that for the end.', evidence);
	return fine('A page behind the end is empty.', evidence);
}

export const PAGING_CHECKS: readonly ListCheck[] = [
	{ name: 'Sort', mostRequests: 5, find: sort },
	{ name: 'Second sort', mostRequests: 7, find: secondSort },
	{ name: 'Page size', mostRequests: 5, find: pageSize },
	{ name: 'Skip', mostRequests: 5, find: skip },
	{ name: 'TotalCount', mostRequests: 18, find: totalCount },
	{ name: 'End of the list', mostRequests: 1, find: end },
];
