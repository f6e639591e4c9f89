import type { IBuilderHint, INodeParameters } from 'n8n-workflow';

import type { Catalogue } from '../dsquery/types';

/** A node of this package, or of n8n, and what to use it for. */
type RelatedNode = [nodeType: string, relationHint: string];

interface Pattern {
	title: string;
	/** The name the node gets on the canvas. */
	name: string;
	parameters: INodeParameters;
}

interface Hints {
	/** The node's internal name: `chargingSessions`. */
	node: string;
	/** Sentences, the most important first. */
	hints: readonly string[];
	relatedNodes: readonly RelatedNode[];
	/** Ready-made nodes to copy. `test/engine/everyNode/builderHints.test.ts` runs each. */
	patterns: readonly Pattern[];
}

const PACKAGE = 'n8n-nodes-charging-network';

/** Why to use a node that reads lists instead of HTTP Request. */
export const INSTEAD_OF_HTTP_REQUEST =
	'Use it instead of HTTP Request: it reads every page, waits out rate limits, checks a filter before it sends it and holds the credential.';

/** How every node reads periods. */
export const PERIODS_ARE_LOCAL =
	'Periods such as lastMonth are whole days in the time zone of the workflow: use them instead of computing dates.';

/** What Summarize can compute of the ends of rows. */
export const HOURS = 'Hours (function in measures.values): "duration" with endField.';

/** The codes with a public meaning, and a warning not to guess others. */
export function codesHint({ fields }: Catalogue): string {
	const known = fields.flatMap(({ name, codes = [] }) =>
		codes.length > 0 ? `${name} ${codes.map(({ code, label }) => `${code} = ${label}`).join(', ')}` : [],
	);
	const none = 'Never guess what a status code means: ask the user.';
	return known.length > 0 ? `Known codes: ${known.join('; ')}. No other code is public. ${none}` : none;
}

/** The public field names, and how to find others. */
export function fieldsHint({ noun, fields }: Catalogue): string {
	const known = fields.map(({ name }) => name).join(', ');
	const advice = `read one ${noun} with getAll and limit 1 to see the names, or ask the user.`;
	return known === '' ? `No field name is public: ${advice}` : `Public field names: ${known}. For others, ${advice}`;
}

/** What n8n's assistant and MCP server tell an AI model about a list's filter form. */
export function filterHint(catalogue: Catalogue): string {
	const example = JSON.stringify({
		Logic: 'Or',
		Filters: [
			{ Field: 'A', Operator: 'Eq', Value: '1' },
			{ Field: 'B', Operator: 'Contains', Value: 'x' },
		],
	});
	return [
		'Leave it out to take all rows. Conditions are in lists, one list for each kind of field; the parameter logic says whether all or any must match.',
		`Groups and anything nested: one entry json: [{ json: '${example}' }].`,
		PERIODS_ARE_LOCAL,
		codesHint(catalogue),
	].join(' ');
}

/**
 * The hints of a node for n8n's assistant and MCP server: they search by `searchHint` and `relatedNodes`, and write
 * workflows from a type file of the node, which holds the hints and the patterns.
 */
export function builderHint({ node, hints, relatedNodes, patterns }: Hints): IBuilderHint {
	const written = patterns.map(({ title, name, parameters }) => {
		const make = node.endsWith('Trigger') ? 'trigger' : 'node';
		const type = `${PACKAGE}.${node}`;
		const credentials = "{ chargingNetworkApi: newCredential('Charging Network account') }";
		return [
			`<pattern title="${title}">`,
			`const ${make === 'trigger' ? 'start' : 'step'} = ${make}({`,
			`  type: '${type}',`,
			'  version: 1,',
			'  config: {',
			`    name: '${name}',`,
			`    parameters: ${JSON.stringify(parameters, null, 2).replaceAll('\n', '\n    ')},`,
			`    credentials: ${credentials}`,
			'  }',
			'});',
			'</pattern>',
		].join('\n');
	});
	return {
		searchHint: hints.join(' '),
		relatedNodes: relatedNodes.map(([name, relationHint]) => ({
			nodeType: name.includes('.') ? name : `${PACKAGE}.${name}`,
			relationHint,
		})),
		extraTypeDefContent: [{ content: ['<patterns>', ...written, '</patterns>'].join('\n') }],
	};
}
