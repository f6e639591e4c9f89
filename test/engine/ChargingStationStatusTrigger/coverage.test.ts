import type { IDataObject } from 'n8n-workflow';

import { Bench, MINUTE, nothing, statusFilter, text } from '../../support/stationTrigger/support.ts';
import { TriggerRig } from '../../support/trigger/rig.ts';

/** Which time was watched, and what could not be read in it: also everyNode/watchedTime.test.ts. */
const bench = new Bench({ stations: 20 });
const polls = bench.polls.bind(bench);

const watchingIn = (rig: TriggerRig) => rig.items.filter(({ event }) => event === 'watching');
const minutesOf = ({ from, to }: IDataObject) => (Date.parse(text(to)) - Date.parse(text(from))) / MINUTE;
const messages = ({ errors }: TriggerRig) => errors.map(({ message }) => message);

async function start(parameters: IDataObject = {}): Promise<TriggerRig> {
	const options = { reportWatching: true, ...(parameters.options as IDataObject) };
	const rig = new TriggerRig('memory', { event: 'availability', ...parameters, options }, bench.credential());
	await rig.activate();
	return rig;
}

describe('Report Watched Time Hourly for a filter', () => {
	const parameters = { event: 'filterMatch', filters: statusFilter('hardwareStatus', '3') };

	it('reports what was watched for its cause, and events of that cause', async () => {
		const rig = await start({ ...parameters, options: { cause: ' faulted ' } });
		await polls(rig, 5);
		bench.set({ HardwareStatus: 3 }, 3);
		await polls(rig, 14);
		bench.set({ HardwareStatus: 1 }, 3);
		await polls(rig, 14);
		const [first, second, ...more] = watchingIn(rig);
		expect(more).toEqual([]);
		const started = rig.items.find(({ event }) => event === 'startedMatching');
		const { eventId: incidentId, since } = started ?? {};
		expect(started).toMatchObject({ cause: 'faulted', incidentId, stationId: 3 });
		const openIncidents = [{ incidentId, stationId: 3, since }];
		expect(first).toMatchObject({ cause: 'faulted', polls: 12, stations: null, openIncidents });
		expect(first?.text).toMatch(/^The stations were watched from .* to .*\. Faulted at the end: 1\.$/);
		expect(second).toMatchObject({ cause: 'faulted', from: first?.to, openIncidents: [] });
		const stopped = rig.items.find(({ event }) => event === 'stoppedMatching');
		expect(stopped).toMatchObject({ cause: 'faulted', incidentId, since, station: { Id: 3, HardwareStatus: 1 } });
	});

	it('begins again with another cause, so that begin and end of an incident have the same', async () => {
		const rig = await start({ ...parameters, options: { cause: 'faulted' } });
		bench.set({ HardwareStatus: 3 }, 3);
		await polls(rig, 1);
		await rig.republish({ parameters: { ...rig.parameters, options: { cause: 'broken', reportWatching: true } } });
		await polls(rig, 1);
		bench.set({ HardwareStatus: 1 }, 3);
		await polls(rig, 14);
		const told = new Set(rig.items.map(({ event, cause }) => `${text(event)} ${text(cause)}`));
		expect([...told]).toEqual(['startedMatching faulted', 'watching broken']);
	});

	it.each([
		[undefined, /Cause.*fill in what was watched for/],
		[' ChargePoint', /Cause.*for outages of charge points\. Choose another word/],
		['a, b', /Cause.*"a, b"/],
	])('is refused with the cause %j', async (cause, message) => {
		await expect(start({ ...parameters, options: { cause } })).rejects.toThrow(message);
	});

	it('is not needed: an event without a cause has none', async () => {
		const rig = await start({ ...parameters, options: { reportWatching: false } });
		bench.set({ HardwareStatus: 3 }, 3);
		await polls(rig, 15);
		expect(rig.items).toMatchObject([{ event: 'startedMatching', cause: null }]);
	});
});

describe('a status that cannot be read', () => {
	const ODD = ['null', '""', '[2]', '{"Name":"x"}'];

	it.each(ODD)('of the network (%s) is not online: it opens an incident, closes none, and is down', async (odd) => {
		const rig = await start();
		bench.set({ NetworkStatus: 2 }, 3);
		await polls(rig, 1);
		bench.set({ NetworkStatus: odd }, 3, 4);
		await polls(rig, 14);
		expect(rig.told()).toEqual(['offline 3', 'offline 4']);
		bench.set({ NetworkStatus: 1 }, 3, 4);
		await polls(rig, 1);
		expect(rig.told()).toEqual(['backOnline 3', 'backOnline 4']);
		expect(watchingIn(rig)).toMatchObject([{ unreadable: [] }]);
		expect(rig.errors).toEqual([]);
	});

	it.each(ODD)('of the administration (%s) decides nothing, is not watched, and said after an hour', async (odd) => {
		const rig = await start({ options: { outOfServiceValues: ['2'] } });
		bench.set({ NetworkStatus: 2 }, 3);
		bench.set({ NetworkStatus: 2, Status: 2 }, 4);
		await polls(rig, 1);
		bench.set({ Status: odd }, 3, 4);
		await polls(rig, 13);
		expect(rig.told()).toEqual(['offline 3']);
		expect(watchingIn(rig)).toMatchObject([{ unreadable: [{ stationId: 3 }, { stationId: 4 }] }]);
		expect(messages(rig)).toEqual(['The status of 2 stations cannot be read, for an hour now']);
		bench.set({ Status: 1 }, 3);
		bench.set({ Status: 2 }, 4);
		await polls(rig, 1);
		bench.set({ NetworkStatus: 1 }, 3);
		await polls(rig, 25);
		expect(rig.told()).toEqual(['backOnline 3']);
		expect(watchingIn(rig).map(({ unreadable }) => (unreadable as unknown[]).length)).toEqual([2, 2, 0]);
	});

	it('is said once although each poll has events, and none of these is lost', async () => {
		const rig = await start({ event: 'statusChange' });
		bench.set({ NetworkStatus: null }, 4);
		const changes = 16;
		for (let poll = 1; poll <= changes; poll++) {
			bench.set({ NetworkStatus: 2 }, 4 + poll);
			await polls(rig, 1);
		}
		expect(messages(rig)).toEqual(['The status of 1 station cannot be read, for an hour now']);
		expect(rig.told()).toHaveLength(changes);
	});

	it('has not been so since before a restart', async () => {
		const rig = await start({ event: 'statusChange' });
		bench.set({ NetworkStatus: null }, 4);
		const changed = () => bench.set({ NetworkStatus: 2 }, 3);
		await bench.plays(rig, [changed, 1, ['statusChanged 3 NetworkStatus 1>2']]);
		await bench.plays(rig, [() => bench.set({ NetworkStatus: 1 }, 4), 1, []]);
		bench.set({ NetworkStatus: null }, 4);
		bench.clock.forward(4 * 60 * MINUTE);
		await bench.plays(rig, [() => rig.restart(), 50, []]);
		await bench.minutes(rig, 15);
		expect(rig.errors).toHaveLength(1);
	});
});

it('watching goes on while Stations Added or Removed is added', async () => {
	const rig = await start();
	await polls(rig, 6);
	const options = { reportWatching: true, stationChanges: ['added'] };
	await rig.republish({ parameters: { event: 'availability', options } });
	await polls(rig, 7);
	expect(watchingIn(rig).map(minutesOf)).toEqual([expect.closeTo(60, 0)]);
});

it('does not count failed polls as watched time', async () => {
	const rig = await start();
	await polls(rig, 2);
	bench.platform.faults.add({ kind: 'status', status: 500, times: Infinity });
	await polls(rig, 6);
	bench.platform.faults.clear();
	await polls(rig, 1);
	expect(watchingIn(rig).map(minutesOf)).toEqual([expect.closeTo(10, 0)]);
});

it('an incident that ends silently in a poll that is cut short is listed up to the poll before', async () => {
	const rig = await start({ options: { outOfServiceValues: ['2'] } });
	bench.set({ NetworkStatus: 2 }, 3, 4);
	await polls(rig, 3);
	bench.set({ Status: 2 }, 3);
	bench.set({ NetworkStatus: 1 }, 4);
	// Station 4 cannot be looked up.
	const match = ({ query = '' }: { query?: string }) => query.includes('"In"');
	bench.platform.faults.add({ kind: 'status', status: 500, match, times: Infinity });
	await polls(rig, 1);
	bench.platform.faults.clear();
	await bench.plays(rig, [nothing, 1, ['offline 3', 'offline 4', 'backOnline 4']]);
	const [watching = {}] = watchingIn(rig);
	expect(minutesOf(watching)).toBeCloseTo(15, 0);
	expect((watching.openIncidents as IDataObject[]).map(({ stationId }) => stationId)).toEqual([3, 4]);
});
