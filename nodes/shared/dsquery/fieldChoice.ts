import { LONGEST_NAME } from './listSchema';
import { isBlank } from '../text';
import { FIELD_TYPES, type FieldType } from './operators';

/** A field that is chosen in a form. */
export interface FieldChoice {
	name: string;
	type: FieldType;
}

/** Reads a field as Other Field stores it: `Name|type`, or only a name if it comes from an expression. */
export function parseFieldChoice(stored: string): FieldChoice {
	const border = stored.lastIndexOf('|');
	const suffix = stored
		.slice(border + 1, border + 20)
		.trim()
		.toLowerCase();
	const type = border < 0 ? undefined : FIELD_TYPES.find((known) => known === suffix);
	return type ? { name: stored.slice(0, border).trim(), type } : { name: stored.trim(), type: 'any' };
}

/** A field as Other Field stores it. `parseFieldChoice` reads it back. */
export function formatFieldChoice(name: string, type: FieldType): string {
	return `${name}|${type}`;
}

/** The value of a dropdown entry that is only a note. It looks like a field without a name, and is refused like one. */
export const NOTE_VALUE = '|note';

/** Whether a stored field is a dropdown's note. */
export function isNoteChoice(stored: string): boolean {
	return stored.trim() === NOTE_VALUE;
}

/** The field chosen in a form, or undefined if there is none: empty, a note, or an unusable expression result. */
export function readFieldChoice(stored: unknown): FieldChoice | undefined {
	if (typeof stored !== 'string' || stored.length > LONGEST_NAME || isNoteChoice(stored)) return undefined;
	const field = parseFieldChoice(stored);
	return isBlank(field.name) ? undefined : field;
}

export const NO_FIELD =
	'no field is chosen. Choose one, or remove this entry. An expression must give the name of a field, such as Id.';

/** The names under which the form stores the parts of a condition. Saved workflows hold them, so they never change. */
export const KNOWN_FIELD_PARTS = { operator: 'operator', value: 'value', list: 'values', from: 'from', to: 'to' };
export type ConditionPartNames = typeof KNOWN_FIELD_PARTS;

/** Other Field has one operator per type: a shared one could keep an operator that does not fit a newly chosen type. */
export function otherFieldParts(type: FieldType): ConditionPartNames {
	const operator = `${type}Operator`;
	if (type === 'date') return { operator, value: 'date', list: 'value', from: 'fromDate', to: 'toDate' };
	return { operator, value: 'value', list: 'value', from: 'from', to: 'to' };
}
