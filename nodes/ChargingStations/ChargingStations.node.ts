import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { countOperation, getManyOperation } from '../shared/node/listOperations';
import { operationProperties, operationSubtitle } from '../shared/node/panel';
import { runOperations } from '../shared/node/tasks';
import { testChargingNetworkApi, testChargingNetworkUserApi } from '../shared/platform';
import { authenticationProperties, eitherCredential } from '../shared/node/form/authentication';
import { STATIONS } from '../shared/resources';
import { methodsOf } from '../shared/node/dropdowns/methods';
import { givenList } from '../shared/parameters/list';
import { stationsHint } from './builderHint';
import { availability } from './availability';
import { getChargePoints } from './chargePoints';
import { get } from './get';

const list = givenList(STATIONS);
const operations = [getManyOperation(list), get, getChargePoints, countOperation(list), availability];

/** Charging Stations: Get Many, Get, Get Charge Points, Count and Availability. */
export class ChargingStations implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Charging Stations',
		name: 'chargingStations',
		icon: { light: 'file:../../icons/station.svg', dark: 'file:../../icons/station.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle: operationSubtitle(operations),
		description:
			'Find, read and count the charging stations of your network and their charge points, and compute uptime',
		builderHint: stationsHint,
		defaults: { name: 'Charging Stations' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: eitherCredential,
		properties: [...authenticationProperties, ...operationProperties(operations, 'getAll', STATIONS.noun)],
	};

	methods = {
		credentialTest: { testChargingNetworkApi, testChargingNetworkUserApi },
		...methodsOf(operations),
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runOperations(this, operations);
	}
}
