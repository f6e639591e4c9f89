import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { StandIn } from '../platform/index.ts';
import type { ExportMemoryReport } from './exportMemory.ts';

export const MEGABYTE = 1024 * 1024;

/** What `memory.ts` prints; sizes in bytes. */
export interface MemoryReport {
	rows: number;
	error?: string;
	growth: number;
	/** Size of a copy of the items. */
	itemsAlone: number;
	/** The items of a summary. */
	figures?: IDataObject[];
}

/** Runs Charging Sessions with these parameters in a process of its own. */
export async function measureMemory(platform: StandIn, parameters: INodeParameters): Promise<MemoryReport> {
	return await runAlone('memory.ts', platform, JSON.stringify(parameters));
}

/** Exports all sessions in a process of its own. */
export async function measureExport(platform: StandIn): Promise<ExportMemoryReport> {
	return await runAlone('exportMemory.ts', platform);
}

/** Runs a program of this folder so that nothing else is measured. Returns what it prints. */
async function runAlone<Report>(program: string, { baseUrl, key }: StandIn, ...more: string[]): Promise<Report> {
	const { stdout } = await promisify(execFile)(
		process.execPath,
		[
			...['--expose-gc', '--require', './test/support/register.cjs'],
			...['--eval', `require("./test/support/${program}")`, baseUrl, key, ...more],
		],
		{ maxBuffer: 64 * MEGABYTE },
	);
	return JSON.parse(stdout) as Report;
}
