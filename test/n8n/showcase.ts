import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import buildIfOlder from '../support/build.ts';
import { startPlatform, type PlatformOptions, type StandIn } from '../platform/index.ts';
import type { CredentialTestAnswer, N8nClient, WorkflowFile } from './client.ts';
import { installN8n, type N8nLine } from './install.ts';
import { N8nInstance } from './instance.ts';
import { packPackage } from './pack.ts';
import { exclusively, REPOSITORY, type Later, type Log } from './tools.ts';

/** A build removes the previous one's output, which another run may be using. */
const BUILD_LOCK = join(REPOSITORY, 'test/n8n/.cache/build.lock');

const EXAMPLES = join(REPOSITORY, 'examples');
export const CREDENTIAL_TYPE = 'chargingNetworkApi';
const USER_CREDENTIAL_TYPE = 'chargingNetworkUserApi';

/** The stand-in's own user. */
const USER = { email: 'admin@example.test', password: 'correct-horse' } as const;

/** The stand-in's key in that credential, as the audit trail names it. */
export const KEY_NAME = 'n8n examples';

/** Read access to everything that the examples need. */
const SCOPES = [
	...['charging-sessions', 'charging-stations', 'locations', 'tariffs', 'users', 'billing', 'audit-trail'].map(
		(area) => `${area}:read`,
	),
];

interface ShowcaseOptions {
	log: Log;
	later: Later;
	/** Which n8n. Default: the 2.x the package is developed against. */
	line?: N8nLine;
	/** The time zone of n8n's workflows, as an IANA name. */
	timezone: string;
	/** How the stand-in differs from its defaults. */
	platform?: PlatformOptions;
	/** The packed package. Default: built and packed now. */
	tarball?: string;
}

/** A stand-in platform, and a real n8n with the package and an owner and nothing else yet. */
export interface Pair {
	platform: StandIn;
	n8n: N8nInstance;
}

/** What is set up in an n8n. */
export interface Furnishing {
	platform: StandIn;
	credential: { id: string; name: string };
	/** The stand-in's key that the credential holds. */
	apiKey: string;
	/** The id of that key in the stand-in's control API. */
	keyId: string;
	/** The result of the credential's test. */
	credentialTest: CredentialTestAnswer;
	/** The id of each imported example, by file name. */
	workflows: ReadonlyMap<string, string>;
}

/** Both, with credentials and the examples set up. */
export interface Showcase extends Furnishing, Pair {
	n8n: N8nInstance;
}

/**
 * Builds and packs the package, and starts the stand-in platform and a real n8n. Registers with `later` how to stop and
 * remove everything.
 *
 * @throws if a step fails, saying which
 */
export async function startPair({
	log,
	later,
	line,
	timezone,
	platform: options,
	tarball: given,
}: ShowcaseOptions): Promise<Pair> {
	const installation = await installN8n(line, log);

	const tarball = given ?? (await buildForNow(log, later));

	const platform = await startStandIn(log, later, options);

	log(`Starting n8n ${installation.version}`);
	const n8n = await N8nInstance.create({ installation, tarball, timezone });
	later(() => n8n.dispose());
	await n8n.start();
	return { platform, n8n };
}

/** Starts the stand-in platform with a history up to now and a scope for locations. */
export async function startStandIn(log: Log, later: Later, options: PlatformOptions = {}): Promise<StandIn> {
	log('Starting the stand-in platform');
	const platform = await startPlatform({ now: new Date().toISOString().slice(0, 19), ...options });
	later(() => platform.close());
	platform.behaviour.locationsScope = 'locations:read';
	return platform;
}

/** Starts both as `startPair` does, and sets up credentials and all examples. */
export async function startShowcase(options: ShowcaseOptions): Promise<Showcase> {
	const { platform, n8n } = await startPair(options);
	return { ...(await furnish(platform, n8n)), n8n };
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
export async function furnish(platform: StandIn, n8n: N8nClient): Promise<Furnishing> {
	const { secret: apiKey, id: keyId } = platform.createKey({ name: KEY_NAME, scopes: SCOPES });
	// n8n gives a new node the credential that was made last: that must be the key's, so the person's comes first.
	const userName = 'Charging Network user';
	const userData = { environment: 'test', testUrl: platform.baseUrl, ...USER };
	await n8n.createCredential(userName, USER_CREDENTIAL_TYPE, userData);
	const name = 'Charging Network account';
	const data = { environment: 'test', testUrl: platform.baseUrl, apiKey };
	const credential = { id: await n8n.createCredential(name, CREDENTIAL_TYPE, data), name };
	const credentialTest = await n8n.testCredential(name, CREDENTIAL_TYPE, data, credential.id);
	const dataTables = new Map<string, string>();
	for (const { name, columns, files } of DATA_TABLES) {
		const id = await n8n.createDataTable(name, columns);
		for (const file of files) dataTables.set(file, id);
	}
	const workflows = new Map<string, string>();
	for (const file of exampleFiles()) {
		const workflow = connect(readExample(file), credential, platform.baseUrl, dataTables.get(file));
		workflows.set(file, await n8n.importWorkflow(workflow));
	}
	return { platform, credential, apiKey, keyId, credentialTest, workflows };
}

async function buildForNow(log: Log, later: Later): Promise<string> {
	const folder = mkdtempSync(join(tmpdir(), 'charging-network-pack-'));
	later(() => rmSync(folder, { recursive: true, force: true }));
	return await buildPackage(folder, log);
}

/**
 * Packs the package as it is published, built first if a source is newer: other tests may be reading what is built.
 * Returns the path of the tarball in `folder`.
 */
export async function buildPackage(folder: string, log: Log): Promise<string> {
	return await exclusively(BUILD_LOCK, 'Another run is building the package. Waiting for it.', log, async () => {
		log('Building and packing n8n-nodes-charging-network');
		buildIfOlder();
		return await packPackage(REPOSITORY, folder);
	});
}

export const exampleFiles = () =>
	readdirSync(EXAMPLES)
		.filter((file) => file.endsWith('.json'))
		.sort();

/** A file in examples/ as it is. */
export const readExample = (file: string) => JSON.parse(readFileSync(join(EXAMPLES, file), 'utf8')) as WorkflowFile;

/** A workflow of one node of this package, which bears its internal name, such as chargingSessions. */
export function workflowOf(name: string, parameters: INodeParameters): WorkflowFile {
	const node: INode = {
		id: name,
		name,
		type: `n8n-nodes-charging-network.${name}`,
		typeVersion: 1,
		position: [240, 0],
		parameters,
		credentials: { [CREDENTIAL_TYPE]: { id: '', name: '' } },
	};
	if (name.endsWith('Trigger')) return { name, nodes: [node], connections: {} };
	const start = { id: 'start', name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} };
	return {
		name,
		nodes: [{ ...start, position: [0, 0] }, node],
		connections: { Start: { main: [[{ node: name, type: 'main', index: 0 }]] } },
	};
}

/**
 * Does what a sticky note asks the user to do: chooses credentials and a data table, and enters the address where
 * needed.
 */
export function connect(
	workflow: WorkflowFile,
	credential: Showcase['credential'],
	address: string,
	dataTable?: string,
): WorkflowFile {
	const nodes = workflow.nodes.map((node) => {
		const connected = structuredClone(node);
		if (connected.credentials?.[CREDENTIAL_TYPE]) connected.credentials[CREDENTIAL_TYPE] = credential;
		const { assignments, dataTableId } = connected.parameters as {
			assignments?: { assignments: IDataObject[] };
			dataTableId?: IDataObject;
		};
		for (const assignment of assignments?.assignments ?? []) {
			if (assignment.name === 'address') assignment.value = address;
		}
		if (dataTableId && dataTable !== undefined) dataTableId.value = dataTable;
		return connected;
	});
	return { ...workflow, nodes };
}
