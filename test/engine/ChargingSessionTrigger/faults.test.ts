import type { IDataObject, INodeParameters } from 'n8n-workflow';

import {
	ACTIVE,
	EXPIRED,
	FINISHED,
	HOUR,
	SESSION_TRIGGER,
	SessionBench,
	told,
} from '../../support/sessionTrigger/support.ts';
import { MINUTE } from '../../support/stationTrigger/support.ts';
import { OddPlatform } from '../../support/trigger/oddPlatform.ts';
import { TriggerRig } from '../../support/trigger/rig.ts';

const bench = new SessionBench();
const odd = new OddPlatform();
const minutes = bench.minutes.bind(bench);
const engine = 'memory';
const smallerEnergy = (kWh: number): INodeParameters => ({ energyConsumed: [{ operator: 'Lt', value: String(kWh) }] });

describe('sessions that a filter leaves out', () => {
	it('are not checked against the filter again after a restart', async () => {
		bench.start(1);
		const rig = await bench.rig(engine, { events: ['started', 'ended'], filters: smallerEnergy(0.5) });
		bench.start(2, { energy: 20 });
		bench.start(3, { energy: 20, status: FINISHED });
		await minutes(rig, 2);
		bench.energy(0.1, 2, 3);
		await rig.restart();
		await minutes(rig, 2);
		expect(told(rig.items)).toEqual([]);
		bench.become(FINISHED, 2);
		await minutes(rig, 1);
		expect(told(rig.items)).toEqual(['ended 2']);
	});
});

describe('the window of 50 late Ids', () => {
	it.each([
		['Page Size 8', { options: { pageSize: 8 } }, undefined],
		['pages of ten rows', {}, 10],
	] as const)('holds with %s', async (_, parameters, clamp) => {
		bench.platform.behaviour.takeClamp = clamp;
		for (let id = 10; id <= 1000; id += 10) bench.start(id, { status: FINISHED });
		const rig = await bench.rig(engine, parameters);
		bench.start(1001);
		await minutes(rig, 1);
		for (const id of [525, 745, 995]) bench.start(id);
		await minutes(rig, 2);
		expect(told(rig.items)).toEqual(['started 1001', 'started 525', 'started 745', 'started 995']);
		expect(await bench.requestsOf(async () => await minutes(rig, 1))).toBeLessThanOrEqual(8);
	});
});

describe('Report Initial State', () => {
	const options = { emitInitialState: true };
	const cannotRead = (condition: RegExp, times = Infinity) =>
		bench.platform.faults.add({
			...{ kind: 'status', status: 503, times, match: ({ query = '' }) => condition.test(query) },
		});
	const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

	it('reports each open session once, however many polls it takes to read them all', async () => {
		for (const id of upTo(1, 200)) bench.start(id, { ago: HOUR, status: id > 130 ? ACTIVE : FINISHED });
		cannotRead(/"Lte"/);
		const rig = await bench.rig(engine, { options });
		for (const id of upTo(201, 210)) bench.start(id);
		await minutes(rig, 1);
		bench.platform.faults.clear();
		await minutes(rig, 1);
		for (const id of [211, 212]) bench.start(id);
		await minutes(rig, 2);
		const ids = rig.items.map(({ sessionId }) => Number(sessionId)).sort((a, b) => a - b);
		expect(ids).toEqual(upTo(131, 212));
	});

	it.each([
		['none', 0],
		['some', 1],
	])('with a filter that could be checked for %s of them at first', async (_, parts) => {
		for (const id of upTo(1, 400)) bench.start(id, { ago: HOUR, status: id <= 130 || id > 370 ? ACTIVE : FINISHED });
		let asked = 0;
		bench.platform.faults.add({
			...{ kind: 'status', status: 503, times: Infinity },
			match: ({ query = '' }) => query.includes('"In"') && ++asked > parts,
		});
		const rig = await bench.rig(engine, { events: ['started', 'ended'], filters: smallerEnergy(0.5), options });
		expect(rig.items).toHaveLength(100 * parts);
		bench.energy(20, 380);
		bench.become(FINISHED, 130, 390);
		for (const id of upTo(401, 420)) bench.start(id);
		await minutes(rig, 1);
		for (const id of upTo(421, 500)) bench.start(id, { status: FINISHED });
		await minutes(rig, 1);
		bench.platform.faults.clear();
		await minutes(rig, 2);
		const ids = (event: string) =>
			rig.items
				.filter((item) => item.event === event)
				.map(({ sessionId }) => Number(sessionId))
				.sort((a, b) => a - b);
		expect(ids('started')).toEqual([...upTo(1, 130), ...upTo(371, 500)].filter((id) => id !== 380));
		expect(ids('ended')).toEqual([130, 390, ...upTo(421, 500)]);
		bench.start(501);
		bench.become(FINISHED, 1);
		await minutes(rig, 1);
		expect(told(rig.items.slice(-2)).sort()).toEqual(['ended 1', 'started 501']);
	});
});

describe('an unusual list', () => {
	const rows = (ids: number[]) =>
		ids.map((Id): IDataObject => ({ Id, Status: 1, StartedAtUtc: '2026-11-21T00:00:00', EnergyConsumed: 1 }));
	const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
	const start = async (event = 'started') => {
		const rig = new TriggerRig(engine, { events: [event] }, odd.credential, {}, SESSION_TRIGGER);
		await rig.activate();
		return rig;
	};

	it('sorted as text: each new session is reported once, or the trigger says that it cannot', async () => {
		odd.rows = rows(upTo(250));
		odd.sortsAsText = true;
		const rig = await start().catch((error: Error) => error.message);
		expect(rig).toMatch(/Id descending was asked for: the platform does not sort by it/);
		odd.rows = rows(
			upTo(150)
				.map((id) => id + 900)
				.filter((id) => id < 1000),
		);
		const other = await start();
		odd.rows = rows(upTo(400).map((id) => id + 900));
		await minutes(other, 3);
		expect(other.items.map(({ sessionId }) => sessionId).sort((a, b) => Number(a) - Number(b))).toEqual(
			upTo(301).map((id) => id + 999),
		);
	});

	it('doubled Ids: no end is lost', async () => {
		odd.rows = rows(upTo(150));
		const rig = await start('ended');
		odd.rows.splice(1, 0, { ...odd.rows[0], EnergyConsumed: 2 });
		odd.rows[100] = { ...odd.rows[100], Status: FINISHED };
		await minutes(rig, 3);
		expect(told(rig.items)).toEqual(['ended 100']);
	});
});

describe('one session among many', () => {
	it('whose look-up fails does not hold up the end of others', async () => {
		for (let id = 1; id <= 20; id++) bench.start(id);
		for (let id = 101; id <= 160; id++) bench.start(id, { status: FINISHED });
		const rig = await bench.rig(engine, { events: ['ended'], options: { otherEndStatuses: [String(EXPIRED)] } });
		const asksFor7 = ({ query = '' }: { query?: string }) => /"In","Value":"(?:[^"]*,)?7[",]/.test(query);
		bench.platform.faults.add({ kind: 'status', status: 500, match: asksFor7, times: Infinity });
		bench.become(FINISHED, 3, 7, 12);
		await minutes(rig, 3);
		expect(told(rig.take()).sort()).toEqual(['ended 12', 'ended 3']);
		bench.platform.faults.clear();
		await minutes(rig, 1);
		expect(told(rig.take())).toEqual(['ended 7']);
	});

	it('a filter that the platform refuses is reported as a refusal', async () => {
		bench.start(1);
		const rig = await bench.rig(engine, { events: ['started'], filters: smallerEnergy(5) });
		const filtered = ({ query = '' }: { query?: string }) => query.includes('EnergyConsumed');
		bench.platform.faults.add({ kind: 'status', status: 400, match: filtered, times: Infinity });
		bench.start(2);
		await minutes(rig, 3);
		expect(rig.errors).toHaveLength(1);
		bench.platform.faults.clear();
		bench.clock.forward(15 * MINUTE);
		await minutes(rig, 1);
		expect(told(rig.items)).toEqual(['started 2']);
	});
});
