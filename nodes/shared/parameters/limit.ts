import { hideParameterWhen } from './parameter';
import { flag, integer } from './simple';

const returnAll = flag({
	label: 'Return All',
	description: 'Whether to return all results or only up to a given limit',
	default: false,
});

/**
 * Return All and Limit, as n8n's own nodes show them. With Return All the limit is undefined. n8n drops what it hides: where
 * Return All is the text "false", Limit must stay.
 *
 * @param hint which results come, if that is worth saying
 */
export function limitParameters(hint?: string) {
	const declared = { label: 'Limit', description: 'Max number of results to return', ...(hint && { hint }) };
	return { returnAll, limit: hideParameterWhen('returnAll', [true], integer({ ...declared, default: 50, min: 1 })) };
}
