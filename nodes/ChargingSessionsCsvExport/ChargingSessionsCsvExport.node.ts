import chunk from 'lodash/chunk';
import cloneDeep from 'lodash/cloneDeep';
import range from 'lodash/range';
import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { testChargingNetworkApi, testChargingNetworkUserApi } from '../shared/platform';
import { SESSIONS } from '../shared/resources';
import { authenticationProperties, eitherCredential } from '../shared/node/form/authentication';
import { dropdowns } from '../shared/node/dropdowns/methods';
import { listLoadOptions } from '../shared/node/dropdowns/liveRows';
import { operationSubtitle } from '../shared/node/operation';
import { runTasks } from '../shared/node/tasks';
import { exportHint } from './builderHint';
import { exportFiles, type ExportOutcome } from './exportFiles';
import { operations, properties } from './parameters';
import { gathersItems, readRequest } from './request';

export class ChargingSessionsCsvExport implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Charging Sessions CSV Export',
		name: 'chargingSessionsCsvExport',
		icon: { light: 'file:../../icons/export.svg', dark: 'file:../../icons/export.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle: operationSubtitle(operations),
		description:
			'Export charging sessions, by a filter or by their IDs, to a CSV file. Returns the file and how many sessions are in it, not the sessions.',
		builderHint: exportHint,
		defaults: { name: 'Charging Sessions CSV Export' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: eitherCredential,
		properties: [...authenticationProperties, ...properties],
	};

	methods = {
		credentialTest: { testChargingNetworkApi, testChargingNetworkUserApi },
		...dropdowns({ loadOptions: listLoadOptions(SESSIONS) }),
	};

	/** Exports once per distinct input item, or once for all items when they supply the session ids. */
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const items = range(this.getInputData().length);
		const output = await runTasks<ExportOutcome>(this, {
			units: gathersItems(this) ? [items] : chunk(items, 1),
			prepare: (itemIndex) => {
				const request = readRequest(this, itemIndex);
				return {
					key: JSON.stringify(request),
					platformOptions: request.platformOptions,
					run: async (connection) => await exportFiles(this, connection, request),
				};
			},
			toItems: ({ files }, share) => (share ? cloneDeep(files) : files),
			hintsOf: ({ hints }) => hints,
		});
		return [output];
	}
}
