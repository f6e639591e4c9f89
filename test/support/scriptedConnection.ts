import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { readCredential } from '../../nodes/shared/platform/account/credential';
import { PlatformError } from '../../nodes/shared/platform/answers/errors';
import { Connection } from '../../nodes/shared/platform/connection';
import { createListEndpoint } from '../../nodes/shared/platform/http/endpoint';
import type { AccountKind, PlatformAnswer, Caller } from '../../nodes/shared/platform/types';
import { SESSIONS } from '../../nodes/shared/resources';
import { API_KEY, ownKey } from './scriptedServer.ts';

/** What the platform answers. A body that is no text is sent as JSON. */
export interface Scripted {
	status?: number;
	headers?: Record<string, string>;
	body?: unknown;
}
type Script = (request: IHttpRequestOptions, index: number) => Scripted | Promise<Scripted>;

/** How a caller is another one than that of `callerOf`. */
export type CallerOptions = Partial<Omit<Caller, 'options'> & Caller['options']>;

/** An execution that waits up to a minute. */
export const callerOf = ({
	timeoutMs = 60_000,
	maxRateLimitWaitMs = 60_000,
	...caller
}: CallerOptions = {}): Caller => ({
	send: async () => await Promise.resolve(),
	isEditor: false,
	isPoll: false,
	zone: 'utc',
	options: { timeoutMs, maxRateLimitWaitMs },
	...caller,
});

/** Connections to a platform that answers as the test says, without HTTP. */
export class ScriptedPlatform {
	readonly requests: IHttpRequestOptions[] = [];
	private script: Script = () => ({});

	/** Forgets earlier requests and answers so from now on. */
	answer(script: Script): void {
		this.requests.length = 0;
		this.script = script;
	}

	/** A connection with a key of its own, as a hold belongs to it, or with what the test says. */
	connect(fields: ICredentialDataDecryptedObject = {}, options?: CallerOptions): Connection {
		const account: AccountKind = 'password' in fields ? 'signedInUser' : 'apiKey';
		const address = { environment: 'test', testUrl: 'https://api.example.com', apiKey: ownKey() };
		const send = async (request: IHttpRequestOptions) => await this.respond(request);
		return new Connection(readCredential(account, { ...address, ...fields }), callerOf({ send, ...options }));
	}

	private async respond(request: IHttpRequestOptions): Promise<unknown> {
		const { status = 200, headers = {}, body = '' } = await this.script(request, this.requests.push(request) - 1);
		return { statusCode: status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) };
	}
}

/** The answer to a list request. */
export const page = (rows: object[], totalCount: unknown = rows.length): Scripted => ({
	body: { Items: rows, TotalCount: totalCount },
});

/** The PlatformError that a promise ends with. */
export async function errorOf(promise: Promise<unknown>): Promise<PlatformError> {
	const error: unknown = await promise.then(
		() => undefined,
		(thrown: unknown) => thrown,
	);
	if (error instanceof PlatformError) return error;
	throw new Error(`A PlatformError was expected, but this came: ${String(error)}`);
}

/** A refused list request. */
export const REFUSAL: PlatformAnswer = {
	status: 400,
	body: '',
	headers: {},
	endpoint: createListEndpoint(SESSIONS),
	baseUrl: 'https://api.example.com',
	environment: 'test',
	account: 'apiKey',
	secrets: [API_KEY],
};
