/**
 * Run by exportMemory.deep.test.ts as a process of its own: exports all sessions in n8n's engine and writes down how its
 * memory grew. The stand-in runs in the process that starts this one, so that its rows are not counted.
 */
import './setup.ts';
import { writeFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

import type { StandIn } from '../platform/index.ts';
import { binaryPath, keepFilesOnDisk, runExport } from './export.ts';
import { loadPackage } from './harness.ts';

const { PLATFORM_URL: baseUrl = '', PLATFORM_KEY: key = '', RESULT_FILE: resultFile = '' } = process.env;

export interface MemoryReport {
	status: string;
	/** Resident memory with n8n and the package loaded, before the first export, in bytes. */
	idle: number;
	/** The same after a first small export: n8n's own lazy loading and compiled code are in it. */
	warm: number;
	/** Largest resident memory during the large export. */
	peak: number;
	json: object | undefined;
	path: string;
}

async function measure(): Promise<MemoryReport> {
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
	await runExport(platform, { source: 'filter', filters: { id: [{ operator: 'Lt', value: 2000 }] } });
	const warm = await settle();
	let peak = warm;
	const sampling = setInterval(() => {
		peak = Math.max(peak, process.memoryUsage.rss());
	}, 10);
	// What is needed is measured, not what V8 leaves lying about until it pleases: 1,200 bare requests of n8n's own
	// helper, without any of our code, leave 190 MB of garbage behind.
	const cleaning = setInterval(() => global.gc?.(), 100);
	const { items, status } = await runExport(platform, { source: 'filter' });
	clearInterval(sampling);
	clearInterval(cleaning);
	return { status, idle, warm, peak, json: items[0]?.json, path: binaryPath(items[0]) };
}

void measure().then((report) => writeFileSync(resultFile, JSON.stringify(report)));
