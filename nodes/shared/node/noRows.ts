import uniq from 'lodash/uniq';

import { conditionsIn, or } from '../dsquery/compose';
import { quote } from '../dsquery/faults';
import { inWords } from '../dsquery/operators';
import { casesOf, otherSpelling, textsOf } from '../dsquery/spelling';
import { isGroup, type Condition, type FilterNode, type Group } from '../dsquery/types';
import type { PlatformList, Row } from '../platform';

/** More conditions than this are not repeated in a note. */
const MOST_SHOWN = 10;
/** Texts whose spelling is looked up, and rows that are read for it. */
const MOST_TEXTS = 5;
const SAMPLE_SIZE = 100;
const TIME = /^\d{4}-\d\d-\d\dT/;
const LETTER = /\p{L}/u;
const TRUTH = /^(?:true|false)$/i;

/**
 * Says that no row matches, and what was asked for, so that a person sees which value was wrong.
 *
 * @param plural what the rows are called: "charging sessions"
 * @param spellings what `otherSpellings` found
 */
export function nothingMatches(plural: string, filter: Group, spellings: readonly string[] = []): string {
	const conditions = conditionsIn(filter);
	const asked = conditions.length > MOST_SHOWN ? `${conditions.length} conditions together` : wordsOf(filter);
	const times = conditions.filter(({ value }) => TIME.test(value));
	const texts = conditions.filter((each) => !times.includes(each) && LETTER.test(each.value));
	return [
		`None of the ${plural} matches the filter: ${asked}.`,
		...(times.length > 0 ? ['Times are in UTC.'] : []),
		...(texts.length > 0 ? ['In text, upper and lower case may count as different.'] : []),
		...spellings,
	].join(' ');
}

/**
 * Looks up whether the list has the texts of a filter with other capitals, and names those it has. At most two requests:
 * for the usual spellings, then for any rows of the list. What the platform refuses here is left out: the run is done.
 *
 * @returns a sentence for each text: `The list has LocationName "Zürich Market", not "zürich market".`
 */
export async function otherSpellings(list: PlatformList, filter: Group): Promise<string[]> {
	const texts = conditionsIn(filter)
		.flatMap(textsOf)
		.filter(({ value }) => !TRUTH.test(value) && !TIME.test(value))
		.slice(0, MOST_TEXTS);
	if (texts.length === 0) return [];
	const usual = texts.flatMap(({ field, operator, value }) =>
		casesOf(value).map((text) => ({ field, operator, value: text })),
	);
	const pager = { skip: 0, take: SAMPLE_SIZE };
	const read = async (which?: Group) => {
		const page = list.page({ filter: which, sorts: [], pager });
		return (await page.catch(() => ({ rows: [] }))).rows;
	};
	const found = sentences(texts, await read(or(...usual)));
	return found.length > 0 ? found : sentences(texts, await read());
}

function sentences(texts: readonly Condition[], rows: readonly Row[]): string[] {
	const all = texts.flatMap((text) => {
		const spelling = otherSpelling(text, rows);
		return spelling === undefined
			? []
			: [`The list has ${text.field.slice(0, 80)} ${quote(spelling)}, not ${quote(text.value)}.`];
	});
	return uniq(all);
}

function wordsOf(node: FilterNode): string {
	if (!isGroup(node)) return `${node.field.slice(0, 80)} ${inWords(node.operator)} ${quote(node.value)}`;
	const parts = node.filters.map((part) =>
		isGroup(part) && part.filters.length > 1 ? `(${wordsOf(part)})` : wordsOf(part),
	);
	return parts.join(` ${String(node.logic).toLowerCase()} `);
}
