import { requestsOfScan, requestsOfUnusual } from '../../support/stationTrigger/scaling.ts';
import { Bench, short } from '../../support/stationTrigger/support.ts';
import { TriggerRig } from '../../support/trigger/rig.ts';

const DIMENSIONS = ['NetworkStatus', 'Status', 'HardwareStatus'];

describe.each([
	{ stations: 10_000, every: 50, most: 5 },
	{ stations: 100_000, every: 200, most: 8 },
])('$stations stations, one in $every unusual', ({ stations, every, most }) => {
	const bench = new Bench({ stations });
	// The figures of docs/scaling.md.
	const requests = requestsOfUnusual(stations / every);

	it(`a poll costs at most ${most} requests, and the state is small`, async () => {
		bench.platform.db.exec(`UPDATE stations SET NetworkStatus = 2 WHERE Id % ${every} = 0`);
		const rig = new TriggerRig('memory', { event: 'statusChange', dimensions: DIMENSIONS }, bench.credential());
		expect(await bench.requestsOf(async () => await rig.activate())).toBe(requestsOfScan(stations));
		const { saves } = rig;
		expect(requests).toBeLessThanOrEqual(most);
		expect(await bench.requestsOf(async () => await bench.minutes(rig, 1))).toBe(requests);
		expect(rig.saves).toBe(saves);
		const { usual, ...others } = JSON.parse(rig.saved().kept as string) as { usual: { values: unknown } };
		expect(usual.values).toEqual([1, 1, 1]);
		expect(JSON.stringify(others).length).toBeLessThan(15_000);

		bench.set({ HardwareStatus: 3 }, 17, stations - 1);
		bench.set({ NetworkStatus: 1 }, every);
		expect(await bench.requestsOf(async () => await bench.minutes(rig, 1))).toBeLessThanOrEqual(requests + 1);
		expect(short(rig.items).sort()).toEqual([
			'statusChanged 17 HardwareStatus 1>3',
			`statusChanged ${every} NetworkStatus 2>1`,
			`statusChanged ${stations - 1} HardwareStatus 1>3`,
		]);
		expect(rig.items.every(({ stationName }) => typeof stationName === 'string')).toBe(true);
	}, 200_000);
});
