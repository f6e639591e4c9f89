import type { Condition, FilterNode } from '../../../nodes/shared/dsquery/types';

/** A session made up by the tests. */
export interface SessionRow {
	Id: number;
	Status: number;
	StartedAtUtc: string;
	EnergyConsumed: number;
	Driver: string;
}

function ordered(cell: number | string, value: string): number {
	const other = typeof cell === 'number' ? Number(value) : value;
	return cell < other ? -1 : cell > other ? 1 : 0;
}

const UNIT_LENGTH: Record<string, number> = {
	IsYear: 4,
	IsMonth: 7,
	IsDate: 10,
	IsHour: 13,
	IsMinute: 16,
	IsSecond: 19,
};

function matchesCondition({ field, operator, value }: Condition, row: SessionRow): boolean {
	const cell = row[field as keyof SessionRow];
	const compare = (other: string) => ordered(cell, other);
	const [low = '', high = ''] = value.split(',');
	switch (operator) {
		case 'Eq':
			return compare(value) === 0;
		case 'Neq':
			return compare(value) !== 0;
		case 'Lt':
			return compare(value) < 0;
		case 'Lte':
			return compare(value) <= 0;
		case 'Gt':
			return compare(value) > 0;
		case 'Gte':
			return compare(value) >= 0;
		case 'GtLt':
			return compare(low) > 0 && compare(high) < 0;
		case 'GteLt':
			return compare(low) >= 0 && compare(high) < 0;
		case 'GtLte':
			return compare(low) > 0 && compare(high) <= 0;
		case 'GteLte':
			return compare(low) >= 0 && compare(high) <= 0;
		case 'Contains':
			return String(cell).includes(value);
		case 'StartsWith':
			return String(cell).startsWith(value);
		case 'EndsWith':
			return String(cell).endsWith(value);
		case 'In':
			return value.split(',').some((entry) => compare(entry) === 0);
		default: {
			const length = UNIT_LENGTH[operator] ?? Number.NaN;
			return String(cell).slice(0, length) === value.slice(0, length);
		}
	}
}

/** Whether a row matches a filter: written from the specification, sharing nothing with the code under test. */
export function matches(node: FilterNode, row: SessionRow): boolean {
	if (!('filters' in node)) return matchesCondition(node, row);
	return node.logic === 'And'
		? node.filters.every((filter) => matches(filter, row))
		: node.filters.some((filter) => matches(filter, row));
}
