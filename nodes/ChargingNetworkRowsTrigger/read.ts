import intersection from 'lodash/intersection';
import isNil from 'lodash/isNil';
import mapValues from 'lodash/mapValues';

import { conditionsIn } from '../shared/dsquery/compose';
import type { FilterNode } from '../shared/dsquery/types';
import { PlatformError, type Row } from '../shared/platform';
import type { ListResource } from '../shared/resources';
import { settle } from '../shared/settle';
import { canonicalizeValue } from '../shared/trigger/hash';
import type { RowKey } from '../shared/trigger/keys';
import type { TriggerSettings } from '../shared/trigger/parameters';
import type { Poll } from '../shared/trigger/poll';
import { assertFieldExists } from '../shared/trigger/reading/fields';
import { readMatchingRows } from '../shared/trigger/reading/lists';
import { lookUpMissingRows, lookUpWaitingRows } from '../shared/trigger/reading/lookUp';
import { type IdSortedList, readNewestRows } from '../shared/trigger/reading/newRows';
import { firstRowKey, keyRows, type ListSection, readListSection } from '../shared/trigger/reading/section';
import { truncateStatus } from '../shared/trigger/status';
import type { ReadingProgress, TriggerState } from '../shared/trigger/watch/savedState';
import type { PollReading } from '../shared/trigger/watch/evaluate';
import type { Absence, ObservedValue, WatchedValue } from '../shared/trigger/watch/alertRule';
import { keysToLookUp, NOTHING_KNOWN } from '../shared/trigger/watch/ruleState';
import type { RowChoice } from './events';

/** What the parameters say, checked. Reading depends on all of it. */
export interface RowSettings extends TriggerSettings {
	event: RowChoice;
	list: ListResource;
	/** The fields that are chosen: all if there are none. */
	watched: readonly string[];
	/** The fields that are left out. */
	ignored: readonly string[];
	/** Whether a field is watched, by its name in lower case. */
	isWatched(name: string): boolean;
}

type RowPoll = Poll<RowSettings>;

/** The most values that are remembered: rows times fields. */
export const MOST_VALUES = 20_000;

export interface RowReading extends PollReading {
	rows: ReadonlyMap<RowKey, Row>;
	/** The fields that the platform has added to the list: see `addedFields`. */
	added: ReadonlySet<string>;
}

/** @throws PlatformError of kind configuration if the rows have no Ids to be known by */
async function readKnownById(poll: RowPoll, progress: ReadingProgress | undefined): Promise<ListSection> {
	const { list, filter } = poll.settings;
	const section = await settle(readListSection(poll, progress, { list, filter }, MOST_VALUES));
	if (!section.ok) throw isAboutOrder(section.error, filter) ? withoutIds(list) : section.error;
	const { rows } = section.value;
	if (rows.length > 0 && keyRows(rows).next().done) throw withoutIds(list);
	return section.value;
}

/** Whether the platform refuses the Id, and not in a condition. */
function isAboutOrder(error: unknown, filter: FilterNode | undefined): boolean {
	if (!(error instanceof PlatformError) || error.kind !== 'query-refused') return false;
	return error.property === 'Id' && conditionsIn(filter).every(({ field }) => field.toLowerCase() !== 'id');
}

function withoutIds({ plural }: ListResource): PlatformError {
	const message = `The ${plural} have no Id, so it cannot be told which of them changed or are gone`;
	return new PlatformError('configuration', message, {
		description:
			'This trigger knows rows by their Ids. For this list use a Schedule Trigger and Charging Network List, with a filter on a date of its rows.',
	});
}

/** The watched fields of a row, by their names. */
export type RowValues = Record<string, string | number | boolean | null>;

export function idSortedListOf({ settings: { list } }: RowPoll): IdSortedList {
	return {
		list,
		instead: 'For this list use a Schedule Trigger and Charging Network List, with a filter on a date of its rows.',
	};
}

/** Reads the rows with an Id above the known ones, and which of them match the filter. */
export async function readNewRows(poll: RowPoll, { watches }: TriggerState): Promise<RowReading> {
	const { list, filter } = poll.settings;
	const {
		rows: newest,
		newRows,
		border,
	} = await poll.readRequired(readNewestRows(poll, idSortedListOf(poll), watches.rows));
	const seen = new Map<RowKey, ObservedValue>();
	for (const [key] of keyRows(newest)) if (!newRows.has(key)) seen.set(key, false);
	const { asked, rows } = filter
		? await lookUpWaitingRows(poll, { list, filter }, [...newRows.keys()], poll.limitsFor('last'))
		: { asked: newRows, rows: newRows };
	for (const key of newRows.keys()) seen.set(key, rows.has(key) || !asked.has(key));
	const unmatched = new Set([...newRows.keys()].filter((key) => !asked.has(key)));
	const reading = { seen, covers: () => false, isWhole: true, absent: new Map<RowKey, Absence>(), border };
	return { watchReadings: { rows: reading }, readings: {}, unmatched, rows, added: new Set() };
}

/** @throws PlatformError if rows lack a field that is to be watched or ignored: its name is mistyped, and nobody would notice */
export function assertChosenFieldsExist(poll: RowPoll, rows: readonly Row[]): void {
	const { watched, ignored } = poll.settings;
	for (const field of watched) assertFieldExists(poll, rows, { field, label: 'Watched Field' });
	for (const field of ignored) assertFieldExists(poll, rows, { field, label: 'Ignored Field' });
}

/**
 * Asks for one row. The specification does not show how these lists answer: one without pages sends all its rows, whatever is
 * asked for.
 *
 * @throws PlatformError if more than one comes: then what the filter chooses cannot be told from the whole list
 */
async function assertPaged(poll: RowPoll): Promise<void> {
	const { list, filter } = poll.settings;
	await readMatchingRows(poll, { list, filter }, poll.limitsFor('last'), 1);
}

/** Reads the rows that match, and looks up known ones that do not where it matters whether they are gone. */
export async function readWatchedRows(poll: RowPoll, { watches, readings }: TriggerState): Promise<RowReading> {
	const { settings } = poll;
	const { list, filter } = settings;
	const before = watches.rows ?? NOTHING_KNOWN;
	const section = await poll.readRequired(readKnownById(poll, readings.rows));
	const isFirst = Object.keys(before.entries).length === 0;
	if (isFirst) {
		assertChosenFieldsExist(poll, section.rows);
		if (filter && section.rows.length > 1) await poll.readRequired(assertPaged(poll));
	}

	const rows = new Map(keyRows(section.rows));
	const { covers } = section;
	const lost = settings.event === 'goneRow' ? keysToLookUp(before, { kind: 'presence' }, { seen: rows, covers }) : [];
	const asking = { pace: poll.limitsFor('last'), shown: firstRowKey(section.rows) };
	const { matching, outsideFilter, notFound } = await lookUpMissingRows(
		lookUpWaitingRows,
		poll,
		{ list, filter },
		lost,
		asking,
	);
	const absent = new Map<RowKey, Absence>([
		...[...outsideFilter.keys()].map((key) => [key, 'outOfScope'] as const),
		...notFound.map((key) => [key, 'gone'] as const),
	]);
	const knownValues = new Map(
		Object.entries(before.entries).map(([key, { value }]) => [key, parseSavedRowValues(value)]),
	);
	const values = [...rows, ...matching].map(([key, row]) => {
		const now = watchedValuesOf(settings, row);
		const known = knownValues.get(key);
		return [key, known ? continued(known, now) : now] as const;
	});
	const isReadWhole = readings.rows === undefined && section.isEnd;
	const known = values.flatMap(([key, each]) => (knownValues.has(key) ? [each] : []));
	const most = values.reduce((highest, [, each]) => Math.max(highest, Object.keys(each).length), 1);
	const seen = new Map(values.map(([key, each]) => [key, JSON.stringify(each)]));
	const reading = { seen, covers, isWhole: section.isEnd, absent, most: Math.floor(MOST_VALUES / most) };
	return {
		watchReadings: { rows: reading },
		readings: section.isEnd ? {} : { rows: section.round },
		rows,
		added: isReadWhole ? addedFields(settings, [...knownValues.values()], known) : new Set(),
	};
}

/**
 * Fields that no known row had before and every one has now, with a value or without: the platform has changed, and not the
 * rows. A part of the list cannot tell. A field that is chosen always counts: where empty fields are left out, all rows may
 * have been given their first value.
 *
 * @param now the values of the known rows that were read
 */
function addedFields(
	{ watched }: RowSettings,
	before: readonly RowValues[],
	now: readonly RowValues[],
): ReadonlySet<string> {
	if (watched.length > 0 || now.length < 2) return new Set();
	const had = new Set(before.flatMap((each) => Object.keys(each)));
	const shared = intersection(...now.map((each) => Object.keys(each)));
	return new Set(shared.filter((name) => !had.has(name)));
}

/** The values of a known row in its earlier field order, with null for a field left out, so that equal values make equal text. */
function continued(known: RowValues, now: RowValues): RowValues {
	return { ...mapValues(known, () => null), ...now };
}

/** The values that are remembered of a row. */
export function parseSavedRowValues(text: WatchedValue): RowValues {
	return typeof text === 'string' ? (JSON.parse(text) as RowValues) : {};
}

/** The values that are watched in a row; lists and objects as JSON. */
export function watchedValuesOf({ isWatched }: RowSettings, row: Row): RowValues {
	const fields = Object.entries(row).filter(([name]) => name.toLowerCase() !== 'id' && isWatched(name.toLowerCase()));
	return Object.fromEntries(fields.map(([name, value]) => [name, remembered(value)]));
}

function remembered(value: unknown): RowValues[string] {
	if (isNil(value)) return null;
	if (typeof value === 'number' || typeof value === 'boolean') return value;
	return truncateStatus(typeof value === 'string' ? value : JSON.stringify(canonicalizeValue(value)));
}
