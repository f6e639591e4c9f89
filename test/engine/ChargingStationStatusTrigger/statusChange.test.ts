import type { INodeParameters } from 'n8n-workflow';

import { Bench, MINUTE, short, statusFilter } from '../../support/stationTrigger/support.ts';
import { TriggerRig } from '../../support/trigger/rig.ts';

const DIMENSIONS = ['NetworkStatus', 'Status', 'HardwareStatus'];
/** Ten stations per page, so that a few hundred are a large fleet. */
const SMALL_PAGES = { pageSize: 10 };
const FLEET = 300;
/** Requests to read all stations: the last one proves that there are no more. */
const ALL = FLEET / SMALL_PAGES.pageSize + 1;

describe('the statuses of all stations', () => {
	const bench = new Bench({ stations: FLEET });
	let rig: TriggerRig;

	const watch = async (parameters: INodeParameters = {}, options: INodeParameters = {}) => {
		const all = { dimensions: DIMENSIONS, ...parameters, options: { ...SMALL_PAGES, ...options } };
		rig = new TriggerRig('memory', { event: 'statusChange', ...all }, bench.credential());
		await rig.activate();
	};
	const requestsOfPoll = async () => await bench.requestsOf(async () => await bench.minutes(rig, 1));
	const events = () => short(rig.take());

	it('finds codes that become empty', async () => {
		bench.set({ HardwareStatus: null }, 7, 8);
		await watch();
		bench.set({ HardwareStatus: null }, 100);
		bench.set({ HardwareStatus: 1 }, 8);
		await bench.minutes(rig, 1);
		expect(events().sort()).toEqual([
			'statusChanged 100 HardwareStatus 1>null',
			'statusChanged 8 HardwareStatus null>1',
		]);
	});

	it('a status that cannot be read is no change', async () => {
		bench.set({ NetworkStatus: null }, 9);
		await watch({ dimensions: ['NetworkStatus'] });
		bench.set({ NetworkStatus: null }, 100);
		bench.set({ NetworkStatus: '[1]' }, 101);
		bench.set({ NetworkStatus: 1 }, 9);
		await bench.minutes(rig, 1);
		bench.set({ NetworkStatus: 1 }, 100);
		bench.set({ NetworkStatus: 2 }, 101);
		await bench.minutes(rig, 1);
		expect(events()).toEqual(['statusChanged 101 NetworkStatus 1>2']);
		bench.set({ NetworkStatus: null }, 100, 101);
		await bench.minutes(rig, 62);
		expect(rig.errors.map(({ message }) => message)).toEqual([
			'The status of 2 stations cannot be read, for an hour now',
		]);
		bench.set({ NetworkStatus: 2 }, 100, 101);
		await bench.minutes(rig, 1);
		expect(events()).toEqual(['statusChanged 100 NetworkStatus 1>2']);
	});

	it('what cannot be read for an hour is said once although each poll has events, and none of these is lost', async () => {
		await watch({ dimensions: ['NetworkStatus'] });
		bench.set({ NetworkStatus: null }, 100);
		const polls = 75;
		for (let poll = 1; poll <= polls; poll++) {
			bench.set({ NetworkStatus: 2 }, 100 + poll);
			await bench.minutes(rig, 1);
		}
		expect(rig.errors.map(({ message }) => message)).toEqual([
			'The status of 1 station cannot be read, for an hour now',
		]);
		expect(events()).toHaveLength(polls);
	});

	it('what cannot be read after a restart has not been unreadable since before it', async () => {
		await watch({ dimensions: ['NetworkStatus'] });
		bench.set({ NetworkStatus: null }, 100);
		bench.set({ NetworkStatus: 2 }, 101);
		await bench.minutes(rig, 1);
		bench.set({ NetworkStatus: 1 }, 100);
		await bench.minutes(rig, 1);
		bench.set({ NetworkStatus: null }, 100);
		bench.clock.forward(4 * 60 * MINUTE);
		await rig.restart();
		await bench.minutes(rig, 50);
		expect(rig.errors).toEqual([]);
		await bench.minutes(rig, 15);
		expect(rig.errors).toHaveLength(1);
	});

	it('stations out of service raise nothing, and are watched again silently', async () => {
		await watch({ dimensions: ['NetworkStatus'] }, { outOfServiceValues: ['2'] });
		bench.set({ Status: 2, NetworkStatus: 2 }, 3);
		bench.set({ Status: 2 }, 4);
		await bench.minutes(rig, 1);
		bench.set({ Status: 1, NetworkStatus: 1 }, 3, 4);
		await bench.minutes(rig, 1);
		bench.set({ NetworkStatus: 2 }, 3, 4);
		await bench.minutes(rig, 1);
		expect(events()).toEqual(['statusChanged 3 NetworkStatus 1>2', 'statusChanged 4 NetworkStatus 1>2']);
	});

	it('new stations are adopted silently and watched from then on', async () => {
		bench.remove(200);
		await watch();
		bench.add(1000, 'New');
		await bench.minutes(rig, 1);
		bench.add(200, 'In between');
		expect(await requestsOfPoll()).toBe(ALL);
		expect(events()).toEqual([]);
		bench.set({ NetworkStatus: 2 }, 200, 1000);
		await bench.minutes(rig, 1);
		expect(events()).toEqual(['statusChanged 200 NetworkStatus 1>2', 'statusChanged 1000 NetworkStatus 1>2']);
	});

	it('stations that leave the list cost no requests, and are watched again once they are back', async () => {
		bench.set({ NetworkStatus: 2 }, 5);
		await watch({ filters: statusFilter('status', '1'), dimensions: ['NetworkStatus'] });
		bench.set({ Status: 2 }, 5, 6, 7);
		expect(await requestsOfPoll()).toBe(ALL - 1);
		bench.set({ Status: 1, NetworkStatus: 1 }, 5, 6);
		await bench.minutes(rig, 1);
		expect(events()).toEqual(['statusChanged 5 NetworkStatus 2>1']);
		bench.set({ NetworkStatus: 3 }, 6);
		await bench.minutes(rig, 1);
		expect(events()).toEqual(['statusChanged 6 NetworkStatus 1>3']);
	});

	it('sends a single request when the license is inactive', async () => {
		await watch();
		bench.platform.license.active = false;
		expect(await requestsOfPoll()).toBe(1);
	});
});
