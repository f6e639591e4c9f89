import upperFirst from 'lodash/upperFirst';
import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { SESSIONS, STATIONS, type ListResource } from '../resources';
import { authenticateKey } from './account/authenticate';
import { readCredential, type CredentialSettings } from './account/credential';
import { forgetToken } from './account/tokens';
import { PlatformError } from './answers/errors';
import { Connection } from './connection';
import { settle } from '../settle';
import type { AccountKind } from './types';

/** Short, because a person is waiting at the dialog. */
const TIMEOUT_MS = 15_000;

const PROBES = [SESSIONS, STATIONS] as const;
const ONE_ROW = { sorts: [], pager: { skip: 0, take: 1 } };

type CredentialTest = (
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
) => Promise<INodeCredentialTestResult>;

/**
 * Tests the API key's credential by reading one row of each list; registered on the nodes under
 * `methods.credentialTest`. The result says which environment it reached and what the key can read. A key passes where one
 * list can be read or only its scope is missing: what else is refused is said.
 */
export const testChargingNetworkApi = testOf('apiKey');

/** Tests a signed-in user's credential: signs in, then reads one row of each list with the token. */
export const testChargingNetworkUserApi = testOf('signedInUser');

function testOf(account: AccountKind): CredentialTest {
	return async function ({ data = {} }) {
		const outcome = await settle(probe(this.helpers, account, data));
		if (outcome.ok) return { status: 'OK', message: outcome.value };
		const { error } = outcome;
		if (!(error instanceof PlatformError)) return { status: 'Error', message: 'The credential could not be tested' };
		const first = error.kind === 'invalid-answer' ? 'Check the base URL first' : '';
		return { status: 'Error', message: [error.message, first, error.description].filter(Boolean).join('. ') };
	};
}

/** What the account can read, as a sentence. */
async function probe(
	helpers: ICredentialTestFunctions['helpers'],
	account: AccountKind,
	data: ICredentialDataDecryptedObject,
): Promise<string> {
	const settings = readCredential(account, data);
	// A token in memory says nothing about the password of today.
	forgetToken(settings.keyId);
	const connection = connect(helpers, settings);
	const found: CredentialTestFindings = { readable: [], missing: [], refused: [] };
	for (const list of PROBES) {
		const outcome = await settle(connection.list(list).page(ONE_ROW, { goesOn: true }));
		if (outcome.ok) found.readable.push(list.plural);
		// Where nothing was sent, as after a sign-in that did not work, the next list cannot be asked either.
		else if (!(outcome.error instanceof PlatformError) || connection.stats.requests === 0) throw outcome.error;
		else if (outcome.error.kind === 'scope-missing') found.missing.push(outcome.error.scope ?? list.plural);
		else found.refused.push({ list, error: outcome.error });
	}
	const { readable, missing, refused } = found;
	const isAccepted = readable.length + missing.length > 0;
	const worst = isAccepted ? undefined : (refused.find(({ error }) => !error.transient) ?? refused[0]);
	if (worst) throw worst.error;

	return reportOf(settings, found);
}

/** What the lists answered. */
interface CredentialTestFindings {
	readable: string[];
	/** The scopes that are missing. */
	missing: string[];
	refused: Array<{ list: ListResource; error: PlatformError }>;
}

/** What was found, as sentences for the person at the dialog. */
function reportOf(
	{ account, environment, baseUrl, notes }: CredentialSettings,
	{ readable, missing, refused }: CredentialTestFindings,
): string {
	const isKey = account === 'apiKey';
	const sentences = [`Reached the ${environment} environment at ${baseUrl}.`];
	if (!isKey) sentences.push('Signing in works.');
	if (readable.length > 0) sentences.push(`The ${isKey ? 'key' : 'user'} can read ${readable.join(' and ')}.`);
	if (missing.length > 0) {
		const scopes = missing.join(' and ');
		sentences.push(
			isKey
				? `The key is accepted but lacks the scope ${scopes}: nodes that need it will not work until a company admin grants it on the API keys page of the operator portal (takes about a minute).`
				: `The user lacks ${scopes}: nodes that need it will not work.`,
		);
	}
	for (const { list, error } of refused)
		sentences.push(`${upperFirst(list.plural)} could not be read: ${error.message}.`);
	if (readable.length > 0) sentences.push(WHAT_NEXT);
	return [...sentences, ...notes].join(' ');
}

/** What helps on the first day. */
const WHAT_NEXT = 'To see what this platform does, run Charging Network List > Check Platform once.';

/** A connection over the only helper that n8n gives to a credential test, which adds no authentication of its own. */
function connect({ request }: ICredentialTestFunctions['helpers'], settings: CredentialSettings): Connection {
	const { account, credential } = settings;
	return new Connection(settings, {
		async send(wire) {
			const { url: uri, ...options } = account === 'apiKey' ? authenticateKey(credential, wire) : wire;
			const legacy = { useStream: true, simple: false, resolveWithFullResponse: true, followRedirect: false };
			return (await request({ ...options, ...legacy, uri })) as unknown;
		},
		isEditor: true,
		isPoll: false,
		person: `test ${performance.now()}`,
		options: { timeoutMs: TIMEOUT_MS, maxRateLimitWaitMs: 0 },
		zone: 'local',
	});
}
