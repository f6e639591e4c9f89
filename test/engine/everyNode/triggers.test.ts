import mapValues from 'lodash/mapValues.js';
import sum from 'lodash/sum.js';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import {
	CHARGE_POINT_TRIGGER,
	IN_STATUS,
	OUT_OF_ORDER,
	points,
	setPoints,
	STATUS_CHANGE,
} from '../../support/chargePointTrigger/support.ts';
import { list, ROWS_TRIGGER, SESSION_LIST } from '../../support/rowsTrigger/support.ts';
import { FINISHED, SESSION_TRIGGER, SessionBench } from '../../support/sessionTrigger/support.ts';
import { MINUTE, short, statusFilter } from '../../support/stationTrigger/support.ts';
import { ENGINES, testManually, TriggerRig, type TriggerName, withOtherProcess } from '../../support/trigger/rig.ts';
import { inTurns, rigOf, TARGETS, underway, type Target } from '../../support/trigger/targets.ts';

/**
 * What all triggers promise about what they report and save: each of them, in one engine of n8n, which take turns. All
 * save by the same few functions. Polls that fail, restarts, renamed nodes and killed processes are drawn in the random
 * histories of each trigger. While the platform refuses: triggerOutages.test.ts.
 */
const bench = new SessionBench({ stations: 6 });
const minutes = bench.minutes.bind(bench);

/** A request that a slow machine did not answer in time is sent again. */
const SENT_AGAIN = 1;
const STATIONS = 'chargingStationStatusTrigger';
const ON = '$type, $event, engine $engine';
const told = (target: Target, rig: TriggerRig) => target.told(rig.take());

it.each(inTurns(TARGETS, 0))(
	`while nothing happens, a poll sends its few requests, and saves and starts nothing: ${ON}`,
	async (target) => {
		const { requestsOfPoll = 1 } = target;
		const rig = await underway(bench, target);
		const { saves, batches } = rig;
		const started = batches.length;
		const sent: number[] = [];
		for (let poll = 0; poll < 10; poll++) sent.push(await bench.requestsOf(async () => await minutes(rig, 1)));
		expect(sent.filter((requests) => requests === requestsOfPoll).length).toBeGreaterThanOrEqual(8);
		expect(sum(sent)).toBeLessThanOrEqual(11 * requestsOfPoll + SENT_AGAIN);
		expect([rig.saves, batches.length, rig.items]).toEqual([saves, started, []]);
	},
);

describe('nothing is reported twice', () => {
	it.each(inTurns(TARGETS, 1))(`by overlapping polls: ${ON}`, async (target) => {
		const { requestsOfPoll = 1 } = target;
		const rig = await underway(bench, target);
		target.happen(bench, 3);
		bench.platform.behaviour.latencyMs = 50;
		bench.clock.forward(MINUTE);
		const sent = await bench.requestsOf(async () => await Promise.all([rig.tick(), rig.tick(), rig.tick()]));
		expect([requestsOfPoll, requestsOfPoll + SENT_AGAIN]).toContain(sent);
		expect(told(target, rig)).toEqual([`${target.event} 3`]);
	});

	it.each(inTurns(TARGETS, 2))(`by a workflow that n8n 1 polls twice, after an import: ${ON}`, async (target) => {
		const rig = await underway(bench, target);
		const second = target.engine === 'memory' ? await rig.publishBeside() : async () => await rig.tick();
		for (const id of [3, 5]) {
			target.happen(bench, id);
			for (const tick of [async () => await rig.tick(), second]) {
				bench.clock.forward(MINUTE / 2);
				await tick();
			}
		}
		expect(told(target, rig)).toEqual([`${target.event} 3`, `${target.event} 5`]);
	});

	it.each(inTurns(TARGETS, 3))(`by a poll that is given an outdated state: ${ON}`, async (target) => {
		const rig = await underway(bench, target);
		const older = { ...rig.database };
		for (const id of [3, 5]) {
			target.happen(bench, id);
			await minutes(rig, 1);
		}
		await rig.tickFrom(older);
		await minutes(rig, 1);
		expect(told(target, rig)).toEqual([`${target.event} 3`, `${target.event} 5`]);
	});

	it.each(inTurns(TARGETS, 5))(
		`by a poll that hung until n8n gave it up, and another had begun: ${ON}`,
		async (target) => {
			const rig = await underway(bench, target);
			target.happen(bench, 3);
			let another: Promise<void> | undefined;
			const hangs = () => {
				if (another === undefined) {
					bench.clock.forward(10 * MINUTE);
					another = rig.tick();
				}
				return false;
			};
			bench.platform.faults.add({ kind: 'drop', match: hangs, times: Infinity });
			await minutes(rig, 1);
			await another;
			bench.platform.faults.clear();
			await minutes(rig, 1);
			expect(told(target, rig)).toEqual([`${target.event} 3`]);
		},
	);

	const scheduled = inTurns(TARGETS, 3).filter(({ engine }) => engine !== 'memory');
	it.each(scheduled)(`by a process whose polls another has taken over for a while: ${ON}`, async (target) => {
		const rig = await underway(bench, target);
		target.happen(bench, 3);
		await minutes(rig, 1);
		target.happen(bench, 5);
		await withOtherProcess(() => bench.polls(rig, 1, 5_000));
		await bench.polls(rig, 1, 5_000);
		expect(told(target, rig)).toEqual([`${target.event} 3`, `${target.event} 5`]);
	});

	it.each(inTurns(TARGETS, 4))(
		`by a poll before n8n has saved the last one, and nothing is lost if it never saves: ${ON}`,
		async (target) => {
			const rig = await underway(bench, target);
			target.happen(bench, 3);
			await rig.unsaved(() => minutes(rig, 1));
			await rig.tick();
			expect(told(target, rig)).toEqual([`${target.event} 3`]);
			await minutes(rig, 1);
			// The default engine continues from its memory.
			expect(told(target, rig)).toEqual(target.engine === 'memory' ? [] : [`${target.event} 3`]);
			expect(new Set(rig.items.map(({ eventId }) => eventId)).size).toBe(1);
			target.happen(bench, 5);
			await minutes(rig, 2);
			expect(told(target, rig)).toEqual([`${target.event} 5`]);
		},
	);
});

it.each(ENGINES)(
	'Report Initial State comes again if n8n never saves it, and later what follows, engine %s',
	async (engine) => {
		bench.set({ NetworkStatus: 2 }, 3, 4);
		const parameters = { event: 'availability', options: { emitInitialState: true } };
		const rig = new TriggerRig(engine, parameters, bench.credential());
		await rig.unsaved(() => rig.activate());
		const first = rig.take();
		expect(short(first)).toEqual(['offline 3', 'offline 4']);
		await minutes(rig, 1);
		// The default engine continues from its memory.
		const again = rig.take();
		if (engine !== 'memory') expect(again.map(({ eventId }) => eventId)).toEqual(first.map(({ eventId }) => eventId));
		bench.set({ NetworkStatus: 1 }, 3);
		await minutes(rig, 1);
		expect(short(rig.take())).toEqual(['backOnline 3']);
	},
);

it.each(inTurns(TARGETS, 8))(
	`a platform that writes property names in camelCase is watched like any other: ${ON}`,
	async (target) => {
		bench.platform.behaviour.camelCase = true;
		const rig = await underway(bench, target);
		target.happen(bench, 3);
		await minutes(rig, 1);
		expect(told(target, rig)).toEqual([`${target.event} 3`]);
	},
);

/** Of these, what is new is followed whatever the other settings are. */
const ALWAYS_NEW = ['started', 'newRow'];

describe.each(inTurns(TARGETS, 10))(`no flood and no loss: ${ON}`, (target) => {
	const { event } = target;
	const fourth = `${event} 4`;

	it.each<[string, (rig: TriggerRig) => Parameters<TriggerRig['republish']>[0], string[]]>([
		['other settings', () => ({ parameters: target.otherParameters }), ALWAYS_NEW.includes(event) ? [fourth] : []],
		['another key', () => ({ credential: bench.credential() }), [fourth]],
		// There, it is another station.
		[
			'another environment',
			({ credential }) => ({ credential: { ...credential, environment: 'test', testUrl: bench.platform.baseUrl } }),
			[],
		],
	])('%s', async (what, changes, meanwhile) => {
		const rig = await underway(bench, target);
		target.happen(bench, 3);
		await minutes(rig, 1);
		expect(told(target, rig)).toEqual([`${event} 3`]);
		target.happen(bench, 4);
		await rig.republish(changes(rig));
		await minutes(rig, 3);
		target.happen(bench, 5);
		await minutes(rig, 2);
		expect(told(target, rig)).toEqual([...meanwhile, `${event} 5`]);
		expect(rig.items.at(-1)).toMatchObject({ environment: what === 'another environment' ? 'test' : 'production' });
		expect(rig.errors).toEqual([]);
	});
});

it.each<[TriggerName, INodeParameters, () => void]>([
	[
		STATIONS,
		{ event: 'statusChange', dimensions: ['NetworkStatus', 'HardwareStatus'] },
		() => bench.set({ NetworkStatus: 2, HardwareStatus: 3 }, 3),
	],
	[SESSION_TRIGGER, { events: ['started', 'ended'] }, () => bench.start(3, { status: FINISHED })],
	[CHARGE_POINT_TRIGGER, STATUS_CHANGE, () => setPoints(bench, 3, points(3, 9, 9))],
])(
	'%s: what a later node changes in the row of one event is not changed in another event',
	async (type, parameters, happen) => {
		for (const station of [1, 2, 3, 4, 5, 6]) setPoints(bench, station, points(station, 1, 1));
		const rig = await bench.live(parameters, type);
		happen();
		await minutes(rig, 1);
		const [first, second] = rig.items;
		expect(rig.items).toHaveLength(2);
		const rowOf = (item: IDataObject = {}) => (item.session ?? item.station) as IDataObject;
		const before = structuredClone(second);
		rowOf(first).Name = 'Changed';
		expect(rowOf(first).Id).toBe(rowOf(second).Id);
		expect(second).toEqual(before);
	},
);

it.each(inTurns(TARGETS, 9))(`a manual test takes nothing from the workflow that is live: ${ON}`, async (target) => {
	const rig = await underway(bench, target);
	target.happen(bench, 3);
	const shown = await rig.test();
	expect(shown).toContainEqual(expect.objectContaining({ sample: true }));
	await minutes(rig, 2);
	expect(told(target, rig)).toEqual([`${target.event} 3`]);
});

it.each(inTurns(TARGETS, 11))(
	`a digest of a manual test is marked as a sample, and each of its events is, too: ${ON}`,
	async ({ type, parameters }) => {
		for (const id of [1, 2]) bench.start(id);
		const [digest] = (await testManually({ ...parameters, output: 'digest' }, bench.credential(), type)) ?? [];
		expect(digest).toMatchObject({ event: 'digest', sample: true });
		const events = digest?.events as IDataObject[];
		expect(events.length).toBeGreaterThan(0);
		expect(events.every(({ sample }) => sample === true)).toBe(true);
		const lines = (digest?.text as string).split('\n');
		expect(lines).toHaveLength(events.length);
		expect(lines.filter((line) => !line.startsWith('Sample: '))).toEqual([]);
	},
);

describe('a state that cannot be read', () => {
	const DAMAGES: Record<string, (saved: IDataObject) => IDataObject> = {
		'cut off': (saved) =>
			mapValues(saved, (old) => (typeof old === 'string' ? old.slice(0, old.length / 2) : old)) as IDataObject,
		'only a version': ({ version }) => ({ version }),
		'of version 1': (saved) => ({ ...saved, version: 1 }),
	};

	it.each(inTurns(TARGETS, 12, Object.keys(DAMAGES)))(
		`($kind) is replaced by a quiet new baseline with one log line: ${ON}`,
		async ({ kind, ...target }) => {
			const rig = await underway(bench, { ...target, kind });
			target.happen(bench, 3);
			await minutes(rig, 1);
			expect(told(target, rig)).toEqual([`${target.event} 3`]);
			const state = DAMAGES[kind]?.(rig.saved()) ?? {};
			if (target.engine === 'cursors') rig.database.cursor = JSON.stringify(state);
			else rig.database.staticData = JSON.stringify({ [`node:${target.displayName}`]: state });
			await rig.restart();
			await minutes(rig, 2);
			expect([told(target, rig), rig.errors]).toEqual([[], []]);
			expect(rig.logs).toEqual([expect.stringMatching(/saved state .*cannot be read/i)]);
			target.happen(bench, 5);
			await minutes(rig, 2);
			expect(told(target, rig)).toEqual([`${target.event} 5`]);
		},
	);
});

const CAUSE = (cause?: string) => ({
	event: 'filterMatch',
	filters: statusFilter('hardwareStatus', '3'),
	options: { reportWatching: true, cause } as INodeParameters,
});

/** A name without a public meaning, where the specification has numbers. */
const NO_CODE = (label: string, text: string) =>
	new RegExp(`${label} Names or IDs: "${text}" is not a status code\\. Choose one from the list`);

it.each<[TriggerName, INodeParameters, RegExp]>([
	[STATIONS, { event: 'unstable', outages: 1 }, /Outages.*from 2 to 8/],
	[STATIONS, { event: 'unstable', withinHours: 0 }, /Within Hours.*from 1 to 168/],
	[
		STATIONS,
		{ event: 'availability', options: { onlineValues: ['NetworkStatus='] } },
		/Online.*"NetworkStatus=" is no/,
	],
	[STATIONS, { event: 'filterMatch' }, /Filters.*add at least one condition/],
	[STATIONS, CAUSE(), /Cause.*fill in what was watched for/],
	[STATIONS, CAUSE(' ChargePoint'), /Cause.*for outages of charge points\. Choose another word/],
	[STATIONS, CAUSE('a, b'), /Cause.*"a, b"/],
	[CHARGE_POINT_TRIGGER, { ...OUT_OF_ORDER, statusField: '' }, /Status Field.*nothing is chosen/],
	[CHARGE_POINT_TRIGGER, { ...OUT_OF_ORDER, statusField: 'A,B' }, /Status Field.*one field is needed/],
	[CHARGE_POINT_TRIGGER, { ...OUT_OF_ORDER, minutesInState: 10_081 }, /Alert Only After.*from 0 to 10080/],
	[CHARGE_POINT_TRIGGER, { ...OUT_OF_ORDER, outOfOrderValues: [] }, /Out of Order.*Choose the codes/],
	[CHARGE_POINT_TRIGGER, { ...IN_STATUS, minutesInState: 0 }, /Alert Only After.*such as 240/],
	[CHARGE_POINT_TRIGGER, { ...IN_STATUS, heldStatuses: [] }, /Too Long in.*Choose/],
	[CHARGE_POINT_TRIGGER, { ...OUT_OF_ORDER, options: { mostStations: 0 } }, /Most Stations per Poll/],
	[SESSION_TRIGGER, { events: [] }, /Trigger On/],
	[SESSION_TRIGGER, { events: ['ended'], endStatuses: [] }, /End Status/],
	[SESSION_TRIGGER, { events: ['ended'], endStatuses: ['Status=5'] }, /End Status.*"Status=5" is no status/],
	[SESSION_TRIGGER, { events: ['ended'], endStatuses: ['1,005'] }, /End Status.*"1,005" is no status/],
	[SESSION_TRIGGER, { events: ['ended'], endStatuses: '1,005' }, /End Status.*"005" is no status/],
	[SESSION_TRIGGER, { events: ['ended'], endStatuses: ['Finished', 'Expired'] }, NO_CODE('End Status', 'Expired')],
	[SESSION_TRIGGER, { options: { otherEndStatuses: '={{ "Expired" }}' } }, NO_CODE('Other End Status', 'Expired')],
	[SESSION_TRIGGER, { options: { otherEndStatuses: ['none'] } }, NO_CODE('Other End Status', 'none')],
	[STATIONS, { event: 'availability', options: { onlineValues: ['Idle'] } }, NO_CODE('Online Status', 'Idle')],
	[STATIONS, { event: 'unstable', options: { outOfServiceValues: ['Closed'] } }, NO_CODE('Out-of-Service', 'Closed')],
	[STATIONS, { event: 'statusChange', fromValues: ['Idle'] }, NO_CODE('Old Status', 'Idle')],
	[STATIONS, { event: 'statusChange', toValues: ['Online', 'none', 'Status=Closed'] }, NO_CODE('New Status', 'Closed')],
	[CHARGE_POINT_TRIGGER, { ...OUT_OF_ORDER, outOfOrderValues: ['+3'] }, /Out of Order.*"\+3" is no status/],
	[CHARGE_POINT_TRIGGER, { ...IN_STATUS, heldStatuses: '1,003' }, /Too Long in.*"003" is no status/],
	[SESSION_TRIGGER, { events: ['runningLong'], runningHours: 0 }, /Running Longer Than/],
	[SESSION_TRIGGER, { options: { watchDays: 0 } }, /Options > Max Watch Time/],
	[ROWS_TRIGGER, list(''), /no list is chosen/],
	[ROWS_TRIGGER, { ...list(SESSION_LIST), event: 'changedRow', watchedFields: true }, /Watched.*this is true or false/],
	[ROWS_TRIGGER, list('https://evil.example'), /includes a host/],
	[ROWS_TRIGGER, { ...list(SESSION_LIST), event: 'chnagedRow' }, /is none of: newRow, changedRow, goneRow/],
])('%s, %j: refused before anything is sent', async (type, parameters, message) => {
	const rig = new TriggerRig('memory', parameters, bench.credential(), {}, type);
	const refused = async () => await expect(rig.activate()).rejects.toThrow(message);
	expect(await bench.requestsOf(refused)).toBe(0);
});

describe('a first poll that meets', () => {
	const NOTHING = { '204': { kind: 'reply', status: 204 }, 'an empty body': { kind: 'reply' } } as const;
	const kinds = Object.keys(NOTHING) as Array<keyof typeof NOTHING>;
	const meets = (kind: keyof typeof NOTHING) => bench.platform.faults.add({ ...NOTHING[kind], times: Infinity });

	it.each(inTurns(TARGETS, 13, kinds))(`($kind) begins no watch, so that nothing old is new: ${ON}`, async (target) => {
		bench.startAll(1, 60, { status: FINISHED, ago: 3_600_000 });
		bench.set({ NetworkStatus: 2 }, 1, 2);
		const rig = rigOf(target, target.engine, bench.credential());
		meets(target.kind);
		await rig.activate();
		await minutes(rig, 1);
		expect(rig.saved()).toEqual({});
		expect(rig.logs).toEqual([expect.stringContaining('answered with nothing'), expect.stringContaining('answered')]);
		bench.platform.faults.clear();
		await minutes(rig, 2);
		target.happen(bench, target.area === 'charging-sessions' ? 61 : 3);
		await minutes(rig, 1);
		expect(told(target, rig)).toEqual([`${target.event} ${target.area === 'charging-sessions' ? 61 : 3}`]);
		expect(rig.errors).toEqual([]);
	});

	it('(204) three times in a row has met an empty list', async () => {
		meets('204');
		const rig = new TriggerRig('memory', { events: ['started'] }, bench.credential(), {}, SESSION_TRIGGER);
		await rig.activate();
		await minutes(rig, 2);
		bench.platform.faults.clear();
		bench.start(1);
		await minutes(rig, 1);
		expect(short(rig.items)).toEqual(['started 1']);
	});
});

describe('a node under the name of one that was deleted', () => {
	const DAY = 86_400_000;

	it.each<[number, string[]]>([
		[60, []],
		[2, ['started 3']],
	])('%s days ago: it reports %j of what was since', async (days, expected) => {
		const rig = new TriggerRig('scheduler', { events: ['started'] }, bench.credential(), {}, SESSION_TRIGGER);
		await rig.activate();
		await minutes(rig, 1);
		bench.clock.forward(days * DAY);
		bench.start(3, { ago: DAY });
		rig.node = { id: 'node-of-today' };
		await rig.restart();
		await minutes(rig, 2);
		expect(short(rig.take())).toEqual(expected);
		const isSaid = rig.logs.some((line) => line.includes('is of an earlier node of this name'));
		expect(isSaid).toBe(expected.length === 0);
		bench.start(4);
		await minutes(rig, 1);
		expect(short(rig.take())).toEqual(['started 4']);
		expect(rig.errors).toEqual([]);
	});
});

describe('two nodes of a workflow that share an id', () => {
	it.each(ENGINES)('each fires, also after a restart, engine %s', async (engine) => {
		const nodes: Array<[string, TriggerName, INodeParameters]> = [
			['Sessions', SESSION_TRIGGER, { events: ['started'] }],
			['Stations', STATIONS, { event: 'availability' }],
			['Changes', STATIONS, { event: 'statusChange' }],
		];
		const rigs = nodes.map(
			([name, type, parameters]) =>
				new TriggerRig(engine, parameters, bench.credential(), { id: 'pasted', name }, type),
		);
		for (const rig of rigs) rig.workflowId = rigs[0]?.workflowId ?? '';
		const poll = async () => {
			bench.clock.forward(MINUTE);
			for (const rig of rigs) await rig.tick();
			return rigs.flatMap((rig) => short(rig.take()));
		};
		for (const rig of rigs) await rig.activate();
		for (const id of [3, 4]) {
			bench.start(id);
			bench.set({ NetworkStatus: 2 }, id);
			const events = [`started ${id}`, `offline ${id}`, `statusChanged ${id} NetworkStatus 1>2`];
			expect([...(await poll()), ...(await poll())]).toEqual(events);
			for (const rig of rigs) await rig.restart();
		}
		const ids = rigs.flatMap(({ items }) => items.map(({ eventId }) => eventId));
		expect(new Set(ids).size).toBe(ids.length);
	});

	it('the minutes of Alert Only After go on when the node is renamed, also with a poll every half hour', async () => {
		const parameters = { event: 'availability', minutesInState: 85 };
		const rig = new TriggerRig('memory', parameters, bench.credential(), { name: 'First' });
		await rig.activate();
		await bench.polls(rig, 2, 30 * MINUTE);
		bench.set({ NetworkStatus: 2 }, 3);
		await bench.polls(rig, 2, 30 * MINUTE);
		await rig.republish({ node: { name: 'Second' } });
		await bench.polls(rig, 2, 30 * MINUTE);
		expect(short(rig.take())).toEqual(['offline 3']);
	});

	it.each(ENGINES)('a node that is renamed, and renamed back, goes on each time, engine %s', async (engine) => {
		const rig = new TriggerRig(engine, { event: 'availability' }, bench.credential(), { name: 'First' });
		await rig.activate();
		for (const [id, name] of [
			[3, 'Second'],
			[4, 'First'],
			[5, 'Second'],
		] as const) {
			await rig.republish({ node: { name } });
			bench.set({ NetworkStatus: 2 }, id);
			await minutes(rig, 3);
			expect(short(rig.take())).toEqual([`offline ${id}`]);
		}
		await rig.restart();
		await minutes(rig, 2);
		await rig.republish({ node: { name: 'First' } });
		await minutes(rig, 2);
		expect(short(rig.take())).toEqual([]);
	});
});
