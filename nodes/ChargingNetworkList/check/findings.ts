import type { ListProbe } from './listProbe';

/**
 * What a check found, from good to bad: the platform does as specified, or as nodes can handle by themselves; it limits
 * what workflows can do; or it could not be found out.
 */
export const RESULTS = ['as specified', 'works around', 'limits', 'cannot tell'] as const;
export type Result = (typeof RESULTS)[number];

/** What a check says. Neither text holds a value of a row, a name of a person or station, or the key. */
export interface Verdict {
	result: Result;
	/** What it means for workflows, for a person who has never heard of dsquery. */
	text: string;
	/** What was asked, and what came: counts, statuses, shapes. */
	evidence: string;
}

export const PLATFORM = 'platform';

/** One output item. */
export interface Finding extends Verdict {
	check: string;
	/** The list it is about: "charging sessions". `PLATFORM` for the platform as a whole. */
	list: string;
}

/** Something to find out about one list. To add one: write its function, and put its record where its group is listed. */
export interface ListCheck {
	name: string;
	/** Most requests it may send. What another check has asked already is not asked again. */
	mostRequests: number;
	find(list: ListProbe): Promise<Verdict>;
}

export const fine = (text: string, evidence: string): Verdict => ({ result: 'as specified', text, evidence });
export const handled = (text: string, evidence: string): Verdict => ({ result: 'works around', text, evidence });
export const limited = (text: string, evidence: string): Verdict => ({ result: 'limits', text, evidence });
export const unclear = (text: string, evidence: string): Verdict => ({ result: 'cannot tell', text, evidence });

/** A count with its noun: "1 row", "2 rows". */
export function counted(count: number, noun: string): string {
	return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
