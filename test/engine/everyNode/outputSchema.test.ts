import { dirname, join } from 'node:path';
import Ajv from 'ajv';
import fastGlob from 'fast-glob';
import chunk from 'lodash/chunk';
import difference from 'lodash/difference';
import range from 'lodash/range';
import { loadOutputSchema } from 'n8n-core';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { credentialFor, loadPackage, runNode } from '../../support/harness.ts';
import { ALL_SCOPES, entriesOf } from '../../support/nodes.ts';
import { testManually, type TriggerName } from '../../support/trigger/rig.ts';

/** How to get the items of an operation, to compare them with its schema. */
interface Run {
	/** Each is run on its own; together they show every property that the schema promises. */
	parameters: INodeParameters[];
	/** Input items; one empty item when left out. */
	items?: IDataObject[];
	/**
	 * Set if the node makes the items itself, so that the schema must name all their properties. Those in `rowsIn` hold
	 * a row of the platform, which may have more. Left out if the items are such rows.
	 */
	ownItems?: { rowsIn: string[] };
}

const OWN = { rowsIn: [] };
/** These are named after the field. */
const SUMMARY = { rowsIn: ['byField[]', 'byField2[]'] };
const DIGEST = { output: 'digest', digestField: 'Id' };
const byPath = (value: string) => ({ list: { __rl: true, mode: 'path', value } });
const TARIFFS = byPath('/api/tariffs/v1');

const LAST_MONTH = { period: 'lastMonth' };
/** January, which it is compared with, has days that February lacks. */
const FEBRUARY = ['2027-02-01T00:00:00', '2027-03-01T00:00:00'] as const;
const STARTED = {
	lastMonth: { startedAtUtc: [{ operator: 'InPeriod', ...LAST_MONTH }] },
	february: { startedAtUtc: [{ operator: 'GteLt', from: FEBRUARY[0], to: FEBRUARY[1] }] },
};
const VALID = {
	lastMonth: { other: [{ field: 'ValidFromUtc|date', dateOperator: 'InPeriod', ...LAST_MONTH }] },
	february: {
		other: [{ field: 'ValidFromUtc|date', dateOperator: 'GteLt', fromDate: FEBRUARY[0], toDate: FEBRUARY[1] }],
	},
};
const LENGTHS = { values: [{ function: 'duration', endField: 'EndedAtUtc' }] };

/** All ways to group and to compare. */
function summaries(own: INodeParameters, groups: string[], filters: Record<'lastMonth' | 'february', INodeParameters>) {
	const compareWith = 'previousPeriod';
	const fields = { ...own, groupByField: 'Currency' };
	const few = { options: { maxGroups: 1, showAllOthers: true } };
	return [
		{ ...fields, groupBy: [...groups, 'field'] },
		{ ...own, groupBy: [], filters: filters.lastMonth, compareWith },
		...chunk(groups, 3).map((groupBy) => ({ ...own, groupBy, result: 'itemPerGroup', ...few })),
		{ ...fields, groupBy: [...groups, 'field'], filters: filters.february, compareWith, options: { maxGroups: 1 } },
		...['day', 'weekday'].map((by) => ({
			...{ ...own, groupBy: [by], result: 'itemPerGroup', options: { maxGroups: 1 } },
			...{ filters: by === 'day' ? filters.february : filters.lastMonth, compareWith },
		})),
	];
}

const EVERY_TIME = ['day', 'week', 'month', 'weekday', 'hour'];

/**
 * One entry for each node and operation: `node/operation`, or `node` if it has none. The tests fail for a node or
 * operation that is not here or has no schema.
 */
const RUNS: Record<string, Run> = {
	'chargingLocations/getAll': { parameters: [{}] },
	'chargingLocations/count': { parameters: [{}], ownItems: OWN },
	'chargingNetworkList/getAll': { parameters: [TARIFFS] },
	'chargingNetworkList/count': { parameters: [TARIFFS], ownItems: OWN },
	'chargingNetworkList/summary': {
		ownItems: SUMMARY,
		parameters: [
			TARIFFS,
			{
				...byPath('/api/charging-sessions/v1'),
				groupByDateField: 'StartedAtUtc',
				filters: { other: [{ field: 'StartedAtUtc|date', dateOperator: 'InPeriod', ...LAST_MONTH }] },
				measures: LENGTHS,
			},
			...summaries({ ...TARIFFS, groupByDateField: 'ValidFromUtc', groupByField2: 'IsActive' }, EVERY_TIME, VALID),
		],
	},
	'chargingNetworkList/checkPlatform': { parameters: [{}, { result: 'oneReport' }], ownItems: OWN },
	'chargingSessions/getAll': { parameters: [{}] },
	'chargingSessions/get': { parameters: [{ sessionId: '1' }] },
	'chargingSessions/count': { parameters: [{}], ownItems: OWN },
	'chargingSessions/summary': {
		ownItems: SUMMARY,
		parameters: [
			...summaries({ groupByField2: 'IsRoaming' }, ['status', ...EVERY_TIME], STARTED),
			{ groupBy: ['field'], groupByField: 'StationName', filters: STARTED.lastMonth },
			{ groupBy: [], measures: { values: [{ function: 'successRate' }] } },
			{ groupBy: [], measures: LENGTHS, filters: STARTED.lastMonth },
		],
	},
	'chargingStations/getAll': { parameters: [{}] },
	'chargingStations/get': { parameters: [{ stationId: { __rl: true, mode: 'id', value: '1' } }] },
	'chargingStations/getChargePoints': { parameters: [{}] },
	'chargingStations/count': { parameters: [{}], ownItems: OWN },
	'chargingStations/availability': {
		ownItems: OWN,
		parameters: ['stations', 'network', 'outages', 'chargePoints'].map((result) => ({ period: 'lastYear', result })),
		items: [
			{ kind: 'incident', incidentId: 'a', stationId: 1, since: '2000-01-01' },
			{ kind: 'incident', stationId: 2, since: '2000-01-01', until: '2100-01-01' },
			{ kind: 'closed', stationId: 2, weekdays: 'mon', since: '22:00', until: '06:00', reason: 'closed' },
			{
				kind: 'watching',
				since: '2000-01-01',
				until: '2100-01-01',
				polls: 9,
				openIncidents: [{ incidentId: 'a', stationId: 1, since: '2025-01-01T00:00:00Z' }],
			},
		],
	},
	'chargingSessionsCsvExport/exportByFilter': {
		ownItems: OWN,
		parameters: [
			{ filters: STARTED.lastMonth },
			// Give the reasons why a listed session is not in the file.
			{},
			{ options: { sessionIdColumn: 'Vorgang' } },
		],
	},
	'chargingSessionsCsvExport/exportByIds': {
		ownItems: OWN,
		// They give every reason why a session is not in the file.
		parameters: [
			{ sessionIds: '7' },
			{ sessionIds: ['999999', ...range(1, 300)].join() },
			{ sessionIds: '6,7', options: { sessionIdColumn: 'Vorgang' } },
		],
	},
	chargePointTrigger: {
		ownItems: { rowsIn: ['chargePoint', 'station'] },
		parameters: [
			{ statusField: 'Status', outOfOrderValues: ['3'], options: { reportWatching: true } },
			{ statusField: 'Status', outOfOrderValues: ['3'], ...DIGEST },
			{ event: 'statusChange', statusField: 'Status' },
		],
	},
	chargingNetworkRowsTrigger: {
		ownItems: { rowsIn: ['row', 'before', 'now'] },
		parameters: ['newRow', 'changedRow', 'goneRow'].flatMap((event) => {
			const parameters = { event, ...byPath('/api/charging-sessions/v1') };
			return [parameters, { ...parameters, ...DIGEST }];
		}),
	},
	chargingSessionTrigger: {
		ownItems: { rowsIn: ['session'] },
		parameters: [
			{ events: ['started', 'failed', 'runningLong'] },
			{ events: ['stalled', 'resumed'] },
			{ events: ['started'], ...DIGEST },
		],
	},
	chargingStationStatusTrigger: {
		ownItems: { rowsIn: ['station'] },
		parameters: [
			{ event: 'availability', options: { reportWatching: true } },
			{ event: 'availability', availabilityChanges: ['back'] },
			{ event: 'availability', ...DIGEST },
			{ event: 'unstable' },
			{ event: 'statusChange', dimensions: ['NetworkStatus', 'HardwareStatus'] },
		],
	},
};

interface Schema {
	type: string | string[];
	properties?: Record<string, Schema>;
	items?: Schema;
}

const ajv = new Ajv({ strict: false, allErrors: true });

/** The schemas n8n asks for when it shows a node that has not run: one per version, resource and operation. */
async function schemasAskedFor() {
	const { nodeTypes } = await loadPackage();
	return Object.entries(nodeTypes).flatMap(([node, { type, sourcePath }]) => {
		const { description } = NodeHelpers.getVersionedNodeType(type);
		const operations = entriesOf(description, 'operation').map(({ value }) => String(value));
		const resource = description.properties.find(({ name }) => name === 'resource')?.default as string | undefined;
		const nodeDir = dirname(join(process.cwd(), sourcePath));
		return [description.version].flat().flatMap((version) =>
			(operations.length > 0 ? operations : [undefined]).map((operation) => ({
				run: [node, operation].filter(Boolean).join('/'),
				node,
				operation,
				ref: { nodeDir, version, resource, operation },
			})),
		);
	});
}

let platform: StandIn;
let apiKey: string;

beforeAll(async () => {
	// Whatever today's date is, last month has sessions.
	platform = await startPlatform({
		sessions: 300,
		stations: 20,
		tariffs: 100,
		now: new Date().toISOString().slice(0, 19),
	});
	for (const [table, time] of Object.entries({ sessions: 'StartedAtUtc', tariffs: 'ValidFromUtc' })) {
		const day = `iif(Id % 3 = 0, '01-30', iif(Id % 3 = 1, '01-10', '02-10'))`;
		platform.db.exec(`UPDATE ${table} SET ${time} = '2027-' || ${day} || 'T12:00:00' WHERE Id <= 60`);
	}
	platform.db.exec('UPDATE sessions SET EnergyConsumed = NULL WHERE Id BETWEEN 30 AND 60');
	const odd = JSON.stringify([
		{ Id: 11, Status: 1 },
		{ Id: 12, Status: null },
	]);
	platform.db.prepare('UPDATE stations SET EVSEs = ? WHERE Id = 1').run(odd);
	platform.behaviour.locationsScope = 'locations:read';
	platform.behaviour.csv.idColumn = 'Vorgang';
	platform.exported = (ids) => ids.filter((id) => id % 2 !== 0);
	apiKey = platform.createKey({ scopes: ALL_SCOPES }).secret;
});
afterAll(async () => await platform.close());

async function itemsOf(node: string, parameters: INodeParameters, input?: IDataObject[]): Promise<IDataObject[]> {
	const credential = { ...credentialFor(platform), apiKey };
	if (/trigger$/i.test(node)) return (await testManually(parameters, credential, node as TriggerName)) ?? [];
	const { json, error } = await runNode({ type: node, credential, parameters, items: input });
	expect(error).toBeUndefined();
	return json;
}

/** Paths in the schema that no item has, and paths in items that the schema does not name. */
function differences(schema: Schema, items: unknown[], ownItems: Run['ownItems'], path = 'item'): string[] {
	const values = items.filter((item) => item !== null && item !== undefined);
	if (values.length === 0)
		return [`${path} is promised, but never there: take it out of the schema, or add a run that shows it to RUNS.`];
	if (schema.items) {
		const inside = values.flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : []));
		return differences(schema.items, inside, ownItems, `${path}[]`);
	}
	const { properties } = schema;
	if (!properties) return [];
	const isOwn = ownItems && !ownItems.rowsIn.some((row) => path === `item.${row}`);
	const strange = values.flatMap((value) => Object.keys(value)).filter((name) => isOwn && !(name in properties));
	return [
		...[...new Set(strange)].map((name) => `${path}.${name} is there, but not promised: add it to the schema.`),
		...Object.entries(properties).flatMap(([name, inner]) => {
			const there = values.map((value) => (value as IDataObject)[name]);
			return differences(inner, there, ownItems, `${path}.${name}`);
		}),
	];
}

it('n8n finds a schema for every node and operation, and no schema is unused', async () => {
	const asked = await schemasAskedFor();
	const bare = asked.filter(({ ref }) => loadOutputSchema(ref) === undefined);
	const runs = asked.map(({ run }) => run);
	const wrong = [
		...bare.map(({ run }) => `__schema__ beside the node: add the schema of ${run}.`),
		...difference(runs, Object.keys(RUNS)).map((run) => `RUNS in this file: add '${run}', and how to run it.`),
		...difference(Object.keys(RUNS), runs).map((run) => `RUNS in this file: no node has ${run}.`),
	];
	expect(wrong).toEqual([]);
	const files = await fastGlob('dist/nodes/**/__schema__/**/*.json');
	expect(files).toHaveLength(asked.length);
});

it.each(Object.entries(RUNS))(
	'%s: the output matches the schema',
	async (run, { parameters, items: input, ownItems }) => {
		const found = (await schemasAskedFor()).find((asked) => asked.run === run);
		const schema = (found && loadOutputSchema(found.ref)) as Schema | undefined;
		if (!found || !schema) throw new Error(`There is no schema for ${run}`);
		const items: IDataObject[] = [];
		for (const each of parameters) {
			const operation = found.operation === undefined ? {} : { operation: found.operation };
			items.push(...(await itemsOf(found.node, { ...operation, ...each }, input)));
		}
		expect(items.length).toBeGreaterThan(0);
		const isValid = ajv.compile(schema);
		for (const item of items) expect([item, isValid(item), isValid.errors]).toEqual([item, true, null]);
		expect(differences(schema, items, ownItems)).toEqual([]);
	},
);
