import type { Database } from './database.ts';
import type { LikeCodes, LikeFields } from './like.ts';

export type Role = 'Accountant' | 'CompanyAdmin';

export interface PlatformOptions {
	/** 0 takes a free port. */
	port?: number;
	sessions?: number;
	stations?: number;
	locations?: number;
	tariffs?: number;
	/** The same seed gives the same rows. */
	seed?: number;
	behaviour?: Partial<Behaviour>;
	/** Secret of the ready-made key; random by default. */
	key?: string;
	/** End of the seeded history, as `YYYY-MM-DDThh:mm:ss`, UTC. */
	now?: string;
	/** Largest number of ids left out between two seeded sessions. 0 numbers them without gaps. */
	idGaps?: number;
	/** Number of request and audit records to keep, for a stand-in that runs for days. The oldest are dropped. */
	requestLogLimit?: number;
}

export interface RateLimit {
	/** Requests allowed per key and window. */
	limit: number;
	windowMs: number;
	/** How Retry-After is written: whole seconds, an HTTP date, or left out. */
	retryAfter: 'seconds' | 'date' | 'none';
	/** Sent instead of the time that is really left. */
	retryAfterSeconds?: number;
}

export type ErrorBodyShape = 'flat' | 'nested' | 'list' | 'problem' | 'text' | 'html' | 'empty';

export interface CsvBehaviour {
	bom: boolean;
	newline: '\r\n' | '\n';
	/** Whether the last record ends with a line end. */
	finalNewline: boolean;
	delimiter: ',' | ';';
	/** The name of the column with the session's Id; undefined for none. */
	idColumn: string | undefined;
}

export interface TokenBehaviour {
	/** The answer of POST /token; %TOKEN% stands for the token. */
	body: string;
	/** Requests after which a token expires. */
	uses: number;
}

export interface LocationsBehaviour {
	shape: 'envelope' | 'array';
	/** Name of the id field; undefined for none. */
	idName: string | undefined;
	/** Identifiers are text such as loc-000001. */
	textIds: boolean;
	/** The specification shows no scope for locations, and endpoints without a scope refuse keys. */
	acceptsKeys: boolean;
	/** The scope asked for when keys are accepted. */
	scope: string;
}

/** How the entries of EVSEs in a station's detail are written. */
export interface ChargePointsBehaviour {
	/** Whether each has an Id of its own, or none tells which it is. `large`: above 2^53. */
	ids: 'own' | 'none' | 'large';
	/** The status: its code (3), its name ("Faulted"), or both in an object. */
	status: 'code' | 'name' | 'object';
}

/** What a platform may do with any list, sessions, stations and locations alike. */
export interface ListsBehaviour {
	/** What TotalCount says. `capped`: at most `countCap`. `offBy`: wrong by `countOffBy`. `page`: the rows of this page. */
	count: 'exact' | 'capped' | 'offBy' | 'page';
	countCap: number;
	countOffBy: number;
	/** Which parts of the dsquery have an effect. Without Take a page holds all rows. */
	listensTo: { filter: boolean; sort: boolean; skip: boolean; take: boolean };
	/** Conditions on these fields are left out of a filter. */
	ignoredFields: string[];
	/** The case of property names, in the envelope and in rows. Filters and sorts use the specified names. */
	names: 'pascal' | 'camel';
	/** Properties without a value are null, or left out of the row. */
	emptyProperties: 'null' | 'omitted';
	/** How status codes of rows are written: 4, "4", "Finished", or both number and name in an object. */
	codes: 'number' | 'text' | 'name' | 'object';
}

/**
 * What really happens to people (design, section 4), as switches. Every change takes effect on the next request, except
 * `codes`, which decide what is seeded (at start and at `reset`).
 */
export interface Behaviour {
	/** Time between arrival and answer of each request. */
	latencyMs: number;
	/** Largest Take the server gives. */
	takeClamp: number | undefined;
	rateLimit: RateLimit | undefined;
	errorBody: ErrorBodyShape;
	/** Error bodies repeat the API key of the request. */
	echoKey: boolean;
	/**
	 * Ids on the wire: JSON integers, or text (`ses-000123`) that is compared and ordered as text; `digits`: without the
	 * prefix.
	 */
	idType: 'integer' | 'text' | 'digits';
	/** Ids of stations, when they differ from `idType`. */
	stationIdType: Behaviour['idType'] | undefined;
	/** Digits of a text id. 0 pads nothing, so text order is not number order. */
	textIdDigits: number;
	/** `rich` adds fields that the specification does not show. */
	sessionFields: 'minimal' | 'rich';
	stationFields: 'minimal' | 'rich';
	/** A station whose vendor reports no hardware status: null, or no such property. */
	missingHardwareStatus: 'null' | 'omitted';
	/** Fields of each list, by name, with the kinds of their values as Check Platform reports them; undefined for the usual ones. */
	fields: LikeFields | undefined;
	/** How many rows have which code, by list and field. */
	codes: LikeCodes | undefined;
	/** Where rows without a value are sorted: below every value, as in SQL Server, or above, as in PostgreSQL. */
	emptyValues: 'below' | 'above';
	/** The order without Sort, and among rows that are equal by Sort. `random`: none at all. */
	naturalOrder: 'idAsc' | 'idDesc' | 'random';
	/** Timestamps in conditions are read in a zone that is so many hours ahead of UTC. */
	conditionZoneHours: number;
	csv: CsvBehaviour;
	token: TokenBehaviour;
	locations: LocationsBehaviour;
	chargePoints: ChargePointsBehaviour;
	lists: ListsBehaviour;
	/** How texts are written: `latin1` under the name of UTF-8, as legacy systems do. */
	encoding: 'utf8' | 'latin1';
	/** Timestamps of rows with milliseconds (`2026-11-21T00:00:00.123`), in answers and in comparisons. */
	timestampFractions: boolean;
	/** How TotalCount is written. */
	totalCount: 'number' | 'text' | 'null' | 'missing';
	/** Time until new scopes of a key take effect. */
	scopeDelayMs: number;
	/** Areas that the role Accountant may not read. */
	accountantRefused: string[];
}

export interface ApiKey {
	id: string;
	name: string;
	secret: string;
}

export interface User {
	email: string;
	password: string;
	role: Role;
	/** Signing in is answered 202: a two-factor challenge must be completed. */
	hasTwoFactors?: true;
}

export interface RequestRecord {
	/** Arrival, milliseconds since the epoch. */
	at: number;
	/** When the answer was sent in full, or the connection ended. */
	doneAt: number | undefined;
	method: string;
	path: string;
	/** The text of the dsquery parameter, decoded from the URL. */
	query: string | undefined;
	/** The same parsed, if it is JSON. */
	dsquery: unknown;
	/** Parsed if it is JSON, otherwise text. */
	body: unknown;
	status: number | undefined;
	keyName: string | undefined;
	/** The client disconnected before the answer was complete. */
	aborted: boolean;
	/** Request headers; API key and token replaced by `***`. */
	headers: Record<string, string>;
	/** The Retry-After header of the answer. */
	retryAfter: string | undefined;
	/** End of the wait that a 429 asked for, milliseconds since the epoch. */
	waitUntil: number | undefined;
	/** The fault that the request hit. */
	fault: FaultKind | undefined;
	/** Length of the request target, as 414 counts it. */
	urlLength: number;
}

export const FAULT_KINDS = [
	...(['drop', 'dropMidBody', 'stall', 'stallMidBody', 'drip', 'truncate'] as const),
	...(['status', 'html', 'empty', 'reply'] as const),
];
export type FaultKind = (typeof FAULT_KINDS)[number];

/** Which requests a fault applies to. `path` is a prefix; `nth` counts the requests that match the rest, from 1. */
export interface FaultMatch {
	path?: string;
	method?: string;
	nth?: number;
}

export interface Fault {
	match?: FaultMatch | ((request: RequestRecord) => boolean);
	/** How many requests it hits; 1 by default, `Infinity` for all. */
	times?: number;
	/**
	 * drop: the connection ends without an answer. dropMidBody: it ends half-way through the body. stall: no answer (or
	 * a late one, with delayMs). stallMidBody: half the body, then nothing (or the rest, with delayMs). drip: the body
	 * in small pieces, delayMs apart. truncate: a complete answer with half its text. status: a refusal with this
	 * status in the shape of `errorBody`. html: a gateway's page. empty: an answer without body. reply: this status,
	 * headers and body.
	 */
	kind: FaultKind;
	status?: number;
	/** Text as it is; anything else is sent as JSON. */
	body?: unknown;
	headers?: Record<string, string>;
	delayMs?: number;
}

export interface AuditRecord {
	/** Increasing, from 1. */
	id: number;
	at: number;
	/** The name of the API key, the user's e-mail address, or `operator portal`. */
	actor: string;
	action: string;
	status: number | undefined;
	/** The session that it is about. */
	sessionId?: number;
}

/** The lists whose path and fields the specification does not show. */
export type AreaName = 'tariffs' | 'users' | 'teams' | 'energyAssets' | 'billing' | 'auditTrail';
export type ListName = 'sessions' | 'stations' | 'locations' | AreaName;

export interface ListInfo {
	path: string;
	dsquery: unknown;
	/** Number of list requests answered so far, including this one. */
	count: number;
}

/** A session to start. */
export interface NewSession {
	/** The next id by default. A lower one is a session that appears late. */
	id?: number;
	/** Milliseconds since 1970; now when left out. */
	startedAt?: number;
	energy?: number;
	/** Code of its status; active when left out. */
	status?: number;
}

/** How a session ends. */
export const OUTCOMES = ['finished', 'expired', 'failed'] as const;
export type SessionOutcome = (typeof OUTCOMES)[number];

export interface StandIn {
	/** `http://127.0.0.1:port` */
	readonly baseUrl: string;
	/** A ready CompanyAdmin key with scopes charging-sessions:read and charging-stations:read. */
	readonly key: string;
	createKey(options?: { name?: string; role?: Role; scopes?: string[]; secret?: string }): ApiKey;
	/** New scopes take effect after `behaviour.scopeDelayMs`. */
	rescope(id: string, scopes: string[]): void;
	/** Sets a new secret; the old one stops working at once. */
	regenerate(id: string): string;
	revoke(id: string): void;
	/** The id of the ready-made key, for the three above. */
	readonly keyId: string;
	readonly license: { active: boolean };
	readonly users: User[];
	/** Every token issued since the last reset, to search for leaks. */
	readonly tokens: readonly string[];
	/** Ends all sign-ins: every token issued so far is refused from now on. */
	expireTokens(): void;
	behaviour: Behaviour;
	/** A table for each list, under its name. Dates are text, booleans 0 and 1, ids always integers. */
	readonly db: Database;
	/** Starts a session and returns its id. */
	startSession(session?: NewSession): number;
	/** Ends a session. Throws a RangeError if there is none with that id. */
	endSession(id: number, outcome: SessionOutcome): void;
	/** Corrects the price of a session, which the audit trail shows. Throws a RangeError for an unknown id. */
	correctPrice(id: number, price: number): void;
	readonly requests: RequestRecord[];
	readonly faults: { add(fault: Fault): void; clear(): void };
	/** Called right before each list request is answered. */
	beforeList: ((info: ListInfo) => void) | undefined;
	/** Of which sessions an export sends a record, in this order. It is given the Ids asked for, each once. */
	exported: ((ids: number[]) => number[]) | undefined;
	readonly audit: AuditRecord[];
	/** Restores the state after the start: rows, keys, behaviour, faults, records, licence, rate limit. */
	reset(): void;
	close(): Promise<void>;
}
