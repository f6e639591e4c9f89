import capitalize from 'lodash/capitalize';

import type { SortEntry } from '../dsquery/types';
import { operation } from '../operation/operation';
import { listNotesJson } from '../operation/notes';
import { filtersParameter, sortParameter } from './filters';
import { limitParameters } from '../parameters/limit';
import type { ListParameter } from './list';
import { includeInputFields, options, paging, toPagingOptions, timeoutOptions } from '../parameters/options';
import { addedFields, rowOutput } from './rowOutput';
import { RowBuffer } from '../platform';
import { noRowsNote } from './noRows';
import { RowShaper } from './output';

const NEWEST_FIRST: SortEntry[] = [{ field: 'Id', direction: 'Desc' }];

/** Get Many: the rows that match the filter, in the order asked for. */
export function getManyOperation(list: ListParameter) {
	const { noun, plural, newestFirst } = list.common;
	const unsorted = `Without a sort, Limit gives the newest ${noun}s (highest IDs), and Return All comes by ID.`;
	return operation({
		name: `Get Many ${capitalize(noun)}s`,
		value: 'getAll',
		action: `Get many ${plural}`,
		description: `Find ${plural} with a filter and return each as an item`,
		parameters: {
			list,
			...limitParameters(newestFirst && `The newest ${noun}s come first, unless Sort says otherwise`),
			filters: filtersParameter(list),
			...rowOutput(list),
			options: options({ ...paging, ...addedFields(list), ...timeoutOptions }),
			sort: sortParameter(list, newestFirst && unsorted),
		},
		async run(values, { connection, zone }) {
			const { filter } = values.filters;
			const shaper = new RowShaper({ ...values, ...values.options, zone }, values.list);
			const sink = new RowBuffer(shaper.shape);
			const isNewest = newestFirst && values.limit !== undefined && values.sort.length === 0;
			const { notes } = await connection.list(values.list).read({
				query: { filter, sorts: isNewest ? NEWEST_FIRST : values.sort },
				wanted: values.limit,
				paging: toPagingOptions(values.options),
				sink,
			});
			const pages = shaper.finish(sink.pages);
			if (filter && pages.length === 0) return { notes, whyEmpty: noRowsNote(values.list.plural, filter) };
			return { pages, notes: [...notes, ...shaper.notes(values.list.plural)] };
		},
	});
}

/** Count: how many rows match the filter, as the platform counts. One request for any number of rows. */
export function countOperation(list: ListParameter) {
	const { noun, plural } = list.common;
	return operation({
		name: `Count ${capitalize(noun)}s`,
		value: 'count',
		action: `Count ${plural}`,
		description: `Count the ${plural} that match a filter, without reading them`,
		parameters: {
			list,
			filters: filtersParameter(list),
			options: options({ includeInputFields, ...timeoutOptions }),
		},
		async run(values, { connection }) {
			const { count, notes } = await connection.list(values.list).count(values.filters.filter);
			return { pages: [[{ count, ...listNotesJson(notes) }]], notes: [...notes] };
		},
	});
}
