import { and, condition, or } from '../../shared/dsquery/compose';
import type { FilterNode } from '../../shared/dsquery/types';
import { seenFields } from '../../shared/node/dropdowns/seenFields';
import { isSameId, PlatformError, queryIsApplied, settle } from '../../shared/platform';
import type { Row } from '../../shared/platform';
import { anchorOf, holdsStill, NO_ANCHOR, settleQuery } from './anchor';
import { counted, fine, handled, limited, unclear } from './findings';
import type { ListCheck, Verdict } from './findings';
import type { ListProbe } from './listProbe';
import { operators } from './operators';
import { nobodysIds, secondOf } from './trials';

/** Whether filters have an effect, and what an unknown field is answered. */
async function filter(list: ListProbe): Promise<Verdict> {
	const { page } = await list.first();
	if (page.rows.length === 0) return unclear('The list has no rows to filter.', 'no rows');
	const isApplied = await queryIsApplied(list.ask, { sorts: [] });
	const unknown = condition('NoSuchFieldExists', 'Eq', '0');
	// The same question again, which is not sent: for what the refusal says.
	const answer = await settle(list.ask({ filter: and(unknown), sorts: [], pager: { skip: 0, take: 1 } }));
	if (!isApplied) {
		const anchor = await anchorOf(list);
		const evidence = `unknown field with Eq: rows came; one Id: ${anchor ? `its row came with ${anchor.operator}` : 'other rows came'}`;
		if (anchor && anchor.operator !== 'Eq')
			return unclear('Conditions with Equals are not applied: see Operators.', evidence);
		return anchor
			? limited(
					'A condition on a field that does not exist is ignored. Check the names of fields in your filters: a misspelled one lets all rows through.',
					evidence,
				)
			: limited(
					'Filters have no effect, or none that can be proven. The nodes stop where rows contradict a filter: read all rows, and use n8n’s Filter node.',
					evidence,
				);
	}
	if (answer.ok) {
		return handled(
			'A field that does not exist gives no rows instead of a refusal. Check names of fields: a misspelled one finds nothing.',
			'unknown field: no rows',
		);
	}
	const { status, property } = answer.error instanceof PlatformError ? answer.error : {};
	const evidence = `unknown field: ${status ?? 'no status'}, ${property === undefined ? 'not named' : 'named'}`;
	if (property !== undefined) return fine('A field that does not exist is refused by name, as specified.', evidence);
	return handled(
		'A field that does not exist is refused, but not named. Messages about misspelled fields are less exact.',
		evidence,
	);
}

/** Whether a long filter is accepted. */
async function longFilter(list: ListProbe): Promise<Verdict> {
	const anchor = await anchorOf(list);
	if (!anchor) return unclear(NO_ANCHOR, 'not tried');
	const [row = {}] = anchor.rows;
	const [nobody] = nobodysIds(row.Id);
	const ids = [String(row.Id), ...Array.from({ length: MANY_IDS }, () => nobody)].join(',');
	const answer = await settleQuery(list, and(condition('Id', 'In', ids)), 2);
	const evidence = `Id with In and ${MANY_IDS + 1} values, ${ids.length} characters`;
	if (answer !== 'refused')
		return fine('A filter of several thousand characters is accepted.', `${evidence}: accepted`);
	return limited('Long filters are refused. Use fewer values in one condition, or a range.', `${evidence}: refused`);
}

/** Ids in one condition: several thousand characters, as when the Ids of another node are asked for. */
const MANY_IDS = 330;

/** Whether groups within groups mean what they say. */
async function groups(list: ListProbe): Promise<Verdict> {
	const anchor = await anchorOf(list);
	const [a, b, c] = anchor?.rows ?? [];
	if (!anchor || !a || !b || !c) return unclear(NO_ANCHOR, 'not tried');
	const either = (...rows: Row[]): FilterNode | undefined => or(...rows.map(anchor.only));
	const asked = and(either(a, b), either(b, c));
	const answer = await settleQuery(list, asked, 3);
	const evidence = '(A or B) and (B or C), each an Id';
	if (answer === 'refused')
		return limited('Groups within groups are refused. Use one group only.', `${evidence}: refused`);
	const isB = answer.rows.length === 1 && isSameId(answer.rows[0]?.Id, String(b.Id));
	const came = `${evidence}: ${counted(answer.rows.length, 'row')}`;
	if (isB) return fine('Groups within groups are applied.', `${came}, B`);
	return limited('Groups within groups are not applied as specified. Use one group only.', came);
}

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const written = (ms: number) => new Date(ms).toISOString().slice(0, 19);

/** Whether times in conditions are UTC: a window of seconds around a known time finds its row, one an hour later does not. */
async function timeZone(list: ListProbe): Promise<Verdict> {
	const anchor = await anchorOf(list);
	const dates = seenFields(list.resource, await list.sample()).filter(({ type }) => type === 'date');
	const found = dates.flatMap(({ name }) =>
		(anchor?.rows ?? []).flatMap((row) => {
			const time = secondOf(row[name]);
			return time === undefined ? [] : [{ name, row, at: Date.parse(`${time}Z`) }];
		}),
	)[0];
	if (!anchor) return unclear(NO_ANCHOR, 'not tried');
	if (!found) return fine('No field holds a time in these rows.', 'no times');
	const { name, row, at } = found;
	const brings = async (from: number, to: number) => {
		const window = condition(name, 'GteLt', `${written(from)},${written(to)}`);
		const answer = await settleQuery(list, and(anchor.only(row), window), 2);
		return answer !== 'refused' && answer.rows.length > 0;
	};
	const [near, later] = [
		await brings(at - 2 * SECOND, at + 3 * SECOND),
		await brings(at + HOUR, at + HOUR + 5 * SECOND),
	];
	const evidence = `${list.connection.nameOf(name)} in a window of 5 s around its time: ${near}; an hour later: ${later}`;
	if (near && !later) return fine('Times in conditions are UTC, as specified. Periods are exact.', evidence);
	if (near || later) return unclear('Windows of time are not applied as specified: see Operators.', evidence);
	if (!(await holdsStill(list, anchor, { row, field: name })))
		return unclear('The row has changed meanwhile.', evidence);
	const wide = await brings(at - 15 * HOUR, at + 15 * HOUR);
	const more = `${evidence}; 15 hours around it: ${wide}`;
	if (!wide) return unclear('Windows of time find nothing: see Operators.', more);
	return limited(
		'Times in conditions are not read as UTC: periods are off by some hours. Tell the platform’s support.',
		more,
	);
}

/** How an empty result is written. */
async function emptyResult(list: ListProbe): Promise<Verdict> {
	const anchor = await anchorOf(list);
	const [row] = anchor?.rows ?? [];
	if (!anchor || !row) return unclear(NO_ANCHOR, 'not tried');
	const nobody = { Id: nobodysIds(row.Id)[0] };
	const { page, facts } = await list.look({ filter: and(anchor.only(nobody)), sorts: [], pager: { skip: 0, take: 2 } });
	const evidence = `an Id that no row has: ${counted(page.rows.length, 'row')}, form: ${facts.form}, Items: ${facts.items}`;
	if (page.rows.length > 0) return unclear('A filter that matches nothing brings rows: see Operators.', evidence);
	if (facts.form === 'envelope' && facts.items === 'list')
		return fine('An empty result comes as an empty list.', evidence);
	return handled('An empty result comes in another form than a full one. The nodes read it as empty.', evidence);
}

export const FILTER_CHECKS: readonly ListCheck[] = [
	{ name: 'Filter', mostRequests: 5, find: filter },
	{ name: 'Operators', mostRequests: 25, find: operators },
	{ name: 'Groups', mostRequests: 5, find: groups },
	{ name: 'Long filter', mostRequests: 5, find: longFilter },
	{ name: 'Time zone', mostRequests: 7, find: timeZone },
	{ name: 'Empty result', mostRequests: 5, find: emptyResult },
];
