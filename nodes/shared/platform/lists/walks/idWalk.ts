import { and, condition } from '../../../dsquery/compose';
import { settle } from '../../settle';
import type { Row } from '../../types';
import { isSame, ROUND_COUNT } from '../evidence';
import { countDiffers, notApplied } from '../messages';
import { IdOrderLost, isQueryRefused, unlessRefused } from '../refused';
import type { Growth } from './growth';
import { Lane, type LaneRules } from './lane';
import type { Pages } from '../pages';
import { PositionWalk } from './positionWalk';
import { idOf, idsAreOrdered } from '../rows';
import type { Plan, Walked, Window } from '../types';

/** Rows that come in the same order again by luck only rarely. */
const ENOUGH_TO_COMPARE = 3;

/**
 * Walks a list in Id order: each request asks for the rows beyond the last Id, so rows that come and go elsewhere
 * cannot shift a page.
 *
 * The rest of the list behind the first page is a stretch, read in lanes side by side. Skip only finds the page where
 * each lane begins. A lane reads up to and including the first row of the next one: that row proves that they join or,
 * if it is gone, an empty answer does. If the count was too low, another stretch follows.
 */
export class IdWalk {
	private readonly rules: LaneRules;
	/** What has been read from the beginning of the list, without a gap: the first page, then one lane after the other. */
	private readonly soFar: Lane;
	private lanesAtMost: number;

	/** @throws IdOrderLost where Ids are not integers in order */
	constructor(
		private readonly pages: Pages,
		private readonly plan: Plan,
		private readonly first: Window,
		private readonly direction: 1 | -1,
		private readonly countsBeyondPage: boolean,
		private readonly growth: Growth,
	) {
		const { rows } = first;
		if (!idsAreOrdered(rows, direction)) throw new IdOrderLost();
		const { paging, sink } = plan;
		this.rules = { direction, fullPage: rows.length, countsBeyondPage, sink };
		this.soFar = new Lane(this.rules, 0);
		this.soFar.accept(first);
		this.soFar.inDoubt = rows.length < paging.pageSize;
		this.lanesAtMost = paging.parallel;
	}

	/** @throws IdOrderLost where the Ids turn out not to be in order */
	async read(): Promise<Walked> {
		const { soFar, rules, growth, direction } = this;
		while (this.room > 0 && !(soFar.isOver && (await this.nothingFollows()))) {
			await growth.check(() => soFar.last + direction);
			await this.readStretch(Math.min(this.room, soFar.leftByCount > 0 ? soFar.leftByCount : rules.fullPage));
		}
		return await this.proveEnd();
	}

	/** Rows that are still wanted. */
	private get room(): number {
		return this.plan.wanted - this.soFar.rowCount;
	}

	/** Where rows and count end together at a whole hundred, both may be cut there: one request looks behind it. */
	private async nothingFollows(): Promise<boolean> {
		const { soFar, room } = this;
		if (soFar.endedEmpty || soFar.rowCount % ROUND_COUNT > 0) return true;
		soFar.accept(await this.ask(soFar.last, undefined, 0, room));
		return soFar.isOver && (await this.nothingFollows());
	}

	/** Reads about so many rows beyond the last one, in lanes of equal shares side by side. */
	private async readStretch(rows: number): Promise<void> {
		const { room } = this;
		const starts = await this.findStarts(rows);
		let stopped = false;
		const readLane = async (start: Window, index: number): Promise<Lane> => {
			const next = starts[index + 1]?.rows[0];
			const { number, last, inDoubt, expected } = this.soFar;
			const border = next && idOf(next);
			const lane = new Lane(this.rules, number + 1 + index, border, last, index === 0 && inDoubt, expected);
			const most = lane.border === undefined ? room - start.skip : Number.POSITIVE_INFINITY;
			lane.accept(start);
			while (!stopped && !lane.isDone(rows - start.skip)) {
				await this.growth.check(() => lane.last + this.direction);
				lane.accept(await this.ask(lane.last, lane.border, 0, most - lane.rowCount));
			}
			return lane;
		};
		// The first lane that fails stops the others, so that nothing is sent after the node has given up.
		const lanes = await Promise.all(
			starts.map(async (start, index) => {
				const lane = await settle(readLane(start, index));
				stopped ||= !lane.ok;
				return lane;
			}),
		);
		for (const lane of lanes) {
			if (!lane.ok) throw lane.error;
			this.soFar.join(lane.value);
		}
	}

	/**
	 * The first window of each lane of a stretch. Lanes whose start is refused, empty, repeated or out of order are left
	 * out, and their neighbour reads on.
	 */
	private async findStarts(rows: number): Promise<Window[]> {
		const { direction, rules, soFar, room } = this;
		const answers = await Promise.all(
			laneSkips(rows, rules.fullPage, this.lanesAtMost).map(
				async (skip) => await settle(this.ask(soFar.last, undefined, skip, room - skip)),
			),
		);
		const starts: Window[] = [];
		for (const answer of answers) {
			const previous = starts.at(-1);
			if (answer.ok) {
				const isFurther = (idOf(answer.value.rows[0]) - idOf(previous?.rows[0])) * direction > 0;
				if (!previous || isFurther) starts.push(answer.value);
			} else if (!previous || !(answer.error instanceof IdOrderLost || isQueryRefused(answer.error))) {
				throw answer.error;
			}
		}
		if (starts.length < answers.length) this.lanesAtMost = 1;
		return starts;
	}

	/** Rows beyond one Id, up to and including another: as many as a page has, or as are still needed. */
	private async ask(after: number, border: number | undefined, skip: number, most: number): Promise<Window> {
		const { direction, plan, pages, growth } = this;
		const { query, paging, list } = plan;
		const [beyond, upTo] = direction === 1 ? (['Gt', 'Lte'] as const) : (['Lt', 'Gte'] as const);
		const bounds = [condition('Id', beyond, String(after))];
		if (border !== undefined) bounds.push(condition('Id', upTo, String(border)));
		const filter = and(...bounds, growth.query.filter);
		// Some platforms give one row less than they are asked for.
		const take = Math.min(paging.pageSize, Math.max(2, most));
		const page = await pages.window({ ...query, filter }, skip, take);
		const { rows } = page;
		const isIgnored = query.filter !== undefined && rows.some((row) => row.Id === after);
		if (isIgnored) throw notApplied(list.plural, 'filter');
		const isWithin =
			(idOf(rows[0]) - after) * direction > 0 &&
			(border === undefined || (border - idOf(rows.at(-1))) * direction >= 0);
		if (rows.length > 0 && !(isWithin && idsAreOrdered(rows, direction))) throw new IdOrderLost();
		return page;
	}

	/** If rows and count differ, reading on by position decides: an Id may be empty or doubled. */
	private async proveEnd(): Promise<Walked> {
		const { soFar, plan, first } = this;
		const { rowCount, last } = soFar;
		if (this.room <= 0) return { notes: [], rowCount, saysMore: false };
		const saysMore = await this.saysMore();
		if (soFar.agreesWith(first.totalCount)) return { notes: [], rowCount, saysMore };

		const around = await this.askAround(rowCount - 1);
		const { rows, totalCount, isCounted } = around ?? { ...first, rows: [] };
		const at = rows.findIndex((row) => row.Id === last);
		// The list has not changed, and rows are missing.
		const isMissing = isCounted && totalCount === first.totalCount && rowCount < totalCount;
		if ((around && standsElsewhere(around, at, isMissing)) || (isMissing && !(await this.isSameOrder())))
			throw new IdOrderLost();
		if (around && at >= 0) return await this.readBehind({ ...around, rows: rows.slice(at), skip: rowCount - 1 + at });
		const isOff = isCounted && rowCount !== totalCount;
		const notes = isOff ? [countDiffers(plan.list.plural, rowCount, totalCount)] : [];
		return { notes, rowCount, saysMore };
	}

	/** Whether the last row still comes alone, in an answer that says that there are more. */
	private async saysMore(): Promise<boolean> {
		const { direction, soFar, pages } = this;
		const { query } = this.growth;
		if (!soFar.saysMore) return false;
		const from = condition('Id', direction === 1 ? 'Gte' : 'Lte', String(soFar.last));
		const { rows, hasMore } = await pages.window({ ...query, filter: and(from, query.filter) }, 0, 2);
		return hasMore && rows.length === 1 && rows[0]?.Id === soFar.last;
	}

	/** Rows from the last one on. Undefined if Skip is refused or ignored. */
	private async askAround(skip: number): Promise<Window | undefined> {
		const take = Math.max(2, this.plan.paging.pageSize);
		const around = await unlessRefused(this.pages.window(this.growth.query, skip, take));
		const isIgnored = skip > 0 && around?.rows[0]?.Id === this.first.rows[0]?.Id;
		return isIgnored ? undefined : around;
	}

	/** Whether the first page comes again: tiny pages may be in order by luck, so they are asked for several times. */
	private async isSameOrder(): Promise<boolean> {
		const { pages, plan, first, growth } = this;
		for (let compared = 0; compared < ENOUGH_TO_COMPARE; compared += first.rows.length) {
			const { rows } = await pages.window(growth.query, 0, plan.paging.pageSize);
			if (rows.length !== first.rows.length || !rows.every((row, index) => isSame(row, first.rows[index])))
				return false;
		}
		return true;
	}

	/** Reads on by position, from the last row on. Ids there may be empty or doubled, but not lower. */
	private async readBehind(start: Window): Promise<Walked> {
		const { pages, soFar, plan, rules, countsBeyondPage, growth } = this;
		const { rowCount, last } = soFar;
		const { paging, sink } = plan;
		const beyond = (row: Row) => (idOf(row) - last) * rules.direction;
		if (rules.fullPage === 1) {
			// Pages of one row never overlap, so nothing proves that they join.
			const behind = await pages.window(growth.query, start.skip + 1, paging.pageSize);
			if (!behind.rows.every((row) => beyond(row) > 0)) throw new IdOrderLost();
		}
		const add = (rows: Row[]) => {
			if (rows.some((row) => beyond(row) < 0)) throw new IdOrderLost();
			sink.add(rows, soFar.number + 1);
		};
		const rest = { ...plan, sink: { begin: () => sink.begin(), add } };
		const before = { rowCount, fullPage: rules.fullPage };
		return await new PositionWalk(pages, rest, start, countsBeyondPage, growth, before).read();
	}
}

/** Whether the last row by Id, at this index of the rows around it, has another place in the list. */
function standsElsewhere({ rows }: Window, at: number, isMissing: boolean): boolean {
	return isMissing ? at !== 0 : at < 0 && rows.length > 0;
}

/**
 * The Skip at which each lane begins. Lanes get equal shares of whole pages, although each also reads the first row of
 * the next one.
 */
function laneSkips(rows: number, fullPage: number, parallel: number): number[] {
	const lanes = Math.min(parallel, Math.ceil(rows / fullPage));
	const pages = Math.ceil((rows + lanes - 1) / fullPage);
	const skips = Array.from({ length: lanes }, (_, lane) => Math.floor((lane * pages) / lanes) * fullPage - lane);
	return skips.filter((skip, lane) => lane === 0 || skip > 0);
}
