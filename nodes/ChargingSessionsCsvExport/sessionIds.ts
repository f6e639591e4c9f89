import get from 'lodash/get';
import type { INodeExecutionData } from 'n8n-workflow';

import type { Faults } from '../shared/dsquery/faults';

/** More faults than this say nothing new. */
const MAX_FAULTS = 10;

/**
 * Reads session ids from a field of the node: a number, a list, or text with ids between commas, semicolons, spaces or
 * line ends, or a JSON list. Doubles are dropped, the order is kept.
 * Notes the place of everything that is not a whole number from 0 on.
 */
export function readSessionIds(value: unknown, faults: Faults): number[] {
	const collector = new IdCollector(faults);
	if (value === undefined || value === null) {
		collector.fault('Session IDs', 'the value is empty. If it is an expression, check what it returns for this item.');
	} else {
		collector.addAll(value, 'Session IDs');
	}
	return collector.result();
}

/**
 * Gathers session ids from all input items. The field may hold whatever `readSessionIds` takes. Notes the items whose
 * field cannot be used.
 *
 * @param field its name, or the path to it: `session.Id`
 */
export function gatherSessionIds(items: readonly INodeExecutionData[], field: string, faults: Faults): number[] {
	const collector = new IdCollector(faults);
	items.forEach(({ json }, index) => {
		// A field may have dots in its name; then it is no path.
		const value: unknown = Object.hasOwn(json, field) ? json[field] : get(json, field);
		const place = `Item ${index}, field ${field}`;
		if (value === undefined) collector.fault(place, 'the item has no such field.');
		else if (value === null || value === '') collector.fault(place, 'the field is empty.');
		else collector.addAll(value, place);
	});
	return collector.result();
}

class IdCollector {
	private readonly ids = new Set<number>();
	private noted = 0;

	constructor(private readonly faults: Faults) {}

	addAll(value: unknown, place: string): void {
		const entries = entriesOf(value);
		if (entries === undefined) {
			this.add(value, place);
			return;
		}
		entries.forEach((entry, index) => this.add(entry, `${place}, entry ${index + 1}`));
	}

	fault(place: string, message: string): void {
		if (this.noted++ < MAX_FAULTS) this.faults.add(place, message);
	}

	result(): number[] {
		const more = this.noted - MAX_FAULTS;
		if (more > 0) this.faults.add('Session IDs', `${more} more of them cannot be used.`);
		return [...this.ids];
	}

	private add(value: unknown, place: string): void {
		const number = typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : value;
		if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) this.ids.add(number);
		else
			this.fault(
				place,
				`${shown(value)} is not a session id. Session ids are whole numbers such as 10482${hint(number)}.`,
			);
	}
}

/** The entries of a list or of text that may hold several; undefined for a single value. */
function entriesOf(value: unknown): unknown[] | undefined {
	if (Array.isArray(value)) return value;
	if (typeof value !== 'string') return undefined;
	const text = value.trim();
	if (text === '') return [];
	if (text.startsWith('[')) {
		const list = parseList(text);
		if (list) return list;
	}
	const entries = text.split(/\s*[,;]\s*|\s+/);
	// A comma behind the last id is a habit; one in the middle may be an expression that came out empty.
	if (entries.length > 1 && entries.at(-1) === '') entries.pop();
	return entries.length > 1 ? entries : undefined;
}

function parseList(text: string): unknown[] | undefined {
	try {
		const parsed: unknown = JSON.parse(text);
		return Array.isArray(parsed) ? parsed : undefined;
	} catch {
		return undefined;
	}
}

function hint(value: unknown): string {
	if (typeof value !== 'number') return '';
	if (Number.isInteger(value) && value > Number.MAX_SAFE_INTEGER) return ' up to 9007199254740991';
	return value < 0 ? ' and never negative' : ' without decimals';
}

function shown(value: unknown): string {
	if (value === '') return 'an empty entry';
	const text = typeof value === 'string' ? `"${value}"` : (JSON.stringify(value) ?? String(value));
	return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
