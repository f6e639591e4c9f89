import type { Faults } from '../faults';
import { DIRECTIONS, readName, takes, type OperatorName } from '../operators';
import type { Catalogue, Condition, SortEntry } from '../types';
import { writeList, writeRange, writeValue, type Refuse, type ValueField } from '../values/values';
import { quote } from '../../text';

// What a condition and a sort are, wherever they are written: in the form, or as JSON.

/** What reading a filter needs besides what is stored. */
export interface ReadContext {
	catalogue: Catalogue;
	/** The workflow's time zone (IANA name), in which dates without a zone and periods are read. */
	zone: string;
	/** The current time, the same for all conditions of an execution. */
	now: Date;
}

/** The parts of a condition that hold values. */
export type ValuePart = 'value' | 'list' | 'from' | 'to';

/** Where a condition is written. */
export interface Written {
	/** The zone of dates that name none. */
	zone: string;
	/** What is given as a part of it. */
	given(part: ValuePart): unknown;
	/** Where faults of a part go; without one, faults of the whole condition. */
	refuseAt(part?: ValuePart): Refuse;
}

/** A condition of a field. Undefined if a value was refused. */
export function readCondition(
	field: ValueField,
	operator: OperatorName | number,
	{ zone, given, refuseAt }: Written,
): Condition | undefined {
	const read = () => {
		const kind = takes(operator);
		// A list as the value of an operator that is a number can only be meant as several values.
		const isList = kind === 'list' || (typeof operator === 'number' && Array.isArray(given('value')));
		if (isList) return writeList(given('list'), { field, zone, refuse: refuseAt('list') });
		if (kind === 'range' && typeof operator === 'string') {
			const ends = [given('from'), given('to')] as const;
			return writeRange(ends, operator, { field, zone, refuse: refuseAt() }, [refuseAt('from'), refuseAt('to')]);
		}
		return writeValue(given('value'), operator, { field, zone, refuse: refuseAt('value') });
	};
	const value = read();
	return value === undefined ? undefined : { field: field.name, operator, value };
}

/** A sort as it is written: its field, if there is one, its direction, and what messages call it and its parts. */
export interface WrittenSort {
	field: string | undefined;
	direction: unknown;
	place: string;
	directionPlace: string;
}

/** Sorts in the order given, each field once. */
export function readSorts(written: readonly WrittenSort[], faults: Faults): SortEntry[] {
	const seen = new Set<string>();
	return written.flatMap(({ field, direction: given, place, directionPlace }) => {
		const direction = readName(given, DIRECTIONS, 'a direction', (message) => faults.add(directionPlace, message));
		if (field === undefined) return [];
		if (seen.has(field.toLowerCase())) {
			faults.add(place, `${quote(field)} is sorted by already; a second time changes nothing. Remove one of them.`);
		}
		seen.add(field.toLowerCase());
		return direction === undefined ? [] : [{ field, direction }];
	});
}
