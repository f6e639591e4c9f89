/**
 * Reads a long list in n8n's engine and prints the memory it took, as JSON. `memoryReport.ts` runs it in a process of
 * its own with `--expose-gc`, so that nothing else is measured. Arguments: base URL and key of a platform, parameters
 * of the node.
 */
import './setup.ts';
import type { INodeParameters } from 'n8n-workflow';
import { credentialFor, runNode } from './harness.ts';

const collect = globalThis.gc;

/** Loading code once is not part of what a list costs. */
const WARM_UP = { id: [{ operator: 'Lte', value: 200 }] };

function settledHeap(): number {
	if (!collect) throw new Error('Run this with --expose-gc');
	void collect();
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}

async function measure(baseUrl: string, key: string, parameters: INodeParameters): Promise<void> {
	const options = { type: 'chargingSessions', credential: credentialFor({ baseUrl, key }) };
	await runNode({ ...options, parameters: { ...parameters, returnAll: false, limit: 200, filters: WARM_UP } });

	const before = settledHeap();
	let peak = 0;
	// Garbage is not memory that is needed: V8 frees it before memory runs out.
	const watch = setInterval(() => {
		peak = Math.max(peak, settledHeap());
	}, 100);
	const { items, error } = await runNode({ ...options, parameters });
	clearInterval(watch);
	peak = Math.max(peak, settledHeap());

	// The size of the items alone: what a copy of them takes.
	const text = JSON.stringify(items);
	const withoutCopy = settledHeap();
	const copy = JSON.parse(text) as typeof items;
	const itemsAlone = settledHeap() - withoutCopy;
	const figures = parameters.operation === 'summary' ? items.map(({ json }) => json) : undefined;
	console.log(JSON.stringify({ rows: copy.length, error: error?.message, growth: peak - before, itemsAlone, figures }));
}

const [baseUrl = '', key = '', parameters = '{}'] = process.argv.slice(1);
void measure(baseUrl, key, JSON.parse(parameters) as INodeParameters);
