import type { AddressInfo } from 'node:net';

import { applyBehaviour, Behaviour } from './behaviour.ts';
import { Refusal } from './errors.ts';
import { FaultQueue } from './faults.ts';
import { timestamp } from './lists.ts';
import { newSecret, Organisation } from './organisation.ts';
import { RateLimiter } from './rate-limit.ts';
import { fillDatabase, openDatabase, restoreSeed, shuffleAlike } from './seed.ts';
import { createServer } from './server.ts';
import { STATUS_CODES } from './tables.ts';
import type { NewSession, PlatformOptions, RequestRecord } from './types.ts';

export type { Behaviour, CsvBehaviour } from './behaviour.ts';
export type { ListName } from './tables.ts';
export type * from './types.ts';

/** The stand-in platform. `startPlatform` starts it. */
export class StandIn extends Organisation {
	/** `http://127.0.0.1:port` */
	baseUrl = '';
	/** A ready key with the scopes charging-sessions:read and charging-stations:read. */
	readonly key: string;
	/** The id of that key, for `rescope`, `regenerate` and `revoke`. */
	readonly keyId = 'ready-made';
	behaviour = new Behaviour();
	/** A table for each list, under its name. Dates are text, booleans 0 and 1, Ids always integers. */
	readonly db = openDatabase();
	readonly requests: RequestRecord[] = [];
	readonly faults = new FaultQueue();
	/** Called right before each list request is answered, with the number of those up to it. */
	beforeList: ((list: { count: number }) => void) | undefined;
	/** Of which sessions an export sends a record, in this order, or its whole text. It is given the Ids asked for, each once. */
	exported: ((ids: number[]) => number[] | string) | undefined;
	readonly limiter = new RateLimiter();
	/** List requests answered so far. */
	lists = 0;
	private readonly options: PlatformOptions;
	private readonly app = createServer(this);
	/** SQLite's change counter after seeding: while it is the same, the rows are still the seed's. */
	private seeded: string | undefined;

	constructor(options: PlatformOptions) {
		super();
		this.options = options;
		this.key = options.key ?? newSecret();
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
		this.behaviour = new Behaviour();
		applyBehaviour(this.behaviour, this.options.behaviour ?? {});
		this.beforeList = undefined;
		this.exported = undefined;
		this.lists = 0;
		this.faults.clear();
		this.limiter.clear();
		this.requests.length = 0;
		this.clear();
		this.createKey({ id: this.keyId, name: 'n8n', secret: this.key });
		this.audit.length = 0;
		shuffleAlike(this.db);
		if (this.seeded !== undefined && this.seeded === this.changes()) return;
		if (this.seeded === undefined) fillDatabase(this.db, this.options);
		else restoreSeed(this.db);
		this.seeded = this.changes();
	}

	/** Starts a session and returns its id. */
	startSession({ id, startedAt = Date.now(), energy = 0, status }: NewSession = {}): number {
		const code = status ?? STATUS_CODES.session.active;
		const { lastInsertRowid } = this.db
			.prepare('INSERT INTO sessions (Id, Status, EnergyConsumed, StartedAtUtc) VALUES (?, ?, ?, ?)')
			.run(id ?? null, code, energy, timestamp(startedAt));
		return Number(lastInsertRowid);
	}

	/** Corrects the price of a session, which the audit trail shows. Refuses an unknown id. */
	correctPrice(id: number, price: number): void {
		const { changes } = this.db.prepare('UPDATE sessions SET Price = ? WHERE Id = ?').run(price, id);
		if (!changes) throw new Refusal(404, `There is no session ${id}`);
		this.record('operator portal', `corrected the price of session ${id} to ${price}`, null, id);
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
