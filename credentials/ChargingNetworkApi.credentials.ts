import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	Icon,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { allowHttpProperty, authenticateKey, environmentProperties } from '../nodes/shared/platform';

/** An API key of the charging network platform and its environment. Its test is in the nodes (`testedBy`). */
export class ChargingNetworkApi implements ICredentialType {
	name = 'chargingNetworkApi';

	displayName = 'Charging Network API';

	icon: Icon = { light: 'file:../icons/station.svg', dark: 'file:../icons/station.dark.svg' };

	documentationUrl = 'https://github.com/charging-network/n8n-nodes-charging-network/blob/main/docs/credentials.md';

	properties: INodeProperties[] = [
		...environmentProperties({ enter: 'enter a key that was created in the same one', received: ' with the API key' }),
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
		allowHttpProperty('key'),
	];

	/** A function: an expression would be evaluated for each request and take a fifth of its CPU time. */
	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		return authenticateKey(credentials, requestOptions);
	}
}
