import { readWireQuery } from './read/json';
import type { FilterNode, Query } from './types';
import { isGroup } from './types';

/**
 * Writes a query as the platform's `dsquery` text, with the property names of the specification. Not URL-encoded. Deep
 * nesting is no danger: nothing here calls itself.
 */
export function writeQuery(query: Query): string {
	const parts: string[] = [];
	if (query.pager) parts.push(`"Pager":${JSON.stringify({ Skip: query.pager.skip, Take: query.pager.take })}`);
	if (query.filter) parts.push(`"Filter":${writeNode(query.filter)}`);
	if (query.sorts.length > 0) {
		const sorts = query.sorts.map(({ field, direction }) => ({ Field: field, Dir: direction }));
		parts.push(`"Sort":${JSON.stringify({ Sorts: sorts })}`);
	}
	return `{${parts.join(',')}}`;
}

function writeNode(root: FilterNode): string {
	const written: string[] = [];
	const waiting: Array<FilterNode | string> = [root];
	for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
		if (typeof next === 'string') {
			written.push(next);
		} else if (isGroup(next)) {
			written.push(`{"Logic":${JSON.stringify(next.logic)},"Filters":[`);
			waiting.push(']}');
			for (let index = next.filters.length - 1; index >= 0; index--) {
				const filter = next.filters[index];
				if (filter) waiting.push(filter);
				if (index > 0) waiting.push(',');
			}
		} else {
			written.push(JSON.stringify({ Field: next.field, Operator: next.operator, Value: next.value }));
		}
	}
	return written.join('');
}

/**
 * Reads a `dsquery` text back, exactly as it stands: `readQuery(writeQuery(q))` equals q for every valid q.
 * @throws {QueryError} naming every place where the text is not a dsquery
 */
export function readQuery(text: string): Query {
	return readWireQuery(text);
}
