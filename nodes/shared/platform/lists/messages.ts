import upperFirst from 'lodash/upperFirst';

import { quote } from '../../text';
import { fieldNameIn } from '../../dsquery/fieldName';
import { inWords } from '../../dsquery/operators';
import type { Condition } from '../../dsquery/types';
import type { ListResource } from '../../resources';
import { shownId } from '../answers/envelope';
import { PlatformError } from '../answers/errors';
import type { Row } from '../types';
import type { Misplaced } from './types';

/** The platform sends the whole list whatever is asked for, so it may ignore the filter or the sort as well. */
export function notApplied(plural: string, what: 'filter' | 'sort'): PlatformError {
	const [parameter, node] = what === 'filter' ? ['Filters', 'Filter'] : ['Sort', 'Sort'];
	const message = `The platform sends all ${plural} in one answer, whatever page is asked for, so its ${what} cannot be relied on`;
	return new PlatformError('configuration', message, {
		description: `Nothing was returned, because it might not be what you asked for. Remove the entries in ${parameter} here, and use n8n's ${node} node after this one.`,
	});
}

/** Rows came that certainly do not satisfy a condition. */
export function filterIgnored(list: ListResource, row: Row, part: Condition): PlatformError {
	const message = `${contradiction(list, row, part)}: the platform does not apply the condition on ${part.field}`;
	return new PlatformError('configuration', message, {
		description: `Nothing was returned, because it would not be what you asked for. Something between n8n and the platform may drop the whole filter: tell the platform's support. Until then, remove all entries in Filters and use n8n's Filter node after this one.`,
	});
}

/** A note: a few rows do not satisfy a condition. */
export function contradicts(list: ListResource, row: Row, part: Condition): string {
	return `${contradiction(list, row, part)}: it may just have changed. Check that the rows are what you expect.`;
}

function contradiction(list: ListResource, row: Row, { field, operator, value }: Condition): string {
	const asked = operator === 'Eq' ? value.slice(0, 80) : `“${inWords(operator)} ${value.slice(0, 80)}”`;
	return `${upperFirst(nameOf(list, row))} has ${field} ${shownValue(row, field)}, but ${asked} was asked for`;
}

/** Neighbours came in another order than asked for. */
export function sortIgnored(list: ListResource, misplaced: Misplaced): PlatformError {
	const message = `${outOfOrder(list, misplaced)}: the platform does not sort by it`;
	return new PlatformError('invalid-answer', message, {
		description: `Nothing was returned, because these would not be the first ones in that order. Turn on Return All, and use n8n's Limit node after this one.`,
	});
}

/** A note: a few rows are in another order than asked for. */
export function notInOrder(list: ListResource, misplaced: Misplaced): string {
	return `${outOfOrder(list, misplaced)}: some rows may have changed while they were sorted. Use n8n's Sort node after this one.`;
}

function outOfOrder(list: ListResource, { sort: { field, direction }, first, second }: Misplaced): string {
	const show = (row: Row) => `${nameOf(list, row)} with ${field} ${shownValue(row, field)}`;
	const asked = direction === 'Asc' ? 'ascending' : 'descending';
	return `${upperFirst(show(first))} comes before ${show(second)}, but ${field} ${asked} was asked for`;
}

function nameOf({ noun }: ListResource, row: Row): string {
	return row.Id === undefined || row.Id === null ? `a ${noun}` : `${noun} ${shownId(row)}`;
}

function shownValue(row: Row, field: string): string {
	const name = fieldNameIn(row, field);
	if (name === undefined) return 'no value';
	return row[name] === null ? 'null' : quote(row[name]);
}

/** No row has a field to sort by. */
export function fieldAbsent(plural: string, field: string): PlatformError {
	return new PlatformError('configuration', `None of the ${plural} has a field ${quote(field)} to sort by`, {
		description: 'Check the name in Sort.',
	});
}

export function doNotFit(plural: string): PlatformError {
	return new PlatformError('invalid-answer', `The pages of the ${plural} do not fit together`, {
		description:
			'The list changes faster than it can be read, several rows share an Id, or the platform skips other rows than it is asked to. Remove the sort if there is one, so that rows are read by Id, or use a filter that matches fewer.',
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

export function notCounted(plural: string, uncounted = 'its answer has no TotalCount'): PlatformError {
	return new PlatformError('invalid-answer', `The platform does not count ${plural}: ${uncounted}`, {
		description: 'Get Many with Return All reads the rows themselves and gives as many items as there are.',
	});
}

/** A note: rows read and rows counted, if asking once more did not explain the difference. */
export function countDiffers(plural: string, rowCount: number, totalCount: number): string {
	return `The platform sent ${rowCount} ${plural} but counts ${totalCount}: its count is not exact, or ${plural} changed while the list was read.`;
}

/** A note: rows were read until no more came. */
export function readWithoutCount(plural: string, uncounted: string): string {
	return `The platform does not count ${plural} (${uncounted}), so they were read until no more came.`;
}

/** A note: an answer that takes no notice of the page. */
export function notPaged(plural: string): string {
	return `The platform sends all ${plural} in one answer, whatever page is asked for. None is doubled.`;
}

/** A note: the list changed while it was read by position. */
export function moved(plural: string): string {
	return `${upperFirst(plural)} changed while the list was read. Those that moved meanwhile may be missing.`;
}
