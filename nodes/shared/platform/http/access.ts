import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { CancelSignal } from './pause';
import type { UserSession } from '../account/session';
import type { Spacing } from './spacing';
import type { Supervision } from './supervision';
import type { AccountKind, Environment, PlatformContext, PlatformOptions, PlatformStats } from '../types';

/** The internal names of the credentials. Saved workflows depend on them. */
export const CREDENTIAL_TYPES = {
	apiKey: 'chargingNetworkApi',
	signedInUser: 'chargingNetworkUserApi',
} as const satisfies Record<AccountKind, string>;

/** Everything a request needs to know about who sends it. Resolved once per execution, poll or editor request. */
export interface Access {
	context: PlatformContext;
	account: AccountKind;
	/** What n8n authenticates every request with: the credential as it was at the start, put right. */
	credential: ICredentialDataDecryptedObject;
	/** The tokens of a signed-in user; an API key has none. */
	session?: UserSession;
	environment: Environment;
	baseUrl: string;
	/** Texts that must not appear in a message. Grows with every token. */
	secrets: string[];
	/** Stands for base URL and account without revealing them. */
	keyId: string;
	/** Editor requests fill dropdowns: somebody is waiting, so they wait for nothing themselves. */
	kind: 'execution' | 'poll' | 'editor';
	/** Names this execution, to remember what it was told. Polls have none: their own state remembers. */
	execution?: string;
	/** Names it as one that a person started, which may ask about the licence once although the circuit is open. */
	asker?: string;
	signal?: CancelSignal;
	options: PlatformOptions;
	stats: PlatformStats;
	waiting: WaitClock;
	firsts: FirstRequests;
	/** Ends requests that take too long. */
	supervision: Supervision;
	/** Keeps requests a moment apart. */
	spacing: Spacing;
	/** The workflow's time zone, for moments in messages. */
	zone: string;
}

/** Adds up the time during which at least one request waited for the rate limit. Overlapping waits count once. */
export class WaitClock {
	private waiting = 0;
	private since = 0;
	private readonly stats: PlatformStats;

	constructor(stats: PlatformStats) {
		this.stats = stats;
	}

	begin(now: number): void {
		if (this.waiting++ === 0) this.since = now;
	}

	end(now: number): void {
		if (--this.waiting === 0) this.stats.rateLimitWaitMs += Math.max(0, now - this.since);
	}
}

/**
 * Lets the first request of an execution go alone for each scope. If the key is refused, the others learn it from this
 * one instead of asking as well.
 */
export class FirstRequests {
	private readonly proven = new Set<string>();
	private readonly underway = new Map<string, Promise<void>>();

	/** What to wait for before asking again whether a request may go; undefined when it may. */
	pending(scope: string): Promise<void> | undefined {
		return this.underway.get(scope);
	}

	/** Marks the start of a request. The returned function must be called with its outcome. */
	begin(scope: string): (cameThrough: boolean) => void {
		if (this.proven.has(scope)) return () => undefined;
		let done = () => undefined as void;
		this.underway.set(scope, new Promise<void>((resolve) => (done = resolve)));
		return (cameThrough) => {
			if (cameThrough) this.proven.add(scope);
			this.underway.delete(scope);
			done();
		};
	}
}
