import type { Behaviour } from './behaviour.ts';
import type { Database, SqlValue } from './database.ts';
import { Refusal } from './errors.ts';
import type { Condition, Group, ListQuery, Operator } from './query.ts';
import { fieldsOf, rowJsonSql, type Field, type ListName } from './tables.ts';

interface Sql {
	text: string;
	values: SqlValue[];
}

/** What is compared with each part of a Value. */
const COMPARISONS = {
	Eq: ['='],
	Lt: ['<'],
	Lte: ['<='],
	Gt: ['>'],
	Gte: ['>='],
	GtLt: ['>', '<'],
	GteLte: ['>=', '<='],
	GteLt: ['>=', '<'],
	GtLte: ['>', '<='],
} as const;

/** Length of a timestamp's text when truncated to the unit. */
const UNITS = { IsDate: 10, IsMonth: 7, IsYear: 4, IsHour: 13, IsMinute: 16, IsSecond: 19 } as const;

/** Groups within groups that SQLite may use an index for. */
const PLANNED_LEVELS = 4;

const isUnit = (operator: Operator): operator is keyof typeof UNITS => operator in UNITS;

/** Reads pages of one list. */
class PageReader {
	private readonly list: ListName;
	private readonly behaviour: Behaviour;
	private readonly fields: readonly Field[];

	constructor(list: ListName, behaviour: Behaviour) {
		this.list = list;
		this.behaviour = behaviour;
		this.fields = fieldsOf(list, behaviour);
	}

	read(db: Database, { Pager, Filter, Sort }: ListQuery): { items: string[]; total: number } {
		const filter = Filter && this.hears('Filter') ? this.group(Filter) : undefined;
		const where = filter ? `WHERE ${filter.text}` : '';
		const values = filter?.values ?? [];
		const order = this.orderBy(Sort && this.hears('Sort') ? Sort.Sorts : []);
		// List query rule 2: 10 rows where no number is asked for.
		const wanted = this.hears('Take') ? (Pager?.Take ?? 10) : Number.MAX_SAFE_INTEGER;
		const take = Math.min(wanted, this.behaviour.takeClamp ?? Infinity);
		const skip = this.hears('Skip') ? (Pager?.Skip ?? 0) : 0;
		// A cross join keeps the order of its left side, which needs a LIMIT; the rows are written only once it is known which ones.
		const written = db.prepare(
			`SELECT ${rowJsonSql(this.fields, this.behaviour)} AS json FROM (
				SELECT rowid AS rowKey FROM ${this.list} ${where} ORDER BY ${order} LIMIT ? OFFSET ?
			) CROSS JOIN ${this.list} AS listed ON listed.rowid = rowKey`,
		);
		const items = written.all(...values, take, skip).map(({ json }) => String(json));
		const counted = db.prepare(`SELECT count(*) AS total FROM ${this.list} ${where}`).get(...values);
		return { items, total: Number(counted?.total) };
	}

	private hears(part: string): boolean {
		return !this.behaviour.ignores.includes(part);
	}

	private orderBy(sorts: NonNullable<ListQuery['Sort']>['Sorts']): string {
		const { emptyValues, naturalOrder } = this.behaviour;
		const entries = sorts.map(({ Field, Dir }) => {
			const comeFirst = (Dir === 'Asc') === (emptyValues === 'below');
			return `${this.field(Field, 'sort').sql} ${Dir.toUpperCase()} NULLS ${comeFirst ? 'FIRST' : 'LAST'}`;
		});
		const id = this.fields.find(({ name }) => name === 'Id')?.sql ?? 'Id';
		return [...entries, { idAsc: `${id} ASC`, idDesc: `${id} DESC`, random: 'shuffle()' }[naturalOrder]].join(', ');
	}

	private field(name: string, use: string): Field {
		const field = this.fields.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
		// List query rule 6: never ignored, and the message names the property.
		if (field) return field;
		throw new Refusal(400, `'${name}' is not a property of the list ${this.list}, it cannot be used to ${use}.`);
	}

	/** From some levels on, a group has a plus: SQLite makes no plan for what is in it. With 300 levels, that would never end. */
	private group({ Logic, Filters }: Group, level = 0): Sql | undefined {
		const parts = Filters.flatMap((filter) => {
			if ('Filters' in filter) return this.group(filter, level + 1) ?? [];
			return this.hears(filter.Field) ? this.condition(filter) : [];
		});
		if (parts.length === 0) return undefined;
		const text = `(${parts.map((part) => part.text).join(` ${Logic.toUpperCase()} `)})`;
		return { text: level < PLANNED_LEVELS ? text : `+${text}`, values: parts.flatMap(({ values }) => values) };
	}

	private condition(condition: Condition): Sql {
		const { Operator: operator, Value: value } = condition;
		const field = this.field(condition.Field, 'filter');
		const { sql } = field;
		const sqlOf = (text: string, ...values: SqlValue[]): Sql => ({ text: `(${text})`, values });
		const ofType = (isRight: boolean) => {
			if (!isRight) throw new Refusal(400, `${operator} cannot be used on property '${field.name}' (${field.type}).`);
		};

		if (isUnit(operator)) {
			ofType(field.type === 'date');
			const length = UNITS[operator];
			return sqlOf(`substr(${sql}, 1, ${length}) = ?`, this.time(value, field).slice(0, length));
		}
		if (operator === 'Contains' || operator === 'StartsWith' || operator === 'EndsWith') {
			ofType(field.type === 'text');
			if (operator === 'Contains') return sqlOf(`instr(${sql}, ?) > 0`, value);
			if (operator === 'StartsWith') return sqlOf(`substr(${sql}, 1, length(?)) = ?`, value, value);
			return sqlOf(`substr(${sql}, -length(?)) = ? OR ? = '' AND ${sql} IS NOT NULL`, value, value, value);
		}
		if (operator === 'In') {
			const values = value.split(',').map((entry) => this.value(entry, field));
			return sqlOf(`${sql} IN (${values.map(() => '?').join(', ')})`, ...values);
		}
		if (operator === 'Neq') return sqlOf(`${sql} <> ? OR ${sql} IS NULL`, this.value(value, field));
		ofType(operator === 'Eq' || field.type !== 'boolean');
		const signs: readonly string[] = COMPARISONS[operator];
		const values = (signs.length > 1 ? value.split(',') : [value]).map((part) => this.value(part, field));
		if (values.length !== signs.length) {
			throw new Refusal(400, `${operator} needs "low,high" for property '${field.name}'.`);
		}
		return sqlOf(signs.map((sign) => `${sql} ${sign} ?`).join(' AND '), ...values);
	}

	/** Reads a Value by the type of its field, so that numbers compare as numbers and dates as timestamps. */
	private value(value: string, field: Field): SqlValue {
		switch (field.type) {
			case 'date':
				return this.time(value, field);
			case 'boolean': {
				const place = ['false', 'true'].indexOf(value.toLowerCase());
				if (place < 0) throw unreadable(value, field);
				return place;
			}
			case 'number':
				if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value)) throw unreadable(value, field);
				return Number(value);
			case 'code':
			case 'integer': {
				if (!/^[+-]?\d{1,19}$/.test(value)) throw unreadable(value, field);
				const digits = BigInt(value.replace('+', ''));
				if (BigInt.asIntN(64, digits) !== digits) throw unreadable(value, field);
				return digits;
			}
			default:
				return value;
		}
	}

	/** Timestamps are compared as text: in the specified form, text order is time order. */
	private time(value: string, field: Field): string {
		const parsed = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(value) ? Date.parse(`${value}Z`) : Number.NaN;
		// Date.parse reads 30 February as 2 March.
		if (Number.isNaN(parsed) || timestamp(parsed) !== value) throw unreadable(value, field);
		return timestamp(parsed - this.behaviour.conditionZoneHours * 3_600_000);
	}
}

function unreadable(value: string, { name, type }: Field): Refusal {
	const form = type === 'date' ? ', write YYYY-MM-DDThh:mm:ss' : '';
	return new Refusal(400, `'${value}' is not a valid ${type} for property '${name}'${form}.`);
}

/** A time in the platform's format. */
export const timestamp = (ms: number) => new Date(ms).toISOString().slice(0, 19);

/** The answer to a list query: a page in the envelope, or as a bare array. */
export function listAnswer(db: Database, list: ListName, query: ListQuery, behaviour: Behaviour): string {
	const { items, total } = new PageReader(list, behaviour).read(db, query);
	const rows = `[${items.join(',')}]`;
	if (behaviour.arrays.includes(list)) return rows;
	const [name, countName] = behaviour.camelCase ? ['items', 'totalCount'] : ['Items', 'TotalCount'];
	const count = shownCount(total, items.length, behaviour.totalCount);
	return `{"${name}":${rows}${count === undefined ? '' : `,"${countName}":${JSON.stringify(count)}`}}`;
}

function shownCount(total: number, onPage: number, totalCount: Behaviour['totalCount']) {
	if (typeof totalCount === 'object') {
		return 'atMost' in totalCount ? Math.min(total, totalCount.atMost) : Math.max(0, total + totalCount.offBy);
	}
	return { right: total, text: String(total), null: null, missing: undefined, page: onPage }[totalCount];
}
