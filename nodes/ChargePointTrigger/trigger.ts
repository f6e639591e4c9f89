import partition from 'lodash/partition';
import type { IPollFunctions } from 'n8n-workflow';

import type { StatusValue } from '../shared/dsquery/listSchema';
import { mergeDetail } from '../shared/list/chargePoints';
import { chargePointFieldOptions } from '../shared/list/dropdowns/chargePoints';
import { filtersParameter } from '../shared/list/filters';
import { fixedListParameter } from '../shared/list/list';
import { fieldNameParameter } from '../shared/parameters/dropdownParameters';
import { options } from '../shared/parameters/options';
import { withDefault, restartsWatch } from '../shared/parameters/parameter';
import { readPollParameters } from '../shared/parameters/reading';
import { flag, oneOf, integer } from '../shared/parameters/simple';
import type { Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import { formatCount } from '../shared/text';
import type { NoSamplesReason, TriggerDefinition } from '../shared/trigger/definition';
import { createStationEvent, type EventJson, stationInWords } from '../shared/trigger/events/items';
import { parametersOfEvents, MOST_MINUTES } from '../shared/trigger/events/records';
import { rowId, rowKey, type RowKey } from '../shared/trigger/keys';
import { eventChoices, eventOutput, pollingNotice, pollOptions, triggerSettingsOf } from '../shared/trigger/parameters';
import type { Poll } from '../shared/trigger/poll';
import { readDetails } from '../shared/trigger/reading/details';
import { firstRows, tooManyRowsError } from '../shared/trigger/reading/lists';
import { createSampleChange } from '../shared/trigger/samples';
import { toMinutes, rowName, formatValue } from '../shared/trigger/text';
import type { PollEvaluation, WatchDefinition } from '../shared/trigger/watch/evaluate';
import { type DetectedChange, type ObservedValue, UNKNOWN } from '../shared/trigger/watch/alertRule';
import { createWatchingEvent, sampleWatchedTime } from '../shared/trigger/watching';
import { CHARGE_POINT_CAUSE, CHARGE_POINT_EVENTS, type ChargePointChoice, SENTENCES } from './events';
import { isPositionKey, toNetworkKey, splitNetworkKey, pointId } from './points';
import {
	type ChargePointQuery,
	assertStatusField,
	type ChargePointReading,
	pointsIn,
	readRound,
	statusesIn,
} from './read';

const event = oneOf<ChargePointChoice>({
	label: 'Trigger On',
	isFixed: true,
	choices: eventChoices(CHARGE_POINT_EVENTS),
	default: 'outOfOrder',
});

const list = fixedListParameter(STATIONS);

const parameters = {
	list,
	pollingNotice: pollingNotice(
		'That holds for up to 100 stations, as many as a poll looks at: each costs a request. More take turns: with a poll every 5 minutes, 300 are looked at every 15 minutes, 1,200 once an hour. <b>Most Stations per Poll</b> and the filter change that.',
	),
	event,
	statusField: restartsWatch(
		fieldNameParameter({
			label: 'Status Field Name or ID',
			description: 'The field of a charge point that has its status, as seen on your stations',
			required: true,
			dropdown: { method: 'getStatusFields', load: chargePointFieldOptions('statusField') },
		}),
	),
	...parametersOfEvents('event', CHARGE_POINT_EVENTS, 'parameters'),
	minutesInState: integer({
		label: 'Alert Only After (Minutes)',
		description:
			'How long a charge point must be in the new state before it is reported. Shorter changes are not reported. Counted from the first look that sees it, so it takes at least two looks.',
		default: 0,
		min: 0,
		max: MOST_MINUTES,
	}),
	filters: restartsWatch(
		filtersParameter(
			list,
			'Only charge points of stations that match are watched. Without a condition, those of all stations.',
		),
	),
	...eventOutput(list, 'many charge points send one message'),
	options: options({
		...pollOptions,
		mostStations: withDefault(
			integer({
				label: 'Most Stations per Poll',
				description:
					'How many stations a poll looks at, one request for each. The next poll goes on with those after them. Fewer if the time of the poll or the rate limit of the key does not allow so many.',
				default: 100,
				min: 1,
				max: 10_000,
			}),
		),
		emitInitialState: flag({
			label: 'Report Initial State',
			description:
				'Whether to report charge points that are already out of order (or in a chosen status, or all statuses) when the workflow is first published. Otherwise, only changes from then on are reported.',
			default: true,
		}),
		...parametersOfEvents('event', CHARGE_POINT_EVENTS, 'options'),
	}),
};

/** What the parameters say, checked. */
interface ChargePointSettings extends ChargePointQuery {
	event: ChargePointChoice;
}

type ChargePointPoll = Poll<ChargePointSettings>;

/** What this trigger is: its parameters are above, what it reads is in `read.ts`, and the other parts follow in this order. */
export const chargePointTrigger: TriggerDefinition<ChargePointSettings, ChargePointReading> = {
	plural: 'charge points',
	row: 'station',
	parameters,
	readSettings,
	watches: watchesOf,
	read: readRound,
	items: itemsOf,
	unreadable,
	samples: sampleEvents,
	nothingToShow,
};

function readSettings(context: IPollFunctions): ChargePointSettings {
	const reading = readPollParameters(context, parameters);
	const { event, statusField, minutesInState, options } = reading.values;
	if (event === 'inStatus' && minutesInState === 0) {
		reading.refuse('minutesInState', 'enter after how many minutes it is too long, such as 240.');
	}
	reading.issues.check();
	return {
		...triggerSettingsOf(context, reading),
		...CHARGE_POINT_EVENTS[event].rule(reading.values),
		event,
		statusField,
		mostStations: options.mostStations,
	};
}

/** The most charge points whose status is remembered. */
const MOST_STATUSES = 20_000;

function watchesOf({ connection: { baseUrl, environment }, settings }: ChargePointPoll): { point: WatchDefinition } {
	const { event, rule, keepsIncidents, meaning } = settings;
	const most = { count: MOST_STATUSES, refusal: () => tooManyRowsError(MOST_STATUSES, 'charge points') };
	const place = [event, baseUrl, environment];
	return { point: { rule, place, meaning, keepsIncidents, ...(rule.kind === 'values' && { most }) } };
}

/** The items about what happened to charge points, and about the time that was watched. */
function itemsOf(
	poll: ChargePointPoll,
	{ changes, watched }: Pick<PollEvaluation, 'changes' | 'watched'>,
	{ stations, round }: Pick<ChargePointReading, 'stations' | 'round'>,
): EventJson[] {
	const items = changes.map((change) =>
		createChargePointEvent(poll, change, stations.get(splitNetworkKey(change.key)[0])),
	);
	const counts = round?.counts ?? { stations: 0, chargePoints: 0 };
	return watched ? [toWatchingJson(poll, watched, counts), ...items] : items;
}

/** @param detail the detail of its station, unless that is gone */
function createChargePointEvent(poll: ChargePointPoll, change: DetectedChange, detail: Row | undefined): EventJson {
	const { statusField, cause = null } = poll.settings;
	const [station, point = ''] = splitNetworkKey(change.key);
	const stationName = rowName(detail) ?? poll.memory.stationNames.get(station);
	const isPlace = isPositionKey(point);
	const name = `Charge point ${formatValue(pointId(point))} of ${stationInWords(stationName, station)}`;
	const json = createStationEvent(poll, SENTENCES, change, {
		station,
		stationName,
		cause,
		part: { chargePointId: pointId(point), knownBy: isPlace ? 'place' : 'id' },
		status: { statusField, from: change.from as StatusValue, to: change.to as StatusValue },
		words: { name },
		rows: { chargePoint: (detail && pointsIn(detail).get(point)) ?? null, station: detail ?? null },
	});
	return isPlace ? { ...json, text: `${json.text} ${placeNote(change, detail)}` } : json;
}

function placeNote({ isRemoved }: DetectedChange, detail: Row | undefined): string {
	const isReplaced = isRemoved && detail && pointsIn(detail).size > 0;
	return isReplaced
		? 'It has no ID and was known by its place: the station now lists another number of charge points.'
		: 'It has no ID and is known by its place in the list of the station.';
}

function toWatchingJson(
	poll: ChargePointPoll,
	watched: NonNullable<PollEvaluation['watched']>,
	counts: { stations: number; chargePoints: number },
): EventJson {
	const { from, to, polls } = watched;
	return createWatchingEvent(poll, watched, {
		watched: `${counts.chargePoints} charge points of ${counts.stations} stations were watched`,
		every: polls > 0 ? `, each about every ${toMinutes((to - from) / polls)} minutes` : '',
		state: 'Out of order',
		cause: CHARGE_POINT_CAUSE,
		counts,
		idsOf(key) {
			const [station, point] = splitNetworkKey(key);
			return { stationId: rowId(station), ...(point !== undefined && { chargePointId: pointId(point) }) };
		},
	});
}

function unreadable(keys: readonly string[]) {
	const points = keys.filter((key) => splitNetworkKey(key)[1] !== undefined).length;
	const stations = keys.length - points;
	const parts = [stations > 0 && formatCount(stations, 'station'), points > 0 && formatCount(points, 'charge point')];
	const [station, point] = splitNetworkKey(keys[0] ?? '');
	const first = `station ${String(rowId(station))}`;
	return {
		counted: parts.filter(Boolean).join(' and '),
		first: point === undefined ? first : `charge point ${pointId(point)} of ${first}`,
	};
}

/** Stations that a manual test looks at: each costs a request. */
const STATIONS_SAMPLED = 10;
/** Charge points out of order, and all charge points, that it shows at most. */
const ACTIVE_SAMPLES = 2;
const SAMPLES = 3;

/** Items made from real charge points in their current state, as the trigger would send them. */
async function sampleEvents(poll: ChargePointPoll): Promise<EventJson[]> {
	const { settings, now } = poll;
	const { rule } = settings;
	const stations = await readSome(poll);
	assertStatusField(poll, stations);
	const points = [...stations].flatMap(([station, detail]) =>
		[...statusesIn(detail, settings)].map(([point, value]) => [toNetworkKey(station, point), value] as const),
	);
	const [unreadable, readable] = partition(points, ([, value]) => value === UNKNOWN);
	const isIn = (value: ObservedValue) => rule.kind === 'state' && typeof value !== 'symbol' && rule.isIn(value);
	const [active, others] = partition(readable, ([, value]) => isIn(value));
	const shown = [...active.slice(0, ACTIVE_SAMPLES), ...others].slice(0, SAMPLES);
	const changes = shown.map(([key, value]) => createSampleChange(rule, key, value, now));
	const counts = { stations: stations.size, chargePoints: points.length };
	const isWatched = settings.reportsWatching && changes.length > 0;
	const watched = sampleWatchedTime(
		changes,
		unreadable.map(([key]) => key),
		now,
	);
	const round = { began: now, isSure: true, isEnd: true, polls: 1, counts };
	return itemsOf(poll, { changes, watched: isWatched ? watched : undefined }, { stations, round });
}

async function readSome(poll: ChargePointPoll): Promise<Map<RowKey, Row>> {
	const { filter } = poll.settings;
	const rows = await firstRows(poll, STATIONS, { filter, direction: 'Asc', take: STATIONS_SAMPLED });
	const byKey = new Map(rows.map((row) => [rowKey(row.Id), row]));
	const keys = [...byKey.keys()].filter((key) => key !== undefined);
	const { found, rateLimit } = await readDetails(poll, keys, poll.limitsFor('last'));
	if (rateLimit) throw rateLimit;
	const details = [...found];
	const [first] = details;
	if (first && !first[1].ok && details.every(([, { ok }]) => !ok)) throw first[1].error;
	return new Map(
		details.flatMap(([key, answer]) => (answer.ok ? [[key, mergeDetail(byKey.get(key) ?? {}, answer.value)]] : [])),
	);
}

function nothingToShow(): NoSamplesReason {
	return {
		list: STATIONS,
		none: (which) => `The first ${STATIONS_SAMPLED} charging stations${which} have no charge points`,
		description:
			'Check the filter, and that the API key belongs to the organization whose stations you expect. Get Charge Points of the node Charging Stations shows which stations have charge points.',
	};
}
