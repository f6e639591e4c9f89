import type { Database, SqlValue } from './database.ts';
import { Refusal } from './errors.ts';
import type { Condition, Group, ListQuery } from './query.ts';
import { rowJsonSql } from './resources.ts';
import type { Field, Resource } from './resources.ts';
import type { Behaviour } from './types.ts';

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
		const field = findField(this.resource, condition.field, 'filter', place);
		const { sql } = field;
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
			const entries = value.split(',').map((entry) => this.value(entry, field, condition));
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
				this.value(low, field, condition),
				this.value(high, field, condition),
			);
		}
		if (operator === 'Neq') {
			return one(`${sql} <> ? OR ${sql} IS NULL`, this.value(value, field, condition));
		}
		if (operator !== 'Eq') this.checkOrdered(condition, field);
		return one(`${sql} ${COMPARISONS[operator]} ?`, this.value(value, field, condition));
	}

	private textCondition(condition: Condition, field: Field): Sql {
		const { operator, value } = condition;
		const { sql } = field;
		if (field.type !== 'text') throw this.mismatch(condition, field);
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

	private checkOrdered(condition: Condition, field: Field): void {
		if (field.type === 'boolean') throw this.mismatch(condition, field);
	}

	private mismatch({ operator, place }: Condition, field: Field): Refusal {
		return new Refusal(
			400,
			`${place}.Operator: ${operator} cannot be used on property '${field.name}' (${field.type}).`,
		);
	}

	/** Reads a Value by the type of its field, so that numbers compare as numbers and dates as timestamps. */
	private value(value: string, field: Field, condition: Condition): string | number | bigint | null {
		const unreadable = () =>
			new Refusal(
				400,
				`${condition.place}.Value: '${value}' is not a valid ${field.type} for property '${field.name}'.`,
			);
		switch (field.type) {
			case 'text':
				return value;
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
		if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(value)) throw refusal;
		const parsed = Date.parse(`${value}Z`);
		// Date.parse reads 30 February as 2 March.
		if (Number.isNaN(parsed) || new Date(parsed).toISOString().slice(0, 19) !== value) throw refusal;
		return new Date(parsed - this.behaviour.conditionZoneHours * 3_600_000).toISOString().slice(0, 19);
	}
}

function findField(resource: Resource, name: string, use: string, place: string): Field {
	const field = resource.fields.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
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
	const { emptyValues, naturalOrder } = behaviour;
	const entries = query.sorts.map(({ field: name, direction, place }) => {
		const field = findField(resource, name, 'sort', place);
		const comeFirst = (direction === 'Asc') === (emptyValues === 'below');
		return `${field.sql} ${direction === 'Asc' ? 'ASC' : 'DESC'} NULLS ${comeFirst ? 'FIRST' : 'LAST'}`;
	});
	const id = resource.fields.find(({ name }) => name === 'Id')?.sql ?? 'Id';
	const natural = { idAsc: `${id} ASC`, idDesc: `${id} DESC`, random: 'shuffle()' }[naturalOrder];
	return [...entries, natural].join(', ');
}

/** List query rule 2: 10 rows where no number is asked for. */
const DEFAULT_TAKE = 10;

function effectiveTake(take = DEFAULT_TAKE, { takeClamp = Infinity }: Behaviour): number {
	return Math.min(take, takeClamp);
}

/** The query without the parts that have no effect, which are not checked any further. */
function heard(query: ListQuery, { listensTo, ignoredFields }: Behaviour['lists']): ListQuery {
	return {
		filter: listensTo.filter && query.filter ? heardOf(query.filter, ignoredFields) : undefined,
		sorts: listensTo.sort ? query.sorts : [],
		skip: listensTo.skip ? query.skip : 0,
		take: listensTo.take ? query.take : Number.MAX_SAFE_INTEGER,
	};
}

/** A group without the conditions that have no effect; undefined if none is left. */
function heardOf(group: Group, ignoredFields: string[]): Group | undefined {
	const filters = group.filters.flatMap((filter): Group['filters'] => {
		if ('filters' in filter) return [heardOf(filter, ignoredFields) ?? []].flat();
		return ignoredFields.includes(filter.field) ? [] : [filter];
	});
	return filters.length > 0 ? { ...group, filters } : undefined;
}

/** A page: its rows, each as JSON, and the TotalCount to report. */
export interface ListPage {
	items: string[];
	total: number;
}

/** Reads one page. */
export function readPage(db: Database, resource: Resource, asked: ListQuery, behaviour: Behaviour): ListPage {
	const { lists } = behaviour;
	const query = heard(asked, lists);
	const take = effectiveTake(query.take, behaviour);
	const filter = query.filter && new FilterWriter(db, resource, behaviour).group(query.filter);
	const where = filter ? `WHERE ${filter.text}` : '';
	const values = filter?.values ?? [];
	// A cross join keeps the order of its left side, which needs a LIMIT; the rows are written only once it is known which ones.
	const written = db.prepare(
		`SELECT ${rowJsonSql(resource)} AS json FROM (
			SELECT rowid AS rowKey FROM ${resource.table} ${where} ORDER BY ${orderBy(resource, query, behaviour)} LIMIT ? OFFSET ?
		) CROSS JOIN ${resource.table} AS listed ON listed.rowid = rowKey`,
	);
	const items = written.all(...values, take, query.skip).map(({ json }) => String(json));
	const row = db.prepare(`SELECT count(*) AS total FROM ${resource.table} ${where}`).get(...values);
	return { items, total: shownCount(Number(row?.total), items.length, lists) };
}

function shownCount(counted: number, onPage: number, lists: Behaviour['lists']): number {
	switch (lists.count) {
		case 'exact':
			return counted;
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
	const { items, total } = page;
	const isCamel = behaviour.lists.names === 'camel';
	const name = isCamel ? 'totalCount' : 'TotalCount';
	const count = {
		number: `,"${name}":${total}`,
		text: `,"${name}":"${total}"`,
		null: `,"${name}":null`,
		missing: '',
	};
	return `{"${isCamel ? 'items' : 'Items'}":[${items.join(',')}]${count[behaviour.totalCount]}}`;
}
