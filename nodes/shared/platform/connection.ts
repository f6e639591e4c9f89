import type { Query } from '../dsquery/types';
import { SECOND_MS } from '../dsquery/values/durations';
import { writeQuery } from '../dsquery/write';
import { STATIONS, type ListResource } from '../resources';
import type { CredentialSettings, UserSettings } from './account/credential';
import { forgetToken, getAccessToken, type AccessToken } from './account/tokens';
import { readListAnswer, parseDetailAnswer } from './answers/envelope';
import { asksToWait, PlatformError, copyError } from './answers/errors';
import { redactSecrets, sanitizeText, formatFieldNames } from './answers/safeText';
import { fileAnswer, jsonAnswer, mostBytesOf, type RequestSpec } from './http/answer';
import { createListEndpoint, SESSIONS_EXPORT, createStationEndpoint } from './http/endpoint';
import { rateLimitGateOf, type RateLimitGate } from './http/rateLimitGate';
import { backOffMs, pause } from './http/pause';
import { sendRequest, type RawResponse, type WireRequest } from './http/send';
import { assertRequestedDetail } from './lists/contradictions';
import { ListReader } from './lists/listReader';
import type { Asking } from './lists/types';
import { settle, type Settled } from '../settle';
import type {
	AccountKind,
	Caller,
	ConnectionInfo,
	Environment,
	FailureKind,
	JsonAnswer,
	Page,
	PlatformStats,
	Row,
} from './types';

/** How often a request is sent at most, if the platform or the network fails. */
const MAX_TRIES = 3;
const FIRST_RETRY_MS = SECOND_MS / 2;
const LONGEST_RETRY_MS = 10 * SECOND_MS;
/** Refusals that stay the same during an execution, so they are remembered. */
const LASTING: ReadonlySet<FailureKind> = new Set(['unauthorized', 'scope-missing', 'role-insufficient']);

/** Reads what came. @throws PlatformError if it is not what was asked for */
type AnswerReader<Result> = (received: RawResponse) => Result | Promise<Result>;

/**
 * The platform as one credential sees it. Every request waits for its turn (`http/rateLimitGate.ts`), is sent
 * (`http/send.ts`) and read (`answers/`).
 */
export class Connection {
	readonly account: AccountKind;
	readonly environment: Environment;
	readonly baseUrl: string;
	/** Notes for the output of the node: what was cut off from the base URL or assumed. */
	readonly notes: string[];
	/** Identifies base URL and credential without revealing them: a hash. */
	readonly keyId: string;
	readonly stats: PlatformStats = { requests: 0, signIns: 0, rateLimitWaitMs: 0 };
	/** Called before each request, also before one that is sent again. What it throws ends that request. */
	beforeEach: () => void = () => undefined;
	private readonly rateLimitGate: RateLimitGate;
	/**
	 * The latest request; undefined until the platform has asked to wait. From then on, each request waits for the one
	 * before.
	 */
	private lastTurn?: Promise<unknown>;
	/** A token that was refused when it was new, and that nothing has taken since. */
	private refusedToken?: AccessToken['source'];
	/** What this key may not do, by scope or path: it is not asked again for each input item. */
	private readonly refusals = new Map<string, PlatformError>();
	/** Waits are counted up to this moment. */
	private waitedUntil = 0;
	/** Whether the platform has answered what it was asked for. */
	private hasAnswered = false;

	constructor(
		private readonly settings: CredentialSettings | UserSettings,
		private readonly caller: Caller,
	) {
		({ account: this.account, environment: this.environment, baseUrl: this.baseUrl, keyId: this.keyId } = settings);
		this.notes = [...settings.notes];
		this.rateLimitGate = rateLimitGateOf(settings.keyId);
	}

	/** A list of the platform, to be read, asked for a page, or counted. */
	list(resource: ListResource): ListReader {
		return new ListReader(resource, this);
	}

	/** Asks a list for a page, and checks the answer. */
	async getPage(list: ListResource, query: Query, { isAskedOnce, judge }: Asking = {}): Promise<Page> {
		const spec = { endpoint: createListEndpoint(list), query, isAskedOnce };
		const read = async (received: RawResponse) =>
			await Promise.resolve(readListAnswer(jsonAnswer(spec, received, this.info), list));
		return await this.request(spec, judge ? async (received) => await judge(read(received)) : read);
	}

	/** Reads the full detail of one station: EVSEs, firmware identity, connectivity metadata. */
	async getStation(id: string): Promise<Row> {
		return await this.json({ endpoint: createStationEndpoint(id) }, (answer) => {
			const row = parseDetailAnswer(answer, STATIONS);
			assertRequestedDetail(STATIONS, id, row);
			return row;
		});
	}

	/**
	 * Exports the sessions with these ids. `read` gets the file, whatever its content type. If it throws a transient
	 * PlatformError, the request is sent again.
	 *
	 * @param ids those beyond 2^53 as text
	 */
	async exportSessions<Result>(
		ids: ReadonlyArray<number | string>,
		read: (file: Buffer) => Promise<Result>,
	): Promise<Result> {
		const spec = { endpoint: SESSIONS_EXPORT, body: `{"Ids":[${ids.join(',')}]}` };
		return await this.request(spec, async (received) => await read(fileAnswer(spec, received, this.info)));
	}

	/** Text of the platform for a message: short, and without this account's secrets. */
	readonly hideSecrets = (text: string): string => sanitizeText(text, this.settings.secrets);

	/** Names of fields of the platform for a message: 30 unless told otherwise. */
	readonly namesOf = (names: readonly string[], most?: number): string =>
		formatFieldNames(names, this.settings.secrets, most);

	/** A sentence of ours, without this account's secrets in what it quotes. */
	readonly withoutSecrets = (text: string): string => redactSecrets(text, this.settings.secrets);

	/** What was thrown while this connection was used; a PlatformError quotes no secrets. */
	safeError(thrown: unknown): unknown {
		if (!(thrown instanceof PlatformError)) return thrown;
		const description = this.withoutSecrets(thrown.description);
		const safe = new PlatformError(thrown.kind, this.withoutSecrets(thrown.message), { ...thrown, description });
		return Object.assign(safe, { rowsRead: thrown.rowsRead });
	}

	/** What a refusal is explained with. */
	private get info(): ConnectionInfo {
		return { ...this.settings, hasAnswered: this.hasAnswered };
	}

	private async json<Result>(spec: RequestSpec, read: (answer: JsonAnswer) => Result): Promise<Result> {
		return await this.request(spec, (received) => read(jsonAnswer(spec, received, this.info)));
	}

	/** Sends one request until its answer can be read: waits for the rate limit and retries where allowed. */
	private async request<Result>(spec: RequestSpec, read: AnswerReader<Result>): Promise<Result> {
		const { caller, refusals } = this;
		const { path, scope = path } = spec.endpoint;
		const known = refusals.get(scope) ?? refusals.get(path);
		if (known) throw copyError(known);
		for (let tries = 1; ; ) {
			this.beforeEach();
			const { outcome, mustResend } = await this.oneAtATime(async () => await this.attempt(spec, read));
			if (outcome.ok) return outcome.value;
			if (mustResend) continue;
			const { error } = outcome;
			if (error instanceof PlatformError && LASTING.has(error.kind)) {
				// A scope is a matter of the key, a role may be one of a single station.
				refusals.set(error.kind === 'role-insufficient' ? path : scope, error);
			}
			const mayRetry = error instanceof PlatformError && error.transient && !caller.isEditor && !spec.isAskedOnce;
			if (!mayRetry || tries >= MAX_TRIES) throw error;
			await pause(backOffMs(tries++, FIRST_RETRY_MS, LONGEST_RETRY_MS), caller.signal);
		}
	}

	/** Once the platform has asked to wait, requests are sent one after another. */
	private async oneAtATime<Result>(ask: () => Promise<Result>): Promise<Result> {
		if (!this.lastTurn) return await ask();
		const asking = this.lastTurn.then(ask);
		this.lastTurn = settle(asking);
		return await asking;
	}

	/**
	 * Sends a request once, when the credential is free, and reads its answer.
	 *
	 * @throws PlatformError if nothing may be sent
	 */
	private async attempt<Result>(spec: RequestSpec, read: AnswerReader<Result>): Promise<RequestAttempt<Result>> {
		const { caller, rateLimitGate: hold, settings } = this;
		const admittedAt = await this.waitForGate();
		const signIn = await settle('password' in settings ? getAccessToken(settings, caller) : Promise.resolve(undefined));
		const outcome = signIn.ok ? await settle(this.send(spec, read, signIn.value)) : signIn;
		const error = outcome.ok ? undefined : outcome.error;
		hold.release(caller, admittedAt, error, isOfAccount(error, !signIn.ok));
		const needsToken = signIn.ok && signIn.value !== undefined && this.needsNewToken(signIn.value, error);
		if (!(error instanceof PlatformError)) return { outcome };
		const mustWait = asksToWait(error);
		if (mustWait) this.lastTurn ??= Promise.resolve();
		return { outcome, mustResend: mustWait || needsToken };
	}

	/**
	 * Whether a request that has ended so is sent once more with another token. Not where this one is new: then it is the
	 * list that does not take it, and as long as nothing has, another one is not asked for.
	 */
	private needsNewToken({ source, isNew }: AccessToken, error: unknown): boolean {
		if (isNew) this.stats.signIns++;
		if (error === undefined && source === this.refusedToken) this.refusedToken = undefined;
		if (!(error instanceof PlatformError) || error.kind !== 'unauthorized') return false;
		if (isNew) this.refusedToken = source;
		if (source === this.refusedToken) return false;
		forgetToken(this.settings.keyId, source);
		return true;
	}

	private async send<Result>(spec: RequestSpec, read: AnswerReader<Result>, token?: AccessToken): Promise<Result> {
		const { caller, settings } = this;
		const { endpoint, query, body } = spec;
		this.stats.requests++;
		const wire: WireRequest = {
			url: this.baseUrl + endpoint.path,
			method: body === undefined ? 'GET' : 'POST',
			headers: {
				...(body === undefined ? { Accept: 'application/json' } : { 'Content-Type': 'application/json' }),
				...(token && { Authorization: `Bearer ${token.text}` }),
			},
			...(query && { qs: { dsquery: writeQuery(query) } }),
			...(body !== undefined && { body }),
		};
		const result = await read(await sendRequest(caller, wire, mostBytesOf(endpoint), settings.secrets));
		this.hasAnswered = true;
		return result;
	}

	/** Waits until the credential is free. Time that several requests wait at once is counted once. */
	private async waitForGate(): Promise<number> {
		const { caller, rateLimitGate: hold } = this;
		if (!hold.isWaitedFor) return await hold.acquire(caller);
		const began = performance.now();
		try {
			return await hold.acquire(caller);
		} finally {
			const now = performance.now();
			this.stats.rateLimitWaitMs += now - Math.max(began, this.waitedUntil);
			this.waitedUntil = now;
		}
	}
}

/** Whether a refusal is about the account itself: its license, or the password with which it signs in. */
function isOfAccount(error: unknown, isSignIn: boolean): boolean {
	const { kind } = error instanceof PlatformError ? error : {};
	return kind === 'license-inactive' || (isSignIn && kind === 'unauthorized');
}

/** How a request has ended once. */
interface RequestAttempt<Result> {
	outcome: Settled<Result>;
	/** The request is sent again, and counts as no try: after the wait that the platform asks for, or with another token. */
	mustResend?: boolean;
}
