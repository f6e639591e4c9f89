import type { Query } from '../../../nodes/shared/dsquery/types';
import { writeQuery } from '../../../nodes/shared/dsquery/write';
import { readOpenAnswer, readPage } from '../../../nodes/shared/platform/answers/envelope';
import { PlatformError } from '../../../nodes/shared/platform/answers/errors';
import type { OpenAnswer, Page } from '../../../nodes/shared/platform/types';
import { LOCATIONS, SESSIONS, STATIONS } from '../../../nodes/shared/resources';
import type { StandIn } from '../../platform/index.ts';

const LISTS = { sessions: SESSIONS, stations: STATIONS, locations: LOCATIONS };

/** The stand-in's lists without HTTP, as the list reader sees them. */
export class ListSource {
	requests = 0;
	/** Most rows on a page so far. */
	longestPage = 0;

	constructor(
		private readonly platform: StandIn,
		private readonly list: keyof typeof LISTS,
	) {}

	readonly getPage = async (query: Query): Promise<Page> => await this.ask(query, readPage);

	readonly getAnswer = async (query: Query): Promise<OpenAnswer> => await this.ask(query, readOpenAnswer);

	private async ask<Result extends OpenAnswer>(query: Query, read: typeof readPage | typeof readOpenAnswer) {
		this.requests++;
		if (this.requests > 3000) throw new Error('Reading this list does not end');
		await Promise.resolve();
		const result = read(this.answer(query), LISTS[this.list]) as Result;
		this.longestPage = Math.max(this.longestPage, result.rows.length);
		return result;
	}

	private answer(query: Query) {
		const refusal = {
			status: 200,
			headers: {},
			endpoint: { kind: 'list', plural: 'rows' },
			baseUrl: 'http://platform',
		};
		try {
			const body: unknown = JSON.parse(this.platform.answerList(this.list, JSON.parse(writeQuery(query))));
			return { body, asRefusal: { ...refusal, body } } as unknown as Parameters<typeof readPage>[0];
		} catch (thrown) {
			if (!(thrown instanceof Error) || !('status' in thrown)) throw thrown;
			throw new PlatformError('query-refused', thrown.message, { status: 400 });
		}
	}
}
