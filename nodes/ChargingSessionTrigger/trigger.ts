import uniq from 'lodash/uniq';
import type { IPollFunctions } from 'n8n-workflow';

import { resolveStatusCode, statusName } from '../shared/dsquery/listSchema';
import { and, condition } from '../shared/dsquery/compose';
import type { FilterGroup } from '../shared/dsquery/types';
import { DAY_MS, SECOND_MS } from '../shared/dsquery/values/durations';
import { readTime } from '../shared/dsquery/values/readTime';
import { filterNotice, filtersParameter } from '../shared/list/filters';
import { options } from '../shared/parameters/options';
import { withDefault, restartsWatch, notice, showParameterWhen } from '../shared/parameters/parameter';
import { readPollParameters } from '../shared/parameters/reading';
import { flag, someOf, integer } from '../shared/parameters/simple';
import type { Row } from '../shared/platform';
import { SESSION_CODES, SESSIONS } from '../shared/resources';
import { formatDuration } from '../shared/text';
import type { EventMatch, NoSamplesReason, TriggerDefinition } from '../shared/trigger/definition';
import { type EventJson, sampleId } from '../shared/trigger/events/items';
import { parametersOfEvents } from '../shared/trigger/events/records';
import { rowId } from '../shared/trigger/keys';
import {
	statusCodesParameter,
	eventChoices,
	eventOutput,
	pollingNotice,
	pollOptions,
	triggerSettingsOf,
} from '../shared/trigger/parameters';
import type { Poll } from '../shared/trigger/poll';
import { firstRows } from '../shared/trigger/reading/lists';
import { lookUpWaitingRows } from '../shared/trigger/reading/lookUp';
import { REMEMBERED_IDS } from '../shared/trigger/reading/newRows';
import { keyRows } from '../shared/trigger/reading/section';
import { formatTime, formatValue } from '../shared/trigger/text';
import type { PollEvaluation, WatchDefinition } from '../shared/trigger/watch/evaluate';
import type { DetectedChange, AlertRule } from '../shared/trigger/watch/alertRule';
import {
	endEventName,
	EVENT_NAMES,
	rulesOfKind,
	KNOWN_CODES,
	list,
	ongoingRules,
	SESSION_EVENTS,
	type SessionEventName,
	statusDropdownAt,
} from './events';
import { longSessionFilter, notOverConditions, readSessions, type SessionSettings, type SessionReading } from './read';

const events = someOf<SessionEventName>({
	label: 'Trigger On',
	isFixed: true,
	choices: eventChoices(SESSION_EVENTS),
	default: ['started'],
	order: EVENT_NAMES,
	whyNone: 'choose at least one event.',
});

const { expiredNotice, ...brought } = parametersOfEvents('events', SESSION_EVENTS, 'parameters');

/** Events for which it matters what is so when the workflow is first published. */
const findsAtFirst = EVENT_NAMES.filter((name) => ['new', 'long'].includes(SESSION_EVENTS[name].rule({}).kind));

const filtered = restartsWatch(filtersParameter(list));

const parameters = {
	list,
	pollingNotice: pollingNotice(),
	events,
	...brought,
	expiredNotice,
	filters: filtered,
	filterNotice: filterNotice(
		'filtered',
		notice(
			'A session is reported if it matches when the event happens. Before and after do not count. Only a session that is running long is also reported if it matches later.',
		),
	),
	...eventOutput(list, 'many sessions send one message'),
	options: options({
		...pollOptions,
		otherEndStatuses: withDefault(
			statusCodesParameter({
				label: 'Other End Status Names or IDs',
				hint: 'These also end a session: it is no longer watched, and not reported. Finished and failed always count.',
				dropdown: statusDropdownAt('getOtherEndStatuses', 'options.otherEndStatuses'),
				known: KNOWN_CODES,
			}),
		),
		emitInitialState: showParameterWhen(
			'/events',
			findsAtFirst,
			flag({
				label: 'Report Initial State',
				description:
					'Whether to report sessions that are already running (or running long) when the workflow is first published. Otherwise, only what happens from then on is reported.',
				default: true,
			}),
		),
		watchDays: withDefault(
			integer({
				label: 'Max Watch Time (Days)',
				description:
					'How many days after its start to stop watching a session that has not ended; a new one with an older start, after it was first seen. For Session Is Running Long, the days count from when it has run that long. This limits requests for sessions whose end is never reported or whose end status is not chosen.',
				default: 7,
				min: 1,
				max: 366,
			}),
		),
	}),
};

type SessionTriggerPoll = Poll<SessionSettings>;

/** What this trigger is: its parameters are above, what it reads is in `read.ts`, and the other parts follow in this order. */
export const sessionTrigger: TriggerDefinition<SessionSettings, SessionReading> = {
	plural: 'charging sessions',
	row: 'session',
	parameters,
	readSettings,
	watches: watchesOf,
	read: readSessions,
	match: matchSessions,
	items: itemsOf,
	samples: sampleEvents,
	nothingToShow,
};

function readSettings(context: IPollFunctions): SessionSettings {
	const reading = readPollParameters(context, parameters);
	reading.issues.check();
	const { events, endStatuses = [], options } = reading.values;
	return {
		...triggerSettingsOf(context, reading),
		rules: new Map(events.map((name) => [name, SESSION_EVENTS[name].rule(reading.values)])),
		overCodes: new Set([...Object.values(SESSION_CODES), ...endStatuses, ...options.otherEndStatuses]),
		watchMs: options.watchDays * DAY_MS,
	};
}

/**
 * What the chosen events need: `fresh` tells new sessions from old ones; `open` follows those that are not over to their end;
 * long sessions, and what open ones come into (such as `stalls`), have watches of their own.
 */
function watchesOf({ connection, settings }: SessionTriggerPoll): Record<string, WatchDefinition> {
	const { overCodes, watchMs, meaning } = settings;
	const place = [connection.baseUrl, connection.environment];
	const openOnes = [[...overCodes].map(String).sort(), watchMs];
	const [news] = rulesOfKind(settings, 'new');
	const ongoing = ongoingRules(settings);
	const follows = ongoing.length > 0 || rulesOfKind(settings, 'end').length > 0;
	const filtered = { place, keepsIncidents: true, filtersEvents: true } as const;

	const isReported = (value: unknown) => news !== undefined && value === true;
	const fresh: WatchDefinition = {
		...filtered,
		rule: { kind: 'presence', appears: news?.[0], isReported, isReportedAtFirst: true },
		meaning: news !== undefined,
		newest: REMEMBERED_IDS,
		isOnce: true,
	};
	const isOver = (code: unknown) => overCodes.has(code as never);
	const open: WatchDefinition = {
		...filtered,
		rule: { kind: 'end', isOver, ends: (code) => endEventName(settings, code) },
		meaning: openOnes,
		isOnce: true,
	};
	const long = rulesOfKind(settings, 'long').map(([name, { afterMs }]): [string, WatchDefinition] => {
		const rule: AlertRule = { kind: 'presence', appears: name, isReportedAtFirst: true };
		return [name, { rule, place, meaning: [...openOnes, afterMs, meaning] }];
	});
	return {
		...((follows || news) && { fresh }),
		...(follows && { open }),
		...Object.fromEntries(ongoing.map(({ watch, rule }) => [watch, { ...filtered, rule, meaning }])),
		...Object.fromEntries(long),
	};
}

/** Looks up which sessions with an event match the filter now. Long sessions were read with it. */
async function matchSessions(
	poll: SessionTriggerPoll,
	changes: readonly DetectedChange[],
	{ rows }: Pick<SessionReading, 'rows'>,
): Promise<EventMatch | undefined> {
	const { filter, rules } = poll.settings;
	if (!filter) return undefined;
	const isLong = ({ name }: DetectedChange) => rules.get(name)?.kind === 'long';
	const keys = uniq(changes.filter((change) => !isLong(change)).map(({ key }) => key));
	const found = await lookUpWaitingRows(poll, { list: SESSIONS, filter }, keys, poll.limitsFor('last'));
	for (const [key, row] of found.rows) rows.set(key, row);
	return {
		matches: (change) => isLong(change) || found.rows.has(change.key),
		unmatched: new Set(keys.filter((key) => !found.asked.has(key))),
	};
}

/** The items about what happened. */
function itemsOf(
	poll: SessionTriggerPoll,
	{ changes }: Pick<PollEvaluation, 'changes'>,
	{ rows }: Pick<SessionReading, 'rows'>,
): EventJson[] {
	return changes.map((change) => {
		const row = rows.get(change.key) ?? null;
		return createSessionEvent(poll, change, row, sessionSeconds(poll, change.name, row, change.since));
	});
}

/**
 * How long the session has been running, in seconds; for a stall, how long it stood still. Null for other events.
 *
 * @param since when a poll first saw it
 */
function sessionSeconds({ settings, now }: SessionTriggerPoll, name: string, row: Row | null, since: number) {
	const kind = settings.rules.get(name)?.kind;
	const from = kind === 'long' ? (readTime(row?.StartedAtUtc) ?? now) : kind === 'ongoing' ? since : undefined;
	return from === undefined ? null : Math.max(0, Math.round((now - from) / SECOND_MS));
}

/** "Session 42 (started 04:46) has failed.", and what is known of it. */
function createSessionEvent(
	poll: Poll,
	{ name, key, id }: Pick<DetectedChange, 'name' | 'key' | 'id'>,
	session: Row | null,
	durationSeconds: number | null,
): EventJson {
	const status = session ? resolveStatusCode(KNOWN_CODES, session.Status) : null;
	const label = statusName(KNOWN_CODES, status);
	const startedAt = readTime(session?.StartedAtUtc);
	const started = startedAt === undefined ? '' : ` (started ${formatTime(startedAt, poll.now, poll.zone)})`;
	return {
		text: SESSION_EVENTS[name as SessionEventName].sentence({
			name: `Session ${formatValue(rowId(key))}${started}`,
			status: formatValue(label ?? 'not set'),
			lasted: durationSeconds === null ? '' : ` for ${formatDuration(durationSeconds * SECOND_MS)}`,
		}),
		event: name,
		sessionId: rowId(key),
		StatusName: label,
		status,
		statusLabel: label,
		startedAt: startedAt === undefined ? null : poll.iso(startedAt),
		durationSeconds,
		eventId: id,
		detectedAt: poll.iso(poll.now),
		environment: poll.connection.environment,
		session,
	};
}

const SAMPLES = 3;

/** Items made from real sessions, the newest for each chosen event. */
async function sampleEvents(poll: SessionTriggerPoll): Promise<EventJson[]> {
	const { rules } = poll.settings;
	const each = Math.max(1, Math.floor(SAMPLES / rules.size));
	const samples: EventJson[] = [];
	for (const name of rules.keys()) samples.push(...(await samplesOf(poll, name, each)));
	return samples;
}

async function samplesOf(poll: SessionTriggerPoll, name: string, count: number): Promise<EventJson[]> {
	const { settings, now } = poll;
	for (const filter of filtersFor(name, settings, now)) {
		const asked = { filter: and(settings.filter, filter), direction: 'Desc' as const, take: count };
		const rows = await firstRows(poll, SESSIONS, asked);
		const samples = [...keyRows(rows)].map(([key, row]) => {
			const isLong = settings.rules.get(name)?.kind === 'long';
			const durationSeconds = isLong ? sessionSeconds(poll, name, row, now) : null;
			return createSessionEvent(poll, { name, key, id: sampleId() }, row, durationSeconds);
		});
		if (samples.length > 0) return samples;
	}
	return [];
}

/** Filters to try for each event, one after the other: without a session in a state, any that could come into it. */
function filtersFor(name: string, settings: SessionSettings, now: number): Array<FilterGroup | undefined> {
	const rule = settings.rules.get(name);
	const isRunning = and(...notOverConditions(settings.overCodes));
	if (rule?.kind === 'long') return [longSessionFilter(rule, settings, now), isRunning];
	if (rule?.kind === 'ongoing') return [isRunning];
	if (rule?.kind !== 'end') return [undefined];
	const reported = [...rule.codes].filter((code) => endEventName(settings, code) === name);
	return reported.length > 0 ? [and(condition('Status', 'In', reported.join(',')))] : [];
}

function nothingToShow({ rules }: SessionSettings): NoSamplesReason {
	const state = [...rules.values()].some(({ kind }) => kind === 'new') ? '' : ' in such a state';
	return {
		list: SESSIONS,
		none: (which) => `There are no charging sessions${state}${which}`,
		description:
			'Check the filter and the chosen statuses, and that the API key belongs to the organization whose sessions you expect. A test shows sessions as they are now; once the workflow is live, the trigger fires on what happens from then on.',
	};
}
