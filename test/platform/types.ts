import type { Behaviour, CsvBehaviour } from './behaviour.ts';

export interface PlatformOptions {
	/** 0 takes a free port. */
	port?: number;
	sessions?: number;
	stations?: number;
	locations?: number;
	tariffs?: number;
	/** Largest number of Ids left out between two seeded sessions. 0 numbers them without gaps. */
	idGaps?: number;
	/** End of the seeded history, as `YYYY-MM-DDThh:mm:ss`, UTC. */
	now?: string;
	/** SQL that changes the seeded rows. */
	rows?: string;
	behaviour?: BehaviourChanges;
	/** Secret of the ready-made key; random by default. */
	key?: string;
}

/** A window opens with the first request after the last one closed. */
export interface RateLimit {
	/** Requests allowed per key and window. */
	limit: number;
	windowMs: number;
	/** How Retry-After is written: whole seconds, an HTTP date, or left out. */
	retryAfter: 'seconds' | 'date' | 'none';
}

/**
 * Numbers, text such as `ses-000123` or `123` that is compared and ordered as text, numbers that two or three rows share, or
 * no Ids at all.
 */
export type IdKind = 'integer' | 'text' | 'digits' | 'pairs' | 'threes' | 'none';

/** Some of the switches; groups of them are merged. */
export type BehaviourChanges = Partial<Omit<Behaviour, 'ids' | 'token' | 'csv'>> & {
	ids?: Partial<Behaviour['ids']>;
	token?: Partial<Behaviour['token']>;
	csv?: Partial<CsvBehaviour>;
};

export interface ApiKey {
	id: string;
	name: string;
	secret: string;
}

export interface User {
	email: string;
	password: string;
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
	/** Parsed JSON; undefined for signing in. */
	body: unknown;
	status: number | undefined;
	/** Name of the key, or e-mail address of the user. */
	keyName: string | undefined;
	/** Request headers; API key and token replaced by `***`. */
	headers: Record<string, string>;
	/** End of the wait that a 429 asked for, milliseconds since the epoch. */
	waitUntil: number | undefined;
}

export const FAULT_KINDS = ['drop', 'dropMidBody', 'stall', 'drip', 'truncate', 'status', 'html', 'reply'] as const;

/** Which requests a fault applies to. `path` is a prefix; `nth` counts the requests that match the rest, from 1. */
interface FaultMatch {
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
	 * a late one, with delayMs). drip: the body in small pieces, delayMs apart. truncate: a complete answer with half
	 * its text. status: a refusal with this status. html: a gateway's page. reply: this status, headers and body.
	 */
	kind: (typeof FAULT_KINDS)[number];
	status?: number;
	/** Text or bytes as they are; anything else is sent as JSON. */
	body?: unknown;
	headers?: Record<string, string>;
	delayMs?: number;
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
