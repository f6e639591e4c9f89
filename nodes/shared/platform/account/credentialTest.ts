import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IDataObject,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { writeQuery } from '../../dsquery/write';
import { parseJson } from '../answers/answerText';
import { readCredential, readUserCredential } from './credential';
import type { CredentialSettings, UserSettings } from './credential';
import { listEndpoint } from '../http/endpoint';
import { SESSIONS, STATIONS } from '../../resources';
import type { ListResource } from '../../resources';
import { readPage } from '../answers/envelope';
import { PlatformError } from '../answers/errors';
import { gates } from '../http/gate';
import { networkFault, timedOut } from '../answers/networkFault';
import { SLICE_MS } from '../http/pause';
import { ACCOUNT_NAMES, describeRefusal, hostOf } from '../answers/refusals';
import type { Refusal } from '../answers/refusals';
import { retryAfterMs } from '../answers/retryAfter';
import { readSignIn, SIGN_IN, signInBody } from './signIn';
import type { SignInAnswer } from './signIn';

/** Somebody is looking at the dialog; nobody waits longer for a green tick. */
const TIMEOUT_MS = 15_000;

const PROBES = [SESSIONS, STATIONS] as const;

type Credential = ICredentialsDecrypted<ICredentialDataDecryptedObject>;

/**
 * The test of the API key's credential, registered on the nodes under `methods.credentialTest`: one row of each list.
 * The answer says which environment it reached and what the key can do. A key that merely lacks a scope passes and the
 * scope is named; everything else that keeps the nodes from working gets its own sentence.
 */
export async function testChargingNetworkApi(
	this: ICredentialTestFunctions,
	credential: Credential,
): Promise<INodeCredentialTestResult> {
	// The only way to the network that n8n gives to a credential test.
	const { request } = this.helpers;
	return await verdict(async () => {
		const settings = readCredential('apiKey', credential.data ?? {});
		return await probe({ request, settings, headers: { 'API-KEY': settings.secrets[0] ?? '' } });
	});
}

/**
 * The test of a signed-in user's credential: signs in, then reads one row of each list with the token. Nothing is stored:
 * n8n signs in by itself when a workflow runs.
 */
export async function testChargingNetworkUserApi(
	this: ICredentialTestFunctions,
	credential: Credential,
): Promise<INodeCredentialTestResult> {
	const { request } = this.helpers;
	return await verdict(async () => {
		const settings = readUserCredential(credential.data ?? {});
		const token = await signIn(request, settings);
		settings.secrets.push(token);
		return await probe({ request, settings, headers: { Authorization: `Bearer ${token}` } });
	});
}

async function verdict(test: () => Promise<string>): Promise<INodeCredentialTestResult> {
	try {
		return { status: 'OK', message: await test() };
	} catch (error) {
		return { status: 'Error', message: sentenceOf(error) };
	}
}

type LegacyRequest = ICredentialTestFunctions['helpers']['request'];

interface LegacyOptions {
	method: 'GET' | 'POST';
	uri: string;
	qs?: IDataObject;
	body?: IDataObject;
	json?: boolean;
}

/** Who asks, and how. */
interface Asker {
	request: LegacyRequest;
	settings: CredentialSettings;
	headers: Record<string, string>;
}

async function signIn(request: LegacyRequest, settings: UserSettings): Promise<string> {
	const { baseUrl, keyId } = settings;
	const closedMs = gates.remainingMs(keyId);
	if (closedMs > 0) throw rateLimited(closedMs, settings);
	const answer = await send(
		{ request, settings, headers: { Accept: 'application/json' } },
		{
			method: 'POST',
			uri: baseUrl + SIGN_IN.path,
			body: signInBody(settings),
			json: true,
		},
	);
	return readSignIn(answer, settings);
}

/** What the account can read, as a sentence. */
async function probe(asker: Asker): Promise<string> {
	const { settings } = asker;
	const readable: string[] = [];
	const missing: PlatformError[] = [];
	const later: PlatformError[] = [];
	for (const list of PROBES) {
		const refusal = await readOneRow(asker, list);
		if (refusal === undefined) readable.push(list.plural);
		else if (refusal.kind === 'scope-missing') missing.push(refusal);
		else if (refusal.kind === 'rate-limited') later.push(refusal);
		else throw refusal;
	}
	const [busy] = later;
	if (busy && readable.length === 0 && missing.length === 0) throw busy;

	const { account, environment, baseUrl, notes } = settings;
	const isKey = account === 'apiKey';
	const sentences = [`Reached the ${environment} environment at ${baseUrl}.`];
	if (!isKey) sentences.push('Signing in works.');
	if (readable.length > 0) sentences.push(`The ${isKey ? 'key' : 'user'} can read ${readable.join(' and ')}.`);
	if (missing.length > 0) {
		const scopes = missing.map(({ scope }) => scope).join(' and ');
		sentences.push(
			isKey
				? `The key is accepted but lacks the scope ${scopes}: nodes that need it will not work until a company admin grants it on the API keys page of the operator portal (takes about a minute).`
				: `The user lacks ${scopes}: nodes that need it will not work.`,
		);
	}
	if (busy) sentences.push('The rate limit was reached, so the rest could not be tried.');
	return [...sentences, ...notes].join(' ');
}

/** Why one row of a list cannot be read; undefined when it can. */
async function readOneRow(asker: Asker, list: ListResource): Promise<PlatformError | undefined> {
	const { settings, headers } = asker;
	const { account, baseUrl, environment, keyId, secrets } = settings;
	const closedMs = gates.remainingMs(keyId);
	if (closedMs > 0) return rateLimited(closedMs, settings);
	const sentAt = Date.now();
	const sent = await settled(
		send(
			{ ...asker, headers: { ...headers, Accept: 'application/json' } },
			{
				method: 'GET',
				uri: baseUrl + list.path,
				qs: { dsquery: writeQuery({ sorts: [], pager: { skip: 0, take: 1 } }) },
			},
		),
	);
	if (sent instanceof PlatformError) return sent;

	const { status, headers: answered, body } = sent;
	const asked = retryAfterMs(answered, Date.now());
	const refusal: Refusal = {
		status,
		headers: answered,
		body: body ?? '',
		endpoint: listEndpoint(list),
		baseUrl,
		environment,
		account,
		secrets,
		retryAfterMs: asked,
	};
	if (status === 429) return rateLimited(gates.refused(keyId, sentAt, asked), settings);
	const value = typeof body === 'string' ? parseJson(body) : body;
	if (status !== 200 || value === undefined) return describeRefusal(refusal);
	return refusalIn(() => readPage({ body: value, asRefusal: refusal }, list));
}

/** Sends one request. @throws PlatformError when no answer came */
async function send({ request, settings, headers }: Asker, options: LegacyOptions): Promise<SignInAnswer> {
	const host = hostOf(settings.baseUrl);
	const sending = request({
		...options,
		headers,
		followRedirect: false,
		simple: false,
		resolveWithFullResponse: true,
		timeout: TIMEOUT_MS,
	}) as Promise<{ statusCode: number; headers: Record<string, unknown>; body: unknown }>;
	const outcome = await inTime(sending);
	if (outcome === 'late') throw timedOut(host, TIMEOUT_MS);
	if ('thrown' in outcome) throw networkFault(outcome.thrown, host, settings.secrets);
	const { statusCode: status, headers: answered, body } = outcome.value;
	return { status, headers: answered, body };
}

async function settled(sending: Promise<SignInAnswer>): Promise<SignInAnswer | PlatformError> {
	return await sending.catch((error: unknown) => {
		if (error instanceof PlatformError) return error;
		throw error;
	});
}

function refusalIn(check: () => unknown): PlatformError | undefined {
	try {
		check();
		return undefined;
	} catch (error) {
		return error instanceof PlatformError ? error : new PlatformError('invalid-answer', sentenceOf(error));
	}
}

function rateLimited(waitMs: number, { account }: CredentialSettings): PlatformError {
	const name = account === 'apiKey' ? 'key' : ACCOUNT_NAMES[account];
	return new PlatformError('rate-limited', `The rate limit of the ${name} is used up`, {
		description: `Try again in ${Math.ceil(waitMs / 1_000)} s.`,
		retryAfterMs: waitMs,
	});
}

type Outcome<Value> = { value: Value } | { thrown: unknown } | 'late';

/** n8n's timeout only notices silence; an answer that drips in for longer is not waited for. */
async function inTime<Value>(sending: Promise<Value>): Promise<Outcome<Value>> {
	let outcome: Outcome<Value> | undefined;
	const settled = sending.then(
		(value) => (outcome = { value }),
		(thrown: unknown) => (outcome = { thrown }),
	);
	const deadline = Date.now() + TIMEOUT_MS;
	while (outcome === undefined && Date.now() < deadline) {
		await Promise.race([settled, sleep(SLICE_MS)]);
	}
	return outcome ?? 'late';
}

function sentenceOf(error: unknown): string {
	if (error instanceof PlatformError) return [error.message, error.description].filter(Boolean).join('. ');
	return 'The credential could not be tested';
}
