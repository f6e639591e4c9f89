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
	/** What shows it besides the requests and what came. */
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

type Say = (text: string, evidence?: string) => Verdict;
export const fine: Say = (text, evidence = '') => ({ result: 'as specified', text, evidence });
export const handled: Say = (text, evidence = '') => ({ result: 'works around', text, evidence });
export const limited: Say = (text, evidence = '') => ({ result: 'limits', text, evidence });
export const unclear: Say = (text, evidence = '') => ({ result: 'cannot tell', text, evidence });
