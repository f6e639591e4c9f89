import type { Refuse } from '../shared/dsquery/validationIssues';
import { findKnownField, refuseInvalidStatuses, type StatusValue } from '../shared/dsquery/listSchema';
import { and, condition } from '../shared/dsquery/compose';
import type { FilterGroup } from '../shared/dsquery/types';
import { HOUR_MS, MINUTE_MS } from '../shared/dsquery/values/durations';
import { multiDropdownParameter } from '../shared/parameters/dropdownParameters';
import { withDefault, restartsWatch, type Parameter } from '../shared/parameters/parameter';
import { flag, someOf, textParameter, integer } from '../shared/parameters/simple';
import type { Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import { isBlank, quote } from '../shared/text';
import {
	createEventMaker,
	type EventRecord,
	stateThresholds,
	isChosenChange,
	MOST_MINUTES,
	sentencesOf,
} from '../shared/trigger/events/records';
import { statusCodesParameter, readCode } from '../shared/trigger/parameters';
import { includesStatus, isNoneAValue, readStatus } from '../shared/trigger/status';
import { type AlertRuleOf, type ObservedValue, UNKNOWN } from '../shared/trigger/watch/alertRule';
import { type StatusDimension, DIMENSIONS, splitStatusKey, statusDropdown, valuesDropdown } from './statuses';

/** What an event of this trigger watches for. */
export interface StationRule {
	rule: AlertRuleOf<'state' | 'often' | 'values'>;
	/** The values of a station, and what is added to its key for each. @param matches whether the filter selects it */
	valuesOf(row: Row, matches: boolean): Array<readonly [suffix: string, value: ObservedValue]>;
	/** Which status events are about; null if the key says it, or none. */
	dimension: StatusDimension | null;
	/** What `from` and `to` call being in the state and being out of it. */
	called?: { inside: string; outside: string };
	/** What uptime calls these incidents; undefined if they are none. */
	cause?: string;
	/** Whether reported incidents stay open when settings change, so that their end is reported, too. */
	keepsIncidents?: true;
	/** Which of the stations that match the filter can be in the state; undefined if all can. */
	narrowing?: FilterGroup;
	/** Whether the filter is the state: then a station that no longer matches it is still of interest. */
	isFilter?: true;
}

const LONGEST_CAUSE = 100;
/** The beginnings of so many are remembered in at most 100 bytes. */
const MOST_OUTAGES = 8;
const NOTHING_TO_REPORT = 'choose at least one change to report.';

/** What the notice about Poll Times adds. */
interface PollingAdvice {
	advice: string;
}

const event = createEventMaker<{ minutesInState: number }, StationRule, PollingAdvice>();

/** The codes of a status whose names are known. */
export const codesOf = (dimension: StatusDimension) => findKnownField(STATIONS, dimension)?.codes ?? [];

/** An old or new status that changes are limited to. */
interface StatusLimit {
	/** The status that this limits: that of `NetworkStatus=2`. Undefined for a code alone, which limits all. */
	dimension: StatusDimension | undefined;
	code: string;
}

function statusLimits(name: string, method: string, label: string, hint: string) {
	return multiDropdownParameter({ label, hint, dropdown: valuesDropdown(method, name) }, readLimits);
}

function readLimits(texts: readonly string[], refuse: Refuse): StatusLimit[] {
	return texts.map((each) => {
		const equals = each.indexOf('=');
		const [name, code] = equals < 0 ? [undefined, each] : [each.slice(0, equals), each.slice(equals + 1)];
		const dimension = DIMENSIONS.find((one) => one === name);
		if (name !== undefined && !dimension) refuse(`${quote(each)} begins with none of ${DIMENSIONS.join(', ')}.`);
		if (isBlank(code)) refuse(`${quote(each)} has no status after the equals sign: add its code, such as Status=2.`);
		else if (code !== 'none') {
			refuseInvalidStatuses([code], refuse, (dimension ? [dimension] : DIMENSIONS).flatMap(codesOf));
		}
		return { dimension, code };
	});
}

/** The codes that changes of each status are limited to: none where any code counts. */
function codesByDimension(limits: readonly StatusLimit[]): Map<StatusDimension, Set<StatusValue>> {
	const codesFor = (dimension: StatusDimension) =>
		limits
			.filter((limit) => limit.dimension === undefined || limit.dimension === dimension)
			.map(({ code }) => readCode(code, codesOf(dimension)));
	return new Map(DIMENSIONS.map((dimension) => [dimension, new Set(codesFor(dimension))]));
}

function readCause(value: unknown, refuse: Refuse): string | undefined {
	if (isBlank(value)) return undefined;
	const cause = typeof value === 'string' ? value.trim() : '';
	if (cause.toLowerCase() === 'chargepoint') {
		refuse('chargePoint is for outages of charge points. Choose another word, such as faulted.');
	} else if (cause === '' || cause.length > LONGEST_CAUSE || cause.includes(',')) {
		refuse(`a word such as faulted is needed, but this is ${quote(value)}.`);
	}
	return cause;
}

/** With another cause, what is open begins again: begin and end of an incident have the same. */
const cause: Parameter<string | undefined, undefined> = {
	...textParameter(
		{
			label: 'Cause',
			description:
				'For uptime: what it is called when a station matches, such as faulted for Hardware Status is any of your fault codes. Events then count as incidents of this cause, which Availability can count as down.',
			placeholder: 'e.g. faulted',
		},
		readCause,
	),
	meaning: (value) => value,
};

const backAfterMinutes = withDefault(
	integer({
		label: 'Report Back After (Minutes)',
		description:
			'How long a station must be back (or must no longer match) before that is reported. Shorter returns are taken for part of the same outage.',
		default: 0,
		min: 0,
		max: MOST_MINUTES,
	}),
);

const onlineValues = restartsWatch(
	withDefault(
		statusCodesParameter({
			label: 'Online Status Names or IDs',
			hint: 'Codes of Network Status that count as online. With any other code a station is offline.',
			dropdown: statusDropdown('getOnlineValues', 'NetworkStatus', 'options.onlineValues'),
			known: codesOf('NetworkStatus'),
			default: ['1'],
			whyNone: 'choose at least one code that means online.',
		}),
	),
);

const reportWatching = flag({
	label: 'Report Watched Time Hourly',
	description:
		'Whether to also output one item an hour (event: watching) with the time in which all stations were watched, and which were offline (or matched: then fill in Cause). Uptime is computed from these and the outages. They come mixed with the alerts: filter on event. For uptime, leave Alert Only After at 0: it hides shorter outages.',
	default: true,
});

const DIMENSION_WORDS: Readonly<Record<StatusDimension, string>> = {
	NetworkStatus: 'network status after',
	Status: 'status after',
	HardwareStatus: 'hardware status after',
};

/** The events of this trigger, by the stored value of Trigger On. */
export const STATION_EVENTS = {
	availability: event({
		label: 'Station Goes Offline or Comes Back',
		description: 'When a station loses its connection, and when it is back',
		subtitle: { parameter: 'availabilityChanges', words: { offline: 'offline after', back: 'back' } },
		advice: '',
		parameters: {
			availabilityChanges: someOf({
				label: 'Report',
				description: 'With both, coming back is reported only for stations whose going offline was reported',
				choices: [
					{ name: 'Going Offline', value: 'offline' },
					{
						name: 'Coming Back',
						value: 'back',
						description:
							'Says how long the station was offline. Sent only if the outage lasted as long as Alert Only After.',
					},
				],
				default: ['offline', 'back'],
				whyNone: NOTHING_TO_REPORT,
			}),
		},
		options: { onlineValues, backAfterMinutes, reportWatching },
		sentences: {
			offline: ({ name, began, lasted }) => `${name} has been offline since ${began}${lasted}.`,
			backOnline: ({ name, ended, isRemoved }) =>
				`${name} ${isRemoved ? 'no longer exists' : 'is back online'}. It was offline ${ended}.`,
		},
		rule: ({ availabilityChanges = [], ...values }) => ({
			rule: {
				kind: 'state',
				...reported(availabilityChanges, { opens: ['offline', 'offline'], closes: ['back', 'backOnline'] }),
				...stateThresholds((value) => value === 'offline', values),
			},
			...ofOutages(values),
			cause: 'offline',
			keepsIncidents: true,
		}),
	}),
	unstable: event({
		label: 'Station Keeps Going Offline',
		description: 'When a station loses its connection several times within some hours',
		subtitle: 'unstable',
		advice: 'An outage that begins and ends between two polls cannot be seen, and does not count.',
		parameters: {
			outages: integer({
				label: 'Outages',
				description:
					'Reported when so many outages have begun within the hours below. Then not again before as many hours have passed in which none began.',
				default: 3,
				min: 2,
				max: MOST_OUTAGES,
			}),
			withinHours: integer({ label: 'Within Hours', default: 24, min: 1, max: 168 }),
		},
		options: { onlineValues, backAfterMinutes },
		sentences: {
			unstable: ({ name, times, began }) => `${name} keeps going offline: ${times}, now since ${began}.`,
		},
		rule: ({ outages: count = 0, withinHours: hours = 0, ...values }) => ({
			rule: {
				kind: 'often',
				opens: 'unstable',
				count,
				withinMs: hours * HOUR_MS,
				...stateThresholds((value) => value === 'offline', values),
			},
			...ofOutages(values),
		}),
	}),
	filterMatch: event({
		label: 'Station Starts or Stops Matching a Filter',
		description: 'When a station starts or stops matching your conditions',
		subtitle: { parameter: 'matchChanges', words: { starts: 'match after', stops: 'end of match' } },
		advice: 'If hundreds of stations match at the same time, poll less often.',
		parameters: {
			matchChanges: someOf({
				label: 'Report',
				description: 'With both, a stop is reported only for stations whose start was reported',
				choices: [
					{ name: 'Starts Matching', value: 'starts' },
					{ name: 'Stops Matching', value: 'stops' },
				],
				default: ['starts', 'stops'],
				whyNone: NOTHING_TO_REPORT,
			}),
		},
		options: { backAfterMinutes, reportWatching, cause },
		sentences: {
			startedMatching: ({ name, began, lasted }) => `${name} has matched the filter since ${began}${lasted}.`,
			stoppedMatching: ({ name, ended, isRemoved }) =>
				isRemoved
					? `${name} no longer exists. It matched the filter ${ended}.`
					: `${name} no longer matches the filter. It did ${ended}.`,
		},
		rule: ({ matchChanges = [], cause, ...values }) => ({
			rule: {
				kind: 'state',
				...reported(matchChanges, { opens: ['starts', 'startedMatching'], closes: ['stops', 'stoppedMatching'] }),
				...stateThresholds((value) => value === 'matching', values),
			},
			called: { inside: 'matching', outside: 'notMatching' },
			dimension: null,
			valuesOf: (_, matches) => [['', matches ? 'matching' : 'notMatching']],
			isFilter: true,
			cause,
		}),
	}),
	statusChange: event({
		label: 'Station Status Changes',
		description: 'When the network, administrative or hardware status of a station takes another value',
		subtitle: { parameter: 'dimensions', words: DIMENSION_WORDS },
		advice:
			'Each poll reads all stations that match, 100 in a request: 1,000 stations cost 11 requests. For faults in a large fleet, Station Starts or Stops Matching a Filter costs less.',
		parameters: {
			dimensions: restartsWatch(
				someOf<StatusDimension>({
					label: 'Statuses to Watch',
					choices: [
						{
							name: 'Network Status',
							value: 'NetworkStatus',
							description: 'Whether the station is connected and heard from right now',
						},
						{
							name: 'Administrative Status',
							value: 'Status',
							description: 'The state of the station on the platform, such as taken out of service on purpose',
						},
						{
							name: 'Hardware Status',
							value: 'HardwareStatus',
							description: 'The condition the device reports about itself, where its vendor provides one',
						},
					],
					default: ['NetworkStatus'],
					order: DIMENSIONS,
					whyNone: 'choose at least one status.',
				}),
			),
			fromValues: statusLimits(
				'fromValues',
				'getFromValues',
				'Old Status Names or IDs',
				'Report only changes that start from one of these values. A status without a choice here may start from any value.',
			),
			toValues: statusLimits(
				'toValues',
				'getToValues',
				'New Status Names or IDs',
				'Report only changes that lead to one of these values. A status without a choice here may lead to any value.',
			),
		},
		options: {},
		sentences: {
			statusChanged: ({ name, field, from, to = 'not set', began }) =>
				from === undefined
					? `${field} of ${name} is ${to}.`
					: `${field} of ${name} changed from ${from} to ${to} at ${began}.`,
		},
		rule({ dimensions = [], fromValues = [], toValues = [], minutesInState }) {
			const old = codesByDimension(fromValues);
			const changed = codesByDimension(toValues);
			return {
				rule: {
					kind: 'values',
					changes: 'statusChanged',
					isReported(key, from, to) {
						const dimension = splitStatusKey(key)[1] as StatusDimension;
						return isChosenChange(old.get(dimension), changed.get(dimension), from, to);
					},
					afterMs: minutesInState * MINUTE_MS,
				},
				dimension: null,
				valuesOf: (row) =>
					dimensions.map((dimension) => {
						const isNone = isNoneAValue(dimension, old.get(dimension), changed.get(dimension));
						return [`#${dimension}`, readStatus(row[dimension], isNone, codesOf(dimension))];
					}),
			};
		},
	}),
};

export type StationChoice = keyof typeof STATION_EVENTS;

/** Reported besides, with the option Stations Added or Removed. Nothing of it is so before the first poll. */
const FLEET_EVENTS: Pick<EventRecord, 'sentences'> = {
	sentences: {
		added: ({ name }) => `${name} is new.`,
		removed: ({ name }) => `${name} no longer exists.`,
	},
};

export const SENTENCES = sentencesOf({ ...STATION_EVENTS, fleet: FLEET_EVENTS });

/** What is read of stations for their outages. */
function ofOutages({ onlineValues: online = new Set<StatusValue>() }: { onlineValues?: ReadonlySet<StatusValue> }) {
	return {
		called: { inside: 'offline', outside: 'online' },
		dimension: 'NetworkStatus',
		valuesOf: ({ NetworkStatus: shown }) => [['', isOnline(shown, online) ? 'online' : 'offline']],
		narrowing: and(...[...online].map((code) => condition('NetworkStatus', 'Neq', String(code)))),
	} satisfies Partial<StationRule>;
}

/** The names of the events that are chosen. Left out: not reported. */
function reported<Choice extends string>(
	chosen: readonly Choice[],
	{ opens: [begin, opens], closes: [end, closes] }: { opens: [Choice, string]; closes: [Choice, string] },
) {
	return { ...(chosen.includes(begin) && { opens }), ...(chosen.includes(end) && { closes }) };
}

/** A station whose network status cannot be read is not online. */
function isOnline(shown: unknown, online: ReadonlySet<StatusValue>): boolean {
	const status = readStatus(shown, false, codesOf('NetworkStatus'));
	return status !== UNKNOWN && includesStatus(online, status);
}
