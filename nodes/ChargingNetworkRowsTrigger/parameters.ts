import { listDropdown } from '../shared/list/dropdowns/liveRows';
import { andMore } from '../shared/text';
import { fieldsOrNone } from '../shared/parameters/chosen';
import { chosenList } from '../shared/list/chosenList';
import { filterNotice, filters } from '../shared/list/filters';
import type { ListParameter } from '../shared/list/list';
import { options } from '../shared/parameters/options';
import { meaningful, notice, shownFor } from '../shared/parameters/parameter';
import { oneOf } from '../shared/parameters/simple';
import { eventChoices, eventOutput, pollingNotice, pollOptions } from '../shared/trigger/parameters';

/** How many changed fields a sentence names. */
const MOST_NAMED = 3;

/** A choice under Trigger On. */
interface RowEvent {
	label: string;
	description: string;
	subtitle: string;
	/** The sentence in `text`. @param changes "Price from 0.45 to 0.49", for each changed field */
	says(row: string, changes: readonly string[]): string;
}

/** The events of this trigger, by the stored value of Trigger On. */
export const ROW_EVENTS = {
	newRow: {
		label: 'New Row in a List',
		description: 'When a row is added',
		subtitle: 'new in',
		says: (row) => `${row} is new.`,
	},
	changedRow: {
		label: 'Row Changed',
		description: 'When a field of a row takes another value, with the value before and now',
		subtitle: 'changed in',
		says: (row, changes) =>
			`${row} has changed: ${andMore(changes.slice(0, MOST_NAMED), changes.length - MOST_NAMED)}.`,
	},
	goneRow: {
		label: 'Row Gone',
		description: 'When a row is deleted, with the values that it had',
		subtitle: 'gone from',
		says: (row) => `${row} is gone.`,
	},
} satisfies Record<string, RowEvent>;

export type RowChoice = keyof typeof ROW_EVENTS;

/** The events for which rows are remembered. */
const WATCHED: RowChoice[] = ['changedRow', 'goneRow'];

const event = oneOf<RowChoice>({
	label: 'Trigger On',
	isFixed: true,
	choices: eventChoices(ROW_EVENTS),
	default: 'newRow',
});

/** Another list begins a new state, however it was chosen. */
const list: ListParameter = { ...chosenList, meaning: ({ path }: { path: string }) => path };

const filtered = meaningful(filters(list));
const dropdown = listDropdown(list, 'getWatchedFields');

export const parameters = {
	event,
	pollingNotice: shownFor(
		'event',
		['newRow'],
		pollingNotice(
			'New rows are found by their ID, so the IDs must be whole numbers that increase. If not, the trigger says so when the workflow goes live.',
		),
	),
	watchNotice: shownFor(
		'event',
		WATCHED,
		pollingNotice(
			'Each poll reads all rows that match, 100 in a request: 1,000 rows cost 11 requests. At most 20,000 values are remembered (rows times fields): for a longer list, add filters or choose fields.',
		),
	),
	list,
	watchedFields: shownFor(
		'event',
		WATCHED,
		meaningful(
			fieldsOrNone({
				label: 'Watched Field Names or IDs',
				description: 'The fields that are compared and shown. Without a choice, all of them',
				dropdown,
			}),
		),
	),
	ignoredFields: shownFor(
		'event',
		WATCHED,
		meaningful(
			fieldsOrNone({
				label: 'Ignored Field Names or IDs',
				description: 'Fields that change all the time and are left out, such as the time of the last contact',
				dropdown,
			}),
		),
	),
	filters: filtered,
	filterNotice: shownFor(
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
