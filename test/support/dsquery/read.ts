import { Faults } from '../../../nodes/shared/dsquery/faults';
import type { ReadContext } from '../../../nodes/shared/dsquery/read/condition';
import { readFilterInto, readSortsInto } from '../../../nodes/shared/dsquery/read/form';
import { readJsonInto, type JsonFilter } from '../../../nodes/shared/dsquery/read/json';
import type { Catalogue, FilterNode, Group, Query, SortEntry } from '../../../nodes/shared/dsquery/types';

/** Reads alone what the nodes read together with other parameters; throws the faults. */
function read<T>(into: (faults: Faults) => T): T {
	const faults = new Faults();
	const value = into(faults);
	faults.check();
	return value;
}

/** The stored parameters of a list, as tests write them. */
export interface StoredQuery {
	filters?: unknown;
	logic?: unknown;
	sort?: unknown;
}

export function readListQuery(stored: StoredQuery, context: ReadContext): Query {
	const { filters, logic, sort } = { filters: {}, ...stored };
	return read((faults) => {
		const form = readFilterInto({ filters, logic }, context, faults);
		return { filter: form.filter, sorts: readSortsInto(sort, form, context.catalogue, faults) };
	});
}

export function readForm(form: StoredQuery, context: ReadContext): Group | undefined {
	return readListQuery(form, context).filter;
}

export function readJson(
	value: unknown,
	{ catalogue, place = '' }: { catalogue: Catalogue; place?: string },
): JsonFilter {
	const filter = read((faults) => readJsonInto(value, catalogue, place, faults));
	if (!filter) throw new Error('A JSON filter was refused without a reason');
	return filter;
}

interface Wire {
	Pager?: { Skip: number; Take: number };
	Filter?: WireNode;
	Sort?: { Sorts: Array<{ Field: string; Dir: SortEntry['direction'] }> };
}
type WireNode = { Logic: Group['logic']; Filters: WireNode[] } | { Field: string; Operator: number; Value: string };

/** Parses a dsquery text. */
export function readWire(text: string): Query {
	const { Pager: pager, Filter: filter, Sort: sort } = JSON.parse(text) as Wire;
	const node = (wire: WireNode): FilterNode =>
		'Filters' in wire
			? { logic: wire.Logic, filters: wire.Filters.map(node) }
			: { field: wire.Field, operator: wire.Operator, value: wire.Value };
	return {
		...(pager && { pager: { skip: pager.Skip, take: pager.Take } }),
		...(filter && { filter: node(filter) as Group }),
		sorts: (sort?.Sorts ?? []).map(({ Field: field, Dir: direction }) => ({ field, direction })),
	};
}
