import type { Query } from '../../../nodes/shared/dsquery/types';
import { writeQuery } from '../../../nodes/shared/dsquery/write';
import { readListAnswer } from '../../../nodes/shared/platform/answers/envelope';
import { PlatformError } from '../../../nodes/shared/platform/answers/errors';
import { PlatformList } from '../../../nodes/shared/platform/lists/platformList';
import { keepRows } from '../../../nodes/shared/platform/lists/sink';
import type { AskPage, ReadRequest } from '../../../nodes/shared/platform/lists/types';
import type { Page } from '../../../nodes/shared/platform/types';
import { LOCATIONS, SESSIONS, STATIONS } from '../../../nodes/shared/resources';
import type { ListResource } from '../../../nodes/shared/resources';
import type { StandIn } from '../../platform/index.ts';

let readers = 0;

type Asked = Omit<ReadRequest, 'sink' | 'wanted'> & { limit?: number };

/** A list that can also be read into pages. */
export class ReadList extends PlatformList {
	async readPages({ limit, ...request }: Asked) {
		const sink = keepRows();
		const result = await this.read({ ...request, wanted: limit, sink });
		return { ...result, pages: sink.pages };
	}
}

/** A list that is read for the first time. */
export const listOf = (ask: AskPage, resource: ListResource = SESSIONS) =>
	new ReadList(resource, ask, `reader ${++readers}`);

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

	readonly getPage = async (query: Query): Promise<Page> => {
		this.requests++;
		if (this.requests > 3000) throw new Error('Reading this list does not end');
		const page = await Promise.resolve(readListAnswer(this.answer(query), LISTS[this.list]));
		this.longestPage = Math.max(this.longestPage, page.rows.length);
		return page;
	};

	private answer(query: Query) {
		const refusal = {
			status: 200,
			headers: {},
			endpoint: { kind: 'list', plural: 'rows' },
			baseUrl: 'http://platform',
			secrets: [],
		};
		try {
			const text = this.platform.answerList(this.list, JSON.parse(writeQuery(query)));
			const body: unknown = text === '' ? null : JSON.parse(text);
			return { body, asRefusal: { ...refusal, body } } as unknown as Parameters<typeof readListAnswer>[0];
		} catch (thrown) {
			if (!(thrown instanceof Error) || !('status' in thrown)) throw thrown;
			throw new PlatformError('query-refused', thrown.message, { status: Number(thrown.status) });
		}
	}
}

const BY_ID: Query['sorts'] = [{ field: 'Id', direction: 'Asc' }];

/** The orders in which lists are read. */
export const SORTS: Record<string, Query['sorts']> = {
	id: BY_ID,
	idDown: [{ field: 'Id', direction: 'Desc' }],
	energy: [{ field: 'EnergyConsumed', direction: 'Desc' }, ...BY_ID],
	start: [{ field: 'StartedAtUtc', direction: 'Asc' }, ...BY_ID],
};
