import type { FastifyInstance, FastifyRequest } from 'fastify';

import { applyBehaviour } from './behaviour.ts';
import type { SqlValue } from './database.ts';
import type { StandIn } from './index.ts';
import { CONTROL_PREFIX } from './server.ts';
import { LIST_NAMES, TABLES } from './tables.ts';
import { FAULT_KINDS, OUTCOMES, type Fault } from './types.ts';

class BadControl extends Error {
	readonly statusCode: number;

	constructor(message: string, statusCode = 400) {
		super(message);
		this.statusCode = statusCode;
	}
}

type Json = Record<string, unknown>;

function body(request: FastifyRequest): Json {
	const text = (request.body as string | undefined) || '{}';
	try {
		const value: unknown = JSON.parse(text);
		if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
	} catch {
		// Refused below, like JSON that is not an object.
	}
	throw new BadControl('The body must be a JSON object');
}

function readFault(value: Json): Fault {
	const kind = FAULT_KINDS.find((known) => known === value.kind);
	if (!kind) throw new BadControl(`kind must be one of ${FAULT_KINDS.join(', ')}`);
	// JSON has no Infinity: null means "every request from now on".
	return { ...value, kind, ...(value.times === null && { times: Infinity }) };
}

/** Changes one row, or with the id "*" all of a table: a fleet-wide outage in one call. */
function changeRows({ db }: StandIn, table: string, id: string, values: Json): Json {
	const list = LIST_NAMES.find((name) => name === table);
	if (!list) throw new BadControl(`There is no table ${table}`, 404);
	const known = Object.keys(TABLES[list].fields);
	const names = Object.keys(values);
	if (names.length === 0 || names.some((name) => !known.includes(name))) {
		throw new BadControl(`${table} has the columns ${known.join(', ')}`);
	}
	const bound = Object.values(values).map((value) => {
		const plain = typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
		return typeof plain === 'boolean' ? Number(plain) : (plain as SqlValue);
	});
	const sql = `UPDATE ${table} SET ${names.map((name) => `${name} = ?`).join(', ')}`;
	const { changes } =
		id === '*' ? db.prepare(sql).run(...bound) : db.prepare(`${sql} WHERE Id = ?`).run(...bound, Number(id));
	if (!changes) throw new BadControl(`${table} has no row ${id}`, 404);
	return { changed: Number(changes) };
}

/**
 * The control API, for people with curl: behaviour, faults, licence, keys, rows and sessions. It bypasses the gateway, is
 * not recorded, and like the stand-in listens only on the loopback interface.
 */
export function addControlRoutes(app: FastifyInstance, platform: StandIn): void {
	// A switch that is off is undefined, which JSON would leave out.
	const switches = () =>
		Object.fromEntries(Object.entries(platform.behaviour).map(([name, value]) => [name, (value as unknown) ?? null]));
	const params = (request: FastifyRequest) => request.params as { id: string; table: string };

	app.register(
		(control, _options, done) => {
			control.setErrorHandler((thrown: Error & { statusCode?: number }, _request, reply) => {
				const status = thrown instanceof RangeError ? 404 : thrown instanceof TypeError ? 400 : thrown.statusCode;
				return reply.code(status ?? 500).send({ message: thrown.message });
			});
			control.get('/behaviour', () => switches());
			control.put('/behaviour', (request) => {
				applyBehaviour(platform.behaviour, body(request));
				return switches();
			});
			control.post('/faults', (request) => {
				platform.faults.add(readFault(body(request)));
				return {};
			});
			control.delete('/faults', () => {
				platform.faults.clear();
				return {};
			});
			control.get('/requests', () => platform.requests);
			control.put('/license', (request) => {
				const { active } = body(request);
				if (typeof active !== 'boolean') throw new BadControl('active must be true or false');
				platform.license.active = active;
				return platform.license;
			});
			control.post('/keys/:id/regenerate', (request) => ({ secret: platform.regenerate(params(request).id) }));
			control.delete('/keys/:id', (request) => {
				platform.revoke(params(request).id);
				return {};
			});
			control.patch('/rows/:table/:id', (request) => {
				const { table, id } = params(request);
				return changeRows(platform, table, id, body(request));
			});
			control.post('/sessions', (request) => {
				const { id, minutesAgo = 0, energy } = body(request) as Partial<Record<string, number>>;
				return { Id: platform.startSession({ id, startedAt: Date.now() - minutesAgo * 60_000, energy }) };
			});
			control.post('/sessions/:id/end', (request) => {
				const { outcome = 'finished' } = body(request);
				const ending = OUTCOMES.find((name) => name === outcome);
				if (!ending) throw new BadControl(`outcome must be one of ${OUTCOMES.join(', ')}`);
				platform.endSession(Number(params(request).id), ending);
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
