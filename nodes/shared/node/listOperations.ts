import capitalize from 'lodash/capitalize';

import { operation } from '../operation';
import { filters, filtersAndSort } from '../parameters/filters';
import { limited } from '../parameters/limit';
import type { ListParameter } from '../parameters/list';
import { includeInputFields, onContradiction, options, paging, pagingOf, patience } from '../parameters/options';
import { addedFields, rowOutput } from '../parameters/output';
import { constant, type Parameter } from '../parameters/parameter';
import { flag } from '../parameters/simple';
import { Kept } from '../platform';
import { nothingMatches } from './noRows';
import { RowShaper } from './output';

/** Get Many: the rows that match the filter, in the order asked for. */
export function getManyOperation(list: ListParameter) {
	const { noun, plural } = list.common;
	const { filters: filtered, sort } = filtersAndSort(list);
	return operation({
		name: `Get Many ${capitalize(noun)}s`,
		value: 'getAll',
		action: `Get many ${plural}`,
		description: `Find ${plural} with a filter and return each as an item`,
		parameters: {
			list,
			...limited,
			filters: filtered,
			...rowOutput(list),
			options: options({ ...paging, ...addedFields(list), ...patience }),
			sort,
		},
		async run(values, { connection, zone }) {
			const { filter } = values.filters;
			const shaper = new RowShaper({ ...values, ...values.options, zone }, values.list);
			const sink = new Kept(shaper.shape);
			const { notes } = await connection.list(values.list).read({
				query: { filter, sorts: values.sort },
				wanted: values.limit,
				paging: pagingOf(values.options),
				sink,
			});
			const { pages } = sink;
			const isEmpty = filter !== undefined && pages.length === 0;
			const more = isEmpty ? [nothingMatches(values.list.plural, filter)] : shaper.notes(values.list.plural);
			return { pages, notes: [...notes, ...more] };
		},
	});
}

/**
 * Count: how many rows match the filter, with one request for any number of rows, and one more to verify it. For a list
 * whose answer the specification does not show, usually with up to four requests.
 */
export function countOperation(list: ListParameter) {
	const { noun, plural, unknownShape } = list.common;
	const skipVerification: Parameter<boolean, boolean> = unknownShape
		? constant(false)
		: flag({
				label: 'Skip Verification',
				description: `Whether to return the platform's own figure after one request. Otherwise a second one checks it: the last of the ${plural} counted must be there, and none after it.`,
				default: true,
			});
	return operation({
		name: `Count ${capitalize(noun)}s`,
		value: 'count',
		action: `Count ${plural}`,
		description: `Count the ${plural} that match a filter, without reading them`,
		parameters: {
			list,
			filters: filters(list),
			options: options({ onContradiction, includeInputFields, skipVerification, ...patience }),
		},
		async run(values, { connection }) {
			const { count, notes } = await connection.list(values.list).count(values.filters.filter, values.options);
			return { pages: [[{ count }]], notes };
		},
	});
}
