import { countedStatus } from '../dsquery/catalogue';
import { notesOn, type Notes } from '../operation/notes';
import { eachOf, spellingIn, statusCodesOf, type Collected, type Collector } from './collector';
import { alike, type Dimension } from './groups';
import { measureInWords, measureKey } from './measures';
import type { Plan } from './plan';
import { orderedBy, type Listing } from './ranking';

/** What decides which notes there are. */
interface Facts {
	plan: Plan;
	collected: Collected;
	listings: readonly Listing[];
	/** Measured fields that no row has, and those of them that the specification does not name. */
	absent: readonly string[];
	empty: readonly string[];
	/** The fields that rows have, as messages list them. */
	names: string;
}

export const NOTES: Notes<Facts> = {
	cut: {
		text: (facts) => facts.listings.filter(({ others }) => others.length > 0).map((one) => cut(one, facts)),
	},
	ordered: {
		when: ({ plan, listings }) => plan.isOrderedByMaxGroups === true && listings.some(isOrdered(plan)),
		text: ({ plan }) =>
			`Max Groups is set, so groups are ordered ${order(plan)}. For another order, add the option Order Groups By.`,
	},
	absent: {
		text: ({ absent, empty, names, plan: { rows } }) =>
			absent.map(
				(field) =>
					`None of the ${rows} has a field ${field}, so its figures are ${empty.includes(field) ? 'empty' : '0 or empty'}. If this is not a quiet period, check the name in Measures. The ${rows} have: ${names}.`,
			),
	},
	odd: {
		text: ({ plan, collected }) =>
			eachOf(collected).flatMap((rows) => {
				const [which, one] = [rows === collected.earlier ? 'earlier ' : '', plan.rows.replace(/s$/, '')];
				const have = (count: number) => (count === 1 ? `One ${which}${one} has` : `${count} ${which}${plan.rows} have`);
				return notesOn(OF_ROWS, { plan, rows, have });
			}),
	},
	alike: {
		text: ({ plan, collected }) => plan.groupBy.flatMap((each, index) => looksAlike(each, index, plan, collected)),
	},
	compared: {
		when: ({ plan: { earlier } }) => earlier?.days !== undefined,
		text: ({ plan: { rows, earlier } }) =>
			`Compared with the ${rows} from ${earlier?.days?.from} to ${earlier?.days?.to}.`,
	},
};

interface RowFacts {
	plan: Plan;
	rows: Collector;
	/** "3 earlier sessions have" */
	have(count: number): string;
}

/** What is odd about the rows, or about the earlier ones. */
const OF_ROWS: Notes<RowFacts> = {
	strange: {
		text: ({ rows, have }) =>
			[...rows.strange.values()].map(
				({ field, need, rows: count }) =>
					`${have(count)} something other than ${need} in ${field}. The figures of that field leave it out.`,
			),
	},
	withoutTime: {
		when: ({ rows }) => rows.withoutTime > 0,
		text: ({ rows, plan, have }) =>
			`${have(rows.withoutTime)} no valid time in ${plan.dateField}. They are counted, but belong to no day.`,
	},
	statusObjects: {
		when: ({ rows }) => rows.statusObjects > 0,
		text: ({ rows, have }) => `${have(rows.statusObjects)} an object as Status. The Id in it is taken as the code.`,
	},
	statusNames: {
		when: ({ rows }) => rows.named > 0,
		text: ({ rows, plan, have }) => {
			const codes = [...rows.statusNames].map((name) => `“${name}” as ${countedStatus(statusCodesOf(plan), name)}`);
			return `${have(rows.named)} a name as Status. It is taken as its code: ${codes.join(', ')}.`;
		},
	},
};

function cut({ dimensions, shown, others }: Listing, { plan, collected }: Facts): string {
	const { rows, minimumSessions, result, showAllOthers } = plan;
	const [dimension] = dimensions;
	const isOwn = result === 'oneItem' && dimension?.by === 'field';
	const what = isOwn ? `Values of ${spellingIn(collected, dimension.field)}` : 'Groups';
	const least = minimumSessions > 0 ? ` among those with at least ${minimumSessions} ${rows}` : '';
	const where =
		isOwn || showAllOthers
			? `All others together (${others.length}) are in ${isOwn ? 'otherValues' : 'the last item'}.`
			: `All others (${others.length}) are left out; Options > Show All Others adds them as one item.`;
	return `${what} are ordered ${order(plan)}: you get the first ${shown.length}${least}. ${where}`;
}

/** Tells whether a list comes in the order of the plan, without the note that some of it is left out. */
function isOrdered({ result }: Plan): (listing: Listing) => boolean {
	return ({ dimensions, shown, others }) =>
		shown.length > 1 &&
		others.length === 0 &&
		(result === 'itemPerGroup' || dimensions.some(({ by }) => by === 'field'));
}

function order({ orderGroupsBy, measures, rows }: Plan): string {
	const { key, isLowest } = orderedBy(orderGroupsBy);
	const measure = measures.find((each) => measureKey(each) === key);
	if (measure) return `by ${measureInWords(measure)}, ${isLowest ? 'lowest' : 'highest'} first`;
	return key === 'group' ? 'by name, code or time' : `by number of ${rows}, most first`;
}

/** Values that make several groups, but look like one. */
function looksAlike(dimension: Dimension, index: number, { result, rows }: Plan, collected: Collected): string[] {
	if (dimension.by !== 'status' && dimension.by !== 'field') return [];
	// The breakdown, and the place in it.
	const [breakdown, place] = result === 'oneItem' ? [index + 1, 0] : [1, index];
	const groups = eachOf(collected).flatMap((each) => [...(each.groups[breakdown] ?? [])]);
	const pair = alike(groups.map(([, { values }]) => values[place] ?? null));
	if (!pair) return [];
	const [one, other] = pair.map((value) => `“${String(value).slice(0, 40)}”`);
	const how =
		typeof pair[0] === typeof pair[1]
			? `${one} and ${other}, which differ only in capitals`
			: `${one} as a number in some ${rows} and as text in others`;
	return [`${dimension.by === 'field' ? dimension.field : 'Status'} has ${how}: each is a group of its own.`];
}
