import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import { countOperation, getManyOperation } from '../shared/list/listOperations';
import { operationSubtitle } from '../shared/operation/panel';
import { actionNode } from '../shared/operation/actionNode';
import { STATIONS } from '../shared/resources';
import { fixedListParameter } from '../shared/list/list';
import { stationsHint } from './builderHint';
import { availability } from './availability';
import { getChargePoints } from './chargePoints';
import { get } from './get';

const list = fixedListParameter(STATIONS);
const operations = [getManyOperation(list), get, getChargePoints, countOperation(list), availability];
const { common, methods, execute } = actionNode(operations, 'getAll', STATIONS);

/** Charging Stations: Get Many, Get, Get Charge Points, Count and Availability. */
export class ChargingStations implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Charging Stations',
		name: 'chargingStations',
		icon: { light: 'file:../../icons/station.svg', dark: 'file:../../icons/station.dark.svg' },
		subtitle: operationSubtitle(operations),
		description:
			'Find, read and count the charging stations of your network and their charge points, and compute uptime',
		builderHint: stationsHint,
		defaults: { name: 'Charging Stations' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		...common,
	};

	methods = methods;
	execute = execute;
}
