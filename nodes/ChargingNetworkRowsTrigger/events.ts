import { joinWithMore } from '../shared/text';
import type { AlertRuleOf } from '../shared/trigger/watch/alertRule';

/** How many changed fields a sentence names. */
const MOST_NAMED = 3;

/** A choice under Trigger On. */
interface RowEventRecord {
	label: string;
	description: string;
	subtitle: string;
	/** What makes it happen. */
	rule: AlertRuleOf<'presence' | 'values'>;
	/** The sentence in `text`. @param changes "Price from 0.45 to 0.49", for each changed field */
	sentence(row: string, changes: readonly string[]): string;
}

/** The events of this trigger, by the stored value of Trigger On. */
export const ROW_EVENTS = {
	newRow: {
		label: 'New Row in a List',
		description: 'When a row is added',
		subtitle: 'new in',
		rule: { kind: 'presence', appears: 'newRow', isReported: (matches) => matches === true },
		sentence: (row) => `${row} is new.`,
	},
	changedRow: {
		label: 'Row Changed',
		description: 'When a field of a row takes another value, with the value before and now',
		subtitle: 'changed in',
		rule: { kind: 'values', changes: 'changedRow', afterMs: 0 },
		sentence: (row, changes) =>
			`${row} has changed: ${joinWithMore(changes.slice(0, MOST_NAMED), changes.length - MOST_NAMED)}.`,
	},
	goneRow: {
		label: 'Row Gone',
		description: 'When a row is deleted, with the values that it had',
		subtitle: 'gone from',
		rule: { kind: 'presence', vanishes: 'goneRow' },
		sentence: (row) => `${row} is gone.`,
	},
} satisfies Record<string, RowEventRecord>;

export type RowChoice = keyof typeof ROW_EVENTS;

/** The events for which rows are remembered. */
export const WATCHED: RowChoice[] = ['changedRow', 'goneRow'];
