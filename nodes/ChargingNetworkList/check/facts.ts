import countBy from 'lodash/countBy';
import isNil from 'lodash/isNil';
import uniq from 'lodash/uniq';

import { comparableStatus, findKnownField } from '../../shared/dsquery/listSchema';
import type { ParsedCsv } from '../../shared/csv/read';
import type { OddForm, Page, Row } from '../../shared/platform';
import type { ListResource } from '../../shared/resources';
import type { ListSample } from './probeClient';

/** What the simulated platform of the tests (`--like`) needs to answer like this one: names, kinds, counts and status codes, and no other value of a row. */
export interface PlatformFacts {
	lists: ListFacts[];
	chargePoints?: { ids: 'own' | 'none' };
	export?: Pick<ParsedCsv, 'columns' | 'delimiter' | 'lineEnd' | 'hasBom' | 'isClosed'>;
}

export interface ListFacts {
	path: string;
	/** Rows by the platform's count; null where it does not count. */
	count: number | null;
	/** A bare array came instead of the envelope. */
	isArray: boolean;
	/** Rows in the first page, of 100 asked for. */
	pageSize: number;
	/** `large`: beyond 2^53. `mixed`: of several kinds, or missing in some rows. */
	ids: 'integers' | 'large' | 'texts' | 'none' | 'mixed';
	/** How names are written that the specification does not show. */
	casing: 'PascalCase' | 'camelCase';
	/** Kinds of values: "text", "integer or decimal". */
	fields: Record<string, string>;
	/** Fields that some rows leave out. */
	leftOut: string[];
	/** How many of the rows looked at have which code. */
	codes: Record<string, Record<string, number>>;
}

/** Names with anything else may be data. */
const NAME = /^[A-Za-z_]\w{0,63}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?$/;
const CODE = /^-?\d{1,3}$/;

export function factsOf({ list, first, rows }: ListSample): ListFacts {
	const names = uniq(rows.flatMap(Object.keys)).filter((name) => NAME.test(name));
	const others = names.filter((name) => name !== 'Id' && findKnownField(list, name) === undefined);
	const fields = Object.fromEntries(names.map((name) => [name, kindsOf(rows, name)]));
	const isOtherCase = has(first, 'other case') || (others.length > 0 && others.every((name) => /^[a-z]/.test(name)));
	const statuses = names.filter((name) => isStatus(list, name, fields[name] ?? ''));
	return {
		path: list.path,
		count: first.totalCount ?? null,
		isArray: has(first, 'bare array'),
		pageSize: first.rows.length,
		ids: idsOf(rows),
		casing: isOtherCase ? 'camelCase' : 'PascalCase',
		fields,
		leftOut: names.filter((name) => rows.some((row) => !Object.hasOwn(row, name))),
		codes: Object.fromEntries(statuses.map((name) => [name, countBy(rows, (row) => shownCode(row[name]))])),
	};
}

const has = ({ oddForm = [] }: Page, form: OddForm) => oddForm.includes(form);

/** A status by the specification, or by its name. */
function isStatus(list: ListResource, name: string, kinds: string): boolean {
	const known = findKnownField(list, name);
	return known ? known.type === 'code' : /Status$/i.test(name) && !/list|object|time/.test(kinds);
}

function idsOf(rows: readonly Row[]): ListFacts['ids'] {
	const kinds = uniq(rows.map(({ Id: id }) => kindOfId(id)));
	return kinds.length === 1 ? (kinds[0] ?? 'none') : kinds.length === 0 ? 'none' : 'mixed';
}

function kindOfId(id: unknown): ListFacts['ids'] {
	if (isNil(id) || id === '') return 'none';
	if (Number.isSafeInteger(id)) return 'integers';
	return typeof id === 'number' || (typeof id === 'string' && /^-?\d{16,19}$/.test(id)) ? 'large' : 'texts';
}

function kindsOf(rows: readonly Row[], name: string): string {
	const values = rows.map((row) => row[name]).filter((value) => !isNil(value) && value !== '');
	return uniq(values.map(kindOf)).sort().join(' or ') || 'nothing';
}

function kindOf(value: unknown): string {
	if (Array.isArray(value)) return 'list';
	if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'decimal';
	if (typeof value !== 'string') return typeof value;
	const [isTime, fraction, zone] = TIME.exec(value) ?? [];
	if (isTime === undefined) return 'text';
	return ['time', fraction && 'with fractions', zone && 'with zone'].filter(Boolean).join(' ');
}

/** A status as reports show it. One that is no code is not shown: it could be any text. */
function shownCode(status: unknown): string {
	const code = comparableStatus(status);
	if (code === null) return 'none';
	return CODE.test(String(code)) ? String(code) : 'no code';
}
