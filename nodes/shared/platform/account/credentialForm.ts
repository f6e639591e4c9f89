import type { INodeProperties } from 'n8n-workflow';

/**
 * Environment and base URLs, as both credentials show them.
 *
 * @param text.enter what to enter for the chosen environment: "enter a key that was created in the same one"
 * @param text.received how the address was received: " with the API key"
 */
export function environmentProperties(text: { enter: string; received: string }): INodeProperties[] {
	return [
		{
			displayName: 'Environment',
			name: 'environment',
			type: 'options',
			options: [
				{
					name: 'Production',
					value: 'production',
					description: 'The real stations and sessions of your organization',
				},
				{
					name: 'Test',
					value: 'test',
					description: 'The platform to try things out',
				},
			],
			default: 'production',
			description: `Which of the two platforms to use. Each has its own base URL; ${text.enter}.`,
		},
		baseUrlProperty('production', text.received),
		baseUrlProperty('test', text.received),
	];
}

function baseUrlProperty(environment: 'production' | 'test', received: string): INodeProperties {
	const isTest = environment === 'test';
	return {
		displayName: 'Base URL',
		name: isTest ? 'testUrl' : 'productionUrl',
		type: 'string',
		required: true,
		default: '',
		placeholder: isTest ? 'e.g. https://api-test.example.com' : 'e.g. https://api.example.com',
		description: `The address of the ${environment} platform, as you received it${received}. Enter it up to the host name: the nodes add /api/… themselves.`,
		displayOptions: { show: { environment: [environment] } },
	};
}

/** Allow Plain HTTP. `secret` is what would travel unencrypted. */
export function allowHttpProperty(secret: string): INodeProperties {
	return {
		displayName: 'Allow Plain HTTP',
		name: 'allowHttp',
		type: 'boolean',
		default: false,
		description: `Whether the base URL may begin with http:// for a host that is not this machine. The ${secret} then travels unencrypted, so switch this on only inside a network of your own.`,
	};
}
