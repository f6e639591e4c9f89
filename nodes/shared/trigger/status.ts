import isNil from 'lodash/isNil';

import { resolveStatusCode, isSameStatus, unwrapStatus, type StatusValue } from '../dsquery/listSchema';
import type { KnownCode } from '../dsquery/types';
import { isBlank } from '../text';
import { shortHash } from './hash';
import { UNKNOWN } from './watch/alertRule';

export type ObservedStatus = StatusValue | typeof UNKNOWN;

/** The field whose absence is a value: vendors without a hardware status leave it out. */
const MAY_BE_NONE = 'hardwarestatus';

/** Whether a missing status is a value of its own: for hardware status, and where the user chose `none`. */
export function isNoneAValue(field: string, ...chosen: Array<ReadonlySet<StatusValue> | undefined>): boolean {
	return field.trim().toLowerCase() === MAY_BE_NONE || chosen.some((values) => values?.has(null));
}

/**
 * The status in a field of a row or charge point.
 *
 * @param noneIsValue whether a missing one is a value: see `isNoneAValue`
 * @param codes whose names are known: a name among them is its code
 */
export function readStatus(shown: unknown, noneIsValue: boolean, codes?: readonly KnownCode[]): ObservedStatus {
	if (isNil(shown)) return noneIsValue ? null : UNKNOWN;
	const plain = unwrapStatus(shown);
	const isCode = typeof plain === 'string' || typeof plain === 'number' || typeof plain === 'boolean';
	if (!isCode || isBlank(plain)) return UNKNOWN;
	return truncateStatus(resolveStatusCode(codes, String(plain).trim()));
}

/** Whether a status is one of these. Names are compared without case. */
export function includesStatus(statuses: ReadonlySet<StatusValue>, status: StatusValue): boolean {
	return statuses.has(status) || [...statuses].some((each) => isSameStatus(each, status));
}

/** Of a longer text, only the beginning and a hash are remembered and compared. */
const LONGEST_KEPT = 200;

export function truncateStatus(status: StatusValue): StatusValue {
	if (typeof status !== 'string' || status.length <= LONGEST_KEPT) return status;
	return `${status.slice(0, LONGEST_KEPT)}… ${shortHash(status)}`;
}
