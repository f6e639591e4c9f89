import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { countOperation, getManyOperation } from '../shared/node/listOperations';
import { chosenList, LIST_NAME } from '../shared/parameters/chosenList';
import { operationProperties, operationSubtitle } from '../shared/node/panel';
import { runOperations } from '../shared/node/tasks';
import { testChargingNetworkApi, testChargingNetworkUserApi } from '../shared/platform';
import type { Subject } from '../shared/summary/parameters';
import { summarizeOperation } from '../shared/summary/summarize';
import { authenticationProperties, eitherCredential } from '../shared/node/form/authentication';
import { methodsOf } from '../shared/node/dropdowns/methods';
import { networkListHint } from './builderHint';
import { checkPlatformOperation } from './check/checkPlatform';

const SUMMARIZED: Subject = {
	list: chosenList,
	rows: 'rows',
	defaultGroups: [],
	timeNames: { first: 'firstDate', last: 'lastDate', without: 'withoutDate' },
};
const operations = [
	getManyOperation(chosenList),
	countOperation(chosenList),
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
		properties: [...authenticationProperties, ...operationProperties(operations, 'getAll', chosenList.common.noun)],
	};

	methods = {
		credentialTest: { testChargingNetworkApi, testChargingNetworkUserApi },
		...methodsOf(operations),
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runOperations(this, operations);
	}
}
