import { and, condition } from '../shared/dsquery/compose';
import { chargePointIds, chargePointsOf, withDetail } from '../shared/list/chargePoints';
import { valueNamed } from '../shared/dsquery/fieldName';
import { PlatformError, type Row, settle, Turns } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import { covers, numberIn, rowKey } from '../shared/trigger/keys';
import { remembered } from '../shared/trigger/memory';
import { alertIsDue } from '../shared/trigger/outage';
import { isPassing, type Poll } from '../shared/trigger/poll';
import { rowsByKey } from '../shared/trigger/reading/byKey';
import { type Details, failureKind, readDetails } from '../shared/trigger/reading/details';
import { checkField } from '../shared/trigger/reading/fields';
import { type Scan, scan } from '../shared/trigger/reading/lists';
import { readMatching, type Selection } from '../shared/trigger/reading/matching';
import { readStatus, type Status } from '../shared/trigger/watch/status';
import { nameOf } from '../shared/trigger/text';
import { WHOLE_LIST } from '../shared/trigger/types';
import type { ChargePointSettings } from './settings';
import type { Draft } from './state/draft';
import { pointKeys } from './state/points';
import type { Seen } from './state/step';
import type { PointKey, StationKey } from './state/types';

interface OfChargePoints {
	/** What is left of a list of stations that was read at once. */
	listed?: Row[];
	/** Set while no station's detail can be read, and when that was last reported. */
	detailsRefused?: { alertedAt?: number };
	/** Names of stations, for the events of those that are gone. */
	names: Map<StationKey, string | undefined>;
}
export const ofChargePoints = remembered((): OfChargePoints => ({ names: new Map() }));

export interface ReadResult {
	seen: Seen;
	/** The detail of each station that was looked at. */
	stations: ReadonlyMap<StationKey, Row>;
}

/** Looks at the next stations of the round: reads them from the list, and then the detail of each. */
export async function readRound(poll: Poll<ChargePointSettings>, draft: Draft): Promise<ReadResult> {
	const { settings } = poll;
	const own = ofChargePoints(poll);
	const { rows, absent, goesOnBehind } = await poll.require(nextStations(poll, draft));
	const keys = [...rows.keys()];
	// Where an end is told, it is told although the list does not show the station any more.
	const followed = absent.filter((key) => draft.awaitsEnd(key));
	const { found, rateLimit } = await readDetails(poll, [...followed, ...keys], poll.pace('last'));
	if (rateLimit) poll.leave(rateLimit);
	const firstLeft = keys.findIndex((key) => !found.has(key));
	const { stations, refusals, gone } = await takeIn(found, rows);
	for (const refusal of refusals.values()) poll.leave(refusal);
	if (draft.points.size === 0 && !draft.hasBaseline) checkStatusField(poll, stations);
	const isCutShort = firstLeft >= 0;
	const isEnd = !isCutShort && goesOnBehind === undefined;
	if (isEnd) own.listed = undefined;
	for (const [key, detail] of stations) own.names.set(key, nameOf(detail));
	if (stations.size > 0) own.detailsRefused = undefined;
	else checkRefusals(poll, draft, [...refusals.values()], isEnd);
	if (stations.size === 0 && gone.length === 0) poll.nothingRead = [rateLimit, ...refusals.values()].find(isPassing);
	return {
		stations,
		seen: {
			stations: new Map([...stations].map(([key, detail]) => [key, statusesIn(detail, settings)])),
			unread: [...refusals.keys()],
			absent: [...absent.filter((key) => !followed.includes(key)), ...gone].filter((key) => draft.has(key)),
			isWhole: followed.every((key) => found.has(key)),
			isEnd,
			next: isCutShort ? (keys[firstLeft - 1] ?? draft.round.after) : goesOnBehind,
		},
	};
}

/** The stations whose charge points can be read, why the others cannot, and those that are not there any more. */
async function takeIn(found: Details['found'], rows: ReadonlyMap<StationKey, Row>) {
	const stations = new Map<StationKey, Row>();
	const refusals = new Map<StationKey, PlatformError>();
	const gone: StationKey[] = [];
	const turns = new Turns();
	for (const [key, answer] of found) {
		if (turns.due) await turns.give();
		const taken = answer.ok ? await settle(detailOf(rows.get(key) ?? {}, answer.value)) : answer;
		if (taken.ok) stations.set(key, taken.value);
		else if (failureKind(taken.error) === 'not-found') gone.push(key);
		else refusals.set(key, taken.error as PlatformError);
	}
	return { stations, refusals, gone };
}

/** @throws PlatformError if the charge points in the detail cannot be read, or it is of another station */
async function detailOf(row: Row, detail: Row): Promise<Row> {
	const station = withDetail(row, detail);
	const { unreadable } = chargePointsOf(station);
	if (unreadable === undefined) return await Promise.resolve(station);
	const message = `The charge points of ${nameOf(station) ?? `station ${String(station.Id)}`} cannot be read: ${unreadable}`;
	throw new PlatformError('invalid-answer', message, { description: "Tell the platform's support." });
}

/**
 * The stations whose turn it is, in order; where the next poll goes on; and the known stations that the list does not
 * show any more. Where the whole list came at once, because its Ids are texts, the next polls of the round go on with it.
 */
async function nextStations(poll: Poll<ChargePointSettings>, draft: Draft) {
	const own = ofChargePoints(poll);
	const behind = draft.round.after;
	const listed = behind === undefined ? undefined : own.listed;
	const found = listed ? undefined : await readList(poll, behind);
	const rows = listed ?? found?.rows ?? [];
	const all = rowsByKey(poll, STATIONS, rows, draft);
	const due = [...all.keys()].filter((key) => isBehind(key, behind));
	const next = due.sort(inOrder).slice(0, poll.settings.mostStations);
	const isMore = due.length > next.length;
	const isWhole = found === undefined || found.reached === WHOLE_LIST.upTo;
	own.listed = isMore && isWhole ? (listed ?? rows.map(({ Id, Name }) => ({ Id, Name }))) : undefined;
	return {
		rows: new Map(next.map((key): [StationKey, Row] => [key, all.get(key) ?? {}])),
		absent: found ? draft.stations().filter((key) => covers(found.coverage, key) && !all.has(key)) : [],
		goesOnBehind: isMore ? next.at(-1) : found && (await endOf(poll, found)),
	};
}

/** As many pages as a poll looks at stations, or all if there is no order to go on from. */
async function readList(poll: Poll<ChargePointSettings>, behind: StationKey | undefined): Promise<Scan> {
	const { filter, mostStations } = poll.settings;
	const after = (behind === undefined ? undefined : numberIn(behind)) ?? WHOLE_LIST.after;
	const selection = { list: STATIONS, filter };
	return await scan(poll, selection, after, { ...poll.pace('list'), parallel: 1, enough: mostStations });
}

/** Where the list goes on: behind the last station read, if the platform counts more or sends one more. */
async function endOf(poll: Poll<ChargePointSettings>, { reached, countsMore }: Scan): Promise<StationKey | undefined> {
	if (reached === WHOLE_LIST.upTo || countsMore) return rowKey(reached);
	const narrowing = and(condition('Id', 'Gt', String(reached)));
	const beyond: Selection = { list: STATIONS, filter: poll.settings.filter, narrowing, goesOn: true };
	const more = await poll.attempt(readMatching(poll, beyond, { ...poll.pace('list'), parallel: 1 }, { limit: 1 }));
	return more && more.rows.length === 0 ? undefined : rowKey(reached);
}

/** Numbers first, as the platform sorts them; then texts. */
function inOrder(a: StationKey, b: StationKey): number {
	const [first, second] = [numberIn(a), numberIn(b)];
	if (first !== undefined && second !== undefined) return first - second;
	if (first === undefined && second === undefined) return a < b ? -1 : Number(a > b);
	return first !== undefined ? -1 : 1;
}

function isBehind(key: StationKey, after: StationKey | undefined): boolean {
	return after === undefined || inOrder(key, after) > 0;
}

/**
 * A detail that is refused for good is left to the next round, as one station must not hold up the others. If no detail
 * can be read in a whole round, that is said once an hour; when the trigger begins, after its first poll.
 */
function checkRefusals(poll: Poll, { points, round }: Draft, refusals: readonly PlatformError[], isEnd: boolean): void {
	const refusal = refusals.find((each) => !isPassing(each));
	if (!refusal) return;
	if (points.size === 0) throw refusal;
	const { began } = poll;
	const refused = (ofChargePoints(poll).detailsRefused ??= {});
	if (!isEnd || round.stations > 0 || !alertIsDue(refused, began)) return;
	refused.alertedAt = began;
	poll.alerts.push(refusal);
}

/** @throws PlatformError if charge points have no field with their status */
export function checkStatusField(poll: Poll<ChargePointSettings>, stations: ReadonlyMap<StationKey, Row>): void {
	const entries = [...stations.values()].flatMap((detail) => chargePointsOf(detail).entries);
	checkField(poll, entries, { field: poll.settings.statusField, label: 'Status Field', plural: 'charge points' });
}

export function statusesIn(
	detail: Row,
	{ statusField, rule }: Pick<ChargePointSettings, 'statusField' | 'rule'>,
): Map<PointKey, Status> {
	const statusOf = (entry: Row) => readStatus(valueNamed(entry, statusField), rule.noneIsValue);
	return new Map([...pointsIn(detail)].map(([point, entry]) => [point, statusOf(entry)]));
}

export function pointsIn(detail: Row): Map<PointKey, Row> {
	const { entries } = chargePointsOf(detail);
	const keys = pointKeys(chargePointIds(entries));
	return new Map(entries.map((entry, index): [PointKey, Row] => [keys[index] ?? '', entry]));
}
