import groupBy from 'lodash/groupBy';

import { and, or } from '../../shared/dsquery/compose';
import { verdictOf } from '../../shared/dsquery/verdict';
import { isSameId } from '../../shared/platform';
import { anchorOf, holdsStill, NO_ANCHOR, settleQuery } from './anchor';
import type { Anchor } from './anchor';
import { counted, fine, limited, unclear } from './findings';
import type { Verdict } from './findings';
import type { ListProbe } from './listProbe';
import { trialsOf } from './trials';
import type { Trial } from './trials';

/** What trials showed. */
interface Tried {
	/** Not applied: rows came that do not satisfy it. */
	ignored: Trial[];
	refused: Trial[];
	/** Rows that satisfy it did not come. */
	short: Trial[];
	/** Rows came that nobody asked for. */
	strange: boolean;
}

const halves = <Item>(items: readonly Item[]) => [items.slice(0, items.length >> 1), items.slice(items.length >> 1)];

/** Asks for rows by conditions that they do not satisfy, joined with Or: each row that comes shows one not applied. */
async function tryNever(list: ListProbe, trials: readonly Trial[], anchor: Anchor, tried: Tried): Promise<void> {
	if (trials.length === 0) return;
	const branches = trials.flatMap(({ row, never }) => and(anchor.only(row), never) ?? []);
	const answer = await settleQuery(list, or(...branches), 100);
	if (answer === 'refused') {
		if (trials.length === 1) tried.refused.push(...trials);
		else for (const half of halves(trials)) await tryNever(list, half, anchor, tried);
		return;
	}
	const { rows } = answer;
	const isThere = ({ row, never }: Trial) =>
		rows.some((came) => isSameId(came.Id, String(row.Id)) && verdictOf(never, came, list.resource) !== 'yes');
	const suspects = trials.filter(isThere);
	if (rows.length > 0 && suspects.length === 0) tried.strange = true;
	const byRow = groupBy(suspects, ({ row }) => String(row.Id));
	for (const sharing of Object.values(byRow)) {
		if (sharing.length === 1) tried.ignored.push(...sharing);
		else for (const one of sharing) await tryNever(list, [one], anchor, tried);
	}
	// A short page may hide others.
	const others = trials.filter((trial) => !suspects.includes(trial));
	if (suspects.length > 0) await tryNever(list, others, anchor, tried);
}

/** Asks for rows by conditions that they satisfy. */
async function tryAlways(list: ListProbe, trials: readonly Trial[], anchor: Anchor, tried: Tried): Promise<void> {
	if (trials.length === 0) return;
	const rows = [...new Set(trials.map(({ row }) => row))];
	const branches = trials.flatMap(({ row, always }) => and(anchor.only(row), always) ?? []);
	const answer = await settleQuery(list, or(...branches), 100);
	const came = answer === 'refused' ? [] : answer.rows;
	const missing = rows.filter((row) => !came.some(({ Id: id }) => isSameId(id, String(row.Id))));
	if (answer !== 'refused' && missing.length === 0) return;
	if (trials.length > 1) {
		const open = answer === 'refused' ? trials : trials.filter(({ row }) => missing.includes(row));
		const parts = open.length < trials.length ? [open] : halves(open);
		for (const part of parts) await tryAlways(list, part, anchor, tried);
	} else if (answer === 'refused') tried.refused.push(...trials);
	else for (const one of trials) if (await holdsStill(list, anchor, one)) tried.short.push(one);
}

/** Conditions by field where all of one field are meant, otherwise by operator and field. */
function inShort(list: ListProbe, found: readonly Trial[], all: readonly Trial[]): string {
	const byField = groupBy(found, 'field');
	const parts = Object.entries(byField).map(([field, trials]) => {
		const tried = all.filter((trial) => trial.field === field).length;
		const name = list.connection.nameOf(field);
		const operators = trials.map(({ operator }) => operator).join(', ');
		return tried > 1 && trials.length === tried ? `all conditions on ${name}` : `${operators} on ${name}`;
	});
	return parts.join(', ');
}

/** Whether conditions with each operator are applied. */
export async function operators(list: ListProbe): Promise<Verdict> {
	const anchor = await anchorOf(list);
	if (!anchor) return unclear(NO_ANCHOR, 'Id with Eq, In and GteLte: not exactly that row');
	const trials = trialsOf(list.resource, await list.sample(), anchor.rows);
	const tried: Tried = { ignored: [], refused: [], short: [], strange: false };
	await tryNever(list, trials, anchor, tried);
	const applied = trials.filter((trial) => !tried.ignored.includes(trial) && !tried.refused.includes(trial));
	await tryAlways(list, applied, anchor, tried);
	const { ignored, refused, short, strange } = tried;
	const evidence = `${counted(trials.length, 'condition')} tried: ${trials.map(({ operator, field }) => `${operator} ${list.connection.nameOf(field)}`).join(', ')}; not applied: ${ignored.length}, refused: ${refused.length}, find too little: ${short.length}`;
	const parts = [
		...(ignored.length > 0 ? [`Not applied: ${inShort(list, ignored, trials)}.`] : []),
		...(refused.length > 0 ? [`Refused: ${inShort(list, refused, trials)}.`] : []),
		...(short.length > 0 ? [`Do not find a row that matches: ${inShort(list, short, trials)}.`] : []),
	];
	if (parts.length > 0) {
		const advice =
			'Leave these conditions out, and use n8n’s Filter node instead. The nodes stop where rows contradict a filter.';
		return limited(`${parts.join(' ')} ${advice}`, evidence);
	}
	if (strange) return unclear('Rows came that no condition asked for: the list may be changing.', evidence);
	return fine('Conditions are applied with every operator that could be tried.', evidence);
}
