import { Bench, short } from '../../support/stationTrigger/support.ts';
import { TriggerRig } from '../../support/trigger/rig.ts';

const bench = new Bench({ stations: 3 });

it('polls that take longer than n8n allows say so, and what they found is reported once one is in time', async () => {
	const rig = new TriggerRig('memory', { event: 'availability', options: { fetchDetail: false } }, bench.credential());
	await rig.activate();
	await bench.minutes(rig, 1);
	rig.budgetMs = 2_000;
	bench.slow(2_100);
	bench.set({ NetworkStatus: 2 }, 2);
	await bench.minutes(rig, 1);
	expect(rig.logs).toEqual([
		'A poll took longer than the 2 seconds that n8n allows, so what it found about charging stations is left to the next one. Narrow the filter, so that there is less to read and to compare, or run n8n on a faster machine.',
	]);
	expect(rig.errors).toEqual([]);
	await bench.minutes(rig, 35);
	expect(rig.errors.map(({ message }) => message)).toEqual([
		expect.stringMatching(/^The charging stations could not be read since \d\d:\d\d$/),
	]);
	bench.platform.faults.clear();
	await bench.minutes(rig, 1);
	expect(short(rig.items)).toEqual(['offline 2']);
});
