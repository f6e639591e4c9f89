import { dirname, join } from 'node:path';
import Ajv from 'ajv';
import fastGlob from 'fast-glob';
import chunk from 'lodash/chunk';
import range from 'lodash/range';
import uniq from 'lodash/uniq';
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

const SESSION_ROWS = byPath('/api/charging-sessions/v1');

const STARTED = { field: 'StartedAtUtc|date' };
const LAST_MONTH = { other: [{ ...STARTED, dateOperator: 'InPeriod', period: 'lastMonth' }] };
/** January, which it is compared with, has days that February lacks. */
const FEBRUARY = {
	other: [{ ...STARTED, dateOperator: 'GteLt', fromDate: '2027-02-01T00:00:00', toDate: '2027-03-01T00:00:00' }],
};
const LENGTHS = { values: [{ function: 'duration', endField: 'EndedAtUtc' }] };

/** All ways to group and to compare. */
function summaries(more: INodeParameters, groups: string[]): INodeParameters[] {
	const own = { ...more, groupByField: 'Currency', groupByField2: 'IsRoaming' };
	const compared = { ...own, compareWith: 'previousPeriod', options: { maxGroups: 1 } };
	const few = { result: 'itemPerGroup', options: { maxGroups: 1, showAllOthers: true } };
	return [
		{ ...own, groupBy: [...groups, 'field'] },
		...chunk(groups, 3).map((groupBy) => ({ ...more, groupBy, ...few })),
		{ ...compared, groupBy: [], filters: LAST_MONTH },
		{ ...compared, groupBy: [...groups, 'field'], filters: FEBRUARY },
		{ ...compared, groupBy: ['day'], result: 'itemPerGroup', filters: FEBRUARY },
		{ ...compared, groupBy: ['weekday'], result: 'itemPerGroup', filters: LAST_MONTH },
		{ ...more, groupBy: ['field'], groupByField: 'StationName', filters: LAST_MONTH },
		{ ...more, groupBy: [], measures: LENGTHS, filters: LAST_MONTH },
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
		parameters: [TARIFFS, ...summaries({ ...SESSION_ROWS, groupByDateField: 'StartedAtUtc' }, EVERY_TIME)],
	},
	'chargingNetworkList/checkPlatform': { parameters: [{}, { result: 'oneReport' }], ownItems: OWN },
	'chargingSessions/getAll': { parameters: [{}] },
	'chargingSessions/get': { parameters: [{ sessionId: '1' }] },
	'chargingSessions/count': { parameters: [{}], ownItems: OWN },
	'chargingSessions/summary': {
		ownItems: SUMMARY,
		parameters: [
			...summaries({}, ['status', ...EVERY_TIME]),
			{ groupBy: [], measures: { values: [{ function: 'successRate' }] } },
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
			...['999', '2'].map((stationId) => ({
				kind: 'excluded',
				stationId,
				chargePointId: 'gone',
				since: '2000-01-01',
				until: '2100-01-01',
			})),
			{ kind: 'closed', stationId: 2, weekdays: 'mon', since: '22:00', until: '06:00', reason: 'closed' },
			{
				kind: 'watching',
				since: '2000-01-01',
				until: '2100-01-01',
				polls: 9,
				stations: 20,
				openIncidents: [{ incidentId: 'a', stationId: 1, since: '2025-01-01T00:00:00Z' }],
			},
		],
	},
	'chargingSessionsCsvExport/exportByFilter': {
		ownItems: OWN,
		parameters: [
			{ filters: LAST_MONTH },
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
			const parameters = { event, ...SESSION_ROWS };
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
		const version = Number(description.version);
		return (operations.length > 0 ? operations : [undefined]).map((operation) => ({
			run: [node, operation].filter(Boolean).join('/'),
			node,
			operation,
			ref: { nodeDir, version, resource, operation },
		}));
	});
}

let platform: StandIn;
let apiKey: string;

beforeAll(async () => {
	// Whatever today's date is, last month has sessions.
	platform = await startPlatform({
		sessions: 300,
		stations: 20,
		now: new Date().toISOString().slice(0, 19),
	});
	const day = `iif(Id % 3 = 0, '01-30', iif(Id % 3 = 1, '01-10', '02-10'))`;
	platform.db.exec(`UPDATE sessions SET StartedAtUtc = '2027-' || ${day} || 'T12:00:00' WHERE Id <= 60`);
	platform.db.exec('UPDATE sessions SET EnergyConsumed = NULL WHERE Id BETWEEN 30 AND 60');
	platform.db.exec(`UPDATE sessions SET EnergyConsumed = 'n/a' WHERE Id BETWEEN 2 AND 12`);
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
	if (values.length === 0) return [`${path} is promised, but never there`];
	if (schema.items) return differences(schema.items, values.flat(), ownItems, `${path}[]`);
	const { properties } = schema;
	if (!properties) return [];
	const isOwn = ownItems && !ownItems.rowsIn.some((row) => path === `item.${row}`);
	const strange = values.flatMap((value) => Object.keys(value)).filter((name) => isOwn && !(name in properties));
	return [
		...uniq(strange).map((name) => `${path}.${name} is there, but not promised`),
		...Object.entries(properties).flatMap(([name, inner]) => {
			const there = values.map((value) => (value as IDataObject)[name]);
			return differences(inner, there, ownItems, `${path}.${name}`);
		}),
	];
}

it('n8n finds a schema for every node and operation, and no schema is unused', async () => {
	const asked = await schemasAskedFor();
	expect(asked.filter(({ ref }) => loadOutputSchema(ref) === undefined).map(({ run }) => run)).toEqual([]);
	expect(asked.map(({ run }) => run).sort()).toEqual(Object.keys(RUNS).sort());
	expect(fastGlob.sync('dist/nodes/**/__schema__/**/*.json')).toHaveLength(asked.length);
});

it.each(Object.entries(RUNS))(
	'%s: the output matches the schema',
	async (run, { parameters, items: input, ownItems }) => {
		const found = (await schemasAskedFor()).find((asked) => asked.run === run);
		const schema = (found && loadOutputSchema(found.ref)) as Schema | undefined;
		if (!found || !schema) throw new Error(`There is no schema for ${run}`);
		const operation = found.operation === undefined ? {} : { operation: found.operation };
		const items: IDataObject[] = [];
		for (const each of parameters) items.push(...(await itemsOf(found.node, { ...operation, ...each }, input)));
		expect(items.length).toBeGreaterThan(0);
		const isValid = ajv.compile(schema);
		for (const item of items) expect([item, isValid(item), isValid.errors]).toEqual([item, true, null]);
		expect(differences(schema, items, ownItems)).toEqual([]);
	},
);
