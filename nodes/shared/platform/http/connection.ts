import type { IAllExecuteFunctions, ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { writeQuery } from '../../dsquery/write';
import type { Query } from '../../dsquery/types';
import { STATIONS } from '../../resources';
import type { ListResource } from '../../resources';
import { CREDENTIAL_TYPES, readCredential } from '../account/credential';
import type { CredentialSettings, UserSettings } from '../account/credential';
import { UserSession } from '../account/session';
import type { SessionTurn, SignInConditions } from '../account/session';
import { isTooDeep, parseJson } from '../answers/answerText';
import { readListAnswer, readRow } from '../answers/envelope';
import { PlatformError } from '../answers/errors';
import { cutOff, describeRefusal, isAnswered, tooLarge, unexpectedAnswer } from '../answers/refusals';
import type { Answer, Refusal } from '../answers/refusals';
import { headerText, readHttpDate, retryAfterMs } from '../answers/retryAfter';
import { PlatformList } from '../lists/platformList';
import { settle } from '../settle';
import type {
	AccountKind,
	CsvStream,
	Environment,
	FailureKind,
	Page,
	PlatformContext,
	PlatformOptions,
	PlatformStats,
	Row,
} from '../types';
import { listEndpoint, SESSIONS_EXPORT, stationEndpoint } from './endpoint';
import type { Endpoint } from './endpoint';
import { held } from './held';
import { forgetOldest, holds } from './hold';
import { pause, throwIfCanceled } from './pause';
import { fieldsOf, longestPartOf, valuesOf } from './queryParts';
import { retryDelay } from './retry';
import { readText, send } from './send';
import type { Received, WireRequest } from './send';

/** Used where the user leaves the options alone. */
export const DEFAULT_OPTIONS: PlatformOptions = { timeoutMs: 60_000, maxRateLimitWaitMs: 300_000 };
/** Within this time at most, a dropdown that is opened again repeats the platform's refusal, in milliseconds. */
const EDITOR_MEMORY_MS = 15_000;
/** How often a waiting request checks whether the sign-in is done, in milliseconds. */
const LOOK_MS = 50;
/** How much of a page, and of a refusal, is read. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const MAX_REFUSAL_BYTES = 64 * 1024;
/** URLs up to this length work everywhere. */
const SAFE_URL_LENGTH = 2_000;

/** Who asks, how, and how patiently. One for each execution, poll or editor request. */
export interface Asker {
	/** Sends a request with the credential's authentication, through one of n8n's helpers. */
	send(request: IHttpRequestOptions, credential: ICredentialDataDecryptedObject, signal: AbortSignal): Promise<unknown>;
	/** Reads the stored credential again: another execution may have renewed the token. */
	reread(): Promise<ICredentialDataDecryptedObject>;
	/** A person waits in the editor: no waiting, no retries. */
	isEditor: boolean;
	/** Id of the execution, which remembers lasting refusals. Polls have none: they remember in their own state. */
	execution?: string;
	/** Id of a run that a person started, which may ask once even while the key is held. */
	person?: string;
	signal?: AbortSignal;
	options: PlatformOptions;
	/** The workflow's time zone, for times in messages. */
	zone: string;
}

/** One request, as the endpoints describe it. */
interface RequestSpec {
	endpoint: Endpoint;
	query?: Query;
	body?: WireRequest['body'];
}

/** How long one request has waited for the rate limit, all its tries together, in milliseconds. */
interface Patience {
	waitedMs: number;
}

type ReadAnswer<Result> = (received: Received, spec: RequestSpec) => Promise<Result>;

/** Refusals that do not change during an execution, by account, subject and execution. */
const refusals = new Map<string, PlatformError>();
const LASTING: ReadonlySet<FailureKind> = new Set(['unauthorized', 'scope-missing', 'role-insufficient']);

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
	const reread = async () => await context.getCredentials(CREDENTIAL_TYPES[account], 0);
	const editing = isEditor ? `editor ${Math.floor(performance.now() / EDITOR_MEMORY_MS)}` : undefined;
	const execution = isExecution ? context.getExecutionId?.() : editing;
	const isPerson = isEditor || context.getMode?.() === 'manual';
	return new Connection(readCredential(account, await reread()), {
		send: authenticated(context, account),
		reread,
		isEditor,
		execution,
		person: isPerson ? (execution ?? `run ${performance.now()}`) : undefined,
		signal: 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined,
		options: { ...DEFAULT_OPTIONS, ...options },
		zone: context.getTimezone(),
	});
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

/** n8n's helper that adds the authentication. */
function authenticated(context: PlatformContext, account: AccountKind): Asker['send'] {
	const type = CREDENTIAL_TYPES[account];
	return async (request, credential, signal) => {
		// n8n prefers the context's own signal to ours, so the context is made to return ours.
		const watched = Object.create(context, {
			getExecutionCancelSignal: { value: () => signal },
		}) as IAllExecuteFunctions;
		// The credential as first read: if it is edited meanwhile, the key must not go to another host.
		const credentialsDecrypted = { id: '', name: '', type, data: credential };
		return await context.helpers.httpRequestWithAuthentication.call(watched, type, request, { credentialsDecrypted });
	};
}

/** One account's view of the platform. Every request goes through `request`, `attempt` and `send`. */
export class Connection {
	readonly environment: Environment;
	readonly baseUrl: string;
	/** Sentences about the base URL for the hints on the node: what was cut off or assumed. Usually empty. */
	readonly notes: readonly string[];
	/** Identifies base URL and account without revealing them: a hash. */
	readonly keyId: string;
	readonly stats: PlatformStats = { requests: 0, rateLimitWaitMs: 0 };
	private readonly session?: UserSession;
	/** The largest Take to ask for, learned from refusals. */
	private mostRows = Number.POSITIVE_INFINITY;
	/** The largest Take that was accepted. */
	private grantedRows = 0;
	/** Requests that wait for the rate limit, and since when there are any. */
	private waiting = 0;
	private waitingSince = 0;

	constructor(
		private readonly settings: CredentialSettings | UserSettings,
		private readonly asker: Asker,
	) {
		({ environment: this.environment, baseUrl: this.baseUrl, notes: this.notes, keyId: this.keyId } = settings);
		if ('ownerOf' in settings) this.session = new UserSession(settings, asker.reread);
	}

	/** A list of the platform, to be read, asked for a page, or counted. */
	list(resource: ListResource): PlatformList {
		return new PlatformList(resource, async (query) => await this.getPage(resource, query), this.keyId);
	}

	/** Asks a list once, and checks the answer. */
	async getPage(list: ListResource, query: Query): Promise<Page> {
		return await this.request(
			{ endpoint: listEndpoint(list), query },
			this.json((answer) => readListAnswer(answer, list)),
		);
	}

	/** Reads the full detail of one station: EVSEs, firmware identity, connectivity metadata. */
	async getStation(id: string): Promise<Row> {
		return await this.request(
			{ endpoint: stationEndpoint(id) },
			this.json((answer) => readRow(answer, STATIONS, id)),
		);
	}

	/** Exports the sessions with these ids. The stream ends with an error when the connection breaks. */
	async exportSessions(ids: readonly number[]): Promise<CsvStream> {
		return await this.request({ endpoint: SESSIONS_EXPORT, body: { Ids: [...ids] } }, this.csv);
	}

	/** Sends one request until its answer can be read: waits for the rate limit and retries where allowed. */
	private async request<Result>(asked: RequestSpec, read: ReadAnswer<Result>): Promise<Result> {
		const { keyId, asker } = this;
		const patience: Patience = { waitedMs: 0 };
		let refusedTokens = 0;
		for (let tries = 1; ; ) {
			const turn = await this.admitted(asked.endpoint, patience);
			const spec = { ...asked, query: this.withGivenPage(asked.query) };
			const sentAt = performance.now();
			const outcome = await settle(this.attempt(spec, turn, read));
			turn?.end();
			if (outcome.ok) {
				holds.ended(keyId, sentAt, 200);
				this.grantedRows = Math.max(this.grantedRows, spec.query?.pager?.take ?? 0);
				return outcome.value;
			}
			const { error } = outcome;
			if (!(error instanceof PlatformError) || turn?.mayTryAgain(error, ++refusedTokens)) {
				holds.ended(keyId, sentAt);
				if (error instanceof PlatformError) continue;
				throw error;
			}
			this.learn(spec, error, sentAt, turn);
			if (error.kind === 'rate-limited' || this.takesLess(spec.query, error)) continue;
			const delayMs = asker.isEditor ? undefined : retryDelay(error, tries++, Math.random);
			if (delayMs === undefined) throw error;
			await pause(delayMs, asker.signal);
		}
	}

	/** Returns when a request may be sent; throws when it may not. */
	private async admitted({ scope, path }: Endpoint, patience: Patience): Promise<SessionTurn | undefined> {
		const { keyId, session, asker } = this;
		const { signal, person, isEditor, options } = asker;
		for (;;) {
			throwIfCanceled(signal);
			const known = refusals.get(this.refusalName('')) ?? refusals.get(this.refusalName(scope ?? path));
			// A copy, because callers set `rowsRead` on it.
			if (known && asker.execution !== undefined) throw new PlatformError(known.kind, known.message, known);
			if (session?.isReady() === false) {
				await pause(LOOK_MS, signal);
				continue;
			}
			const patienceMs = isEditor ? 0 : options.maxRateLimitWaitMs - patience.waitedMs;
			const permission = holds.ask(keyId, { patienceMs, person, isEditor });
			if (permission.go === 'fail') throw held(permission, patience.waitedMs, this.settings.account, asker);
			// Nothing is awaited between `isReady` and `begin`, so two requests never both sign in.
			if (permission.go === 'now') return session?.begin();
			patience.waitedMs += await this.wait(permission.ms);
		}
	}

	/** Waits. Time that several requests wait at once is counted once. Returns how long it took, in milliseconds. */
	private async wait(ms: number): Promise<number> {
		const { keyId, stats, asker } = this;
		const began = performance.now();
		if (this.waiting++ === 0) this.waitingSince = began;
		holds.count(keyId, 1);
		try {
			await pause(ms, asker.signal);
		} finally {
			holds.count(keyId, -1);
			if (--this.waiting === 0) stats.rateLimitWaitMs += performance.now() - this.waitingSince;
		}
		return performance.now() - began;
	}

	/** Sends a request once and reads its answer. */
	private async attempt<Result>(
		spec: RequestSpec,
		turn: SessionTurn | undefined,
		read: ReadAnswer<Result>,
	): Promise<Result> {
		const { asker, settings, baseUrl, stats } = this;
		const { endpoint, query, body } = spec;
		const { timeoutMs } = asker.options;
		const conditions: SignInConditions = { timeoutMs, signal: asker.signal };
		const credential = (await turn?.credential(conditions)) ?? settings.credential;
		const dsquery = query && writeQuery(query);
		const isLong = dsquery !== undefined && encodeURIComponent(dsquery).length > SAFE_URL_LENGTH;
		stats.requests++;
		const sending = send(
			async (request, signal) => await asker.send(request, credential, signal),
			{
				url: baseUrl + endpoint.path,
				method: body ? 'POST' : 'GET',
				headers: body ? { 'Content-Type': 'application/json' } : { Accept: 'application/json' },
				...(dsquery !== undefined && { qs: { dsquery } }),
				...(body && { body }),
			},
			{
				timeoutMs,
				signal: asker.signal,
				secrets: settings.secrets,
				longPart: isLong ? (longestPartOf(query) ?? 'the filter') : undefined,
			},
		);
		const outcome = await settle(sending);
		turn?.sent(credential);
		if (!outcome.ok) throw conditions.failure ?? outcome.error;
		const received = outcome.value;
		const platformNow = readHttpDate(headerText(received.headers, 'date') ?? '');
		if (platformNow !== undefined) stats.clockAheadMs = platformNow - Date.now();
		return await read(received, spec);
	}

	/** Reads a JSON answer. */
	private json<Result>(read: (answer: Answer<unknown>) => Result): ReadAnswer<Result> {
		return async (received, spec) => {
			const { status, parsed } = received;
			const isOk = isAnswered(status) || status === 204;
			const { text, isWhole } = await readText(received, isOk ? MAX_ANSWER_BYTES : MAX_REFUSAL_BYTES);
			const refusal = this.refusalOf(spec, received, parsed ?? text);
			if (isOk && parsed === undefined && text.trim() === '') return read({ body: null, asRefusal: refusal });
			if (!isOk) throw describeRefusal(refusal);
			if (!isWhole) throw tooLarge(this.baseUrl, MAX_ANSWER_BYTES);
			const body = parsed ?? parseJson(text);
			if (body !== undefined) return read({ body, asRefusal: refusal });
			if (isTooDeep(text))
				throw unexpectedAnswer(refusal, 'invalid-answer', 'its JSON is nested too deeply to be read');
			throw /^\s*[[{]/.test(text) ? cutOff(this.baseUrl) : describeRefusal(refusal);
		};
	}

	/** Returns a file as it arrives, whatever its content type: the reader checks what it is. */
	private readonly csv: ReadAnswer<CsvStream> = async (received, spec) => {
		const { status, parsed, chunks } = received;
		if (isAnswered(status) && parsed === undefined) return chunks;
		const { text } = await readText(received, MAX_REFUSAL_BYTES);
		const refusal = this.refusalOf(spec, received, parsed ?? text);
		if (!isAnswered(status)) throw describeRefusal(refusal);
		throw unexpectedAnswer(refusal, 'invalid-answer', 'got JSON instead of a CSV file');
	};

	private refusalOf({ endpoint, query }: RequestSpec, { status, headers }: Received, body: unknown): Refusal {
		const { baseUrl, environment, settings } = this;
		const { account, secrets } = settings;
		return {
			...{ status, headers, body, endpoint, baseUrl, environment, account, secrets },
			retryAfterMs: status === 429 || status >= 500 ? retryAfterMs(headers) : undefined,
			// Lazy: only explanations need them.
			get fields() {
				return fieldsOf(query);
			},
			get values() {
				return valuesOf(query);
			},
			get longestPart() {
				return longestPartOf(query);
			},
		};
	}

	/** Remembers what a refusal says about the key or user, for this execution and for all that use the key. */
	private learn({ endpoint }: RequestSpec, error: PlatformError, sentAt: number, turn?: SessionTurn): void {
		const { keyId, asker, settings } = this;
		const { kind, status = 0 } = error;
		if (kind === 'rate-limited' || kind === 'license-inactive') {
			const askedMs = kind === 'rate-limited' ? error.retryAfterMs : undefined;
			const patienceMs = asker.options.maxRateLimitWaitMs;
			holds.refused(keyId, sentAt, { reason: kind, askedMs, patienceMs, person: asker.person });
		} else {
			holds.ended(keyId, sentAt, status >= 400 ? status : undefined);
		}
		// Repeated wrong passwords lock the account in the end.
		const isSignInRefused = turn?.isSignedOut === true && !error.transient && kind !== 'canceled';
		// An endpoint without a scope may refuse every key: that says nothing about this one.
		const isUnknown = kind === 'unauthorized' && (endpoint.scope !== undefined || settings.account === 'signedInUser');
		if (asker.execution === undefined || (!isSignInRefused && !LASTING.has(kind))) return;
		const subject = isUnknown || isSignInRefused ? '' : (endpoint.scope ?? endpoint.path);
		refusals.set(this.refusalName(subject), error);
		forgetOldest(refusals);
	}

	/** @param subject the scope or path that is refused; empty for everything */
	private refusalName(subject: string): string {
		return `${this.settings.credentialId} ${subject} ${this.asker.execution}`;
	}

	/** The query with its page cut to what the platform gives. */
	private withGivenPage(query: Query | undefined): Query | undefined {
		if (!query?.pager) return query;
		return { ...query, pager: { ...query.pager, take: Math.min(query.pager.take, this.mostRows) } };
	}

	/**
	 * Whether to retry with a shorter page: the platform's largest Take is not public, and list reading accepts shorter
	 * pages. What was learned holds for all later pages.
	 */
	private takesLess(query: Query | undefined, { kind, status }: PlatformError): boolean {
		const take = query?.pager?.take ?? 0;
		// A page this long was given before, so the platform refuses something else, such as a large Skip.
		if (kind !== 'too-large' || status === 413 || take < 2 || take <= this.grantedRows) return false;
		this.mostRows = Math.min(this.mostRows, Math.floor(take / 2));
		return true;
	}
}
