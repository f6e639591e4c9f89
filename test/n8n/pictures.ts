import type { INode, INodeParameters } from 'n8n-workflow';
import type { Page } from 'playwright-core';

import { areaOf, byTestId, settled, type Area } from './browser.ts';
import type { WorkflowFile } from './client.ts';
import { CREDENTIAL_TYPE, readExample } from './showcase.ts';
import { WALK_PICTURES } from './walkThrough.ts';

/** A picture of a node's open panel. */
export interface PanelPicture {
	kind: 'panel';
	/** The file in docs/images is `<name>.png`, or `<name>-dark.png` for the dark theme. */
	name: string;
	workflow: WorkflowFile;
	/** The node whose panel is opened, by its name in the workflow. */
	node: string;
	/** Executes the node first and shows its output beside the parameters, in this view. */
	output?: 'schema' | 'table' | 'json' | 'binary';
	/** Crops the picture to a part of the panel, after opening what it shows. */
	part?: (page: Page) => Promise<Area>;
}

/** A picture of a workflow on the canvas, after it has run. */
export interface CanvasPicture {
	kind: 'canvas';
	name: string;
	workflow: WorkflowFile;
}

/** A picture of a workflow on the canvas as it is imported, without its note. Light theme only. */
export interface ExamplePicture {
	kind: 'example';
	name: string;
	workflow: WorkflowFile;
}

/** Pictures of an example's mail or web page, one for each width in CSS pixels: `<name>-mail`, `<name>-phone`. */
export interface MailPicture {
	kind: 'mail';
	name: string;
	workflow: WorkflowFile;
	/** Whether it is also taken beside an alert, for the README. */
	isOnFirstScreen?: boolean;
	/** The node that makes the HTML. */
	node: string;
	widths: Readonly<Record<string, number>>;
	/** How much of a long page is shown. */
	tallest?: number;
}

/** A picture of a saved credential's dialog, after a test. */
export interface CredentialPicture {
	kind: 'credential';
	name: string;
	/** Default: the credential of the example workflows. Another one gets the stand-in's address. */
	credential?: { type: string; name: string; data: Record<string, string> };
}

/** The pictures of the README's first alert: taken in sequence, and only all together. */
export interface WalkPictures {
	kind: 'walk';
	name: 'walk';
	pictures: readonly string[];
}

export type Picture = PanelPicture | CanvasPicture | ExamplePicture | CredentialPicture;

const PACKAGE = 'n8n-nodes-charging-network.';

/** A workflow with one node of this package. `type` is its internal name, such as chargingSessions. */
function workflowWith(type: string, parameters: INodeParameters): WorkflowFile {
	const node: INode = {
		id: 'node',
		name: 'Node',
		type: PACKAGE + type,
		typeVersion: 1,
		position: [240, 0],
		parameters,
		credentials: { [CREDENTIAL_TYPE]: { id: '', name: '' } },
	};
	if (/trigger$/i.test(type)) return { name: type, nodes: [node], connections: {} };
	const start: INode = {
		id: 'start',
		name: 'Start',
		type: 'n8n-nodes-base.manualTrigger',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};
	return {
		name: type,
		nodes: [start, node],
		connections: { Start: { main: [[{ node: 'Node', type: 'main', index: 0 }]] } },
	};
}

/** What the pictures of both nodes show. */
const FINISHED: INodeParameters = {
	operation: 'getAll',
	returnAll: true,
	logic: 'And',
	filters: {
		status: [{ operator: 'In', values: ['4'] }],
		startedAtUtc: [{ operator: 'InPeriod', period: 'lastMonth' }],
		energyConsumed: [{ operator: 'Gt', value: 20 }],
	},
	sort: { by: [{ field: 'StartedAtUtc', direction: 'Desc' }] },
};
const NOT_ONLINE: INodeParameters = {
	operation: 'getAll',
	limit: 10,
	logic: 'And',
	filters: { networkStatus: [{ operator: 'Neq', value: '1' }] },
	sort: { by: [{ field: 'Name', direction: 'Asc' }] },
	options: { addStatusNames: true },
};

/** Three nodes of this package at work. */
function showpiece(): WorkflowFile {
	const from = (file: string, name: string, x: number, y: number): INode => {
		const node = readExample(file).nodes.find((candidate) => candidate.name === name);
		if (!node) throw new Error(`${file} has no node "${name}".`);
		return { ...node, position: [x, y] };
	};
	const ofOurs = (name: string, type: string, parameters: INodeParameters, y: number): INode => ({
		...{ id: name, name, type: PACKAGE + type, typeVersion: 1, position: [300, y], parameters },
		credentials: { [CREDENTIAL_TYPE]: { id: '', name: '' } },
	});
	const nodes = [
		from('sessions-to-spreadsheet.json', 'Run This Workflow', 0, 0),
		ofOurs('Finished Sessions', 'chargingSessions', FINISHED, 0),
		from('sessions-to-spreadsheet.json', 'Spreadsheet', 600, 0),
		ofOurs('Stations Not Online', 'chargingStations', NOT_ONLINE, 200),
		from('monthly-csv-export-by-mail.json', "Last Month's Sessions", 300, 400),
	];
	const [start, sessions, spreadsheet, stations, report] = nodes.map(({ name }) => name);
	const to = (...names: (string | undefined)[]) => ({
		main: [names.flatMap((node) => (node ? [{ node, type: 'main' as const, index: 0 }] : []))],
	});
	return {
		name: 'Charging network',
		nodes,
		connections: { [start ?? '']: to(sessions, stations, report), [sessions ?? '']: to(spreadsheet) },
	};
}

type PanelDetails = Pick<PanelPicture, 'output' | 'part'>;

/** The panel of a node with these parameters. */
const ofNode = (name: string, type: string, parameters: INodeParameters, details: PanelDetails = {}): PanelPicture => ({
	kind: 'panel',
	name,
	workflow: workflowWith(type, parameters),
	node: 'Node',
	...details,
});

/** The panel of a node in one of the examples. */
const ofExample = (name: string, file: string, node: string, details: PanelDetails = {}): PanelPicture => ({
	kind: 'panel',
	name,
	workflow: readExample(file),
	node,
	...details,
});

const withoutNote = (workflow: WorkflowFile): WorkflowFile => ({
	...workflow,
	nodes: workflow.nodes.filter(({ type }) => !type.endsWith('.stickyNote')),
});

/** The canvas of the first eight examples. */
const examples: readonly ExamplePicture[] = [
	'offline-alert',
	'offline-acknowledge-and-escalate',
	'new-fault-creates-a-ticket-once',
	'charge-point-out-of-order',
	'failed-session-message',
	'stalled-session',
	'sessions-running-longer-than-a-day',
	'stations-still-offline-daily',
].map((name) => ({
	kind: 'example',
	name: `examples/${name}`,
	workflow: withoutNote(readExample(`${name}.json`)),
}));

const ofMail = (name: string, file: string): MailPicture => ({
	kind: 'mail',
	name,
	workflow: readExample(file),
	node: 'Report',
	widths: { mail: 600, phone: 375 },
});

/** All of the filter, without the parameters above and below. */
async function filters(page: Page): Promise<Area> {
	const form = page.locator(byTestId('fixed-collection-filters')).first();
	return await areaOf([form, page.locator(byTestId('parameter-input-logic')).last()], 12);
}

/** The opened menu of *Add Condition or Group*, and the button. */
async function addMenu(page: Page): Promise<Area> {
	const button = page.getByPlaceholder('Add Condition or Group', { exact: true });
	await button.click();
	const menu = page.locator('.el-select-dropdown:visible');
	await menu.waitFor();
	await settled(page);
	return await areaOf([button, menu]);
}

/**
 * The pictures of docs/images. For another panel, add an entry and run `npm run screenshots -- --only NAME`:
 * `ofExample` for a node of an example, `ofNode` for one with its own parameters; mails with `ofMail`.
 */
export const PICTURES: readonly (Picture | MailPicture | WalkPictures)[] = [
	{ kind: 'walk', name: 'walk', pictures: WALK_PICTURES },
	{ kind: 'canvas', name: 'canvas', workflow: showpiece() },
	{ kind: 'credential', name: 'credential' },
	{
		kind: 'credential',
		name: 'signed-in-user',
		credential: {
			type: 'chargingNetworkUserApi',
			name: 'Charging Network Signed-In User account',
			// A user whom the stand-in has from the start.
			data: { email: 'admin@example.test', password: 'correct-horse' },
		},
	},
	ofNode('charging-sessions', 'chargingSessions', FINISHED, { output: 'table' }),
	ofNode(
		'sessions-summary',
		'chargingSessions',
		{ operation: 'summary', filters: { startedAtUtc: [{ operator: 'InPeriod', period: 'lastMonth' }] } },
		{ output: 'json' },
	),
	ofNode('charging-stations', 'chargingStations', NOT_ONLINE, { output: 'table' }),
	ofNode(
		'charge-points',
		'chargingStations',
		{ operation: 'getChargePoints', returnAll: true, chargePointField: 'Status', chargePointValues: ['3'] },
		{ output: 'table' },
	),
	ofNode('charging-locations', 'chargingLocations', {}, { output: 'table' }),
	ofNode(
		'charging-network-list',
		'chargingNetworkList',
		{ list: { __rl: true, mode: 'path', value: '/api/tariffs/v1' } },
		{ output: 'table' },
	),
	ofNode('check-platform', 'chargingNetworkList', { operation: 'checkPlatform' }, { output: 'table' }),
	ofNode(
		'rows-trigger',
		'chargingNetworkRowsTrigger',
		{
			pollTimes: { item: [{ mode: 'everyX', value: 5, unit: 'minutes' }] },
			list: { __rl: true, mode: 'path', value: '/api/audit-trail/v1' },
		},
		{ output: 'json' },
	),
	ofExample('csv-export', 'monthly-csv-export-by-mail.json', "Last Month's Sessions", { output: 'binary' }),
	ofNode(
		'status-trigger',
		'chargingStationStatusTrigger',
		{
			pollTimes: { item: [{ mode: 'everyX', value: 5, unit: 'minutes' }] },
			minutesInState: 10,
			options: { outOfServiceValues: ['2'] },
		},
		{ output: 'json' },
	),
	ofNode(
		'charge-point-trigger',
		'chargePointTrigger',
		{
			pollTimes: { item: [{ mode: 'everyX', value: 5, unit: 'minutes' }] },
			statusField: 'Status',
			outOfOrderValues: ['3'],
			minutesInState: 10,
		},
		{ output: 'json' },
	),
	ofExample('session-trigger', 'failed-session-message.json', 'Session Failed', { output: 'json' }),
	ofNode('add-condition', 'chargingSessions', {}, { part: addMenu }),
	ofExample('group', 'monday-report-by-mail.json', 'Sessions Worth a Look', { part: filters }),
	{ ...ofMail('report', 'monday-report-by-mail.json'), isOnFirstScreen: true },
	ofMail('uptime', 'monthly-uptime-report-by-mail.json'),
	...examples,
];
