/**
 * Exports all sessions in n8n's engine and prints how its memory grew, as JSON. `memoryReport.ts` runs it in a process
 * of its own; the stand-in runs in the parent process, so that its rows are not counted. Arguments: base URL and key of
 * a platform.
 */
import './setup.ts';
import { setImmediate } from 'node:timers/promises';

import type { StandIn } from '../platform/index.ts';
import { binaryPath, keepFilesOnDisk, runExport } from './export.ts';
import { loadPackage } from './harness.ts';

export interface ExportMemoryReport {
	status: string;
	/** Resident memory with n8n and the package loaded, before the first export, in bytes. */
	idle: number;
	/** The same after a first small export, which loads n8n's lazy modules and compiles code. */
	warm: number;
	/** Largest resident memory during the large export. */
	peak: number;
	json: object | undefined;
	path: string;
}

async function measure(baseUrl: string, key: string): Promise<ExportMemoryReport> {
	const platform = { baseUrl, key } as StandIn;
	await keepFilesOnDisk();
	await loadPackage();
	const settle = async () => {
		for (let turn = 0; turn < 10; turn++) {
			global.gc?.();
			await setImmediate();
		}
		return process.memoryUsage.rss();
	};
	const idle = await settle();
	await runExport(platform, { operation: 'exportByFilter', filters: { id: [{ operator: 'Lt', value: 2000 }] } });
	const warm = await settle();
	let peak = warm;
	const sampling = setInterval(() => {
		peak = Math.max(peak, process.memoryUsage.rss());
	}, 10);
	// Collect garbage, to measure only the memory that is needed: 1,200 bare requests of n8n's own helper, without any
	// of our code, leave 190 MB of garbage behind.
	const cleaning = setInterval(() => global.gc?.(), 500);
	const { items, status } = await runExport(platform, { operation: 'exportByFilter' });
	clearInterval(sampling);
	clearInterval(cleaning);
	return { status, idle, warm, peak, json: items[0]?.json, path: binaryPath(items[0]) };
}

const [baseUrl = '', key = ''] = process.argv.slice(1);
void measure(baseUrl, key).then((report) => console.log(JSON.stringify(report)));
