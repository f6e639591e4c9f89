import { Bench, short } from '../../support/stationTrigger/support.ts';
import { NIGHT_ENGINES, TriggerRig } from '../../support/trigger/rig.ts';

const FLEET = 10_000;
/** Requests: 100 full pages, and one that proves that nothing follows. */
const WHOLE_LIST = 101;
/** Test timeout, in milliseconds: a slow machine needs many polls that are cut short. */
const SLOW_MACHINE_MS = 400_000;

// In real time, to see how long ten thousand stations take.
const bench = new Bench({ stations: FLEET }, 1);

/** CPU time of this process while something runs, in milliseconds, including the stand-in platform. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
	const before = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}

describe.each(NIGHT_ENGINES)('10,000 stations, engine %s', (engine) => {
	it('availability with 41 offline sends one request a poll and keeps a small state', async () => {
		bench.platform.db.exec('UPDATE stations SET NetworkStatus = 2 WHERE Id % 240 = 0');
		const rig = new TriggerRig(engine, { event: 'availability' }, bench.credential());
		expect(await bench.requestsOf(async () => await rig.activate())).toBe(1);
		await bench.minutes(rig, 2);
		const { saves, batches } = rig;
		const started = batches.length;
		expect(await bench.requestsOf(async () => await bench.minutes(rig, 5))).toBe(5);
		expect(rig.saves).toBe(saves);
		expect(rig.batches.length).toBe(started);
		expect(rig.stateSize).toBeLessThan(60_000);
		const cpuMs = await cpuOf(async () => await bench.minutes(rig, 10));
		console.info(`${engine}: availability, state ${rig.stateSize} bytes, ${Math.round(cpuMs / 10)} ms of CPU a poll`);
	});

	it('statusChange reads all in each poll, and saves only changes', async () => {
		const dimensions = ['NetworkStatus', 'HardwareStatus'];
		const rig = new TriggerRig(engine, { event: 'statusChange', dimensions }, bench.credential());
		expect(await bench.requestsOf(async () => await rig.activate())).toBe(WHOLE_LIST);
		const { saves, batches } = rig;
		const started = batches.length;
		expect(await bench.requestsOf(async () => await bench.minutes(rig, 1))).toBe(WHOLE_LIST);
		expect(rig.saves).toBe(saves);
		expect(rig.batches.length).toBe(started);
		expect(rig.stateSize).toBeLessThan(100 * dimensions.length * FLEET);
		bench.set({ HardwareStatus: 3 }, 17, 9_999);
		await bench.minutes(rig, 2);
		expect(short(rig.items)).toEqual(['statusChanged 17 HardwareStatus 1>3', 'statusChanged 9999 HardwareStatus 1>3']);
		expect(rig.saves).toBe(saves + 1);
		const cpuMs = await cpuOf(async () => await bench.minutes(rig, 2));
		console.info(`${engine}: statusChange, state ${rig.stateSize} bytes, ${Math.round(cpuMs / 2)} ms of CPU a poll`);
	});

	it('an outage of the whole fleet reports each station once offline and once back', async () => {
		const rig = new TriggerRig(engine, { event: 'availability' }, bench.credential());
		await rig.activate();
		bench.set({ NetworkStatus: 2 });
		await bench.minutes(rig, 2);
		const offline = rig.take();
		expect(offline).toHaveLength(FLEET);
		expect(new Set(offline.map(({ stationId }) => stationId)).size).toBe(FLEET);
		bench.set({ NetworkStatus: 1 });
		await bench.minutes(rig, 3);
		const back = rig.take();
		expect(back.every(({ event }) => event === 'backOnline')).toBe(true);
		expect(back).toHaveLength(FLEET);
		expect(new Set(back.map(({ stationId }) => stationId)).size).toBe(FLEET);
		await bench.minutes(rig, 1);
		expect(rig.take()).toEqual([]);
		expect(rig.errors).toEqual([]);
	});

	it(
		'events that do not fit into one poll come with the next ones',
		async () => {
			const rig = new TriggerRig(engine, { event: 'availability', output: 'digest' }, bench.credential());
			await rig.activate();
			rig.budgetMs = 10_000;
			bench.platform.behaviour.latencyMs = 150;
			bench.set({ NetworkStatus: 2 });
			let polls = 0;
			const count = () => rig.batches.flat().reduce((sum, { eventCount }) => sum + Number(eventCount), 0);
			for (; count() < FLEET && polls < 300; polls++) await bench.minutes(rig, 1);
			expect(count()).toBe(FLEET);
			expect(polls).toBeGreaterThan(1);
			bench.set({ NetworkStatus: 1 });
			for (polls = 0; count() < 2 * FLEET && polls < 300; polls++) await bench.minutes(rig, 1);
			await bench.minutes(rig, 1);
			expect(count()).toBe(2 * FLEET);
			expect(rig.items.every(({ event }) => event === 'digest')).toBe(true);
			expect(rig.errors).toEqual([]);
		},
		SLOW_MACHINE_MS,
	);

	it(
		'a first reading that does not fit into one poll continues quietly with the next',
		async () => {
			bench.set({ NetworkStatus: 2 }, 5, 9_000);
			const rig = new TriggerRig(engine, { event: 'statusChange' }, bench.credential());
			await rig.activate();
			await rig.republish({ parameters: { event: 'statusChange', dimensions: ['NetworkStatus', 'Status'] } });
			rig.budgetMs = 250;
			// The state is saved once the reading has reached its end.
			const { batch } = rig.saved();
			for (let polls = 0; polls < 300 && rig.saved().batch === batch; polls++) await bench.minutes(rig, 1);
			expect(rig.items).toEqual([]);
			bench.set({ NetworkStatus: 1 }, 5, 9_000);
			for (let polls = 0; polls < 300 && rig.items.length < 2; polls++) await bench.minutes(rig, 1);
			expect(short(rig.items).sort()).toEqual([
				'statusChanged 5 NetworkStatus 2>1',
				'statusChanged 9000 NetworkStatus 2>1',
			]);
		},
		SLOW_MACHINE_MS,
	);

	it('added and removed stations are found in the whole list, with a small state', async () => {
		const rig = new TriggerRig(
			engine,
			{ event: 'availability', options: { stationChanges: ['added', 'removed'] } },
			bench.credential(),
		);
		await rig.activate();
		expect(await bench.requestsOf(async () => await bench.minutes(rig, 1))).toBe(WHOLE_LIST);
		bench.remove(77);
		bench.add(20_000, 'New one');
		await bench.minutes(rig, 2);
		expect(short(rig.items).sort()).toEqual(['added 20000', 'removed 77']);
		expect(rig.stateSize).toBeLessThan(100 * FLEET);
	});
});
