import mapValues from 'lodash/mapValues';
import { Settings } from 'luxon';

import {
	ValidationIssues,
	InvalidParametersError,
	type ValidationIssue,
} from '../../../../nodes/shared/dsquery/validationIssues';
import type { FilterContext } from '../../../../nodes/shared/dsquery/read/condition';
import { readFilterForm, readSortForm } from '../../../../nodes/shared/dsquery/read/formEntries';
import { readJsonFilter } from '../../../../nodes/shared/dsquery/read/json';
import type {
	FilterNode,
	FormEntries,
	FixedCollectionEntry,
	FilterGroup,
	SortEntry,
} from '../../../../nodes/shared/dsquery/types';
import { SESSIONS } from '../../../../nodes/shared/resources';

// Of n8n, if nobody has set another.
Settings.defaultZone = 'America/New_York';

/** Sessions, at noon of a Wednesday in Berlin. */
export const CONTEXT: FilterContext = {
	schema: SESSIONS,
	zone: 'Europe/Berlin',
	now: new Date('2026-11-18T12:00:00Z'),
};

/** Reads alone what the nodes read together with other parameters; throws the faults. */
function read<T>(into: (issues: ValidationIssues) => T): T {
	const issues = new ValidationIssues();
	const value = into(issues);
	issues.check();
	return value;
}

/** A form as nodes store it, without an expression. */
export function formOf(stored: unknown): FormEntries {
	return mapValues(stored as Record<string, Array<Record<string, unknown>>>, (entries) =>
		entries.map(({ filters, ...parts }): FixedCollectionEntry => {
			const values = filters === undefined ? parts : { ...parts, filters: formOf(filters) };
			return { values, expressions: new Map() };
		}),
	);
}

/** The filter of a form as nodes store it. */
export function readForm(filters: unknown, logic: unknown = 'And', context = CONTEXT): FilterGroup | undefined {
	return read((issues) => readFilterForm(formOf(filters), logic, context, issues)).filter;
}

export function readSorts(sort: unknown): SortEntry[] {
	return read((issues) => readSortForm(formOf(sort), SESSIONS, issues));
}

export function readJson(value: unknown, place = ''): FilterNode | undefined {
	return read((issues) => readJsonFilter(value, SESSIONS, place, issues));
}

/** The faults that a reader reports; none if it accepts. */
export function faultsOf(reading: () => unknown): readonly ValidationIssue[] {
	try {
		reading();
	} catch (thrown) {
		if (!(thrown instanceof InvalidParametersError)) throw thrown;
		return thrown.issues;
	}
	return [];
}

/** A filter in a line: `Status In 4,6 And (Id Gt 5 Or Id Lt 2)`. */
export function line(node: FilterNode | undefined): string {
	if (!node) return '';
	if (!('filters' in node)) return `${node.field} ${node.operator} ${node.value}`;
	return node.filters.map((part) => ('filters' in part ? `(${line(part)})` : line(part))).join(` ${node.logic} `);
}
