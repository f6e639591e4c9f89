import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import { countOperation, getManyOperation } from '../shared/list/listOperations';
import { operationSubtitle } from '../shared/operation/panel';
import { actionNode } from '../shared/operation/actionNode';
import { SESSIONS } from '../shared/resources';
import { fixedListParameter } from '../shared/list/list';
import { sessionsHint } from './builderHint';
import { get } from './get';
import type { SummarySubject } from '../shared/summary/parameters';
import { summarizeOperation } from '../shared/summary/summarize';

const list = fixedListParameter(SESSIONS);
const SUMMARIZED: SummarySubject = {
	list,
	rows: 'sessions',
	dateField: 'StartedAtUtc',
	defaultMeasures: [
		{ field: 'EnergyConsumed', function: 'sum' },
		{ field: 'EnergyConsumed', function: 'missing' },
	],
	defaultGroups: ['status', 'day'],
	timeNames: { first: 'firstStartedAt', last: 'lastStartedAt', without: 'withoutStart' },
};
const operations = [getManyOperation(list), get, countOperation(list), summarizeOperation(SUMMARIZED)];
const { common, methods, execute } = actionNode(operations, 'getAll', SESSIONS);

/** Charging Sessions: Get Many, Get, Count and Summarize. */
export class ChargingSessions implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Charging Sessions',
		name: 'chargingSessions',
		icon: { light: 'file:../../icons/session.svg', dark: 'file:../../icons/session.dark.svg' },
		subtitle: operationSubtitle(operations),
		description: 'Find, read, count and summarize the charging sessions of your network',
		builderHint: sessionsHint,
		defaults: { name: 'Charging Sessions' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		...common,
		// As in `common`. n8n's lint looks for the tests of both in a node's own text.
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
	};

	methods = methods;
	execute = execute;
}
