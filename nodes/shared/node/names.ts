import { Faults, isBlank, kindOf } from '../dsquery/faults';
import { isNote, parseFieldValue } from '../dsquery/fieldValue';

/**
 * Reads a choice of several names: a list, as the editor stores it, or text with commas, as expressions and AI models
 * write it. A name that comes twice is read once. Notes a fault where there is none, or where something else is stored.
 */
export function readNames(value: unknown, place: string, faults: Faults): string[] {
	const listed = typeof value === 'string' ? namesIn(value) : value;
	if (!Array.isArray(listed)) {
		faults.add(place, `a list of names is needed here, but this is ${kindOf(value)}.`);
		return [];
	}
	const names = new Set<string>();
	for (const entry of listed as unknown[]) {
		if (typeof entry !== 'string') {
			faults.add(place, `a list of names is needed here, but ${kindOf(entry)} is in it.`);
		} else if (!isBlank(parseFieldValue(entry).name) && !isNote(entry)) {
			names.add(parseFieldValue(entry).name);
		}
	}
	if (names.size === 0) {
		faults.add(place, 'nothing is chosen. Choose at least one entry; if this is an expression, it came out empty.');
	}
	return [...names];
}

/** Models also write a list as JSON text. */
function namesIn(text: string): string[] {
	const json = /^\s*\[(.*)\]\s*$/s.exec(text)?.[1];
	return (json ?? text).split(/[,\n]/).map((name) => name.trim().replace(/^(["'])(.*)\1$/, '$2'));
}
