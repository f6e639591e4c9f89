import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import { countOperation, getManyOperation } from '../shared/list/listOperations';
import { operationSubtitle } from '../shared/operation/panel';
import { actionNode } from '../shared/operation/actionNode';
import { LOCATIONS } from '../shared/resources';
import { fixedListParameter } from '../shared/list/list';
import { locationsHint } from './builderHint';

const list = fixedListParameter(LOCATIONS);
const operations = [getManyOperation(list), countOperation(list)];
const { common, methods, execute } = actionNode(operations, 'getAll', LOCATIONS);

/** Charging Locations: Get Many and Count. */
export class ChargingLocations implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Charging Locations',
		name: 'chargingLocations',
		icon: { light: 'file:../../icons/location.svg', dark: 'file:../../icons/location.dark.svg' },
		subtitle: operationSubtitle(operations),
		description: 'Find, read and count the locations of your charging network',
		builderHint: locationsHint,
		defaults: { name: 'Charging Locations' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		...common,
	};

	methods = methods;
	execute = execute;
}
