import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	IDataObject,
	IHttpRequestOptions,
} from 'n8n-workflow';
import { DateTime } from 'luxon';

import { CREDENTIAL_TYPES } from './access';
import type { Access } from './access';
import { parseJson } from '../answers/answerText';
import { circuits, RememberedRefusals } from './circuit';
import type { Endpoint } from './endpoint';
import { canceled, PlatformError } from '../answers/errors';
import { backOffMs, gates } from './gate';
import { networkFault, timedOut } from '../answers/networkFault';
import { pause, throwIfCanceled } from './pause';
import { ACCOUNT_NAMES, describeRefusal, hostOf, unexpectedAnswer } from '../answers/refusals';
import type { Refusal } from '../answers/refusals';
import { headerText, retryAfterMs } from '../answers/retryAfter';
import type { SessionTurn, SignInConditions } from '../account/session';
import { settle } from '../settle';
import type { CsvStream, FailureKind } from '../types';

const MAX_TRIES = 3;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 10_000;
/** How often a request looks whether the one that asks about the licence, or signs in, is back, in milliseconds. */
const LOOK_MS = 50;
/** A 5xx may ask for more patience than our own back-off; beyond this it is not a retry any more. */
const LONGEST_ASKED_RETRY_MS = 30_000;
/** No refusal explains itself at greater length. */
const MAX_REFUSAL_BYTES = 65_536;

/** One request, as the endpoints describe it. */
export interface RequestSpec {
	endpoint: Endpoint;
	method: 'GET' | 'POST';
	qs?: IDataObject;
	body?: IDataObject;
	/** Fields of the query and its longest part, to explain a refusal. */
	fields?: readonly string[];
	longestPart?: string;
}

/** A 2xx answer. */
export interface Answer<Body> {
	body: Body;
	/** The same answer as a refusal, for a caller that finds it unusable. */
	asRefusal: Refusal;
}

/** What came back over the wire, before anyone has judged it. */
interface RawAnswer {
	status: number;
	headers: Record<string, unknown>;
	body: unknown;
	/** Ends the supervision of this request. Must be called when the body has been read. */
	release: () => void;
	/** The error to report when reading the body breaks off. */
	brokenOff: (thrown: unknown) => PlatformError;
}

const remembered = new RememberedRefusals<PlatformError>();

/**
 * Sends a request for JSON and reads it.
 *
 * @throws PlatformError for everything that is not a 2xx answer in JSON
 */
export async function requestJson(access: Access, spec: RequestSpec): Promise<Answer<unknown>> {
	return await withPatience(access, spec, async (turn) => {
		const raw = await sendOnce(access, spec, 'bytes', turn);
		raw.release();
		const refusal = refusalOf(access, spec, raw);
		if (raw.status < 200 || raw.status >= 300) throw describeRefusal(refusal);
		// Hosts that answer for the platform while workflows are tried out hand over an object.
		if (typeof raw.body === 'object' && raw.body !== null) return { body: raw.body, asRefusal: refusal };
		const text = typeof raw.body === 'string' ? raw.body : '';
		const body = parseJson(text);
		if (body !== undefined && raw.status === 200) return { body, asRefusal: refusal };
		if (body === undefined && raw.status === 200 && looksCutOff(text, raw.headers)) throw cutOff(access);
		throw describeRefusal(refusal);
	});
}

/**
 * Sends a request for a file and hands out its bytes as they arrive. Until then it is tried again like any other; when
 * the connection breaks later, the stream ends with a PlatformError.
 */
export async function requestStream(
	access: Access,
	spec: RequestSpec,
	checkType: (contentType: string) => boolean,
): Promise<CsvStream> {
	return await withPatience(access, spec, async (turn) => {
		const raw = await sendOnce(access, spec, 'stream', turn);
		const isWanted = raw.status === 200 && checkType(headerText(raw.headers, 'content-type') ?? '');
		if (isWanted) return supervised(raw);
		const body = await readStart(raw);
		const refusal = refusalOf(access, spec, { ...raw, body });
		if (raw.status >= 200 && raw.status < 300 && parseJson(body) !== undefined) {
			throw unexpectedAnswer(refusal, 'invalid-answer', 'JSON came instead of a CSV file');
		}
		throw describeRefusal(refusal);
	});
}

/** Admits a request through gate and circuit, tries again what may be tried again, and keeps both informed. */
async function withPatience<Result>(
	access: Access,
	spec: RequestSpec,
	attempt: (turn: SessionTurn | undefined) => Promise<Result>,
): Promise<Result> {
	const { keyId, signal, stats, options } = access;
	const subject = spec.endpoint.scope ?? spec.endpoint.path;
	let patienceMs = options.maxRateLimitWaitMs;
	let refusedTokens = 0;
	for (let tries = 1; ; ) {
		await access.spacing.turn();
		const { isProbe, ended, turn } = await admit(access, subject, async (waitMs) => {
			patienceMs = await waitForGate(access, waitMs, patienceMs);
		});
		const sentAt = Date.now();
		stats.requests++;
		const outcome = await settle(attempt(turn));
		turn?.end();
		if (outcome.ok) {
			access.spacing.answeredIn(Date.now() - sentAt);
			gates.passed(keyId, sentAt);
			circuits.succeeded(keyId, sentAt);
			ended(true);
			return outcome.value;
		}
		const error = asPlatformError(outcome.error, access);
		if (turn?.mayTryAgain(error, ++refusedTokens)) {
			if (isProbe) circuits.undecided(keyId);
			ended(false);
			continue;
		}
		learn(access, spec.endpoint, error, { sentAt, isProbe, isSignedOut: turn?.isSignedOut === true });
		ended(false);
		if (error.kind === 'rate-limited') {
			const waitMs = gates.refused(keyId, sentAt, error.retryAfterMs);
			if (access.kind === 'editor' || waitMs > patienceMs) throw tooLong(access, waitMs);
			continue;
		}
		const again = retryDelay(error, tries, access);
		if (again === undefined) throw error;
		tries++;
		await pause(again, signal);
	}
}

interface Admitted {
	/** Whether this is the request that finds out for all whether the licence is active again. */
	isProbe: boolean;
	/** To be called with the outcome. */
	ended: (cameThrough: boolean) => void;
	/** A signed-in user's token, or the task of fetching one. To be ended. */
	turn: SessionTurn | undefined;
}

/**
 * Returns when a request may be sent; throws when it may not. Nothing is awaited between the last look and the marks
 * that later requests see, so two can never both be the first.
 */
async function admit(
	access: Access,
	subject: string,
	waitForGateToOpen: (ms: number) => Promise<void>,
): Promise<Admitted> {
	const { keyId, signal, firsts, session } = access;
	for (;;) {
		throwIfCanceled(signal);
		const known = remembered.get(keyId, '401', access.execution) ?? remembered.get(keyId, subject, access.execution);
		if (known) throw copyOf(known);
		const closedMs = gates.remainingMs(keyId);
		if (closedMs > 0) {
			await waitForGateToOpen(closedMs);
			continue;
		}
		const first = firsts.pending(subject);
		if (first) {
			await first;
			continue;
		}
		if (session?.isReady() === false) {
			await pause(LOOK_MS, signal);
			continue;
		}
		const admission = circuits.admit(keyId, access.asker);
		if (admission.go === 'refused') throw licenseOpen(access, admission.until);
		if (admission.go !== 'wait') {
			return { isProbe: admission.go === 'probe', ended: firsts.begin(subject), turn: session?.begin() };
		}
		await pause(LOOK_MS, signal);
	}
}

/** Waits for the gate as far as patience allows. Returns the patience that is left, in milliseconds. */
async function waitForGate(access: Access, waitMs: number, patienceMs: number): Promise<number> {
	if (access.kind === 'editor' || waitMs > patienceMs) throw tooLong(access, waitMs);
	const began = Date.now();
	access.waiting.begin(began);
	try {
		await pause(waitMs, access.signal);
	} finally {
		access.waiting.end(Date.now());
	}
	return patienceMs - (Date.now() - began);
}

/** Tells the circuit, and remembers for this execution, what a refusal says about the key or the user. */
function learn(
	access: Access,
	{ scope, path }: Endpoint,
	error: PlatformError,
	{ sentAt, isProbe, isSignedOut }: { sentAt: number; isProbe: boolean; isSignedOut: boolean },
): void {
	const { keyId, execution, account } = access;
	if (error.status !== undefined && error.kind !== 'rate-limited') gates.passed(keyId, sentAt);
	if (error.kind === 'license-inactive') circuits.refused(keyId, access.asker);
	else if (isProbe) circuits.undecided(keyId);
	// Whoever tries wrong passwords again and again is locked out in the end.
	const isSignInRefused = isSignedOut && !error.transient && error.kind !== 'canceled';
	// An endpoint without a scope may refuse every key: that says nothing about this one.
	const isUnknown = error.kind === 'unauthorized' && (scope !== undefined || account === 'signedInUser');
	if (isUnknown || isSignInRefused) remembered.add(keyId, '401', execution, error);
	else if (LASTING.has(error.kind)) remembered.add(keyId, scope ?? path, execution, error);
}

/** What does not change while an execution lasts. */
const LASTING: ReadonlySet<FailureKind> = new Set(['unauthorized', 'scope-missing', 'role-insufficient']);

/** How long to wait before the next try, in milliseconds; undefined when there is none. */
function retryDelay(error: PlatformError, tries: number, access: Access): number | undefined {
	const mayPass = error.transient && error.kind !== 'rate-limited';
	// Somebody waits for a dropdown in the editor and can open it again.
	if (!mayPass || tries >= MAX_TRIES || access.kind === 'editor') return undefined;
	const asked = error.retryAfterMs ?? 0;
	if (asked > LONGEST_ASKED_RETRY_MS) return undefined;
	return Math.max(asked, backOffMs(tries, FIRST_RETRY_MS, LONGEST_RETRY_MS, Math.random));
}

/**
 * Sends one request with n8n's own authentication. n8n's timeout only notices silence, so the request is watched here:
 * it ends when the time is up, however slowly bytes keep coming, and when the execution is stopped.
 */
async function sendOnce(
	access: Access,
	spec: RequestSpec,
	as: 'bytes' | 'stream',
	turn: SessionTurn | undefined,
): Promise<RawAnswer> {
	const { context, signal, options, baseUrl, secrets, account } = access;
	const host = hostOf(baseUrl);
	const controller = new AbortController();
	const limits: SignInConditions = { timeoutMs: options.timeoutMs, signal: controller.signal };
	const credential = (await turn?.credential(access.credential, limits)) ?? access.credential;
	const watch = access.supervision.watch(options.timeoutMs, () => controller.abort());
	const { release } = watch;
	const brokenOff = (thrown: unknown) => {
		release();
		if (signal?.aborted) return canceled();
		// n8n's own timeout may be a moment ahead of this one.
		const late = watch.late || Date.now() >= watch.deadline;
		if (late) return timedOut(host, options.timeoutMs);
		return limits.failure ?? networkFault(thrown, host, secrets);
	};

	const request: IHttpRequestOptions = {
		url: baseUrl + spec.endpoint.path,
		method: spec.method,
		headers: spec.body ? { 'Content-Type': 'application/json' } : { Accept: 'application/json' },
		// As text, axios would leave a quarter more memory behind.
		encoding: as === 'bytes' ? 'arraybuffer' : as,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		// A redirect would hand the key or the token to another host.
		disableFollowRedirect: true,
		timeout: options.timeoutMs,
		abortSignal: controller.signal,
	};
	if (spec.qs) request.qs = spec.qs;
	if (spec.body) request.body = spec.body;

	// n8n takes the signal of the context where it has one and drops ours: let the context answer with ours. The pinned
	// credential keeps the key from travelling to another host when somebody edits the credential meanwhile.
	const supervisedContext = Object.create(context, {
		getExecutionCancelSignal: { value: () => controller.signal },
	}) as IAllExecuteFunctions;
	const pinned: ICredentialsDecrypted<ICredentialDataDecryptedObject> = {
		id: '',
		name: '',
		type: CREDENTIAL_TYPES[account],
		data: credential,
	};
	const sending = context.helpers.httpRequestWithAuthentication.call(
		supervisedContext,
		CREDENTIAL_TYPES[account],
		request,
		{ credentialsDecrypted: pinned },
	) as Promise<{ statusCode: number; headers?: Record<string, unknown>; body: unknown }>;
	const outcome = await settle(sending);
	turn?.sent(credential);
	if (!outcome.ok) throw brokenOff(outcome.error);
	const { statusCode, headers, body } = outcome.value;
	const platformNow = Date.parse(headerText(headers ?? {}, 'date') ?? '');
	if (Number.isFinite(platformNow)) access.stats.clockAheadMs = platformNow - Date.now();
	const readable: unknown = Buffer.isBuffer(body) ? body.toString('utf8') : body;
	return { status: statusCode, headers: headers ?? {}, body: readable, release, brokenOff };
}

/** Hands the bytes on; a break or the end of the time for this request becomes a PlatformError. */
async function* supervised(raw: RawAnswer): AsyncGenerator<Buffer> {
	const chunks = (raw.body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
	try {
		for (;;) {
			const next = await settle(chunks.next());
			if (!next.ok) throw raw.brokenOff(next.error);
			if (next.value.done) return;
			yield next.value.value;
		}
	} finally {
		raw.release();
		await chunks.return?.();
	}
}

/** The beginning of a refused body, enough to explain it. */
async function readStart(raw: RawAnswer): Promise<string> {
	const parts: Buffer[] = [];
	let size = 0;
	for await (const chunk of supervised(raw)) {
		parts.push(chunk);
		size += chunk.length;
		if (size >= MAX_REFUSAL_BYTES) break;
	}
	return Buffer.concat(parts).toString('utf8');
}

function refusalOf(access: Access, spec: RequestSpec, raw: RawAnswer): Refusal {
	return {
		status: raw.status,
		headers: raw.headers,
		body: raw.body,
		endpoint: spec.endpoint,
		baseUrl: access.baseUrl,
		environment: access.environment,
		account: access.account,
		secrets: access.secrets,
		get fields() {
			return spec.fields;
		},
		get longestPart() {
			return spec.longestPart;
		},
		retryAfterMs: raw.status === 429 || raw.status >= 500 ? retryAfterMs(raw.headers, Date.now()) : undefined,
	};
}

/** An answer that began as JSON and does not end as such. */
function looksCutOff(text: string, headers: Record<string, unknown>): boolean {
	return /^\s*[[{]/.test(text) || (text === '' && /json/i.test(headerText(headers, 'content-type') ?? ''));
}

function cutOff({ baseUrl }: Access): PlatformError {
	return new PlatformError('invalid-answer', `The answer of ${hostOf(baseUrl)} was cut off on the way`, {
		description:
			'Only a part of it arrived. Try again later; if this keeps happening, look at proxies on the way, or lower Page Size in Options.',
		status: 200,
		transient: true,
	});
}

/** The rate limit asks for more patience than this request has. */
function tooLong(access: Access, waitMs: number): PlatformError {
	const retryAt = Date.now() + waitMs;
	const details = { status: 429, retryAfterMs: waitMs, retryAt };
	const wait = duration(waitMs);
	const name = ACCOUNT_NAMES[access.account];
	if (access.kind === 'editor') {
		return new PlatformError('rate-limited', `The rate limit of the ${name} is used up, try again in ${wait}`, {
			...details,
			description: 'The platform asks to be left alone until then. Workflows that wait for it go on by themselves.',
		});
	}
	return new PlatformError('rate-limited', `The platform asks to wait ${wait}, longer than this node may wait`, {
		...details,
		description: `The rate limit of the ${name} is used up until ${clock(retryAt, access)}. Raise Max Rate Limit Wait in Options (now ${duration(access.options.maxRateLimitWaitMs)} for each request), run the workflow later, or ask a company admin about the limit${access.account === 'apiKey' ? " of the key's subscription" : ''}.`,
	});
}

/** The circuit is open: nothing was sent. */
function licenseOpen(access: Access, until: number): PlatformError {
	return new PlatformError('license-inactive', 'The API license of your organisation is not active', {
		description: `The platform said so before, so nothing was sent this time. The next request is possible at ${clock(until, access)}. Ask whoever looks after billing; the same key works again when the license is active and paid.`,
		status: 403,
		retryAt: until,
		retryAfterMs: Math.max(0, until - Date.now()),
	});
}

/** "45 s", "10 min", "2 h 5 min": rounded up, so that nobody comes back too early. */
function duration(ms: number): string {
	const seconds = Math.ceil(ms / 1_000);
	if (seconds < 120) return `${seconds} s`;
	const minutes = Math.ceil(seconds / 60);
	if (minutes < 120) return `${minutes} min`;
	return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function clock(time: number, { zone }: Access): string {
	return DateTime.fromMillis(time, { zone }).toFormat('yyyy-MM-dd HH:mm:ss (ZZZZ)');
}

/** Each caller may note on its error how far it came, so a remembered one is never thrown twice. */
function copyOf(error: PlatformError): PlatformError {
	return new PlatformError(error.kind, error.message, error);
}

function asPlatformError(error: unknown, { baseUrl, secrets }: Access): PlatformError {
	return error instanceof PlatformError ? error : networkFault(error, hostOf(baseUrl), secrets);
}
