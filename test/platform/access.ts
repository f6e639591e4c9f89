import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

import { Refusal } from './errors.ts';
import type { ApiKey, AuditRecord, Behaviour, Role, User } from './types.ts';

interface StoredKey {
	id: string;
	name: string;
	role: Role;
	/** Only a fingerprint of the secret is stored, as the specification requires. */
	fingerprint: string;
	scopes: string[];
	/** Scopes set by a re-scope, with the time of the change: they take effect later. */
	pending: Array<{ scopes: string[]; since: number }>;
	revoked: boolean;
}

/** Who sent a request: an API key, or a signed-in person. */
export interface Caller {
	name: string;
	role: Role;
	key: StoredKey | undefined;
}

/** What the gateway requires of a caller. */
export interface Needed {
	/** The product area. */
	area: string;
	/** The scope; undefined where no keys are accepted. */
	scope: string | undefined;
	/** The status for a key where none is accepted. */
	refusal?: 401 | 403;
}

const fingerprint = (secret: string) => createHash('sha256').update(secret).digest('hex');

export const READY_SCOPES = ['charging-sessions:read', 'charging-stations:read'];

/** Keys, users, tokens and the audit trail of the one organisation that the stand-in serves. */
export class Access {
	readonly audit: AuditRecord[] = [];
	readonly users: User[] = [];
	readonly issued: string[] = [];
	readonly license = { active: true };
	private readonly keys = new Map<string, StoredKey>();
	private readonly tokens = new Map<string, { user: User; uses: number }>();
	private readonly auditLimit: number;
	private lastAudit = 0;

	constructor(auditLimit: number) {
		this.auditLimit = auditLimit;
	}

	clear(): void {
		this.audit.length = 0;
		this.lastAudit = 0;
		this.keys.clear();
		this.tokens.clear();
		this.issued.length = 0;
		this.license.active = true;
		this.users.splice(
			0,
			Infinity,
			{ email: 'admin@example.test', password: 'correct-horse', role: 'CompanyAdmin' },
			{ email: 'two-factor@example.test', password: 'correct-horse', role: 'CompanyAdmin', hasTwoFactors: true },
		);
	}

	list() {
		return [...this.keys.values()].map(({ id, name, role, scopes, revoked }) => ({ id, name, role, scopes, revoked }));
	}

	create(options: { name?: string; role?: Role; scopes?: string[]; secret?: string; id?: string }): ApiKey {
		const id = options.id ?? randomUUID();
		const name = options.name ?? `key-${this.keys.size + 1}`;
		const secret = options.secret ?? randomBytes(24).toString('base64url');
		this.keys.set(id, {
			id,
			name,
			role: options.role ?? 'CompanyAdmin',
			fingerprint: fingerprint(secret),
			scopes: [...(options.scopes ?? READY_SCOPES)],
			pending: [],
			revoked: false,
		});
		this.record('operator portal', `created API key ${name}`);
		return { id, name, secret };
	}

	rescope(id: string, scopes: string[]): void {
		const key = this.find(id);
		key.pending.push({ scopes: [...scopes], since: Date.now() });
		this.record('operator portal', `gave API key ${key.name} the scopes ${scopes.join(', ')}`);
	}

	regenerate(id: string): string {
		const key = this.find(id);
		const secret = randomBytes(24).toString('base64url');
		key.fingerprint = fingerprint(secret);
		this.record('operator portal', `regenerated API key ${key.name}`);
		return secret;
	}

	revoke(id: string): void {
		const key = this.find(id);
		key.revoked = true;
		this.record('operator portal', `revoked API key ${key.name}`);
	}

	record(actor: string, action: string, status?: number, sessionId?: number): void {
		this.audit.push({ id: ++this.lastAudit, at: Date.now(), actor, action, status, sessionId });
		if (this.audit.length > this.auditLimit) this.audit.shift();
	}

	private find(id: string): StoredKey {
		const key = this.keys.get(id);
		if (!key) throw new RangeError(`There is no API key with the id ${id}`);
		return key;
	}

	/** Identifies the caller. Throws 401 for an unknown, revoked or replaced key and for an expired token. */
	identify(headers: IncomingHttpHeaders, behaviour: Behaviour): Caller {
		const secret = headers['api-key'];
		if (typeof secret === 'string') {
			const wanted = fingerprint(secret);
			const key = [...this.keys.values()].find((candidate) => candidate.fingerprint === wanted && !candidate.revoked);
			if (!key) throw new Refusal(401, 'The API key is unknown or was revoked.');
			return { name: key.name, role: key.role, key };
		}
		const token = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
		if (token === undefined) throw new Refusal(401, 'No API key was sent.');
		const session = this.tokens.get(token);
		if (!session || session.uses++ >= behaviour.token.uses) {
			throw new Refusal(401, 'The access token is unknown or has expired.');
		}
		return { name: session.user.email, role: session.user.role, key: undefined };
	}

	/** Checks licence, role and scope, in the gateway's order. */
	authorise(caller: Caller, { area, scope, refusal = 403 }: Needed, behaviour: Behaviour): void {
		if (!this.license.active) {
			throw new Refusal(403, "The organisation's API license is not active.", { code: 'PUBLIC_API_LICENSE_INACTIVE' });
		}
		if (caller.role === 'Accountant' && behaviour.accountantRefused.includes(area)) {
			throw new Refusal(403, `The role Accountant may not read ${area}.`);
		}
		if (!caller.key) return;
		// Authentication rule 3: endpoints without a scope refuse keys.
		if (scope === undefined) throw new Refusal(refusal, 'This endpoint does not accept API keys.');
		const grants = this.scopes(caller.key, behaviour.scopeDelayMs);
		const [name] = scope.split(':');
		if (!grants.includes(scope) && !grants.includes(`${name}:readwrite`)) {
			throw new Refusal(403, `The API key lacks the scope ${scope}.`, { code: 'API_KEY_SCOPE_INSUFFICIENT' });
		}
	}

	private scopes(key: StoredKey, delayMs: number): string[] {
		const ready = key.pending.filter(({ since }) => Date.now() - since >= delayMs);
		key.pending.splice(0, ready.length);
		key.scopes = ready.at(-1)?.scopes ?? key.scopes;
		return key.scopes;
	}

	/** Ends all sign-ins: every token issued so far is refused from now on. */
	expireTokens(): void {
		this.tokens.clear();
	}

	/** POST /token: a token, or undefined if a two-factor challenge is required. Throws 401 for wrong credentials. */
	signIn(email: string, password: string): string | undefined {
		const same = (other: string) => other.toLowerCase() === email.toLowerCase();
		const user = this.users.find((candidate) => same(candidate.email) && candidate.password === password);
		if (!user) throw new Refusal(401, 'The e-mail address or the password is not right.');
		if (user.hasTwoFactors) return undefined;
		const token = [{ alg: 'HS256', typ: 'JWT' }, { sub: email }]
			.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
			.concat(randomBytes(32).toString('base64url'))
			.join('.');
		this.issued.push(token);
		this.tokens.set(token, { user, uses: 0 });
		return token;
	}
}
