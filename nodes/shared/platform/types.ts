import type { IDataObject, IExecuteFunctions, ILoadOptionsFunctions, IPollFunctions } from 'n8n-workflow';

/** The kind of account that sends requests. The nodes store it in their parameter `authentication`. */
export type AccountKind = 'apiKey' | 'signedInUser';

export type Environment = 'production' | 'test';

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
	/** The names of the list's fields that the specification shows. */
	known?: readonly string[];
	/** The id in the path of a detail request. */
	id?: string;
}

/** The n8n contexts that can talk to the platform. */
export type PlatformContext = IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions;

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
	/** What came instead of a count: "TotalCount is null". Undefined for an answer without any content. */
	uncounted?: string;
	/** The answer has no content: status 204, an empty body, or `null`. */
	isBlank?: true;
}

/** How patient requests are. */
export interface PlatformOptions {
	/** Longest time one request may take, from sending to the last byte, in milliseconds. */
	timeoutMs: number;
	/**
	 * Longest time that a connection waits for the rate limit without an answer in between, all its requests together, in
	 * milliseconds.
	 */
	maxRateLimitWaitMs: number;
}

/** What happened while reading, for the notes shown on the node. */
export interface PlatformStats {
	/** Requests sent, refused ones included. */
	requests: number;
	/** Time spent waiting for the rate limit, in milliseconds. Overlapping waits count once. */
	rateLimitWaitMs: number;
	/** How far the platform's clock is ahead of this machine's, by its last Date header; undefined without one. */
	clockAheadMs?: number;
}

/** CSV bytes as they arrive. */
export type CsvStream = AsyncIterable<Buffer>;

/** Why the platform could not give what was asked for. Most messages are in `answers/refusals.ts`. */
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
