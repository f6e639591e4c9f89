import groupBy from 'lodash/groupBy';
import isNil from 'lodash/isNil';

import { and, condition } from '../../shared/dsquery/compose';
import { knownField } from '../../shared/dsquery/catalogue';
import { counted } from '../../shared/text';
import { identityOf, idsAreOrdered, isSame, largeId, type Row } from '../../shared/platform';
import { fine, handled, limited, type ListCheck, unclear, type Verdict } from './findings';
import { byId, type ListProbe } from './listProbe';

/** Whether a date of that name may say that a row is over. */
const looksLikeEnd = (name: string): boolean => /^(End|Stop|Finish|Complet)\w{0,30}$/i.test(name);

/** How the rows are wrapped. */
async function envelope(list: ListProbe): Promise<Verdict> {
	const { facts } = await list.first();
	const evidence = `Items: ${facts.items}, TotalCount: ${facts.total}`;
	if (facts.form === 'envelope' && facts.items === 'list') return fine('Rows come in Items, as specified.', evidence);
	if (facts.form === 'nothing') return handled('An empty list comes as an answer without content.', evidence);
	return handled('Rows come in another form than specified. The nodes find them by themselves.', evidence);
}

/** Whether names are spelled as specified. */
async function names(list: ListProbe): Promise<Verdict> {
	const { came, facts } = await list.first();
	const others = facts.otherCases;
	if (others.length > 0) {
		const text = 'Names come in another case. The nodes give their rows the names of the specification.';
		return handled(text, `in another case: ${list.namesOf(others)}`);
	}
	return came === 0 ? NO_ROWS : fine('Names are spelled as specified.');
}

const NO_ROWS = unclear('The list has no rows to look at.');

/** What the Ids are, and whether they are sorted and compared as numbers. */
async function ids(list: ListProbe): Promise<Verdict> {
	const ascending = (await list.attempt(byId('Asc')))?.rows ?? [];
	const descending = (await list.attempt(byId('Desc')))?.rows ?? [];
	const sample = await list.sample();
	const rows = ascending.length > 0 ? [...ascending, ...descending] : sample;
	const kinds = groupBy(rows, ({ Id: id }) => (id === '' ? 'empty text' : isNil(id) ? 'none' : typeof id));
	const evidence = Object.entries(kinds)
		.map(([kind, having]) => `${kind}: ${having.length} of ${rows.length}`)
		.join(', ');
	if (rows.length === 0) return NO_ROWS;
	const byPosition = 'The nodes read this list by position, with pages that overlap, and stop if pages do not join.';
	const withId = rows.filter((row) => identityOf(row) !== undefined);
	if (withId.length < rows.length)
		return handled(`${withId.length === 0 ? 'Rows' : 'Some rows'} have no Id. ${byPosition}`, evidence);
	if (rows.some((row) => largeId(row) !== undefined)) {
		return limited('Some Ids are too large to be read exactly: the nodes refuse these rows.', evidence);
	}
	const page = ascending.length > 0 ? ascending : sample;
	const own = new Set(page.map(identityOf)).size;
	if (own < page.length) {
		return handled(`Some rows share an Id. ${byPosition}`, `${evidence}; ${own} different ones in ${page.length} rows`);
	}
	if (rows.some(({ Id: id }) => typeof id !== 'number')) return handled(`Ids are text. ${byPosition}`, evidence);
	if (isInTextOrder(ascending)) return handled(`Ids are numbers, but sorted as text. ${byPosition}`, evidence);
	return await comparedIds(list, sample, evidence);
}

const ENOUGH_ROWS = 5;

/** Whether Ids come in the order of their text: 1, 10, 2. */
export function isInTextOrder(rows: readonly Row[]): boolean {
	// A few numbers may be in this order by chance: 100, 20, 3.
	if (rows.length < ENOUGH_ROWS || idsAreOrdered(rows, 1) || rows.some(({ Id: id }) => typeof id !== 'number'))
		return false;
	const texts = rows.map(({ Id: id }) => String(id));
	return texts.every((text, index) => index === 0 || String(texts[index - 1]) < text);
}

/** Asks for a row by a comparison of its Id that is true of numbers, and by one that is true of text. */
async function comparedIds(list: ListProbe, sample: readonly Row[], evidence: string): Promise<Verdict> {
	const whole = `Ids are ${sample.every(({ Id: id }) => Number.isInteger(id)) ? 'whole ' : ''}numbers.`;
	const pair = sample.flatMap((low) => {
		const high = sample.find(({ Id: id }) => Number(id) > Number(low.Id) && String(id) < String(low.Id));
		return high ? [{ low: String(low.Id), high }] : [];
	})[0];
	if (!pair) return fine(`${whole} Whether conditions compare them as numbers does not show in these rows.`, evidence);
	const { low, high } = pair;
	const brings = async (operator: 'Gt' | 'Lt') => {
		const rows = await list.rows(and(condition('Id', 'Eq', String(high.Id)), condition('Id', operator, low)));
		return rows?.some((row) => isSame(row, high)) ?? false;
	};
	const [asNumber, asText] = [await brings('Gt'), await brings('Lt')];
	const compared = `${evidence}; found as a number: ${asNumber}, as text: ${asText}`;
	if (asNumber && !asText) return fine(`${whole} Conditions compare them as numbers.`, compared);
	if (asText && !asNumber) {
		const text =
			'Conditions compare Ids as text. The nodes notice and read by position; filter by Id with Equals only.';
		return handled(text, compared);
	}
	const text = 'Conditions on Id are not applied as specified. Leave them out, and use n8n’s Filter node instead.';
	return limited(text, compared);
}

/** The fields, with those beyond the specification. */
async function fields(list: ListProbe): Promise<Verdict> {
	const { resource } = list;
	const rows = await list.sample();
	const seen = await list.fields();
	if (rows.length === 0) return NO_ROWS;
	const others = seen.filter(({ name }) => name !== 'Id' && !knownField(resource, name));
	const having = (name: string) => rows.filter((row) => Object.hasOwn(row, name)).length;
	const evidence = [
		`known: ${list.namesOf(seen.filter((field) => !others.includes(field)).map(({ name }) => name))}`,
		`others: ${list.namesOf(others.map(({ name, type }) => `${list.namesOf([name])} (${type ?? 'list or object'})`)) || 'none'}`,
	].join('; ');
	// The specification shows it only where the vendor provides one.
	const expected = resource.fields.map(({ name }) => name).filter((name) => name !== 'HardwareStatus');
	const missing = expected.filter((name) => having(name) === 0);
	if (missing.length > 0) {
		const text = `No row has ${list.namesOf(missing)}. What needs it stays empty: choose other fields under Any Other Field.`;
		return limited(text, evidence);
	}
	const text =
		others.length > 0
			? `There are ${counted(others.length, 'field')} beyond the specification.`
			: 'Fields are those specified.';
	const left = seen.filter(({ name }) => name !== 'HardwareStatus' && having(name) < rows.length);
	if (left.length === 0) return fine(`${text} All of them can be used in filters, sorts and outputs.`, evidence);
	const without = `${text} Fields without a value are left out of the row. The nodes treat them as empty.`;
	return handled(without, `${evidence}; left out of some rows: ${list.namesOf(left.map(({ name }) => name))}`);
}

const AS_SPECIFIED = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;

/** How times are written, and which of them look like an end. */
async function times(list: ListProbe): Promise<Verdict> {
	const rows = await list.sample();
	const dates = (await list.fields()).filter(({ type }) => type === 'date').map(({ name }) => name);
	const values = dates.flatMap((name) => rows.map((row) => row[name])).filter((value) => typeof value === 'string');
	const ends = dates.filter(looksLikeEnd);
	const odd = values.filter((value) => !AS_SPECIFIED.test(value));
	const fractions = odd.filter((value) => /:\d\d\.\d/.test(value)).length;
	const zones = odd.filter((value) => /(?:Z|[+-]\d\d:?\d\d)$/i.test(value)).length;
	const evidence = [
		`fields with times: ${list.namesOf(dates) || 'none'}`,
		`${values.length} values, ${odd.length} in another form`,
		`${fractions} with fractions of a second, ${zones} with a zone`,
		...ends.map(
			(name) =>
				`${list.namesOf([name])}: filled in ${rows.filter((row) => !isNil(row[name])).length} of ${rows.length} rows`,
		),
	].join('; ');
	const end =
		ends.length > 0 ? `${list.namesOf(ends)} looks like the end of a row.` : 'No time looks like the end of a row.';
	if (values.length === 0) return fine('No field holds a time in these rows.');
	if (odd.length === 0) return fine(`Times are written as specified, in UTC. ${end}`, evidence);
	return handled(`Times are written in another form than specified. The nodes read it. ${end}`, evidence);
}

export const SHAPE_CHECKS: readonly ListCheck[] = [
	{ name: 'Envelope', mostRequests: 1, find: envelope },
	{ name: 'Names', mostRequests: 1, find: names },
	{ name: 'Ids', mostRequests: 5, find: ids },
	{ name: 'Fields', mostRequests: 2, find: fields },
	{ name: 'Times', mostRequests: 2, find: times },
];
