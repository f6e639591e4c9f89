import max from 'lodash/max';
import min from 'lodash/min';

import { and, condition, or } from '../../../dsquery/compose';
import type { Query } from '../../../dsquery/types';
import type { Page, Row } from '../../types';
import { isSame, isUnmoved, reversed } from '../evidence';
import { endNotProven } from '../messages';
import { unlessRefused } from '../refused';
import type { Pages } from '../pages';
import { identityOf, sortKey } from '../rows';
import type { Plan } from '../types';

/**
 * The claim that a first page is the whole list, where its count is the only witness: the platform may have cut the page,
 * and counted no more than its rows. Proven once an hour for each question; once rows came from behind such a page, no
 * other page of this list is believed for an hour.
 */
export class OnePage {
	/** The request that was to prove it brought a row that is not on the page. */
	private isDenied = false;

	constructor(
		private readonly pages: Pages,
		private readonly plan: Plan,
	) {}

	/** Whether it is proven, so that nothing has to be read behind it. */
	async isWhole(rows: readonly Row[]): Promise<boolean> {
		const { proofs, question } = this.plan;
		return !this.hasFailed && (await proofs.holds('one page', async () => await this.isLastRow(rows), question));
	}

	/**
	 * Whether a row is known that is not on the page: where nothing counts the rows, the page is believed unless the
	 * reverse order, or a request for Ids beyond those of the page, brings one.
	 */
	async isContradicted(rows: readonly Row[]): Promise<boolean> {
		const { proofs, question, query } = this.plan;
		const findNoOther = async () => {
			if (await this.isLastRow(rows)) return true;
			if (!this.isDenied) await this.tryToDeny(rows, outside(rows, query));
			return !this.isDenied;
		};
		return !(await (this.hasFailed ? findNoOther() : proofs.holds('one page', findNoOther, question)));
	}

	/** What is to be said where reading on has found so many rows in all. */
	async notesOn(rows: readonly Row[], rowCount: number): Promise<string[]> {
		const { proofs, question, list, query } = this.plan;
		if (rowCount > rows.length) {
			proofs.write('one page', 'fails');
			return [];
		}
		const isProven = this.hasFailed && (await this.isLastRow(rows));
		if (!isProven && !this.isDenied) await this.tryToDeny(rows, outside(rows, query));
		if (this.isDenied) return [endNotProven(list.plural, rowCount)];
		if (!this.hasFailed) proofs.write('one page', 'holds', question);
		return [];
	}

	/**
	 * In a poll, any answer that counted more rows than it had shows that this list counts beyond its pages: polls come
	 * again and again, and ask once an hour.
	 */
	notePoll(): void {
		const { pages } = this;
		const { proofs, question } = this.plan;
		const isNews = question === undefined && pages.countsBeyondPage && !this.hasFailed;
		if (isNews) proofs.write('one page', 'holds');
	}

	private get hasFailed(): boolean {
		return this.plan.proofs.found('one page') === 'fails';
	}

	/**
	 * Asks whether nothing follows: the first row in reverse order is the last one of the page. An only row is also the first
	 * one where the sort is ignored: then there must be no other.
	 */
	async isLastRow(rows: readonly Row[]): Promise<boolean> {
		const last = rows.at(-1);
		const isOnly = rows.length === 1;
		if (!last || (isOnly && identityOf(last) === undefined)) return false;
		const { query } = this.plan;
		const answer = await this.tryToDeny(rows, isOnly ? others(last, query) : reversed(query));
		const other = answer?.rows[0];
		if (isOnly) return answer !== undefined && other === undefined;
		// Rows without a value may come last in both orders: so this page must count the others, too, if it counts.
		return (answer?.totalCount ?? rows.length) === rows.length && isUnmoved(other, last, query);
	}

	/** Asks for two rows: some platforms give one less than they are asked for. Undefined if that is refused. */
	private async tryToDeny(rows: readonly Row[], query: Query | undefined): Promise<Page | undefined> {
		const answer = query && (await unlessRefused(this.pages.ask({ ...query, pager: { skip: 0, take: 2 } })));
		const sortFields = this.plan.query.sorts.map(({ field }) => field);
		// A row without an Id may have changed: only what it is sorted by tells whether it has come.
		const isKnown = (other: Row) =>
			identityOf(other) === undefined
				? rows.some((row) => sortKey(row, sortFields) === sortKey(other, sortFields))
				: rows.some((row) => isSame(row, other));
		this.isDenied = answer !== undefined && !answer.rows.slice(0, 2).every(isKnown);
		return answer;
	}
}

/** The query for all rows but one. */
function others({ Id: id }: Row, { filter, sorts }: Query): Query {
	return { filter: and(filter, condition('Id', 'Neq', String(id))), sorts };
}

/** The query for rows with lower Ids than all of these or higher ones, where Ids are numbers. */
function outside(rows: readonly Row[], { filter, sorts }: Query): Query | undefined {
	const ids = rows.flatMap((row) => identityOf(row) ?? []).filter((id) => typeof id === 'number');
	const [lowest, highest] = [min(ids), max(ids)];
	if (lowest === undefined || highest === undefined) return undefined;
	const beyond = or(condition('Id', 'Lt', String(lowest)), condition('Id', 'Gt', String(highest)));
	return { filter: and(filter, beyond), sorts };
}
