import type { FastifyInstance, FastifyRequest } from 'fastify';

import { applyBehaviour } from './behaviour.ts';
import type { SqlValue } from './database.ts';
import { TABLES } from './seed.ts';
import { CONTROL_PREFIX } from './server.ts';
import type { Platform } from './server.ts';
import type { Fault, FaultKind, Role, SessionOutcome, StandIn } from './types.ts';

const FAULT_KINDS: readonly FaultKind[] = [
	'drop',
	'dropMidBody',
	'stall',
	'stallMidBody',
	'drip',
	'truncate',
	'status',
	'html',
	'empty',
	'reply',
];
const OUTCOMES: readonly SessionOutcome[] = ['finished', 'expired', 'failed'];

class BadControl extends Error {
	readonly statusCode: number;

	constructor(message: string, statusCode = 400) {
		super(message);
		this.statusCode = statusCode;
	}
}

type Json = Record<string, unknown>;

function body(request: FastifyRequest): Json {
	const text = (request.body as string | undefined) ?? '';
	let value: unknown;
	try {
		value = JSON.parse(text || '{}');
	} catch {
		throw new BadControl('The body is not JSON');
	}
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		throw new BadControl('The body must be a JSON object');
	}
	return value as Json;
}

function numbersOf<Name extends string>(value: Json, names: readonly Name[]): Partial<Record<Name, number>> {
	const numbers: Partial<Record<Name, number>> = {};
	for (const [name, entry] of Object.entries(value)) {
		const found = names.find((candidate) => candidate === name);
		if (!found || typeof entry !== 'number') throw new BadControl(`Only ${names.join(', ')} are taken, as numbers`);
		numbers[found] = entry;
	}
	return numbers;
}

function readFault(value: Json): Fault {
	const kind = FAULT_KINDS.find((known) => known === value.kind);
	if (!kind) throw new BadControl(`kind must be one of ${FAULT_KINDS.join(', ')}`);
	// JSON has no Infinity: null means "every request from now on".
	const times = value.times === null ? Infinity : value.times;
	return { ...value, kind, ...(typeof times === 'number' ? { times } : {}) } as Fault;
}

/** Writes one row by column name; values are bound, names are checked against the table. */
class Rows {
	private readonly platform: Platform;
	private readonly table: string;

	constructor(platform: Platform, table: string) {
		if (!TABLES.includes(table)) throw new BadControl(`There is no table ${table}`, 404);
		this.platform = platform;
		this.table = table;
	}

	private columns(values: Json): Array<[string, SqlValue]> {
		const known = this.platform.db.prepare(`SELECT name FROM pragma_table_info('${this.table}')`).all();
		return Object.entries(values).map(([name, value]) => {
			if (!known.some((column) => column.name === name)) throw new BadControl(`${this.table} has no column ${name}`);
			const bound = typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
			return [name, typeof bound === 'boolean' ? Number(bound) : (bound as SqlValue)];
		});
	}

	insert(values: Json): Json {
		const columns = this.columns(values);
		const names = columns.map(([name]) => name).join(', ');
		const marks = columns.map(() => '?').join(', ');
		const bound = columns.map(([, value]) => value);
		const sql = `INSERT INTO ${this.table} (${names}) VALUES (${marks})`;
		const { lastInsertRowid } = this.platform.db.prepare(sql).run(...bound);
		return { Id: Number(lastInsertRowid) };
	}

	update(id: string, values: Json): Json {
		const columns = this.columns(values);
		if (!columns.length) throw new BadControl('Nothing to change');
		const sets = columns.map(([name]) => `${name} = ?`).join(', ');
		const bound = columns.map(([, value]) => value);
		// "*" changes every row: a fleet-wide outage in one call.
		const where = id === '*' ? '1' : 'Id = ?';
		const sql = `UPDATE ${this.table} SET ${sets} WHERE ${where}`;
		const { changes } = this.platform.db.prepare(sql).run(...bound, ...(id === '*' ? [] : [Number(id)]));
		return this.changed(changes, id, `changed ${columns.map(([name]) => name).join(', ')} of`);
	}

	remove(id: string): Json {
		const { changes } = this.platform.db.prepare(`DELETE FROM ${this.table} WHERE Id = ?`).run(Number(id));
		return this.changed(changes, id, 'removed');
	}

	private changed(changes: number | bigint, id: string, what: string): Json {
		if (!changes) throw new BadControl(`${this.table} has no row ${id}`, 404);
		this.platform.access.record('operator portal', `${what} ${this.table}/${id}`);
		return { changed: Number(changes) };
	}
}

/**
 * The control API, for people with curl and tests in another process: behaviour, faults, licence, keys and rows. It
 * bypasses the gateway, is not recorded, and like the stand-in listens only on the loopback interface.
 */
export function addControlRoutes(app: FastifyInstance, platform: Platform & StandIn): void {
	const { access, faults, requests } = platform;
	const known = <T>(work: () => T): T => {
		try {
			return work();
		} catch (thrown) {
			if (thrown instanceof RangeError) throw new BadControl(thrown.message, 404);
			throw thrown;
		}
	};
	const scopesOf = ({ scopes }: Json) => {
		if (!Array.isArray(scopes)) throw new BadControl('scopes must be a list');
		return scopes.map(String);
	};
	// A switch that is off is undefined, which JSON would leave out.
	const switches = () =>
		Object.fromEntries(Object.entries(platform.behaviour).map(([name, value]) => [name, (value as unknown) ?? null]));
	const params = (request: FastifyRequest) => request.params as { id: string; table: string };

	app.register(
		(control, _options, done) => {
			control.setErrorHandler((thrown: Error & { statusCode?: number }, _request, reply) => {
				const status = thrown instanceof TypeError ? 400 : (thrown.statusCode ?? 500);
				return reply.code(status).send({ message: thrown.message });
			});

			control.get('/behaviour', () => switches());
			control.put('/behaviour', (request) => {
				applyBehaviour(platform.behaviour, body(request));
				return switches();
			});

			control.get('/faults', () => faults.waiting());
			control.post('/faults', (request, reply) => {
				faults.add(readFault(body(request)));
				return reply.code(201).send(faults.waiting());
			});
			control.delete('/faults', () => {
				faults.clear();
				return [];
			});

			control.get('/requests', (request) => {
				const { since } = request.query as { since?: string };
				return requests.filter(({ at }) => at >= Number(since ?? 0));
			});
			control.delete('/requests', () => {
				requests.length = 0;
				return [];
			});
			control.get('/audit', () => access.audit);

			control.get('/license', () => access.license);
			control.put('/license', (request) => {
				const { active } = body(request);
				if (typeof active !== 'boolean') throw new BadControl('active must be true or false');
				access.license.active = active;
				return access.license;
			});

			control.get('/keys', () => access.list());
			control.post('/keys', (request, reply) => {
				const { name, role, scopes, secret } = body(request);
				const key = access.create({
					...(typeof name === 'string' ? { name } : {}),
					...(typeof secret === 'string' ? { secret } : {}),
					...(role === 'Accountant' || role === 'CompanyAdmin' ? { role: role satisfies Role } : {}),
					...(scopes === undefined ? {} : { scopes: scopesOf({ scopes }) }),
				});
				return reply.code(201).send(key);
			});
			control.put('/keys/:id', (request) => {
				known(() => access.rescope(params(request).id, scopesOf(body(request))));
				return access.list();
			});
			control.post('/keys/:id/regenerate', (request) => ({
				secret: known(() => access.regenerate(params(request).id)),
			}));
			control.delete('/keys/:id', (request) => {
				known(() => access.revoke(params(request).id));
				return access.list();
			});

			control.post('/rows/:table', (request, reply) =>
				reply.code(201).send(new Rows(platform, params(request).table).insert(body(request))),
			);
			control.patch('/rows/:table/:id', (request) =>
				new Rows(platform, params(request).table).update(params(request).id, body(request)),
			);
			control.delete('/rows/:table/:id', (request) =>
				new Rows(platform, params(request).table).remove(params(request).id),
			);

			control.post('/sessions', (request, reply) => {
				const { id, minutesAgo = 0, energy } = numbersOf(body(request), ['id', 'minutesAgo', 'energy']);
				const startedAt = Date.now() - minutesAgo * 60_000;
				return reply.code(201).send({ Id: platform.startSession({ id, startedAt, energy }) });
			});
			control.post('/sessions/:id/end', (request) => {
				const { outcome = 'finished' } = body(request);
				const ending = OUTCOMES.find((name) => name === outcome);
				if (!ending) throw new BadControl(`outcome must be one of ${OUTCOMES.join(', ')}`);
				known(() => platform.endSession(Number(params(request).id), ending));
				return {};
			});

			control.post('/sessions/:id/price', (request) => {
				const { price = 0 } = numbersOf(body(request), ['price']);
				known(() => platform.correctPrice(Number(params(request).id), price));
				return {};
			});

			control.post('/reset', () => {
				platform.reset();
				return {};
			});
			done();
		},
		{ prefix: CONTROL_PREFIX },
	);
}
