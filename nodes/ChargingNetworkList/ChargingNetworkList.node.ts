import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import { countOperation, getManyOperation } from '../shared/list/listOperations';
import { chosenList, LIST_NAME } from '../shared/list/chosenList';
import { operationSubtitle } from '../shared/operation/panel';
import type { SummarySubject } from '../shared/summary/parameters';
import { summarizeOperation } from '../shared/summary/summarize';
import { actionNode } from '../shared/operation/actionNode';
import { networkListHint } from './builderHint';
import { checkPlatformOperation } from './check/checkPlatform';

const SUMMARIZED: SummarySubject = {
	list: chosenList,
	rows: 'rows',
	defaultMeasures: [],
	defaultGroups: [],
	timeNames: { first: 'firstDate', last: 'lastDate', without: 'withoutDate' },
};
const operations = [
	getManyOperation(chosenList),
	countOperation(chosenList),
	summarizeOperation(SUMMARIZED),
	checkPlatformOperation,
];
const { common, methods, execute } = actionNode(operations, 'getAll', chosenList.common);

/** Charging Network List: Get Many, Count and Summarize of any other list of the platform, and Check Platform. */
export class ChargingNetworkList implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Charging Network List',
		name: 'chargingNetworkList',
		icon: { light: 'file:../../icons/list.svg', dark: 'file:../../icons/list.dark.svg' },
		subtitle: operationSubtitle(operations, LIST_NAME),
		description:
			'Find, read, count and summarize the rows of any other list of the platform: tariffs, users, the audit trail. Or check what the platform does.',
		builderHint: networkListHint,
		defaults: { name: 'Charging Network List' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		...common,
	};

	methods = methods;
	execute = execute;
}
