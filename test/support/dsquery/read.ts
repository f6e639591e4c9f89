import { Faults } from '../../../nodes/shared/dsquery/faults';
import {
	readListQueryInto,
	type ReadContext,
	type StoredFilter,
	type StoredQuery,
} from '../../../nodes/shared/dsquery/read/form';
import { readJsonInto, type JsonFilter, type JsonOptions } from '../../../nodes/shared/dsquery/read/json';
import { readSortInto } from '../../../nodes/shared/dsquery/read/sort';
import type { Catalogue, Group, Query, SortEntry } from '../../../nodes/shared/dsquery/types';

/** Reads on its own what the nodes read together with their other parameters; throws the faults. */
function read<T>(into: (faults: Faults) => T): T {
	const faults = new Faults();
	const value = into(faults);
	faults.check();
	return value;
}

export function readListQuery(parameters: StoredQuery, context: ReadContext): Query {
	return read((faults) => readListQueryInto(parameters, context, faults));
}

export function readForm(form: StoredFilter, context: ReadContext): Group | undefined {
	return readListQuery(form, context).filter;
}

export function readSort(sort: unknown, catalogue: Catalogue): SortEntry[] {
	return read((faults) => readSortInto(sort, catalogue, faults));
}

export function readJson(value: unknown, options: JsonOptions): JsonFilter {
	const filter = read((faults) => readJsonInto(value, options, faults));
	if (!filter) throw new Error('A JSON filter was refused without a reason');
	return filter;
}
