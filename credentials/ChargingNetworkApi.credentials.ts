import type { IAuthenticateGeneric, ICredentialType, Icon, INodeProperties } from 'n8n-workflow';

/** An API key of the charging network platform and the environment it belongs to. Its test is in the nodes (`testedBy`). */
export class ChargingNetworkApi implements ICredentialType {
	name = 'chargingNetworkApi';

	displayName = 'Charging Network API';

	icon: Icon = { light: 'file:../icons/station.svg', dark: 'file:../icons/station.dark.svg' };

	documentationUrl = 'https://github.com/charging-network/n8n-nodes-charging-network#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Environment',
			name: 'environment',
			type: 'options',
			options: [
				{
					name: 'Production',
					value: 'production',
					description: 'The real stations and sessions of your organisation',
				},
				{
					name: 'Test',
					value: 'test',
					description: 'The platform to try things out',
				},
			],
			default: 'production',
			description: 'Which of the two platforms to use. Each has its own base URL; enter a key that was created in the same one.',
		},
		{
			displayName: 'Base URL',
			name: 'productionUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'https://api.example.com',
			description:
				'The address of the production platform, as you received it with the API key. Enter it up to the host name: the nodes add /api/… themselves.',
			displayOptions: { show: { environment: ['production'] } },
		},
		{
			displayName: 'Base URL',
			name: 'testUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'https://api-test.example.com',
			description:
				'The address of the test platform, as you received it with the API key. Enter it up to the host name: the nodes add /api/… themselves.',
			displayOptions: { show: { environment: ['test'] } },
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description:
				'A company admin creates it on the API keys page of the operator portal, where it is shown once. For these nodes it needs the scopes charging-sessions:read and charging-stations:read. Give each n8n its own key: the platform’s audit trail names the key.',
		},
		{
			displayName: 'Allow Plain HTTP',
			name: 'allowHttp',
			type: 'boolean',
			default: false,
			description:
				'Whether the base URL may begin with http:// for a host that is not this machine. The key then travels unencrypted, so switch this on only inside a network of your own.',
		},
	];

	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: {
			headers: {
				'API-KEY': '={{$credentials.apiKey}}',
			},
		},
	};
}
