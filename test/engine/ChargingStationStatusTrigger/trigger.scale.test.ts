import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { API_KEY, ScriptedServer, sendRows } from '../../support/scriptedServer.ts';
import { Bench } from '../../support/stationTrigger/support.ts';
import { TriggerRig } from '../../support/trigger/rig.ts';

const FLEET = 20_000;
/** 200 full pages, and one that proves that nothing follows. */
const WHOLE_LIST = 201;
const AVAILABILITY = { event: 'availability', options: { fetchDetail: false } };
const STATUS_CHANGE = { event: 'statusChange', dimensions: ['NetworkStatus'] };
const FLEET_CHANGES = { event: 'availability', options: { stationChanges: ['added', 'removed'] } };

const bench = new Bench({ stations: FLEET });
const rigOf = (parameters: INodeParameters) => new TriggerRig('scheduler', parameters, bench.credential());

describe('20,000 stations', () => {
	it.each([
		['a hundred offline', AVAILABILITY, 1, 200_000],
		['their statuses', STATUS_CHANGE, WHOLE_LIST, 100 * FLEET],
		['those added and removed', FLEET_CHANGES, WHOLE_LIST, 100 * FLEET],
	])(
		'%s: the requests of docs/limits-and-cost.md, and a state that n8n can save',
		async (_, parameters, requests, size) => {
			bench.platform.db.exec('UPDATE stations SET NetworkStatus = 2 WHERE Id % 201 = 0');
			const rig = rigOf(parameters);
			await rig.activate();
			await bench.minutes(rig, 1);
			const { saves } = rig;
			expect(await bench.requestsOf(async () => await bench.minutes(rig, 1))).toBe(requests);
			expect([rig.saves, rig.items]).toEqual([saves, []]);
			expect(rig.stateSize).toBeLessThan(size);
		},
	);

	it('all offline, 60 requests a minute, 36 seconds a poll: each is reported once, and so is its end', async () => {
		const rig = rigOf(AVAILABILITY);
		await rig.activate();
		bench.platform.behaviour.rateLimit = { limit: 60, windowMs: 60_000, retryAfter: 'seconds' };
		for (const [status, event] of [
			[2, 'offline'],
			[1, 'backOnline'],
		] as const) {
			bench.set({ NetworkStatus: status });
			await bench.minutes(rig, 1);
			const told: IDataObject[] = rig.take();
			expect(told.length).toBeLessThan(FLEET);
			for (let polls = 0; told.length < FLEET && polls < 40; polls++) {
				await bench.minutes(rig, 1);
				told.push(...rig.take());
			}
			expect(new Set(told.map(({ stationId }) => stationId)).size).toBe(FLEET);
			expect(told.every((item) => item.event === event)).toBe(true);
		}
		await bench.minutes(rig, 3);
		expect([rig.take(), rig.errors]).toEqual([[], []]);
	}, 900_000);

	it('other settings, where a poll is cut short: all are read quietly first, over as many polls as it takes', async () => {
		bench.set({ NetworkStatus: 2 }, 5, 19_000);
		const rig = rigOf(AVAILABILITY);
		await rig.activate();
		bench.platform.behaviour.rateLimit = { limit: 60, windowMs: 60_000, retryAfter: 'seconds' };
		await rig.republish({ parameters: STATUS_CHANGE });
		await bench.minutes(rig, 10);
		expect(rig.take()).toEqual([]);
		bench.set({ NetworkStatus: 1 }, 5, 19_000);
		await bench.minutes(rig, 10);
		expect(rig.told().sort()).toEqual(['statusChanged 19000 NetworkStatus 2>1', 'statusChanged 5 NetworkStatus 2>1']);
		expect(rig.errors).toEqual([]);
	});

	it('are as many statuses as can be remembered: one station more is refused', async () => {
		const rig = rigOf(STATUS_CHANGE);
		await rig.activate();
		await bench.minutes(rig, 1);
		expect(rig.errors).toEqual([]);
		bench.add(FLEET + 1, 'One more');
		await bench.minutes(rig, 1);
		expect(rig.errors.map(({ message }) => message)).toEqual([expect.stringContaining('more than 20,000 ')]);
	});
});

describe('an endless list', () => {
	const server = new ScriptedServer();
	beforeAll(async () => await server.start());
	afterAll(async () => await server.stop());

	it('is refused at the first reading', async () => {
		server.script(({ url }, response) => {
			const after = Number(/"Operator":"Gt","Value":"(\d+)"/.exec(url.searchParams.get('dsquery') ?? '')?.[1] ?? 0);
			const rows = Array.from({ length: 100 }, (_, index) => ({ Id: after + index + 1, NetworkStatus: 2, Status: 1 }));
			sendRows(response, rows, 2_000_000_000);
		});
		const credential = { environment: 'production', productionUrl: server.baseUrl, testUrl: '', apiKey: API_KEY };
		await expect(new TriggerRig('memory', AVAILABILITY, credential).activate()).rejects.toThrow(
			'There are more than 200,000 charging stations, too many for one trigger to watch',
		);
	});
});
