/**
 * Exports all sessions in n8n's engine and prints how its memory grew, as JSON. `memoryReport.ts` runs it in a process
 * of its own; the stand-in runs in the parent process, so that its rows are not counted. Arguments: base URL and key of
 * a platform.
 */
import './setup.ts';

import type { INodeParameters } from 'n8n-workflow';

import { binaryStore, keepFilesOnDisk } from './export.ts';
import { credentialFor, loadPackage, runNode } from './harness.ts';

export interface ExportMemoryReport {
	status: string;
	/** Memory in use, without garbage, after a first small export, which loads n8n's lazy modules; in bytes. */
	warm: number;
	/** The most during the large export. */
	peak: number;
	json: object | undefined;
	path: string;
}

async function measure(baseUrl: string, key: string): Promise<ExportMemoryReport> {
	const credential = credentialFor({ baseUrl, key });
	const run = async (parameters: INodeParameters) =>
		await runNode({ type: 'chargingSessionsCsvExport', credential, parameters });
	await keepFilesOnDisk();
	await loadPackage();
	const inUse = () => {
		global.gc?.();
		const { heapUsed, external } = process.memoryUsage();
		return heapUsed + external;
	};
	await run({ operation: 'exportByFilter', filters: { id: [{ operator: 'Lt', value: 2000 }] } });
	const warm = inUse();
	let peak = warm;
	const sampling = setInterval(() => {
		peak = Math.max(peak, inUse());
	}, 500);
	const { items, status } = await run({ operation: 'exportByFilter' });
	clearInterval(sampling);
	return { status, warm, peak, json: items[0]?.json, path: binaryStore().getPath(items[0]?.binary?.data?.id ?? '') };
}

const [baseUrl = '', key = ''] = process.argv.slice(1);
void measure(baseUrl, key).then((report) => console.log(JSON.stringify(report)));
