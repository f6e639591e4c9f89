import { and, condition } from '../../shared/dsquery/compose';
import type { Condition, Group, OperatorName } from '../../shared/dsquery/types';
import { isQueryRefused, isSameId, PlatformError, settle } from '../../shared/platform';
import type { Page, Row } from '../../shared/platform';
import type { ListProbe } from './listProbe';
import { rowsWithOwnId } from './trials';
import type { Trial } from './trials';

/** How one row is found: the operators to try, with the value for an Id. */
const WAYS_TO_ONE: ReadonlyArray<[OperatorName, (id: string) => string]> = [
	['Eq', (id) => id],
	['In', (id) => id],
	['GteLte', (id) => `${id},${id}`],
];

export interface Anchor {
	rows: Row[];
	operator: OperatorName;
	/** The condition that only this row satisfies. */
	only(row: Row): Condition;
}

/** A way to ask for one row by its Id, and rows to ask for. Undefined where there is none. */
export async function anchorOf(list: ListProbe): Promise<Anchor | undefined> {
	const rows = rowsWithOwnId(await list.sample());
	const [row] = rows;
	if (!row) return undefined;
	for (const [operator, write] of WAYS_TO_ONE) {
		const only = ({ Id: id }: Row) => condition('Id', operator, write(String(id)));
		const page = await list.attempt({ filter: and(only(row)), sorts: [], pager: { skip: 0, take: 2 } });
		if (page?.rows.length === 1 && isSameId(page.rows[0]?.Id, String(row.Id))) return { rows, operator, only };
	}
	return undefined;
}

export const NO_ANCHOR = 'No row can be asked for by its Id, so this cannot be tried.';

/** Whether the field of a row still holds what it held: the row may have changed meanwhile. */
export async function holdsStill(
	list: ListProbe,
	{ only }: Anchor,
	{ row, field }: Pick<Trial, 'row' | 'field'>,
): Promise<boolean> {
	const { rows } = await list.askAgain({ filter: and(only(row)), sorts: [], pager: { skip: 0, take: 2 } });
	return rows.length === 1 && rows[0]?.[field] === row[field];
}

/** The page of a filter, or that the platform refuses it. */
export async function settleQuery(list: ListProbe, asked: Group | undefined, take: number): Promise<Page | 'refused'> {
	const answer = await settle(list.ask({ filter: asked, sorts: [], pager: { skip: 0, take } }));
	if (answer.ok) return answer.value;
	const { error } = answer;
	const isTooLong = error instanceof PlatformError && error.kind === 'url-too-long';
	if (!isQueryRefused(error) && !isTooLong) throw error;
	return 'refused';
}
