/**
 * What a check found, from good to bad: the platform does as specified, or as nodes can handle by themselves; it limits
 * what workflows can do; or it could not be found out.
 */
type CheckResult = 'as specified' | 'works around' | 'limits' | 'cannot tell';

/** What a check says. Neither text holds a value of a row, a name of a person or station, or the key. */
export interface Verdict {
	result: CheckResult;
	/** What it means for workflows, for a person who has never heard of dsquery. */
	text: string;
	evidence: string;
}

/** One output item. */
export interface CheckFinding extends Verdict {
	check: string;
	/** The list it is about: "charging sessions", or "platform". */
	list: string;
}

type VerdictMaker = (text: string, evidence?: string) => Verdict;
export const asSpecifiedVerdict: VerdictMaker = (text, evidence = '') => ({ result: 'as specified', text, evidence });
export const worksAroundVerdict: VerdictMaker = (text, evidence = '') => ({ result: 'works around', text, evidence });
export const limitsVerdict: VerdictMaker = (text, evidence = '') => ({ result: 'limits', text, evidence });
export const cannotTellVerdict: VerdictMaker = (text, evidence = '') => ({ result: 'cannot tell', text, evidence });
