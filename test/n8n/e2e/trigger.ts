import { it } from 'node:test';

import type { Pair } from '../showcase.ts';
import { Incidents } from './incidents.ts';

/** The trigger in a published workflow. */
export function triggerTests(pair: Pair): void {
	const { platform, server } = pair;
	let incidents: Incidents;

	it('a station that goes offline and comes back gives one item each', async () => {
		incidents = await Incidents.publish(pair);
		const [station] = incidents.stations;
		incidents.set(station, 'offline');
		await incidents.agree();
		incidents.set(station, 'backOnline');
		await incidents.agree();
	});

	it('stopping, killing and starting n8n with open incidents loses nothing', async () => {
		await incidents.goThroughRestarts();
	});

	it('an n8n that starts while the platform does not answer goes on where it was', async () => {
		const [, first, second] = incidents.stations;
		incidents.set(first, 'offline');
		await incidents.agree();
		await server.stop();
		platform.faults.add({ kind: 'status', status: 503, times: Infinity });
		incidents.set(first, 'backOnline');
		incidents.set(second, 'offline');
		await server.start();
		// A trigger whose first poll fails five times is given up by n8n 2. A poll asks three times.
		await incidents.furtherPolls(6 * 3);
		platform.faults.clear();
		await incidents.agree();
	});
}
