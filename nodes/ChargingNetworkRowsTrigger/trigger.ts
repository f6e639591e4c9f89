import type { IPollFunctions } from 'n8n-workflow';

import { chosenList } from '../shared/list/chosenList';
import { listDropdown } from '../shared/list/dropdowns/liveRows';
import { filterNotice, filtersParameter } from '../shared/list/filters';
import type { ListParameter } from '../shared/list/list';
import { optionalFieldNamesParameter } from '../shared/parameters/dropdownParameters';
import { options } from '../shared/parameters/options';
import { restartsWatch, notice, showParameterWhen } from '../shared/parameters/parameter';
import { readPollParameters } from '../shared/parameters/reading';
import { oneOf } from '../shared/parameters/simple';
import { PlatformError, type Row } from '../shared/platform';
import type { NoSamplesReason, TriggerDefinition } from '../shared/trigger/definition';
import { type EventJson, sampleId } from '../shared/trigger/events/items';
import { rowId, type RowKey } from '../shared/trigger/keys';
import { eventChoices, eventOutput, pollingNotice, pollOptions, triggerSettingsOf } from '../shared/trigger/parameters';
import type { Poll } from '../shared/trigger/poll';
import { firstRows } from '../shared/trigger/reading/lists';
import { sampleNewestRows, REMEMBERED_IDS } from '../shared/trigger/reading/newRows';
import { keyRows } from '../shared/trigger/reading/section';
import { rowName, formatValue } from '../shared/trigger/text';
import type { PollEvaluation, WatchDefinition } from '../shared/trigger/watch/evaluate';
import { ROW_EVENTS, type RowChoice, WATCHED } from './events';
import {
	MOST_VALUES,
	assertChosenFieldsExist,
	idSortedListOf,
	readNewRows,
	readWatchedRows,
	type RowSettings,
	type RowReading,
	type RowValues,
	parseSavedRowValues,
	watchedValuesOf,
} from './read';

const event = oneOf<RowChoice>({
	label: 'Trigger On',
	isFixed: true,
	choices: eventChoices(ROW_EVENTS),
	default: 'newRow',
});

/** Another list begins a new state, however it was chosen. */
const list: ListParameter = { ...chosenList, meaning: ({ path }: { path: string }) => path };

const filtered = restartsWatch(filtersParameter(list));
const dropdown = listDropdown(list, 'getWatchedFields');

const parameters = {
	event,
	pollingNotice: showParameterWhen(
		'event',
		['newRow'],
		pollingNotice(
			'New rows are found by their ID, so the IDs must be whole numbers that increase. If not, the trigger says so when the workflow is published.',
		),
	),
	watchNotice: showParameterWhen(
		'event',
		WATCHED,
		pollingNotice(
			'Each poll reads all rows that match, 100 in a request: 1,000 rows cost 11 requests. At most 20,000 values are remembered (rows times fields): for a longer list, add filters or choose fields.',
		),
	),
	list,
	watchedFields: showParameterWhen(
		'event',
		WATCHED,
		restartsWatch(
			optionalFieldNamesParameter({
				label: 'Watched Field Names or IDs',
				description: 'The fields that are compared and shown. Without a choice, all of them',
				dropdown,
			}),
		),
	),
	ignoredFields: showParameterWhen(
		'event',
		WATCHED,
		restartsWatch(
			optionalFieldNamesParameter({
				label: 'Ignored Field Names or IDs',
				description: 'Fields that change all the time and are left out, such as the time of the last contact',
				dropdown,
			}),
		),
	),
	filters: filtered,
	filterNotice: showParameterWhen(
		'event',
		['newRow'],
		filterNotice(
			'filtered',
			notice('Filters apply when a row is found: a row that does not match then is never reported.'),
		),
	),
	...eventOutput(list, 'many rows send one message'),
	options: options(pollOptions),
};

/** What this trigger is: its parameters are above, what it reads is in `read.ts`, and the other parts follow in this order. */
export const rowsTrigger: TriggerDefinition<RowSettings, RowReading> = {
	plural: 'rows of the list',
	row: 'row',
	parameters,
	readSettings,
	watches: watchesOf,
	read: async (poll, state) => await (poll.settings.event === 'newRow' ? readNewRows : readWatchedRows)(poll, state),
	items: itemsOf,
	samples: sampleEvents,
	nothingToShow,
};

function readSettings(context: IPollFunctions): RowSettings {
	const reading = readPollParameters(context, parameters);
	const { event, list, watchedFields: watched = [], ignoredFields: ignored = [] } = reading.values;
	const inLowerCase = (names: readonly string[]) => new Set(names.map((name) => name.toLowerCase()));
	const [chosen, leftOut] = [inLowerCase(watched), inLowerCase(ignored)];
	const isWatched = (name: string) => !leftOut.has(name) && (chosen.size === 0 || chosen.has(name));
	const left = [...chosen].filter(isWatched).join();
	if (chosen.size > 0 && left === '') {
		reading.refuse('ignoredFields', 'all watched fields are among them, so there is nothing to watch.');
	}
	if (event === 'changedRow' && left === 'id') {
		reading.refuse('watchedFields', 'only the Id is left of them, and it never changes. Choose a field that does.');
	}
	reading.issues.check();
	return {
		...triggerSettingsOf(context, reading),
		event,
		// Rows are known by their Ids, and read in the order of the Ids: a list without Ids is refused.
		list: { ...list, unknownShape: undefined },
		watched,
		ignored,
		isWatched,
	};
}

function watchesOf({ connection: { baseUrl, environment }, settings }: Poll<RowSettings>): { rows: WatchDefinition } {
	const { event, list, meaning } = settings;
	const watch = { place: [event, baseUrl, environment, list.path], rule: ROW_EVENTS[event].rule };
	// What is new is told by the Ids alone, whatever the filter says.
	if (event === 'newRow') {
		return { rows: { ...watch, meaning: null, newest: REMEMBERED_IDS, filtersEvents: true, isOnce: true } };
	}
	return { rows: { ...watch, meaning, most: { count: MOST_VALUES, refusal: () => tooMany(settings) } } };
}

function tooMany({ list: { plural } }: RowSettings): PlatformError {
	const most = MOST_VALUES.toLocaleString('en');
	return new PlatformError('configuration', `The ${plural} have more than ${most} values, too many to remember`, {
		description:
			'These are rows times fields. Choose a part of the rows with Filters, or fewer fields with Watched Fields.',
	});
}

interface RowEventContent {
	key: RowKey;
	eventId: string;
	/** Null for a row that is gone. */
	row: Row | null;
	/** The values of the fields that have changed; of a row that is gone, all that were watched. */
	change?: { before: RowValues; now: RowValues };
}

/** The items about new rows, rows that changed, and rows that are gone. */
function itemsOf(
	poll: Poll<RowSettings>,
	{ changes }: Pick<PollEvaluation, 'changes'>,
	{ rows, added }: Pick<RowReading, 'rows' | 'added'>,
): EventJson[] {
	const { event } = poll.settings;
	return changes.flatMap((change) => {
		const about = { key: change.key, eventId: change.id, row: rows.get(change.key) ?? null };
		if (event === 'newRow') return createRowEvent(poll, about);
		const before = parseSavedRowValues(change.from);
		const now = parseSavedRowValues(change.to);
		if (event === 'goneRow') return createRowEvent(poll, { ...about, change: { before, now } });
		const names = Object.keys(now).filter((name) => !added.has(name) && (before[name] ?? null) !== now[name]);
		const partOf = (values: RowValues) => Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
		return names.length > 0
			? createRowEvent(poll, { ...about, change: { before: partOf(before), now: partOf(now) } })
			: [];
	});
}

function createRowEvent(poll: Poll<RowSettings>, { key, eventId, row, change }: RowEventContent): EventJson {
	const { event, list } = poll.settings;
	const { before = {}, now = {} } = change ?? {};
	const said = (value: unknown) => formatValue(value ?? 'no value');
	const changes = Object.keys(now).map(
		(field) => `${formatValue(field)} from ${said(before[field])} to ${said(now[field])}`,
	);
	return {
		text: ROW_EVENTS[event].sentence(rowWords(list, key, rowName(row ?? (before as Row))), changes),
		event,
		list: list.path,
		rowId: rowId(key),
		...change,
		eventId,
		detectedAt: poll.iso(poll.now),
		environment: poll.connection.environment,
		row,
	};
}

/** "Row 7 of tariffs (AC standard)" */
function rowWords({ path }: RowSettings['list'], key: RowKey, name: string | undefined): string {
	const list = path.replace(/^\/api\/|\/v\d+$/g, '');
	return `Row ${formatValue(rowId(key))} of ${formatValue(list)}${name === undefined ? '' : ` (${formatValue(name)})`}`;
}

const SAMPLES = 3;
/** Rows among which watched and ignored fields are looked for: a platform may leave out what has no value. */
const CHECKED = 100;

/**
 * Items made from the newest rows. What they were before is not known: the values are those of now.
 *
 * @throws PlatformError if new rows cannot be found in this list
 */
async function sampleEvents(poll: Poll<RowSettings>): Promise<EventJson[]> {
	const { event, list, filter, watched, ignored } = poll.settings;
	if (event === 'newRow') await sampleNewestRows(poll, idSortedListOf(poll));
	const take = watched.length + ignored.length > 0 ? CHECKED : SAMPLES;
	const rows = await firstRows(poll, list, { filter, direction: 'Desc', take });
	assertChosenFieldsExist(poll, rows);
	return [...keyRows(rows.slice(0, SAMPLES))].map(([key, row]) => {
		const before = watchedValuesOf(poll.settings, row);
		const isGone = event === 'goneRow';
		return createRowEvent(poll, {
			key,
			eventId: sampleId(),
			row: isGone ? null : row,
			...(event !== 'newRow' && { change: { before, now: isGone ? {} : before } }),
		});
	});
}

function nothingToShow({ list }: RowSettings): NoSamplesReason {
	return {
		list,
		description:
			'Check the list and the filter, and that the API key belongs to the organization whose rows you expect. A test shows the newest rows; once the workflow is live, the trigger fires on what happens from then on.',
	};
}
