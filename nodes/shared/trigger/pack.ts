import { rowId } from './keys';
import type { RowKey } from './types';

/**
 * Keys, each with a short note, as one text: n8n wraps every nested object it loads. Integer ids are written as their
 * distances, in order: ten thousand of them take some twenty kilobytes. Other keys are written as JSON.
 *
 * @param notes letters and digits, or nothing
 */
export function packNotes(notes: ReadonlyMap<RowKey, string>): string {
	const integers: Array<[number, string]> = [];
	const others: Array<[RowKey, string]> = [];
	for (const [key, note] of notes) {
		const id = key.startsWith('/') ? key : rowId(key);
		if (typeof id === 'number' && Number.isSafeInteger(id) && id >= 0) integers.push([id, note]);
		else others.push([key, note]);
	}
	integers.sort(([a], [b]) => a - b);
	let previous = 0;
	const distances = integers.map(([id, note]) => {
		const distance = (id - previous).toString(36);
		previous = id;
		return note === '' ? distance : `${distance}.${note}`;
	});
	others.sort(([a], [b]) => (a < b ? -1 : 1));
	return `${distances.join(' ')}|${JSON.stringify(others.map(([key, note]) => (note === '' ? key : [key, note])))}`;
}

/** Reads what `packNotes` wrote. */
export function unpackNotes(text: string): Map<RowKey, string> {
	const bar = text.indexOf('|');
	const notes = new Map<RowKey, string>();
	let id = 0;
	for (const entry of text.slice(0, bar).split(' ')) {
		if (entry === '') continue;
		const [distance = '', note = ''] = entry.split('.', 2);
		id += Number.parseInt(distance, 36);
		notes.set(String(id), note);
	}
	const others: unknown = JSON.parse(text.slice(bar + 1));
	for (const entry of Array.isArray(others) ? (others as unknown[]) : []) {
		const [key, note = ''] = Array.isArray(entry) ? (entry as unknown[]) : [entry];
		if (typeof key === 'string' && typeof note === 'string') notes.set(key, note);
	}
	return notes;
}
