import countBy from 'lodash/countBy';
import sortBy from 'lodash/sortBy';

import { knownField } from '../../shared/dsquery/catalogue';
import { condition } from '../../shared/dsquery/compose';
import { RANGE_OPERATORS, UNIT_OPERATORS } from '../../shared/dsquery/operators';
import type { Condition, OperatorName } from '../../shared/dsquery/types';
import { seenFields } from '../../shared/node/dropdowns/seenFields';
import { identityOf, type Row } from '../../shared/platform';
import type { ListResource } from '../../shared/resources';

/** A condition to try on one row that is known. */
export interface Trial {
	field: string;
	operator: OperatorName;
	row: Row;
	/** The row certainly satisfies it. */
	always: Condition;
	/** No row satisfies it; for Neq, this row does not. */
	never: Condition;
}

/** Kinds of fields, each with how many are tried. */
const TRIED = { code: 2, number: 1, date: 1, text: 1 } as const;
type Kind = keyof typeof TRIED;

/** Greater than anything that a row holds, and still a 32-bit integer. */
const HUGE = 987_654_321;
const LONG_AGO = '1901-02-03T04:05:06';
const NOWHERE = 'zq7-nowhere-7qz';
/** Text that platforms cannot read in two ways. */
const PLAIN_TEXT = /^[a-z\d]+(?:[ -][a-z\d]+)*$/i;

/** An operator, with values that certainly match, and that never do. */
type Values = [operator: OperatorName, always: string, never: string];
const NUMBERS: readonly Values[] = [
	['Lt', `${HUGE}`, `-${HUGE}`],
	['Lte', `${HUGE}`, `-${HUGE}`],
	['Gt', `-${HUGE}`, `${HUGE}`],
	['Gte', `-${HUGE}`, `${HUGE}`],
	...RANGE_OPERATORS.map((name): Values => [name, `-${HUGE},${HUGE}`, `${HUGE},${HUGE + 1}`]),
];

/** The operators of each kind for a value: none, if it does not say for certain what matches it. */
const VALUES: Record<Kind, (value: unknown) => readonly Values[]> = {
	code: (value) =>
		Number.isInteger(value)
			? [
					['Eq', String(value), String(HUGE)],
					['In', `${String(value)},${HUGE}`, `${HUGE},${HUGE + 1}`],
				]
			: [],
	number: (value) => (typeof value === 'number' && Math.abs(value) < HUGE ? NUMBERS : []),
	date: (value) => {
		const time = secondOf(value);
		return time === undefined ? [] : UNIT_OPERATORS.map((name) => [name, time, LONG_AGO]);
	},
	text: (value) =>
		typeof value === 'string' && value.length >= 5 && PLAIN_TEXT.test(value)
			? [
					['Contains', value.slice(1, 4), NOWHERE],
					['StartsWith', value.slice(0, 4), NOWHERE],
					['EndsWith', value.slice(-4), NOWHERE],
				]
			: [],
};

/** A time in UTC to the second, as conditions write it. Undefined if it names another zone. */
export function secondOf(value: unknown): string | undefined {
	const match = typeof value === 'string' ? /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z?$/.exec(value) : undefined;
	return match?.[1];
}

/** The conditions to try on a list: Eq, In and Neq on the Id, then those of some fields, each on a row of its own. */
export function trialsOf(list: ListResource, sample: readonly Row[], rows: readonly Row[]): Trial[] {
	const [first] = rows;
	if (!first) return [];
	const [own, other, another] = [String(first.Id), ...nobodysIds(first.Id)];
	const trials = [
		trialOf(first, 'Id', ['Eq', own, other]),
		trialOf(first, 'Id', ['In', `${own},${other}`, `${other},${another}`]),
		trialOf(first, 'Id', ['Neq', other, own]),
	];
	const fields = sortBy(seenFields(list, sample), ({ name }) => !knownField(list, name));
	for (const kind of Object.keys(TRIED) as Kind[]) {
		const usable = fields
			.filter(({ name, type }) => name !== 'Id' && type === kind)
			.map(({ name }) => ({ name, having: rows.filter((row) => VALUES[kind](row[name]).length > 0) }))
			.filter(({ having }) => having.length > 0);
		for (const { name, having } of usable.slice(0, TRIED[kind])) {
			const before = trials.length;
			const { length } = VALUES[kind](having[0]?.[name]);
			for (let index = 0; index < length; index++) {
				const row = having[(before + index) % having.length] ?? {};
				const values = VALUES[kind](row[name])[index];
				if (values) trials.push(trialOf(row, name, values));
			}
		}
	}
	return trials;
}

function trialOf(row: Row, field: string, [operator, always, never]: Values): Trial {
	return { row, field, operator, always: condition(field, operator, always), never: condition(field, operator, never) };
}

/** Two Ids that no row has, of the kind of this one. */
export function nobodysIds(id: unknown): [string, string] {
	return typeof id === 'number' ? [String(HUGE), String(HUGE + 1)] : [NOWHERE, `${NOWHERE}1`];
}

/** Rows with an Id of their own, from the middle of a page outwards: those at its edges may have a twin beyond it. */
export function rowsWithOwnId(sample: readonly Row[]): Row[] {
	const sharing = countBy(sample, identityOf);
	const own = sample.filter((row) => identityOf(row) !== undefined && sharing[`${identityOf(row)}`] === 1);
	const middle = own.length / 2;
	return sortBy(own, (row) => Math.abs(own.indexOf(row) - middle));
}
