import type { Row } from '../shared/platform';
import { shortHash } from '../shared/trigger/hash';
import { type EventJson, sampleId } from '../shared/trigger/items';
import { rowKey } from '../shared/trigger/keys';
import { lookUpSome } from '../shared/trigger/reading/lists';
import { MOST_NEW, newestIds, type NumberedList, readNew } from '../shared/trigger/reading/newRows';
import type { Poll } from '../shared/trigger/poll';
import type { PollTrigger } from '../shared/trigger/run';
import type { RowKey } from '../shared/trigger/types';
import { newestRows, nothingToShow, toJson } from './items';
import { readSettings, type RowSettings } from './settings';
import { RowDraft } from './state/newRows';

interface ReadResult {
	fresh: RowKey[];
	/** Rows that have now been compared with the filter, and those of them that match. */
	asked: ReadonlySet<RowKey>;
	rows: ReadonlyMap<RowKey, Row>;
}

type RowPoll = Poll<RowSettings>;

export const newRowsTrigger: PollTrigger<RowSettings, RowDraft, ReadResult> = {
	plural: 'rows of the list',
	readSettings,
	begin: (poll, { state }) => new RowDraft(state, platformIdOf(poll)),
	read: findRows,
	compare({ now }, draft, { fresh, asked, rows }) {
		draft.discover(fresh, (row) => rows.has(row) || !asked.has(row), now);
	},
	handOver(poll, events, { asked, rows }) {
		const ready = events.flatMap((event) => {
			const row = rows.get(event.row);
			const eventId = shortHash([platformIdOf(poll), 'newRow', event.row]);
			return row ? [toJson(poll, { key: event.row, eventId, detectedAt: event.detectedAt, row })] : [];
		});
		return { ready, waiting: events.filter(({ row }) => !asked.has(row)) };
	},
	samples: sampleEvents,
	nothingToShow,
};

function platformIdOf({ connection: { baseUrl, environment }, settings: { list } }: RowPoll): string {
	return shortHash([baseUrl, environment, list.path]);
}

function numbered({ settings: { list } }: RowPoll): NumberedList {
	return {
		list,
		instead: 'For this list use a Schedule Trigger and Charging Network List, with a filter on a date of its rows.',
	};
}

/**
 * Reads new rows, and which of them and of the backlog match the filter. Rows without an event force no save until
 * there are many, because a forced save starts an execution.
 */
async function findRows(poll: RowPoll, draft: RowDraft): Promise<ReadResult> {
	const { list, filter } = poll.settings;
	const { newIds, backlog } = draft;
	// With a full backlog, further new rows are left to a later poll.
	const isFull = backlog.length >= MOST_NEW;
	const found = isFull ? [] : await readNew(poll, numbered(poll), newIds);
	const fresh = newIds.among(found.map(({ Id: id }) => Number(id))).map(String);
	const waiting = backlog.map(({ row }) => row);
	const toAsk = filter ? [...waiting, ...fresh] : waiting;
	const { asked, rows } = await lookUpSome(poll, { list, filter }, toAsk, poll.pace('last'));
	if (filter) return { fresh, asked, rows };
	const seen = found.map((row): [RowKey, Row] => [String(row.Id), row]);
	return { fresh, asked: new Set([...asked, ...fresh]), rows: new Map([...rows, ...seen]) };
}

/** Items made from the newest rows. Throws, as a poll does, if new rows cannot be found in this list. */
async function sampleEvents(poll: RowPoll): Promise<EventJson[]> {
	await newestIds(poll, numbered(poll));
	return (await newestRows(poll)).flatMap((row) => {
		const key = rowKey(row.Id);
		return key ? [toJson(poll, { key, eventId: sampleId(), detectedAt: poll.now, row })] : [];
	});
}
