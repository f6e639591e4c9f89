/**
 * Reads a long list in n8n's engine and prints what it took, as JSON: run by `memory.test.ts` in a process of its own,
 * with `--expose-gc`, so that nothing else is measured. Arguments: base URL and key of a platform.
 */
import '../support/setup.ts';
import { credentialFor, runNode } from './harness.ts';

const collect = globalThis.gc;

function settledHeap(): number {
	if (!collect) throw new Error('Run this with --expose-gc');
	void collect();
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}

async function measure(baseUrl: string, key: string): Promise<void> {
	const options = { type: 'chargingSessions', credential: credentialFor({ baseUrl, key }) };
	await runNode({ ...options, parameters: { operation: 'getAll', returnAll: false, limit: 200 } });

	const before = settledHeap();
	let peak = 0;
	// What is garbage already is not memory that is needed: V8 gives it back before it runs out.
	const watch = setInterval(() => {
		peak = Math.max(peak, settledHeap());
	}, 100);
	const { items, error } = await runNode({ ...options, parameters: { operation: 'getAll', returnAll: true } });
	clearInterval(watch);
	peak = Math.max(peak, settledHeap());

	// The items alone: what a copy of them takes.
	const text = JSON.stringify(items);
	const withoutCopy = settledHeap();
	const copy = JSON.parse(text) as typeof items;
	const itemsAlone = settledHeap() - withoutCopy;
	console.log(JSON.stringify({ rows: copy.length, error: error?.message, growth: peak - before, itemsAlone }));
}

const [baseUrl = '', key = ''] = process.argv.slice(1);
void measure(baseUrl, key);
