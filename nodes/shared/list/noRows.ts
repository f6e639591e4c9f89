import { conditionsIn } from '../dsquery/compose';
import { quote } from '../text';
import { inWords } from '../dsquery/operators';
import { isGroup, type FilterNode, type Group } from '../dsquery/types';

/** More conditions than this are not repeated in a note. */
const MOST_SHOWN = 10;
const TIME = /^\d{4}-\d\d-\d\dT/;
const LETTER = /\p{L}/u;

/**
 * Says that no row matches, and what was asked for, so that a person sees which value was wrong.
 *
 * @param plural what the rows are called: "charging sessions"
 */
export function nothingMatches(plural: string, filter: Group): string {
	const conditions = conditionsIn(filter);
	const asked = conditions.length > MOST_SHOWN ? `${conditions.length} conditions together` : wordsOf(filter);
	const times = conditions.filter(({ value }) => TIME.test(value));
	return [
		`None of the ${plural} matches the filter: ${asked}.`,
		...(times.length > 0 ? ['Times are in UTC.'] : []),
		...aboutTexts(filter),
	].join(' ');
}

/** What to think of where no row has the texts of a filter. Nothing for a filter without text. */
export function aboutTexts(filter: Group): string[] {
	const hasText = conditionsIn(filter).some(({ value }) => LETTER.test(value) && !TIME.test(value));
	return hasText ? ['In text, upper and lower case may count as different.'] : [];
}

function wordsOf(node: FilterNode): string {
	if (!isGroup(node)) return `${node.field.slice(0, 80)} ${inWords(node.operator)} ${quote(node.value)}`;
	const parts = node.filters.map((part) =>
		isGroup(part) && part.filters.length > 1 ? `(${wordsOf(part)})` : wordsOf(part),
	);
	return parts.join(` ${String(node.logic).toLowerCase()} `);
}
