import countBy from 'lodash/countBy';
import sortBy from 'lodash/sortBy';

import { and, condition } from '../../shared/dsquery/compose';
import type { OperatorName } from '../../shared/dsquery/operators';
import type { Condition } from '../../shared/dsquery/types';
import { identityOf, isSameId, type Row } from '../../shared/platform';
import { type ListCheck, unclear, type Verdict } from './findings';
import type { ListProbe } from './listProbe';

/** How one row is found: the operators to try, with the value for an Id. */
const WAYS_TO_ONE: ReadonlyArray<[OperatorName, (id: string) => string]> = [
	['Eq', (id) => id],
	['In', (id) => id],
	['GteLte', (id) => `${id},${id}`],
];

/** A way to ask for one row by its Id, and rows to ask for. */
export interface Anchor {
	/** At least one. */
	rows: Row[];
	operator: OperatorName;
	/** The condition that only this row satisfies. */
	only(row: Row): Condition;
}

/** Undefined where no row can be asked for by its Id. */
export async function anchorOf(list: ListProbe): Promise<Anchor | undefined> {
	const rows = rowsWithOwnId(await list.sample());
	const [row] = rows;
	for (const [operator, write] of row ? WAYS_TO_ONE : []) {
		const only = ({ Id: id }: Row) => condition('Id', operator, write(String(id)));
		if (isOnly(await list.rows(and(row && only(row))), row)) return { rows, operator, only };
	}
	return undefined;
}

/** A check that asks for rows by their Id. */
export function anchored(find: (list: ListProbe, anchor: Anchor) => Promise<Verdict>): ListCheck['find'] {
	return async (list) => {
		const anchor = await anchorOf(list);
		if (!anchor) return unclear('No row can be asked for by its Id, so this cannot be tried.');
		return await find(list, anchor);
	};
}

/** Whether a row came, and no other. */
export function isOnly(rows: readonly Row[] | undefined, row: Row | undefined): boolean {
	return rows?.length === 1 && isSameId(rows[0]?.Id, String(row?.Id));
}

/** Whether the field of a row still holds what it held: the row may have changed meanwhile. */
export async function holdsStill(list: ListProbe, { only }: Anchor, { row, field }: { row: Row; field: string }) {
	const rows = (await list.list.page({ filter: and(only(row)), sorts: [], pager: { skip: 0, take: 2 } })).rows;
	return rows.length === 1 && rows[0]?.[field] === row[field];
}

/** Greater than any Id, and still a 32-bit integer; and a text that is none. */
const NOBODY = { number: '987654321', text: 'zq7-nowhere-7qz' };

/** An Id that no row has, of the kind of this one. */
export function nobodysId(id: unknown): string {
	return typeof id === 'number' ? NOBODY.number : NOBODY.text;
}

/** Rows with an Id of their own, from the middle of a page outwards: those at its edges may have a twin beyond it. */
function rowsWithOwnId(sample: readonly Row[]): Row[] {
	const sharing = countBy(sample, identityOf);
	const own = sample.filter((row) => identityOf(row) !== undefined && sharing[`${identityOf(row)}`] === 1);
	const middle = own.length / 2;
	return sortBy(own, (row) => Math.abs(own.indexOf(row) - middle));
}
