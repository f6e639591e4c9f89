import type { INodeParameters } from 'n8n-workflow';
import type { Page } from 'playwright-core';

import { areaOf, byTestId, type Area } from './browser.ts';
import type { WorkflowFile } from './client.ts';
import { readExample, workflowOf } from './showcase.ts';

/** A picture of a node's open panel. */
export interface Picture {
	workflow: WorkflowFile;
	/** The node whose panel is opened, by its name in the workflow. */
	node: string;
	/** Only a part of the panel. Otherwise the node is executed first, and its output is beside the parameters, as a table. */
	part?: (page: Page) => Promise<Area>;
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

/** All of the filter, without the parameters above and below. */
async function filters(page: Page): Promise<Area> {
	const form = page.locator(byTestId('fixed-collection-filters')).first();
	return await areaOf([form, page.locator(byTestId('parameter-input-logic')).last()], 12);
}

/** The pictures of panels in docs/images: `<name>.png`, and `<name>-dark.png` for the dark theme. */
export const PICTURES: Readonly<Record<string, Picture>> = {
	'charging-sessions': { workflow: workflowOf('chargingSessions', FINISHED), node: 'chargingSessions' },
	'check-platform': {
		workflow: workflowOf('chargingNetworkList', { operation: 'checkPlatform' }),
		node: 'chargingNetworkList',
	},
	group: { workflow: readExample('monday-report-by-mail.json'), node: 'Sessions Worth a Look', part: filters },
};
