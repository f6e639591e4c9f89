import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

import type { Behaviour } from './behaviour.ts';
import type { SqlValue } from './database.ts';
import { Refusal } from './errors.ts';
import { timestamp } from './lists.ts';
import type { ApiKey, User } from './types.ts';

interface Key extends ApiKey {
	/** Its scopes, and when each change was made: it takes effect later. */
	grants: Array<{ scopes: string[]; since: number }>;
}

/** Who sent a request: an API key, or a signed-in person. */
export interface Caller {
	name: string;
	key: Key | undefined;
}

const READY_SCOPES = ['charging-sessions:read', 'charging-stations:read'];
const PASSWORD = 'correct-horse';
export const newSecret = () => randomBytes(24).toString('base64url');

/** Keys, users, tokens and the audit trail of the one organisation that the stand-in serves. */
export class Organisation {
	readonly license = { active: true };
	readonly users: User[] = [];
	/** Every token issued since the last reset, to search for leaks. */
	readonly tokens: string[] = [];
	/** Rows for the audit trail that it has not got yet. */
	readonly audit: SqlValue[][] = [];
	private readonly keys = new Map<string, Key>();
	private readonly signedIn = new Map<string, { user: User; uses: number }>();
	private lastAudit = 0;

	protected clear(): void {
		this.audit.length = 0;
		this.lastAudit = 0;
		this.keys.clear();
		this.signedIn.clear();
		this.tokens.length = 0;
		this.license.active = true;
		this.users.length = 0;
		this.users.push(
			{ email: 'admin@example.test', password: PASSWORD },
			{ email: 'two-factor@example.test', password: PASSWORD, hasTwoFactors: true },
		);
	}

	createKey(options: Partial<ApiKey> & { scopes?: string[] } = {}): ApiKey {
		const { id = randomUUID(), name = `key-${this.keys.size + 1}`, secret = newSecret() } = options;
		const grants = [{ scopes: options.scopes ?? READY_SCOPES, since: -Infinity }];
		this.keys.set(id, { id, name, secret, grants });
		this.record('operator portal', `created API key ${name}`);
		return { id, name, secret };
	}

	/** New scopes take effect after `behaviour.scopeDelayMs`. */
	rescope(id: string, scopes: string[]): void {
		const key = this.find(id);
		key.grants.push({ scopes, since: Date.now() });
		this.record('operator portal', `gave API key ${key.name} the scopes ${scopes.join(', ')}`);
	}

	/** Sets a new secret; the old one stops working at once. */
	regenerate(id: string): string {
		const key = this.find(id);
		key.secret = newSecret();
		this.record('operator portal', `regenerated API key ${key.name}`);
		return key.secret;
	}

	revoke(id: string): void {
		const { name } = this.find(id);
		this.keys.delete(id);
		this.record('operator portal', `revoked API key ${name}`);
	}

	/** Adds to the audit trail what a key (by its name), a user (e-mail address) or the `operator portal` did. */
	record(actor: string, action: string, status: number | null = null, sessionId: number | null = null): void {
		this.audit.push([++this.lastAudit, timestamp(Date.now()), actor, action, status, sessionId]);
	}

	private find(id: string): Key {
		const key = this.keys.get(id);
		if (!key) throw new Refusal(404, `There is no API key with the id ${id}`);
		return key;
	}

	/** Who sends this request, or a 401 for an unknown, revoked or replaced key and for an expired token. */
	identify(headers: IncomingHttpHeaders, { token: { uses } }: Behaviour): Caller | Refusal {
		const secret = headers['api-key'];
		if (secret !== undefined) {
			const key = [...this.keys.values()].find((candidate) => candidate.secret === secret);
			return key ? { name: key.name, key } : new Refusal(401, 'The API key is unknown or was revoked.');
		}
		const token = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
		if (token === undefined) return new Refusal(401, 'No API key was sent.');
		const session = this.signedIn.get(token);
		if (!session || session.uses++ >= uses) return new Refusal(401, 'The access token is unknown or has expired.');
		return { name: session.user.email, key: undefined };
	}

	/**
	 * Checks licence and scope, in the gateway's order.
	 *
	 * @param scope undefined where no keys are accepted
	 * @param status of the refusal of a key where none is accepted
	 */
	authorise({ key }: Caller, scope: string | undefined, { scopeDelayMs }: Behaviour, status = 403): void {
		if (!this.license.active) {
			throw new Refusal(403, "The organisation's API license is not active.", { code: 'PUBLIC_API_LICENSE_INACTIVE' });
		}
		if (!key) return;
		// Authentication rule 3: endpoints without a scope refuse keys.
		if (scope === undefined) throw new Refusal(status, 'This endpoint does not accept API keys.');
		const granted = key.grants.findLast(({ since }) => Date.now() - since >= scopeDelayMs)?.scopes ?? [];
		if (!granted.includes(scope) && !granted.includes(scope.replace(/:read$/, ':readwrite'))) {
			throw new Refusal(403, `The API key lacks the scope ${scope}.`, { code: 'API_KEY_SCOPE_INSUFFICIENT' });
		}
	}

	/** POST /token: a token, or undefined if a two-factor challenge is required. Throws 401 for wrong credentials. */
	signIn(email: string, password: string): string | undefined {
		const user = this.users.find(
			(candidate) => candidate.email.toLowerCase() === email.toLowerCase() && candidate.password === password,
		);
		if (!user) throw new Refusal(401, 'The e-mail address or the password is not right.');
		if (user.hasTwoFactors) return undefined;
		const token = [{ alg: 'HS256', typ: 'JWT' }, { sub: email }]
			.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
			.concat(newSecret())
			.join('.');
		this.tokens.push(token);
		this.signedIn.set(token, { user, uses: 0 });
		return token;
	}
}
