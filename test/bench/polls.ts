import { credentialFor } from '../support/harness.ts';
import { TriggerRig } from '../support/trigger/rig.ts';
import type { PollJob } from './types.ts';
import type { Finished } from './worker.ts';

/** Activates the trigger in n8n's default polling engine. Returns a function that polls as the schedule would. */
export async function pollRunner(job: PollJob): Promise<() => Promise<Finished>> {
	const options = job.readsAll ? { stationChanges: ['added'] } : {};
	const rig = new TriggerRig('memory', { event: job.event, options }, credentialFor(job));
	await rig.activate();
	return async () => {
		for (let poll = 0; poll < job.polls; poll++) await rig.tick();
		const [error] = rig.errors;
		return {
			status: error ? 'error' : 'success',
			...(error && { message: error.message }),
			countRows: () => rig.items.length,
			storedBytes: Buffer.byteLength(JSON.stringify(rig.saved())),
		};
	};
}
