import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';

import { Access, READY_SCOPES } from './access.ts';
import { applyBehaviour, defaultBehaviour } from './behaviour.ts';
import { addControlRoutes } from './control.ts';
import { FaultQueue } from './faults.ts';
import { timestamp } from './lists.ts';
import { RateLimiter } from './rate-limit.ts';
import { fillDatabase, openDatabase, restoreSeed, shuffleAlike } from './seed.ts';
import { createServer } from './server.ts';
import { STATUS_CODES } from './tables.ts';
import type {
	ApiKey,
	AuditRecord,
	Behaviour,
	ListInfo,
	NewSession,
	PlatformOptions,
	RequestRecord,
	SessionOutcome,
	User,
} from './types.ts';

export type * from './types.ts';

/** The stand-in platform. `startPlatform` starts it. */
export class StandIn {
	/** `http://127.0.0.1:port` */
	baseUrl = '';
	/** A ready key with the scopes charging-sessions:read and charging-stations:read. */
	readonly key: string;
	/** The id of that key, for `rescope`, `regenerate` and `revoke`. */
	readonly keyId = 'ready-made';
	behaviour: Behaviour = defaultBehaviour();
	/** A table for each list, under its name. Dates are text, booleans 0 and 1, Ids always integers. */
	readonly db = openDatabase();
	readonly requests: RequestRecord[] = [];
	readonly faults = new FaultQueue();
	/** Called right before each list request is answered. */
	beforeList: ((info: ListInfo) => void) | undefined;
	/** Of which sessions an export sends a record, in this order. It is given the Ids asked for, each once. */
	exported: ((ids: number[]) => number[]) | undefined;
	readonly access = new Access();
	readonly license = this.access.license;
	readonly users: User[] = this.access.users;
	readonly tokens: readonly string[] = this.access.issued;
	readonly audit: readonly AuditRecord[] = this.access.audit;
	readonly limiter = new RateLimiter();
	/** List requests answered so far. */
	lists = 0;
	private readonly options: PlatformOptions;
	private readonly app = createServer(this, (app) => addControlRoutes(app, this));
	/** SQLite's change counter after seeding: while it is the same, the rows are still the seed's. */
	private seeded: string | undefined;

	constructor(options: PlatformOptions) {
		this.options = options;
		this.key = options.key ?? randomBytes(24).toString('base64url');
		this.reset();
	}

	async start(): Promise<void> {
		await this.app.listen({ host: '127.0.0.1', port: this.options.port ?? 0 });
		const { port } = this.app.server.address() as AddressInfo;
		this.baseUrl = `http://127.0.0.1:${port}`;
	}

	async close(): Promise<void> {
		await this.app.close();
		if (this.db.isOpen) this.db.close();
	}

	/** Restores the state after the start: rows, keys, behaviour, faults, records, licence, rate limit. */
	reset(): void {
		this.behaviour = defaultBehaviour();
		applyBehaviour(this.behaviour, this.options.behaviour ?? {});
		this.beforeList = undefined;
		this.exported = undefined;
		this.lists = 0;
		this.faults.clear();
		this.limiter.clear();
		this.requests.length = 0;
		this.access.clear();
		this.access.create({ id: this.keyId, name: 'n8n', secret: this.key, scopes: READY_SCOPES });
		this.access.audit.length = 0;
		shuffleAlike(this.db);
		if (this.seeded !== undefined && this.seeded === this.changes()) return;
		if (this.seeded === undefined) fillDatabase(this.db, this.options);
		else restoreSeed(this.db);
		this.seeded = this.changes();
	}

	createKey(options: { name?: string; scopes?: string[] } = {}): ApiKey {
		return this.access.create(options);
	}

	/** New scopes take effect after `behaviour.scopeDelayMs`. */
	rescope(id: string, scopes: string[]): void {
		this.access.rescope(id, scopes);
	}

	/** Sets a new secret; the old one stops working at once. */
	regenerate(id: string): string {
		return this.access.regenerate(id);
	}

	revoke(id: string): void {
		this.access.revoke(id);
	}

	/** Starts a session and returns its id. */
	startSession({ id, startedAt = Date.now(), energy = 0, status }: NewSession = {}): number {
		const code = status ?? STATUS_CODES.session.active;
		const { lastInsertRowid } = this.db
			.prepare('INSERT INTO sessions (Id, Status, EnergyConsumed, StartedAtUtc) VALUES (?, ?, ?, ?)')
			.run(id ?? null, code, energy, timestamp(startedAt));
		return Number(lastInsertRowid);
	}

	/** Ends a session. Throws a RangeError if there is none with that id. */
	endSession(id: number, outcome: SessionOutcome): void {
		const code = STATUS_CODES.session[outcome];
		const { changes } = this.db
			.prepare('UPDATE sessions SET Status = ?, EndedAtUtc = ? WHERE Id = ?')
			.run(code, timestamp(Date.now()), id);
		if (!changes) throw new RangeError(`There is no session ${id}`);
	}

	/** Corrects the price of a session, which the audit trail shows. Throws a RangeError for an unknown id. */
	correctPrice(id: number, price: number): void {
		const { changes } = this.db.prepare('UPDATE sessions SET Price = ? WHERE Id = ?').run(price, id);
		if (!changes) throw new RangeError(`There is no session ${id}`);
		this.access.record('operator portal', `corrected the price of session ${id} to ${price}`, undefined, id);
	}

	private changes(): string {
		return String(this.db.prepare('SELECT total_changes() AS changes').get()?.changes);
	}
}

/** Starts the stand-in platform on 127.0.0.1 with seeded rows and one ready-made key. */
export async function startPlatform(options: PlatformOptions = {}): Promise<StandIn> {
	const platform = new StandIn(options);
	await platform.start();
	return platform;
}
