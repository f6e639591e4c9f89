/** The values of a state. Those of statuses and rows are any texts. */
export const IN = 'in';
export const OUT = 'out';
/** It is there, and its value cannot be read. */
export const UNREADABLE = 'unreadable';
export const OUT_OF_SERVICE = 'out of service';

/** This poll does not look at it. */
export const UNSEEN = 'unseen';

/** What is true at a moment: values by key, and, where it is to be told that things are there or gone, which are there. */
export interface Truth {
	values: ReadonlyMap<string, string>;
	/** By key, whether it is in what is watched. What is not, and is gone, may be told. */
	there?: ReadonlyMap<string, boolean>;
}
