import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

import { Access, READY_SCOPES } from './access.ts';
import { applyBehaviour, defaultBehaviour } from './behaviour.ts';
import { addControlRoutes } from './control.ts';
import { FaultQueue } from './faults.ts';
import { setCodes } from './like.ts';
import { RateLimiter } from './rate-limit.ts';
import { fillDatabase, openDatabase, restoreSeed, shuffleAlike, STATUS_CODES, timestamp } from './seed.ts';
import { createServer } from './server.ts';
import type { Platform } from './server.ts';
import type {
	ApiKey,
	Behaviour,
	ListInfo,
	NewSession,
	PlatformOptions,
	RequestRecord,
	Role,
	SessionOutcome,
	StandIn,
} from './types.ts';

export type * from './types.ts';

const READY_KEY_ID = 'ready-made';

class StandInPlatform implements StandIn, Platform {
	readonly db = openDatabase();
	readonly access: Access;
	readonly limiter = new RateLimiter();
	readonly faults = new FaultQueue();
	readonly requests: RequestRecord[] = [];
	readonly requestLogLimit: number;
	readonly keyId = READY_KEY_ID;
	readonly key: string;
	behaviour: Behaviour = defaultBehaviour();
	beforeList: ((info: ListInfo) => void) | undefined;
	exported: ((ids: number[]) => number[]) | undefined;
	lists = 0;
	baseUrl = '';
	private readonly options: PlatformOptions;
	private readonly app: FastifyInstance;
	/** SQLite's change counter after seeding: while it is the same, the rows are still the seed's. */
	private seeded: string | undefined;

	constructor(options: PlatformOptions) {
		this.options = options;
		this.key = options.key ?? randomBytes(24).toString('base64url');
		this.requestLogLimit = options.requestLogLimit ?? Infinity;
		this.access = new Access(this.requestLogLimit);
		this.app = createServer(this, (app) => addControlRoutes(app, this));
		this.reset();
	}

	get audit() {
		return this.access.audit;
	}

	get users() {
		return this.access.users;
	}

	get tokens() {
		return this.access.issued;
	}

	get license() {
		return this.access.license;
	}

	async start(): Promise<void> {
		await this.app.listen({ host: '127.0.0.1', port: this.options.port ?? 0 });
		const { port } = this.app.server.address() as AddressInfo;
		this.baseUrl = `http://127.0.0.1:${port}`;
	}

	createKey(options: { name?: string; role?: Role; scopes?: string[]; secret?: string } = {}): ApiKey {
		return this.access.create(options);
	}

	rescope(id: string, scopes: string[]): void {
		this.access.rescope(id, scopes);
	}

	regenerate(id: string): string {
		return this.access.regenerate(id);
	}

	revoke(id: string): void {
		this.access.revoke(id);
	}

	expireTokens(): void {
		this.access.expireTokens();
	}

	startSession({ id, startedAt = Date.now(), energy = 0, status }: NewSession = {}): number {
		const code = status ?? STATUS_CODES.session.active;
		const { lastInsertRowid } = this.db
			.prepare('INSERT INTO sessions (Id, Status, EnergyConsumed, StartedAtUtc) VALUES (?, ?, ?, ?)')
			.run(id ?? null, code, energy, timestamp(startedAt));
		return Number(lastInsertRowid);
	}

	endSession(id: number, outcome: SessionOutcome): void {
		const code = STATUS_CODES.session[outcome];
		const { changes } = this.db
			.prepare('UPDATE sessions SET Status = ?, EndedAtUtc = ? WHERE Id = ?')
			.run(code, timestamp(Date.now()), id);
		if (!changes) throw new RangeError(`There is no session ${id}`);
	}

	correctPrice(id: number, price: number): void {
		const { changes } = this.db.prepare('UPDATE sessions SET Price = ? WHERE Id = ?').run(price, id);
		if (!changes) throw new RangeError(`There is no session ${id}`);
		this.access.record('operator portal', `corrected the price of session ${id} to ${price}`, undefined, id);
	}

	reset(): void {
		this.behaviour = defaultBehaviour();
		applyBehaviour(this.behaviour, this.options.behaviour ?? {});
		this.beforeList = undefined;
		this.exported = undefined;
		shuffleAlike(this.db);
		this.lists = 0;
		this.faults.clear();
		this.limiter.clear();
		this.requests.length = 0;
		this.access.clear();
		this.access.create({ id: READY_KEY_ID, name: 'n8n', secret: this.key, scopes: READY_SCOPES });
		this.audit.length = 0;
		this.seed();
	}

	async close(): Promise<void> {
		await this.app.close();
		if (this.db.isOpen) this.db.close();
	}

	private seed(): void {
		const { sessions = 250, stations = 20, locations = 5, tariffs = 12, seed = 1, idGaps = 0 } = this.options;
		const now = this.options.now ?? '2026-11-21T00:00:00';
		if (this.seeded !== undefined && this.seeded === this.changes()) return;
		if (this.seeded === undefined) {
			fillDatabase(this.db, { sessions, stations, locations, tariffs, seed, idGaps, now });
		} else {
			restoreSeed(this.db);
		}
		if (this.behaviour.codes) setCodes(this.db, this.behaviour.codes);
		this.seeded = this.changes();
	}

	private changes(): string {
		return String(this.db.prepare('SELECT total_changes() AS changes').get()?.changes);
	}
}

/** Starts the stand-in platform on 127.0.0.1 with seeded rows and one ready-made key. */
export async function startPlatform(options: PlatformOptions = {}): Promise<StandIn> {
	const platform = new StandInPlatform(options);
	await platform.start();
	return platform;
}
