import get from 'lodash/get';
import uniq from 'lodash/uniq';
import type { IDataObject } from 'n8n-workflow';

import { parseSessionId, type SessionId } from '../shared/csv/sessions';
import { isBlank, quote } from '../shared/text';
import { type ValidationIssues } from '../shared/dsquery/validationIssues';
import { parseList } from '../shared/dsquery/values/list';

/** Reading stops after this many faults. */
const MAX_FAULTS = 1000;

/**
 * Reads session ids from a parameter of the node: a number, or a list in any form, also with semicolons or spaces.
 * Duplicates are removed; the order is kept. Adds a fault for everything that is not a whole number.
 */
export function readSessionIds(value: unknown, issues: ValidationIssues): SessionId[] {
	return uniq(idsIn(value, 'Session IDs', issues));
}

/**
 * Gathers session ids from all input items. The field may hold whatever `readSessionIds` takes. Adds a fault for each
 * item whose field cannot be used.
 *
 * @param field its name, or the path to it: `session.Id`
 */
export function gatherSessionIds(items: readonly IDataObject[], field: string, issues: ValidationIssues): SessionId[] {
	const ids = items.flatMap((json, index) => {
		// A field name may contain dots: an exact match wins over a path.
		const value: unknown = Object.hasOwn(json, field) ? json[field] : get(json, field);
		const place = `Item ${index}, field ${field}`;
		if (value === undefined) issues.add(place, 'the item has no such field.');
		else if (isBlank(value)) issues.add(place, 'the field is empty.');
		else return idsIn(value, place, issues);
		return [];
	});
	return uniq(ids);
}

/** What separates thousands in a sheet, and IDs in a list. */
const SEPARATOR = /[, \u00a0\u202f]/;
const THOUSANDS = /^-?[1-9]\d{0,2}(?:,\d{3})+$|^-?[1-9]\d{0,2}(?:[ \u00a0\u202f]\d{3})+$/;

/** What may be a single ID as a sheet shows it, `1,002` or `1 002`: a group that begins with 0 is hardly an ID of its own. */
function groupedIn(text: string): string[] {
	const list = text.trim().replace(/^\[([^[\]]*)\]$/, '$1');
	const lines = list.split(/[;\t\r\n]|,(?=\s|$)/).map((line) => line.trim());
	const pieces = lines.flatMap((line) => (line.includes(',') ? line.split(/\s/) : [line]));
	return pieces.filter((piece) => THOUSANDS.test(piece) && /\D0/.test(piece));
}

function idsIn(value: unknown, place: string, issues: ValidationIssues): SessionId[] {
	if (typeof value === 'string' && value.trim() === '') return [];
	const grouped = typeof value === 'string' ? groupedIn(value) : [];
	for (const text of grouped) {
		const several = text.split(SEPARATOR).map(Number).join(', ');
		const one = text.split(SEPARATOR).join('');
		issues.add(
			place,
			`${quote(text)} may be one ID with a separator of thousands, or several IDs. For the session ${one} write ${one}, for several write ${several}.`,
		);
	}
	if (grouped.length > 0) return [];
	const entries = parseList(value, 'spaces');
	return entries.flatMap((entry: unknown, index) => {
		if (typeof entry === 'string' && /^-?\d{1,19}$/.test(entry.trim())) return [parseSessionId(entry.trim())];
		if (typeof entry === 'number' && Number.isSafeInteger(entry)) return [entry];
		const at = entries.length > 1 ? `${place}, entry ${index + 1}` : place;
		const found = entry === '' ? 'this is an empty entry' : `this is ${quote(entry)}`;
		const message = `a session ID is needed, a whole number such as 10482 (as text if it is beyond ${Number.MAX_SAFE_INTEGER}), but ${found}.`;
		if (issues.count >= MAX_FAULTS) issues.stop(at, message);
		issues.add(at, message);
		return [];
	});
}
