import type { Database, SqlValue } from './database.ts';
import { Refusal } from './errors.ts';
import type { Condition, Group, ListQuery } from './query.ts';
import { rowJsonSql } from './resources.ts';
import type { Field, Resource } from './resources.ts';
import type { Behaviour, ListName } from './types.ts';

interface Sql {
	text: string;
	values: SqlValue[];
	/** Height of the expression tree, which SQLite limits to 1000. */
	depth: number;
}

const RANGES = {
	GtLt: ['>', '<'],
	GteLte: ['>=', '<='],
	GteLt: ['>=', '<'],
	GtLte: ['>', '<='],
} as const;

const COMPARISONS = { Eq: '=', Lt: '<', Lte: '<=', Gt: '>', Gte: '>=' } as const;

/** Length of a timestamp's text when truncated to the unit. */
const UNITS = { IsDate: 10, IsMonth: 7, IsYear: 4, IsHour: 13, IsMinute: 16, IsSecond: 19 } as const;

const has = <T extends object>(table: T, key: PropertyKey): key is keyof T => Object.hasOwn(table, key);

class FilterWriter {
	private readonly db: Database;
	private readonly resource: Resource;
	private readonly behaviour: Behaviour;

	constructor(db: Database, resource: Resource, behaviour: Behaviour) {
		this.db = db;
		this.resource = resource;
		this.behaviour = behaviour;
	}

	group(group: Group): Sql {
		const parts = group.filters.map((filter) => ('filters' in filter ? this.group(filter) : this.condition(filter)));
		if (!parts.length) return { text: this.behaviour.emptyGroup === 'none' ? '0' : '1', values: [], depth: 1 };
		const joined = this.join(parts, group.logic === 'And' ? 'AND' : 'OR');
		return joined.depth < 200 ? joined : this.materialise(joined);
	}

	/** Joins in halves: a chain of a thousand conditions would exceed SQLite's expression depth. */
	private join(parts: Sql[], word: string): Sql {
		const [first] = parts;
		if (parts.length === 1 && first) return first;
		const middle = parts.length >> 1;
		const left = this.join(parts.slice(0, middle), word);
		const right = this.join(parts.slice(middle), word);
		return {
			text: `(${left.text} ${word} ${right.text})`,
			values: [...left.values, ...right.values],
			depth: 1 + Math.max(left.depth, right.depth),
		};
	}

	/** Evaluates a part that is too deep for SQLite first, on the same rows, so that groups can nest to any depth. */
	private materialise({ text, values }: Sql): Sql {
		const sql = `SELECT json_group_array(Id) AS ids FROM ${this.resource.table} WHERE ${text}`;
		const row = this.db.prepare(sql).get(...values);
		return { text: 'Id IN (SELECT value FROM json_each(?))', values: [String(row?.ids)], depth: 2 };
	}

	private condition(condition: Condition): Sql {
		const { operator, value, place } = condition;
		const field = findField(this.resource, condition.field, this.behaviour, 'filter', place);
		const sql = field.comparedAsText ? `CAST(${field.sql} AS TEXT)` : this.comparable(field);
		const one = (text: string, ...values: SqlValue[]): Sql => ({ text: `(${text})`, values, depth: 4 });

		if (has(UNITS, operator)) {
			if (field.type !== 'date') throw this.mismatch(condition, field);
			const length = UNITS[operator];
			return one(`substr(${sql}, 1, ${length}) = ?`, this.dateValue(value, condition).slice(0, length));
		}
		if (operator === 'Contains' || operator === 'StartsWith' || operator === 'EndsWith') {
			return this.textCondition(condition, field);
		}
		if (operator === 'In') {
			const entries = value.split(',').map((entry) => this.value(this.trimmed(entry), field, condition));
			// Numbers are not written by JSON.stringify, which rejects bigint; SQLite's JSON reads 64 bits.
			const list = entries.map((entry) => (typeof entry === 'string' ? JSON.stringify(entry) : String(entry)));
			return one(`${sql} IN (SELECT value FROM json_each(?))`, `[${list.join(',')}]`);
		}
		if (has(RANGES, operator)) {
			this.checkOrdered(condition, field);
			const ends = value.split(',');
			const [low, high] = ends;
			if (ends.length !== 2 || low === undefined || high === undefined) {
				throw new Refusal(400, `${place}.Value: ${operator} needs "low,high" for property '${field.name}'.`);
			}
			const [above, below] = RANGES[operator];
			return one(
				`${sql} ${above} ? AND ${sql} ${below} ?`,
				this.value(this.trimmed(low), field, condition),
				this.value(this.trimmed(high), field, condition),
			);
		}
		if (operator === 'Neq') {
			const orNull = this.behaviour.nullNeq === 'match' ? ` OR ${sql} IS NULL` : '';
			return one(`${sql} <> ?${orNull}`, this.value(value, field, condition));
		}
		if (operator !== 'Eq') this.checkOrdered(condition, field);
		return one(`${sql} ${COMPARISONS[operator]} ?`, this.value(value, field, condition));
	}

	private textCondition(condition: Condition, field: Field): Sql {
		const { operator } = condition;
		if (field.type !== 'text' && this.behaviour.textOperatorsOnNonText === 'refuse') {
			throw this.mismatch(condition, field);
		}
		const sql = field.type === 'text' ? this.comparable(field) : `CAST(${field.sql} AS TEXT)`;
		const value = this.behaviour.collation === 'nocase' ? condition.value.toLowerCase() : condition.value;
		const text =
			operator === 'Contains'
				? `instr(${sql}, ?1) > 0`
				: operator === 'StartsWith'
					? `substr(${sql}, 1, length(?1)) = ?1`
					: `(?1 = '' AND ${sql} IS NOT NULL OR substr(${sql}, -length(?1)) = ?1)`;
		// SQLite numbers a repeated parameter over the whole statement, so each use gets its own.
		const uses = text.split('?1').length - 1;
		return { text: `(${text.replaceAll('?1', '?')})`, values: Array<string>(uses).fill(value), depth: 6 };
	}

	private comparable(field: Field): string {
		return field.type === 'text' && this.behaviour.collation === 'nocase' ? `fold(${field.sql})` : field.sql;
	}

	private trimmed(entry: string): string {
		return this.behaviour.listSpaces === 'trim' ? entry.trim() : entry;
	}

	private checkOrdered(condition: Condition, field: Field): void {
		if (field.type === 'boolean' || (field.type === 'text' && this.behaviour.orderedText === 'refuse')) {
			throw this.mismatch(condition, field);
		}
	}

	private mismatch({ operator, place }: Condition, field: Field): Refusal {
		return new Refusal(
			400,
			`${place}.Operator: ${operator} cannot be used on property '${field.name}' (${field.type}).`,
		);
	}

	/** Reads a Value by the type of its field, so that numbers compare as numbers and dates as timestamps. */
	private value(value: string, field: Field, condition: Condition): string | number | bigint | null {
		if (field.comparedAsText) return value;
		const unreadable = () =>
			new Refusal(
				400,
				`${condition.place}.Value: '${value}' is not a valid ${field.type} for property '${field.name}'.`,
			);
		switch (field.type) {
			case 'text':
				return this.behaviour.collation === 'nocase' ? value.toLowerCase() : value;
			case 'date':
				return this.dateValue(value, condition);
			case 'boolean': {
				const lower = value.toLowerCase();
				if (lower !== 'true' && lower !== 'false') throw unreadable();
				return lower === 'true' ? 1 : 0;
			}
			case 'number':
				if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value)) throw unreadable();
				return Number(value);
			case 'code':
			case 'integer': {
				const named = this.behaviour.statusValueNames ? field.names : undefined;
				const name = Object.keys(named ?? {}).find((known) => known.toLowerCase() === value.toLowerCase());
				if (named && name !== undefined) return named[name] ?? null;
				if (!/^[+-]?\d{1,19}$/.test(value)) throw unreadable();
				const digits = BigInt(value.replace('+', ''));
				if (BigInt.asIntN(64, digits) !== digits) throw unreadable();
				return digits;
			}
		}
	}

	/** Timestamps are compared as text: in the specified form, text order is time order. */
	private dateValue(value: string, condition: Condition): string {
		const refusal = new Refusal(
			400,
			`${condition.place}.Value: '${value}' is not a timestamp for property '${condition.field}', write YYYY-MM-DDThh:mm:ss.`,
		);
		const strict = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;
		const lenient = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d)(\.\d{1,7})?Z?)?$/;
		const match = lenient.exec(value);
		if (!match || (this.behaviour.dateValues === 'strict' && !strict.test(value))) throw refusal;
		const [, day, time = '00:00:00', fraction] = match;
		const seconds = `${day}T${time}`;
		const parsed = Date.parse(`${seconds}Z`);
		// Date.parse reads 30 February as 2 March.
		if (Number.isNaN(parsed) || new Date(parsed).toISOString().slice(0, 19) !== seconds) throw refusal;
		const milliseconds = Math.trunc(Number(`0${fraction ?? ''}`) * 1000 + 1e-6);
		const utc = new Date(parsed - this.behaviour.conditionZoneHours * 3_600_000).toISOString().slice(0, 19);
		return milliseconds ? `${utc}.${String(milliseconds).padStart(3, '0')}` : utc;
	}
}

function findField(resource: Resource, name: string, behaviour: Behaviour, use: string, place: string): Field {
	const field = resource.fields.find((candidate) =>
		behaviour.fieldCase === 'sensitive' ? candidate.name === name : candidate.name.toLowerCase() === name.toLowerCase(),
	);
	// List query rule 6: never ignored, and the message names the property.
	if (!field) {
		throw new Refusal(
			400,
			`'${name}' is not a property of ${resource.typeName}, it cannot be used to ${use} (${place}).`,
		);
	}
	return field;
}

function orderBy(resource: Resource, query: ListQuery, behaviour: Behaviour): string {
	const { nullPlacement, naturalOrder, collation, lists } = behaviour;
	const entries = query.sorts.map(({ field: name, direction, place }) => {
		const field = findField(resource, name, behaviour, 'sort', place);
		const nullsLowest = nullPlacement === 'first';
		const first =
			nullPlacement === 'alwaysFirst' ||
			(nullPlacement !== 'alwaysLast' && (direction === 'Asc' ? nullsLowest : !nullsLowest));
		const isText = lists.sorting === 'text' && field.type !== 'text';
		const value = isText ? `CAST(${field.sql} AS TEXT)` : (field.order ?? field.sql);
		const sql = field.type === 'text' && collation === 'nocase' ? `fold(${value})` : value;
		return `${sql} ${direction === 'Asc' ? 'ASC' : 'DESC'} NULLS ${first ? 'FIRST' : 'LAST'}`;
	});
	const id = resource.fields.find(({ name }) => name === 'Id')?.sql ?? 'Id';
	const natural = { idAsc: `${id} ASC`, idDesc: `${id} DESC`, random: 'shuffle()' }[naturalOrder];
	// Keeps the order stable if Ids are not unique.
	const place = lists.oddIds !== 'none' && naturalOrder !== 'random' ? ['rowid'] : [];
	return [...entries, natural, ...place].join(', ');
}

function effectiveTake(take: number | undefined, behaviour: Behaviour, list: ListName): number {
	const { takeOverClamp, takeZero, defaultTake, lists } = behaviour;
	const takeClamp = (list === 'stations' ? lists.stationsTakeClamp : undefined) ?? behaviour.takeClamp;
	if (take === 0 && takeZero === 'refuse') throw new Refusal(400, 'Pager.Take must be greater than 0.');
	const wanted = take === undefined || (take === 0 && takeZero === 'default') ? defaultTake : take;
	if (takeClamp === undefined || wanted <= takeClamp) return Math.max(0, wanted + lists.takeOffBy);
	if (takeOverClamp === 'refuse') throw new Refusal(400, `Pager.Take must not be greater than ${takeClamp}.`);
	return takeClamp;
}

/** The Skip to apply. Throws if it is refused. */
function effectiveSkip(skip: number, { lists }: Behaviour): number {
	const { maxSkip, skipOverMax } = lists;
	if (maxSkip === undefined || skip <= maxSkip) return skip;
	if (skipOverMax === 'refuse') throw new Refusal(400, `Pager.Skip must not be greater than ${maxSkip}.`);
	return skipOverMax === 'clamp' ? maxSkip : 0;
}

/** The query without the parts that have no effect, which are not checked any further. */
function heard(query: ListQuery, lists: Behaviour['lists']): ListQuery {
	const { listensTo, mostSorts } = lists;
	return {
		filter: listensTo.filter && query.filter ? heardOf(query.filter, lists) : undefined,
		sorts: listensTo.sort ? query.sorts.slice(0, mostSorts) : [],
		skip: listensTo.skip ? query.skip : 0,
		take: listensTo.take ? query.take : Number.MAX_SAFE_INTEGER,
	};
}

/** A group without the conditions that have no effect; undefined if none is left. */
function heardOf(group: Group, lists: Behaviour['lists']): Group | undefined {
	const { ignoredOperators, ignoredFields } = lists;
	if (ignoredOperators.length === 0 && ignoredFields.length === 0) return group;
	const filters = group.filters.flatMap((filter): Group['filters'] => {
		if ('filters' in filter) return [heardOf(filter, lists) ?? []].flat();
		return ignoredOperators.includes(filter.operator) || ignoredFields.includes(filter.field) ? [] : [filter];
	});
	return filters.length > 0 ? { ...group, filters } : undefined;
}

/** TotalCount of each filter as it was first counted. */
const cachedCounts = new WeakMap<Database, Map<string, number>>();
export const forgetCounts = (db: Database) => cachedCounts.delete(db);

/** A page, and how many rows there really are. */
export interface ListPage {
	items: string[];
	total: number;
	real: number;
	skip: number;
}

/**
 * The rows of one page, each as JSON, and the TotalCount to report. Both are from the same moment, unless
 * `lists.moment` asks for two statements: then `between` is called between them.
 */
export function readPage(
	db: Database,
	resource: Resource,
	asked: ListQuery,
	behaviour: Behaviour,
	{
		isEmpty = false,
		isUnsorted = false,
		isCut = false,
		between,
	}: { isEmpty?: boolean; isUnsorted?: boolean; isCut?: boolean; between?: () => void } = {},
): ListPage {
	const { lists } = behaviour;
	const query = heard(asked, lists);
	const skip = effectiveSkip(query.skip, behaviour);
	const take = effectiveTake(query.take, behaviour, resource.table);
	const filter = query.filter && new FilterWriter(db, resource, behaviour).group(query.filter);
	const where = filter ? `WHERE ${filter.text}` : '';
	const values = filter?.values ?? [];
	const order = orderBy(resource, isUnsorted ? { ...query, sorts: [] } : query, behaviour);

	const count = () => {
		const row = db.prepare(`SELECT count(*) AS total FROM ${resource.table} ${where}`).get(...values);
		return Number(row?.total);
	};
	const inOrder = (by: string) =>
		`SELECT rowid AS rowKey FROM ${resource.table} ${where} ORDER BY ${by} LIMIT ? OFFSET ?`;
	const natural = orderBy(resource, { ...query, sorts: [] }, behaviour);
	const pageAlone = `SELECT rowid AS rowKey FROM ${resource.table} WHERE rowid IN (${inOrder(natural)}) ORDER BY ${order} LIMIT -1`;
	// A cross join keeps the order of its left side, which needs a LIMIT; the rows are written only once it is known which ones.
	const written = db.prepare(
		`SELECT ${rowJsonSql(resource)} AS json FROM (${lists.sorting === 'page' ? pageAlone : inOrder(order)})
		CROSS JOIN ${resource.table} AS listed ON listed.rowid = rowKey`,
	);
	const rows = () => (isEmpty ? [] : written.all(...values, take, skip).map(({ json }) => String(json)));

	const early = lists.moment === 'rowsFirst' ? undefined : count();
	if (lists.moment === 'countFirst') between?.();
	const items = cut(rows(), query.skip, isCut ? lists.cutReplica : undefined, lists);
	if (lists.moment === 'rowsFirst') between?.();
	const real = early ?? count();
	const counted = Math.min(real, lists.window ?? Number.POSITIVE_INFINITY);
	return {
		items,
		skip: query.skip,
		real,
		total: shownCount(
			isCut ? items.length : counted,
			items.length,
			cacheOf(db, JSON.stringify([resource.table, where, values.map(String)])),
			lists,
		),
	};
}

/** The rows that are left of a page. */
function cut(items: string[], skip: number, most: number | undefined, lists: Behaviour['lists']): string[] {
	const { unevenPages, window } = lists;
	if (most !== undefined) return items.slice(0, most);
	const share = unevenPages && skip > 0 ? 0.6 + ((skip * 7) % 39) / 100 : 1;
	const reachable = window === undefined ? items.length : Math.max(0, window - skip);
	return items.slice(0, Math.min(Math.ceil(items.length * share), reachable));
}

interface Cached {
	get(): number | undefined;
	set(count: number): void;
}

function cacheOf(db: Database, key: string): Cached {
	const counts = cachedCounts.get(db) ?? new Map<string, number>();
	cachedCounts.set(db, counts);
	return { get: () => counts.get(key), set: (count) => void counts.set(key, count) };
}

function shownCount(counted: number, onPage: number, cached: Cached, lists: Behaviour['lists']): number {
	switch (lists.count) {
		case 'exact':
			return counted;
		case 'cached': {
			const known = cached.get();
			if (known === undefined) cached.set(counted);
			return known ?? counted;
		}
		case 'capped':
			return Math.min(counted, lists.countCap);
		case 'offBy':
			return Math.max(0, counted + lists.countOffBy);
		case 'page':
			return onPage;
	}
}

/** The paged envelope of every list endpoint. */
export function envelope(page: ListPage, behaviour: Behaviour): string {
	const { items, total, skip } = page;
	const isCamel = behaviour.lists.names === 'camel';
	if (items.length === 0 && skip > 0) {
		const { behindEnd } = behaviour.lists;
		if (behindEnd === 'notFound') throw new Refusal(404, 'There is nothing here.');
		if (behindEnd !== 'envelope') return behindEnd === 'null' ? 'null' : '';
	}
	const list = items.length === 0 && behaviour.lists.emptyItems === 'null' ? 'null' : `[${items.join(',')}]`;
	const name = isCamel ? 'totalCount' : 'TotalCount';
	const count = {
		number: `,"${name}":${total}`,
		text: `,"${name}":"${total}"`,
		null: `,"${name}":null`,
		missing: '',
	};
	const more = signOf(page, behaviour.lists);
	return `{"${isCamel ? 'items' : 'Items'}":${list}${count[behaviour.totalCount]}${more}}`;
}

/** What the envelope says about rows behind the page. */
function signOf({ items, skip, real }: ListPage, { moreSign }: Behaviour['lists']): string {
	const isMore = real > skip + items.length;
	switch (moreSign) {
		case 'HasMore':
			return `,"HasMore":${isMore}`;
		case 'NextPage':
			return `,"NextPage":${isMore ? '"/next"' : 'null'}`;
		case 'PageInfo':
			return `,"PageInfo":{"HasNextPage":${isMore}}`;
		case 'TotalPages':
			return `,"TotalPages":${Math.ceil(real / Math.max(1, items.length))}`;
		default:
			return '';
	}
}

/** What the headers say about it. */
export function signHeaders({ items, skip, real }: ListPage, { moreSign }: Behaviour['lists']): Record<string, string> {
	if (moreSign === 'X-Total-Count') return { 'x-total-count': String(real) };
	const isLinked = moreSign === 'Link' && real > skip + items.length;
	return isLinked ? { link: '</next>; rel="next"' } : {};
}
