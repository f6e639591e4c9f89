import { and, condition } from '../../../dsquery/compose';
import type { Condition, DirectionName, Group, Query } from '../../../dsquery/types';
import type { Row } from '../../types';
import * as messages from '../messages';
import { unlessRefused } from '../refused';
import type { Pages } from '../pages';
import { idOf } from '../rows';
import type { Plan, Walked, Window } from '../types';

/** Pages after which a list grows while it is read, where its first answer does not say how many it has. */
export const MANY_PAGES = 1_000;
/** Fewer pages are never refused. */
export const FEW_PAGES = 100;

/**
 * Ends the reading of a list that grows as fast as it is read. What is there when reading begins is what was promised:
 * a reading that takes twice the pages it needs asks once for the highest Id, and leaves out rows beyond it.
 */
export class Growth {
	private readonly most: number;
	private asked?: Promise<Condition | undefined>;
	private bound?: Condition;

	/** @param direction of a walk by Id; otherwise new rows have higher Ids, whatever the order */
	constructor(
		private readonly pages: Pages,
		private readonly plan: Plan,
		{ rows, totalCount, isCounted }: Window,
		private readonly direction: 1 | -1 = 1,
	) {
		const isTold = isCounted && totalCount > rows.length;
		// Pages may overlap by a row.
		this.most = isTold ? 2 * Math.ceil(totalCount / Math.max(1, rows.length - 1)) : MANY_PAGES;
	}

	/**
	 * To be called before more is read.
	 *
	 * @param least the last Id of all cannot come before this one: if it does, the sort is ignored, and nothing is cut
	 * @throws PlatformError if the list seems to grow for ever, and nothing tells its new rows from the others
	 */
	async check(least: () => number): Promise<void> {
		const { pages, most, plan } = this;
		if (this.bound || pages.windows <= most) return;
		// All lanes wait for the one answer: it tells them where to stop.
		this.asked ??= this.lastId(least());
		this.bound = await this.asked;
		if (!this.bound && pages.windows > Math.max(FEW_PAGES, 2 * most))
			throw messages.growsForEver(plan.list.plural, pages.rowsRead);
	}

	/** What is asked for: without rows that came after the reading began, once those are left out. */
	get query(): Query {
		const { bound } = this;
		const { query } = this.plan;
		return bound ? { ...query, filter: and(query.filter, bound) } : query;
	}

	/** What was read, with a note if rows were left out. */
	async withNote(reading: Promise<Walked>): Promise<Walked> {
		const walked = await reading;
		const { bound, plan } = this;
		const isCut = bound !== undefined && ((await this.rowsBeyond(bound.value)) ?? []).length > 0;
		return isCut ? { ...walked, notes: [...walked.notes, messages.grewBeyond(plan.list.plural, bound.value)] } : walked;
	}

	/** A condition that is true up to the row that is the last one now; undefined if that cannot be told. */
	private async lastId(least: number): Promise<Condition | undefined> {
		const { plan, direction } = this;
		const [upTo, back] = direction === 1 ? (['Lte', 'Desc'] as const) : (['Gte', 'Asc'] as const);
		const [row] = (await this.rowsOf(plan.query.filter, back)) ?? [];
		const id = idOf(row);
		if (!((id - least) * direction >= 0)) return undefined;
		// Where Ids are compared as text, others lie beyond it, too.
		const beyond = await this.rowsBeyond(String(id));
		const isBeyond = beyond?.every((other) => (idOf(other) - id) * direction > 0);
		return isBeyond ? condition('Id', upTo, String(id)) : undefined;
	}

	private async rowsBeyond(id: string): Promise<Row[] | undefined> {
		const [beyond, forth] = this.direction === 1 ? (['Gt', 'Asc'] as const) : (['Lt', 'Desc'] as const);
		return await this.rowsOf(and(this.plan.query.filter, condition('Id', beyond, id)), forth);
	}

	/** The first two rows by Id, or undefined if the platform does not sort by Id, or filter by it. */
	private async rowsOf(filter: Group | undefined, direction: DirectionName): Promise<Row[] | undefined> {
		const query = { filter, sorts: [{ field: 'Id', direction }], pager: { skip: 0, take: 2 } };
		return (await unlessRefused(this.pages.ask(query)))?.rows;
	}
}
