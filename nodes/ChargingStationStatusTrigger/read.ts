import uniq from 'lodash/uniq';

import type { StatusValue } from '../shared/dsquery/listSchema';
import { PlatformError, type Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import type { RowKey } from '../shared/trigger/keys';
import type { TriggerSettings } from '../shared/trigger/parameters';
import type { Poll } from '../shared/trigger/poll';
import { failureKind, MOST_DETAILS, readDetails } from '../shared/trigger/reading/details';
import { findListedStation, lookUp, lookUpMissingRows } from '../shared/trigger/reading/lookUp';
import { keyRows, type ListSection, readListSection } from '../shared/trigger/reading/section';
import { includesStatus, readStatus } from '../shared/trigger/status';
import { rowName } from '../shared/trigger/text';
import type { ReadingProgress, TriggerState } from '../shared/trigger/watch/savedState';
import type { PollReading } from '../shared/trigger/watch/evaluate';
import {
	type Absence,
	type AlertRule,
	type Observation,
	OUT_OF_SERVICE,
	type ObservedValue,
	UNKNOWN,
} from '../shared/trigger/watch/alertRule';
import { keysToLookUp, NOTHING_KNOWN, type RuleState, type TrackedEntry } from '../shared/trigger/watch/ruleState';
import type { StationRule } from './events';
import { splitStatusKey } from './statuses';

/** What is read: the filter, the rule of the chosen event, and of which stations. */
export interface StationQuery extends TriggerSettings, StationRule {
	/** Set if added or removed stations are reported. */
	fleet?: { appears?: 'added'; vanishes?: 'removed' };
	/** With these codes of Administrative Status, a station is out of service on purpose. */
	outOfService: ReadonlySet<StatusValue>;
}

type StationQueryPoll = Poll<StationQuery>;

/** The most statuses that are remembered, and the most stations that are read. */
export const MOST_STATUSES = 20_000;
export const MOST_STATIONS = 200_000;

export function tooManyStationStatusesError(): PlatformError {
	const message = `There are more than ${MOST_STATUSES.toLocaleString('en')} statuses of charging stations, too many to remember`;
	return new PlatformError('configuration', message, {
		description: 'Choose a part of the stations with Filters, or fewer Statuses to Watch.',
	});
}

export interface StationReading extends PollReading {
	rows: ReadonlyMap<RowKey, Row>;
}

/** What a poll has seen so far. */
class StationSnapshot {
	readonly rows = new Map<RowKey, Row>();
	readonly seen = new Map<string, ObservedValue>();
	readonly fleet = new Map<string, ObservedValue>();
	readonly readability = new Map<string, boolean>();
	/** Whether a look-up found what the list shows. */
	isProven = false;
	readonly absent = { station: new Map<string, Absence>(), fleet: new Map<string, Absence>() };

	constructor(private readonly poll: StationQueryPoll) {}

	/** Takes in rows. @param matches whether the filter selects them */
	take(rows: Iterable<Row>, matches: boolean): void {
		const { settings } = this.poll;
		for (const [station, row] of keyRows(rows)) {
			this.rows.set(station, row);
			this.fleet.set(station, null);
			const service = serviceOf(settings, row);
			const values = settings.valuesOf(row, matches).map(([suffix, value]) => [suffix, service ?? value] as const);
			for (const [suffix, value] of values) this.seen.set(`${station}${suffix}`, value);
			this.readability.set(
				station,
				values.every(([, value]) => value !== UNKNOWN),
			);
			const name = rowName(row);
			if (name !== undefined) this.poll.memory.stationNames.set(station, name);
		}
	}

	/** Takes in a row outside of the filter. @param isFollowed whether the end of its outage is of interest */
	takeOutside(station: RowKey, row: Row, isFollowed: boolean): void {
		if (isFollowed) this.take([row], true);
		else this.absent.station.set(station, 'outOfScope');
		this.fleet.delete(station);
		this.absent.fleet.set(station, 'outOfScope');
	}
}

/**
 * OUT_OF_SERVICE if the station is taken out of service on purpose, UNKNOWN if that cannot be read. Undefined for all
 * others.
 */
function serviceOf({ outOfService }: StationQuery, row: Row): ObservedValue | undefined {
	if (outOfService.size === 0) return undefined;
	const status = readStatus(row.Status, false);
	if (status === UNKNOWN) return UNKNOWN;
	return includesStatus(outOfService, status) ? OUT_OF_SERVICE : undefined;
}

export async function readStations(poll: StationQueryPoll, state: TriggerState): Promise<StationReading> {
	const { filter, narrowing, fleet, isFilter } = poll.settings;
	const { readings } = state;
	// Whether stations were added or removed is seen in all that match; where the filter is the state, in all.
	const selection = { list: STATIONS, filter, ...(!fleet && { narrowing }) };
	const most = poll.settings.rule.kind === 'values' ? MOST_STATUSES : MOST_STATIONS;
	const snapshot = new StationSnapshot(poll);
	// A reading that was not finished may need all requests that the limit lets through: then no end would ever be seen.
	if (readings.stations) await lookUpTold(poll, stateOf(state, 'station'), snapshot);
	const main = await poll.readRequired(readListSection(poll, readings.stations, selection, most));
	snapshot.take(main.rows, true);
	const whole =
		fleet && isFilter
			? await poll.attempt(readListSection(poll, readings.fleet, { list: STATIONS }), 'list of all charging stations')
			: main;
	if (whole && whole !== main) for (const [station] of keyRows(whole.rows)) snapshot.fleet.set(station, null);
	await findMissing(poll, state, snapshot, { station: main, fleet: whole });

	const { rows, seen, readability, absent } = snapshot;
	const round = { ...main.round, isSure: main.round.isSure && !poll.isCutShort };
	const isRead = whole !== undefined && whole !== main;
	const readingOf = (section: ListSection, own: ReadonlyMap<string, ObservedValue>, missed: Observation['absent']) => ({
		seen: own,
		covers: (key: string) => section.covers(splitStatusKey(key)[0]),
		isWhole: section.isEnd,
		absent: missed,
		isProven: snapshot.isProven,
		isBlank: poll.hasBlankAnswer,
	});
	const stillSought = new Set(
		keysToLookUp(stateOf(state, 'station'), poll.settings.rule, { seen, covers: main.covers }),
	);
	return {
		rows,
		watchReadings: {
			station: readingOf(main, seen, absent.station),
			fleet: whole && readingOf(whole, snapshot.fleet, absent.fleet),
		},
		readings: {
			...(!main.isEnd && { stations: round }),
			...restOf(isRead ? whole : undefined, readings.fleet),
		},
		readability,
		isLeftOut: (station) => main.covers(station) && !stillSought.has(station),
		round: { ...round, isEnd: main.isEnd },
	};
}

/** Where the reading of all stations goes on. */
function restOf(section: ListSection | undefined, before: ReadingProgress | undefined): TriggerState['readings'] {
	const rest = section ? (section.isEnd ? undefined : section.round) : before;
	return rest ? { fleet: rest } : {};
}

function stateOf({ watches }: TriggerState, name: string): RuleState {
	return watches[name] ?? NOTHING_KNOWN;
}

/** Looks up stations whose outage was reported, in turn, with at most half of the requests that the last poll could send. */
async function lookUpTold(poll: StationQueryPoll, { entries }: RuleState, snapshot: StationSnapshot): Promise<void> {
	const { memory, settings } = poll;
	const { filter, isFilter } = settings;
	const pace = poll.limitsFor('newRows');
	const told = Object.keys(entries).filter((key) => entries[key]?.incident?.[1]);
	const next = told.indexOf(memory.turn ?? '') + 1;
	const inTurn = [...told.slice(next), ...told.slice(0, next)];
	// Of what does not match any more, it is asked once more whether it is there.
	const requests = Math.max(1, Math.floor((memory.requests ?? 0) / (isFilter ? 4 : 2)));
	const keys = inTurn.slice(0, requests * pace.pageSize);
	// Pages may be cut, so that one part takes several requests.
	const asking = { pace: { ...pace, requests } };
	const selection = { list: STATIONS, filter: isFilter && filter };
	const { matching, outsideFilter, notFound } = await lookUpMissingRows(lookUp, poll, selection, keys, asking);
	snapshot.take(matching.values(), true);
	snapshot.take(outsideFilter.values(), false);
	const asked = new Set([...matching.keys(), ...outsideFilter.keys(), ...notFound]);
	memory.turn = keys.findLast((key) => asked.has(key)) ?? memory.turn;
}

/** Looks up the stations that the list should show and does not. */
async function findMissing(
	poll: StationQueryPoll,
	state: TriggerState,
	snapshot: StationSnapshot,
	sections: { station: ListSection; fleet?: ListSection },
): Promise<void> {
	const { filter, rule, fleet, isFilter } = poll.settings;
	const [station, all] = [stateOf(state, 'station'), stateOf(state, 'fleet')];
	const lost = keysToLookUp(station, rule, { seen: snapshot.seen, covers: sections.station.covers });
	const lostFleet =
		fleet && sections.fleet
			? keysToLookUp(all, { kind: 'presence' }, { seen: snapshot.fleet, covers: sections.fleet.covers })
			: [];
	const keys = uniq([...lost, ...lostFleet]);
	const isMissing = (key: RowKey) => (all.entries[key]?.missing ?? station.entries[key]?.missing) !== undefined;
	const rows = [...sections.station.rows, ...(sections.fleet?.rows ?? [])];
	const shown = await findListedStation(poll, { rows, mayAsk: keys.some(isMissing) });
	const pace = poll.limitsFor('lookUp');
	const found = await lookUpMissingRows(lookUp, poll, { list: STATIONS, filter }, keys, { pace, shown });
	const { matching, outsideFilter, notFound } = found;
	snapshot.isProven = found.isProven;
	snapshot.take(matching.values(), true);
	for (const [key, row] of outsideFilter) {
		if (isFilter) snapshot.take([row], false);
		else snapshot.takeOutside(key, row, isFollowed(rule, station.entries[key]));
	}
	const gone = await withoutDetail(poll, notFound.filter(isMissing));
	for (const key of notFound) {
		for (const part of Object.values(snapshot.absent)) part.set(key, gone.has(key) ? 'gone' : 'missing');
	}
}

/** Whether the end of an outage is of interest outside of the filter, too: it is to be reported, or was counted. */
function isFollowed({ kind }: AlertRule, { value, incident }: Partial<TrackedEntry> = {}): boolean {
	return kind === 'often' ? value === true : incident?.[1] === true;
}

/**
 * Those stations, of the ones that a second poll does not find either, for which the platform says that there is no
 * detail.
 */
async function withoutDetail(poll: StationQueryPoll, stations: readonly RowKey[]): Promise<Set<RowKey>> {
	const { found, rateLimit } = await readDetails(poll, stations.slice(0, MOST_DETAILS), poll.limitsFor('lookUp'));
	if (rateLimit) poll.leaveToNextPoll(rateLimit);
	const answers = [...found].filter(([, answer]) => !answer.ok && failureKind(answer.error) === 'not-found');
	return new Set(answers.map(([key]) => key));
}
