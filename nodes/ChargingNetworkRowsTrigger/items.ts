import type { IDataObject } from 'n8n-workflow';

import type { Row } from '../shared/platform';
import type { EventJson } from '../shared/trigger/items';
import { rowId } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import { firstRows } from '../shared/trigger/reading/lists';
import type { NothingToShow } from '../shared/trigger/run';
import type { RowKey } from '../shared/trigger/types';
import type { RowSettings } from './settings';

const SAMPLES = 3;

interface About {
	key: RowKey;
	eventId: string;
	/** Milliseconds since 1970. */
	detectedAt: number;
	/** Null for a row that is gone. */
	row: Row | null;
	change?: IDataObject;
}

export function toJson(poll: Poll<RowSettings>, { key, eventId, detectedAt, row, change }: About): EventJson {
	const { event, list } = poll.settings;
	return {
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
