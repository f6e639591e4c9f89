import chunk from 'lodash/chunk';

import { and, condition, or } from '../shared/dsquery/compose';
import type { FilterNode, Group } from '../shared/dsquery/types';
import { STATIONS_LIST } from '../shared/platform/endpoints';
import { PlatformError } from '../shared/platform/errors';
import { isPassing, orElse } from './orElse';
import { readList } from '../shared/platform/list';
import type { GetPage } from '../shared/platform/list';
import type { Platform, Row } from '../shared/platform/types';
import { stationId, stationKey } from '../shared/watch/keys';
import type { Coverage, StationKey } from '../shared/watch/types';
import { WHOLE_LIST } from '../shared/watch/types';

export interface ReadPace {
	pageSize: number;
	parallel: number;
	/** No new stretch of the list is begun after this moment, milliseconds since 1970. */
	until: number;
}

export interface Scan {
	rows: Row[];
	/** The part of the list that `rows` is all of. */
	coverage: Coverage;
}

/** Stations looked up together: one full page. */
const LOOKUP_SIZE = 100;
/** Longest list of ids in one condition, in characters, so that the URL stays short. */
const LONGEST_ID_LIST = 1500;
/** Pages for each lane in one stretch of a scan. */
const PAGES_PER_LANE = 2;

/** The Ids are text: they have no order that a scan could go on from. */
class TextIds extends Error {}

/**
 * Reads the stations that match a filter, in stretches of the Id order. Between two stretches it stops when the time is up;
 * where the platform lets nothing more through it stops as well. The next poll goes on from there.
 *
 * @throws PlatformError where not even the first stretch could be read
 */
export async function scan(
	platform: Platform,
	filter: Group | undefined,
	after: number,
	pace: ReadPace,
): Promise<Scan> {
	const { pageSize, parallel, until } = pace;
	const limit = pageSize * parallel * (parallel === 1 ? 1 : PAGES_PER_LANE);
	const rows: Row[] = [];
	let reached = after;
	for (;;) {
		const stretch = new Stretch(platform);
		const reading = readList(stretch.getPage, {
			query: { filter: beyond(filter, reached), sorts: [{ field: 'Id', direction: 'Asc' }] },
			...{ limit, pageSize, parallel },
		});
		const result = await orElse(
			reading,
			(error) => error instanceof TextIds || (reached !== after && isPassing(error)),
		);
		if (!('value' in result)) {
			if (isPassing(result.error)) return { rows, coverage: { after, upTo: reached } };
			return { rows: await readAll(platform, filter, pace), coverage: WHOLE_LIST };
		}
		const found = result.value.pages.flat();
		for (const row of found) rows.push(row);
		if (found.length < limit || found.length >= stretch.matching) {
			return { rows, coverage: { after, upTo: WHOLE_LIST.upTo } };
		}
		reached = Number(found.at(-1)?.Id);
		if (Date.now() >= until) return { rows, coverage: { after, upTo: reached } };
	}
}

/** One stretch's way to the platform. It notes how many rows match, and refuses Ids that cannot be walked. */
class Stretch {
	/** Rows from the start of the stretch to the end of the list, as the first answer says. */
	matching = Number.POSITIVE_INFINITY;

	constructor(private readonly platform: Platform) {}

	readonly getPage: GetPage = async (query) => {
		const page = await this.platform.getPage(STATIONS_LIST, query);
		if (this.matching === Number.POSITIVE_INFINITY) {
			this.matching = page.totalCount;
			if (page.rows.length < page.totalCount && !page.rows.every(({ Id: id }) => Number.isInteger(id)))
				throw new TextIds();
		}
		return page;
	};
}

function beyond(filter: Group | undefined, after: number): Group | undefined {
	return after === WHOLE_LIST.after ? filter : and(filter, condition('Id', 'Gt', String(after)));
}

async function readAll(platform: Platform, filter: Group | undefined, pace: Omit<ReadPace, 'until'>): Promise<Row[]> {
	const { pageSize, parallel } = pace;
	const { pages } = await readList(async (query) => await platform.getPage(STATIONS_LIST, query), {
		query: { filter, sorts: [{ field: 'Id', direction: 'Asc' }] },
		...{ pageSize, parallel },
	});
	return pages.flat();
}

/** What looking up stations by Id gave: those that were asked about, and the rows of those that match. */
export interface Lookup {
	asked: Set<StationKey>;
	rows: Map<StationKey, Row>;
}

/**
 * Looks stations up by their Ids, as many as the time allows. What the platform could not answer in passing (rate limit,
 * 5xx, network) is left for the next poll.
 *
 * @param filter what they must match besides
 */
export async function lookUp(
	platform: Platform,
	filter: Group | undefined,
	keys: readonly StationKey[],
	pace: ReadPace,
): Promise<Lookup> {
	const result: Lookup = { asked: new Set(), rows: new Map() };
	for (const part of idLists(keys)) {
		if (Date.now() >= pace.until) break;
		const found = await orElse(readAll(platform, and(filter, idsAre(part)), pace), isPassing);
		if (!('value' in found)) break;
		for (const row of found.value) {
			const key = stationKey(row.Id);
			if (key !== undefined) result.rows.set(key, row);
		}
		for (const key of part) result.asked.add(key);
	}
	return result;
}

function idLists(keys: readonly StationKey[]): StationKey[][] {
	const longest = keys.reduce((length, key) => Math.max(length, key.length), 1);
	return chunk(keys, Math.max(1, Math.min(LOOKUP_SIZE, Math.floor(LONGEST_ID_LIST / (longest + 1)))));
}

/** `In` separates by commas, so an Id that holds one is asked for on its own. */
function idsAre(keys: readonly StationKey[]): Group | undefined {
	const ids = keys.map((key) => String(stationId(key)));
	const plain = ids.filter((id) => !id.includes(','));
	const others: FilterNode[] = ids.filter((id) => id.includes(',')).map((id) => condition('Id', 'Eq', id));
	return plain.length > 0 ? or(condition('Id', 'In', plain.join(',')), ...others) : or(...others);
}

/**
 * Whether the detail endpoint says that a station does not exist.
 *
 * @returns undefined where it could not be asked just now
 */
export async function doesNotExist(platform: Platform, key: StationKey): Promise<boolean | undefined> {
	const found = await orElse(
		platform.getStation(String(stationId(key))),
		(error) => isPassing(error) || (error instanceof PlatformError && error.kind === 'not-found'),
	);
	if ('value' in found) return false;
	return isPassing(found.error) ? undefined : true;
}
