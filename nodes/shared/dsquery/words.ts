import { quote } from '../text';
import { conditionsIn } from './compose';
import { operatorInWords } from './operators';
import { isFilterGroup, type FilterNode, type FilterGroup } from './types';

/** A value that is a time. */
export const TIME = /^\d{4}-\d\d-\d\dT/;
const LETTER = /\p{L}/u;

/** What to check if no row has the texts of a filter. Nothing for a filter without text. */
export function textFilterAdvice(filter: FilterGroup): string[] {
	const hasText = conditionsIn(filter).some(({ value }) => LETTER.test(value) && !TIME.test(value));
	return hasText ? ['In text, upper and lower case may count as different.'] : [];
}

/** A filter in words, such as "Status is any of \"4,6\"". */
export function filterInWords(node: FilterNode): string {
	if (!isFilterGroup(node)) return `${node.field.slice(0, 80)} ${operatorInWords(node.operator)} ${quote(node.value)}`;
	const parts = node.filters.map((part) =>
		isFilterGroup(part) && part.filters.length > 1 ? `(${filterInWords(part)})` : filterInWords(part),
	);
	return parts.join(` ${node.logic.toLowerCase()} `);
}
