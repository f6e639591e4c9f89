import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { StandIn } from '../platform/index.ts';

export const MEGABYTE = 1024 * 1024;

/** What `memory.ts` prints; sizes in bytes. */
export interface MemoryReport {
	rows: number;
	error?: string;
	growth: number;
	/** What a copy of the items takes. */
	itemsAlone: number;
	/** The item, where there is only one. */
	first?: IDataObject;
}

/** Runs Charging Sessions with these parameters in a process of its own. */
export async function measureMemory(platform: StandIn, parameters: INodeParameters): Promise<MemoryReport> {
	const script = 'require("./test/support/memory.ts")';
	const { stdout } = await promisify(execFile)(
		process.execPath,
		[
			...['--expose-gc', '--require', './test/support/register.cjs', '--eval', script],
			...[platform.baseUrl, platform.key, JSON.stringify(parameters)],
		],
		{ maxBuffer: 64 * MEGABYTE },
	);
	return JSON.parse(stdout) as MemoryReport;
}
