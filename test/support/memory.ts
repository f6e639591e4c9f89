/**
 * Runs Charging Sessions in n8n's engine and prints what came of it, as JSON. `memoryReport.ts` runs it in a process of
 * its own with a small heap, so that too much memory ends it. Arguments: base URL and key of a platform, parameters of
 * the node.
 */
import './setup.ts';

import type { INodeParameters } from 'n8n-workflow';

import { credentialFor, runNode } from './harness.ts';
import type { MemoryReport } from './memoryReport.ts';

async function read(baseUrl: string, key: string, parameters: INodeParameters): Promise<MemoryReport> {
	const options = { type: 'chargingSessions', credential: credentialFor({ baseUrl, key }) };
	const { items, error } = await runNode({ ...options, parameters });
	const figures = parameters.operation === 'summary' ? items.map(({ json }) => json) : undefined;
	return { rows: items.length, error: error?.message, figures };
}

const [baseUrl = '', key = '', parameters = '{}'] = process.argv.slice(1);
void read(baseUrl, key, JSON.parse(parameters) as INodeParameters).then((report) =>
	console.log(JSON.stringify(report)),
);
