import type { Row } from '../shared/platform';
import type { EventJson } from '../shared/trigger/items';
import { rowId } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import { firstRows } from '../shared/trigger/reading/lists';
import type { NothingToShow } from '../shared/trigger/run';
import { nameOf, shown } from '../shared/trigger/text';
import type { RowKey } from '../shared/trigger/types';
import { ROW_EVENTS } from './parameters';
import type { RowSettings } from './settings';
import type { RowChange } from './state/watchedRows';

const SAMPLES = 3;

interface About {
	key: RowKey;
	eventId: string;
	/** Milliseconds since 1970. */
	detectedAt: number;
	/** Null for a row that is gone. */
	row: Row | null;
	change?: Pick<RowChange, 'before' | 'now'>;
}

export function toJson(poll: Poll<RowSettings>, about: About): EventJson {
	const { event, list } = poll.settings;
	const { key, eventId, detectedAt, row, change } = about;
	return {
		text: rowText(poll.settings, about),
		event,
		list: list.path,
		rowId: rowId(key),
		...change,
		eventId,
		detectedAt: poll.iso(detectedAt),
		environment: poll.connection.environment,
		row,
	};
}

/** "Row 7 of tariffs (AC standard) has changed: PricePerKwh from 0.45 to 0.49." */
export function rowText(
	{ event, list: { path } }: Pick<RowSettings, 'event' | 'list'>,
	{ key, row, change }: Pick<About, 'key' | 'row' | 'change'>,
): string {
	const list = path.replace(/^\/api\/|\/v\d+$/g, '');
	const { before = {}, now = {} } = change ?? {};
	const name = nameOf(row ?? (before as Row));
	const called = `Row ${shown(rowId(key))} of ${shown(list)}${name === undefined ? '' : ` (${shown(name)})`}`;
	const said = (value: unknown) => shown(value ?? 'no value');
	const changes = Object.keys(now).map((field) => `${shown(field)} from ${said(before[field])} to ${said(now[field])}`);
	return ROW_EVENTS[event].says(called, changes);
}

/** The newest rows that match, for a manual test. */
export async function newestRows(poll: Poll<RowSettings>): Promise<Row[]> {
	const { list, filter } = poll.settings;
	return await firstRows(poll, list, { filter, direction: 'Desc', take: SAMPLES });
}

export function nothingToShow({ list, filter }: RowSettings): NothingToShow {
	return {
		list,
		filter,
		description:
			'Check the list and the filter, and that the API key belongs to the organization whose rows you expect. A test shows the newest rows; once the workflow is live, the trigger fires on what happens from then on.',
	};
}
