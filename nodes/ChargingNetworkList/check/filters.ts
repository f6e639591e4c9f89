import { and, condition } from '../../shared/dsquery/compose';
import { HOUR_MS, SECOND_MS } from '../../shared/dsquery/values/durations';
import { impossible, isQueryRefused, PlatformError, settle } from '../../shared/platform';
import { type Anchor, anchored, anchorOf, holdsStill, nobodysId } from './anchor';
import { fine, handled, limited, type ListCheck, unclear, type Verdict } from './findings';
import type { ListProbe } from './listProbe';

/** Whether filters have an effect, and what an unknown field is answered. */
async function filter(list: ListProbe): Promise<Verdict> {
	if ((await list.first()).came === 0) return unclear('The list has no rows to filter.');
	const answer = await settle(list.ask(impossible({ sorts: [] })));
	if (!answer.ok) {
		const { error } = answer;
		if (!(error instanceof PlatformError) || !isQueryRefused(error)) throw error;
		if (error.property !== undefined) return fine('A field that does not exist is refused by name, as specified.');
		return handled(
			'A field that does not exist is refused, but not named. Messages about misspelled fields are less exact.',
		);
	}
	if (answer.value.rows.length === 0)
		return handled(
			'A field that does not exist gives no rows instead of a refusal. Check names of fields: a misspelled one finds nothing.',
		);
	const anchor = await anchorOf(list);
	if (!anchor)
		return limited(
			'Filters have no effect, or none that can be proven. The nodes stop where rows contradict a filter: read all rows, and use n8n’s Filter node.',
		);
	if (anchor.operator !== 'Eq') return limited('Conditions with Equals are not applied. Use Is Any Of with one value.');
	return limited(
		'A condition on a field that does not exist is ignored. Check the names of fields in your filters: a misspelled one lets all rows through.',
	);
}

/** A time in UTC to the second, as conditions write it. Undefined if it names another zone. */
function secondOf(value: unknown): string | undefined {
	const match = typeof value === 'string' ? /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z?$/.exec(value) : undefined;
	return match?.[1];
}

const written = (ms: number) => new Date(ms).toISOString().slice(0, 19);

/** Whether times in conditions are UTC: a window of seconds around a known time finds its row, one an hour later does not. */
async function timeZone(list: ListProbe, anchor: Anchor): Promise<Verdict> {
	const dates = (await list.fields()).filter(({ type }) => type === 'date');
	const times = dates.flatMap(({ name: field }) =>
		anchor.rows.map((row) => ({ field, row, time: secondOf(row[field]) })),
	);
	const found = times.find(({ time }) => time !== undefined);
	if (!found) return fine('No field holds a time in these rows.');
	const { field, row, time } = found;
	const at = Date.parse(`${time}Z`);
	const brings = async (fromMs: number, toMs: number) => {
		const window = condition(field, 'GteLt', `${written(at + fromMs)},${written(at + toMs)}`);
		return ((await list.rows(and(anchor.only(row), window))) ?? []).length > 0;
	};
	const near = await brings(-2 * SECOND_MS, 3 * SECOND_MS);
	const later = await brings(HOUR_MS, HOUR_MS + 5 * SECOND_MS);
	const evidence = `found in a window of 5 s around its time: ${near}; an hour later: ${later}`;
	if (near && !later) return fine('Times in conditions are UTC, as specified. Periods are exact.', evidence);
	if (near && later) {
		const text = 'Conditions on times have no effect: periods let other rows through. Use n8n’s Filter node instead.';
		return limited(text, evidence);
	}
	if (!(await holdsStill(list, anchor, found))) return unclear('The row has changed meanwhile.', evidence);
	const wide = await brings(-15 * HOUR_MS, 15 * HOUR_MS);
	const more = `${evidence}; 15 hours around it: ${wide}`;
	if (!wide) return unclear('Windows of time find nothing.', more);
	const text = 'Times in conditions are not read as UTC: periods are off by some hours. Tell the platform’s support.';
	return limited(text, more);
}

/** How an empty result is written. */
async function emptyResult(list: ListProbe, { rows: [row], only }: Anchor): Promise<Verdict> {
	const nobody = { Id: nobodysId(row?.Id) };
	const { came, facts } = await list.inspect({ filter: and(only(nobody)), sorts: [], pager: { skip: 0, take: 2 } });
	if (came > 0) return unclear('A filter that matches nothing brings rows.');
	if (facts.form === 'envelope' && facts.items === 'list') return fine('An empty result comes as an empty list.');
	return handled('An empty result comes in another form than a full one. The nodes read it as empty.');
}

export const FILTER_CHECKS: readonly ListCheck[] = [
	{ name: 'Filter', mostRequests: 5, find: filter },
	{ name: 'Time zone', mostRequests: 7, find: anchored(timeZone) },
	{ name: 'Empty result', mostRequests: 5, find: anchored(emptyResult) },
];
