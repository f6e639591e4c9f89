/**
 * What a check found, from good to bad: the platform does as specified, or as nodes can handle by themselves; it limits
 * what workflows can do; or it could not be found out.
 */
export type Result = 'as specified' | 'works around' | 'limits' | 'cannot tell';

/** What a check says. Neither text holds a value of a row, a name of a person or station, or the key. */
export interface Verdict {
	result: Result;
	/** What it means for workflows, for a person who has never heard of dsquery. */
	text: string;
	evidence: string;
}

/** One output item. */
export interface Finding extends Verdict {
	check: string;
	/** The list it is about: "charging sessions", or "platform". */
	list: string;
}

type Say = (text: string, evidence?: string) => Verdict;
export const fine: Say = (text, evidence = '') => ({ result: 'as specified', text, evidence });
export const handled: Say = (text, evidence = '') => ({ result: 'works around', text, evidence });
export const limited: Say = (text, evidence = '') => ({ result: 'limits', text, evidence });
export const unclear: Say = (text, evidence = '') => ({ result: 'cannot tell', text, evidence });
