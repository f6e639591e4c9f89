import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { binaryStore, keepFilesOnDisk } from './export.ts';
import { credentialFor, runNode } from './harness.ts';

export const MEGABYTE = 1024 * 1024;

/** What came of an execution, and how much memory it needed. */
interface MemoryReport {
	rows: number;
	error?: string;
	/** The first item, and the path of its file. */
	json?: IDataObject;
	path?: string;
	/** The most in use at a time, without garbage, beyond what a small execution before has left. */
	megabytes: number;
}

/** Runs a node in n8n's engine, in a process of its own, so that neither Jest nor the stand-in's rows are measured. */
export async function measure(
	{ baseUrl, key }: { baseUrl: string; key: string },
	type: string,
	parameters: INodeParameters,
): Promise<MemoryReport> {
	const program = "require('./test/support/setup.ts'); require('./test/support/memory.ts').printReport()";
	const flags = ['--expose-gc', '--require', './test/support/register.cjs', '--eval', program];
	const asked = [baseUrl, key, type, JSON.stringify(parameters)];
	const { stdout } = await promisify(execFile)(process.execPath, [...flags, ...asked]);
	return JSON.parse(stdout) as MemoryReport;
}

/** What that process does. */
export async function printReport(): Promise<void> {
	const [baseUrl = '', key = '', type = '', text = '{}'] = process.argv.slice(1);
	const parameters = JSON.parse(text) as INodeParameters;
	const run = { type, credential: credentialFor({ baseUrl, key }) };
	const inUse = () => {
		global.gc?.();
		const { heapUsed, external } = process.memoryUsage();
		return heapUsed + external;
	};
	await keepFilesOnDisk();
	// n8n loads modules when they are needed first.
	await runNode({ ...run, parameters: { ...parameters, filters: { id: [{ operator: 'Lt', value: 2000 }] } } });
	const before = inUse();
	let most = before;
	const sample = () => (most = Math.max(most, inUse()));
	const sampling = setInterval(sample, 500);
	const { items, error } = await runNode({ ...run, parameters });
	clearInterval(sampling);
	sample();
	const [first] = items;
	const file = first?.binary?.data;
	const report: MemoryReport = {
		rows: items.length,
		error: error?.message,
		json: first?.json,
		path: file && binaryStore().getPath(file.id ?? ''),
		megabytes: (most - before) / MEGABYTE,
	};
	console.log(JSON.stringify(report));
}
