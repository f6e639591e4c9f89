import countBy from 'lodash/countBy';
import union from 'lodash/union';

import type { Row } from '../shared/platform';
import type { EventJson } from '../shared/trigger/events/items';
import { rowId, type RowKey } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import type { NothingToShow } from '../shared/trigger/samples';
import type { Compared } from '../shared/trigger/watch/steps';
import { nameOf, shown } from '../shared/trigger/text';
import type { Change } from '../shared/trigger/watch/watch';
import { ROW_EVENTS } from './parameters';
import type { RowSettings } from './settings';
import { type RowsFound, type Values, valuesIn } from './read';

interface About {
	key: RowKey;
	eventId: string;
	/** Null for a row that is gone. */
	row: Row | null;
	/** The values of the fields that have changed; of a row that is gone, all that were watched. */
	change?: { before: Values; now: Values };
}

/** The items about new rows, rows that changed, and rows that are gone. */
export function itemsOf(
	poll: Poll<RowSettings>,
	{ changes }: Pick<Compared, 'changes'>,
	{ rows, ...found }: Pick<RowsFound, 'rows' | 'known' | 'fields'>,
): EventJson[] {
	const { event } = poll.settings;
	const aboutOf = ({ key, id }: Change) => ({ key, eventId: id, row: rows.get(key) ?? null });
	if (event === 'newRow') return changes.map((change) => toJson(poll, aboutOf(change)));
	const compared = changes.map((change) => ({ before: valuesIn(change.from), now: valuesIn(change.to), change }));
	const quiet = event === 'changedRow' ? fieldsOfAll(poll.settings, compared, found) : undefined;
	return compared.flatMap(({ before, now, change }) => {
		const about = aboutOf(change);
		if (!quiet) return toJson(poll, { ...about, change: { before, now } });
		const names = union(Object.keys(before), Object.keys(now)).filter(
			(name) => !quiet.has(name) && (before[name] ?? null) !== (now[name] ?? null),
		);
		const partOf = (values: Values) => Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
		return names.length > 0 ? toJson(poll, { ...about, change: { before: partOf(before), now: partOf(now) } }) : [];
	});
}

/**
 * Fields that no row had before and every row has got at once: the platform has changed, and not the rows. A field that is
 * chosen always counts: where empty fields are left out, all rows may have been given their first value.
 */
function fieldsOfAll(
	{ watched }: Pick<RowSettings, 'watched'>,
	changes: ReadonlyArray<{ before: Values; now: Values }>,
	{ known, fields }: Pick<RowsFound, 'known' | 'fields'>,
): Set<string> {
	if (watched.length > 0 || known < 2) return new Set();
	const added = changes.flatMap(({ now }) => Object.keys(now).filter((name) => !fields.has(name)));
	const counts = Object.entries(countBy(added));
	return new Set(counts.filter(([, count]) => count === known).map(([name]) => name));
}

export function toJson(poll: Poll<RowSettings>, { key, eventId, row, change }: About): EventJson {
	const { event, list } = poll.settings;
	const { before = {}, now = {} } = change ?? {};
	const said = (value: unknown) => shown(value ?? 'no value');
	const changes = Object.keys(now).map((field) => `${shown(field)} from ${said(before[field])} to ${said(now[field])}`);
	return {
		text: ROW_EVENTS[event].says(rowWords(list, key, nameOf(row ?? (before as Row))), changes),
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
	return `Row ${shown(rowId(key))} of ${shown(list)}${name === undefined ? '' : ` (${shown(name)})`}`;
}

export function nothingToShow({ list }: RowSettings): NothingToShow {
	return {
		list,
		description:
			'Check the list and the filter, and that the API key belongs to the organization whose rows you expect. A test shows the newest rows; once the workflow is live, the trigger fires on what happens from then on.',
	};
}
