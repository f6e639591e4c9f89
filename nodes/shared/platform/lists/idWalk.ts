import { and, condition } from '../../dsquery/compose';
import { settle } from '../settle';
import type { Settled } from '../settle';
import { countDiffers, IdOrderLost, isQueryRefused, notApplied } from './faults';
import { Lane } from './lane';
import type { LaneRules } from './lane';
import type { Pages } from './pages';
import { PositionWalk } from './positionWalk';
import { firstRows, idOf, idsAreOrdered } from './rows';
import type { ListResult, Plan, Window } from './types';

/**
 * Walks a list in Id order: each request asks for the rows beyond the last Id, so rows that come and go elsewhere
 * cannot shift a page. Several lanes walk side by side; Skip only finds where each begins. A lane reads up to and
 * including the first row of the next one: that row proves that they join or, if it is gone, an empty answer does.
 */
export class IdWalk {
	private readonly rules: LaneRules;
	private readonly whole: Lane;
	private lanesAtMost: number;

	/** @throws IdOrderLost where Ids are not integers in order */
	constructor(
		private readonly source: Pages,
		private readonly plan: Plan,
		private readonly first: Window,
		private readonly direction: 1 | -1,
		private readonly isCountKnown: boolean,
	) {
		const { rows, totalCount } = first;
		if (!idsAreOrdered(rows, direction)) throw new IdOrderLost();
		const { paging, collect } = plan;
		plan.collect.begin?.();
		this.rules = { direction, fullPage: rows.length, isCountKnown, add: (some) => collect.add(some) };
		this.whole = new Lane(this.rules, idOf(rows.at(-1)), undefined, rows.length < paging.pageSize);
		this.whole.pages.push(collect.add(rows));
		this.whole.rowCount = rows.length;
		this.whole.left = totalCount - rows.length;
		this.lanesAtMost = paging.parallel;
	}

	/** @throws IdOrderLost where the Ids turn out not to be in order */
	async read(): Promise<ListResult> {
		const { whole, rules, plan } = this;
		while (!whole.isOver && whole.rowCount < plan.limit) {
			const most = plan.limit - whole.rowCount;
			await this.readStretch(Math.min(most, whole.left > 0 ? whole.left : rules.fullPage), most);
		}
		return await this.proveEnd();
	}

	/** Reads `wanted` rows beyond the last one, at most `most`, in lanes of equal shares side by side. */
	private async readStretch(wanted: number, most: number): Promise<void> {
		const starts = await this.findStarts(wanted, most);
		let stopped = false;
		const walk = async (start: Window, index: number): Promise<Lane> => {
			const next = starts[index + 1]?.rows[0];
			const { last, inDoubt } = this.whole;
			const lane = new Lane(this.rules, last, next && idOf(next), index === 0 && inDoubt);
			const room = lane.border === undefined ? most - start.skip : Number.POSITIVE_INFINITY;
			lane.accept(start);
			while (!stopped && !lane.isDone(wanted - start.skip)) {
				lane.accept(await this.ask(lane.last, lane.border, 0, room - lane.rowCount));
			}
			return lane;
		};
		// The first lane that fails stops the others, so that nothing is sent after the node has given up.
		const lanes = await Promise.all(
			starts.map(async (start, index) => {
				const lane = await settle(walk(start, index));
				stopped ||= !lane.ok;
				return lane;
			}),
		);
		for (const lane of lanes) {
			if (!lane.ok) throw lane.error;
			this.whole.join(lane.value);
		}
	}

	/**
	 * The first window of each lane of a stretch. Lanes whose start is refused, empty, repeated or out of order are left
	 * out, and their neighbour reads on.
	 */
	private async findStarts(wanted: number, most: number): Promise<Window[]> {
		const { direction, rules, whole } = this;
		const answers = await Promise.all(
			laneSkips(wanted, rules.fullPage, this.lanesAtMost).map(
				async (skip) => await settle(this.ask(whole.last, undefined, skip, most - skip)),
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

	/** Rows beyond one Id, up to and including another. */
	private async ask(after: number, border: number | undefined, skip: number, most: number): Promise<Window> {
		const { direction, plan, source } = this;
		const { query, paging, plural } = plan;
		const [beyond, upTo] = direction === 1 ? (['Gt', 'Lte'] as const) : (['Lt', 'Gte'] as const);
		const bounds = [condition('Id', beyond, String(after))];
		if (border !== undefined) bounds.push(condition('Id', upTo, String(border)));
		const filter = and(...bounds, query.filter);
		const page = await source.window({ ...query, filter }, skip, Math.min(paging.pageSize, most));
		const { rows } = page;
		if (query.filter && rows.some((row) => row.Id === after)) throw notApplied(plural, 'filter');
		const isWithin =
			(idOf(rows[0]) - after) * direction > 0 &&
			(border === undefined || (border - idOf(rows.at(-1))) * direction >= 0);
		if (rows.length > 0 && !(isWithin && idsAreOrdered(rows, direction))) throw new IdOrderLost();
		return page;
	}

	/** If rows and count differ, reading on by position decides: an Id may be empty or doubled. */
	private async proveEnd(): Promise<ListResult> {
		const { whole, plan, first, rules } = this;
		const { rowCount, last } = whole;
		const { plural, limit, collect } = plan;
		const pages = firstRows(whole.pages, limit);
		if (rowCount >= limit || rowCount === first.totalCount) return { pages, hints: [] };

		const around = await this.askAround(rowCount - 1);
		const isApplied = around.ok && (rowCount === 1 || around.value.rows[0]?.Id !== first.rows[0]?.Id);
		const found = isApplied ? around.value : { ...first, rows: [] };
		const { rows, totalCount, isCounted } = found;
		const at = rows.findIndex((row) => row.Id === last);
		// Rows are missing from an unchanged list, or there are rows that the walk did not see.
		const isMissing = isApplied && isCounted && at !== 0 && totalCount === first.totalCount && rowCount < totalCount;
		if (isMissing || (at < 0 && rows.length > 0)) throw new IdOrderLost();
		if (at < 0) {
			const differs = isCounted && totalCount !== rowCount;
			return { pages, hints: differs ? [countDiffers(plural, rowCount, totalCount)] : [] };
		}
		const start = { ...found, rows: rows.slice(at), skip: rowCount - 1 + at };
		const rest = { ...plan, limit: limit - rowCount, collect: { add: (some: typeof rows) => collect.add(some) } };
		const before = { rowCount, fullPage: rules.fullPage };
		const behind = await new PositionWalk(this.source, rest, start, this.isCountKnown, before).read();
		return { pages: [...pages, ...behind.pages], hints: behind.hints };
	}

	private async askAround(skip: number): Promise<Settled<Window>> {
		const { query, paging } = this.plan;
		const around = await settle(this.source.window(query, skip, Math.max(2, paging.pageSize)));
		if (!around.ok && !isQueryRefused(around.error)) throw around.error;
		return around;
	}
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
