import isEqual from 'lodash/isEqual';
import partition from 'lodash/partition';
import uniq from 'lodash/uniq';

import { findKnownField } from '../../shared/dsquery/listSchema';
import { type Row } from '../../shared/platform';
import type { ListResource } from '../../shared/resources';
import { formatCount } from '../../shared/text';
import { containsRow } from './probeClient';
import { check, type CheckedList, pageEvidence } from './check';
import { asSpecifiedVerdict, worksAroundVerdict, limitsVerdict, cannotTellVerdict, type Verdict } from './findings';
import { failureEvidence } from './failureTexts';

// Checks of what the first and the last rows show.

/** The specification shows it only where the vendor provides one. */
const isOptional = (name: string) => name === 'HardwareStatus';

export const fields = check({
	name: 'Fields',
	expect({ list, facts, rows, namesOf }) {
		const names = Object.keys(facts.fields);
		const others = uniq(rows.flatMap(Object.keys)).filter((name) => name !== 'Id' && !findKnownField(list, name));
		const evidence = names.map((name) => `${namesOf([name])} (${facts.fields[name]})`).join(', ');
		const expected = list.fields.map(({ name }) => name).filter((name) => !isOptional(name));
		const missing = expected.filter((name) => !names.includes(name));
		if (missing.length > 0) {
			const text = `No row has ${namesOf(missing)}. What needs it stays empty: choose other fields under Any Other Field.`;
			return limitsVerdict(text, evidence);
		}
		const extra =
			others.length > 0 ? `There are ${formatCount(others.length, 'field')} beyond the specification. ` : '';
		const inText = namesOfType(list, 'number').filter((name) => facts.fields[name]?.includes('text'));
		const odd = inText.filter((name) => rows.some((row) => !isNumeric(row[name])));
		if (odd.length > 0) {
			const text = `${extra}${hold(odd, namesOf)} something other than numbers: figures leave these rows out.`;
			return limitsVerdict(text, evidence);
		}
		const leftOut = facts.leftOut.filter((name) => !isOptional(name));
		const handledHere = [
			facts.casing === 'camelCase' && 'Names are in camelCase. The nodes read them.',
			inText.length > 0 && `${namesOf(inText)} is a number that is written as text. The nodes read it.`,
			leftOut.length > 0 && 'Fields without a value are left out of the row. The nodes treat them as empty.',
		].filter((text) => text !== false);
		if (handledHere.length === 0) return asSpecifiedVerdict(extra.trim() || 'Fields are those specified.', evidence);
		const without = leftOut.length > 0 ? `; left out of some rows: ${namesOf(leftOut)}` : '';
		return worksAroundVerdict(`${extra}${handledHere.join(' ')}`, `${evidence}${without}`);
	},
});

/** "Status holds", "Status, HardwareStatus hold" */
function hold(names: readonly string[], namesOf: CheckedList['namesOf']): string {
	return `${namesOf(names)} ${names.length === 1 ? 'holds' : 'hold'}`;
}

function namesOfType({ fields: known }: ListResource, wanted: 'number' | 'date' | 'code'): string[] {
	return known.filter(({ name, type }) => type === wanted && name !== 'Id').map(({ name }) => name);
}

const isNumeric = (value: unknown) => typeof value !== 'string' || /^-?\d{1,40}(?:\.\d{1,40})?$/.test(value.trim());

/** A time of such a name may say that a row is over. It is named, not interpreted. */
const END_NAME = /^(End|Stop|Finish|Complet)/i;

export const times = check({
	name: 'Times',
	expect({ list, facts, namesOf }) {
		const kindsOf = (name: string) => facts.fields[name]?.split(' or ') ?? [];
		const isTime = (kind: string) => kind.startsWith('time');
		const found = Object.keys(facts.fields).filter((name) => kindsOf(name).some(isTime));
		const evidence = found.map((name) => `${namesOf([name])}: ${facts.fields[name]}`).join(', ');
		const expected = namesOfType(list, 'date').filter((name) => kindsOf(name).some((kind) => kind !== 'nothing'));
		const odd = expected.filter((name) => !kindsOf(name).every(isTime));
		if (odd.length > 0) {
			const text = `${hold(odd, namesOf)} something other than times: periods, and what is made of it, leave these rows out.`;
			return limitsVerdict(text, odd.map((name) => `${namesOf([name])}: ${facts.fields[name]}`).join(', '));
		}
		const ends = found.filter((name) => END_NAME.test(name));
		const end = ends.length > 0 ? ` ${namesOf(ends)} may be the end of a row.` : '';
		if (found.flatMap(kindsOf).some((kind) => isTime(kind) && kind !== 'time'))
			return worksAroundVerdict(`Times are written in another form than specified. The nodes read it.${end}`, evidence);
		if (found.length > 0) return asSpecifiedVerdict(`Times are written as specified.${end}`, evidence);
		return namesOfType(list, 'date').length > 0
			? cannotTellVerdict('No row has a time.')
			: asSpecifiedVerdict('No field holds a time.');
	},
});

export const codes = check({
	name: 'Status codes',
	expect({ list, facts, namesOf }) {
		const names = Object.keys(facts.codes);
		if (names.length === 0) return asSpecifiedVerdict('No field is a status.');
		const codesOf = (name: string) => Object.keys(facts.codes[name] ?? {});
		const listed = names.map((name) => {
			const each = Object.entries(facts.codes[name] ?? {}).map(([code, rows]) => `${code} × ${rows}`);
			return `${namesOf([name])}: ${each.slice(0, 30).join(', ')}`;
		});
		const evidence = listed.join('; ');
		const filled = names.filter((name) => codesOf(name).some((code) => code !== 'none'));
		if (filled.length === 0) return cannotTellVerdict('No row has a status.', evidence);
		const isKnown = (name: string) => findKnownField(list, name) !== undefined;
		const [odd, oddOthers] = partition(
			filled.filter((name) => codesOf(name).includes('no code')),
			isKnown,
		);
		if (odd.length > 0) {
			const advice = 'Filters take only numbers there: leave it out of them, and use n8n’s Filter node.';
			return limitsVerdict(`${hold(odd, namesOf)} something other than codes. ${advice}`, evidence);
		}
		const text = filled.filter((name) => isKnown(name) && facts.fields[name] !== 'integer');
		if (text.length > 0) {
			const kinds = uniq(text.map((name) => facts.fields[name])).join(', ');
			return worksAroundVerdict(
				`${hold(text, namesOf)} codes that are no plain numbers (${kinds}). The nodes read them.`,
				evidence,
			);
		}
		if (oddOthers.length > 0)
			return asSpecifiedVerdict(`${hold(oddOthers, namesOf)} names: filters compare them as text.`, evidence);
		return asSpecifiedVerdict(
			'Each status is a code. What the codes mean: docs/stations.md says how to find out.',
			evidence,
		);
	},
});

const BY_POSITION = 'The nodes read this list by position, with pages that overlap, and stop if pages do not join.';

/** Whether the nodes can read the list by position: without fields that are known, they need not sort by Id. */
const canBeRead = ({ list, unsorted }: CheckedList) => !unsorted || list.unknownShape === true;

export const ids = check({
	name: 'Ids',
	expect(list) {
		const { facts, first, rows } = list;
		const evidence = `${formatCount(rows.length, 'row')} looked at`;
		const how = canBeRead(list) ? BY_POSITION : '';
		const own = uniq(first.rows.map(({ Id: id }) => id)).length;
		const saysHow = (text: string, shows = evidence) => worksAroundVerdict(`${text} ${how}`.trim(), shows);
		if (facts.ids === 'none') return saysHow('Rows have no Id.');
		if (facts.ids === 'mixed') return saysHow('Some rows have another Id, or none.');
		if (own < first.rows.length)
			return saysHow('Some rows share an Id.', `${own} different ones in ${first.rows.length} rows`);
		if (facts.ids === 'large') return saysHow('Ids are larger than other software reads exactly.');
		return facts.ids === 'texts' ? saysHow('Ids are text.') : asSpecifiedVerdict('Ids are whole numbers.', evidence);
	},
});

const NO_SORT =
	'Sorts have no effect. Turn on Return All and use n8n’s Sort and Limit nodes: with a limit, the nodes stop rather than return the wrong first rows.';

export const sort = check({
	name: 'Sort',
	expect(list) {
		const { first, last, unsorted } = list;
		if (unsorted) {
			if (canBeRead(list))
				return worksAroundVerdict(`The platform refuses to sort by Id. ${BY_POSITION}`, failureEvidence(unsorted));
			const text = 'The platform refuses to sort by Id: nodes and triggers that read this list stop.';
			return limitsVerdict(text, failureEvidence(unsorted));
		}
		if (!last) return cannotTellVerdict('The last page did not come, so it does not show whether rows are sorted.');
		return orderOf(first.rows, last.rows, `${pageEvidence(first)}, and ${last.rows.length} from the end`);
	},
});

/** @param up the first rows @param down the last ones, the last first */
function orderOf(up: readonly Row[], down: readonly Row[], evidence: string): Verdict {
	const [first, last] = [up, down].map((rows) => rows.map(({ Id: id }) => id));
	if (uniq([...up, ...down].map(({ Id: id }) => id)).length < 2)
		return cannotTellVerdict('The rows do not show whether they are sorted.', evidence);
	if (ORDERS.some((compare) => isInOrder(up, compare) && isInOrder([...down].reverse(), compare)))
		return asSpecifiedVerdict('Rows come in the order asked for, in both directions.', evidence);
	// Another order of texts is known by the opposite one.
	const isWhole = down.every((row) => containsRow({ rows: [...up] }, row));
	if (isWhole && isEqual(first, [...(last ?? [])].reverse()))
		return asSpecifiedVerdict('Rows come in the order asked for, in both directions.', evidence);
	const areNumbers = [...up, ...down].every(({ Id: id }) => typeof id === 'number');
	if (areNumbers || isWhole || isEqual(first, last)) return limitsVerdict(NO_SORT, evidence);
	return cannotTellVerdict('Ids are texts in an order that these rows do not show.', evidence);
}

type IdComparison = (one: string, other: string) => number;

/** The orders that platforms have: of numbers, of characters, of words. */
const ORDERS: readonly IdComparison[] = [
	(one, other) => Number(one) - Number(other),
	(one, other) => (one < other ? -1 : Number(one > other)),
	new Intl.Collator('en').compare,
];

function isInOrder(rows: readonly Row[], compare: IdComparison): boolean {
	const values = rows.map(({ Id: id }) => String(id));
	return values.slice(1).every((value, index) => compare(values[index] ?? '', value) <= 0);
}
