import { createHash } from 'crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { hasInvisibleCharacter, isBlank, quote } from '../../text';
import { readBaseUrl } from './baseUrl';
import { PlatformError } from '../answers/errors';
import type { ConnectionInfo, AccountKind, Environment } from '../types';

/** The internal names of the credentials. Saved workflows depend on them. */
export const CREDENTIAL_TYPES = {
	apiKey: 'chargingNetworkApi',
	signedInUser: 'chargingNetworkUserApi',
} as const satisfies Record<AccountKind, string>;

/** A credential's settings, checked, and corrected where that is unambiguous. */
export interface CredentialSettings extends ConnectionInfo {
	/** Sentences for the user about the base URL. */
	notes: string[];
	/** The credential with the API key or email address trimmed, as it is sent. */
	credential: ICredentialDataDecryptedObject;
	/**
	 * A hash of base URL and API key, or of all that signs a user in, password included. Caches and holds belong to it:
	 * another user of a shared n8n who knows only the email address neither sees nor disturbs them.
	 */
	keyId: string;
}

/**
 * Reads the fields of either credential.
 *
 * @throws PlatformError of kind configuration that names the field and says what to enter
 */
export function readCredential(
	account: AccountKind,
	credential: ICredentialDataDecryptedObject,
): CredentialSettings | UserSettings {
	return account === 'apiKey' ? readKeyCredential(credential) : readUserCredential(credential);
}

function readKeyCredential(credential: ICredentialDataDecryptedObject): CredentialSettings {
	const apiKey = typeof credential.apiKey === 'string' ? credential.apiKey.trim() : '';
	if (apiKey === '') {
		throw new PlatformError('configuration', 'The credential has no API key', {
			description:
				'Paste the key into the field API Key of the credential. A company admin creates keys on the API keys page of the operator portal.',
		});
	}
	// Only what an HTTP header can carry: copied keys may contain typographic quotes and invisible characters.
	if (!/^[\x21-\x7e]+$/.test(apiKey)) {
		throw new PlatformError('configuration', 'The API key contains a space or a character that cannot be sent', {
			description: 'Copy the key again from where it was shown and paste it into the credential.',
		});
	}
	const address = readAddress(credential, 'API key');
	return {
		account: 'apiKey',
		...address,
		credential: { ...credential, apiKey },
		secrets: [apiKey],
		keyId: hash(address.baseUrl, apiKey),
	};
}

/** What is needed to sign a user in. */
export interface UserSettings extends CredentialSettings {
	email: string;
	password: string;
	/** The name or dotted path of the token in the answer, if the user gives one. */
	answerField: string;
}

/**
 * Reads the fields of a signed-in user's credential.
 *
 * @throws PlatformError of kind configuration that names the field and says what to enter
 */
function readUserCredential(credential: ICredentialDataDecryptedObject): UserSettings {
	const text = (name: string) => (typeof credential[name] === 'string' ? credential[name] : '');
	const email = text('email').trim();
	// Not trimmed: a password may begin or end with a space.
	const password = text('password');
	const missing = email === '' ? 'email address' : password === '' ? 'password' : undefined;
	if (missing !== undefined) {
		throw new PlatformError('configuration', `The credential has no ${missing}`, {
			description: 'Enter the email address and password you use to sign in to the operator portal.',
		});
	}
	if (hasInvisibleCharacter(email) || /\s/.test(email)) {
		throw new PlatformError('configuration', 'The email address contains a space or a character that cannot be seen', {
			description:
				'It was copied along. Delete the whole text in the field Email of the credential, and type the address.',
		});
	}
	const address = readAddress(credential, 'password');
	const { baseUrl } = address;
	const answerField = text('answerField').trim();
	return {
		account: 'signedInUser',
		...address,
		credential: { ...credential, email },
		secrets: [password],
		keyId: hash(baseUrl, 'user', email.toLowerCase(), password, answerField),
		email,
		password,
		answerField,
	};
}

function readAddress(credential: ICredentialDataDecryptedObject, secret: string) {
	const environment = readEnvironment(credential.environment);
	const text = environment === 'test' ? credential.testUrl : credential.productionUrl;
	const label = `The base URL of the ${environment} environment`;
	return { environment, ...readBaseUrl(text, { allowHttp: credential.allowHttp === true, label, secret }) };
}

/** An expression may give it. A credential saved by other means than the dialog may have none. */
function readEnvironment(given: unknown = 'production'): Environment {
	const name = typeof given === 'string' ? given.trim().toLowerCase() : given;
	if (name === 'production' || name === 'test') return name;
	const what = isBlank(given)
		? 'no environment'
		: `the environment ${quote(given)}, which is neither production nor test`;
	throw new PlatformError('configuration', `The credential has ${what}`, {
		description:
			'In the credential, choose Production or Test in the field Environment. An expression must give one of them.',
	});
}

function hash(...parts: string[]): string {
	return createHash('sha256').update(parts.join('\n')).digest('hex');
}
