import { valueNamed } from '../../dsquery/fieldName';
import type { ListResource } from '../../resources';
import { isObject } from './jsonNodes';
import type { Answer } from './unusable';

/** How an answer is written, without what it says: no value of a row is in it. */
export interface AnswerFacts {
	/** `envelope`: an object with Items or TotalCount. `nothing`: no content. `wrapped`: inside other objects. */
	form: 'envelope' | 'array' | 'wrapped' | 'nothing';
	/** What came as Items, and as TotalCount. */
	items: 'list' | 'null' | 'missing' | 'other';
	total: 'number' | 'text' | 'null' | 'missing' | 'other';
	/** Names of the specification that came in another case: "items", "startedAtUtc". */
	otherCases: string[];
}

/** Describes the answer of a list. */
export function factsOf({ body }: Answer, list: ListResource): AnswerFacts {
	const outer = isObject(body) ? body : {};
	const [items, total] = [valueNamed(outer, 'Items'), valueNamed(outer, 'TotalCount')];
	const isEnvelope = items !== undefined || total !== undefined;
	const rows: unknown[] = Array.isArray(items) ? items : Array.isArray(body) ? body : [];
	const known = ['Id', ...list.fields.map(({ name }) => name)];
	const casesIn = (row: unknown) => (isObject(row) ? otherCasesIn(row, known) : []);
	const inRows = rows.flatMap(casesIn);
	return {
		form: isEnvelope ? 'envelope' : Array.isArray(body) ? 'array' : body === null ? 'nothing' : 'wrapped',
		items: Array.isArray(items) ? 'list' : items === undefined ? 'missing' : items === null ? 'null' : 'other',
		total: kindOfTotal(total),
		otherCases: [...new Set([...otherCasesIn(outer, ['Items', 'TotalCount']), ...inRows])],
	};
}

function kindOfTotal(total: unknown): AnswerFacts['total'] {
	if (total === undefined) return 'missing';
	if (total === null) return 'null';
	if (typeof total === 'number') return 'number';
	return typeof total === 'string' ? 'text' : 'other';
}

/** The names that differ from the wanted ones in case only. */
function otherCasesIn(object: object, wanted: readonly string[]): string[] {
	const missing = wanted.filter((name) => !Object.hasOwn(object, name)).map((name) => name.toLowerCase());
	return missing.length === 0 ? [] : Object.keys(object).filter((name) => missing.includes(name.toLowerCase()));
}
