import { suggest } from '../dsquery/suggest';
import { PlatformError } from '../platform';
import type { PlatformList } from '../platform';

/** Enough rows to see the names of their fields. */
const SAMPLE_SIZE = 10;

/**
 * Adds to the refusal of a field what it may be called: a field of the list's rows that is spelled nearly like it. Costs
 * one request. Throws any other error as it is.
 */
export async function explainField(error: unknown, list: PlatformList): Promise<never> {
	if (!(error instanceof PlatformError) || error.property === undefined) throw error;
	const { kind, message, description, property } = error;
	if (description.startsWith('Did you mean')) throw error;
	const page = await list.page({ sorts: [], pager: { skip: 0, take: SAMPLE_SIZE } }).catch(() => ({ rows: [] }));
	const names = [...new Set(page.rows.flatMap((row) => Object.keys(row)))];
	const meant = suggest(property, names, {});
	if (meant === undefined || meant === property) throw error;
	throw new PlatformError(kind, message, { ...error, description: `Did you mean “${meant}”? ${description}` });
}
