/**
 * docs/compatibility.md, "What stays": workflows and states of triggers as an earlier version saved them run on this one.
 * `FIXTURES=write npx jest test/engine/everyNode/saved` adds what is not saved yet, as this version does, and leaves the rest.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { OUT_OF_ORDER, points, setPoints } from '../../support/chargePointTrigger/support.ts';
import { FIXED_ADDRESS, leadTo } from '../../support/fixedAddress.ts';
import { credentialFor, runNode } from '../../support/harness.ts';
import { ALL_SCOPES, operations } from '../../support/nodes.ts';
import { list, SESSION_LIST } from '../../support/rowsTrigger/support.ts';
import { FAILED, FINISHED, HOUR, SessionBench } from '../../support/sessionTrigger/support.ts';
import { MINUTE, statusFilter } from '../../support/stationTrigger/support.ts';
import { forgetProcess, TriggerRig, type TriggerName } from '../../support/trigger/rig.ts';

const IS_WRITTEN = process.env.FIXTURES === 'write';

/** A file of what was saved, each under its name. */
class Fixtures<Saved> {
	readonly saved: Record<string, Saved>;
	private readonly file: string;

	constructor(name: string) {
		this.file = `test/fixtures/${name}.json`;
		this.saved = JSON.parse(readFileSync(this.file, 'utf8')) as Record<string, Saved>;
		afterAll(() => {
			if (IS_WRITTEN) writeFileSync(this.file, `${JSON.stringify(this.saved, null, '\t')}\n`);
		});
	}

	get(name: string): Saved {
		const saved = this.saved[name];
		if (saved === undefined) throw new Error(`Nothing is saved as ${name}: FIXTURES=write saves it`);
		return saved;
	}
}

const bench = new SessionBench({ sessions: 60, stations: 6, locations: 3, tariffs: 3 });

// --- triggers

/** What a poll of a workflow with a trigger tells, and what is saved of it. */
interface SavedTrigger {
	parameters: INodeParameters;
	/** The workflow's static data, as n8n keeps it in its database, and when it was saved. */
	staticData: string;
	at: number;
	/** What comes after it: which events, with which ids. Fields may be added. */
	events: IDataObject[];
}

interface Story {
	type: TriggerName;
	parameters: INodeParameters;
	before: () => void;
	/** The first while n8n is off; a poll comes between one and the next. */
	after: Array<() => void>;
}

const offline = (...ids: number[]) => bench.set({ NetworkStatus: 2 }, ...ids);
const online = (...ids: number[]) => bench.set({ NetworkStatus: 1 }, ...ids);
const price = (value: number, id: number) => bench.platform.correctPrice(id, value);

const STATIONS = 'chargingStationStatusTrigger';
const SESSIONS = 'chargingSessionTrigger';
const ROWS = 'chargingNetworkRowsTrigger';

/** Something is begun before the state is saved; after it, that ends and another begins. */
const STORIES: Record<string, Story> = {
	'stations, availability': {
		type: STATIONS,
		parameters: { event: 'availability', options: { stationChanges: ['added', 'removed'], fetchDetail: false } },
		before: () => offline(2),
		after: [() => online(2), () => offline(3), () => bench.add(7, 'New one')],
	},
	'stations, keeps going offline': {
		type: STATIONS,
		parameters: { event: 'unstable', outages: 2 },
		before: () => offline(2),
		after: [() => online(2), () => offline(2)],
	},
	'stations, status changes': {
		type: STATIONS,
		parameters: { event: 'statusChange', dimensions: ['NetworkStatus', 'HardwareStatus'] },
		before: () => bench.set({ HardwareStatus: 3 }, 2),
		after: [() => bench.set({ HardwareStatus: 1 }, 2)],
	},
	'stations, filter': {
		type: STATIONS,
		parameters: { event: 'filterMatch', filters: statusFilter('networkStatus', '2') },
		before: () => offline(2),
		after: [() => online(2), () => offline(3)],
	},
	'charge points': {
		type: 'chargePointTrigger',
		parameters: OUT_OF_ORDER,
		before: () => setPoints(bench, 2, points(2, 3, 1)),
		after: [() => setPoints(bench, 2, points(2, 1, 1)), () => setPoints(bench, 2, points(2, 1, 4))],
	},
	sessions: {
		type: SESSIONS,
		parameters: { events: ['started', 'ended', 'failed', 'stalled'], stalledMinutes: 600 },
		before: () => bench.start(61),
		after: [() => bench.become(FINISHED, 61), () => bench.start(62), () => bench.start(63, { status: FAILED })],
	},
	'sessions, running long': {
		type: SESSIONS,
		parameters: { events: ['runningLong'], runningHours: 24 },
		before: () => bench.start(61, { ago: 25 * HOUR }),
		after: [() => bench.start(62, { ago: 26 * HOUR })],
	},
	'new rows': {
		type: ROWS,
		parameters: { event: 'newRow', ...list(SESSION_LIST) },
		before: () => bench.start(61),
		after: [() => bench.start(62), () => bench.start(63)],
	},
	'changed rows': {
		type: ROWS,
		parameters: { event: 'changedRow', ...list(SESSION_LIST), watchedFields: ['Price'] },
		before: () => price(7, 3),
		after: [() => price(8, 3)],
	},
	'gone rows': {
		type: ROWS,
		parameters: { event: 'goneRow', ...list(SESSION_LIST) },
		before: () => bench.delete(3),
		after: [() => bench.delete(4)],
	},
};

describe('the state of a trigger', () => {
	const fixtures = new Fixtures<SavedTrigger>('triggers');
	let endLead: () => void;
	beforeAll(() => {
		endLead = leadTo(bench.platform.baseUrl);
	});
	afterAll(() => endLead());

	const rigOf = ({ type, parameters }: Pick<Story, 'type' | 'parameters'>, name: string) => {
		const rig = new TriggerRig('memory', parameters, { ...bench.credential(), productionUrl: FIXED_ADDRESS }, {}, type);
		rig.workflowId = `saved-${name.replaceAll(/\W+/g, '-')}`;
		return rig;
	};

	/** What does not hang on when exactly a poll came: which event, of what, with which ids, and which fields there are. */
	const lasting = (items: readonly IDataObject[]) =>
		items.map(({ event, eventId, incidentId, sessionId, stationId, chargePointId, rowId, ...others }) => ({
			event,
			eventId,
			incidentId,
			sessionId,
			stationId,
			chargePointId,
			rowId,
			fields: Object.keys(others).sort(),
		}));

	async function save(story: Story, name: string): Promise<SavedTrigger> {
		const rig = rigOf(story, name);
		await rig.activate();
		await bench.minutes(rig, 2);
		story.before();
		await bench.minutes(rig, 4);
		expect(rig.errors).toEqual([]);
		return {
			parameters: story.parameters,
			staticData: rig.database.staticData,
			at: bench.clock.now(),
			events: JSON.parse(JSON.stringify(lasting(await resume(rig, story)))) as IDataObject[],
		};
	}

	/** What is told once n8n has started again, from what is in its database. */
	async function resume(rig: TriggerRig, { after: [whileOff, ...later] }: Story): Promise<IDataObject[]> {
		rig.take();
		await forgetProcess();
		whileOff?.();
		bench.clock.forward(MINUTE);
		await rig.activate('init');
		await bench.minutes(rig, 1);
		for (const happens of later) {
			happens();
			await bench.minutes(rig, 1);
		}
		await bench.minutes(rig, 3);
		expect(rig.errors).toEqual([]);
		return rig.take();
	}

	it.each(Object.entries(STORIES))('%s: goes on where it was, with the same ids', async (name, story) => {
		for (const id of [1, 2, 3, 4, 5, 6]) setPoints(bench, id, points(id, 1, 1));
		bench.become(FINISHED, ...Array.from({ length: 60 }, (_, index) => index + 1));
		const isNew = IS_WRITTEN && !(name in fixtures.saved);
		if (isNew) fixtures.saved[name] = await save(story, name);
		const { parameters, staticData, at, events } = fixtures.get(name);
		expect(events.length).toBeGreaterThan(0);
		if (isNew) return;
		bench.clock.set(at - bench.clock.now());
		story.before();
		const rig = rigOf({ type: story.type, parameters }, name);
		rig.database.staticData = staticData;
		const told = JSON.parse(JSON.stringify(lasting(await resume(rig, story)))) as IDataObject[];
		// Fields may be added.
		const expected = events.map((event) => ({
			...event,
			fields: expect.arrayContaining(event.fields as string[]) as unknown,
		}));
		expect(told).toEqual(expected);
	});
});

// --- workflows

/** Parameters of an action node as n8n's editor stores them, without what is as it comes, and the fields of its first item. */
interface SavedNode {
	type: string;
	parameters: INodeParameters;
	items?: IDataObject[];
	fields: string[];
}

const FILTERS = {
	status: [{ operator: 'In', values: ['4', '6'] }],
	startedAtUtc: [{ operator: 'Lt', value: '2099-01-01T00:00:00' }],
	other: [{ field: 'StationName|text', textOperator: 'Contains', value: 'a' }],
	groups: [{ logic: 'Or', filters: { energyConsumed: [{ operator: 'Gte', value: 0 }] } }],
	json: [{ json: '{ "Field": "Id", "Operator": "Lte", "Value": "60" }' }],
};
const SORT = { by: [{ field: 'StartedAtUtc', direction: 'Desc' }] };
const NODES: Record<string, Omit<SavedNode, 'fields'>> = {
	sessions: { type: 'chargingSessions', parameters: {} },
	'sessions with filter and sort': {
		type: 'chargingSessions',
		parameters: {
			returnAll: true,
			filters: FILTERS,
			sort: SORT,
			output: 'simplified',
			options: { addLocalTimes: true },
		},
	},
	'session by text': { type: 'chargingSessions', parameters: { operation: 'get', sessionId: '42' } },
	'session by expression': {
		type: 'chargingSessions',
		parameters: { operation: 'get', sessionId: '={{ $json.id }}' },
		items: [{ id: 42 }],
	},
	count: { type: 'chargingSessions', parameters: { operation: 'count', options: { includeInputFields: true } } },
	figures: { type: 'chargingSessions', parameters: { operation: 'summary', groupBy: ['status', 'day'] } },
	stations: { type: 'chargingStations', parameters: { output: 'selected', outputFields: ['Name'] } },
	station: {
		type: 'chargingStations',
		parameters: { operation: 'get', stationId: { __rl: true, mode: 'id', value: '2' } },
	},
	'charge points': { type: 'chargingStations', parameters: { operation: 'getChargePoints' } },
	'stations counted': { type: 'chargingStations', parameters: { operation: 'count' } },
	availability: {
		type: 'chargingStations',
		parameters: { operation: 'availability', period: 'yesterday' },
		items: [
			{
				kind: 'watching',
				since: '2026-11-26T00:00:00Z',
				until: '2026-11-28T12:00:00Z',
				openIncidents: [],
				stations: 6,
				polls: 288,
			},
		],
	},
	locations: { type: 'chargingLocations', parameters: {} },
	'locations counted': { type: 'chargingLocations', parameters: { operation: 'count' } },
	'any list': { type: 'chargingNetworkList', parameters: { ...list('/api/tariffs/v1') } },
	'any list counted': { type: 'chargingNetworkList', parameters: { operation: 'count', ...list('/api/tariffs/v1') } },
	'any list in figures': {
		type: 'chargingNetworkList',
		parameters: { operation: 'summary', ...list('/api/tariffs/v1') },
	},
	'platform checked': { type: 'chargingNetworkList', parameters: { operation: 'checkPlatform' } },
	'export by filter': { type: 'chargingSessionsCsvExport', parameters: {} },
	'export by IDs': { type: 'chargingSessionsCsvExport', parameters: { operation: 'exportByIds', sessionIds: '3, 1' } },
};

describe('a workflow', () => {
	const fixtures = new Fixtures<SavedNode>('workflows');

	/** When they were saved: one of them is about the day before. */
	const SAVED_AT = Date.parse('2026-11-28T12:00:00Z');

	async function firstItem({ type, parameters, items }: Omit<SavedNode, 'fields'>): Promise<string[]> {
		bench.clock.set(SAVED_AT - bench.clock.now());
		bench.platform.behaviour.locationsScope = 'locations:read';
		const apiKey = bench.platform.createKey({ scopes: ALL_SCOPES }).secret;
		const credential = { ...credentialFor(bench.platform), apiKey };
		const { json, error } = await runNode({ type, parameters, credential, ...(items && { items }) });
		expect(error).toBeUndefined();
		return Object.keys(json[0] ?? {}).sort();
	}

	it.each(Object.entries(NODES))('%s: runs, and its items have the fields that they had', async (name, node) => {
		if (IS_WRITTEN) fixtures.saved[name] ??= { ...node, fields: await firstItem(node) };
		const saved = fixtures.get(name);
		expect(saved.fields.length).toBeGreaterThan(0);
		expect(await firstItem(saved)).toEqual(expect.arrayContaining(saved.fields));
	});

	it('of every operation is among them', async () => {
		const usual: Record<string, string> = { chargingSessionsCsvExport: 'exportByFilter' };
		const saved = Object.values(fixtures.saved).map(({ type, parameters: { operation } }) => {
			return `${type} ${(operation as string | undefined) ?? usual[type] ?? 'getAll'}`;
		});
		const all = (await operations()).map(({ type, operation }) => `${type} ${operation}`);
		expect([...new Set(saved)].sort()).toEqual(all.sort());
	});
});
