import { PlatformError } from '../shared/platform';
import { REMEMBERED_IDS } from '../shared/trigger/reading/newRows';
import type { Poll } from '../shared/trigger/poll';
import type { Watch } from '../shared/trigger/watch/steps';
import type { Trigger } from '../shared/trigger/trigger';
import type { Rule } from '../shared/trigger/watch/watch';
import { itemsOf, nothingToShow } from './items';
import { MOST_VALUES, readNewRows, readWatchedRows, type RowsFound } from './read';
import { parameters, type RowChoice } from './parameters';
import { sampleEvents } from './samples';
import { readSettings, type RowSettings } from './settings';

export const rowsTrigger: Trigger<RowSettings, RowsFound> = {
	plural: 'rows of the list',
	parameters,
	row: 'row',
	readSettings,
	watches: watchesOf,
	read: async (poll, state) => await (poll.settings.event === 'newRow' ? readNewRows : readWatchedRows)(poll, state),
	items: itemsOf,
	samples: sampleEvents,
	nothingToShow,
};

const RULES: Record<RowChoice, Rule> = {
	newRow: { kind: 'presence', appears: 'newRow', isReported: (matches) => matches === true },
	changedRow: { kind: 'values', changes: 'changedRow', afterMs: 0 },
	goneRow: { kind: 'presence', vanishes: 'goneRow' },
};

function watchesOf({ connection: { baseUrl, environment }, settings }: Poll<RowSettings>): { rows: Watch } {
	const { event, list, meaning } = settings;
	const isNew = event === 'newRow';
	const watch = { place: [event, baseUrl, environment, list.path], rule: RULES[event] };
	// What is new is told by the Ids alone, whatever the filter says.
	if (isNew) return { rows: { ...watch, meaning: null, newest: REMEMBERED_IDS, isOnce: true } };
	return { rows: { ...watch, meaning, most: { count: MOST_VALUES, refusal: () => tooMany(settings) } } };
}

function tooMany({ list: { plural } }: RowSettings): PlatformError {
	const most = MOST_VALUES.toLocaleString('en');
	return new PlatformError('configuration', `The ${plural} have more than ${most} values, too many to remember`, {
		description:
			'These are rows times fields. Choose a part of the rows with Filters, or fewer fields with Watched Fields.',
	});
}
