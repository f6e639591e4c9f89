import { spellField } from '../catalogue';
import { isRecord, kindOf, quote } from '../../text';
import { Faults } from '../faults';
import { chosenField, NO_FIELD } from '../fieldValue';
import { DIRECTION_ENUM, readEnum } from '../operators';
import type { Catalogue, SortEntry } from '../types';

/**
 * Reads the stored sort parameter, `{ by: [{ field, direction }] }`. A field may be `Name` or `Name|type`. Adds a fault
 * for every entry without a field, with an unknown direction, or with a repeated field. A missing sort is not a fault:
 * it cannot make a list larger.
 */
export function readSortInto(sort: unknown, catalogue: Catalogue, faults: Faults): SortEntry[] {
	if (sort === undefined || sort === null) return [];
	const entries = isRecord(sort) ? (sort.by ?? []) : undefined;
	if (!Array.isArray(entries)) {
		faults.add('Sort', `a list of sort fields is needed here, but this is ${kindOf(entries ?? sort)}.`);
		return [];
	}
	const sorts: SortEntry[] = [];
	const seen = new Map<string, number>();
	for (const [index, entry] of entries.entries()) {
		const place = `Sort > Field ${index + 1}`;
		const found: Record<string, unknown> = isRecord(entry) ? entry : {};
		const chosen = chosenField(found.field);
		const direction = readEnum(found.direction, DIRECTION_ENUM, (refusal) =>
			faults.add(`${place} > Direction`, refusal),
		);
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
		if (direction !== undefined) sorts.push({ field, direction });
	}
	return sorts;
}
