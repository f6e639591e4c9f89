import isEqual from 'lodash/isEqual';
import isNil from 'lodash/isNil';

import type { Query } from '../../shared/dsquery/types';
import { MINUTE_MS } from '../../shared/dsquery/values/durations';
import { type Connection, type Page, PlatformError, type Row } from '../../shared/platform';
import { settle } from '../../shared/settle';
import type { ListResource } from '../../shared/resources';

/** Requests of the whole operation, tries included, and how long it may ask. */
const MOST_REQUESTS = 40;
const LONGEST_MINUTES = 5;
/** The largest page that the specification recommends, and one that no platform refuses. */
export const PAGE = 100;
export const SMALL_PAGE = 10;

/** Names of fields in a finding. */
export const MOST_NAMES = 60;

/** What stands for the answer to a request that was not sent any more. */
const NOT_ASKED = new PlatformError('rate-limited', 'No more requests, or no more time, were left to ask for it', {
	description: 'Check one list alone, or run the check again later.',
});

/** What shows of a list. */
export interface ListSample {
	list: ListResource;
	/** The first page and its query: by Id, unless the platform refuses to sort by it. */
	first: Page;
	query: Query;
	/** Why the list cannot be sorted by Id, upwards or downwards. */
	unsorted?: PlatformError;
	/** The page in descending order of the Id. */
	last?: Page;
	/** The rows of both. */
	rows: Row[];
}

/** A list, and what came when it was first asked for: something to see, or a refusal. */
export interface ListProbe {
	list: ListResource;
	seen?: ListSample;
	refusal?: PlatformError;
}

/** A page in the order of the Id. */
function byId(direction: 'Asc' | 'Desc', take = PAGE): Query {
	return { sorts: [{ field: 'Id', direction }], pager: { skip: 0, take } };
}

/** Sends the requests of all checks, as the nodes do, as long as some are left. */
export class ProbeClient {
	constructor(readonly connection: Connection) {
		const { stats, account } = connection;
		const sent = () => stats.requests + stats.signIns;
		// A user may have to sign in for the last one.
		const most = sent() + MOST_REQUESTS - (account === 'signedInUser' ? 1 : 0);
		const endsAt = performance.now() + LONGEST_MINUTES * MINUTE_MS;
		connection.beforeEach = () => {
			if (sent() >= most || performance.now() > endsAt) throw NOT_ASKED;
		};
	}

	async page(list: ListResource, query: Query): Promise<Page> {
		return await this.connection.list(list).page(query);
	}

	/**
	 * Asks for the first page of a list.
	 *
	 * @param nowhere what comes where there is no list: no other form of the query is tried after that
	 */
	async reach(list: ListResource, nowhere?: ListProbe): Promise<ListProbe> {
		let refusal: PlatformError | undefined;
		for (const query of [byId('Asc'), { ...byId('Asc'), sorts: [] }, byId('Asc', SMALL_PAGE)]) {
			const answer = await settle(this.page(list, query));
			if (answer.ok) {
				const unsorted = query.sorts.length === 0 ? refusal : undefined;
				return { list, seen: { list, query, first: answer.value, unsorted, rows: answer.value.rows } };
			}
			if (!(answer.error instanceof PlatformError) || answer.error.kind === 'canceled') throw answer.error;
			refusal = answer.error;
			// Of the Id, which it may not have, or of the Take.
			const mayDiffer = ['query-refused', 'too-large'].includes(answer.error.kind);
			if (!mayDiffer || isSameRefusal(answer.error, nowhere?.refusal)) break;
		}
		return { list, refusal };
	}

	/** Asks for the last page, too, where the list is sorted by Id. */
	async seeEnd(seen: ListSample): Promise<ListSample> {
		if (seen.unsorted) return seen;
		const answer = await settle(this.page(seen.list, byId('Desc', seen.query.pager?.take)));
		if (!answer.ok) {
			const { error } = answer;
			if (!(error instanceof PlatformError) || error.kind === 'canceled') throw error;
			return error.kind === 'query-refused' ? { ...seen, unsorted: error } : seen;
		}
		const last = answer.value;
		return { ...seen, last, rows: [...seen.rows, ...last.rows.filter((row) => !containsRow(seen.first, row))] };
	}
}

/** Whether two refusals are the same one, as far as they can be told apart. */
export function isSameRefusal(one: PlatformError, other: PlatformError | undefined): boolean {
	return one.kind === other?.kind && one.status === other.status && one.property === other.property;
}

/** Whether the page has this row: one with its Id or, without Ids, an equal one. */
export function containsRow({ rows }: Page, row: Row): boolean {
	return rows.some((one) => (isNil(row.Id) ? isEqual(one, row) : one.Id === row.Id));
}
