import { asksToWait, isCanceled, PlatformError, repeated } from '../answers/errors';
import { orStopped } from '../http/pause';
import { settle } from '../../settle';
import type { UserSettings } from './credential';
import { signIn, type SignInSender } from './signIn';

/** A token to send a request with. */
export interface Token {
	text: string;
	/** Whether this request has signed in for it. */
	isNew: boolean;
	source: Promise<string>;
}

/** More than a process needs at the same time. */
const MAX_REMEMBERED = 500;

/** The token of each account, or the sign-in under way. By base URL, e-mail address and password: see `keyId`. */
const known = new Map<string, Promise<string>>();
/** Why an account cannot be used, by execution: a wrong password that is tried again locks the account in the end. */
const refusals = new Map<string, PlatformError>();

/**
 * The tokens of one signed-in user. They are kept in memory only, for all executions of this process. There is no refresh
 * token: one that is refused is dropped, and the next request signs in, while the others wait for it.
 */
export class Tokens {
	private readonly execution?: string;

	/** @param caller sends the sign-in; where it is an execution, a refused sign-in is not tried again in it */
	constructor(
		private readonly settings: UserSettings,
		private readonly caller: SignInSender & { execution?: string },
	) {
		if (caller.execution !== undefined) this.execution = `${caller.execution} ${settings.keyId}`;
	}

	/** @throws PlatformError that says why there is no token */
	async current(): Promise<Token> {
		const { settings, caller } = this;
		for (;;) {
			const refusal = refusals.get(this.execution ?? '');
			if (refusal) throw repeated(refusal);
			const isNew = !known.has(settings.keyId);
			const source = known.get(settings.keyId) ?? this.begin();
			const outcome = await settle(orStopped(source, caller.signal));
			if (outcome.ok) {
				const text = outcome.value;
				if (!settings.secrets.includes(text)) settings.secrets.push(text);
				return { text, isNew, source };
			}
			const { error } = outcome;
			if (isNew && error instanceof PlatformError) this.remember(error);
			// Where the execution that signs in was stopped, another one does.
			if (isNew || !isCanceled(error) || caller.signal?.aborted) {
				throw error instanceof PlatformError ? repeated(error) : error;
			}
		}
	}

	/**
	 * The platform refused a token. Returns whether the request may be sent again with another one: not where it has just
	 * signed in, so that each request does so once at most.
	 */
	dropRefused({ isNew, source }: Token, error: PlatformError): boolean {
		this.drop(source);
		if (isNew) this.remember(error);
		return !isNew;
	}

	private begin(): Promise<string> {
		const source = signIn(this.settings, this.caller);
		known.set(this.settings.keyId, source);
		forgetOldest(known);
		void source.catch(() => this.drop(source));
		return source;
	}

	private drop(source: Promise<string>): void {
		const { keyId } = this.settings;
		if (known.get(keyId) === source) known.delete(keyId);
	}

	private remember(error: PlatformError): void {
		const mayPass = error.transient || asksToWait(error) || isCanceled(error) || error.kind === 'license-inactive';
		if (mayPass || this.execution === undefined) return;
		refusals.set(this.execution, error);
		forgetOldest(refusals);
	}
}

/** The next request of this account signs in. */
export function forgetToken(keyId: string): void {
	known.delete(keyId);
}

function forgetOldest(all: Map<string, unknown>): void {
	const [oldest = ''] = all.keys();
	if (all.size > MAX_REMEMBERED) all.delete(oldest);
}
