import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { startPlatform, type PlatformOptions, type StandIn } from '../platform/index.ts';
import type { WorkflowFile } from './client.ts';
import { installN8n, type N8nLine } from './install.ts';
import { startN8n, type N8n } from './n8n.ts';
import { REPOSITORY } from './tools.ts';

const EXAMPLES = join(REPOSITORY, 'examples');
const CREDENTIAL_TYPE = 'chargingNetworkApi';

/** The stand-in's own user. */
const USER = { email: 'admin@example.test', password: 'correct-horse' };

/** Read access to everything that the examples need. */
const SCOPES = [
	'charging-sessions',
	'charging-stations',
	'locations',
	'tariffs',
	'users',
	'billing',
	'audit-trail',
].map((area) => `${area}:read`);

/** A stand-in platform, and a real n8n with the package and an owner and nothing else yet. */
export interface Pair extends N8n {
	platform: StandIn;
}

/** Where a credential and workflows are made. */
type Place = Pick<Pair, 'n8n' | 'platform'>;

interface Credential {
	id: string;
	name: string;
}

/** What is set up in an n8n. */
export interface Furnishing extends Place {
	credential: Credential;
	/** The stand-in's key that the credential holds. */
	key: { id: string; secret: string };
	/** The id of each imported example, by file name. */
	workflows: ReadonlyMap<string, string>;
	/** The id of the data table that an example needs, by file name. */
	dataTables: ReadonlyMap<string, string>;
}

/** Both, with credentials and the examples set up. */
export type Showcase = Pair & Furnishing;

export async function startPair(line: N8nLine, options: PlatformOptions = {}): Promise<Pair> {
	const installation = await installN8n(line);
	return { ...(await startN8n(installation)), platform: await startStandIn(options) };
}

/** Starts the stand-in platform with a history up to now and a scope for locations. */
export async function startStandIn(options: PlatformOptions = {}): Promise<StandIn> {
	const now = new Date().toISOString().slice(0, 19);
	const platform = await startPlatform({ now, sessions: 20_000, stations: 250, ...options });
	platform.behaviour.locationsScope = 'locations:read';
	return platform;
}

/** Starts both as `startPair` does, and sets up credentials and all examples. */
export async function startShowcase(line: N8nLine, options: PlatformOptions = {}): Promise<Showcase> {
	const pair = await startPair(line, options);
	return { ...pair, ...(await furnish(pair)) };
}

/** The columns of the table in which an example stores incidents, from the file that n8n imports as that table. */
const INCIDENT_COLUMNS = readFileSync(join(EXAMPLES, 'incidents.csv'), 'utf8').trim().split(',');

/** The data tables that the sticky notes of examples ask for. */
const DATA_TABLES = [
	{ name: 'Tickets', columns: ['eventId'], files: ['new-fault-creates-a-ticket-once.json'] },
	{
		name: 'Incidents',
		columns: INCIDENT_COLUMNS,
		files: ['incidents-to-data-table.json', 'monthly-uptime-report-by-mail.json'],
	},
	{
		name: 'Open alerts',
		columns: ['incidentId', 'stationName'],
		files: ['offline-acknowledge-and-escalate.json'],
	},
	{ name: 'Quiet stations', columns: ['station', 'toldOn'], files: ['stations-that-went-quiet.json'] },
	{ name: 'Files sent', columns: ['fileName', 'sha256', 'sentAt'], files: ['export-proven-on-arrival.json'] },
];

/** Sets up credentials, data tables and all examples in an n8n with the package and a logged-in owner. */
export async function furnish(place: Place): Promise<Furnishing> {
	const { n8n, platform } = place;
	// n8n gives a new node the credential that was made last: that must be the key's, so the person's comes first.
	const user = { environment: 'test', testUrl: platform.baseUrl, ...USER };
	await n8n.createCredential('Charging Network user', 'chargingNetworkUserApi', user);
	const key = platform.createKey({ name: 'n8n examples', scopes: SCOPES });
	const credential = await credentialOf(place, 'Charging Network account', key.secret);
	const dataTables = new Map<string, string>();
	for (const { name, columns, files } of DATA_TABLES) {
		const id = await n8n.createDataTable(name, columns);
		for (const file of files) dataTables.set(file, id);
	}
	const workflows = new Map<string, string>();
	for (const file of exampleFiles()) {
		workflows.set(file, await importFor(place, readExample(file), credential, dataTables.get(file)));
	}
	return { ...place, credential, key, workflows, dataTables };
}

export const exampleFiles = () =>
	readdirSync(EXAMPLES)
		.filter((file) => file.endsWith('.json'))
		.sort();

/** A file in examples/ as it is. */
export const readExample = (file: string) => JSON.parse(readFileSync(join(EXAMPLES, file), 'utf8')) as WorkflowFile;

/** A workflow of one node of this package, which bears its internal name, such as chargingSessions. */
export function workflowOf(name: string, parameters: INodeParameters): WorkflowFile {
	const isTrigger = name.endsWith('Trigger');
	const node = {
		...nodeOf(name, `n8n-nodes-charging-network.${name}`, parameters),
		credentials: { [CREDENTIAL_TYPE]: { id: '', name: '' } },
	};
	const other = isTrigger ? nodeOf('End', 'n8n-nodes-base.noOp') : nodeOf('Start', 'n8n-nodes-base.manualTrigger');
	const [first, second] = isTrigger ? [node, other] : [other, node];
	return {
		name,
		nodes: [first, { ...second, position: [240, 0] }],
		connections: { [first.name]: { main: [[{ node: second.name, type: 'main', index: 0 }]] } },
	};
}

const nodeOf = (name: string, type: string, parameters: INodeParameters = {}): INode => ({
	id: name,
	name,
	type,
	typeVersion: 1,
	parameters,
	position: [0, 0],
});

/** Saves a credential with a key of the stand-in. */
export async function credentialOf({ n8n, platform }: Place, name: string, apiKey: string): Promise<Credential> {
	const data = { environment: 'test', testUrl: platform.baseUrl, apiKey };
	return { id: await n8n.createCredential(name, CREDENTIAL_TYPE, data), name };
}

/**
 * Saves a workflow and returns its id. Does what a sticky note asks the user to do: chooses credentials and a data table,
 * and enters the address where needed.
 */
export async function importFor(
	{ n8n, platform }: Place,
	workflow: WorkflowFile,
	credential: Credential,
	dataTable?: string,
): Promise<string> {
	const nodes = structuredClone(workflow.nodes);
	for (const { credentials, parameters } of nodes) {
		if (credentials?.[CREDENTIAL_TYPE]) credentials[CREDENTIAL_TYPE] = credential;
		const { assignments, dataTableId } = parameters as {
			assignments?: { assignments: IDataObject[] };
			dataTableId?: IDataObject;
		};
		for (const assignment of assignments?.assignments ?? []) {
			if (assignment.name === 'address') assignment.value = platform.baseUrl;
		}
		if (dataTableId && dataTable !== undefined) dataTableId.value = dataTable;
	}
	return await n8n.importWorkflow({ ...workflow, nodes });
}
