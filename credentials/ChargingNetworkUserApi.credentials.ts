import type { ICredentialType, Icon, INodeProperties } from 'n8n-workflow';

import { allowHttpProperty, environmentProperties } from '../nodes/shared/platform';

/**
 * A person's email address and password. The nodes sign in with them and keep the token in memory. It has no
 * `authenticate`, so n8n's HTTP Request node, which could not sign in, does not offer it: nothing but these nodes sends
 * the password or a token. Its test is in the nodes (`testedBy`).
 */
export class ChargingNetworkUserApi implements ICredentialType {
	name = 'chargingNetworkUserApi';

	displayName = 'Charging Network Signed-In User API';

	icon: Icon = { light: 'file:../icons/user.svg', dark: 'file:../icons/user.dark.svg' };

	documentationUrl =
		'https://github.com/charging-network/n8n-nodes-charging-network/blob/main/docs/credentials.md#signed-in-user';

	properties: INodeProperties[] = [
		{
			displayName:
				'The platform’s rules say that user credentials should not be built into integrations that run on a server: use an API key wherever you can. This credential is for work that a person starts with an account of their own, for example where an endpoint does not accept API keys. It cannot be used by the triggers.',
			name: 'notice',
			type: 'notice',
			default: '',
		},
		...environmentProperties({ enter: 'enter an account of the same one', received: '' }),
		{
			displayName: 'Email',
			name: 'email',
			type: 'string',
			placeholder: 'e.g. name@email.com',
			required: true,
			default: '',
			description: 'The email address you sign in to the operator portal with',
		},
		{
			displayName: 'Password',
			name: 'password',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description:
				'The password of this account. Accounts that ask for a second factor cannot be used: nobody could enter the code while a workflow runs.',
		},
		{
			displayName: 'Token Field',
			name: 'answerField',
			type: 'string',
			default: '',
			placeholder: 'e.g. data.session.key',
			description:
				'Only needed if the test finds no token: the name of the field that holds it in the answer to the sign-in, or its path with dots. Leave empty to try the usual names, such as token and access_token.',
		},
		allowHttpProperty('password'),
	];
}
