import uniq from 'lodash/uniq';

import { type NoteRules } from '../operation/notes';
import { quote } from '../text';
import { aggregatorsOf, fieldNameInRows, type AggregatedRows } from './rowAggregator';
import { parseGroupOrder, type Listing } from './listing';
import { measureInWords, measureKey, MEASURES } from './measures';
import type { SummaryPlan } from './plan';

/** What decides which notes there are. */
interface SummaryFacts {
	plan: SummaryPlan;
	collected: AggregatedRows;
	listings: readonly Listing[];
	/** Measured fields that no row has, and those of them that the specification does not name. */
	absent: readonly string[];
	empty: readonly string[];
	/** The fields that rows have, as messages list them. */
	names: string;
}

export const NOTES: NoteRules<SummaryFacts> = {
	cut: {
		text: (facts) => facts.listings.filter(({ others }) => others.length > 0).map((one) => cut(one, facts)),
	},
	absent: {
		text: ({ absent, empty, names, plan: { rows } }) =>
			absent.map(
				(field) =>
					`None of the ${rows} has a field ${field}, so its figures are ${empty.includes(field) ? 'empty' : '0 or empty'}. If this is not a quiet period, check the name in Measures. The ${rows} have: ${names}.`,
			),
	},
	unknownStatus: {
		text: ({ plan, collected }) => {
			const [first, ...others] = aggregatorsOf(collected);
			const names = [...(first?.unseenNames ?? [])].filter((name) =>
				others.every(({ unseenNames }) => unseenNames.has(name)),
			);
			if (names.length === 0 || aggregatorsOf(collected).every(({ all }) => all.count === 0)) return [];
			return `None of the ${plan.rows} has the status ${names.map((name) => quote(name)).join(', ')}, so Success Rate does not count it. If your platform sends statuses as numbers, enter these in Finished Status Codes and Failed Status Codes, with commas between them: 4, 5.`;
		},
	},
	odd: {
		text: ({ plan: { rows, dateField, measures }, collected }) =>
			aggregatorsOf(collected).flatMap((each) => {
				const which = each === collected.earlier ? 'earlier ' : '';
				const have = (count: number) =>
					count === 1 ? `One ${which}${rows.replace(/s$/, '')} has` : `${count} ${which}${rows} have`;
				const unusable = measures.flatMap(({ field, function: name }, index) => {
					const count = each.all.unusable[index] ?? 0;
					const what = `something other than ${MEASURES[name].needs} in ${field}`;
					return count === 0 ? [] : [`${have(count)} ${what}. The figures of that field leave it out.`];
				});
				const timeless = `${have(each.withoutTime)} no valid time in ${dateField}. They are counted, but belong to no day.`;
				return uniq(each.withoutTime > 0 ? [...unusable, timeless] : unusable);
			}),
	},
	compared: {
		when: ({ plan: { earlier } }) => earlier !== undefined,
		text: ({ plan: { rows, earlier } }) =>
			earlier?.days
				? `Compared with the ${rows} from ${earlier.days.from} to ${earlier.days.to}.`
				: 'There is no earlier time to compare with: 29 February is only in leap years, and an hour that clocks skip is not there. So the columns of the earlier time, and those of the change, are null.',
	},
};

function cut({ dimensions, shown, others }: Listing, { plan, collected }: SummaryFacts): string {
	const { rows, minimumSessions, result, showAllOthers } = plan;
	const [dimension] = dimensions;
	const isOwn = result === 'oneItem' && dimension?.by === 'field';
	const what = isOwn ? `Values of ${fieldNameInRows(collected, dimension.field)}` : 'Groups';
	const least = minimumSessions > 0 ? ` among those with at least ${minimumSessions} ${rows}` : '';
	const where =
		isOwn || showAllOthers
			? `All others together (${others.length}) are in ${isOwn ? 'otherValues' : 'the last item'}.`
			: `All others (${others.length}) are left out; Options > Show All Others adds them as one item.`;
	return `${what} are ordered ${order(plan)}: you get the first ${shown.length}${least}. ${where}`;
}

function order({ orderGroupsBy, measures, rows }: SummaryPlan): string {
	const { key, isLowest } = parseGroupOrder(orderGroupsBy);
	const measure = measures.find((each) => measureKey(each) === key);
	if (measure) return `by ${measureInWords(measure)}, ${isLowest ? 'lowest' : 'highest'} first`;
	return key === 'group' ? 'by name, code or time' : `by number of ${rows}, most first`;
}
