import partition from 'lodash/partition';

import { condition } from '../shared/dsquery/compose';
import { findFieldByPath, findFieldValue } from '../shared/dsquery/fieldName';
import { identifyChargePoints, parseChargePoints, mergeDetail } from '../shared/list/chargePoints';
import { LongWork } from '../shared/longWork';
import { PlatformError, type Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import { settle } from '../shared/settle';
import { isInIdRange, numberOfKey, rowKey, type RowKey, WHOLE_LIST } from '../shared/trigger/keys';
import type { TriggerSettings } from '../shared/trigger/parameters';
import type { Poll } from '../shared/trigger/poll';
import { type Details, failureKind, readDetails } from '../shared/trigger/reading/details';
import { assertFieldExists } from '../shared/trigger/reading/fields';
import { narrowSelection, readMatchingRows, type ScanResult, scan } from '../shared/trigger/reading/lists';
import { findListedStation, lookUp, lookUpMissingRows } from '../shared/trigger/reading/lookUp';
import { keyRows } from '../shared/trigger/reading/section';
import { readStatus, type ObservedStatus } from '../shared/trigger/status';
import { rowName } from '../shared/trigger/text';
import type { ReadingProgress, TriggerState } from '../shared/trigger/watch/savedState';
import type { PollReading } from '../shared/trigger/watch/evaluate';
import { type Absence, type ObservedValue, UNKNOWN } from '../shared/trigger/watch/alertRule';
import type { ChargePointRule } from './events';
import { isPositionKey, toNetworkKey, splitNetworkKey, type PointKey, pointKeys, stationKey } from './points';

/** What is read: the filter, the rule of the chosen event, and where a charge point has its status. */
export interface ChargePointQuery extends TriggerSettings, ChargePointRule {
	statusField: string;
	/** How many stations a poll looks at. */
	mostStations: number;
}

type ChargePointQueryPoll = Poll<ChargePointQuery>;

export interface ChargePointReading extends PollReading {
	/** The detail of each station that was looked at. */
	stations: ReadonlyMap<RowKey, Row>;
}

/** Looks at the next stations of the round: reads them from the list, and then the detail of each. */
export async function readRound(poll: ChargePointQueryPoll, state: TriggerState): Promise<ChargePointReading> {
	const before: ReadingProgress = state.readings.round ?? { began: poll.now, isSure: true, polls: 0 };
	const known = knownChargePoints(state);
	const { rows, absent, goesOnBehind } = await poll.readRequired(nextStations(poll, before.after, known));
	const lost = await findAbsent(poll, absent, known, rows);
	const keys = [...rows.keys()];
	const observation = await observeStations(poll, rows, [...lost.toAsk, ...keys], lost.missing);
	const { stations, refusals, notAsked, hasAsked } = observation;
	const firstLeft = keys.findIndex((key) => notAsked.has(key));
	const isEnd = firstLeft < 0 && goesOnBehind === undefined;
	if (isEnd) poll.memory.listed = undefined;
	const isFirst = isFirstRound(state);
	if (isFirst && known.size === 0) assertStatusField(poll, stations);

	const statuses = new Map([...stations].map(([key, detail]) => [key, statusesIn(detail, poll.settings)]));
	const seen = compareWith(known, statuses, new Map([...lost.absent, ...observation.absent]), refusals, lost.outside);
	const round = {
		began: before.began,
		// A poll that could not ask for anything says nothing of how long a round takes.
		polls: before.polls + Number(hasAsked),
		isSure: before.isSure && seen.isSure && lost.isSure && !lost.toAsk.some((key) => notAsked.has(key)),
		counts: countsOf(before, stations.size, seen.seen.size),
	};
	checkRefusals(poll, [...refusals.values()], round.counts.stations, isEnd || isFirst);
	const isWhole = isEnd && round.isSure && hasDetails(round, refusals);
	const after = firstLeft >= 0 ? (keys[firstLeft - 1] ?? before.after) : goesOnBehind;
	const found = {
		stations,
		watchReadings: { point: { ...seen, isWhole, isProven: lost.isProven } },
		readability: seen.readability,
		isLeftOut: seen.covers,
	};
	const readings: TriggerState['readings'] = isEnd ? {} : { round: { ...round, after } };
	return { ...found, readings, round: { ...round, isSure: isWhole, isEnd } };
}

/** If nothing could be looked at, the platform gives no details. */
function hasDetails(
	{ counts }: Pick<Required<ReadingProgress>, 'counts'>,
	refusals: ReadonlyMap<RowKey, unknown>,
): boolean {
	return counts.stations > 0 || refusals.size === 0;
}

function isFirstRound({ watches }: TriggerState): boolean {
	return watches.point?.isBegun === false;
}

function countsOf(
	{ counts = { stations: 0, chargePoints: 0 } }: ReadingProgress,
	stations: number,
	chargePoints: number,
) {
	return { stations: counts.stations + stations, chargePoints: counts.chargePoints + chargePoints };
}

/**
 * Reads details, and leaves to the next poll what could not be read.
 *
 * @param missing stations that no list shows: what their details say does not matter, unless it is that they are gone
 */
async function observeStations(
	poll: ChargePointQueryPoll,
	rows: ReadonlyMap<RowKey, Row>,
	keys: readonly RowKey[],
	missing: ReadonlySet<RowKey>,
) {
	const { found, rateLimit } = await readDetails(poll, keys, poll.limitsFor('last'));
	if (rateLimit) poll.leaveToNextPoll(rateLimit);
	const [lost, there] = partition([...found], ([key]) => missing.has(key));
	const absent = new Map(
		lost.map(([key, answer]) => {
			const isGone = !answer.ok && failureKind(answer.error) === 'not-found';
			return [key, isGone ? 'gone' : 'missing'] as const;
		}),
	);
	const { stations, refusals } = await takeIn(new Map(there), rows);
	for (const refusal of refusals.values()) poll.leaveToNextPoll(refusal);
	for (const [key, detail] of stations) {
		const name = rowName(detail);
		if (name !== undefined) poll.memory.stationNames.set(key, name);
	}
	const passing = [rateLimit, ...refusals.values()].find((error) => poll.isPassing(error));
	if (passing && stations.size === 0) poll.unread.set('details of charging stations', passing);
	const notAsked = new Set(keys.filter((key) => !found.has(key)));
	return { stations, refusals, absent, notAsked, hasAsked: keys.length === 0 || found.size > 0 };
}

/**
 * What the details say of charge points, and which of those that are known are not there. Of a station outside the filter,
 * only the ends of reported incidents are of interest.
 */
function compareWith(
	known: ReadonlyMap<RowKey, KnownChargePoint[]>,
	stations: ReadonlyMap<RowKey, ReadonlyMap<PointKey, ObservedStatus>>,
	absentStations: ReadonlyMap<RowKey, Absence>,
	refusals: ReadonlyMap<RowKey, unknown>,
	outside: ReadonlySet<RowKey>,
) {
	const seen = new Map<string, ObservedValue>();
	const readability = new Map([...refusals.keys()].map((station) => [stationKey(station), false]));
	for (const [station, points] of stations) {
		readability.set(stationKey(station), true);
		const told = new Set(known.get(station)?.flatMap(({ point, isTold }) => (isTold ? point : [])));
		for (const [point, value] of points) {
			if (outside.has(station) && !told.has(point)) continue;
			seen.set(toNetworkKey(station, point), value);
			readability.set(toNetworkKey(station, point), value !== UNKNOWN);
		}
	}
	const away = [
		...[...stations].flatMap(([station, points]) => awayFrom(points, known.get(station), outside.has(station))),
		...[...absentStations].flatMap(([station, how]) => (known.get(station) ?? []).map((point) => ({ ...point, how }))),
	];
	const isSure = away.every(({ isMissing, how }) => isMissing || how === 'outOfScope' || how === 'replaced');
	const absent = new Map(away.map(({ key, how }) => [key, how]));
	const looked = new Set([...stations.keys(), ...absentStations.keys()]);
	return { seen, readability, absent, isSure, covers: (key: string) => looked.has(splitNetworkKey(key)[0]) };
}

/** The known charge points of a station that its detail does not show, or that are of no interest as it is outside the filter. */
function awayFrom(
	points: ReadonlyMap<PointKey, ObservedStatus>,
	known: readonly KnownChargePoint[] = [],
	isOutside: boolean,
) {
	return known.flatMap((each) => {
		const isShown = points.has(each.point);
		if (isShown && (each.isTold || !isOutside)) return [];
		// Of another number of charge points, nothing tells which is which.
		const isReplaced = isPositionKey(each.point) && !isShown && points.size > 0;
		const isForgotten = !each.isTold && (isOutside || isReplaced);
		const how: Absence = isForgotten ? 'outOfScope' : isReplaced ? 'replaced' : 'gone';
		return { ...each, how };
	});
}

/** The stations whose charge points can be read, and why the others cannot. */
async function takeIn(found: Details['found'], rows: ReadonlyMap<RowKey, Row>) {
	const stations = new Map<RowKey, Row>();
	const refusals = new Map<RowKey, PlatformError>();
	const longWork = new LongWork();
	for (const [key, answer] of found) {
		if (longWork.isYieldDue) await longWork.yieldToEventLoop();
		const taken = answer.ok ? await settle(detailOf(rows.get(key) ?? {}, answer.value)) : answer;
		if (taken.ok) stations.set(key, taken.value);
		else refusals.set(key, taken.error as PlatformError);
	}
	return { stations, refusals };
}

/** @throws PlatformError if the charge points in the detail cannot be read */
async function detailOf(row: Row, detail: Row): Promise<Row> {
	const station = mergeDetail(row, detail);
	const { unreadable } = parseChargePoints(station);
	if (unreadable === undefined) return await Promise.resolve(station);
	const message = `The charge points of ${rowName(station) ?? `station ${String(station.Id)}`} cannot be read: ${unreadable}`;
	throw new PlatformError('invalid-answer', message, { description: "Tell the platform's support." });
}

/** A charge point that is remembered. */
interface KnownChargePoint {
	key: string;
	point: PointKey;
	isTold: boolean;
	isMissing: boolean;
}

/** The charge points that are remembered, by their stations; also stations of which only that they cannot be read. */
function knownChargePoints({ watches, coverage }: TriggerState): Map<RowKey, KnownChargePoint[]> {
	const known = new Map<RowKey, KnownChargePoint[]>();
	for (const [key, { incident, missing }] of Object.entries(watches.point?.entries ?? {})) {
		const [station, point = ''] = splitNetworkKey(key);
		const entry = { key, point, isTold: incident?.[1] === true, isMissing: missing !== undefined };
		known.set(station, [...(known.get(station) ?? []), entry]);
	}
	for (const [station] of Object.keys(coverage.unreadable ?? {}).map(splitNetworkKey)) {
		if (!known.has(station)) known.set(station, []);
	}
	return known;
}

/**
 * Looks up known stations that the list does not show. Where an end is to be told, it is told although the filter leaves the
 * station out; another one is then not watched any more.
 *
 * @returns which details are to be asked for; those of them that no list shows, and those outside the filter
 */
async function findAbsent(
	poll: ChargePointQueryPoll,
	stations: readonly RowKey[],
	known: ReadonlyMap<RowKey, KnownChargePoint[]>,
	rows: ReadonlyMap<RowKey, Row>,
) {
	const isTold = (key: RowKey) => known.get(key)?.some((point) => point.isTold) === true;
	const mayAsk = stations.some((key) => known.get(key)?.some(({ isMissing }) => isMissing));
	const shown = await findListedStation(poll, { rows: [...rows.values()], mayAsk });
	const asking = { pace: poll.limitsFor('lookUp'), shown };
	const selection = { list: STATIONS, filter: poll.settings.filter };
	const toldFirst = partition(stations, isTold).flat();
	const found = await lookUpMissingRows(lookUp, poll, selection, toldFirst, asking);
	const [outside, left] = partition([...found.outsideFilter.keys()], isTold);
	const [missing, gone] = partition(found.notFound, isTold);
	const absent = new Map<RowKey, Absence>([
		...gone.map((key) => [key, 'gone'] as const),
		...left.map((key) => [key, 'outOfScope'] as const),
	]);
	const toAsk = partition([...found.matching.keys(), ...outside, ...missing], isTold).flat();
	return {
		absent,
		toAsk,
		missing: new Set(missing),
		outside: new Set(outside),
		isProven: found.isProven,
		isSure: toAsk.length + absent.size === stations.length,
	};
}

/**
 * The stations whose turn it is, in order; where the next poll goes on; and the known stations that the list does not
 * show any more. Where the whole list came at once, because its Ids are texts, the next polls of the round go on with it.
 */
async function nextStations(
	poll: ChargePointQueryPoll,
	after: ReadingProgress['after'],
	known: ReadonlyMap<RowKey, unknown>,
) {
	const { memory } = poll;
	const behind = after === undefined ? undefined : String(after);
	const listed = behind === undefined ? undefined : memory.listed;
	const found = listed ? undefined : await readList(poll, behind);
	const rows = listed ?? found?.rows ?? [];
	const all = new Map(keyRows(rows));
	const due = [...all.keys()].filter((key) => behind === undefined || inOrder(key, behind) > 0);
	const next = due.sort(inOrder).slice(0, poll.settings.mostStations);
	const isMore = due.length > next.length;
	const isWhole = found === undefined || found.range.upTo === WHOLE_LIST.upTo;
	memory.listed = isMore && isWhole ? (listed ?? rows.map(({ Id, Name }) => ({ Id, Name }))) : undefined;
	return {
		rows: new Map(next.map((key): [RowKey, Row] => [key, all.get(key) ?? {}])),
		absent: found ? [...known.keys()].filter((key) => isInIdRange(found.range, key) && !all.has(key)) : [],
		goesOnBehind: isMore ? next.at(-1) : found && (await endOf(poll, found)),
	};
}

/** As many pages as a poll looks at stations, or all if there is no order to go on from. */
async function readList(poll: ChargePointQueryPoll, behind: RowKey | undefined): Promise<ScanResult> {
	const { filter, mostStations } = poll.settings;
	const after = (behind === undefined ? undefined : numberOfKey(behind)) ?? WHOLE_LIST.after;
	const selection = { list: STATIONS, filter };
	return await scan(poll, selection, after, { ...poll.limitsFor('list'), enough: mostStations });
}

/** Where the list goes on: behind the last station read, if the platform counts more or sends one more. */
async function endOf(
	poll: ChargePointQueryPoll,
	{ range: { upTo }, countsMore }: ScanResult,
): Promise<RowKey | undefined> {
	if (upTo === WHOLE_LIST.upTo) return undefined;
	const beyond = narrowSelection({ list: STATIONS, filter: poll.settings.filter }, condition('Id', 'Gt', String(upTo)));
	const more =
		countsMore || (await poll.attempt(readMatchingRows(poll, beyond, poll.limitsFor('list'), 1)))?.rows.length !== 0;
	return more ? rowKey(upTo) : undefined;
}

/** Numbers first, as the platform sorts them; then texts. */
function inOrder(a: RowKey, b: RowKey): number {
	const [first, second] = [numberOfKey(a), numberOfKey(b)];
	if (first === undefined && second === undefined) return a < b ? -1 : Number(a > b);
	return (first ?? Number.POSITIVE_INFINITY) - (second ?? Number.POSITIVE_INFINITY);
}

/**
 * A detail that is refused for good is left to the next round, as one station must not hold up the others.
 *
 * @param stations how many stations of this round could be looked at so far
 * @param isDue whether the round has ended, or it is the first
 * @throws PlatformError the refusal, if none could
 */
function checkRefusals(poll: Poll, refusals: readonly PlatformError[], stations: number, isDue: boolean): void {
	const refusal = refusals.find((each) => !poll.isPassing(each));
	if (refusal && stations === 0 && isDue) throw refusal;
}

/** @throws PlatformError if charge points have no field with their status */
export function assertStatusField(poll: ChargePointQueryPoll, stations: ReadonlyMap<RowKey, Row>): void {
	const entries = [...stations.values()].flatMap((detail) => parseChargePoints(detail).entries);
	const { statusField: field } = poll.settings;
	assertFieldExists(poll, entries, { field, label: 'Status Field', plural: 'charge points', find: findFieldByPath });
}

export function statusesIn(
	detail: Row,
	{ statusField, noneIsValue }: Pick<ChargePointQuery, 'statusField' | 'noneIsValue'>,
): Map<PointKey, ObservedStatus> {
	const statusOf = (entry: Row) => readStatus(findFieldValue(entry, statusField), noneIsValue);
	return new Map([...pointsIn(detail)].map(([point, entry]) => [point, statusOf(entry)]));
}

export function pointsIn(detail: Row): Map<PointKey, Row> {
	const { entries } = parseChargePoints(detail);
	const keys = pointKeys(identifyChargePoints(entries));
	return new Map(entries.map((entry, index): [PointKey, Row] => [keys[index] ?? '', entry]));
}
