import type { PollJob } from './types.ts';
import type { Finished } from './worker.ts';
export async function pollRunner(_job: PollJob): Promise<() => Promise<Finished>> {
	return await Promise.reject(new Error('later'));
}
