import get from 'lodash/get';
import uniq from 'lodash/uniq';
import type { IDataObject } from 'n8n-workflow';

import { parseSessionId, type SessionId } from '../shared/csv/sessions';
import { isBlank, quote } from '../shared/text';
import { type ValidationIssues } from '../shared/dsquery/validationIssues';
import { parseList, refusalsOfGroups } from '../shared/dsquery/values/list';

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

function idsIn(value: unknown, place: string, issues: ValidationIssues): SessionId[] {
	if (typeof value === 'string' && value.trim() === '') return [];
	const ambiguous = refusalsOfGroups(value);
	for (const message of ambiguous) issues.add(place, message);
	if (ambiguous.length > 0) return [];
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
