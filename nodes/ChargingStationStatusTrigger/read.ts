import partition from 'lodash/partition';

import type { Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import { rowsByKey } from '../shared/trigger/reading/byKey';
import { lookUp, type Scan, scan, tooMany } from '../shared/trigger/reading/lists';
import { remembered } from '../shared/trigger/memory';
import type { Selection } from '../shared/trigger/reading/matching';
import type { Poll, ReadPace } from '../shared/trigger/poll';
import { readStatus, UNKNOWN } from '../shared/trigger/watch/status';
import { nameOf } from '../shared/trigger/text';
import { idBefore } from '../shared/trigger/types';
import { areGone } from './details';
import type { StationSettings } from './settings';
import type { Draft } from './state/draft';
import { isEndTold } from './state/stations';
import { missingFrom, type Seen, type Whereabouts } from './state/step';
import type { SeenStation, Progress, StationKey } from './state/types';

/** The most stations that are watched: all of them are remembered, and read in one process. */
export const MOST_STATIONS = 200_000;

export const ofStations = remembered(() => ({
	/** Stations that a look-up did not find, with the number of the poll that first missed them. */
	absent: new Map<StationKey, number>(),
	/** Names of stations, for the event that reports one as gone. */
	names: new Map<StationKey, string>(),
}));

export interface ReadResult {
	seen: Seen;
	whereabouts: Map<StationKey, Whereabouts>;
	rows: Map<StationKey, Row>;
}

export async function readStations(poll: Poll<StationSettings>, draft: Draft): Promise<ReadResult> {
	const { settings } = poll;
	const { filter, rule, fleet } = settings;
	// Whether stations were added or removed is seen in all of them.
	const narrowing = fleet ? undefined : rule.narrowing;
	const found = await poll.require(scanStations(poll, draft.list, { filter, narrowing }));
	const rows = new Map<StationKey, Row>();
	const seen: Seen = { stations: seenIn(poll, draft, found.rows, rows, true), coverage: found.coverage };
	if (fleet && rule.looksBeyondFilter) {
		const all = await poll.attempt(scanStations(poll, draft.knownList, {}));
		if (all) {
			const stations = [...rowsByKey(poll, STATIONS, all.rows, draft).keys()];
			seen.fleet = { stations, coverage: all.coverage };
		}
	} else if (fleet) {
		seen.fleet = { stations: seen.stations.map(({ station }) => station), coverage: found.coverage };
	}
	refuseTooMany(draft, seen.fleet?.stations ?? [...rows.keys()]);
	const missing = missingFrom(draft, seen);
	const whereabouts = await findOut(poll, draft, missing, rows, seen);
	if (fleet?.removed || rule.kind === 'inState') rememberNames(poll, rows);
	return { seen, whereabouts, rows };
}

async function scanStations(
	poll: Poll<StationSettings>,
	{ baseline, next }: Progress,
	{ filter, narrowing }: Pick<Selection, 'filter' | 'narrowing'>,
): Promise<Scan> {
	const after = idBefore(baseline === undefined ? next : baseline);
	const selection = { list: STATIONS, filter, narrowing };
	return await scan(poll, selection, after, { ...poll.scanPace, most: MOST_STATIONS });
}

/** @throws PlatformError if the stations that are remembered and those that were read are too many */
function refuseTooMany({ statuses, known, incidents }: Draft, keys: readonly StationKey[]): void {
	for (const held of [statuses, known, incidents]) {
		if (held === undefined || held.size + keys.length <= MOST_STATIONS) continue;
		const fresh = new Set(keys.filter((key) => !held.has(key)));
		if (held.size > 0 && held.size + fresh.size > MOST_STATIONS) throw tooMany(MOST_STATIONS, { list: STATIONS });
	}
}

/** How many stations match the filter; NaN if the platform does not count. */
export async function countStations(
	{ connection }: Poll<StationSettings>,
	filter: StationSettings['filter'],
): Promise<number> {
	const { totalCount } = await connection.list(STATIONS).page({ filter, sorts: [], pager: { skip: 0, take: 1 } });
	return totalCount ?? Number.NaN;
}

/**
 * What rows say about their stations. Rows without a usable Id are skipped.
 *
 * @param known the stations that are known
 */
export function seenIn(
	poll: Poll<StationSettings>,
	known: { has(station: StationKey): boolean },
	from: Iterable<Row>,
	rows: Map<StationKey, Row>,
	matches: boolean,
): SeenStation[] {
	return [...rowsByKey(poll, STATIONS, from, known)].map(([station, row]) => {
		rows.set(station, row);
		return { station, row, matches, outOfService: isOutOfService(poll.settings, row) };
	});
}

function isOutOfService({ outOfService }: StationSettings, row: Row): boolean | undefined {
	if (outOfService.size === 0) return false;
	const status = readStatus(row.Status, outOfService.has(null));
	return status === UNKNOWN ? undefined : outOfService.has(status);
}

/**
 * Looks up stations missing from the list, so that a page that drifted is never taken for a change. A station counts as
 * absent once a second poll does not find it either, as a single answer may be empty or stale. It counts as gone only
 * if the detail endpoint confirms that.
 */
async function findOut(
	poll: Poll<StationSettings>,
	draft: Draft,
	missing: readonly StationKey[],
	rows: Map<StationKey, Row>,
	{ fleet }: Seen,
): Promise<Map<StationKey, Whereabouts>> {
	const { absent: missedBefore } = ofStations(poll);
	const listed = [...rows.keys(), ...(fleet?.stations ?? [])];
	for (const key of listed) missedBefore.delete(key);
	if (missing.length === 0) return new Map();
	const pace = poll.pace('lookUp');
	const { found, notFound } = await lookUpMissing(poll, draft, missing, rows, pace);
	for (const key of found.keys()) missedBefore.delete(key);
	const [absent, unsure] = partition(notFound, (key) => isAbsentAgain(poll, key));
	for (const key of unsure) found.set(key, 'unsure');
	const others = await whereAbsent(poll, draft, absent, [...listed, ...rows.keys()], pace);
	for (const [key, where] of others) found.set(key, where);
	return found;
}

/** Looks for stations in the list that the filter selects and, if that matters, outside of it. */
async function lookUpMissing(
	poll: Poll<StationSettings>,
	draft: Draft,
	missing: readonly StationKey[],
	rows: Map<StationKey, Row>,
	pace: ReadPace,
): Promise<{ found: Map<StationKey, Whereabouts>; notFound: StationKey[] }> {
	const { filter, rule, fleet } = poll.settings;
	const { looksBeyondFilter } = rule;
	const found = new Map<StationKey, Whereabouts>();
	const take = (from: Iterable<Row>, matches: boolean) => {
		for (const seen of seenIn(poll, draft, from, rows, matches)) found.set(seen.station, seen);
	};
	// Where an end is told, it is told wherever the station is.
	const isFollowed = (key: StationKey) => !looksBeyondFilter && isEndTold(draft, rule, key);
	const [followed, others] = filter === undefined ? [[], missing] : partition(missing, isFollowed);
	const matching = await lookUp(poll, { list: STATIONS, filter }, others, pace);
	take(matching.rows.values(), true);
	const unmatched = others.filter((key) => matching.asked.has(key) && !found.has(key));
	const isSought = filter !== undefined && (looksBeyondFilter === true || fleet?.removed === true);
	const sought = isSought ? [...followed, ...unmatched] : followed;
	const anywhere = await lookUp(poll, { list: STATIONS }, sought, pace);
	for (const [key, row] of anywhere.rows) {
		if (looksBeyondFilter || isFollowed(key)) take([row], false);
		else found.set(key, 'elsewhere');
	}
	const notFound = sought.filter((key) => anywhere.asked.has(key) && !found.has(key));
	return { found, notFound: isSought ? notFound : [...unmatched, ...notFound] };
}

/** Remembers that a look-up did not find a station. Whether an earlier poll did not either. */
function isAbsentAgain(poll: Poll, key: StationKey): boolean {
	const { absent } = ofStations(poll);
	const { polls } = poll.memory;
	const since = absent.get(key) ?? polls;
	absent.set(key, since);
	return since !== polls;
}

/** What became of stations that no list shows. One whose end is told ends only if it is gone. */
async function whereAbsent(
	poll: Poll<StationSettings>,
	draft: Draft,
	absent: readonly StationKey[],
	others: readonly StationKey[],
	pace: ReadPace,
): Promise<Map<StationKey, Whereabouts>> {
	const { fleet, rule } = poll.settings;
	const [asked, left] = partition(absent, (key) => fleet?.removed === true || isEndTold(draft, rule, key));
	const gone = await areGone(poll, asked, others, pace);
	const there = (key: StationKey) => (isEndTold(draft, rule, key) ? 'unsure' : 'elsewhere');
	return new Map<StationKey, Whereabouts>([
		...left.map((key) => [key, 'elsewhere'] as const),
		...[...gone].map(([key, isGone]) => [key, isGone ? 'gone' : there(key)] as const),
	]);
}

/** Keeps names for the events of stations that are gone, when there is no row any more. */
function rememberNames(poll: Poll, rows: ReadonlyMap<StationKey, Row>): void {
	const { names } = ofStations(poll);
	for (const [key, row] of rows) {
		const name = nameOf(row);
		if (name !== undefined) names.set(key, name);
	}
}
