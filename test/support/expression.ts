import { readFileSync } from 'node:fs';

import { DateTime } from 'luxon';
import type { IDataObject, INode, IWorkflowBase } from 'n8n-workflow';
import { evaluateExpression, setErrorHandler } from 'n8n-workflow/dist/cjs/expression-evaluator-proxy.js';
import { sanitizer, sanitizerName } from 'n8n-workflow/expression-sandboxing';

setErrorHandler((error) => {
	throw error;
});
const GLOBALS = { Boolean, String, Object, Math, Number, Array, Map, Set, Date, JSON, DateTime };

/** What an expression sees. */
interface Surroundings {
	/** The items of the node before. */
	input?: IDataObject[];
	/** The items of other nodes, by name. */
	nodes?: Record<string, IDataObject[]> | ((name: string) => IDataObject[]);
	/** Now, in the zone of the workflow. */
	now: DateTime;
}

/** The value of a parameter that is an expression, as n8n's editor would show it for the first item. */
export function evaluate(parameter: unknown, { input = [], nodes = {}, now }: Surroundings): unknown {
	if (typeof parameter !== 'string') throw new Error('This is no expression.');
	const items = (rows: IDataObject[]) => {
		const all = rows.map((json) => ({ json }));
		return { all: () => all, first: () => all[0], last: () => all.at(-1), item: all[0] };
	};
	return evaluateExpression(parameter.replace(/^=/, ''), {
		[sanitizerName]: sanitizer,
		...GLOBALS,
		$json: input[0],
		$input: items(input),
		$now: now,
		$itemIndex: 0,
		$execution: { resumeUrl: 'https://n8n.example/wait' },
		$: (name: string) => items(typeof nodes === 'function' ? nodes(name) : (nodes[name] ?? [])),
	});
}

/** A node of an example, by its name. */
function nodeOf(file: string, name: string): INode {
	const { nodes } = JSON.parse(readFileSync(`examples/${file}`, 'utf8')) as IWorkflowBase;
	const node = nodes.find((each) => each.name === name);
	if (!node) throw new Error(`${file} has no node ${name}.`);
	return node;
}

/** The expression of a field that an Edit Fields node of an example sets, or of a parameter of another node. */
export function fieldOf(file: string, node: string, field: string): unknown {
	const { assignments, ...others } = nodeOf(file, node).parameters as IDataObject & {
		assignments?: { assignments: Array<{ name: string; value: unknown }> };
	};
	return assignments ? assignments.assignments.find(({ name }) => name === field)?.value : others[field];
}
