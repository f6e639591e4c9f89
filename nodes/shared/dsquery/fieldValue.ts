import { LONGEST_NAME } from './catalogue';
import { isBlank } from './faults';
import type { FieldType } from './types';
import { FIELD_TYPES } from './types';

/** A field as Other Field stores it: `Name|type`, or a name alone where an expression gives it. */
export function parseFieldValue(stored: string): { name: string; type: FieldType } {
	const border = stored.lastIndexOf('|');
	const suffix = stored
		.slice(border + 1, border + 20)
		.trim()
		.toLowerCase();
	const type = border < 0 ? undefined : FIELD_TYPES.find((known) => known === suffix);
	return type ? { name: stored.slice(0, border).trim(), type } : { name: stored.trim(), type: 'any' };
}

/** A field as Other Field stores it. `parseFieldValue` reads it back. */
export function fieldValue(name: string, type: FieldType): string {
	return `${name}|${type}`;
}

/** The value of an entry of a dropdown that only says something. It begins like a field without a name, so it is refused. */
export const NOTE_VALUE = '|note';

/** Whether what is stored as a field is the note of a dropdown. */
export function isNote(stored: string): boolean {
	return stored.trim() === NOTE_VALUE;
}

/** The field that is stored in a form, or undefined where none is: nothing, a note, or what an expression gave instead. */
export function chosenField(stored: unknown): ReturnType<typeof parseFieldValue> | undefined {
	if (typeof stored !== 'string' || stored.length > LONGEST_NAME || isNote(stored)) return undefined;
	const field = parseFieldValue(stored);
	return isBlank(field.name) ? undefined : field;
}

/** What a message says where no field is chosen. */
export const NO_FIELD =
	'no field is chosen. Choose one, or remove this entry; if it is an expression, it gave no name of a field.';

/** Under which names a condition of the form stores its parts. Saved workflows hold them, so they never change. */
export const KNOWN_FIELD_PARTS = { operator: 'operator', single: 'value', list: 'values', from: 'from', to: 'to' };
export type PartNames = typeof KNOWN_FIELD_PARTS;

/** In Other Field each type has an operator of its own: a shared one would keep what does not fit another type. */
export function otherFieldParts(type: FieldType): PartNames {
	const operator = `${type}Operator`;
	if (type === 'date') return { operator, single: 'date', list: 'value', from: 'fromDate', to: 'toDate' };
	return { operator, single: 'value', list: 'value', from: 'from', to: 'to' };
}
