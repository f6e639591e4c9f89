import { jsonParse } from 'n8n-workflow';

import { writeQuery } from '../../shared/dsquery/write';
import type { Query } from '../../shared/dsquery/types';
import { identityOf, isBeyondEnd, isQueryRefused, settle } from '../../shared/platform';
import type { AskPage, Connection, CsvStream, Look, Page, Row, Settled } from '../../shared/platform';
import type { ListResource } from '../../shared/resources';

/** Requests of the whole operation. */
export const MOST_REQUESTS = 60;
/** Longest time of the whole operation. */
export const LONGEST_MINUTES = 5;
/** A request is tried at most three times. */
const MOST_TRIES = 3;
/** The largest page that the specification recommends. */
export const PAGE = 100;

/** Names of fields in a finding. */
export const MOST_NAMES = 60;

/** How much of a row is kept, in characters: a page of 100 honest rows has up to a million. */
const MOST_OF_ROW = 10_000;

/** No more requests may be sent. */
export class RequestsSpent extends Error {}

/** Counts the requests of the operation: those that were refused and sent again, too. */
export class Budget {
	private readonly before: number;

	/** @param ending ends the requests under way when the time of the operation is over */
	constructor(
		private readonly connection: Connection,
		private readonly ending: AbortSignal,
	) {
		this.before = connection.stats.requests;
	}

	get isOver(): boolean {
		return this.ending.aborted;
	}

	get sent(): number {
		return this.connection.stats.requests - this.before;
	}

	/** @throws RequestsSpent */
	take(): void {
		if (this.isOver || this.sent + MOST_TRIES > MOST_REQUESTS) throw new RequestsSpent();
	}
}

/** A page of at most 100 rows, how it is written, and how many rows came. */
export interface Kept extends Look {
	came: number;
}

function kept({ page, facts }: Look): Kept {
	return { page: { ...page, rows: page.rows.slice(0, PAGE).map(shortRow) }, facts, came: page.rows.length };
}

/** The row itself, or its beginning if it is too long to keep. */
function shortRow(row: Row): Row {
	let left = MOST_OF_ROW;
	const text = JSON.stringify(row, (name, value: unknown) => {
		left -= name.length + (typeof value === 'string' ? value.length : 4);
		return left < 0 ? undefined : value;
	});
	return left < 0 ? jsonParse<Row>(text) : row;
}

/** One list that is checked. Equal questions are asked once, so that each check can ask all that it needs. */
export class ListProbe {
	private readonly answers = new Map<string, Promise<Settled<Kept>>>();
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

	/** The page of a query as far as checks need it, and how it is written. Both are kept. */
	async look(query: Query): Promise<Kept> {
		const key = writeQuery(query);
		const known = this.answers.get(key) ?? settle(this.lookAgain(query).then(kept));
		this.answers.set(key, known);
		const answer = await known;
		if (answer.ok) return answer.value;
		if (answer.error instanceof RequestsSpent) this.answers.delete(key);
		throw answer.error;
	}

	/** Asks even if it was asked before. */
	async lookAgain(query: Query): Promise<Look> {
		return await this.send(async () => await this.connection.look(this.resource, query));
	}

	private async send<Result>(request: () => Promise<Result>): Promise<Result> {
		this.spend();
		const answer = await settle(request());
		if (answer.ok) return answer.value;
		throw this.budget.isOver ? new RequestsSpent() : answer.error;
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

	async first(): Promise<Kept> {
		return await this.look(this.firstQuery);
	}

	/** The first page, asked for once more. Without a sort, if the Id cannot be sorted by. */
	async firstAgain({ isById = this.isById } = {}): Promise<Kept> {
		this.isById = isById;
		this.begin(1);
		this.answers.delete(writeQuery(this.firstQuery));
		return await this.first();
	}

	/** The detail of a station. */
	async station(id: string): Promise<Row> {
		return await this.send(async () => await this.connection.getStation(id));
	}

	/** The CSV export of these sessions. */
	async export<Result>(ids: readonly number[], read: (file: CsvStream) => Promise<Result>): Promise<Result> {
		return await this.send(async () => await this.connection.exportSessions(ids, read));
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
