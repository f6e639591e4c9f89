import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import { SESSIONS } from '../shared/resources';
import { actionNode } from '../shared/operation/actionNode';
import { operationSubtitle } from '../shared/operation/panel';
import { exportHint } from './builderHint';
import { operations } from './operations';

const { common, methods, execute } = actionNode(operations, 'exportByFilter', SESSIONS);

export class ChargingSessionsCsvExport implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Charging Sessions CSV Export',
		name: 'chargingSessionsCsvExport',
		icon: { light: 'file:../../icons/export.svg', dark: 'file:../../icons/export.dark.svg' },
		subtitle: operationSubtitle(operations),
		description:
			'Export charging sessions, by a filter or by their IDs, to a CSV file. Returns the file and how many sessions are in it, not the sessions.',
		builderHint: exportHint,
		defaults: { name: 'Charging Sessions CSV Export' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		...common,
	};

	methods = methods;
	execute = execute;
}
