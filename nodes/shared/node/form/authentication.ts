import type { INodeProperties } from 'n8n-workflow';

/**
 * In whose name the node works. Workflows saved without it use the API key. One value holds for the whole execution, so
 * it takes no expression; the values are those of `AccountKind`. Triggers do not show it: nobody is there whose
 * credentials they could use.
 */
export const authenticationProperty: INodeProperties = {
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
