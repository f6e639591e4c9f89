import partition from 'lodash/partition';
import uniq from 'lodash/uniq';
import type { IDataObject } from 'n8n-workflow';

import { knownField } from '../dsquery/catalogue';
import { notesOn } from '../operation/notes';
import { PlatformError, type Connection } from '../platform';
import { eachOf, type Collected } from './collector';
import { ItemWriter } from './items';
import { NOTES } from './notes';
import type { Plan } from './plan';
import { listingsOf } from './ranking';

/**
 * The items and notes of what was collected.
 *
 * @param namesOf names of fields as messages list them
 * @throws PlatformError if no row has a field that groups, times or a measure need
 */
export function summaryOf(
	plan: Plan,
	collected: Collected,
	namesOf: Connection['namesOf'],
): { items: IDataObject[]; notes: string[] } {
	const names = namesOf(uniq(eachOf(collected).flatMap((rows) => [...rows.names])));
	const isKnown = (field: string) => knownField(plan.list, field) !== undefined;
	const absent = absentFields(plan, collected, names);
	const [known, empty] = partition(absent, isKnown);
	const listings = listingsOf(plan, collected);
	const facts = { plan, collected, listings, absent: [...empty, ...known], empty, names };
	return { items: new ItemWriter(plan, collected, empty).items(listings), notes: notesOn(NOTES, facts) };
}

/** The measured fields that no row has. Without the others there is no summary. */
function absentFields(plan: Plan, collected: Collected, names: string): string[] {
	const { rows, groupBy, dateField, list, measures } = plan;
	if (eachOf(collected).every(({ all }) => all.count === 0)) return [];
	const isAbsent = (field: string) => !eachOf(collected).some(({ spelling }) => spelling.has(field));
	const need = (field: string, parameter: string, purpose: string) => {
		if (!isAbsent(field)) return;
		throw new PlatformError('configuration', `None of the ${rows} has a field ${field} ${purpose}`, {
			description: `Check the name in ${parameter}. The ${rows} have: ${names}.`,
		});
	};
	for (const dimension of groupBy) {
		if (dimension.by === 'field') need(dimension.field, 'Group By Field', 'to group by');
	}
	if (dateField !== undefined && !knownField(list, dateField)) need(dateField, 'Date Field', 'to take times from');
	return uniq(measures.map(({ field }) => field)).filter(isAbsent);
}
