import type { INode, INodeParameters } from 'n8n-workflow';
import type { Page } from 'playwright-core';

import { areaOf, byTestId, type Area } from './browser.ts';
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

/** The README's first picture: an alert beside the mail of an example. */
export interface FirstScreenPicture {
	kind: 'firstScreen';
	name: string;
	workflow: WorkflowFile;
	/** The node that makes the HTML of the mail. */
	node: string;
}

/** The pictures of docs/first-alert.md: taken in sequence, and only all together. */
export interface WalkPictures {
	kind: 'walk';
	name: 'walk';
	pictures: readonly string[];
}

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

/** All of the filter, without the parameters above and below. */
async function filters(page: Page): Promise<Area> {
	const form = page.locator(byTestId('fixed-collection-filters')).first();
	return await areaOf([form, page.locator(byTestId('parameter-input-logic')).last()], 12);
}

/**
 * The pictures of docs/images. For another panel, add an entry and run `npm run screenshots -- --only NAME`: `ofExample` for
 * a node of an example, `ofNode` for one with its own parameters.
 */
export const PICTURES: ReadonlyArray<PanelPicture | FirstScreenPicture | WalkPictures> = [
	{ kind: 'walk', name: 'walk', pictures: WALK_PICTURES },
	{
		kind: 'firstScreen',
		name: 'alert-and-report',
		workflow: readExample('monday-report-by-mail.json'),
		node: 'Report',
	},
	ofNode('charging-sessions', 'chargingSessions', FINISHED, { output: 'table' }),
	ofNode('check-platform', 'chargingNetworkList', { operation: 'checkPlatform' }, { output: 'table' }),
	ofExample('group', 'monday-report-by-mail.json', 'Sessions Worth a Look', { part: filters }),
];
