import upperFirst from 'lodash/upperFirst';

import { quote } from '../../text';
import { PlatformError } from '../answers/errors';

/** The platform sends the whole list whatever is asked for, so it may ignore the filter or the sort as well. */
export function notApplied(plural: string, what: 'filter' | 'sort'): PlatformError {
	const [parameter, node] = what === 'filter' ? ['Filters', 'Filter'] : ['Sort', 'Sort'];
	const message = `The platform sends all ${plural} in one answer, whatever page is asked for, so its ${what} cannot be relied on`;
	return new PlatformError('configuration', message, {
		description: `Nothing was returned, because it might not be what you asked for. Remove the entries in ${parameter} here, and use n8n's ${node} node after this one.`,
	});
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

export function notCounted(plural: string): PlatformError {
	return new PlatformError(
		'invalid-answer',
		`The platform does not count ${plural}: its answer has no TotalCount that is a number`,
		{
			description: 'Get Many with Return All reads the rows themselves and gives as many items as there are.',
		},
	);
}

/** A note: rows read and rows counted, if asking once more did not explain the difference. */
export function countDiffers(plural: string, rowCount: number, totalCount: number): string {
	return `The platform sent ${rowCount} ${plural} but counts ${totalCount}: its count is not exact, or ${plural} changed while the list was read.`;
}

/** A note: an answer that takes no notice of the page. */
export function notPaged(plural: string): string {
	return `The platform sends all ${plural} in one answer, whatever page is asked for. None is doubled.`;
}

/** A note: the list changed while it was read by position. */
export function moved(plural: string): string {
	return `${upperFirst(plural)} changed while the list was read. Those that moved meanwhile may be missing.`;
}
