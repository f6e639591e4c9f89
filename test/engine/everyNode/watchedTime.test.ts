import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CHARGE_POINT_TRIGGER, ChargePointBench, OUT_OF_ORDER } from '../../support/chargePointTrigger/support.ts';
import { MINUTE, nothing, text } from '../../support/stationTrigger/support.ts';
import { type Engine, TriggerRig, type TriggerName } from '../../support/trigger/rig.ts';

/**
 * What every trigger with incidents promises with Report Watched Time Hourly, with a poll every five minutes: which time
 * was watched, and what could not be read in it.
 */
const bench = new ChargePointBench({ stations: 6 });
const polls = bench.polls.bind(bench);
const clear = () => bench.platform.faults.clear();

interface Watched {
	type: TriggerName;
	engine: Engine;
	parameters: INodeParameters;
	/** Begins an incident at a station, and ends it. */
	begin: (station: number) => unknown;
	end: (station: number) => unknown;
	/** Ends it without an event, which is seen after some polls. */
	vanish: (station: number) => unknown;
	seenAfter: number;
	/** From now on, its status cannot be read. */
	hide: (station: number) => unknown;
	events: [begin: string, end: string];
	/** What is said of where it is. */
	idsOf: (station: number) => IDataObject;
	item: IDataObject;
	sentence: RegExp;
	twoCannotBeRead: string;
}

const STATION_OPTIONS = { reportWatching: true, outOfServiceValues: ['2'] };
const WATCHED: Watched[] = [
	{
		type: 'chargingStationStatusTrigger',
		engine: 'memory',
		parameters: { event: 'availability', options: STATION_OPTIONS },
		begin: (station) => bench.set({ NetworkStatus: 2 }, station),
		end: (station) => bench.set({ NetworkStatus: 1, Status: 1 }, station),
		vanish: (station) => bench.set({ Status: 2 }, station),
		hide: (station) => bench.set({ NetworkStatus: 2, Status: null }, station),
		seenAfter: 1,
		events: ['offline', 'backOnline'],
		idsOf: (stationId) => ({ stationId }),
		item: { polls: 12, stations: 6, cause: 'offline' },
		sentence: /^6 stations were watched from .* to .*\. Offline at the end: 1\.$/,
		twoCannotBeRead: 'The status of 2 stations cannot be read, for an hour now',
	},
	{
		type: CHARGE_POINT_TRIGGER,
		engine: 'cursors',
		parameters: { ...OUT_OF_ORDER, options: { reportWatching: true } },
		begin: (station) => bench.points(station, 3, 1),
		end: (station) => bench.points(station, 1, 1),
		vanish: (station) => bench.entries(station, { Id: station * 10 + 2, Status: 1 }),
		hide: (station) => bench.points(station, null, 1),
		// The look that misses it for the first time proves nothing.
		seenAfter: 2,
		events: ['outOfOrder', 'backInOrder'],
		idsOf: (stationId) => ({ stationId, chargePointId: `${stationId}1` }),
		item: { polls: 12, stations: 6, chargePoints: 12, cause: 'chargePoint' },
		sentence:
			/^12 charge points of 6 stations were watched from .* to .*, each about every 5 minutes\. Out of order at the end: 1\.$/,
		twoCannotBeRead: 'The status of 2 charge points cannot be read, for an hour now',
	},
];

const watchingIn = ({ items }: TriggerRig) => items.filter(({ event }) => event === 'watching');
const time = (value: unknown) => Date.parse(text(value));
const minutesOf = ({ from, to }: IDataObject) => Math.round((time(to) - time(from)) / MINUTE);
const messages = ({ errors }: TriggerRig) => errors.map(({ message }) => message);

const start = async (parameters: INodeParameters, engine?: Engine, type?: TriggerName) =>
	await bench.live(parameters, type, engine);

describe.each(WATCHED)(
	'$type',
	({ type, engine, parameters, begin, end, vanish, seenAfter, hide, events, ...told }) => {
		it('gives one item an hour without gaps, with how many were watched and what was open', async () => {
			const rig = await start(parameters, engine, type);
			await polls(rig, 5);
			begin(3);
			await polls(rig, 34);
			const watching = watchingIn(rig);
			expect(watching.map(minutesOf)).toEqual([60, 60, 60]);
			const begun = rig.items.find(({ event }) => event === events[0]);
			const open = { incidentId: begun?.eventId, ...told.idsOf(3), since: begun?.since };
			for (const [index, item] of watching.entries()) {
				if (index > 0) expect(item.from).toEqual(watching[index - 1]?.to);
				expect(item).toMatchObject({ ...told.item, openIncidents: [open], unreadable: [] });
				expect(item.text).toMatch(told.sentence);
			}
			expect(new Set(rig.items.map(({ eventId }) => eventId)).size).toBe(rig.items.length);
		});

		it('names what was so before watching began, and an incident that ends without an event until then', async () => {
			begin(5);
			const rig = await start(parameters, engine, type);
			await polls(rig, 7);
			const last = bench.clock.now();
			vanish(5);
			await polls(rig, seenAfter);
			const [first] = watchingIn(rig);
			expect(first?.openIncidents).toEqual([expect.objectContaining(told.idsOf(5))]);
			expect(Math.abs(time(first?.to) - last)).toBeLessThan(MINUTE);
			await polls(rig, 14);
			expect(watchingIn(rig)[1]).toMatchObject({ from: first?.to, openIncidents: [] });
			expect(rig.items).toEqual(watchingIn(rig));
		});

		it('leaves out no time where one poll could read nothing, and the next one is a little late', async () => {
			const rig = await start(parameters, engine, type);
			await polls(rig, 9, 10 * MINUTE);
			bench.platform.faults.add({ kind: 'status', status: 503, times: Infinity });
			await polls(rig, 1, 10 * MINUTE);
			clear();
			bench.clock.forward(2_000);
			await polls(rig, 9, 10 * MINUTE);
			const watching = watchingIn(rig);
			expect(watching.slice(1).map(({ from }) => from)).toEqual(watching.slice(0, -1).map(({ to }) => to));
			expect(watching.length).toBeGreaterThan(1);
		});

		it('leaves out times without polls, but none between polls every 15 minutes, a little early or late', async () => {
			const rig = await start(parameters, engine, type);
			for (let poll = 0; poll < 41; poll++) await polls(rig, 1, 15 * MINUTE + (poll % 2 === 0 ? 20_000 : -20_000));
			const watched = watchingIn(rig).reduce((sum, item) => sum + minutesOf(item), 0);
			// The first distance is known only to later polls; the last hour is not reported yet.
			expect(watched).toBeGreaterThan(41 * 15 - 100);
			bench.clock.forward(50 * MINUTE);
			await polls(rig, 8, 15 * MINUTE);
			const [before, after] = watchingIn(rig).slice(-2);
			expect(time(after?.from) - time(before?.to)).toBeGreaterThan(50 * MINUTE);
		});

		it('leaves out polls in which nothing could be read', async () => {
			const rig = await start(parameters, engine, type);
			await polls(rig, 2);
			bench.platform.faults.add({ kind: 'status', status: 500, times: Infinity });
			await polls(rig, 6);
			clear();
			await polls(rig, 1);
			expect(watchingIn(rig).map(minutesOf)).toEqual([10]);
		});

		it('what cannot be read ends nothing, is not watched, and is said once it has been so for an hour of polls', async () => {
			const rig = await start(parameters, engine, type);
			hide(4);
			begin(3);
			await polls(rig, 1);
			hide(3);
			bench.clock.forward(4 * 60 * MINUTE);
			await rig.restart();
			await polls(rig, 11);
			expect(rig.errors).toEqual([]);
			await polls(rig, 3);
			expect(messages(rig)).toEqual([told.twoCannotBeRead]);
			await polls(rig, 13);
			await rig.restart();
			await polls(rig, 14);
			expect(rig.errors).toHaveLength(1);
			const third = Object.values(told.idsOf(3)).at(-1) as string;
			expect(rig.told()).toEqual([`${events[0]} ${third}`]);
			for (const station of [3, 4]) end(station);
			await polls(rig, 1);
			expect(rig.told()).toEqual([`${events[1]} ${third}`]);
			await polls(rig, 25);
			const named = watchingIn(rig).find(({ unreadable }) => (unreadable as IDataObject[]).length === 2);
			expect(named?.unreadable).toEqual(expect.arrayContaining([told.idsOf(3), told.idsOf(4)]));
			expect(named?.text).toMatch(/Not watched all the time, because it could not be read: 2\.$/);
			expect(watchingIn(rig).at(-1)?.unreadable).toEqual([]);
			hide(3);
			hide(4);
			await polls(rig, 14);
			expect(messages(rig)).toEqual([told.twoCannotBeRead, told.twoCannotBeRead]);
		});
	},
);

it('what cannot be read is said once although each poll has events, and none of these is lost', async () => {
	for (let id = 7; id <= 22; id++) bench.add(id, `Station ${id}`);
	const rig = await start({ event: 'statusChange' });
	bench.set({ NetworkStatus: null }, 4);
	for (let id = 7; id <= 22; id++) {
		bench.set({ NetworkStatus: 2 }, id);
		await polls(rig, 1);
	}
	expect(messages(rig)).toEqual(['The status of 1 station cannot be read, for an hour now']);
	expect(rig.told()).toHaveLength(16);
});

describe('of stations', () => {
	const AVAILABILITY = { event: 'availability', options: STATION_OPTIONS };
	const FAULTED = { event: 'filterMatch', filters: { hardwareStatus: [{ operator: 'Eq', value: '3' }] } };
	const because = (cause?: string) => ({ ...FAULTED, options: { reportWatching: true, cause } as INodeParameters });

	it.each(['""', '[2]', '{"Name":"x"}'])(
		'a network status that cannot be read (%s) is offline, and watched',
		async (odd) => {
			const rig = await start(AVAILABILITY);
			bench.set({ NetworkStatus: odd }, 4);
			await polls(rig, 14);
			bench.set({ NetworkStatus: 1 }, 4);
			await polls(rig, 1);
			expect(rig.told()).toEqual(['offline 4', 'backOnline 4']);
			expect(watchingIn(rig)).toMatchObject([{ unreadable: [] }]);
			expect(rig.errors).toEqual([]);
		},
	);

	it('one that cannot be read is said after an hour, also where one poll in between could not look it up', async () => {
		const rig = await start(AVAILABILITY);
		bench.set({ NetworkStatus: 2 }, 3);
		await polls(rig, 1);
		bench.set({ NetworkStatus: 1, Status: null }, 3);
		await polls(rig, 6);
		const match = ({ query = '' }: { query?: string }) => query.includes('"In"');
		bench.platform.faults.add({ kind: 'status', status: 500, match, times: Infinity });
		await polls(rig, 1);
		clear();
		await polls(rig, 7);
		expect(messages(rig)).toEqual(['The status of 1 station cannot be read, for an hour now']);
	});

	it('time goes on while Stations Added or Removed is added', async () => {
		const rig = await start(AVAILABILITY);
		await polls(rig, 6);
		const options = { ...STATION_OPTIONS, stationChanges: ['added'] };
		await rig.republish({ parameters: { ...AVAILABILITY, options } });
		await polls(rig, 7);
		expect(watchingIn(rig).map(minutesOf)).toEqual([60]);
	});

	it('an incident that ends silently in a poll that is cut short is listed up to the poll before', async () => {
		const rig = await start(AVAILABILITY);
		bench.set({ NetworkStatus: 2 }, 3, 4);
		await polls(rig, 3);
		bench.set({ Status: 2 }, 3);
		bench.set({ NetworkStatus: 1 }, 4);
		// Station 4 cannot be looked up.
		const match = ({ query = '' }: { query?: string }) => query.includes('"In"');
		bench.platform.faults.add({ kind: 'status', status: 500, match, times: Infinity });
		await polls(rig, 1);
		clear();
		await bench.plays(rig, [nothing, 1, ['offline 3', 'offline 4', 'backOnline 4']]);
		const [watching = {}] = watchingIn(rig);
		expect(minutesOf(watching)).toBe(15);
		expect((watching.openIncidents as IDataObject[]).map(({ stationId }) => stationId)).toEqual([3, 4]);
	});

	it('for a filter has its cause, as has each incident, and begins again with another one', async () => {
		const rig = await start(because(' faulted '));
		await polls(rig, 5);
		bench.set({ HardwareStatus: 3 }, 3);
		await polls(rig, 8);
		const { eventId: incidentId, since } = rig.items.find(({ event }) => event === 'startedMatching') ?? {};
		const openIncidents = [{ incidentId, stationId: 3, since }];
		expect(watchingIn(rig)).toMatchObject([{ cause: 'faulted', polls: 12, stations: null, openIncidents }]);
		expect(watchingIn(rig)[0]?.text).toMatch(/^The stations were watched from .* to .*\. Faulted at the end: 1\.$/);
		await rig.republish({ parameters: because('broken') });
		await polls(rig, 1);
		bench.set({ HardwareStatus: 1 }, 3);
		await polls(rig, 14);
		const causes = new Set(rig.items.map(({ event, cause }) => `${text(event)} ${text(cause)}`));
		expect([...causes]).toEqual(['startedMatching faulted', 'watching faulted', 'watching broken']);
	});
});
