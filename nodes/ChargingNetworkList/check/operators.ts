import groupBy from 'lodash/groupBy';

import { and, or } from '../../shared/dsquery/compose';
import { counted } from '../../shared/dsquery/faults';
import type { Condition } from '../../shared/dsquery/types';
import { verdictOf } from '../../shared/dsquery/verdict';
import { isSameId, type Row } from '../../shared/platform';
import { type Anchor, holdsStill } from './anchor';
import { fine, limited, unclear, type Verdict } from './findings';
import { type ListProbe, PAGE } from './listProbe';
import { type Trial, trialsOf } from './trials';

const halves = <Item>(items: readonly Item[]) => [items.slice(0, items.length >> 1), items.slice(items.length >> 1)];

/** Tries conditions, many in one request: each on a row that is known, by its Id, joined with Or. */
class Trials {
	/** Not applied: rows came that do not satisfy it. */
	readonly ignored: Trial[] = [];
	readonly refused: Trial[] = [];
	/** Rows that satisfy it did not come. */
	readonly short: Trial[] = [];
	/** Rows came that nobody asked for. */
	isStrange = false;

	constructor(
		private readonly list: ListProbe,
		private readonly anchor: Anchor,
	) {}

	/** Undefined if they are refused together. One that is refused alone is recorded. */
	private async ask(trials: readonly Trial[], conditionOf: (trial: Trial) => Condition): Promise<Row[] | undefined> {
		const branches = trials.flatMap((trial) => and(this.anchor.only(trial.row), conditionOf(trial)) ?? []);
		const rows = await this.list.rows(or(...branches), PAGE);
		if (!rows && trials.length === 1) this.refused.push(...trials);
		return rows;
	}

	/** Asks for rows by conditions that they do not satisfy: each row that comes shows one not applied. */
	async never(trials: readonly Trial[]): Promise<void> {
		if (trials.length === 0) return;
		const rows = await this.ask(trials, ({ never }) => never);
		if (!rows) {
			for (const half of trials.length > 1 ? halves(trials) : []) await this.never(half);
			return;
		}
		const suspects = trials.filter(({ row, never }) =>
			rows.some((came) => isSameId(came.Id, String(row.Id)) && verdictOf(never, came, this.list.resource) !== 'yes'),
		);
		if (suspects.length === 0) {
			this.isStrange ||= rows.length > 0;
			return;
		}
		for (const sharing of Object.values(groupBy(suspects, ({ row }) => String(row.Id)))) {
			if (sharing.length === 1) this.ignored.push(...sharing);
			else for (const one of sharing) await this.never([one]);
		}
		// A short page may hide others.
		await this.never(trials.filter((trial) => !suspects.includes(trial)));
	}

	/** Asks for rows by conditions that they satisfy. */
	async always(trials: readonly Trial[]): Promise<void> {
		const [only, another] = trials;
		if (!only) return;
		const rows = await this.ask(trials, ({ always }) => always);
		const open = trials.filter(({ row }) => !rows?.some(({ Id: id }) => isSameId(id, String(row.Id))));
		if (another) {
			for (const part of open.length < trials.length ? [open] : halves(open)) await this.always(part);
		} else if (rows && open.length > 0 && (await holdsStill(this.list, this.anchor, only))) this.short.push(only);
	}
}

/** Conditions by field where all of one field are meant, otherwise by operator and field. */
function inShort(list: ListProbe, found: readonly Trial[], all: readonly Trial[]): string {
	const parts = Object.entries(groupBy(found, 'field')).map(([field, trials]) => {
		const tried = all.filter((trial) => trial.field === field).length;
		const name = list.namesOf([field]);
		const names = trials.map(({ operator }) => operator).join(', ');
		return tried > 1 && trials.length === tried ? `all conditions on ${name}` : `${names} on ${name}`;
	});
	return parts.join(', ');
}

/** Whether conditions with each operator are applied. */
export async function operators(list: ListProbe, anchor: Anchor): Promise<Verdict> {
	const trials = trialsOf(list.resource, await list.sample(), anchor.rows);
	const tried = new Trials(list, anchor);
	await tried.never(trials);
	await tried.always(trials.filter((trial) => !tried.ignored.includes(trial) && !tried.refused.includes(trial)));
	const { ignored, refused, short } = tried;
	const names = trials.map(({ operator, field }) => `${operator} ${list.namesOf([field])}`).join(', ');
	const evidence = `${counted(trials.length, 'condition')} tried: ${names}; not applied: ${ignored.length}, refused: ${refused.length}, find too little: ${short.length}`;
	const parts = Object.entries({
		'Not applied': ignored,
		Refused: refused,
		'Do not find a row that matches': short,
	}).flatMap(([what, found]) => (found.length > 0 ? `${what}: ${inShort(list, found, trials)}.` : []));
	if (parts.length > 0) {
		const advice =
			'Leave these conditions out, and use n8n’s Filter node instead. The nodes stop where rows contradict a filter.';
		return limited(`${parts.join(' ')} ${advice}`, evidence);
	}
	if (tried.isStrange) return unclear('Rows came that no condition asked for: the list may be changing.', evidence);
	return fine('Conditions are applied with every operator that could be tried.', evidence);
}
