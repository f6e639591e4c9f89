import type {
	IExecuteFunctions,
	INodeCredentialDescription,
	INodeExecutionData,
	INodeProperties,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { testChargingNetworkApi, testChargingNetworkUserApi } from '../platform';
import type { ListResource } from '../resources';
import { methodsOf } from '../parameters/dropdown';
import { operationProperties, type Operation } from './panel';
import { runOperations } from './run';

/**
 * Which account the node uses. Workflows saved without it use the API key. It applies to the whole execution, so it
 * takes no expression; the values are those of `AccountKind`. Triggers do not show it: they run without a user.
 */
const choice: INodeProperties = {
	displayName: 'Authentication',
	name: 'authentication',
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'API Key',
			value: 'apiKey',
			description: 'For workflows that run unattended',
		},
		{
			name: 'Signed-In User',
			value: 'signedInUser',
			description: 'For workflows a person starts, with their own account',
		},
	],
	default: 'apiKey',
};

/** The editor gives a new node the newest credential of either kind, so the node says when it is a person's. */
const signedInNotice: INodeProperties = {
	displayName:
		'This node uses a person’s account. In a workflow that runs unattended, choose a credential with an API key above.',
	name: 'signedInNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { authentication: ['signedInUser'] } },
};

export const authenticationProperties: readonly INodeProperties[] = [choice, signedInNotice];

/** One node repeats them, see ChargingSessions.node.ts. */
const eitherCredential: INodeCredentialDescription[] = [
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
];

/** What n8n asks of an action node. Its names, icon, subtitle and inputs are in the `.node.ts`: n8n's lint reads them there. */
export function actionNode(operations: readonly Operation[], usual: string, { noun }: ListResource) {
	const common = {
		group: ['input'],
		version: 1,
		outputs: [NodeConnectionTypes.Main],
		credentials: eitherCredential,
		properties: [...authenticationProperties, ...operationProperties(operations, usual, noun)],
	} satisfies Partial<INodeTypeDescription>;
	return {
		common,
		methods: {
			credentialTest: { testChargingNetworkApi, testChargingNetworkUserApi },
			...methodsOf(operations),
		},
		async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
			return await runOperations(this, operations);
		},
	};
}
