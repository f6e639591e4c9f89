import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import type { Query } from '../../dsquery/types';
import { writeQuery } from '../../dsquery/write';
import { STATIONS, type ListResource } from '../../resources';
import type { CredentialSettings, UserSettings } from '../account/credential';
import { UserSession, type TokenUse, type SignInConditions } from '../account/session';
import { factsOf, type AnswerFacts } from '../answers/answerFacts';
import { hideInSentence, safeText, shownNames } from '../answers/answerText';
import { readListAnswer, readRow } from '../answers/envelope';
import { asksToWait, PlatformError } from '../answers/errors';
import type { Answer } from '../answers/refusals';
import { headerText, readHttpDate } from '../answers/retryAfter';
import { PlatformList } from '../lists/platformList';
import type { AskPage } from '../lists/types';
import { settle } from '../settle';
import type { CsvStream, Environment, Page, PlatformStats, Row } from '../types';
import { listEndpoint, SESSIONS_EXPORT, stationEndpoint, type Endpoint } from './endpoint';
import { gateOf, type Caller, type Gate, type Visit } from './gate';
import { LargestTake } from './largestTake';
import { pause } from './pause';
import { longPartOf } from '../answers/queryParts';
import { readFile, readJson, type ReadAnswer, type RequestSpec } from './readAnswer';
import { sendAndFollow } from './redirect';
import { retryDelay } from './retry';
import type { WireRequest } from './send';

/** Who asks, and how. One for each execution, poll or editor request. */
export interface Asker extends Caller {
	/** Sends a request with the credential's authentication, through one of n8n's helpers. */
	send(request: IHttpRequestOptions, credential: ICredentialDataDecryptedObject, signal: AbortSignal): Promise<unknown>;
	/** A trigger's poll, which comes again and again. */
	isPoll?: boolean;
	/** Reads the stored credential again: another execution may have renewed the token. */
	reread(): Promise<ICredentialDataDecryptedObject>;
}

/** A page, and how its answer is written. */
export interface Inspected {
	page: Page;
	facts: AnswerFacts;
}

const GARBLED =
	"Some text of the platform is not valid UTF-8: “\uFFFD” stands for what could not be read. Tell the platform's support.";

/** One credential's view of the platform. Every request goes through `request`, `attempt` and `send`. */
export class Connection {
	readonly environment: Environment;
	readonly baseUrl: string;
	/** Notes for the output of the node: what was cut off from the base URL or assumed, what came garbled. */
	readonly notes: string[];
	/** Identifies base URL and credential without revealing them: a hash. */
	readonly keyId: string;
	private readonly gate: Gate;
	private readonly session?: UserSession;
	/** By path: one list may accept longer pages than another. */
	private readonly largestTakes = new Map<string, LargestTake>();
	/** Waits are counted up to this moment. */
	private waitedUntil = 0;

	constructor(
		private readonly settings: CredentialSettings | UserSettings,
		private readonly asker: Asker,
		readonly stats: PlatformStats = { requests: 0, rateLimitWaitMs: 0 },
	) {
		({ environment: this.environment, baseUrl: this.baseUrl, keyId: this.keyId } = settings);
		this.notes = [...settings.notes];
		this.gate = gateOf(settings.keyId);
		if ('ownerOf' in settings) this.session = new UserSession(settings, asker.reread);
	}

	/** The same connection; what is under way when the signal comes ends as if the execution was stopped. */
	until(signal: AbortSignal): Connection {
		const { settings, asker, stats } = this;
		const all = asker.signal ? AbortSignal.any([asker.signal, signal]) : signal;
		return new Connection(settings, { ...asker, signal: all }, stats);
	}

	/**
	 * A list of the platform, to be read, asked for a page, or counted.
	 *
	 * @param ask how it is asked once
	 */
	list(resource: ListResource, ask: AskPage = async (query) => await this.getPage(resource, query)): PlatformList {
		return new PlatformList(resource, ask, this.keyId, this.asker.isPoll);
	}

	/** Asks a list once, and checks the answer. */
	async getPage(list: ListResource, query: Query): Promise<Page> {
		const read = this.json(async (answer) => await readListAnswer(answer, list));
		return await this.request({ endpoint: listEndpoint(list), query }, read);
	}

	/** Asks a list once, and tells how the answer is written besides what it says. */
	async inspect(list: ListResource, query: Query): Promise<Inspected> {
		const read = this.json(async (answer) => ({
			page: await readListAnswer(answer, list),
			facts: await factsOf(answer, list),
		}));
		return await this.request({ endpoint: listEndpoint(list), query }, read);
	}

	/** Reads the full detail of one station: EVSEs, firmware identity, connectivity metadata. */
	async getStation(id: string): Promise<Row> {
		const read = this.json(async (answer) => await readRow(answer, STATIONS, id));
		return await this.request({ endpoint: stationEndpoint(id) }, read);
	}

	private json<Result>(read: (answer: Answer<unknown>) => Promise<Result>): ReadAnswer<Result> {
		return readJson(async (answer) => {
			if (answer.isGarbled && !this.notes.includes(GARBLED)) this.notes.push(GARBLED);
			return await read(answer);
		});
	}

	/**
	 * Exports the sessions with these ids. `read` gets the file as it arrives, whatever its content type. If the
	 * connection breaks meanwhile, or `read` throws a transient PlatformError, the request is sent again.
	 */
	async exportSessions<Result>(ids: readonly number[], read: (file: CsvStream) => Promise<Result>): Promise<Result> {
		return await this.request({ endpoint: SESSIONS_EXPORT, body: { Ids: [...ids] } }, readFile(read));
	}

	/** Text of the platform for a message: short, and without this account's secrets. */
	readonly hideSecrets = (text: string): string => safeText(text, this.settings.secrets);

	/** Names of fields of the platform for a message: 30 unless told otherwise. */
	readonly namesOf = (names: readonly string[], most?: number): string =>
		shownNames(names, this.settings.secrets, most);

	/** A sentence of ours, without this account's secrets in what it quotes. */
	readonly withoutSecrets = (text: string): string => hideInSentence(text, this.settings.secrets);

	/** What was thrown while this connection was used; a PlatformError quotes no secrets. */
	safeError(thrown: unknown): unknown {
		if (!(thrown instanceof PlatformError)) return thrown;
		const description = this.withoutSecrets(thrown.description);
		const safe = new PlatformError(thrown.kind, this.withoutSecrets(thrown.message), { ...thrown, description });
		return Object.assign(safe, { rowsRead: thrown.rowsRead });
	}

	/** Sends one request until its answer can be read: waits for the rate limit and retries where allowed. */
	private async request<Result>(asked: RequestSpec, read: ReadAnswer<Result>): Promise<Result> {
		const { gate, asker } = this;
		const largestTake = this.largestTakeOf(asked.endpoint);
		const visit = this.visitFor(asked.endpoint);
		let refusedTokens = 0;
		for (let tries = 1; ; ) {
			const pass = await gate.admit(visit);
			const { use } = pass;
			const spec = { ...asked, query: largestTake.cut(asked.query) };
			const outcome = await settle(this.attempt(spec, use, read));
			if (outcome.ok) {
				gate.freed(pass, 200);
				largestTake.accepted(spec.query);
				return outcome.value;
			}
			const { error } = outcome;
			if (!(error instanceof PlatformError) || use?.mayTryAgain(error, ++refusedTokens)) {
				gate.freed(pass);
				if (error instanceof PlatformError) continue;
				throw error;
			}
			gate.refused(pass, visit, error);
			if (asksToWait(error) || largestTake.refused(spec.query, error)) continue;
			const delayMs = asker.isEditor ? undefined : retryDelay(error, tries++, Math.random);
			if (delayMs === undefined) throw error;
			await pause(delayMs, asker.signal);
		}
	}

	private largestTakeOf({ path }: Endpoint): LargestTake {
		const known = this.largestTakes.get(path) ?? new LargestTake();
		this.largestTakes.set(path, known);
		return known;
	}

	/** Sends a request once and reads its answer. */
	private async attempt<Result>(
		spec: RequestSpec,
		use: TokenUse | undefined,
		read: ReadAnswer<Result>,
	): Promise<Result> {
		const { asker, settings, baseUrl, stats } = this;
		const { signal, options } = asker;
		const conditions: SignInConditions = { timeoutMs: options.timeoutMs, signal };
		const credential = (await use?.credential(conditions)) ?? settings.credential;
		const dsquery = spec.query && writeQuery(spec.query);
		const longPart = dsquery === undefined ? undefined : longPartOf(spec.query, dsquery);
		const sending = sendAndFollow(
			async (request, stop) => {
				stats.requests++;
				return await asker.send(request, credential, stop);
			},
			wireOf(baseUrl, spec, dsquery),
			{ ...conditions, secrets: settings.secrets, longPart },
		);
		const outcome = await settle(sending);
		use?.sent(credential);
		if (!outcome.ok) throw conditions.failure ?? outcome.error;
		const platformNow = readHttpDate(headerText(outcome.value.headers, 'date') ?? '');
		if (platformNow !== undefined) stats.clockAheadMs = platformNow - Date.now();
		return await read(outcome.value, spec, settings);
	}

	private visitFor(endpoint: Endpoint): Visit {
		const { asker, settings, session, stats } = this;
		return {
			caller: asker,
			account: settings.account,
			endpoint,
			waitedMs: 0,
			begin: () => session?.begin(),
			onWait: (began) => {
				// Time that several requests wait at once is counted once.
				const now = performance.now();
				stats.rateLimitWaitMs += now - Math.max(began, this.waitedUntil);
				this.waitedUntil = now;
			},
		};
	}
}

function wireOf(baseUrl: string, { endpoint, body }: RequestSpec, dsquery: string | undefined): WireRequest {
	return {
		url: baseUrl + endpoint.path,
		method: body ? 'POST' : 'GET',
		headers: body ? { 'Content-Type': 'application/json' } : { Accept: 'application/json' },
		...(dsquery !== undefined && { qs: { dsquery } }),
		...(body && { body }),
	};
}
