import range from 'lodash/range.js';
import type { INodeParameters } from 'n8n-workflow';

import { CHARGE_POINT_TRIGGER, OUT_OF_ORDER, points, setPoints } from '../../support/chargePointTrigger/support.ts';
import { Bench, MINUTE, nothing, statusFilter, text } from '../../support/stationTrigger/support.ts';

/** Alert Only After and Report Back After: what counts as waiting, over rounds of several polls and short returns. */
const bench = new Bench({ stations: 6 });
const plays = bench.plays.bind(bench);

const start = bench.live.bind(bench);

const fails = () => bench.set({ NetworkStatus: 2, HardwareStatus: 3 }, 3);
const returns = () => bench.set({ NetworkStatus: 1, HardwareStatus: 1 }, 3);
const become =
	(...statuses: unknown[]) =>
	() =>
		setPoints(bench, 3, points(3, ...statuses));

describe('where it takes several polls to look at everything once', () => {
	it('a charge point is told after 30 minutes although it is looked at every 25', async () => {
		for (const station of range(1, 7)) setPoints(bench, station, points(station, 1));
		bench.remove(6);
		const options = { mostStations: 1 };
		const rig = await start({ ...OUT_OF_ORDER, minutesInState: 30, options }, CHARGE_POINT_TRIGGER);
		await bench.polls(rig, 10);
		become(4)();
		await bench.polls(rig, 6);
		expect(rig.told()).toEqual([]);
		await bench.polls(rig, 10);
		expect(rig.told()).toEqual(['outOfOrder 31']);
	});

	it.each([
		['availability', 'offline 33', 'backOnline 33'],
		['unstable', 'unstable 33', undefined],
	])(
		'a station of a fleet that is offline is told after 10 minutes, and its return after as many: %s',
		async (event, begin, end) => {
			for (const id of range(7, 101)) bench.add(id, `Station ${id}`, 2);
			bench.set({ NetworkStatus: 2 });
			bench.set({ NetworkStatus: 1 }, 33);
			const options = { pageSize: 5, backAfterMinutes: 10 };
			const rig = await start({ event, outages: 2, minutesInState: 10, options });
			rig.budgetMs = 3_000;
			bench.slow(480);
			await bench.polls(rig, 20);
			rig.take();
			const outage = async () => {
				bench.set({ NetworkStatus: 2 }, 33);
				await bench.polls(rig, 30);
				const begun = rig.told();
				bench.set({ NetworkStatus: 1 }, 33);
				await bench.polls(rig, 30);
				return [begun, rig.told()];
			};
			if (event === 'unstable') await outage();
			expect(await outage()).toEqual([[begin], end === undefined ? [] : [end]]);
		},
	);

	it('what nobody looked at for longer than two rounds waits anew', async () => {
		for (const station of range(1, 7)) setPoints(bench, station, points(station, 1));
		const options = { mostStations: 2 };
		const rig = await start({ ...OUT_OF_ORDER, minutesInState: 30, options }, CHARGE_POINT_TRIGGER);
		await bench.polls(rig, 6);
		become(4)();
		await bench.polls(rig, 6);
		bench.clock.forward(60 * MINUTE);
		await bench.polls(rig, 6);
		expect(rig.told()).toEqual([]);
		await bench.polls(rig, 6);
		expect(rig.told()).toEqual(['outOfOrder 31']);
	});
});

describe('short returns while Alert Only After waits', () => {
	const options = { backAfterMinutes: 5 };
	const OFFLINE = { event: 'availability', minutesInState: 10, options };

	it.each<[string, INodeParameters, string]>([
		['offline', OFFLINE, 'offline 3'],
		[
			'offline, where all stations are read',
			{ ...OFFLINE, options: { ...options, stationChanges: ['added'] } },
			'offline 3',
		],
		[
			'a match',
			{ ...OFFLINE, event: 'filterMatch', filters: statusFilter('hardwareStatus', '3') },
			'startedMatching 3',
		],
		['unstable', { ...OFFLINE, event: 'unstable', outages: 2 }, ''],
	])('are not counted, and end nothing: %s for 8 minutes, and not for 1, in turns', async (_, parameters, told) => {
		const rig = await start(parameters);
		await plays(
			rig,
			[fails, 8, []],
			[returns, 1, []],
			[fails, 2, []],
			[nothing, 1, told === '' ? [] : [told]],
			[returns, 1, []],
			[fails, 8, []],
			[returns, 1, []],
		);
		const [item] = rig.items;
		if (item) expect(Date.parse(text(item.detectedAt)) - Date.parse(text(item.since))).toBeGreaterThan(10.9 * MINUTE);
		if (told !== '') return;
		// The second outage counts as one, too.
		await plays(rig, [nothing, 10, []], [fails, 8, []], [returns, 2, []], [fails, 2, []], [nothing, 1, ['unstable 3']]);
	});

	it('are none once they last as long as Report Back After, or as Alert Only After if that is shorter', async () => {
		const rig = await start(OFFLINE);
		await plays(rig, [fails, 8, []], [returns, 6, []], [fails, 10, []], [nothing, 1, ['offline 3']]);
		const other = await start({ ...OFFLINE, minutesInState: 3, options: { backAfterMinutes: 30 } });
		await plays(
			other,
			[returns, 40, []],
			[fails, 2, []],
			[returns, 4, []],
			[fails, 3, []],
			[nothing, 1, ['offline 3']],
		);
	});

	it('end the wait where one of both is 0', async () => {
		const rig = await start({ ...OFFLINE, options: {} });
		await plays(rig, [fails, 8, []], [returns, 1, []], [fails, 10, []], [nothing, 1, ['offline 3']]);
	});

	it('begin the minutes of Report Back After anew: the outage that was told goes on', async () => {
		const rig = await start(OFFLINE);
		await plays(
			rig,
			[fails, 11, ['offline 3']],
			[returns, 4, []],
			[fails, 1, []],
			[returns, 5, []],
			[nothing, 1, ['backOnline 3']],
		);
	});
});
