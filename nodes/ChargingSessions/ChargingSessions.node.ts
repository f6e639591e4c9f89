import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { operationProperties } from '../shared/node/properties';
import { runOperations } from '../shared/node/run';
import { testChargingNetworkApi, testChargingNetworkUserApi } from '../shared/platform/account/credentialTest';
import { authenticationProperty } from '../shared/node/form/authentication';
import { listLoadOptions } from '../shared/node/dropdowns/liveRows';
import { count } from './operations/count';
import { get } from './get';
import { getAll } from './operations/getAll';
import { sessionList } from './operations/kind';
import { summary } from './summarize';

const operations = [getAll, get, count, summary];

/** Charging Sessions: Get Many, Get, Count and Summarize. */
export class ChargingSessions implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Charging Sessions',
		name: 'chargingSessions',
		icon: { light: 'file:../../icons/session.svg', dark: 'file:../../icons/session.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle:
			'={{ { count: "count", get: "get", getAll: "get many", summary: "summarize" }[$parameter["operation"]] }}',
		description: 'Find, read, count and summarize the charging sessions of your network',
		defaults: { name: 'Charging Sessions' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{
				name: 'chargingNetworkApi',
				required: true,
				testedBy: 'testChargingNetworkApi',
				displayOptions: { show: { authentication: ['apiKey'] } },
			},
			{
				name: 'chargingNetworkUserApi',
				required: true,
				testedBy: 'testChargingNetworkUserApi',
				displayOptions: { show: { authentication: ['signedInUser'] } },
			},
		],
		properties: [authenticationProperty, ...operationProperties(operations, 'getAll', sessionList.catalogue.noun)],
	};

	methods = {
		credentialTest: { testChargingNetworkApi, testChargingNetworkUserApi },
		loadOptions: listLoadOptions(sessionList.catalogue, sessionList.endpoint),
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runOperations(this, operations);
	}
}
