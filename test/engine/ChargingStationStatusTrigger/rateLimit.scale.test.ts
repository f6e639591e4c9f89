import type { IDataObject } from 'n8n-workflow';

import { Bench, short, statusFilter } from '../../support/stationTrigger/support.ts';
import { TriggerRig } from '../../support/trigger/rig.ts';

const FLEET = 20_000;
const MOST_POLLS = 40;

const bench = new Bench({ stations: FLEET });

/** Polls once a minute until all stations are told. @returns how many polls that took */
async function pollsUntilAll(rig: TriggerRig, event: string): Promise<number> {
	const told: IDataObject[] = [];
	let polls = 0;
	for (; told.length < FLEET && polls < MOST_POLLS; polls++) {
		await bench.minutes(rig, 1);
		told.push(...rig.take());
	}
	expect(new Set(told.map(({ stationId }) => stationId)).size).toBe(FLEET);
	expect(told.every((item) => item.event === event)).toBe(true);
	return polls;
}

it('20,000 stations all offline, 60 requests a minute, 36 seconds a poll: each is reported once, and so is its end', async () => {
	const rig = new TriggerRig(
		'scheduler',
		{ event: 'availability', options: { fetchDetail: false } },
		bench.credential(),
	);
	await rig.activate();
	bench.platform.behaviour.rateLimit = { limit: 60, windowMs: 60_000, retryAfter: 'seconds' };
	bench.set({ NetworkStatus: 2 });
	const begins = await pollsUntilAll(rig, 'offline');
	expect(begins).toBeGreaterThan(1);
	bench.set({ NetworkStatus: 1 });
	const ends = await pollsUntilAll(rig, 'backOnline');
	await bench.minutes(rig, 3);
	expect(rig.take()).toEqual([]);
	expect(rig.errors).toEqual([]);
	console.info(`all offline after ${begins} polls, all back after ${ends}; state ${rig.stateSize} bytes`);
}, 300_000);

it('as many statuses as can be remembered, read in two polls: those that left the filter make room for new ones', async () => {
	const watched = FLEET / 2;
	bench.platform.db.exec(`UPDATE stations SET Status = 2 WHERE Id > ${watched}`);
	const rig = new TriggerRig(
		'scheduler',
		{ event: 'statusChange', dimensions: ['NetworkStatus', 'HardwareStatus'], filters: statusFilter('status', '1') },
		bench.credential(),
	);
	await rig.activate();
	bench.platform.behaviour.rateLimit = { limit: 60, windowMs: 60_000, retryAfter: 'seconds' };
	bench.platform.db.exec(
		`UPDATE stations SET Status = 3 - Status WHERE Id <= 100 OR Id BETWEEN ${watched + 1} AND ${watched + 100}`,
	);
	await bench.minutes(rig, 8);
	expect(rig.errors).toEqual([]);
	bench.set({ NetworkStatus: 2 }, watched + 100);
	await bench.minutes(rig, 4);
	expect(short(rig.take())).toEqual([`statusChanged ${watched + 100} NetworkStatus 1>2`]);
	expect(rig.errors).toEqual([]);
}, 300_000);
