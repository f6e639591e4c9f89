import type { Query } from '../../dsquery/types';
import { settle } from '../settle';
import { isQueryRefused } from './faults';
import type { Row } from '../types';

/** Beyond the end of any list, and still a 32-bit integer. */
const BEYOND_EVERY_LIST = 2_000_000_000;

/** Whether the platform applies Skip: far beyond the end it gives no rows, or refuses. */
export async function isSkipHeard(getPage: (query: Query) => Promise<{ rows: Row[] }>, query: Query): Promise<boolean> {
	const beyond = await settle(getPage({ ...query, pager: { skip: BEYOND_EVERY_LIST, take: 1 } }));
	if (!beyond.ok && !isQueryRefused(beyond.error)) throw beyond.error;
	return !beyond.ok || beyond.value.rows.length === 0;
}
