import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { countOperation, getManyOperation } from '../shared/node/listOperations';
import type { ListChoice } from '../shared/node/listOperations';
import {
	chosenNetworkList,
	dependingOnList,
	LIST_NAME,
	NETWORK_LIST,
	networkListProperty,
	readNetworkList,
} from '../shared/node/networkList';
import { searchNetworkLists } from '../shared/node/dropdowns/networkLists';
import { operationProperties, operationSubtitle } from '../shared/node/operation';
import { runOperations } from '../shared/node/tasks';
import { testChargingNetworkApi, testChargingNetworkUserApi } from '../shared/platform';
import type { Subject } from '../shared/summary/properties';
import { groupOrders, summarizeOperation } from '../shared/summary/summarize';
import { authenticationProperties, eitherCredential } from '../shared/node/form/authentication';
import { dropdowns } from '../shared/node/dropdowns/methods';
import { listLoadOptions } from '../shared/node/dropdowns/liveRows';
import { networkListHint } from './builderHint';
import { checkPlatformOperation } from './check/checkPlatform';

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
	checkPlatformOperation,
];

/** Charging Network List: Get Many, Count and Summarize of any other list of the platform, and Check Platform. */
export class ChargingNetworkList implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Charging Network List',
		name: 'chargingNetworkList',
		icon: { light: 'file:../../icons/list.svg', dark: 'file:../../icons/list.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle: operationSubtitle(operations, LIST_NAME),
		description:
			'Find, read, count and summarize the rows of any other list of the platform: tariffs, users, the audit trail. Or check what the platform does.',
		builderHint: networkListHint,
		defaults: { name: 'Charging Network List' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: eitherCredential,
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
