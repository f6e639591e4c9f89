/** A status as it is on the wire: a numeric code; null where the station reports none. Text is kept as it comes. */
export type StatusValue = number | string | null;

/** A row in the state's maps: `17` for the number 17, `=17` for the text "17". */
export type RowKey = string;

/** The part of the list that was read to its end: all Ids above `after`, up to and including `upTo`. */
export interface Coverage {
	after: number;
	upTo: number;
}

export const WHOLE_LIST: Coverage = { after: Number.NEGATIVE_INFINITY, upTo: Number.POSITIVE_INFINITY };
