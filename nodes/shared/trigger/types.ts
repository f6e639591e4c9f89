export type { StatusValue } from '../dsquery/catalogue';

/** A row in the state: `17` for the number 17, `=17` for the text "17". */
export type RowKey = string;

/** The part of a list that was read completely: all Ids above `after`, up to and including `upTo`. */
export interface Coverage {
	after: number;
	upTo: number;
}

export const WHOLE_LIST: Coverage = { after: Number.NEGATIVE_INFINITY, upTo: Number.POSITIVE_INFINITY };
