import { MINUTE_MS, SECOND_MS } from '../../dsquery/values/durations';
import type { TokenUse } from '../account/session';
import { asksToWait, type PlatformError } from '../answers/errors';
import { notSent, repeated } from '../answers/notSent';
import type { AccountKind, FailureKind, PlatformOptions } from '../types';
import type { Endpoint } from './endpoint';
import { pause, throwIfCanceled } from './pause';
import { backOffMs } from './retry';

/** Longest hold of a credential, in milliseconds, unless a run may wait longer. */
const LONGEST_HOLD_MS = 15 * MINUTE_MS;
/** First wait for the rate limit if the platform does not say how long; doubles with every refusal in a row. */
const FIRST_BACK_OFF_MS = SECOND_MS;
const LONGEST_BACK_OFF_MS = MINUTE_MS;
/** First hold after a refusal because the license is not active; doubles with each further one. */
const FIRST_LICENSE_HOLD_MS = MINUTE_MS;
/** Requests that waited together are sent about this far apart, in milliseconds. */
const APART_MS = 50;
/** How often a waiting request checks whether the credential is free again, in milliseconds. */
const NAP_MS = 200;
/** How often a waiting request checks whether the sign-in is done, in milliseconds. */
const SIGN_IN_LOOK_MS = 50;
/** Limits of what is remembered: more than a process needs at the same time. */
const MAX_GATES = 500;
const MAX_REFUSALS = 100;

type HoldReason = 'asked-to-wait' | 'license-inactive';

/** Who asks, and how patiently. */
export interface Caller {
	/** A person waits in the editor: no waiting, no retries. */
	isEditor: boolean;
	/** Id of the execution, which remembers lasting refusals. Polls have none: they remember in their own state. */
	execution?: string;
	/** Id of a run that a person started, which may ask once even while the credential is held. */
	person?: string;
	signal?: AbortSignal;
	options: PlatformOptions;
	/** The workflow's time zone, for times in messages. */
	zone: string;
}

/** One request at the gate, all its tries together. */
export interface Visit {
	caller: Caller;
	account: AccountKind;
	endpoint: Pick<Endpoint, 'scope' | 'path'>;
	/** How long it has waited for the rate limit, in milliseconds. */
	waitedMs: number;
	/** Takes the token for one try, if there are tokens. */
	begin(): TokenUse | undefined;
	/** Called after each wait for the rate limit, with the moment when it began. */
	onWait(began: number): void;
}

/** The permission for one try. It must be given back with `refused` or `freed`. */
export interface Pass {
	sentAt: number;
	use?: TokenUse;
	/** This try signs the user in. */
	signsIn: boolean;
}

/** Why nothing is sent. Times are those of `performance.now()`. */
interface Hold {
	reason: HoldReason;
	/** What the platform said last. */
	refusal: PlatformError;
	/** Nothing is sent before this time. Then one request tests the credential for all. */
	until: number;
	/** The time the platform asked for, possibly much later. A run that may wait that long does. */
	askedUntil: number;
	/** When the latest refusal arrived. Answers to requests sent earlier say nothing about the time after it. */
	since: number;
	/** Refusals in a row. */
	strikes: number;
	isTesting: boolean;
	/** Runs started by a person that have asked while the credential was held: each may ask once. */
	asked: Set<string>;
}

/** A refusal after which the credential is held. */
interface Refused {
	error: PlatformError;
	pass: Pass;
	person?: string;
	/** The time that the platform asks for, and how long this request may wait. */
	askedMs: number;
	patienceMs: number;
}

/** What a request may do: go, wait and ask again, or fail. */
export type Permission =
	| { go: 'now' }
	| { go: 'wait'; ms: number }
	| { go: 'fail'; refusal: PlatformError; untilMs: number; askedMs: number };

/**
 * Decides when requests of one credential may be sent. All connections of this process that use the credential share
 * its gate.
 *
 * | State      | Begins with                     | Who may pass                                         | Ends with                 |
 * |------------|---------------------------------|------------------------------------------------------|---------------------------|
 * | open       |                                 | all                                                  |                           |
 * | signing in | a request without a token       | nobody; all wait                                     | the answer to it          |
 * | held       | 429, or 503 with Retry-After    | nobody. Who may wait as long as asked waits, a       | the time asked for, or    |
 * |            |                                 | person's run asks once, all others fail at once      | LONGEST_HOLD_MS           |
 * | held       | the license is not active       | nobody. A person's run asks once, all others fail    | 1, 2, 4, 8 or 15 minutes  |
 * | testing    | the first request after a hold  | nobody; all wait                                     | its answer: open or held  |
 * | refused    | wrong key, scope or role        | what needs another scope or path; other executions   | the end of the execution  |
 *
 * A dropdown never asks while the rate limit holds the credential.
 */
export class Gate {
	private hold?: Hold;
	private isSigningIn = false;
	/** Requests waiting for the rate limit right now. */
	private waiting = 0;
	/** Refusals that do not change during an execution, by subject and execution. */
	private readonly refusals = new Map<string, PlatformError>();

	constructor(
		private readonly now: () => number = () => performance.now(),
		private readonly random: () => number = Math.random,
	) {}

	/**
	 * Returns when a request may be sent.
	 *
	 * @throws PlatformError if it may not, or the execution was stopped
	 */
	async admit(visit: Visit): Promise<Pass> {
		const { signal, isEditor, options, execution } = visit.caller;
		for (;;) {
			throwIfCanceled(signal);
			const known = this.refusals.get(`${execution} `) ?? this.refusals.get(`${execution} ${subjectOf(visit)}`);
			if (known) throw repeated(known);
			if (this.isSigningIn) {
				await pause(SIGN_IN_LOOK_MS, signal);
				continue;
			}
			const permission = this.ask(visit.caller, isEditor ? 0 : options.maxRateLimitWaitMs - visit.waitedMs);
			if (permission.go === 'fail') throw notSent(permission, visit);
			if (permission.go === 'now') return this.pass(visit);
			await this.wait(permission.ms, visit);
		}
	}

	/** What a request may do now. After `now` it counts as sent. */
	ask({ person, isEditor }: Pick<Caller, 'person' | 'isEditor'>, patienceMs: number): Permission {
		const { hold } = this;
		if (!hold) return { go: 'now' };
		const untilMs = hold.until - this.now();
		const askedMs = hold.askedUntil - this.now();
		if (askedMs > 0 && askedMs <= patienceMs && hold.reason === 'asked-to-wait') {
			return { go: 'wait', ms: this.nap(askedMs) };
		}
		const mayAsk = person !== undefined && (hold.isTesting || !hold.asked.has(person));
		const isLeftAlone = isEditor && hold.reason === 'asked-to-wait';
		if (untilMs > 0 && (!mayAsk || isLeftAlone)) return { go: 'fail', refusal: hold.refusal, untilMs, askedMs };
		if (hold.isTesting) return { go: 'wait', ms: this.nap(0) };
		hold.isTesting = true;
		if (person !== undefined) hold.asked.add(person);
		return { go: 'now' };
	}

	/** The platform refused a request. */
	refused(pass: Pass, visit: Visit, error: PlatformError): void {
		const { execution, person, options } = visit.caller;
		const { kind, status = 0, retryAfterMs = 0 } = error;
		const hold = { error, pass, person, askedMs: 0, patienceMs: 0 };
		if (asksToWait(error)) {
			this.holdFor('asked-to-wait', { ...hold, askedMs: retryAfterMs, patienceMs: options.maxRateLimitWaitMs });
		} else if (kind === 'license-inactive') this.holdFor(kind, hold);
		else this.freed(pass, status >= 400 ? status : undefined);
		const lasting = lastingSubject(pass, visit, error);
		if (lasting === undefined || execution === undefined) return;
		this.refusals.set(`${execution} ${lasting}`, error);
		forgetOldest(this.refusals, MAX_REFUSALS);
	}

	/**
	 * A request ended in any other way. Its answer may show that the credential is free.
	 *
	 * @param status HTTP status of the answer; left out when the platform gave none
	 */
	freed({ sentAt, signsIn }: Pass, status?: number): void {
		if (signsIn) this.isSigningIn = false;
		const { hold } = this;
		if (!hold || sentAt < hold.since) return;
		const isFree = status !== undefined && (status < 300 || (status < 500 && hold.reason === 'asked-to-wait'));
		if (isFree) this.hold = undefined;
		else hold.isTesting = false;
	}

	private pass(visit: Visit): Pass {
		// Nothing is awaited since the check in `admit`, so two requests never both sign in.
		const use = visit.begin();
		const signsIn = use?.isSignedOut === true;
		if (signsIn) this.isSigningIn = true;
		return { sentAt: this.now(), use, signsIn };
	}

	private async wait(ms: number, visit: Visit): Promise<void> {
		const began = performance.now();
		this.waiting++;
		try {
			await pause(ms, visit.caller.signal);
		} finally {
			this.waiting--;
			visit.waitedMs += performance.now() - began;
			visit.onWait(began);
		}
	}

	private holdFor(reason: HoldReason, { error, pass, person, askedMs, patienceMs }: Refused): void {
		if (pass.signsIn) this.isSigningIn = false;
		const now = this.now();
		const isUnpaid = this.hold?.reason === 'license-inactive' && this.hold.until > now;
		const before = this.hold && (isUnpaid || this.hold.reason === reason) ? this.hold : newHold(reason, error);
		// Requests under way together count as one refusal, and so do people's requests during a license hold.
		const counts = !isUnpaid && pass.sentAt >= before.since;
		const strikes = before.strikes + (counts ? 1 : 0);
		const waitMs = counts ? Math.max(askedMs, this.backOff(reason, strikes, askedMs)) : askedMs;
		this.hold = {
			...before,
			refusal: before.reason === reason ? error : before.refusal,
			until: Math.max(before.until, now + Math.min(waitMs, Math.max(LONGEST_HOLD_MS, patienceMs))),
			askedUntil: Math.max(before.askedUntil, now + waitMs),
			since: now,
			strikes,
			isTesting: false,
		};
		if (person !== undefined) this.hold.asked.add(person);
	}

	/** Our own wait where the platform asks for none, or repeatedly for too short a one. */
	private backOff(reason: HoldReason, strikes: number, askedMs: number): number {
		if (reason === 'license-inactive') return Math.min(LONGEST_HOLD_MS, FIRST_LICENSE_HOLD_MS * 2 ** (strikes - 1));
		if (askedMs > 0 && strikes === 1) return 0;
		return backOffMs(askedMs > 0 ? strikes - 1 : strikes, FIRST_BACK_OFF_MS, LONGEST_BACK_OFF_MS, this.random);
	}

	/** How long a waiting request sleeps before it asks again. */
	private nap(leftMs: number): number {
		return leftMs > NAP_MS ? NAP_MS : leftMs + this.random() * APART_MS * (this.waiting + 1);
	}
}

/** The scope or path that a request needs. */
function subjectOf({ endpoint }: Visit): string {
	return endpoint.scope ?? endpoint.path;
}

const LASTING: ReadonlySet<FailureKind> = new Set(['unauthorized', 'scope-missing', 'role-insufficient']);

/** What a refusal is about that holds for the whole execution; '' for everything, undefined if it does not. */
function lastingSubject({ use }: Pass, visit: Visit, { kind, transient }: PlatformError): string | undefined {
	// Repeated wrong passwords lock the account in the end.
	if (use?.isSignedOut === true && !transient && kind !== 'canceled') return '';
	if (!LASTING.has(kind)) return undefined;
	// An endpoint without a scope may refuse every key: that says nothing about this one.
	const isAboutAll =
		kind === 'unauthorized' && (visit.endpoint.scope !== undefined || visit.account === 'signedInUser');
	return isAboutAll ? '' : subjectOf(visit);
}

function newHold(reason: HoldReason, refusal: PlatformError): Hold {
	const never = Number.NEGATIVE_INFINITY;
	return {
		reason,
		refusal,
		until: never,
		askedUntil: never,
		since: never,
		strikes: 0,
		isTesting: false,
		asked: new Set(),
	};
}

const gates = new Map<string, Gate>();

/** The gate of a credential in this process. */
export function gateOf(keyId: string): Gate {
	const gate = gates.get(keyId) ?? new Gate();
	// Moved to the end of the map, so that the credential used longest ago is forgotten first.
	gates.delete(keyId);
	gates.set(keyId, gate);
	forgetOldest(gates, MAX_GATES);
	return gate;
}

function forgetOldest(all: Map<string, unknown>, most: number): void {
	for (const oldest of all.keys()) {
		if (all.size <= most) break;
		all.delete(oldest);
	}
}
