import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { writeQuery } from '../dsquery/write';
import { parseJson } from './answerText';
import { readCredential } from './connect';
import type { CredentialSettings } from './connect';
import { listEndpoint, SESSIONS_LIST, STATIONS_LIST } from './endpoints';
import { readPage } from './envelope';
import { PlatformError } from './errors';
import { gates } from './gate';
import { networkFault, timedOut } from './networkFault';
import { SLICE_MS } from './pause';
import { describeRefusal, hostOf } from './refusals';
import type { Refusal } from './refusals';
import { retryAfterMs } from './retryAfter';
import type { ListEndpoint } from './types';

/** Somebody is looking at the dialog; nobody waits longer for a green tick. */
const TIMEOUT_MS = 15_000;

const PROBES = [SESSIONS_LIST, STATIONS_LIST] as const;

/**
 * The test of the credential, registered on the nodes under `methods.credentialTest`: one row of each list. The answer
 * says which environment it reached and what the key can do. A key that merely lacks a scope passes and the scope is
 * named; everything else that keeps the nodes from working gets its own sentence.
 */
export async function testChargingNetworkApi(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	// The only way to the network that n8n gives to a credential test.
	const { request } = this.helpers;
	try {
		const settings = readCredential(credential.data ?? {});
		return await probe(request, settings);
	} catch (error) {
		return { status: 'Error', message: sentenceOf(error) };
	}
}

type LegacyRequest = ICredentialTestFunctions['helpers']['request'];

async function probe(request: LegacyRequest, settings: CredentialSettings): Promise<INodeCredentialTestResult> {
	const readable: string[] = [];
	const missing: PlatformError[] = [];
	const later: PlatformError[] = [];
	for (const list of PROBES) {
		const refusal = await readOneRow(request, settings, list);
		if (refusal === undefined) readable.push(list.plural);
		else if (refusal.kind === 'scope-missing') missing.push(refusal);
		else if (refusal.kind === 'rate-limited') later.push(refusal);
		else throw refusal;
	}
	const [busy] = later;
	if (busy && readable.length === 0 && missing.length === 0) throw busy;

	const { environment, baseUrl, notes } = settings;
	const sentences = [`Reached the ${environment} environment at ${baseUrl}.`];
	if (readable.length > 0) sentences.push(`The key can read ${readable.join(' and ')}.`);
	if (missing.length > 0) {
		const scopes = missing.map(({ scope }) => scope).join(' and ');
		sentences.push(
			`The key is accepted but lacks the scope ${scopes}: nodes that need it will not work until a company admin grants it on the API keys page of the operator portal (takes about a minute).`,
		);
	}
	if (busy) sentences.push('The rate limit was reached, so the rest could not be tried.');
	return { status: 'OK', message: [...sentences, ...notes].join(' ') };
}

/** Why one row of a list cannot be read; undefined when it can. */
async function readOneRow(
	request: LegacyRequest,
	settings: CredentialSettings,
	list: ListEndpoint,
): Promise<PlatformError | undefined> {
	const { baseUrl, apiKey, environment, keyId } = settings;
	const closedMs = gates.remainingMs(keyId);
	if (closedMs > 0) return rateLimited(closedMs);
	const sentAt = Date.now();
	const sending = request({
		method: 'GET',
		uri: baseUrl + list.path,
		qs: { dsquery: writeQuery({ sorts: [], pager: { skip: 0, take: 1 } }) },
		headers: { 'API-KEY': apiKey, Accept: 'application/json' },
		followRedirect: false,
		simple: false,
		resolveWithFullResponse: true,
		timeout: TIMEOUT_MS,
	}) as Promise<{ statusCode: number; headers: Record<string, unknown>; body: unknown }>;
	const outcome = await inTime(sending);
	if (outcome === 'late') return timedOut(hostOf(baseUrl), TIMEOUT_MS);
	if ('thrown' in outcome) return networkFault(outcome.thrown, hostOf(baseUrl), apiKey);

	const { statusCode: status, headers, body } = outcome.value;
	const asked = retryAfterMs(headers, Date.now());
	const refusal: Refusal = {
		status,
		headers,
		body: body ?? '',
		endpoint: listEndpoint(list),
		baseUrl,
		environment,
		apiKey,
		retryAfterMs: asked,
	};
	if (status === 429) return rateLimited(gates.refused(keyId, sentAt, asked));
	const value = typeof body === 'string' ? parseJson(body) : body;
	if (status !== 200 || value === undefined) return describeRefusal(refusal);
	return refusalIn(() => readPage({ body: value, asRefusal: refusal }));
}

function refusalIn(check: () => unknown): PlatformError | undefined {
	try {
		check();
		return undefined;
	} catch (error) {
		return error instanceof PlatformError ? error : new PlatformError('invalid-answer', sentenceOf(error));
	}
}

function rateLimited(waitMs: number): PlatformError {
	return new PlatformError('rate-limited', `The rate limit of the key is used up`, {
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
