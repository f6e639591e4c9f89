import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import type { Query } from '../dsquery/types';

/** The kind of account that sends requests. The nodes store it in their parameter `authentication`. */
export type AccountKind = 'apiKey' | 'signedInUser';

export type Environment = 'production' | 'test';

/** What lists are asked with: an account of an environment. */
export interface ConnectionInfo {
	account: AccountKind;
	environment: Environment;
	/** Scheme, host and path prefix, without a slash at the end. */
	baseUrl: string;
	/** Texts that must not appear in a message: the API key, or the user's password and token. */
	secrets: string[];
	/** Whether the platform has answered before, so that the base URL is right. */
	hasAnswered?: boolean;
}

/** What a request is for. Decides the path, the scope needed and the wording of a refusal. */
export interface Endpoint {
	kind: 'list' | 'station' | 'export' | 'sign-in';
	path: string;
	/** Left out where the specification shows none. */
	scope?: string;
	/** "charging sessions" */
	plural: string;
	/** The path comes from a user. */
	typed?: true;
	/** The id in the path of a detail request. */
	id?: string;
}

/** An answer of the platform, or of what stands before it, whatever its status, with what is needed to explain it. */
export interface PlatformAnswer extends ConnectionInfo {
	status: number;
	/** Lower-case names. */
	headers: Record<string, unknown>;
	body: string;
	endpoint: Endpoint;
	query?: Query;
	/** How long a 429, 403 or 503 asks to wait, in milliseconds. */
	retryAfterMs?: number;
}

/** A 2xx answer that could be read. */
export interface JsonAnswer extends PlatformAnswer {
	/** Parsed; null for an answer without content. */
	json: unknown;
}

/**
 * One resource row, as the platform sent it. `Id` and the known fields of the list are in the specification's spelling,
 * whatever case the platform uses; empty ones may be missing.
 */
export type Row = IDataObject;

/** A checked list answer. */
export interface Page {
	rows: Row[];
	/** The number of all matching rows, regardless of paging; undefined where the platform does not say. */
	totalCount?: number;
	/** The answer has no content: status 204, an empty body, or `null`. */
	isBlank?: true;
	/** How its form differs from the specification, where it is read all the same. */
	oddForm?: readonly OddForm[];
}

/** A bare array instead of the envelope; names in another case; a count that is written as text. */
export type OddForm = 'bare array' | 'other case' | 'count as text';

/** How patient requests are. */
export interface PlatformOptions {
	/** Longest time one request may take, from sending to the last byte, in milliseconds. */
	timeoutMs: number;
	/**
	 * Longest time that a connection waits for the rate limit without an answer in between, all its requests together, in
	 * milliseconds.
	 */
	maxRateLimitWaitMs: number;
	/** In a poll: what both are at most, whatever the user has set; and the time of `performance.now()` at which waits end. */
	poll?: { timeoutMs: number; maxRateLimitWaitMs: number; waitsUntil: number };
}

/** Who asks, how, and how patiently: one for each execution, poll or editor request. */
export interface Caller {
	/** Sends a request through one of n8n's helpers, which adds the API key. For a signed-in user it adds nothing. */
	send(request: IHttpRequestOptions, signal: AbortSignal): Promise<unknown>;
	/** A person waits in the editor: no waiting, no retries. */
	isEditor: boolean;
	/** A trigger's poll, which comes again and again. */
	isPoll: boolean;
	/** Names a run that a person started: it may ask once even while the key is held. */
	person?: string;
	signal?: AbortSignal;
	options: PlatformOptions;
	/** The workflow's time zone, for times in messages. */
	zone: string;
}

/** What happened while reading, for the notes shown on the node. */
export interface PlatformStats {
	/** Requests sent, refused ones included; without those that sign in. */
	requests: number;
	/** How often a token was asked for, and came. */
	signIns: number;
	/** Time spent waiting for the rate limit, in milliseconds. Overlapping waits count once. */
	rateLimitWaitMs: number;
}

/** Why the platform could not give what was asked for. Most messages are in `answers/refusalRules.ts`. */
export type FailureKind =
	| 'canceled'
	| 'unauthorized'
	| 'scope-missing'
	| 'license-inactive'
	| 'role-insufficient'
	| 'forbidden'
	| 'query-refused'
	| 'not-found'
	| 'too-large'
	| 'url-too-long'
	| 'rate-limited'
	| 'server-failure'
	| 'network-failure'
	| 'redirected'
	| 'not-the-platform'
	| 'invalid-answer'
	| 'configuration';
