import { readFileSync } from 'node:fs';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import {
	CHARGE_POINT_TRIGGER,
	IN_STATUS,
	OUT_OF_ORDER,
	points,
	setPoints,
	STATUS_CHANGE,
} from '../../support/chargePointTrigger/support.ts';
import { FAILED, FINISHED, HOUR, SESSION_TRIGGER, SessionBench } from '../../support/sessionTrigger/support.ts';
import { nothing, statusFilter } from '../../support/stationTrigger/support.ts';
import { testManually, type TriggerName } from '../../support/trigger/rig.ts';

/** What each event promises. */
const bench = new SessionBench({ stations: 6 });

interface Event {
	name: string;
	parameters: INodeParameters;
	/** What makes it happen to a station, charge point or session that was as at the start of the test, with a poll after each. */
	happen: Array<(id: number) => unknown>;
	/** Whether Report Initial State reports it for what was already so before the first poll. */
	isReportedAtFirst?: true;
}

const STATION_TRIGGER = 'chargingStationStatusTrigger';
/** Sessions 1 to 3 have been running for an hour. A new one is none of them. */
const SESSIONS = [1, 2, 3];
const STATIONS = [1, 2, 3, 4, 5, 6];

const offline = (id: number) => bench.set({ NetworkStatus: 2 }, id);
const online = (id: number) => bench.set({ NetworkStatus: 1 }, id);
const availability = { event: 'availability' };
const matching = { event: 'filterMatch', filters: statusFilter('networkStatus', '2') };
const stationChanges = (change: string) => ({ ...availability, options: { stationChanges: [change] } });
const STATION_EVENTS: Event[] = [
	{ name: 'offline', parameters: availability, happen: [offline], isReportedAtFirst: true },
	{ name: 'backOnline', parameters: { ...availability, availabilityChanges: ['back'] }, happen: [offline, online] },
	{ name: 'unstable', parameters: { event: 'unstable', outages: 2 }, happen: [offline, online, offline] },
	{ name: 'startedMatching', parameters: matching, happen: [offline], isReportedAtFirst: true },
	{ name: 'stoppedMatching', parameters: { ...matching, matchChanges: ['stops'] }, happen: [offline, online] },
	{ name: 'statusChanged', parameters: { event: 'statusChange' }, happen: [offline], isReportedAtFirst: true },
	{ name: 'added', parameters: stationChanges('added'), happen: [(id) => bench.add(10 + id, 'New')] },
	{ name: 'removed', parameters: stationChanges('removed'), happen: [(id) => bench.remove(id), nothing] },
];

const breaks = (station: number) => setPoints(bench, station, points(station, 3));
const works = (station: number) => setPoints(bench, station, points(station, 1));
const chosen = { ...STATUS_CHANGE, toValues: ['3', '4'] };
const CHARGE_POINT_EVENTS: Event[] = [
	{ name: 'outOfOrder', parameters: OUT_OF_ORDER, happen: [breaks], isReportedAtFirst: true },
	{ name: 'backInOrder', parameters: OUT_OF_ORDER, happen: [breaks, works] },
	{ name: 'inStatus', parameters: IN_STATUS, happen: [breaks, nothing], isReportedAtFirst: true },
	{ name: 'leftStatus', parameters: IN_STATUS, happen: [breaks, nothing, works] },
	{ name: 'statusChanged', parameters: chosen, happen: [breaks], isReportedAtFirst: true },
];

const others = (id: number) => SESSIONS.filter((other) => other !== id);
let energy = 0;
const standsStill = (id: number) => bench.energy(++energy, ...others(id));
const stalls = { events: ['stalled'], stalledMinutes: 3 };
const long = { events: ['runningLong'], runningHours: 2 };
const SESSION_EVENTS: Event[] = [
	{ name: 'started', parameters: { events: ['started'] }, happen: [(id) => bench.start(id)], isReportedAtFirst: true },
	{ name: 'failed', parameters: { events: ['failed'] }, happen: [(id) => bench.become(FAILED, id)] },
	{ name: 'ended', parameters: { events: ['ended'] }, happen: [(id) => bench.become(FINISHED, id)] },
	{
		name: 'runningLong',
		parameters: long,
		isReportedAtFirst: true,
		happen: [(id) => bench.startedAgo(3 * HOUR, id)],
	},
	{ name: 'stalled', parameters: stalls, happen: [standsStill] },
	{
		name: 'resumed',
		parameters: { ...stalls, events: ['resumed'] },
		happen: [standsStill, (id) => bench.energy(100, id)],
	},
];

/** The events of a trigger, each with settings without it. */
const eventsOf = (type: TriggerName, events: Event[], without: (name: string) => INodeParameters) =>
	events.map((event) => ({ ...event, type, without: without(event.name) }));
const EVENTS = [
	...eventsOf(STATION_TRIGGER, STATION_EVENTS, () => ({ event: 'statusChange', dimensions: ['HardwareStatus'] })),
	...eventsOf(CHARGE_POINT_TRIGGER, CHARGE_POINT_EVENTS, () => ({ ...STATUS_CHANGE, statusField: 'Id' })),
	...eventsOf(SESSION_TRIGGER, SESSION_EVENTS, (name) => ({ events: [name === 'started' ? 'ended' : 'started'] })),
];

const PAGES: Record<string, string> = {
	[STATION_TRIGGER]: 'station-status-trigger',
	[CHARGE_POINT_TRIGGER]: 'charge-point-trigger',
	[SESSION_TRIGGER]: 'session-trigger',
};

describe.each(EVENTS)('$type, $name', ({ type, name, parameters, without, happen, isReportedAtFirst }) => {
	const told = (items: readonly IDataObject[]) => items.filter(({ event }) => event === name).length;
	const reporting = (emitInitialState: boolean): INodeParameters => ({
		...parameters,
		options: { ...(parameters.options as INodeParameters), emitInitialState },
	});
	const start = async (settings: INodeParameters) => await bench.live(settings, type);
	const id = name === 'started' ? 4 : 3;

	beforeEach(() => {
		for (const session of SESSIONS) bench.start(session, { ago: HOUR });
		for (const station of STATIONS) works(station);
	});

	it("is named on the trigger's page", () =>
		expect(readFileSync(`docs/${PAGES[type]}.md`, 'utf8')).toContain(`\`${name}\``));

	it.each([true, false])('what was so before the first poll is reported only if asked for: %s', async (reports) => {
		for (const happens of happen) happens(id);
		const rig = await start(reporting(reports));
		await bench.minutes(rig, 2);
		expect(told(rig.items) > 0).toBe(reports && isReportedAtFirst === true);
	});

	it('newly chosen, it is reported of what happens then alone, in a text in which a name alerts nobody', async () => {
		const hostile = `<!channel>\r\n<https://evil.example|Log in>\u2028${'x'.repeat(200)}`;
		bench.set({ Name: hostile });
		const [first, ...then] = happen;
		const rig = await start(without);
		first?.(id);
		if (name === 'removed') await bench.minutes(rig, 1);
		await rig.republish({ parameters: reporting(true) });
		await bench.minutes(rig, 2);
		expect(told(rig.items)).toBe(0);
		for (const happens of [first, ...then]) {
			happens?.(name === 'started' ? 5 : 2);
			bench.set({ Name: hostile });
			await bench.minutes(rig, 1);
		}
		const items = rig.items.filter(({ event }) => event === name);
		expect(items).toHaveLength(1);
		expect(items[0]?.text).toMatch(/^[^<>\p{Cc}\u2028]{1,299}$/u);
		if (type !== SESSION_TRIGGER) expect(items[0]?.stationName).toBe(hostile);
	});

	it('has a sample, with a new eventId each time', async () => {
		happen[0]?.(id);
		const test = async () => (await testManually(parameters, bench.credential(), type)) ?? [];
		const items = [...(await test()), ...(await test())];
		// A test shows nothing of stations that come and go.
		expect(told(items) > 0).toBe(!['added', 'removed'].includes(name));
		expect(items.every(({ sample }) => sample === true)).toBe(true);
		expect(new Set(items.map(({ eventId }) => eventId)).size).toBe(items.length);
	});
});
