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

/** Numeric codes on the wire. Specified are only finished (4), failed (6) and online (1); the rest is invented. */
export interface StatusCodes {
	session: { active: number; suspended: number; finished: number; expired: number; failed: number };
	network: { online: number; offline: number; degraded: number };
	station: { inService: number; outOfService: number; planned: number };
	hardware: { available: number; charging: number; faulted: number };
}

export interface RateLimit {
	/** Requests allowed per key and window. */
	limit: number;
	windowMs: number;
	/** `fixed`: a window opens with the first request after the last one closed. `sliding`: the last `windowMs`. */
	window: 'fixed' | 'sliding';
	/** How Retry-After is written: whole seconds, an HTTP date, left out, `0`, or text that is neither. */
	retryAfter: 'seconds' | 'date' | 'none' | 'zero' | 'garbage';
	/** Sent instead of the time that is really left. */
	retryAfterSeconds?: number;
}

export type ErrorBodyShape = 'flat' | 'nested' | 'list' | 'problem' | 'text' | 'html' | 'empty' | 'deep';

export interface CsvBehaviour {
	bom: boolean;
	newline: '\r\n' | '\n';
	/** Whether the last record ends with a line end. */
	finalNewline: boolean;
	delimiter: ',' | ';';
	/** Unknown ids are left out; otherwise the export is refused with 404 naming them. */
	omitUnknownIds: boolean;
	order: 'asked' | 'id' | 'random';
	/** Whether the first line names the columns. */
	header: boolean;
	/** Whether a column holds the session's Id. */
	idColumn: boolean;
	/** The name of that column. */
	idColumnName: string;
	/** How that column writes an Id: as it is, as #12, as +12, or with a separator of thousands. */
	idFormat: 'plain' | '#' | '+' | '.' | ',' | '\u202f';
	/** The header is in small letters in every second file. */
	headerChanges: boolean;
	/** A last line with the number of sessions: with a line end, or without. */
	total: 'none' | 'line' | 'openLine';
	/** Share of the records that are followed by one of a session that was not asked for. */
	foreignShare: number;
	/** Answers with the first thousand sessions, whatever Ids asks for. */
	ignoreIds: boolean;
	/** Repeats the first answer for every request, as a cache does that knows a request by its URL. */
	cached: boolean;
	/** Ids after this many are silently ignored. */
	maxIds: number | undefined;
	/** Records after this many are silently dropped. */
	maxRecords: number | undefined;
	/** An export of more Ids than this has no records. */
	noneAboveIds: number | undefined;
	/** Sessions whose Id is divisible by this are never in the CSV. */
	leaveOutEvery: number | undefined;
	/** Share of the records, from 0 to 1, that an export drops at random. */
	leaveOutShare: number;
	/** Share of the records that an export has twice. */
	doubleShare: number;
	/** Share of the exports that have no records. */
	noneShare: number;
	/** Seed of the random draws; changes with every draw. */
	seed: number;
	/** What an empty `Ids` gives: a file without records, or 400. */
	emptyIds: 'header' | 'refuse';
	/** Chunked transfer instead of Content-Length. */
	chunked: boolean;
}

export interface TokenBehaviour {
	/** Path of the token in the answer of POST /token: `AccessToken` or `data.token.value`. */
	path: string;
	/** Replaces the body; %TOKEN% stands for the token. */
	body: string | undefined;
	/** Requests after which a token expires, even within its lifetime; undefined for no limit. */
	uses: number | undefined;
	/** E-mail addresses that are answered 202: a two-factor challenge must be completed. */
	twoFactorEmails: string[];
	lifetimeMs: number;
}

export interface LocationsBehaviour {
	/**
	 * `object` has the rows under "Locations", `data` the envelope under "data", `single` is the first location alone,
	 * `verdict` says "success" and nothing else.
	 */
	shape: 'envelope' | 'array' | 'object' | 'data' | 'single' | 'verdict';
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
	/**
	 * Whether rows and TotalCount are read at one moment or by two statements: `rowsFirst`, `countFirst`. Between the
	 * two `betweenStatements` is called, which may change the list.
	 */
	moment: 'one' | 'rowsFirst' | 'countFirst';
	/**
	 * What TotalCount says. `cached`: what it was when the same filter was first counted. `capped`: at most `countCap`.
	 * `offBy`: wrong by `countOffBy`. `page`: the rows of this page.
	 */
	count: 'exact' | 'cached' | 'capped' | 'offBy' | 'page';
	countCap: number;
	countOffBy: number;
	/** This many list requests at the start are answered as if they had no Sort. */
	unsortedAnswers: number;
	/** This many list requests at the start are answered without rows although TotalCount is right. */
	emptyAnswers: number;
	/** Largest Skip. A larger one gives 400, the rows from the start, or those at the largest Skip. */
	maxSkip: number | undefined;
	skipOverMax: 'refuse' | 'ignore' | 'clamp';
	/** Which parts of the dsquery have an effect. Without Take a page holds all rows. */
	listensTo: { filter: boolean; sort: boolean; skip: boolean; take: boolean };
	/** Conditions with these operators, or on these fields, are left out of a filter. */
	ignoredOperators: string[];
	ignoredFields: string[];
	/** `page`: each page is sorted by itself, after paging in the natural order. `text`: numbers are sorted as text. */
	sorting: 'list' | 'page' | 'text';
	/** Sorts that have an effect, from the first on; undefined for all. */
	mostSorts: number | undefined;
	/** The case of property names, in the envelope and in rows. Filters and sorts use the specified names. */
	names: 'pascal' | 'camel';
	/** Properties without a value are null, or left out of the row. */
	emptyProperties: 'null' | 'omitted';
	/** How decimal numbers of rows are written: 7.5, or "7.5". */
	decimals: 'number' | 'text';
	/** The Items of a page without rows: some languages write an empty list as null. */
	emptyItems: 'list' | 'null';
	/**
	 * Ids of the rows whose real Id modulo `oddIdEvery` is 7. `doubled`: the Id of the row before. `text`: that one as
	 * text. `large`: above 2^53.
	 */
	oddIds: 'none' | 'null' | 'empty' | 'doubled' | 'text' | 'large';
	oddIdEvery: number;
	/** Order of integer Ids: as numbers, or as text: 1, 10, 100, 11. */
	idOrder: 'number' | 'text';
	/** What a filter on an integer Id compares. */
	idComparison: 'number' | 'text';
	/** Answers are cut at a size: pages behind the first place have 60 to 99 % of their rows. */
	unevenPages: boolean;
	/** No rows beyond this place, and TotalCount stops there. */
	window: number | undefined;
	/** Rows more than asked for, or fewer if negative. */
	takeOffBy: number;
	/** Largest Take of stations, if another one; `takeOverClamp` says what a larger one gives. */
	stationsTakeClamp: number | undefined;
	/** What says that rows follow the page, in the envelope or in a header. */
	moreSign: 'none' | 'HasMore' | 'NextPage' | 'PageInfo' | 'TotalPages' | 'X-Total-Count' | 'Link';
	/** Every second request is answered by a replica that cuts pages at this length, and counts only their rows. */
	cutReplica: number | undefined;
	/** What a page without rows behind the first place is: the envelope, `null`, an empty body, or 404. */
	behindEnd: 'envelope' | 'null' | 'nothing' | 'notFound';
}

/**
 * Everything the specification leaves open, as switches. Every change takes effect on the next request, except
 * `statusCodes`, which decide what is seeded (at start and at `reset`).
 */
export interface Behaviour {
	/** Time between arrival and answer of each request. */
	latencyMs: number;
	/** Largest Take the server gives. */
	takeClamp: number | undefined;
	/** A Take above the clamp is cut silently, or answered 400. */
	takeOverClamp: 'clamp' | 'refuse';
	/** Rows when dsquery or its Take is left out. */
	defaultTake: number;
	/** What Take 0 means. */
	takeZero: 'empty' | 'default' | 'refuse';
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
	statusCodes: StatusCodes;
	/** Fields of each list, by name, with the kinds of their values as Check Platform reports them; undefined for the usual ones. */
	fields: LikeFields | undefined;
	/** How many rows have which code, by list and field. Like `statusCodes`, they decide what is seeded. */
	codes: LikeCodes | undefined;
	/** Whether the Value of a status condition may also be the name ("finished"). */
	statusValueNames: boolean;
	/**
	 * Where rows without a value are sorted. `first`: below every value (first with Asc, last with Desc, as in SQL
	 * Server and SQLite); `last`: above every value (as in PostgreSQL); `alwaysFirst`, `alwaysLast`: in either
	 * direction.
	 */
	nullPlacement: 'first' | 'last' | 'alwaysFirst' | 'alwaysLast';
	/** Whether Neq matches rows without a value. */
	nullNeq: 'match' | 'noMatch';
	/** Whether text is compared and ordered case-sensitively. */
	collation: 'binary' | 'nocase';
	/** The order without Sort, and among rows that are equal by Sort. `random`: none at all. */
	naturalOrder: 'idAsc' | 'idDesc' | 'random';
	/** Whether Field names are case-sensitive. */
	fieldCase: 'insensitive' | 'sensitive';
	/** Properties of dsquery that the specification does not name. */
	unknownProperties: 'refuse' | 'ignore';
	/** Logic, Operator or Dir left out: refused, or the first value of the enum. */
	omittedEnums: 'refuse' | 'default';
	/** The number of the first value of an enum (Operator, Logic, Dir). */
	enumBase: 0 | 1;
	/** A group without filters. */
	emptyGroup: 'refuse' | 'all' | 'none';
	/** Lt, Lte, Gt, Gte and ranges on text. */
	orderedText: 'compare' | 'refuse';
	/** Contains, StartsWith, EndsWith on fields that are not text: refused, or matched against the value as text. */
	textOperatorsOnNonText: 'refuse' | 'cast';
	/** `strict` takes only `YYYY-MM-DDThh:mm:ss`; `lenient` also a date alone, fractions and a trailing Z. */
	dateValues: 'strict' | 'lenient';
	/** Timestamps in conditions are read in a zone that is so many hours ahead of UTC. */
	conditionZoneHours: number;
	/** Whether spaces around the entries of In and ranges count. */
	listSpaces: 'trim' | 'keep';
	/** Longest request target before 414. */
	refuseUrlLongerThan: number | undefined;
	/** Largest request body in bytes before 413. */
	refuseBodyLargerThan: number | undefined;
	maxExportIds: number | undefined;
	/** Status of an export of more than `maxExportIds` ids. */
	exportRefusal: 413 | 400;
	csv: CsvBehaviour;
	token: TokenBehaviour;
	locations: LocationsBehaviour;
	chargePoints: ChargePointsBehaviour;
	/**
	 * The detail of a station. `evses`: its EVSEs and nothing else. `stationId`: under that name instead of Id. `array` and
	 * `items`: in a list of one.
	 */
	stationDetail: 'object' | 'evses' | 'stationId' | 'array' | 'items';
	lists: ListsBehaviour;
	/** How texts are written: `latin1` under the name of UTF-8, as legacy systems do. */
	encoding: 'utf8' | 'latin1';
	/** Timestamps of rows with milliseconds (`2026-11-21T00:00:00.123`), in answers and in comparisons. */
	timestampFractions: boolean;
	/** How TotalCount is written. */
	totalCount: 'number' | 'text' | 'null' | 'missing';
	/** Answers every API request 302 with this Location. */
	redirectTo: string | undefined;
	/** Time until new scopes of a key take effect. */
	scopeDelayMs: number;
	/** Areas that the role Accountant may not read, and the code of that refusal. */
	roleRules: { accountantRefused: string[]; code: string | undefined };
	/** Status for a key at an endpoint that accepts none. */
	keyNotAcceptedStatus: 401 | 403;
	/** How far the platform's clock is ahead of this machine's, in the Date header and in Retry-After dates. */
	clockSkewMs: number;
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

export type FaultKind =
	| 'drop'
	| 'dropMidBody'
	| 'stall'
	| 'stallMidBody'
	| 'drip'
	| 'truncate'
	| 'status'
	| 'html'
	| 'empty'
	| 'reply';

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
export type SessionOutcome = 'finished' | 'expired' | 'failed';

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
	/** Called between the statements that read rows and count, if `behaviour.lists.moment` asks for two. */
	betweenStatements: ((info: ListInfo) => void) | undefined;
	/**
	 * Answers a list as its endpoint would, without gateway, HTTP and recording: for tests that read thousands of
	 * lists.
	 *
	 * @throws Refusal with its status
	 */
	answerList(list: ListName, dsquery: unknown): string;
	readonly audit: AuditRecord[];
	/** Restores the state after the start: rows, keys, behaviour, faults, records, licence, rate limit. */
	reset(): void;
	close(): Promise<void>;
}
