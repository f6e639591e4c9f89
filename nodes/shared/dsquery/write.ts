import { isFilterGroup, type FilterNode, type Query } from './types';

/** Writes a query as the platform's `dsquery` text, with the property names of the specification. Not URL-encoded. */
export function writeQuery({ pager, filter, sorts }: Query): string {
	return JSON.stringify({
		...(pager && { Pager: { Skip: pager.skip, Take: pager.take } }),
		...(filter && { Filter: wireNode(filter) }),
		...(sorts.length > 0 && {
			Sort: { Sorts: sorts.map(({ field, direction }) => ({ Field: field, Dir: direction })) },
		}),
	});
}

function wireNode(node: FilterNode): object {
	if (isFilterGroup(node)) return { Logic: node.logic, Filters: node.filters.map(wireNode) };
	return { Field: node.field, Operator: node.operator, Value: node.value };
}
