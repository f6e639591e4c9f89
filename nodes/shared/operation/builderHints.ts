import type { IBuilderHint, INodeParameters } from 'n8n-workflow';

import type { ListSchema } from '../dsquery/types';

/** A node of this package, or of n8n, and what to use it for. */
type RelatedNode = [nodeType: string, relationHint: string];

interface BuilderHintContent {
	/** Sentences, the most important first. */
	hints: readonly string[];
	relatedNodes: readonly RelatedNode[];
}

const PACKAGE = 'n8n-nodes-charging-network';

/** Why to use a node that reads lists instead of HTTP Request. */
export const INSTEAD_OF_HTTP_REQUEST =
	'Use it instead of HTTP Request: it reads every page, waits out rate limits, checks a filter before it sends it and holds the credential.';

/** Why to use a trigger instead of a schedule. */
export const INSTEAD_OF_SCHEDULE =
	'Use it instead of a Schedule Trigger with HTTP Request: it remembers what was reported, reports each event once, and a failed poll loses none. Poll every 1 to 5 minutes. One message for a whole poll: output digest; one for each site: digestField with the field that names the site.';

/** What Summarize can compute of the ends of rows. */
export const HOURS = 'Hours (function in measures.values): "duration" with endField.';

/** The codes with a public meaning, and a warning not to guess others. */
export function codesHint({ fields }: ListSchema): string {
	const known = fields.flatMap(({ name, codes = [] }) =>
		codes.length > 0 ? `${name} ${codes.map(({ code, label }) => `${code} = ${label}`).join(', ')}` : [],
	);
	const none = 'Never guess what a status code means: ask the user.';
	return known.length > 0 ? `Known codes: ${known.join('; ')}. No other code is public. ${none}` : none;
}

/** The public field names, and how to find others. */
export function fieldsHint({ noun, fields }: ListSchema): string {
	const known = fields.map(({ name }) => name).join(', ');
	const advice = `read one ${noun} with getAll and limit 1 to see the names, or ask the user.`;
	return known === '' ? `No field name is public: ${advice}` : `Public field names: ${known}. For others, ${advice}`;
}

const GROUP = {
	Logic: 'Or',
	Filters: [
		{ Field: 'Id', Operator: 'Eq', Value: '1' },
		{ Field: 'Id', Operator: 'GteLt', Value: '10,20' },
	],
};

/**
 * Parameters to write down exactly so, and what else a filter may hold. `test/engine/everyNode/builderHints.test.ts`
 * runs each example.
 */
export function exampleHint(title: string, parameters: INodeParameters): string {
	return [
		`${title}: parameters ${JSON.stringify(parameters)}.`,
		'In filters, each kind of field has a list of conditions, and logic "Or" lets any of them match instead of all; a field without a kind of its own goes into other: its name and type, and the operator and value named for the type, such as {"field":"City|text","textOperator":"Eq","value":"Graz"}.',
		`Nested groups go into json: filters ${JSON.stringify({ json: [{ json: JSON.stringify(GROUP) }] })}.`,
		'Without filters, all rows. Periods such as {"operator":"InPeriod","period":"lastMonth"} are whole days in the time zone of the workflow: use them instead of computing dates.',
	].join(' ');
}

/** What n8n's assistant and MCP server tell an AI model about a node. They search by it, too. */
export function builderHint({ hints, relatedNodes }: BuilderHintContent): IBuilderHint {
	return {
		searchHint: hints.join(' '),
		relatedNodes: relatedNodes.map(([name, relationHint]) => ({
			nodeType: name.includes('.') ? name : `${PACKAGE}.${name}`,
			relationHint,
		})),
	};
}
