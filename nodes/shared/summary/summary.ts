import uniq from 'lodash/uniq';
import type { IDataObject } from 'n8n-workflow';

import { findKnownField } from '../dsquery/listSchema';
import { selectNotes } from '../operation/notes';
import { PlatformError, type Connection } from '../platform';
import { aggregatorsOf, type AggregatedRows } from './rowAggregator';
import { ItemWriter } from './items';
import { listingsOf } from './listing';
import { NOTES } from './notes';
import type { SummaryPlan } from './plan';

/**
 * The items and notes of what was collected.
 *
 * @param namesOf names of fields as messages list them
 * @throws PlatformError if no row has a field that groups or times need
 */
export function summaryOf(
	plan: SummaryPlan,
	collected: AggregatedRows,
	namesOf: Connection['namesOf'],
): { items: IDataObject[]; notes: string[] } {
	const names = namesOf(uniq(aggregatorsOf(collected).flatMap((rows) => [...rows.names])));
	const absent = absentFields(plan, collected, names);
	const empty = absent.filter((field) => findKnownField(plan.list, field) === undefined);
	const listings = listingsOf(plan, collected);
	const items = new ItemWriter(plan, collected, empty).items(listings);
	return { items, notes: selectNotes(NOTES, { plan, collected, listings, absent, empty, names }) };
}

/** The measured fields that no row has. Without the others there is no summary. */
function absentFields(
	{ rows, groupBy, dateField, list, measures }: SummaryPlan,
	collected: AggregatedRows,
	names: string,
): string[] {
	if (aggregatorsOf(collected).every(({ all }) => all.count === 0)) return [];
	const isAbsent = (field: string) => !aggregatorsOf(collected).some(({ fields }) => fields.hasSeen(field));
	const need = (field: string, parameter: string, purpose: string) => {
		if (!isAbsent(field)) return;
		throw new PlatformError('configuration', `None of the ${rows} has a field ${field} ${purpose}`, {
			description: `Check the name in ${parameter}. The ${rows} have: ${names}.`,
		});
	};
	for (const dimension of groupBy) {
		if (dimension.by === 'field') need(dimension.field, 'Group By Field', 'to group by');
	}
	if (dateField !== undefined && !findKnownField(list, dateField)) need(dateField, 'Date Field', 'to take times from');
	return uniq(measures.map(({ field }) => field)).filter(isAbsent);
}
