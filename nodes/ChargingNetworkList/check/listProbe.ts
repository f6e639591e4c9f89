import { writeQuery } from '../../shared/dsquery/write';
import type { Query } from '../../shared/dsquery/types';
import { identityOf, isBeyondEnd, isQueryRefused, settle } from '../../shared/platform';
import type { AskPage, Connection, CsvStream, Look, Page, Row, Settled } from '../../shared/platform';
import type { ListResource } from '../../shared/resources';

/** Requests of the whole operation. */
export const MOST_REQUESTS = 60;
/** A request is tried at most three times. */
const MOST_TRIES = 3;
/** The largest page that the specification recommends. */
export const PAGE = 100;

/** Names of fields in a finding. */
const MOST_NAMES = 60;

/** No more requests may be sent. */
export class RequestsSpent extends Error {}

/** Counts the requests of the operation: those that were refused and sent again, too. */
export class Budget {
	private readonly before: number;

	constructor(private readonly connection: Connection) {
		this.before = connection.stats.requests;
	}

	get sent(): number {
		return this.connection.stats.requests - this.before;
	}

	/** @throws RequestsSpent */
	take(): void {
		if (this.sent + MOST_TRIES > MOST_REQUESTS) throw new RequestsSpent();
	}
}

/** One list that is checked. Equal questions are asked once, so that each check can ask all that it needs. */
export class ListProbe {
	private readonly answers = new Map<string, Promise<Settled<Look>>>();
	/** Requests that the check under way may still send. */
	private left = 1;
	private isById: boolean;

	constructor(
		readonly resource: ListResource,
		readonly connection: Connection,
		private readonly budget: Budget,
	) {
		this.isById = !resource.unknownShape;
	}

	/** Names of fields for a finding. */
	readonly namesOf = (names: readonly string[]): string => this.connection.namesOf(names, MOST_NAMES);

	/** A check begins that may send this many requests. */
	begin(mostRequests: number): void {
		this.left = mostRequests;
	}

	/** The page of a query, and how it is written. */
	async look(query: Query): Promise<Look> {
		const key = writeQuery(query);
		const known = this.answers.get(key) ?? settle(this.lookAgain(query));
		this.answers.set(key, known);
		const answer = await known;
		if (answer.ok) return answer.value;
		if (answer.error instanceof RequestsSpent) this.answers.delete(key);
		throw answer.error;
	}

	/** Asks even if it was asked before. */
	async lookAgain(query: Query): Promise<Look> {
		this.spend();
		return await this.connection.look(this.resource, query);
	}

	private spend(): void {
		if (this.left <= 0) throw new RequestsSpent();
		this.budget.take();
		this.left--;
	}

	readonly ask: AskPage = async (query) => (await this.look(query)).page;
	/** For what must see whether the list changes. */
	readonly askAgain: AskPage = async (query) => (await this.lookAgain(query)).page;

	/** The query of the first page: by Id, where the specification shows one. */
	get firstQuery(): Query {
		return this.isById ? byId('Asc') : { sorts: [], pager: { skip: 0, take: PAGE } };
	}

	async first(): Promise<Look> {
		return await this.look(this.firstQuery);
	}

	/** The first page, asked for once more. Without a sort, if the Id cannot be sorted by. */
	async firstAgain({ isById = this.isById } = {}): Promise<Look> {
		this.isById = isById;
		this.begin(1);
		this.answers.delete(writeQuery(this.firstQuery));
		return await this.first();
	}

	/** The detail of a station. */
	async station(id: string): Promise<Row> {
		this.spend();
		return await this.connection.getStation(id);
	}

	/** The CSV export of these sessions. */
	async export<Result>(ids: readonly number[], read: (file: CsvStream) => Promise<Result>): Promise<Result> {
		this.spend();
		return await this.connection.exportSessions(ids, read);
	}

	/** A page, or undefined if this query is refused. */
	async attempt(query: Query): Promise<Page | undefined> {
		const page = await settle(this.ask(query));
		if (!page.ok && !isQueryRefused(page.error) && !isBeyondEnd(page.error)) throw page.error;
		return page.ok ? page.value : undefined;
	}

	/** Some rows: the first ones and, where the Id can be sorted by, the last ones. */
	async sample(): Promise<Row[]> {
		const rows = (await this.first()).page.rows.slice(0, PAGE);
		const last = (await this.attempt(byId('Desc')))?.rows.slice(0, PAGE) ?? [];
		const seen = new Set(rows.map(identityOf));
		return [...rows, ...last.filter((row) => identityOf(row) !== undefined && !seen.has(identityOf(row)))];
	}
}

/** A page in the order of the Id. */
export function byId(direction: 'Asc' | 'Desc', skip = 0): Query {
	return { sorts: [{ field: 'Id', direction }], pager: { skip, take: PAGE } };
}
