import isEqual from 'lodash/isEqual';
import isNil from 'lodash/isNil';

import type { Query } from '../../shared/dsquery/types';
import { MINUTE_MS } from '../../shared/dsquery/values/durations';
import { type Connection, type Page, PlatformError, type Row } from '../../shared/platform';
import { settle } from '../../shared/settle';
import type { ListResource } from '../../shared/resources';

/** Requests of the whole operation, and how long it may ask. */
const MOST_REQUESTS = 40;
const LONGEST_MINUTES = 5;
/** A request is tried at most three times. */
const MOST_TRIES = 3;
/** The largest page that the specification recommends, and one that no platform refuses. */
export const PAGE = 100;
const SMALL_PAGE = 10;

/** Names of fields in a finding. */
export const MOST_NAMES = 60;

/** What stands for the answer to a request that was not sent any more. */
const NOT_ASKED = new PlatformError('rate-limited', 'No more requests, or no more time, were left to ask for it', {
	description: 'Check one list alone, or run the check again later.',
});

/** What shows of a list. */
export interface Seen {
	list: ListResource;
	/** The first page and its query: by Id, unless the platform refuses to sort by it. */
	first: Page;
	query: Query;
	/** The page in descending order of the Id. */
	last?: Page;
	/** The rows of both. */
	rows: Row[];
}

/** A list, and what came when it was first asked for: something to see, or a refusal. */
export interface Reached {
	list: ListResource;
	seen?: Seen;
	refusal?: PlatformError;
}

/** A page in the order of the Id. */
function byId(direction: 'Asc' | 'Desc', take = PAGE): Query {
	return { sorts: [{ field: 'Id', direction }], pager: { skip: 0, take } };
}

/** Sends the requests of all checks, as the nodes do, as long as some are left. */
export class Asking {
	private readonly before: number;
	private readonly endsAt = performance.now() + LONGEST_MINUTES * MINUTE_MS;

	constructor(readonly connection: Connection) {
		this.before = connection.stats.requests;
	}

	/** @throws PlatformError also where no request is left */
	async ask<Answer>(request: (connection: Connection) => Promise<Answer>): Promise<Answer> {
		const sent = this.connection.stats.requests - this.before;
		if (sent + MOST_TRIES > MOST_REQUESTS || performance.now() > this.endsAt) throw NOT_ASKED;
		return await request(this.connection);
	}

	async page(list: ListResource, query: Query): Promise<Page> {
		return await this.ask(async (connection) => await connection.list(list).page(query));
	}

	/** Asks for the first page of a list. */
	async reach(list: ListResource): Promise<Reached> {
		let refusal: PlatformError | undefined;
		for (const query of [byId('Asc'), { ...byId('Asc'), sorts: [] }, byId('Asc', SMALL_PAGE)]) {
			const answer = await settle(this.page(list, query));
			if (answer.ok) return { list, seen: { list, query, first: answer.value, rows: answer.value.rows } };
			if (!(answer.error instanceof PlatformError) || answer.error.kind === 'canceled') throw answer.error;
			refusal ??= answer.error;
			// Of the Id, which it may not have, or of the Take.
			if (!['query-refused', 'too-large'].includes(answer.error.kind)) break;
		}
		return { list, refusal };
	}

	/** Asks for the last page, too, where the list is sorted by Id. */
	async seeEnd(seen: Seen): Promise<Seen> {
		if (seen.query.sorts.length === 0) return seen;
		const answer = await settle(this.page(seen.list, byId('Desc', seen.query.pager?.take)));
		if (!answer.ok) return seen;
		const last = answer.value;
		return { ...seen, last, rows: [...seen.rows, ...last.rows.filter((row) => !includes(seen.first, row))] };
	}
}

/** Whether the page has this row: one with its Id or, without Ids, an equal one. */
export function includes({ rows }: Page, row: Row): boolean {
	return rows.some((one) => (isNil(row.Id) ? isEqual(one, row) : one.Id === row.Id));
}
