import type { Condition, FilterNode, SortEntry } from '../../dsquery/types';
import type { GetPage, KeepRows, ListRequest, ListResult } from './types';
import { idsAreOrdered, missingRows } from './rows';
import type { Page, Row } from '../types';

/** The platform's Ids turned out not to be integers in order, so the list cannot be walked by Id. */
export class IdOrderLost extends Error {
	constructor() {
		super('The Ids of this list are not integers in order');
		this.name = 'IdOrderLost';
	}
}

/** `1` or `-1` where the order is the Id alone, rising or falling; nothing where it is another. */
export function walkDirection(sorts: readonly SortEntry[]): 1 | -1 | undefined {
	const [only] = sorts;
	if (sorts.length !== 1 || only?.field !== 'Id') return undefined;
	if (only.direction === 'Asc') return 1;
	return only.direction === 'Desc' ? -1 : undefined;
}

/**
 * Walks a list in Id order: each request asks for the rows beyond the last Id seen, so rows that come and go elsewhere
 * cannot move a page. Several lanes walk stretches of the list at once. Where a stretch starts is found by skipping whole
 * pages from a known Id, so the lanes' shares are equal however the Ids are spread, and on a list that holds still
 * nearly every page is full.
 *
 * @throws IdOrderLost where Ids are not integers in order
 */
export async function readById(
	getPage: GetPage,
	request: ListRequest,
	first: Page,
	direction: 1 | -1,
): Promise<ListResult> {
	if (!idsAreOrdered(first.rows, direction)) throw new IdOrderLost();
	return await new IdWalk(getPage, request, first, direction).read();
}

/** A piece of the list between two Ids, walked by one lane at a time. */
interface Stretch {
	/** The rows beyond this Id are still to be read. */
	after: number;
	/** The first Id read here. Stretches before this one end where it begins. */
	start?: number;
	/** The last stretch of a limited read ends after this many rows. */
	quota?: number;
	pages: Row[][];
	rowCount: number;
	/** Rows still to be read, as far as the platform's answers tell. */
	remaining: number;
	done: boolean;
	/** While it is being found out where this stretch begins. */
	opening?: Promise<void>;
}

/** Ids between which rows are asked for, both exclusive. */
interface Bounds {
	after: number;
	before?: number;
}

class IdWalk {
	private readonly stretches: Stretch[];
	private readonly keep: KeepRows;
	/** Rows in a full page: the platform may give fewer than asked for, and what it gave first is what we plan with. */
	private readonly fullPage: number;
	private readonly limit: number;
	private stopped = false;
	private splitsLeft: number;

	constructor(
		private readonly getPage: GetPage,
		private readonly request: ListRequest,
		first: Page,
		private readonly direction: 1 | -1,
	) {
		this.keep = request.keep?.() ?? ((rows) => rows);
		this.limit = request.limit ?? Number.POSITIVE_INFINITY;
		this.fullPage = Math.max(1, first.rows.length);
		// Each split may cost a page that is not full; this bounds what they cost together.
		this.splitsLeft = request.parallel;
		const wanted = Math.min(first.totalCount, this.limit);
		this.stretches = [
			{
				start: idOf(first.rows[0]),
				after: idOf(first.rows.at(-1)) ?? 0,
				pages: [this.keep(first.rows)].filter(isFilled),
				rowCount: first.rows.length,
				remaining: Math.max(0, wanted - first.rows.length),
				quota: request.limit,
				done: first.rows.length >= first.totalCount,
			},
		];
	}

	async read(): Promise<ListResult> {
		await this.inLanes(this.plan());
		// Rows that left the list while it was read leave a limited read short: it goes on from the end.
		let missing = this.limit - this.rowCount();
		for (let last = this.stretches.at(-1); last && !last.done && missing > 0; missing = this.limit - this.rowCount()) {
			last.quota = last.rowCount + missing;
			await this.walk(last);
		}
		return { pages: this.pagesUpTo(this.limit), mendedPages: 0 };
	}

	/** Gives each lane an equal share of whole pages; every lane but the first has to find its start. */
	private plan(): Array<() => Promise<void>> {
		const root = this.stretches[0];
		if (!root || root.done || root.remaining === 0) return [];
		const pages = Math.ceil(root.remaining / this.fullPage);
		const lanes = Math.min(this.request.parallel, pages);
		const startOf = (lane: number) => Math.floor((lane * pages) / lanes) * this.fullPage;

		const { after, quota, remaining, rowCount } = root;
		for (let lane = 1; lane < lanes; lane++) {
			const from = startOf(lane);
			this.stretches.push({ after, pages: [], rowCount: 0, remaining: remaining - from, done: false });
			const previous = this.stretches[lane - 1];
			if (previous) previous.remaining -= remaining - from;
		}
		root.quota = undefined;
		const last = this.stretches.at(-1);
		if (last && quota !== undefined) last.quota = quota - (last === root ? 0 : rowCount + startOf(lanes - 1));

		return this.stretches.map((stretch, lane) => async () => {
			if (lane > 0) await this.begin(stretch, { after }, startOf(lane));
			await this.walk(stretch);
			for (let next = this.split(); next; next = this.split()) {
				await this.begin(next.stretch, next.bounds, next.skip);
				await this.walk(next.stretch);
			}
		});
	}

	/** Halves the stretch with most left to read, so that a lane that is through helps one that is not. */
	private split() {
		const left = (stretch: Stretch) => (stretch.done ? 0 : Math.min(stretch.remaining, this.roomIn(stretch)));
		const widest = maxBy(this.stretches, left);
		if (!widest || this.stopped || this.splitsLeft === 0) return undefined;
		const pages = Math.ceil(left(widest) / this.fullPage);
		// One page is on its way already; below three there is nothing to share.
		if (pages < 3 || widest.rowCount === 0) return undefined;
		this.splitsLeft--;
		const skip = Math.ceil(pages / 2) * this.fullPage;
		const bounds = { after: widest.after, before: this.endOf(widest) };
		const stretch: Stretch = {
			after: widest.after,
			quota: widest.quota === undefined ? undefined : widest.quota - widest.rowCount - skip,
			pages: [],
			rowCount: 0,
			remaining: widest.remaining - skip,
			done: false,
		};
		widest.remaining = skip;
		widest.quota = undefined;
		this.stretches.splice(this.stretches.indexOf(widest) + 1, 0, stretch);
		return { stretch, skip, bounds };
	}

	/** Opens a stretch; the one before may wait for it. */
	private async begin(stretch: Stretch, bounds: Bounds, skip: number): Promise<void> {
		stretch.opening = this.open(stretch, bounds, skip)
			.catch((reason: unknown) => {
				this.stopped = true;
				throw reason;
			})
			.finally(() => (stretch.opening = undefined));
		await stretch.opening;
	}

	/** Reads the first page of a stretch, `skip` rows into the bounds, and so ends the stretches before it there. */
	private async open(stretch: Stretch, bounds: Bounds, skip: number): Promise<void> {
		if (this.stopped) return;
		const page = await this.fetch(bounds, skip, this.takeFor(stretch));
		// Rows may have come or gone since the skip was counted: what the neighbours have read or will read is not ours.
		const index = this.stretches.indexOf(stretch);
		const earlier = this.stretches.slice(0, index);
		const end = this.endOf(stretch);
		const fresh = page.rows.filter((row) => earlier.every(({ after }) => this.isBeyond(row, after)));
		stretch.start = idOf(fresh.find((row) => this.isShortOf(row, end)));
		if (stretch.start === undefined) {
			// Nothing is left for it: the stretch before reads on to the end of this one.
			const previous = this.stretches[index - 1];
			if (previous && stretch.quota !== undefined) previous.quota = previous.rowCount + stretch.quota;
			stretch.done = true;
			this.stretches.splice(index, 1);
			return;
		}
		this.accept(stretch, fresh);
		stretch.remaining = Math.max(0, Math.min(stretch.remaining, page.totalCount - skip) - page.rows.length);
		if (end === undefined) stretch.done = skip + page.rows.length >= page.totalCount;
	}

	/** Where a stretch ends: at the start of the next one that has found its own. */
	private endOf(stretch: Stretch): number | undefined {
		return this.stretches.slice(this.stretches.indexOf(stretch) + 1).find(({ start }) => start !== undefined)?.start;
	}

	/** Rows that can stand between what was read of a stretch and its end at most: Ids are integers. */
	private roomIn(stretch: Stretch): number {
		const end = this.endOf(stretch);
		return end === undefined ? Number.POSITIVE_INFINITY : Math.max(0, Math.abs(end - stretch.after) - 1);
	}

	private async walk(stretch: Stretch): Promise<void> {
		while (!this.stopped && !stretch.done && this.takeFor(stretch) > 0) {
			const next = this.stretches[this.stretches.indexOf(stretch) + 1];
			if (stretch.remaining === 0 && next?.opening) {
				// Its share is read. Where the next one begins will tell whether anything is left between them.
				await next.opening.catch(() => undefined);
				continue;
			}
			const before = this.endOf(stretch);
			if (this.roomIn(stretch) === 0) {
				stretch.done = true;
				return;
			}
			const page = await this.fetch({ after: stretch.after, before }, 0, this.takeFor(stretch));
			this.accept(stretch, page.rows);
			stretch.remaining =
				before === undefined ? Math.max(0, stretch.remaining - page.rows.length) : page.totalCount - page.rows.length;
			if (page.rows.length >= page.totalCount) stretch.done = true;
		}
	}

	/** Takes rows into a stretch; the next stretch may have begun meanwhile, and its rows are read there. */
	private accept(stretch: Stretch, rows: Row[]): void {
		const end = this.endOf(stretch);
		const own = end === undefined ? rows : rows.filter((row) => this.isShortOf(row, end));
		stretch.after = idOf(own.at(-1)) ?? stretch.after;
		if (own.length > 0) stretch.pages.push(...[this.keep(own)].filter(isFilled));
		stretch.rowCount += own.length;
		if (own.length < rows.length) stretch.done = true;
	}

	private async fetch(bounds: Bounds, skip: number, take: number): Promise<Page> {
		const { query } = this.request;
		const [beyond, short] = this.direction === 1 ? (['Gt', 'Lt'] as const) : (['Lt', 'Gt'] as const);
		const conditions: Condition[] = [{ field: 'Id', operator: beyond, value: String(bounds.after) }];
		if (bounds.before !== undefined) conditions.push({ field: 'Id', operator: short, value: String(bounds.before) });
		const filters: FilterNode[] = query.filter ? [...conditions, query.filter] : conditions;
		const page = await this.getPage({ ...query, filter: { logic: 'And', filters }, pager: { skip, take } });

		const within = page.rows.every((row) => this.isBeyond(row, bounds.after) && this.isShortOf(row, bounds.before));
		if (!within || !idsAreOrdered(page.rows, this.direction)) throw new IdOrderLost();
		if (page.rows.length === 0 && page.totalCount > skip) throw missingRows(page.totalCount - skip);
		return page;
	}

	private takeFor({ quota, rowCount }: Stretch): number {
		return Math.min(this.request.pageSize, quota === undefined ? this.request.pageSize : quota - rowCount);
	}

	private isBeyond(row: Row, id: number): boolean {
		return typeof row.Id === 'number' && (row.Id - id) * this.direction > 0;
	}

	private isShortOf(row: Row, id: number | undefined): boolean {
		return id === undefined || (typeof row.Id === 'number' && (row.Id - id) * this.direction < 0);
	}

	private rowCount(): number {
		return this.stretches.reduce((sum, { rowCount }) => sum + rowCount, 0);
	}

	private pagesUpTo(limit: number): Row[][] {
		const pages: Row[][] = [];
		let room = limit;
		for (const page of this.stretches.flatMap((stretch) => stretch.pages)) {
			if (room <= 0) break;
			pages.push(page.length > room ? page.slice(0, room) : page);
			room -= page.length;
		}
		return pages;
	}

	/** Runs the lanes side by side. The first that throws stops the others: none sends on after the node gave up. */
	private async inLanes(lanes: Array<() => Promise<void>>): Promise<void> {
		let thrown: { reason: unknown } | undefined;
		await Promise.all(
			lanes.map(async (lane) => {
				try {
					await lane();
				} catch (reason) {
					this.stopped = true;
					thrown ??= { reason };
				}
			}),
		);
		if (thrown) throw thrown.reason;
	}
}

const isFilled = (page: readonly Row[]) => page.length > 0;

function idOf(row: Row | undefined): number | undefined {
	return typeof row?.Id === 'number' ? row.Id : undefined;
}

function maxBy<T>(values: readonly T[], weight: (value: T) => number): T | undefined {
	return values.reduce<T | undefined>(
		(best, value) => (best === undefined || weight(value) > weight(best) ? value : best),
		undefined,
	);
}
