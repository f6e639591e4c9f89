import uniq from 'lodash/uniq';

import { codeOf } from '../shared/dsquery/catalogue';
import { quote } from '../shared/dsquery/faults';
import { chargePointIds, chargePointsOf, valueText, withDetail } from '../shared/node/chargePoints';
import { fieldNameIn } from '../shared/node/rowFields';
import { PlatformError, settle } from '../shared/platform';
import type { Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import { covers, rowId, rowKey } from '../shared/trigger/keys';
import { alertIsDue } from '../shared/trigger/outage';
import { isPassing } from '../shared/trigger/poll';
import type { Poll } from '../shared/trigger/poll';
import { failureKind, readDetails } from '../shared/trigger/reading/details';
import { scan } from '../shared/trigger/reading/lists';
import { nameOf } from '../shared/trigger/text';
import type { StatusValue } from '../shared/trigger/types';
import { WHOLE_LIST } from '../shared/trigger/types';
import type { ChargePointSettings } from './settings';
import type { Draft } from './state/draft';
import { pointKeys } from './state/points';
import type { Sighting } from './state/step';
import type { PointKey, StationKey } from './state/types';

/** Shares of the poll's time after which no page of the list and no look at a station begins; the rest is for saving. */
const SCAN_SHARE = 0.3;
const LOOK_SHARE = 0.7;

/** What a poll has read from the platform. */
export interface Findings {
	sighting: Sighting;
	/** The detail of each station that was looked at. */
	stations: ReadonlyMap<StationKey, Row>;
}

/** Looks at the next stations of the turn: reads them from the list, and then the detail of each. */
export async function readTurn(poll: Poll<ChargePointSettings>, draft: Draft): Promise<Findings> {
	const { settings } = poll;
	const { rows, absent, goesOnBehind, isCertain } = await poll.require(nextStations(poll, draft));
	const keys = [...rows.keys()];
	const { found, rateLimit } = await readDetails(poll, keys, poll.pace(LOOK_SHARE));
	if (rateLimit) poll.leave(rateLimit);
	const firstLeft = keys.findIndex((key) => !found.has(key));
	const stations = new Map<StationKey, Row>();
	const refusals: PlatformError[] = [];
	for (const [key, answer] of found) {
		const looked = answer.ok ? await settle(detailOf(rows.get(key) ?? {}, answer.value)) : answer;
		if (looked.ok) stations.set(key, looked.value);
		else if (failureKind(looked.error) === 'not-found') absent.push(key);
		else refusals.push(looked.error as PlatformError);
	}
	// At the next turn, they are asked for again.
	for (const refusal of refusals) poll.leave(refusal);
	const entries = [...stations.values()].flatMap((detail) => chargePointsOf(detail).entries);
	if (draft.points.size === 0) checkField(poll, entries);
	const isCutShort = firstLeft >= 0;
	const isEnd = !isCutShort && goesOnBehind === undefined;
	if (stations.size > 0) poll.memory.detailsRefused = undefined;
	else checkRefusals(poll, draft, refusals, isEnd);
	return {
		stations,
		sighting: {
			looks: new Map([...stations].map(([key, detail]) => [key, statusesIn(detail, settings.statusField)])),
			absent: absent.filter((key) => draft.points.has(key)),
			isWhole: refusals.length === 0 && isCertain,
			isEnd,
			next: isCutShort ? (keys[firstLeft - 1] ?? draft.turn.after) : goesOnBehind,
		},
	};
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
 * show any more.
 */
async function nextStations(poll: Poll<ChargePointSettings>, draft: Draft) {
	const { filter, mostStations } = poll.settings;
	const behind = draft.turn.after;
	const position = behind === undefined ? WHOLE_LIST.after : rowId(behind);
	// One more shows whether the turn goes on.
	const enough = mostStations + 1;
	const pace = { ...poll.scanPace(SCAN_SHARE), enough };
	const source = { list: STATIONS, filter, isFirstReading: draft.points.size === 0 };
	const after = typeof position === 'number' ? position : WHOLE_LIST.after;
	const found = await scan(poll, source, after, { ...pace, pageSize: Math.min(pace.pageSize, enough) });
	const all = new Map(found.rows.map((row) => [rowKey(row.Id), row]));
	const absent = [...draft.points.keys()].filter((key) => covers(found.coverage, key) && !all.has(key));
	const due = [...all.keys()].filter((key) => key !== undefined).filter((key) => isBehind(key, behind));
	const next = due.sort(inOrder).slice(0, mostStations);
	return {
		rows: new Map(next.map((key): [StationKey, Row] => [key, all.get(key) ?? {}])),
		absent,
		goesOnBehind: due.length > next.length ? next.at(-1) : rowKey(found.reached),
		isCertain: found.coverage.upTo === found.reached,
	};
}

/** Numbers first, as the platform sorts them; then texts. */
function inOrder(a: StationKey, b: StationKey): number {
	const [first, second] = [rowId(a), rowId(b)];
	if (typeof first === 'number' && typeof second === 'number') return first - second;
	if (typeof first === typeof second) return first < second ? -1 : Number(first > second);
	return typeof first === 'number' ? -1 : 1;
}

function isBehind(key: StationKey, after: StationKey | undefined): boolean {
	return after === undefined || inOrder(key, after) > 0;
}

/**
 * A detail that is refused for good is left to the next turn, as one station must not hold up the others. If no detail
 * can be read in a whole turn, that is said once an hour; when the trigger begins, after its first poll.
 */
function checkRefusals(poll: Poll, { points, turn }: Draft, refusals: readonly PlatformError[], isEnd: boolean): void {
	const refusal = refusals.find((each) => !isPassing(each));
	if (!refusal) return;
	if (points.size === 0) throw refusal;
	const { memory, began } = poll;
	const refused = (memory.detailsRefused ??= {});
	if (!isEnd || turn.stations > 0 || !alertIsDue(refused, began)) return;
	refused.alertedAt = began;
	poll.alert = refusal;
}

/** @throws PlatformError if charge points have no such field: nothing would ever be reported */
export function checkField({ connection, settings }: Poll<ChargePointSettings>, entries: readonly Row[]): void {
	const field = settings.statusField;
	if (entries.length === 0 || entries.some((entry) => fieldNameIn(entry, field) !== undefined)) return;
	const names = connection.namesOf(uniq(entries.flatMap(Object.keys)));
	throw new PlatformError('configuration', `None of the ${entries.length} charge points has a field ${quote(field)}`, {
		description: `Choose another Status Field. They have: ${names}.`,
	});
}

/** The status of each charge point of a station. */
export function statusesIn(detail: Row, field: string): Map<PointKey, StatusValue> {
	const { entries } = chargePointsOf(detail);
	const keys = pointKeys(chargePointIds(entries));
	return new Map(
		entries.map((entry, index): [PointKey, StatusValue] => [keys[index] ?? '', codeOf(valueText(entry, field))]),
	);
}

/** The entry of each charge point in the detail of a station. */
export function pointsIn(detail: Row): Map<PointKey, Row> {
	const { entries } = chargePointsOf(detail);
	const keys = pointKeys(chargePointIds(entries));
	return new Map(entries.map((entry, index): [PointKey, Row] => [keys[index] ?? '', entry]));
}
