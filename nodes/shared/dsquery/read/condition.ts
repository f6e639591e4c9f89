import type { Refuse } from '../validationIssues';
import { operandKindOf, type OperatorName } from '../operators';
import type { ListSchema, Condition } from '../types';
import { writeList, writeSingleValue, writeRange, type WrittenComparison, type ComparedField } from '../values/values';

/** What reading a filter needs besides what is stored. */
export interface FilterContext {
	schema: ListSchema;
	/** The workflow's time zone (IANA name), in which dates without a zone and periods are read. */
	zone: string;
	/** The current time, the same for all conditions of an execution. */
	now: Date;
}

/** The parts of a condition that hold values. */
export type OperandName = 'value' | 'list' | 'from' | 'to';

/** Where a condition is written: in the form, or as JSON. */
interface WrittenCondition {
	/** The zone of dates that name none. */
	zone: string;
	/** The value of a part, as entered. */
	given(part: OperandName): unknown;
	/** Why the value of a part cannot be used, if an expression made it. */
	whyUnusable(part: OperandName): string | undefined;
	/** Where faults of a part go; without one, faults of the whole condition. */
	refuseAt(part?: OperandName): Refuse;
}

/** A condition of a field. Undefined if a value was refused. */
export function readCondition(
	field: ComparedField,
	operator: OperatorName,
	written: WrittenCondition,
): Condition | undefined {
	const refused = partsOf(operator).filter((part) => {
		const why = written.whyUnusable(part);
		if (why !== undefined) written.refuseAt(part)(why);
		return why !== undefined;
	});
	const comparison = refused.length > 0 ? undefined : comparisonOf(field, operator, written);
	return comparison && { field: field.name, ...comparison };
}

/** The parts that an operator reads. */
function partsOf(operator: OperatorName): OperandName[] {
	const kind = operandKindOf(operator);
	if (kind === 'range') return ['from', 'to'];
	return [kind === 'list' ? 'list' : 'value'];
}

function comparisonOf(
	field: ComparedField,
	operator: OperatorName,
	written: WrittenCondition,
): WrittenComparison | undefined {
	const { zone, given, refuseAt } = written;
	switch (operandKindOf(operator)) {
		case 'list': {
			const value = writeList(given('list'), { field, zone, refuse: refuseAt('list') });
			return value === undefined ? undefined : { operator, value };
		}
		case 'range': {
			const ends = [given('from'), given('to')] as const;
			return writeRange(ends, operator, { field, zone, refuse: refuseAt() }, [refuseAt('from'), refuseAt('to')]);
		}
		default:
			return writeSingleValue(given('value'), operator, { field, zone, refuse: refuseAt('value') });
	}
}
