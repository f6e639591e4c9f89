import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { PlatformError } from '../answers/errors';
import type { UserSettings } from './credential';

/** The hidden fields of the credential: the token, and a hash that ties it to its account and address. */
export const TOKEN_FIELD = 'sessionToken';
export const OWNER_FIELD = 'sessionOwner';

/** Refused tokens after which a request gives up. */
const MAX_REFUSALS = 10;

/** Limits of a sign-in, found by its credential: n8n passes it nothing else. */
const conditions = new WeakMap<ICredentialDataDecryptedObject, SignInConditions>();

export interface SignInConditions {
	timeoutMs: number;
	signal?: AbortSignal;
	/** Why there is no token. n8n wraps thrown errors in its own, and 1.123 drops the original. */
	failure?: PlatformError;
}

/** The conditions of a sign-in; undefined for one that another node (HTTP Request) starts. */
export function conditionsOf(credential: ICredentialDataDecryptedObject): SignInConditions | undefined {
	return conditions.get(credential);
}

/**
 * The token stored in a credential, or nothing if it belongs to another account or address: n8n keeps it when the
 * credential is edited.
 */
export function storedToken(credential: ICredentialDataDecryptedObject, ownerOf: (token: string) => string): string {
	const token = credential[TOKEN_FIELD];
	return typeof token === 'string' && credential[OWNER_FIELD] === ownerOf(token) ? token : '';
}

/**
 * The tokens of one signed-in user during one execution. There is no refresh token, and n8n signs in by itself only if
 * the stored token is empty or a request throws a 401, which ours never do. So after a refused token, the next request
 * is sent with a credential without one, and n8n's own pre-authentication fetches and stores a new token. Meanwhile the
 * gate lets no other request of that credential pass.
 */
export class UserSession {
	/** Empty when the next request has to sign in. */
	token = '';
	/** A new token was refused with 403 as well: the user lacks a permission, and another token would not help. */
	isForbidden = false;
	private refusedToken = '';

	/** @param reread reads the stored credential again: another execution or process may have renewed the token */
	constructor(
		readonly settings: UserSettings,
		private readonly reread: () => Promise<ICredentialDataDecryptedObject>,
	) {
		this.use(storedToken(settings.credential, settings.ownerOf));
	}

	/** Begins one request's use of the token. */
	begin(): TokenUse {
		return new TokenUse(this, this.token);
	}

	/** A token that another execution has fetched meanwhile; empty when there is none. */
	async renewedElsewhere(): Promise<string> {
		const token = storedToken(await this.reread(), this.settings.ownerOf);
		if (token === this.refusedToken) return '';
		this.use(token);
		return token;
	}

	/** Sends further requests with this token. */
	use(token: string): void {
		const { secrets } = this.settings;
		this.token = token;
		if (token !== '' && !secrets.includes(token)) secrets.push(token);
	}

	/** Sends no further request with this token. */
	drop(token: string): void {
		this.refusedToken = token;
		if (this.token === token) this.token = '';
	}
}

/** One request's use of the token, which may be renewed for it. */
export class TokenUse {
	/** Whether this request has fetched the token it was sent with. */
	private isFresh = false;

	constructor(
		private readonly session: UserSession,
		private token: string,
	) {}

	/** The credential to send the request with. n8n signs in with it where its token is empty. */
	async credential(limits: SignInConditions): Promise<ICredentialDataDecryptedObject> {
		const { credential: base, ownerOf } = this.session.settings;
		if (this.token === '') this.token = await this.session.renewedElsewhere();
		const owner = this.token === '' ? '' : ownerOf(this.token);
		const credential = { ...base, [TOKEN_FIELD]: this.token, [OWNER_FIELD]: owner };
		conditions.set(credential, limits);
		return credential;
	}

	/** Takes over a new token that n8n has put into the credential. */
	sent(credential: ICredentialDataDecryptedObject): void {
		const token = credential[TOKEN_FIELD];
		if (typeof token !== 'string' || token === this.token) return;
		this.token = token;
		this.isFresh = true;
		this.session.use(token);
	}

	/** True if there is no token because the platform did not give one. */
	get isSignedOut(): boolean {
		return this.token === '';
	}

	/**
	 * Whether a refused request may be sent again with another token. A 401 means that its token has expired; a 403
	 * without a stated reason may mean the same, unless a new token got one too. A request that fetched its token
	 * itself is never sent again: each request signs in at most once.
	 *
	 * @param refusals how often the request was refused for its token, this time included
	 */
	mayTryAgain({ kind }: PlatformError, refusals: number): boolean {
		const mayHaveExpired = kind === 'unauthorized' || (kind === 'forbidden' && !this.session.isForbidden);
		if (!mayHaveExpired || this.isSignedOut) return false;
		if (kind === 'forbidden' && this.isFresh) this.session.isForbidden = true;
		else this.session.drop(this.token);
		return !this.isFresh && refusals < MAX_REFUSALS;
	}
}
