import { spellField } from '../catalogue';
import { Faults, isRecord, kindOf, quote } from '../faults';
import { chosenField, NO_FIELD } from '../fieldValue';
import { DIRECTION_ENUM, readEnum } from '../operators';
import type { Catalogue, SortEntry } from '../types';

/**
 * Reads the stored sort parameter, `{ by: [{ field, direction }] }`. A field may be `Name` or `Name|type`. Notes every entry
 * without a field, with an unknown direction, or with a field named before. A missing sort is no fault: it never makes a
 * list larger.
 */
export function readSortInto(sort: unknown, catalogue: Catalogue, faults: Faults): SortEntry[] {
	if (sort === undefined || sort === null) return [];
	if (!isRecord(sort)) {
		faults.add('Sort', `a list of sort fields is needed here, but this is ${kindOf(sort)}.`);
		return [];
	}
	const entries = sort.by ?? [];
	if (!Array.isArray(entries)) {
		faults.add('Sort', `a list of sort fields is needed here, but this is ${kindOf(entries)}.`);
		return [];
	}
	const sorts: SortEntry[] = [];
	const seen = new Map<string, number>();
	for (const [index, entry] of entries.entries()) {
		const place = `Sort > Field ${index + 1}`;
		const found: Record<string, unknown> = isRecord(entry) ? entry : {};
		const chosen = chosenField(found.field);
		const direction = readEnum(found.direction, DIRECTION_ENUM);
		if ('refusal' in direction) faults.add(`${place} > Direction`, direction.refusal);
		if (!chosen) {
			faults.add(place, NO_FIELD);
			continue;
		}
		const field = spellField(catalogue, chosen.name);
		const earlier = seen.get(field.toLowerCase());
		if (earlier !== undefined) {
			faults.add(
				place,
				`${quote(field)} is chosen already as Field ${earlier}; a second time changes nothing. Remove one of them.`,
			);
		}
		seen.set(field.toLowerCase(), index + 1);
		if ('member' in direction) sorts.push({ field, direction: direction.member });
	}
	return sorts;
}
