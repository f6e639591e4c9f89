import type { IAllExecuteFunctions, IExecuteFunctions, ILoadOptionsFunctions, IPollFunctions } from 'n8n-workflow';

import { MINUTE_MS } from '../dsquery/values/durations';
import { CREDENTIAL_TYPES, readCredential, type CredentialSettings } from './account/credential';
import { PlatformError } from './answers/errors';
import { Connection } from './connection';
import type { AccountKind, Caller, PlatformOptions } from './types';

/** What n8n hands to a node that can talk to the platform. */
type PlatformContext = IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions;

/** Used where the user leaves the options alone. */
export const DEFAULT_OPTIONS: PlatformOptions = { timeoutMs: MINUTE_MS, maxRateLimitWaitMs: 5 * MINUTE_MS };

/**
 * Connects to the platform with the node's credential. n8n authenticates every request with the credential of item 0,
 * so credential and base URL are resolved once, for item 0: otherwise the key could be sent to another item's host.
 *
 * @throws PlatformError of kind configuration when the credential cannot be used
 */
export async function openConnection(
	context: PlatformContext,
	options: Partial<PlatformOptions> = {},
): Promise<Connection> {
	const isExecution = 'getInputData' in context;
	const isEditor = !isExecution && 'getCurrentNodeParameter' in context;
	const account = accountOf(context);
	const settings = readCredential(account, await context.getCredentials(CREDENTIAL_TYPES[account], 0));
	return new Connection(settings, {
		send: senderOf(context, settings),
		isEditor,
		isPoll: !isExecution && !isEditor,
		// All dropdowns together: each that is opened would try a wrong password once more.
		person: isEditor ? 'editor' : personOf(context),
		signal: 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined,
		options: { ...DEFAULT_OPTIONS, ...options },
		zone: context.getTimezone(),
	});
}

/** The run of a person who tries a workflow. */
function personOf(context: PlatformContext): string | undefined {
	if (context.getMode?.() !== 'manual') return undefined;
	return context.getExecutionId?.() ?? `run ${performance.now()}`;
}

/**
 * The account the node uses: one for the whole execution, as n8n authenticates every item with the credential of item
 * 0. Workflows saved before there was a choice use the API key, and so do the triggers, which offer none.
 */
function accountOf(context: PlatformContext): AccountKind {
	let chosen: unknown;
	if ('getInputData' in context) chosen = context.getNodeParameter('authentication', 0, 'apiKey');
	else if ('getCurrentNodeParameter' in context) chosen = context.getCurrentNodeParameter('authentication');
	if (chosen === 'signedInUser') return chosen;
	if (chosen === 'apiKey' || chosen === undefined || chosen === null) return 'apiKey';
	throw new PlatformError('configuration', `The node cannot sign in with “${String(chosen).slice(0, 80)}”`, {
		description: 'Choose API Key or Signed-In User in the field Authentication.',
	});
}

/** n8n's helper that adds the API key; for a signed-in user, the one that adds nothing. */
function senderOf(context: PlatformContext, { account, credential }: CredentialSettings): Caller['send'] {
	const { helpers } = context;
	if (account === 'signedInUser') return async (request) => (await helpers.httpRequest(request)) as unknown;
	const type = CREDENTIAL_TYPES[account];
	// The credential as first read: if it is edited meanwhile, the key must not go to another host.
	const credentialsDecrypted = { id: '', name: '', type, data: credential };
	return async (request, signal) => {
		// n8n prefers the context's own signal to ours, so the context is made to return ours.
		const watched = Object.create(context, {
			getExecutionCancelSignal: { value: () => signal },
		}) as IAllExecuteFunctions;
		return await helpers.httpRequestWithAuthentication.call(watched, type, request, { credentialsDecrypted });
	};
}
