import sortBy from 'lodash/sortBy';

import { knownField } from '../../shared/dsquery/catalogue';
import { condition } from '../../shared/dsquery/compose';
import { RANGE_OPERATORS, UNIT_OPERATORS } from '../../shared/dsquery/operators';
import type { Condition, OperatorName } from '../../shared/dsquery/types';
import { seenFields } from '../../shared/node/dropdowns/seenFields';
import { identityOf } from '../../shared/platform';
import type { Row } from '../../shared/platform';
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

/** The operators of each kind, with values that certainly match, and that never do. */
const VALUES: Record<Kind, (value: unknown) => Array<[OperatorName, always: string, never: string]> | undefined> = {
	code: (value) =>
		Number.isInteger(value)
			? [
					['Eq', String(value), String(HUGE)],
					['In', `${String(value)},${HUGE}`, `${HUGE},${HUGE + 1}`],
				]
			: undefined,
	number: (value) =>
		typeof value === 'number' && Math.abs(value) < HUGE
			? [
					...(['Lt', 'Lte'] as const).map((name): [OperatorName, string, string] => [name, `${HUGE}`, `-${HUGE}`]),
					...(['Gt', 'Gte'] as const).map((name): [OperatorName, string, string] => [name, `-${HUGE}`, `${HUGE}`]),
					...RANGE_OPERATORS.map((name): [OperatorName, string, string] => [
						name,
						`-${HUGE},${HUGE}`,
						`${HUGE},${HUGE + 1}`,
					]),
				]
			: undefined,
	date: (value) => {
		const time = secondOf(value);
		return time === undefined ? undefined : UNIT_OPERATORS.map((name) => [name, time, LONG_AGO]);
	},
	text: (value) =>
		typeof value === 'string' && value.length >= 5 && PLAIN_TEXT.test(value)
			? [
					['Contains', value.slice(1, 4), NOWHERE],
					['StartsWith', value.slice(0, 4), NOWHERE],
					['EndsWith', value.slice(-4), NOWHERE],
				]
			: undefined,
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
	const trials: Trial[] = idValues(first.Id).map(([operator, always, never]) =>
		trialOf(first, 'Id', operator, always, never),
	);
	const seen = seenFields(list, sample).filter(({ name }) => name !== 'Id');
	for (const kind of Object.keys(TRIED) as Kind[]) {
		const fields = sortBy(
			seen.filter(({ type }) => type === kind),
			({ name }) => !knownField(list, name),
		);
		const usable = fields.filter(({ name }) => rows.some((row) => VALUES[kind](row[name])));
		for (const { name } of usable.slice(0, TRIED[kind])) trials.push(...fieldTrials(rows, name, kind, trials.length));
	}
	return trials;
}

function idValues(id: unknown): Array<[OperatorName, string, string]> {
	const [own, other, another] = [String(id), ...nobodysIds(id)];
	return [
		['Eq', own, other],
		['In', `${own},${other}`, `${other},${another}`],
		['Neq', other, own],
	];
}

/** Two Ids that no row has, of the kind of this one. */
export function nobodysIds(id: unknown): [string, string] {
	return typeof id === 'number' ? [String(HUGE), String(HUGE + 1)] : [NOWHERE, `${NOWHERE}1`];
}

/** The operators of one field, each on another row, as far as there are enough. */
function fieldTrials(rows: readonly Row[], field: string, kind: Kind, offset: number): Trial[] {
	const having = rows.filter((row) => VALUES[kind](row[field]));
	const operators = VALUES[kind](having[0]?.[field])?.map(([operator]) => operator) ?? [];
	return operators.flatMap((operator, index) => {
		const row = having[(offset + index) % having.length] ?? {};
		const found = VALUES[kind](row[field])?.find(([name]) => name === operator);
		return found ? [trialOf(row, field, operator, found[1], found[2])] : [];
	});
}

function trialOf(row: Row, field: string, operator: OperatorName, always: string, never: string): Trial {
	return { row, field, operator, always: condition(field, operator, always), never: condition(field, operator, never) };
}

/** Rows with an Id of their own, from the middle of a page outwards: those at its edges may have a twin beyond it. */
export function rowsWithOwnId(sample: readonly Row[]): Row[] {
	const ids = sample.map(identityOf);
	const own = sample.filter((_, index) => {
		const id = ids[index];
		return id !== undefined && ids.indexOf(id) === index && ids.lastIndexOf(id) === index;
	});
	const middle = own.length / 2;
	return sortBy(own, (row) => Math.abs(own.indexOf(row) - middle));
}
