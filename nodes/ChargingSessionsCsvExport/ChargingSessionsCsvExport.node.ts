import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { testChargingNetworkApi, testChargingNetworkUserApi } from '../shared/platform';
import { SESSIONS } from '../shared/resources';
import { authenticationProperties, eitherCredential } from '../shared/node/form/authentication';
import { methodsOf } from '../shared/node/dropdowns/methods';
import { operationProperties, operationSubtitle } from '../shared/node/panel';
import { runOperations } from '../shared/node/tasks';
import { exportHint } from './builderHint';
import { operations } from './operations';

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
		properties: [...authenticationProperties, ...operationProperties(operations, 'exportByFilter', SESSIONS.noun)],
	};

	methods = {
		credentialTest: { testChargingNetworkApi, testChargingNetworkUserApi },
		...methodsOf(operations),
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runOperations(this, operations);
	}
}
