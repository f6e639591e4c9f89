import type { ListCheck } from './check';
import { evses, exported } from './detailChecks';
import { filter, pageSize, timeZone, totalCount, unknownField } from './queryChecks';
import { codes, fields, ids, sort, times } from './rowChecks';

/** All checks of a list, in the order of the findings. */
export const CHECKS: readonly ListCheck[] = [
	fields,
	times,
	timeZone,
	codes,
	ids,
	sort,
	pageSize,
	totalCount,
	filter,
	unknownField,
	evses,
	exported,
];
