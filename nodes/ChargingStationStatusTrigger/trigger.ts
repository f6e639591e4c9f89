import upperFirst from 'lodash/upperFirst';
import type { IPollFunctions } from 'n8n-workflow';

import { findKnownField, statusName, type StatusValue } from '../shared/dsquery/listSchema';
import { and } from '../shared/dsquery/compose';
import type { FilterGroup } from '../shared/dsquery/types';
import { HOUR_MS } from '../shared/dsquery/values/durations';
import { filtersParameter } from '../shared/list/filters';
import { fixedListParameter } from '../shared/list/list';
import { options } from '../shared/parameters/options';
import { withDefault, restartsWatch, showParameterWhen } from '../shared/parameters/parameter';
import { readPollParameters } from '../shared/parameters/reading';
import { flag, oneOf, someOf, integer } from '../shared/parameters/simple';
import type { Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import { formatCount } from '../shared/text';
import type { NoSamplesReason, TriggerDefinition } from '../shared/trigger/definition';
import { type EventJson, createStationEvent, stationInWords } from '../shared/trigger/events/items';
import { parametersOfEvents, MOST_MINUTES } from '../shared/trigger/events/records';
import { rowId, type RowKey } from '../shared/trigger/keys';
import {
	statusCodesParameter,
	eventChoices,
	eventOutput,
	pollingNotice,
	pollOptions,
	triggerSettingsOf,
} from '../shared/trigger/parameters';
import type { Poll } from '../shared/trigger/poll';
import { mergeDetail } from '../shared/list/chargePoints';
import { type Details, MOST_DETAILS, readDetails } from '../shared/trigger/reading/details';
import { firstRows, tooManyRowsError } from '../shared/trigger/reading/lists';
import { keyRows } from '../shared/trigger/reading/section';
import { createSampleChange } from '../shared/trigger/samples';
import { rowName } from '../shared/trigger/text';
import type { PollEvaluation, WatchDefinition } from '../shared/trigger/watch/evaluate';
import { type DetectedChange, type AlertRuleOf, UNKNOWN } from '../shared/trigger/watch/alertRule';
import { createWatchingEvent, sampleWatchedTime } from '../shared/trigger/watching';
import { codesOf, SENTENCES, STATION_EVENTS, type StationChoice } from './events';
import {
	MOST_STATIONS,
	MOST_STATUSES,
	readStations,
	type StationQuery,
	type StationReading,
	tooManyStationStatusesError,
} from './read';
import { splitStatusKey, statusDropdown } from './statuses';

const list = fixedListParameter(STATIONS);

const event = oneOf<StationChoice>({
	label: 'Trigger On',
	isFixed: true,
	choices: eventChoices(STATION_EVENTS),
	default: 'availability',
});

const pollingNoticeOf = (choice: StationChoice) =>
	showParameterWhen('event', [choice], pollingNotice(STATION_EVENTS[choice].advice));

const stationChanges = someOf<'added' | 'removed'>({
	label: 'Stations Added or Removed',
	description: 'Also report stations that are new or no longer exist. Each poll then reads the whole list of stations.',
	choices: [
		{ name: 'Added', value: 'added' },
		{ name: 'Removed', value: 'removed', description: 'Each removal is confirmed by asking for the station itself' },
	],
	default: [],
});

const parameters = {
	list,
	pollingNotice: pollingNoticeOf('availability'),
	matchNotice: pollingNoticeOf('filterMatch'),
	changeNotice: pollingNoticeOf('statusChange'),
	unstableNotice: pollingNoticeOf('unstable'),
	event,
	...parametersOfEvents('event', STATION_EVENTS, 'parameters'),
	minutesInState: integer({
		label: 'Alert Only After (Minutes)',
		description:
			'How long a station must be in the new state before it is reported. Shorter changes are not reported. Counted from the first poll that sees it.',
		default: 0,
		min: 0,
		max: MOST_MINUTES,
	}),
	filters: restartsWatch(
		filtersParameter(list, 'Only stations that match are watched. Without a condition, all of them.'),
	),
	...eventOutput(list, 'an outage of the whole network sends one message'),
	options: options({
		...pollOptions,
		emitInitialState: flag({
			label: 'Report Initial State',
			description:
				'Whether to report stations that are already offline (or already match, or all statuses) when the workflow is first published. Otherwise, only changes from then on are reported.',
			default: true,
		}),
		fetchDetail: flag({
			label: 'Fetch Full Detail',
			description:
				'Whether to add the full detail of the station (EVSEs, firmware, connectivity) to each event. Costs one request for each station with events.',
			default: true,
		}),
		outOfServiceValues: restartsWatch(
			withDefault(
				statusCodesParameter({
					label: 'Out-of-Service Names or IDs',
					hint: 'Administrative Status of stations out of service on purpose: not reported, and their incidents end silently.',
					dropdown: statusDropdown('getOutOfServiceValues', 'Status', 'options.outOfServiceValues'),
					known: codesOf('Status'),
				}),
			),
		),
		stationChanges: withDefault(stationChanges),
		...parametersOfEvents('event', STATION_EVENTS, 'options'),
	}),
};

/** What the parameters say, checked. */
interface StationSettings extends StationQuery {
	event: StationChoice;
	/** What says which stations can be added or removed: the filter, unless that is the state. */
	fleetMeaning: unknown;
	fetchDetail: boolean;
}

type StationPoll = Poll<StationSettings>;

/** What this trigger is: its parameters are above, what it reads is in `read.ts`, and the other parts follow in this order. */
export const stationTrigger: TriggerDefinition<StationSettings, StationReading> = {
	plural: 'charging stations',
	row: 'station',
	parameters,
	readSettings,
	watches: watchesOf,
	read: readStations,
	items: itemsOf,
	unreadable: (stations) => ({
		counted: formatCount(stations.length, 'station'),
		first: `station ${String(rowId(stations[0] ?? ''))}`,
	}),
	samples: sampleEvents,
	nothingToShow,
};

function readSettings(context: IPollFunctions): StationSettings {
	const reading = readPollParameters(context, parameters);
	const { event, filters, options } = reading.values;
	const { cause, stationChanges: changes, reportWatching = false } = options;
	if (event === 'filterMatch' && filters.filter === undefined) {
		const why = 'add at least one condition: without one every station matches, and nothing ever starts to.';
		reading.refuse('filters', why);
	}
	if (reportWatching && event === 'filterMatch' && cause === undefined) {
		reading.refuse('cause', 'fill in what was watched for, such as faulted. Report Watched Time Hourly needs it.');
	}
	for (const name of ['fromValues', 'toValues'] as const) {
		const { [name]: limits = [], dimensions = [] } = reading.values;
		const unwatched = limits.find(({ dimension }) => dimension && !dimensions.includes(dimension));
		if (!unwatched) continue;
		const { dimension, code } = unwatched;
		reading.refuse(name, `${dimension}=${code} never happens: Statuses to Watch leaves ${dimension} out.`);
	}
	reading.issues.check();

	const watched = STATION_EVENTS[event].rule({ ...reading.values, ...options });
	const fleet = {
		...(changes.includes('added') && { appears: 'added' as const }),
		...(changes.includes('removed') && { vanishes: 'removed' as const }),
	};
	return {
		...triggerSettingsOf(context, reading),
		...watched,
		event,
		...(changes.length > 0 && { fleet }),
		fleetMeaning: watched.isFilter ? null : reading.meaning(context.getNode().parameters, ['filters']),
		outOfService: options.outOfServiceValues,
		fetchDetail: options.fetchDetail,
	};
}

function watchesOf({ connection: { baseUrl, environment }, settings }: StationPoll): Record<string, WatchDefinition> {
	const { event, rule, fleet, fleetMeaning, keepsIncidents, meaning } = settings;
	const platform = [baseUrl, environment];
	const statuses = { count: MOST_STATUSES, refusal: tooManyStationStatusesError };
	const stations = { count: MOST_STATIONS, refusal: () => tooManyRowsError(MOST_STATIONS, STATIONS.plural) };
	return {
		station: {
			rule,
			place: [event, ...platform],
			meaning,
			keepsIncidents,
			...(rule.kind === 'values' && { most: statuses }),
		},
		...(fleet && {
			fleet: { rule: { kind: 'presence', ...fleet }, place: platform, meaning: fleetMeaning, most: stations },
		}),
	};
}

/** The items about what happened to stations, and about the time that was watched. */
async function itemsOf(
	poll: StationPoll,
	{ changes, watched }: Pick<PollEvaluation, 'changes' | 'watched'>,
	{ rows }: Pick<StationReading, 'rows'>,
): Promise<EventJson[]> {
	const { settings } = poll;
	const there = new Set(changes.filter((change) => !isGone(change)).map(({ key }) => splitStatusKey(key)[0]));
	const asked = [...there].slice(0, MOST_DETAILS);
	const details = settings.fetchDetail ? await readDetails(poll, asked, poll.limitsFor('last')) : undefined;
	const items = changes.map((change) =>
		createStationStatusEvent(poll, change, rows.get(splitStatusKey(change.key)[0]), details),
	);
	return watched ? [await toWatchingJson(poll, watched), ...items] : items;
}

/** Nothing more can be read about its station. */
function isGone({ name, isRemoved }: DetectedChange): boolean {
	return name === 'removed' || isRemoved;
}

/** @param row what the list says of the station, unless it is gone */
function createStationStatusEvent(
	poll: StationPoll,
	change: DetectedChange,
	row: Row | undefined,
	details: Details | undefined,
): EventJson {
	const { cause = null } = poll.settings;
	const [station] = splitStatusKey(change.key);
	const detail = details?.found.get(station);
	const shown = isGone(change) ? null : ((detail?.ok ? mergeDetail(row ?? {}, detail.value) : row) ?? null);
	const stationName = rowName(shown) ?? poll.memory.stationNames.get(station);
	return createStationEvent(poll, SENTENCES, change, {
		station,
		stationName,
		cause: change.incidentId === null ? null : cause,
		...aboutStatus(poll.settings, change, stationInWords(stationName, station)),
		rows: { ...(shown && details && missingIn(details, station)), station: shown },
	});
}

/** @param name what the station is called in the sentence */
function aboutStatus(settings: StationSettings, change: DetectedChange, name: string) {
	const status = statusOf(settings, change);
	const field = findKnownField(STATIONS, status.dimension ?? '');
	const { rule } = settings;
	const often = rule.kind === 'often' && change.name === rule.opens ? oftenOf(rule, change) : undefined;
	const times = often && `${often.outages} outages within ${formatCount(often.withinHours, 'hour')}`;
	return {
		status: { ...status, StatusName: status.dimension && statusName(field?.codes, status.to), ...often },
		words: { name, times, field: field?.label ?? status.dimension ?? undefined },
		nameOfValue: (value: StatusValue) => statusName(field?.codes, value),
	};
}

/** How many outages began in how many hours; in a sample, how many are reported. */
function oftenOf({ count, withinMs }: AlertRuleOf<'often'>, { times = count }: DetectedChange) {
	return { outages: times, withinHours: withinMs / HOUR_MS };
}

/** Which status it is about, and what the item calls its values before and now. */
function statusOf({ rule, called, dimension }: StationSettings, { name, key, from, to }: DetectedChange) {
	if (name === 'added' || name === 'removed') return { dimension: null, from: null, to: null };
	if (!called || rule.kind === 'values') {
		return { dimension: splitStatusKey(key)[1], from: from as StatusValue, to: to as StatusValue };
	}
	const isBegin = name === rule.opens;
	const { inside, outside } = called;
	return { dimension, from: isBegin ? outside : inside, to: isBegin ? inside : outside };
}

/** Why the detail of a station is missing, if it is. */
function missingIn({ found, rateLimit }: Details, station: RowKey): { detailMissing?: string } {
	const detail = found.get(station);
	if (detail?.ok) return {};
	const error = detail?.error ?? rateLimit;
	if (error instanceof Error) return { detailMissing: error.message };
	return { detailMissing: `At most ${MOST_DETAILS} details are read in a poll, as time allows` };
}

/** The item about a time that was watched. How many stations match is not known where the filter is what is watched for. */
async function toWatchingJson(poll: StationPoll, watched: NonNullable<PollEvaluation['watched']>): Promise<EventJson> {
	const { filter, isFilter, cause = '' } = poll.settings;
	const counted = isFilter ? undefined : await poll.attempt(poll.connection.list(STATIONS).count(filter));
	const count = counted?.count;
	const many = count === undefined ? 'The stations were' : formatCount(count, 'station was', 'stations were');
	return createWatchingEvent(poll, watched, {
		watched: `${many} watched`,
		state: upperFirst(cause),
		cause,
		counts: { stations: count ?? null },
		idsOf: (station) => ({ stationId: rowId(station) }),
	});
}

const SAMPLES = 3;

/** Items made from real stations in their current state, as the trigger would send them. */
async function sampleEvents(poll: StationPoll): Promise<EventJson[]> {
	const { settings, now } = poll;
	const rows = new Map(keyRows(await findSamples(poll)));
	const values = [...rows].flatMap(([station, row]) =>
		settings.valuesOf(row, true).map(([suffix, value]) => [`${station}${suffix}`, value] as const),
	);
	const changes = values.slice(0, SAMPLES).map(([key, value]) => createSampleChange(settings.rule, key, value, now));
	const unreadable = values.filter(([, value]) => value === UNKNOWN).map(([key]) => key);
	const watched = settings.reportsWatching ? sampleWatchedTime(changes, unreadable, now) : undefined;
	return await itemsOf(poll, { changes, watched }, { rows });
}

/** Stations that would raise an event now, or any others if there are none. */
async function findSamples(poll: StationPoll): Promise<Row[]> {
	const { filter, rule, narrowing } = poll.settings;
	const active = rule.kind !== 'values' && rule.opens !== undefined ? and(filter, narrowing) : filter;
	const read = async (which: FilterGroup | undefined) =>
		await firstRows(poll, STATIONS, { filter: which, direction: 'Asc', take: SAMPLES });
	const rows = await read(active);
	return rows.length > 0 || active === filter ? rows : await read(filter);
}

function nothingToShow({ isFilter }: StationSettings): NoSamplesReason {
	return {
		list: STATIONS,
		description: isFilter
			? 'No station matches at the moment. Once the workflow is live, the trigger fires as soon as one does. To see sample data now, widen the filter for the test.'
			: 'Check the filter, and that the API key belongs to the organization whose stations you expect. A test shows stations as they are now; once the workflow is live, the trigger fires on changes only.',
	};
}
