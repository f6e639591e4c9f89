import upperFirst from 'lodash/upperFirst';

import { quote } from '../../text';
import { inWords } from '../../dsquery/operators';
import type { Misplaced } from '../../dsquery/order';
import { type FilterNode, isGroup, type SortEntry } from '../../dsquery/types';
import { valueIn } from '../../dsquery/verdict';
import type { ListResource } from '../../resources';
import { shownId } from '../answers/envelope';
import { PlatformError } from '../answers/errors';
import type { Row } from '../types';

/** The platform returns rows that the filter excludes, or ignores the sort. */
export function notApplied(plural: string, what: 'filter' | 'sort'): PlatformError {
	const [parameter, node] = what === 'filter' ? ['Filters', 'Filter'] : ['Sort', 'Sort'];
	return new PlatformError('configuration', `The platform ignored the ${what} for ${plural}`, {
		description: `Nothing was returned, because it would not be what you asked for. Remove the entries in ${parameter} here, and use n8n's ${node} node after this one.`,
	});
}

/** A row came that certainly does not satisfy this part of the filter, and the platform does not apply it. */
export function rowContradicts(list: ListResource, row: Row, part: FilterNode): PlatformError {
	const { message, field } = contradiction(list, row, part);
	return new PlatformError('configuration', `${message}: the platform does not apply the condition on ${field}`, {
		description: `Nothing was returned, because it would not be what you asked for. Remove this condition, and use n8n's Filter node after this one.`,
	});
}

/** Neighbours came in another order than asked for, and the platform does not sort. */
export function orderContradicts(list: ListResource, misplaced: Misplaced): PlatformError {
	const message = `${outOfOrder(list, misplaced)}: the platform does not sort by it`;
	return new PlatformError('invalid-answer', message, {
		description: `Nothing was returned, because these would not be the first ones in that order. Turn on Return All, and use n8n's Sort and Limit nodes after this one.`,
	});
}

/** A row comes before the first one, and the platform does not give it. */
export function notFirst(list: ListResource, sort: SortEntry, first: Row, other: Row): PlatformError {
	const message = `${beforeTheFirst(list, sort, first, other)}, but the platform does not return it`;
	return new PlatformError('invalid-answer', message, {
		description: `Nothing was returned, because these would not be the first ones in that order: it may sort each page alone, or numbers as text. Turn on Return All, and use n8n's Sort and Limit nodes after this one.`,
	});
}

/** A note: a row may come before the first one. */
export function perhapsNotFirst(list: ListResource, sort: SortEntry, first: Row, other: Row): string {
	return `${beforeTheFirst(list, sort, first, other)}, but did not come: it may be new, its value may have changed meanwhile, or the platform does not sort by it.`;
}

function beforeTheFirst(list: ListResource, { field, direction }: SortEntry, first: Row, other: Row): string {
	const show = (row: Row) => `${nameOf(list, row)} with ${field} ${shownValue(row, field)}`;
	const order = direction === 'Asc' ? 'ascending' : 'descending';
	return `${upperFirst(show(other))} comes before ${show(first)} in the order of ${field} ${order}`;
}

/** A note: rows are in another order than asked for. */
export function notInOrder(list: ListResource, misplaced: Misplaced, isSorted: boolean): string {
	const why = isSorted ? 'some rows may have changed while they were sorted' : 'the platform does not sort by it';
	return `${outOfOrder(list, misplaced)}: ${why}. Use n8n's Sort node after this one.`;
}

function outOfOrder(list: ListResource, { sort: { field, direction }, first, second }: Misplaced): string {
	const show = (row: Misplaced['first']) => `${nameOf(list, row)} with ${field} ${shownValue(row, field)}`;
	const asked = direction === 'Asc' ? 'ascending' : 'descending';
	return `${upperFirst(show(first))} comes before ${show(second)}, but ${field} ${asked} was asked for`;
}

function nameOf({ noun }: ListResource, row: Misplaced['first']): string {
	return row.Id === undefined || row.Id === null ? `a ${noun}` : `${noun} ${shownId(row)}`;
}

function shownValue(row: Misplaced['first'], field: string): string {
	const value = valueIn(row, field);
	if (value === undefined) return 'no value';
	return value === null ? 'null' : quote(value);
}

/** A note: a row contradicts the filter, but the platform does apply it. */
export function readInItsOwnWay(list: ListResource, row: Row, part: FilterNode): string {
	const { message, field } = contradiction(list, row, part);
	return `${message}. The platform applies the condition on ${field}, so it reads the value in its own way, or the row has just changed. Check that the rows are what you expect.`;
}

function contradiction(list: ListResource, row: Row, part: FilterNode): { message: string; field: string } {
	let first = part;
	while (isGroup(first) && first.filters[0]) [first] = first.filters;
	if (isGroup(first)) return { message: 'A row does not match the filter', field: 'the filter' };
	const { field, operator, value } = first;
	const asked = operator === 'Eq' ? value.slice(0, 80) : `“${inWords(operator)} ${value.slice(0, 80)}”`;
	return {
		message: `${upperFirst(nameOf(list, row))} has ${field} ${shownValue(row, field)}, but ${asked} was asked for`,
		field,
	};
}

export function onlyFirst(plural: string, rowCount: number): PlatformError {
	return new PlatformError('invalid-answer', `The platform gives only the first ${rowCount} ${plural} in this order`, {
		description: `It ignores or refuses to skip more, so the others cannot be reached. Remove the sort if there is one, set a Limit of ${rowCount} or less, or use a filter that matches fewer.`,
	});
}

export function oneRowAtATime(): PlatformError {
	return new PlatformError('invalid-answer', 'The platform sends only one row at a time', {
		description:
			"If rows change meanwhile, some could be missed without warning. Remove the sort if there is one, so that rows are read by Id; otherwise ask the platform's support for larger pages.",
	});
}

export function anotherOrder(plural: string): PlatformError {
	return new PlatformError('invalid-answer', `The order of ${plural} changes with each request`, {
		description:
			"Pages do not fit together, so some could be missing. Sort by another field, or tell the platform's support.",
	});
}

export function notJoined(plural: string): PlatformError {
	return new PlatformError('invalid-answer', `${upperFirst(plural)} changed while the list was read`, {
		description:
			'Some have no Id of their own, so it cannot be told which are missing. Run the node again, or use a filter that matches fewer.',
	});
}

export function tooRestless(): PlatformError {
	return new PlatformError('invalid-answer', 'The pages of this list do not fit together', {
		description:
			'The list changes faster than it can be read, or the platform skips other rows than it is asked to. Remove the sort if there is one, so that rows are read by Id, or narrow the filter.',
	});
}

/** A gateway answered in the middle of a reading, in place of the platform. @param what "status 404" */
export function interrupted(plural: string, what: string, status?: number): PlatformError {
	return new PlatformError('invalid-answer', `The platform answered with ${what} in the middle of the ${plural}`, {
		description:
			"Gateways answer so while the platform is being updated, so it does not count as the end of the list. Run the node again later; if this keeps happening, tell the platform's support.",
		status,
		transient: true,
	});
}

export function changedShape(plural: string): PlatformError {
	return new PlatformError('invalid-answer', `The platform changed the form of its answer while ${plural} were read`, {
		description: "Run the node again. If this keeps happening, tell the platform's support.",
	});
}

export function notCounted(plural: string, uncounted = 'its answer has no TotalCount'): PlatformError {
	return new PlatformError('invalid-answer', `The platform does not count ${plural}: ${uncounted}`, {
		description: READ_INSTEAD,
	});
}

const READ_INSTEAD = 'Get Many with Return All reads the rows themselves and gives as many items as there are.';

/** A note: rows read and rows counted, if asking once more did not explain the difference. */
export function countDiffers(plural: string, rowCount: number, totalCount: number): string {
	return `The platform sent ${rowCount} ${plural} but counts ${totalCount}: its count is not exact, or ${plural} changed while the list was read.`;
}

/** A note: whether there are more rows could not be found out. */
export function endNotProven(plural: string, rowCount: number): string {
	return `The platform sent ${rowCount} ${plural}, and it could not be proven that there are no more. Compare with the operator portal, or read them in parts with a filter.`;
}

/** A note: a list that grows was read up to where it was. */
export function grewBeyond(plural: string, lastId: string): string {
	return `More ${plural} are added than can be read meanwhile, so they were read up to Id ${lastId}. Those that came later are left out.`;
}

export function growsForEver(plural: string, rowCount: number): PlatformError {
	return new PlatformError(
		'invalid-answer',
		`The list of ${plural} has no end: ${rowCount} rows came, far more than it had`,
		{
			description:
				'It grows as fast as it is read, or the platform repeats its pages. Use a filter that new rows do not match, a time in the past for example, or set a Limit.',
		},
	);
}

/** The answer says that there are more rows, and they do not come. */
export function saysMore(plural: string, rowCount: number): PlatformError {
	return new PlatformError(
		'invalid-answer',
		`The platform says that there are more than ${rowCount} ${plural}, and sends no more`,
		{
			description: `Rows may be missing, so nothing was returned. Use a filter that matches fewer, or tell the platform's support.`,
		},
	);
}

/** A note: rows were read until no more came. */
export function readWithoutCount(plural: string, uncounted: string): string {
	return `The platform does not count ${plural} (${uncounted}), so they were read until no more came.`;
}

/** A note: the list changed, and reading it took more requests. */
export function changedMeanwhile(plural: string, times: number): string {
	const again = times === 1 ? 'once' : `${times} times`;
	return `${upperFirst(plural)} changed while the list was read. Pages were compared and read again ${again}, so none is missing or repeated.`;
}
