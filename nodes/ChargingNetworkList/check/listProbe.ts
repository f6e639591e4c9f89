import { jsonParse } from 'n8n-workflow';

import { conditionsIn } from '../../shared/dsquery/compose';
import type { Group, Query } from '../../shared/dsquery/types';
import { writeQuery } from '../../shared/dsquery/write';
import { seenFields } from '../../shared/list/dropdowns/seenFields';
import type { Field } from '../../shared/list/dropdowns/seenFields';
import { identityOf, isQueryRefused, PlatformError, settle } from '../../shared/platform';
import type {
	AskPage,
	Connection,
	CsvStream,
	Inspected,
	Page,
	PlatformList,
	Row,
	Settled,
} from '../../shared/platform';
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

/** Counts the requests of the operation, tries included, and those of the check under way. */
export class Budget {
	private readonly before: number;
	private left = 1;

	/** @param ending ends the requests under way when the time of the operation is over */
	constructor(
		private readonly connection: Connection,
		private readonly ending: AbortSignal,
	) {
		this.before = connection.stats.requests;
	}

	/** A check begins that may send this many requests. */
	begin(mostRequests: number): void {
		this.left = mostRequests;
	}

	/** @throws RequestsSpent */
	async send<Result>(request: () => Promise<Result>): Promise<Result> {
		const sent = this.connection.stats.requests - this.before;
		if (this.ending.aborted || this.left <= 0 || sent + MOST_TRIES > MOST_REQUESTS) throw new RequestsSpent();
		this.left--;
		const answer = await settle(request());
		if (answer.ok) return answer.value;
		throw this.ending.aborted ? new RequestsSpent() : answer.error;
	}
}

/** A page of at most 100 rows, how it is written, and how many rows came. */
interface Kept extends Inspected {
	came: number;
}

function kept({ page, facts }: Inspected): Kept {
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
	/** The list as the other operations read it: what it proves is asked again, whatever was asked before. */
	readonly list: PlatformList;
	private readonly trace = new Set<string>();
	private readonly answers = new Map<string, Promise<Settled<Kept>>>();
	private isById: boolean;

	constructor(
		readonly resource: ListResource,
		readonly connection: Connection,
		private readonly budget: Budget,
	) {
		this.isById = !resource.unknownShape;
		this.list = connection.list(resource, async (query) => this.traced(query, await settle(this.send(query))).page);
	}

	/** Names of fields for a finding. */
	readonly namesOf = (names: readonly string[]): string => this.connection.namesOf(names, MOST_NAMES);

	/** A check begins that may send this many requests. */
	begin(mostRequests: number): void {
		this.budget.begin(mostRequests);
		this.trace.clear();
	}

	/** What was asked since the check began, and what came. */
	get evidence(): string {
		return [...this.trace].join('; ');
	}

	/** The page of a query as far as checks need it, and how it is written. Both are kept. */
	async inspect(query: Query): Promise<Kept> {
		const key = writeQuery(query);
		const known = this.answers.get(key) ?? settle(this.send(query).then(kept));
		this.answers.set(key, known);
		const answer = await known;
		if (!answer.ok && answer.error instanceof RequestsSpent) this.answers.delete(key);
		return this.traced(query, answer);
	}

	private async send(query: Query): Promise<Inspected> {
		return await this.budget.send(async () => await this.connection.inspect(this.resource, query));
	}

	private traced<Answer extends Inspected>(query: Query, answer: Settled<Answer>): Answer {
		this.trace.add(`${shownQuery(query, this.namesOf)}: ${shownAnswer(answer)}`);
		if (answer.ok) return answer.value;
		throw answer.error;
	}

	readonly ask: AskPage = async (query) => (await this.inspect(query)).page;

	/** A page, or undefined if this query is refused. */
	async attempt(query: Query): Promise<Page | undefined> {
		const page = await settle(this.ask(query));
		if (page.ok) return page.value;
		const { error } = page;
		if (!isQueryRefused(error)) throw error;
		return undefined;
	}

	/** The rows that satisfy a filter, or undefined if it is refused. */
	async rows(filter: Group | undefined): Promise<Row[] | undefined> {
		return (await this.attempt({ filter, sorts: [], pager: { skip: 0, take: 2 } }))?.rows;
	}

	/** The query of the first page: by Id, where the specification shows one. */
	get firstQuery(): Query {
		return this.isById ? byId('Asc') : { sorts: [], pager: { skip: 0, take: PAGE } };
	}

	async first(): Promise<Kept> {
		return await this.inspect(this.firstQuery);
	}

	/** The first page, asked for once more. Without a sort, if the Id cannot be sorted by. */
	async firstAgain({ isById = this.isById } = {}): Promise<Kept> {
		this.isById = isById;
		this.begin(1);
		this.answers.delete(writeQuery(this.firstQuery));
		return await this.first();
	}

	/** Some rows: the first ones and, where the Id can be sorted by, the last ones. */
	async sample(): Promise<Row[]> {
		const { rows } = (await this.first()).page;
		const last = (await this.attempt(byId('Desc')))?.rows ?? [];
		const seen = new Set(rows.map(identityOf));
		return [...rows, ...last.filter((row) => identityOf(row) !== undefined && !seen.has(identityOf(row)))];
	}

	/** The fields of the sample. */
	async fields(): Promise<Field[]> {
		return seenFields(this.resource, await this.sample());
	}

	/** The detail of a station. */
	async station(id: string): Promise<Row> {
		this.trace.add('the detail of a station');
		return await this.budget.send(async () => await this.connection.getStation(id));
	}

	/** The CSV export of these sessions. */
	async export<Result>(ids: readonly number[], read: (file: CsvStream) => Promise<Result>): Promise<Result> {
		this.trace.add(`the export of ${ids.length} sessions`);
		return await this.budget.send(async () => await this.connection.exportSessions(ids, read));
	}
}

/** A page in the order of the Id. */
export function byId(direction: 'Asc' | 'Desc'): Query {
	return { sorts: [{ field: 'Id', direction }], pager: { skip: 0, take: PAGE } };
}

/** A question without its values, which may be those of rows: "Id In; sort: Id Desc; Skip 100, Take 100". */
function shownQuery({ filter, sorts, pager }: Query, namesOf: ListProbe['namesOf']): string {
	const conditions = conditionsIn(filter).map(({ field, operator }) => `${namesOf([field])} ${operator}`);
	const orders = sorts.map(({ field, direction }) => `${namesOf([field])} ${direction}`);
	return [
		conditions.join(' & '),
		orders.length > 0 ? `by ${orders.join(', ')}` : '',
		pager?.skip ? `Skip ${pager.skip}` : '',
		`Take ${pager?.take}`,
	]
		.filter((part) => part !== '')
		.join(', ');
}

/** "100 of 330 rows", and how they are written, if that is not as specified. Or how it was refused. */
function shownAnswer(answer: Settled<Inspected & { came?: number }>): string {
	if (!answer.ok) {
		const { error } = answer;
		if (!(error instanceof PlatformError)) return 'not asked';
		return `${error.status ?? error.kind}${error.property === undefined ? '' : ', naming the field'}`;
	}
	const { page, facts, came = page.rows.length } = answer.value;
	const form = facts.form === 'envelope' ? `Items: ${facts.items}` : `form: ${facts.form}`;
	return `${came} of ${page.totalCount ?? '?'} rows${form === 'Items: list' ? '' : ` (${form})`}`;
}
