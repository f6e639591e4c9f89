import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { StandIn } from '../platform/index.ts';
import type { ExportMemoryReport } from './exportMemory.ts';

export const MEGABYTE = 1024 * 1024;

/** What `memory.ts` prints. */
export interface MemoryReport {
	rows: number;
	error?: string;
	/** The items of a summary. */
	figures?: IDataObject[];
}

/** What n8n's engine with this package needs before it reads anything, in megabytes; measured. */
const N8N_ALONE = 50;

/**
 * Runs Charging Sessions with these parameters in a process of its own that has this much memory for what it reads.
 *
 * @param megabytes of V8's heap, beyond what n8n itself needs
 * @throws if that is not enough: V8 then ends the process
 */
export async function runWithin(
	megabytes: number,
	platform: StandIn,
	parameters: INodeParameters,
): Promise<MemoryReport> {
	const heap = `--max-old-space-size=${N8N_ALONE + megabytes}`;
	return await runAlone('memory.ts', [heap], platform, JSON.stringify(parameters));
}

/** Exports all sessions in a process of its own. */
export async function measureExport(platform: StandIn): Promise<ExportMemoryReport> {
	return await runAlone('exportMemory.ts', ['--expose-gc'], platform);
}

/** Runs a program of this folder so that nothing else is measured. Returns what it prints. */
async function runAlone<Report>(
	program: string,
	flags: readonly string[],
	{ baseUrl, key }: StandIn,
	...more: string[]
): Promise<Report> {
	const { stdout } = await promisify(execFile)(
		process.execPath,
		[
			...[...flags, '--require', './test/support/register.cjs'],
			...['--eval', `require("./test/support/${program}")`, baseUrl, key, ...more],
		],
		{ maxBuffer: 64 * MEGABYTE },
	);
	return JSON.parse(stdout) as Report;
}
