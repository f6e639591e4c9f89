import uniq from 'lodash/uniq';

import { quote } from '../../text';
import { findFieldName } from '../../dsquery/fieldName';
import { PlatformError, type Row } from '../../platform';
import type { Poll } from '../poll';

interface RequiredField {
	field: string;
	label: string;
	plural?: string;
	/** As the field is read later: without this, it is none inside an object. */
	find?: (row: Row, field: string) => unknown;
}

/** @throws PlatformError if rows have no such field: nothing would ever be reported */
export function assertFieldExists(
	{ connection }: Poll,
	rows: readonly Row[],
	{ field, label, plural = 'rows', find = findFieldName }: RequiredField,
): void {
	if (rows.length === 0 || rows.some((row) => find(row, field) !== undefined)) return;
	const names = connection.namesOf(uniq(rows.flatMap(Object.keys)));
	throw new PlatformError('configuration', `None of the ${rows.length} ${plural} has a field ${quote(field)}`, {
		description: `Choose another ${label}. They have: ${names}.`,
	});
}
