import { isCanceled, PlatformError, copyError } from '../answers/errors';
import { rejectOnAbort } from '../http/pause';
import { settle } from '../../settle';
import type { Caller } from '../types';
import type { UserSettings } from './credential';
import { signIn } from './signIn';

/** A token to send a request with. */
export interface AccessToken {
	text: string;
	/** Whether this request has signed in for it. */
	isNew: boolean;
	source: Promise<string>;
}

/** More than a process needs at the same time. */
const MAX_REMEMBERED = 500;

/** The token of each account, or the sign-in under way. By base URL, email address and password: see `keyId`. */
const known = new Map<string, Promise<string>>();

/**
 * The token of a signed-in user, kept in memory only, for all executions of this process. There is no refresh token: one
 * that is refused is dropped, and the next request signs in, while the others wait for it.
 *
 * @throws PlatformError that says why there is no token
 */
export async function getAccessToken(settings: UserSettings, caller: Caller): Promise<AccessToken> {
	for (;;) {
		const isNew = !known.has(settings.keyId);
		const source = known.get(settings.keyId) ?? begin(settings, caller);
		const outcome = await settle(rejectOnAbort(source, caller.signal));
		if (outcome.ok) {
			const text = outcome.value;
			if (!settings.secrets.includes(text)) settings.secrets.push(text);
			return { text, isNew, source };
		}
		const { error } = outcome;
		// Where the execution that signs in was stopped, another one does.
		if (isNew || !isCanceled(error) || caller.signal?.aborted) {
			throw error instanceof PlatformError ? copyError(error) : error;
		}
	}
}

function begin(settings: UserSettings, caller: Caller): Promise<string> {
	const { keyId } = settings;
	const source = signIn(settings, caller);
	known.set(keyId, source);
	const [oldest = keyId] = known.keys();
	if (known.size > MAX_REMEMBERED) known.delete(oldest);
	void source.catch(() => forgetToken(keyId, source));
	return source;
}

/** The next request of this account signs in. @param source the token that is forgotten, where it may be another one by now */
export function forgetToken(keyId: string, source = known.get(keyId)): void {
	if (known.get(keyId) === source) known.delete(keyId);
}
