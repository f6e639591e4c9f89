import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { countOperation, getManyOperation } from '../shared/node/listOperations';
import { operationProperties, operationSubtitle } from '../shared/node/panel';
import { runOperations } from '../shared/node/tasks';
import { testChargingNetworkApi, testChargingNetworkUserApi } from '../shared/platform';
import { authenticationProperties, eitherCredential } from '../shared/node/form/authentication';
import { LOCATIONS } from '../shared/resources';
import { methodsOf } from '../shared/node/dropdowns/methods';
import { givenList } from '../shared/parameters/list';
import { locationsHint } from './builderHint';

const list = givenList(LOCATIONS);
const operations = [getManyOperation(list), countOperation(list)];

/** Charging Locations: Get Many and Count. */
export class ChargingLocations implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Charging Locations',
		name: 'chargingLocations',
		icon: { light: 'file:../../icons/location.svg', dark: 'file:../../icons/location.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle: operationSubtitle(operations),
		description: 'Find, read and count the locations of your charging network',
		builderHint: locationsHint,
		defaults: { name: 'Charging Locations' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: eitherCredential,
		properties: [...authenticationProperties, ...operationProperties(operations, 'getAll', LOCATIONS.noun)],
	};

	methods = {
		credentialTest: { testChargingNetworkApi, testChargingNetworkUserApi },
		...methodsOf(operations),
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runOperations(this, operations);
	}
}
