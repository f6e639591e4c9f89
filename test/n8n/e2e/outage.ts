import assert from 'node:assert/strict';
import { it } from 'node:test';

import { startPair } from '../showcase.ts';
import { until } from '../tools.ts';
import { Incidents } from './incidents.ts';
import { tarball, TIMEZONE, use } from './lab.ts';

/** Ten minutes take thirty seconds. Any faster, and the time of a request would be over too soon on a busy machine. */
const RATE = 20;
const MINUTE_MS = 60_000 / RATE;
const EVERY_FIVE_MINUTES = '0 */5 * * * *';

/** The platform does not answer for more than an hour, and n8n, whose clock runs fast, is restarted in the middle of it. */
export function outageTests(): void {
	const place = use(async (later) => {
		const pair = await startPair({
			...{ log: console.log, later, timezone: TIMEZONE, tarball: await tarball(), clockRate: RATE },
			platform: { sessions: 10, stations: 50 },
		});
		const incidents = await Incidents.prepare({ ...pair, later }, 'outage', [EVERY_FIVE_MINUTES]);
		await pair.n8n.publish(incidents.workflowId);
		await incidents.furtherPolls(2);
		return { ...pair, incidents };
	});

	it('the trigger says once that nothing could be read, lives through a restart, and goes on where it was', async () => {
		const { n8n, platform, incidents } = place();
		const [open, later] = incidents.stations;
		incidents.set(open, 'offline');
		await incidents.agree();

		const began = Date.now();
		platform.faults.add({ kind: 'status', status: 503, times: Infinity });
		const failures = await until('an execution fails', async () => {
			const found = await n8n.failures();
			return found.length > 0 && found;
		});
		assert.equal(failures.length, 1);
		assert.match(failures[0] ?? '', /The charging stations could not be read since/);
		await n8n.stop();
		incidents.set(open, 'backOnline');
		incidents.set(later, 'offline');
		await n8n.start();
		await until('an hour is over', () => Date.now() - began > 70 * MINUTE_MS);
		await incidents.furtherPolls(3);

		platform.faults.clear();
		await incidents.agree();
		assert.ok((await n8n.failures()).length <= 2, 'each n8n that runs says it once in so short a time');
	});
}
