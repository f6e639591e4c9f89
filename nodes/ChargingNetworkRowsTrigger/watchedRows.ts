import isEqual from 'lodash/isEqual';
import isNil from 'lodash/isNil';

import { PlatformError, type Row } from '../shared/platform';
import { configOf } from '../shared/trigger/hash';
import { type EventJson, sampleId } from '../shared/trigger/items';
import { covers } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import { checkField } from '../shared/trigger/reading/fields';
import { lookUpSome, scan } from '../shared/trigger/reading/lists';
import type { PollTrigger } from '../shared/trigger/run';
import { type Coverage, idBefore, positionAfter, type RowKey } from '../shared/trigger/types';
import { newestRows, nothingToShow, toJson } from './items';
import { readSettings, type RowSettings } from './settings';
import { MOST_VALUES, WatchedDraft, type WatchedRules } from './state/watchedRows';

/** What a poll has read. A row is null where several share its Id: nothing is concluded from them. */
interface ReadResult {
	seen: Map<RowKey, Row | null>;
	coverage: Coverage;
	/** Known rows that do not match, as far as they were looked up, and those that were not found. */
	outside: ReadonlyMap<RowKey, Row | null>;
	notFound: readonly RowKey[];
}

type RowPoll = Poll<RowSettings>;

export const watchedRowsTrigger: PollTrigger<RowSettings, WatchedDraft, ReadResult> = {
	plural: 'rows of the list',
	readSettings,
	begin: (poll, start) => new WatchedDraft(rulesOf(poll), start),
	read: readRows,
	compare({ settings }, draft, { seen, coverage, outside, notFound }) {
		draft.see(new Map([...seen, ...outside]));
		draft.lose(notFound);
		draft.makeRoom([...outside.keys()]);
		draft.next = positionAfter(coverage);
		if (draft.size.values > MOST_VALUES) throw tooMany(settings, draft);
	},
	handOver(poll, events, { seen }) {
		const ready = events.map(({ row: key, before, now, id }) =>
			toJson(poll, {
				key,
				eventId: id,
				detectedAt: poll.now,
				change: { before, now },
				row: seen.get(key) ?? null,
			}),
		);
		return { ready, waiting: [] };
	},
	samples: sampleEvents,
	nothingToShow,
};

function rulesOf({ connection: { baseUrl, environment }, settings }: RowPoll): WatchedRules {
	return { ...settings, config: configOf([settings.event, baseUrl, environment], settings.meaning) };
}

/** Reads the rows that match, and looks up known ones that do not where it matters whether they are gone. */
async function readRows(poll: RowPoll, draft: WatchedDraft): Promise<ReadResult> {
	const { list, filter, event, watched } = poll.settings;
	const isFirstReading = draft.rows.size === 0;
	const pace = { ...poll.scanPace, most: MOST_VALUES };
	const reading = scan(poll, { list, filter }, idBefore(draft.next), pace);
	const { rows, coverage } = await poll.require(reading);
	const seen = rowsById(poll, rows);
	if (isFirstReading) for (const field of watched) checkField(poll, rows, { field, label: 'Watched Field' });
	const unseen = [...draft.rows.keys()].filter((key) => covers(coverage, key) && !seen.has(key));
	if (event === 'changedRow') {
		return { seen, coverage, outside: new Map(unseen.map((key) => [key, null])), notFound: [] };
	}
	const { asked, rows: outside } = await lookUpSome(poll, { list }, unseen, poll.pace('last'));
	return { seen, coverage, outside, notFound: unseen.filter((key) => asked.has(key) && !outside.has(key)) };
}

/** @throws PlatformError if an Id is not a whole number */
function rowsById(poll: RowPoll, rows: readonly Row[]): Map<RowKey, Row | null> {
	const { plural } = poll.settings.list;
	const found = new Map<RowKey, Row | null>();
	for (const row of rows) {
		const { Id: id } = row;
		if (isNil(id) || id === '') {
			poll.warnOnce(`Some ${plural} have no Id. They are left out, because they cannot be told apart.`);
			continue;
		}
		if (typeof id !== 'number' || !Number.isSafeInteger(id)) throw notWhole(poll.settings);
		const key = String(id);
		const isShared = found.has(key) && !isEqual(found.get(key), row);
		if (isShared) poll.warnOnce(`Several ${plural} share the Id ${key}. Nothing is concluded from them.`);
		found.set(key, isShared ? null : row);
	}
	return found;
}

function notWhole({ list: { plural } }: RowSettings): PlatformError {
	return new PlatformError(
		'configuration',
		`The Ids of the ${plural} are not whole numbers, so they cannot be watched`,
		{
			description:
				'For this list use a Schedule Trigger and Charging Network List, with a filter on a date of its rows.',
		},
	);
}

function tooMany({ list: { plural } }: RowSettings, { size }: WatchedDraft): PlatformError {
	const [most, rows] = [MOST_VALUES, size.rows].map((count) => count.toLocaleString('en'));
	return new PlatformError('configuration', `The ${plural} have more than ${most} values, too many to remember`, {
		description: `These are ${rows} rows with ${size.fields} fields. Choose a part of the rows with Filters, or fewer fields with Watched Fields.`,
	});
}

/** Items made from the newest rows. What they were before is not known: the values are those of now. */
async function sampleEvents(poll: RowPoll): Promise<EventJson[]> {
	const rows = rowsById(poll, await newestRows(poll));
	const draft = new WatchedDraft(rulesOf(poll), { basis: '', hasCurrentNotes: false });
	draft.see(rows);
	return [...draft.rows].map(([key, values]) => {
		const [before, isGone] = [Object.fromEntries(values), poll.settings.event === 'goneRow'];
		return toJson(poll, {
			key,
			eventId: sampleId(),
			detectedAt: poll.now,
			change: { before, now: isGone ? {} : before },
			row: isGone ? null : (rows.get(key) ?? null),
		});
	});
}
