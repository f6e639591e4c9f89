import type { INodeProperties } from 'n8n-workflow';

/**
 * In whose name the node works. Workflows saved without it use the API key. One value holds for the whole execution, so
 * it takes no expression; the values are those of `AccountKind`. Triggers do not show it: nobody is there whose
 * credentials they could use.
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
			description: 'For everything that runs by itself',
		},
		{
			name: 'Signed-In User',
			value: 'signedInUser',
			description: 'For work that a person starts, with that person’s account',
		},
	],
	default: 'apiKey',
};

/** The editor chooses the newest credential of both kinds for a new node, so a node says when it took that of a person. */
const signedInNotice: INodeProperties = {
	displayName:
		'This node uses the account of a person. In a workflow that runs by itself, choose a credential with an API key above.',
	name: 'signedInNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { authentication: ['signedInUser'] } },
};

export const authenticationProperties: readonly INodeProperties[] = [choice, signedInNotice];
