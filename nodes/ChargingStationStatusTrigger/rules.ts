import type { Group } from '../shared/dsquery/types';
import type { Row } from '../shared/platform';
import type { RowKey } from '../shared/trigger/keys';
import type { RuleOf, Seen } from '../shared/trigger/watch/watch';

/** The three independent statuses of a station, as the platform spells them. */
export const DIMENSIONS = ['NetworkStatus', 'Status', 'HardwareStatus'] as const;

export type Dimension = (typeof DIMENSIONS)[number];

/** What an event of this trigger watches for. */
export interface StationRule {
	rule: RuleOf<'state' | 'often' | 'values'>;
	/** The values of a station, and what is added to its key for each. @param matches whether the filter selects it */
	valuesOf(row: Row, matches: boolean): Array<readonly [suffix: string, value: Seen]>;
	/** Which status events are about; null if the key says it, or none. */
	dimension: Dimension | null;
	/** What `from` and `to` call being in the state and being out of it. */
	called?: { inside: string; outside: string };
	/** What uptime calls these incidents; undefined if they are none. */
	cause?: string;
	/** Whether reported incidents stay open when settings change, so that their end is reported, too. */
	keepsIncidents?: true;
	/** Which of the stations that match the filter can be in the state; undefined if all can. */
	narrowing?: Group;
	/** Whether the filter is the state: then a station that no longer matches it is still of interest. */
	isFilter?: true;
}

/** The station in a key, and its status, if the key has one: `17#HardwareStatus`. */
export function partsOf(key: string): [station: RowKey, dimension: Dimension | null] {
	const dimension = DIMENSIONS.find((each) => key.endsWith(`#${each}`));
	return dimension ? [key.slice(0, -dimension.length - 1), dimension] : [key, null];
}
