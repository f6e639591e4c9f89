import isNil from 'lodash/isNil';

import { condition } from '../../shared/dsquery/compose';
import { SECOND_MS } from '../../shared/dsquery/values/durations';
import { isWholeList, type OddForm, type Page, type Row } from '../../shared/platform';
import { SESSIONS } from '../../shared/resources';
import { formatCount } from '../../shared/text';
import { containsRow, PAGE, type ListSample, SMALL_PAGE } from './probeClient';
import {
	readPageAt,
	check,
	FILTER_IGNORED,
	readTimeWindow,
	isFilterContradiction,
	readMatchingPage,
	idCondition,
	pageEvidence,
} from './check';
import { asSpecifiedVerdict, worksAroundVerdict, limitsVerdict, cannotTellVerdict, type Verdict } from './findings';
import { describeFailure, failureEvidence } from './failureTexts';

// Checks of what the platform makes of a query.

/** A time of a row that does not change any more, to the second. */
function knownTime({ rows }: ListSample): { row: Row; ms: number } | undefined {
	for (const row of rows) {
		const { StartedAtUtc: value } = row;
		const [, time] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z?$/.exec(String(value)) ?? [];
		if (time !== undefined && !isNil(row.Id)) return { row, ms: Date.parse(`${time}Z`) };
	}
	return undefined;
}

const written = (ms: number) => new Date(ms).toISOString().slice(0, 19);

/** Seconds before and after a row: clocks of serialisers round. */
const BEFORE_MS = 2 * SECOND_MS;
const AFTER_MS = 3 * SECOND_MS;

export const timeZone = check<{ row: Row; around: Page; after: Page }>({
	name: 'Time zone',
	of: SESSIONS,
	query(list) {
		const known = knownTime(list);
		if (!known) return undefined;
		const { row, ms } = known;
		const [begin, end, later] = [ms - BEFORE_MS, ms + AFTER_MS, ms + AFTER_MS + BEFORE_MS].map(written);
		return (async () => ({
			row,
			around: await readTimeWindow(list, begin ?? '', end ?? ''),
			after: await readTimeWindow(list, end ?? '', later ?? ''),
		}))();
	},
	expect({ query }, { row, around, after }) {
		const evidence = `${pageEvidence(around)} in the 5 s around the time of a row, ${after.rows.length} in the 2 s after`;
		if (containsRow(after, row)) {
			const text =
				'A condition on times lets rows of other times through: periods are not exact. Use n8n’s Filter node after the node.';
			return limitsVerdict(text, evidence);
		}
		if (containsRow(around, row))
			return asSpecifiedVerdict('Times in conditions are UTC, as specified. Periods are exact.', evidence);
		if (around.rows.length === query.pager?.take)
			return cannotTellVerdict('Too many rows are of the same time.', evidence);
		const text =
			'A row is not found by its time: times in conditions are not read as UTC, so periods are off by some hours. Tell the platform’s support.';
		return limitsVerdict(text, evidence);
	},
	refused: (error) => limitsVerdict('Conditions on times are refused: periods do not work.', failureEvidence(error)),
});

const UNPAGED =
	'All rows come in one answer, whatever page is asked for. The nodes use that answer once, and may refuse a filter, or a sort with a limit: use n8n’s Filter, Sort and Limit nodes.';

export const pageSize = check<{ next: Page; take: number }>({
	name: 'Page size',
	query(list) {
		const { length } = list.first.rows;
		const take = Math.min(SMALL_PAGE, Math.max(1, length - 1));
		return (async () => ({ next: await readPageAt(list, length, take), take }))();
	},
	expect({ first, query }, { next, take }) {
		const { length } = first.rows;
		const evidence = `${pageEvidence(first)}, then ${next.rows.length} of the next ${take}`;
		if (query.pager?.take !== PAGE)
			return limitsVerdict('A page of 100 rows is refused. Set the option Page Size to less in each node.', evidence);
		if (isWholeList(first, PAGE) || isWholeList(next, take)) return limitsVerdict(UNPAGED, evidence);
		const others = next.rows.filter((row) => !containsRow(first, row));
		if (others.length === 0 && next.rows.length > 0 && length > 1) {
			const stops = 'what is read by position, as with a sort and a limit, stops after the first page';
			return limitsVerdict(`Skip has no effect: ${stops}. Remove sorts, so that lists are read by Id.`, evidence);
		}
		if (others.length === 0) {
			const text = `Only a list of more than ${PAGE} rows shows how many come in a page. This one has ${length}.`;
			return cannotTellVerdict(text, evidence);
		}
		return fullPage(length, evidence);
	},
});

/** @param length how many rows came where more were left */
function fullPage(length: number, evidence: string): Verdict {
	if (length === PAGE) return asSpecifiedVerdict('A page has as many rows as asked for, up to 100.', evidence);
	const most = `A page has ${formatCount(length, 'row')}${length < PAGE ? ' at most' : ''}, though ${PAGE} were asked for.`;
	return worksAroundVerdict(`${most} The nodes read ${length < PAGE ? 'more' : 'such'} pages instead.`, evidence);
}

const READ_INSTEAD = 'Get Many with Return All gives every row.';
/** Rows that are asked for at the last place counted. */
const AT_END = 2;

export const totalCount = check<Page | undefined>({
	name: 'TotalCount',
	query: (list) => {
		const { totalCount: count } = list.first;
		return count === undefined ? Promise.resolve(undefined) : readPageAt(list, Math.max(0, count - 1), AT_END);
	},
	expect({ first, facts }, last) {
		const { totalCount: count = 0, oddForm = [] } = first;
		if (facts.isArray)
			return limitsVerdict(
				`Rows come as a bare list, without a count: Count does not work. ${READ_INSTEAD}`,
				pageEvidence(first),
			);
		if (!last)
			return limitsVerdict(
				`The platform does not count rows: it sends no TotalCount that is a number. ${READ_INSTEAD}`,
			);
		const evidence = `${pageEvidence(last)} at the last place counted`;
		if (count === first.rows.length && last.totalCount === last.rows.length && count !== last.totalCount)
			return limitsVerdict(`TotalCount counts the rows of the page alone. ${READ_INSTEAD}`, evidence);
		if (count !== last.totalCount)
			return cannotTellVerdict('The number of rows changed while it was checked.', evidence);
		// Where the list is not paged, all rows came.
		const isAll = isWholeList(last, AT_END) && last.rows.length === count;
		if (last.rows.length === 1 || isAll) return exact(count, oddForm, evidence);
		const [start] = last.rows;
		if (count > 1 && start && containsRow({ rows: first.rows.slice(0, 1) }, start))
			return cannotTellVerdict('Skip has no effect, so it does not show whether TotalCount is exact.', evidence);
		return notConfirmed(count, evidence);
	},
});

function notConfirmed(count: number, evidence: string): Verdict {
	const wrong = `The platform counts ${formatCount(count, 'row')}, and its rows do not confirm it.`;
	const effect = count > 0 ? 'Count returns that figure.' : 'Count does not work.';
	return limitsVerdict(`${wrong} ${effect} ${READ_INSTEAD}`, evidence);
}

function exact(count: number, oddForm: readonly OddForm[], evidence: string): Verdict {
	if (count === 1)
		return cannotTellVerdict('There is one row, which a count of the page alone would be right about, too.', evidence);
	const text = 'TotalCount is exact: the last row counted is there, and none after it.';
	if (!oddForm.includes('count as text')) return asSpecifiedVerdict(text, evidence);
	return worksAroundVerdict(`${text} It is written as text. The nodes read it.`, evidence);
}

const NO_FILTER = `${FILTER_IGNORED}: the nodes stop where rows contradict one. Read all rows, and use n8n’s Filter node.`;

export const filter = check<Page>({
	name: 'Filter',
	query(list) {
		const row = rowToFind(list);
		return row && readMatchingPage(list, [idCondition(row)]);
	},
	expect(list, page) {
		const evidence = `${pageEvidence(page)} for the Id of one`;
		const found = page.rows.filter((row) => row.Id === rowToFind(list)?.Id);
		if (page.rows.length === 0)
			return limitsVerdict('Equals finds nothing by Id. Use Is Any Of with one value.', evidence);
		if (found.length < page.rows.length) return limitsVerdict(NO_FILTER, evidence);
		if (list.rows.length === 1)
			return cannotTellVerdict('There is one row, which would come without a filter, too.', evidence);
		return asSpecifiedVerdict('A filter finds what it says.', evidence);
	},
	refused: (error) =>
		limitsVerdict(isFilterContradiction(error) ? NO_FILTER : `${describeFailure(error)}.`, failureEvidence(error)),
});

/** A row with an Id of its own, from the middle of the page. */
function rowToFind({ first: { rows } }: ListSample): Row | undefined {
	const own = rows.filter(({ Id: id }) => !isNil(id) && id !== '' && rows.filter((row) => row.Id === id).length === 1);
	return own[own.length >> 1];
}

export const unknownField = check<Page>({
	name: 'Unknown field',
	query: (list) => readMatchingPage(list, [condition('NoSuchFieldAnywhere', 'Eq', 'x')]),
	expect: (_, page) =>
		page.rows.length > 0
			? limitsVerdict(
					'A condition on a field that does not exist is ignored: a misspelled one lets all rows through.',
					pageEvidence(page),
				)
			: worksAroundVerdict(
					'A field that does not exist gives no rows instead of a refusal: a misspelled one finds nothing.',
				),
	refused(error) {
		if (error.kind !== 'query-refused') return cannotTellVerdict(`${describeFailure(error)}.`, failureEvidence(error));
		if (error.property !== undefined)
			return asSpecifiedVerdict(
				'A field that does not exist is refused by name, as specified.',
				failureEvidence(error),
			);
		const text =
			'A field that does not exist is refused, but not named: messages about misspelled ones are less exact.';
		return worksAroundVerdict(text, failureEvidence(error));
	},
});
