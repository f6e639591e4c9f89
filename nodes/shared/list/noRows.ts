import { conditionsIn } from '../dsquery/compose';
import type { FilterGroup } from '../dsquery/types';
import { textFilterAdvice, TIME, filterInWords } from '../dsquery/words';

/** More conditions than this are not repeated in a note. */
const MOST_SHOWN = 10;

/**
 * Says that no row matches, and what was asked for, so that a person sees which value was wrong.
 *
 * @param plural what the rows are called: "charging sessions"
 */
export function noRowsNote(plural: string, filter: FilterGroup): string {
	const conditions = conditionsIn(filter);
	const asked = conditions.length > MOST_SHOWN ? `${conditions.length} conditions together` : filterInWords(filter);
	const times = conditions.filter(({ value }) => TIME.test(value));
	return [
		`None of the ${plural} matches the filter: ${asked}.`,
		...(times.length > 0 ? ['Times are in UTC.'] : []),
		...textFilterAdvice(filter),
	].join(' ');
}
