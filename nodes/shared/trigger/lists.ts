import chunk from 'lodash/chunk';

import { and, condition, or } from '../dsquery/compose';
import type { FilterNode, Group } from '../dsquery/types';
import { readList } from '../platform';
import type { GetPage, Platform, Row } from '../platform';
import type { ListResource } from '../resources';
import { WHOLE_LIST } from './types';
import type { Coverage, RowKey } from './types';
import { rowId, rowKey } from './keys';
import { isPassing, orElse } from './orElse';

/** The rows of a list that match a filter. */
export interface ListSource {
	platform: Platform;
	endpoint: ListResource;
	filter?: Group;
}

export interface ReadPace {
	pageSize: number;
	parallel: number;
	/** No new stretch of the list is begun after this moment, milliseconds since 1970. */
	until: number;
	/** No new stretch is begun with this many rows in hand. Unlimited when left out. */
	enough?: number;
}

export interface Scan {
	rows: Row[];
	/** The part of the list that `rows` is all of. */
	coverage: Coverage;
	/** How many rows the platform gives in one page, where that is fewer than were asked for. */
	clampedTo?: number;
}

/** Rows looked up together: one full page. */
const LOOKUP_SIZE = 100;
/** Longest list of ids in one condition, in characters, so that the URL stays short. */
const LONGEST_ID_LIST = 1500;
/** Pages for each lane in one stretch of a scan. */
const PAGES_PER_LANE = 2;

/** The Ids are text: they have no order that a scan could go on from. */
export class TextIds extends Error {}

/**
 * Reads a list in stretches of the Id order. Between two stretches it stops when the time is up or it has enough; where
 * the platform lets nothing more through it stops as well. The next poll goes on from there.
 *
 * @throws PlatformError where not even the first stretch could be read; TextIds where the Ids have no order to go on from
 */
export async function scan(source: ListSource, after: number, pace: ReadPace): Promise<Scan> {
	const { pageSize, parallel, until, enough = Number.POSITIVE_INFINITY } = pace;
	const limit = pageSize * parallel * (parallel === 1 ? 1 : PAGES_PER_LANE);
	const rows: Row[] = [];
	let reached = after;
	let clampedTo: number | undefined;
	const upTo = (end: number): Scan => ({ rows, coverage: { after, upTo: end }, clampedTo });
	for (;;) {
		const stretch = new Stretch(source);
		const reading = readList(stretch.getPage, {
			query: { filter: beyond(source.filter, reached), sorts: [{ field: 'Id', direction: 'Asc' }] },
			...{ limit, pageSize, parallel },
		});
		const result = await orElse(reading, (error) => reached !== after && isPassing(error));
		if (!('value' in result)) return upTo(reached);
		clampedTo = stretch.clampedTo ?? clampedTo;
		const found = result.value.pages.flat();
		for (const row of found) rows.push(row);
		if (found.length < limit || found.length >= stretch.matching) return upTo(WHOLE_LIST.upTo);
		reached = Number(found.at(-1)?.Id);
		if (Date.now() >= until || rows.length >= enough) return upTo(reached);
	}
}

/** The same for a list whose Ids may be text: then it is read as a whole. */
export async function scanAny(source: ListSource, after: number, pace: ReadPace): Promise<Scan> {
	const result = await orElse(scan(source, after, pace), (error) => error instanceof TextIds);
	return 'value' in result ? result.value : { rows: await readAll(source, pace), coverage: WHOLE_LIST };
}

/** One stretch's way to the platform. It notes how many rows match, and refuses Ids that cannot be walked. */
class Stretch {
	/** Rows from the start of the stretch to the end of the list, as the first answer says. */
	matching = Number.POSITIVE_INFINITY;
	clampedTo?: number;

	constructor(private readonly source: ListSource) {}

	readonly getPage: GetPage = async (query) => {
		const { platform, endpoint } = this.source;
		const page = await platform.getPage(endpoint, query);
		const { rows, totalCount } = page;
		if (query.pager && rows.length < Math.min(query.pager.take, totalCount)) this.clampedTo = rows.length;
		if (this.matching === Number.POSITIVE_INFINITY) {
			this.matching = totalCount;
			if (rows.length < totalCount && !rows.every(({ Id: id }) => Number.isInteger(id))) throw new TextIds();
		}
		return page;
	};
}

function beyond(filter: Group | undefined, after: number): Group | undefined {
	return after === WHOLE_LIST.after ? filter : and(filter, condition('Id', 'Gt', String(after)));
}

async function readAll({ platform, endpoint, filter }: ListSource, pace: Omit<ReadPace, 'until'>): Promise<Row[]> {
	const { pageSize, parallel } = pace;
	const { pages } = await readList(async (query) => await platform.getPage(endpoint, query), {
		query: { filter, sorts: [{ field: 'Id', direction: 'Asc' }] },
		...{ pageSize, parallel },
	});
	return pages.flat();
}

/** What looking up rows by Id gave: those that were asked about, and the rows of those that match. */
export interface Lookup {
	asked: Set<RowKey>;
	rows: Map<RowKey, Row>;
}

/**
 * Looks rows up by their Ids, as many as the time allows. What the platform could not answer in passing (rate limit,
 * 5xx, network) is left for the next poll.
 */
export async function lookUp(source: ListSource, keys: readonly RowKey[], pace: ReadPace): Promise<Lookup> {
	const result: Lookup = { asked: new Set(), rows: new Map() };
	for (const part of idLists(keys)) {
		if (Date.now() >= pace.until) break;
		const found = await orElse(readAll({ ...source, filter: and(source.filter, idsAre(part)) }, pace), isPassing);
		if (!('value' in found)) break;
		for (const row of found.value) {
			const key = rowKey(row.Id);
			if (key !== undefined) result.rows.set(key, row);
		}
		for (const key of part) result.asked.add(key);
	}
	return result;
}

function idLists(keys: readonly RowKey[]): RowKey[][] {
	const longest = keys.reduce((length, key) => Math.max(length, key.length), 1);
	return chunk(keys, Math.max(1, Math.min(LOOKUP_SIZE, Math.floor(LONGEST_ID_LIST / (longest + 1)))));
}

/** `In` separates by commas, so an Id that holds one is asked for on its own. */
function idsAre(keys: readonly RowKey[]): Group | undefined {
	const ids = keys.map((key) => String(rowId(key)));
	const plain = ids.filter((id) => !id.includes(','));
	const others: FilterNode[] = ids.filter((id) => id.includes(',')).map((id) => condition('Id', 'Eq', id));
	return plain.length > 0 ? or(condition('Id', 'In', plain.join(',')), ...others) : or(...others);
}
