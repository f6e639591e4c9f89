import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { countOperation, getManyOperation } from '../shared/node/listOperations';
import type { ListChoice } from '../shared/node/listOperations';
import {
	chosenNetworkList,
	dependingOnList,
	NETWORK_LIST,
	networkListProperty,
	readNetworkList,
	searchNetworkLists,
} from '../shared/node/networkList';
import { operationProperties } from '../shared/node/operation';
import { runOperations } from '../shared/node/tasks';
import { testChargingNetworkApi, testChargingNetworkUserApi } from '../shared/platform';
import { groupOrders, summarizeOperation, type Subject } from '../shared/summary/summarize';
import { authenticationProperties } from '../shared/node/form/authentication';
import { dropdowns } from '../shared/node/dropdowns/methods';
import { listLoadOptions } from '../shared/node/dropdowns/liveRows';
import { networkListHint } from './builderHint';

const choice: ListChoice = { property: networkListProperty, read: readNetworkList };
const SUMMARIZED: Subject = {
	list: NETWORK_LIST,
	choice,
	rows: 'rows',
	defaultGroups: [],
	timeNames: { first: 'firstDate', last: 'lastDate', without: 'withoutDate' },
};
const operations = [
	getManyOperation(NETWORK_LIST, choice),
	countOperation(NETWORK_LIST, choice),
	summarizeOperation(SUMMARIZED),
];

/** Charging Network List: Get Many, Count and Summarize of any other list of the platform. */
export class ChargingNetworkList implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Charging Network List',
		name: 'chargingNetworkList',
		icon: { light: 'file:../../icons/list.svg', dark: 'file:../../icons/list.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle: '={{ { count: "count", getAll: "get many", summary: "summarize" }[$parameter["operation"]] }}',
		description:
			'Find, read, count and summarize the rows of any other list of the platform: tariffs, users, the audit trail',
		builderHint: networkListHint,
		defaults: { name: 'Charging Network List' },
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
		properties: [
			...authenticationProperties,
			...dependingOnList(operationProperties(operations, 'getAll', NETWORK_LIST.noun)),
		],
	};

	methods = {
		credentialTest: { testChargingNetworkApi, testChargingNetworkUserApi },
		...dropdowns({
			loadOptions: { ...listLoadOptions(NETWORK_LIST, chosenNetworkList), getGroupOrders: groupOrders(SUMMARIZED) },
			listSearch: { searchNetworkLists },
		}),
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runOperations(this, operations);
	}
}
