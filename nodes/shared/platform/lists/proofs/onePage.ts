import { and, condition } from '../../../dsquery/compose';
import type { Query } from '../../../dsquery/types';
import type { Page, Row } from '../../types';
import { isSame, isUnmoved, reversed } from '../evidence';
import { endNotProven } from '../messages';
import { unlessRefused } from '../refused';
import type { Pages } from '../pages';
import { identityOf } from '../rows';
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

	/** What is to be said where reading on has found so many rows in all. */
	async notesOn(rows: readonly Row[], rowCount: number): Promise<string[]> {
		const { proofs, question, list } = this.plan;
		if (rowCount > rows.length) {
			proofs.write('one page', 'fails');
			return [];
		}
		if (this.hasFailed) await this.isLastRow(rows);
		else if (!this.isDenied) proofs.write('one page', 'holds', question);
		return this.isDenied ? [endNotProven(list.plural, rowCount)] : [];
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
	 * Whether nothing follows: the first row in reverse order is the last one of the page. An only row is also the first
	 * one where the sort is ignored: then there must be no other.
	 */
	private async isLastRow(rows: readonly Row[]): Promise<boolean> {
		const last = rows.at(-1);
		const isOnly = rows.length === 1;
		if (!last || (isOnly && identityOf(last) === undefined)) return false;
		const answer = await this.ask(isOnly ? this.others(last) : reversed(this.plan.query));
		const [other] = answer?.rows ?? [];
		this.isDenied = other !== undefined && !rows.some((row) => isSame(row, other));
		if (isOnly) return answer !== undefined && other === undefined;
		// Rows without a value may come last in both orders: so this page must count the others, too.
		return answer?.totalCount === rows.length && isUnmoved(other, last, this.plan.query);
	}

	private others({ Id: id }: Row): Query {
		const { filter, sorts } = this.plan.query;
		return { filter: and(filter, condition('Id', 'Neq', String(id))), sorts };
	}

	/** Two rows: some platforms give one less than they are asked for. Undefined if it is refused. */
	private async ask(query: Query | undefined): Promise<Page | undefined> {
		return query && (await unlessRefused(this.pages.ask({ ...query, pager: { skip: 0, take: 2 } })));
	}
}
