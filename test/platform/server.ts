import { setTimeout as delay } from 'node:timers/promises';
import fastify from 'fastify';
import type { FastifyInstance, FastifyRequest, FastifySchema, RouteHandlerMethod } from 'fastify';

import { addControlRoutes } from './control.ts';
import { Refusal } from './errors.ts';
import { exportCsv, type WantedSessions } from './export.ts';
import { JSON_TYPE, replacedAnswer, spoiled } from './faults.ts';
import type { StandIn } from './index.ts';
import { listAnswer } from './lists.ts';
import type { Caller } from './organisation.ts';
import { objectOf, readListQuery } from './query.ts';
import { fillAuditTrail } from './seed.ts';
import { LIST_NAMES, pathOf, rowId, rowJsonSql, stationDetailFields, TABLES, type ListName } from './tables.ts';
import type { Fault, RequestRecord } from './types.ts';

declare module 'fastify' {
	interface FastifyRequest {
		record: RequestRecord;
		/** Who sent it; undefined for signing in. */
		caller: Caller | undefined;
		fault: Fault | undefined;
	}
}

const KEPT_RECORDS = 100_000;
const SIGN_IN = '/token';
const SECRET_HEADERS = ['api-key', 'authorization'];

/** What is known of a request before its body is read. */
function newRecord({ method, url, query, headers }: FastifyRequest): RequestRecord {
	const { dsquery } = query as { dsquery?: string };
	const shown = Object.entries(headers).map(([name, value]) => [
		name,
		SECRET_HEADERS.includes(name) ? '***' : String(value),
	]);
	return {
		at: Date.now(),
		doneAt: undefined,
		status: undefined,
		keyName: undefined,
		waitUntil: undefined,
		method,
		path: url.replace(/\?.*/s, ''),
		query: dsquery,
		dsquery: parsed(dsquery),
		body: undefined,
		headers: Object.fromEntries(shown) as Record<string, string>,
	};
}

function parsed(text: string | undefined): unknown {
	try {
		return JSON.parse(text ?? '') as unknown;
	} catch {
		return undefined;
	}
}

/** What comes before an answer and after it: the record of the request, faults, key or token, rate limit, refusals. */
function addGateway(app: FastifyInstance, platform: StandIn): void {
	app.decorateRequest('record');
	app.decorateRequest('caller');
	app.decorateRequest('fault');
	app.addHook('onRequest', (request, reply, done) => {
		const { requests } = platform;
		const record = newRecord(request);
		request.record = record;
		requests.push(record);
		if (requests.length > KEPT_RECORDS) requests.shift();
		reply.raw.once('close', () => (record.doneAt = Date.now()));
		done();
	});
	app.addHook('preHandler', async (request, reply) => {
		const { record } = request;
		const { behaviour } = platform;
		// The control API shows requests, but never passwords.
		record.body = record.path === SIGN_IN ? undefined : request.body;
		const fault = platform.faults.take(record);
		request.fault = fault;
		const replaced = fault && replacedAnswer(fault);
		// The gateway counts a request when it arrives, however long the answer then takes.
		const refusal = record.path === SIGN_IN ? undefined : refusalAtGate(platform, request, replaced !== undefined);
		const stalled = fault?.kind === 'stall' ? (fault.delayMs ?? Infinity) : 0;
		const wait = behaviour.latencyMs + stalled;
		if (wait > 0 && wait < Infinity) await delay(wait, undefined, { ref: false });
		if (fault?.kind === 'drop') reply.raw.destroy();
		if (wait === Infinity || reply.raw.destroyed) return reply.hijack();
		if (replaced) {
			reply.code(replaced.status).headers(replaced.headers);
			// An empty body would still be labelled text/plain.
			return reply.send(replaced.body.length > 0 ? Buffer.from(replaced.body) : undefined);
		}
		if (refusal) throw refusal;
		return undefined;
	});
	app.addHook<string | Buffer | undefined>('onSend', ({ record, fault }, reply, payload, done) => {
		record.status = reply.statusCode;
		// Reading the audit trail is not recorded, or it would grow with every read.
		if (record.keyName !== undefined && record.path !== pathOf('auditTrail')) {
			platform.record(record.keyName, `${record.method} ${record.path}`, reply.statusCode);
		}
		done(null, payload && fault ? spoiled(Buffer.from(payload), fault) : payload);
	});
	app.setErrorHandler((thrown: Error & { statusCode?: number }, _request, reply) => {
		// What is no Refusal is Fastify's: a body that is not JSON, or not of its schema.
		const { statusCode, message, code, headers } =
			thrown instanceof Refusal ? thrown : new Refusal(thrown.statusCode ?? 500, thrown.message);
		return reply.code(statusCode).headers(headers).send({ Code: code, Message: message });
	});
	app.setNotFoundHandler(({ record }) => {
		throw new Refusal(404, `There is nothing at ${record.path}.`);
	});
}

function refusalAtGate(platform: StandIn, request: FastifyRequest, isReplaced: boolean): Refusal | undefined {
	const { behaviour, limiter } = platform;
	const caller = platform.identify(request.headers, behaviour);
	if (caller instanceof Refusal) return caller;
	request.caller = caller;
	request.record.keyName = caller.name;
	if (isReplaced || !behaviour.rateLimit) return undefined;
	return limiter.admit(caller.key?.id ?? caller.name, behaviour.rateLimit, request.record);
}

/** Text Ids are for sessions that have them. */
const EXPORT_BODY = objectOf({ Ids: { type: 'array', items: { type: ['integer', 'string'] } } });
const SIGN_IN_BODY = objectOf({ Email: { type: 'string' }, Password: { type: 'string' } });
const LIST_QUERY = { type: 'object', properties: { dsquery: { type: 'string' } } };

function addEndpoints(app: FastifyInstance, platform: StandIn): void {
	const { db } = platform;
	const add = (method: 'GET' | 'POST', url: string, schema: FastifySchema, handler: RouteHandlerMethod) => {
		app.route({ method, url, schema, handler });
		const others = app.supportedMethods.filter((other) => other !== method);
		const refuse = () => {
			throw new Refusal(405, 'This method is not possible here.');
		};
		app.route({ method: others, url, handler: refuse });
	};
	const needs = ({ caller }: FastifyRequest, scope: string | undefined, status?: 401) => {
		if (caller) platform.authorise(caller, scope, platform.behaviour, status);
	};

	for (const list of LIST_NAMES) {
		add('GET', pathOf(list), { querystring: LIST_QUERY }, (request, reply) => {
			needs(request, scopeOf(list, platform), TABLES[list].refusesKeys && 401);
			const { query, dsquery } = request.record;
			const asked = readListQuery(query === undefined ? {} : dsquery);
			platform.beforeList?.({ count: ++platform.lists });
			if (list === 'auditTrail') fillAuditTrail(db, platform.audit);
			return reply.headers(JSON_TYPE).send(listAnswer(db, list, asked, platform.behaviour));
		});
	}
	add('POST', `${pathOf('sessions')}/export-csv`, { body: EXPORT_BODY }, (request, reply) => {
		needs(request, 'charging-sessions:read');
		const csv = exportCsv(db, request.body as WantedSessions, platform.behaviour, platform.exported);
		return reply
			.header('content-type', 'text/csv; charset=utf-8')
			.header('content-disposition', 'attachment; filename="charging-sessions.csv"')
			.send(csv);
	});
	add('GET', `${pathOf('stations')}/:id`, {}, (request, reply) => {
		needs(request, 'charging-stations:read');
		const { behaviour } = platform;
		const { id } = request.params as { id: string };
		const key = rowId('stations', id, behaviour);
		const sql = `SELECT ${rowJsonSql(stationDetailFields(behaviour), behaviour)} AS json FROM stations WHERE Id = ?`;
		const row = key === undefined ? undefined : db.prepare(sql).get(key);
		if (!row) throw new Refusal(404, `There is no charging station with the id ${id}.`);
		return reply.headers(JSON_TYPE).send(row.json);
	});
	add('POST', SIGN_IN, { body: SIGN_IN_BODY }, (request, reply) => {
		const { Email: email, Password: password } = request.body as { Email: string; Password: string };
		const token = platform.signIn(email, password);
		if (token === undefined) return reply.code(202).send({ TwoFactorRequired: true });
		return reply.headers(JSON_TYPE).send(platform.behaviour.token.body.replaceAll('%TOKEN%', token));
	});
}

/** The scope that a key needs; undefined where no keys are accepted. */
function scopeOf(list: ListName, { behaviour }: StandIn): string | undefined {
	const { area, refusesKeys } = TABLES[list];
	if (list === 'locations') return behaviour.locationsScope;
	return refusesKeys ? undefined : `${area}:read`;
}

/** The HTTP server with the platform's endpoints, and the control API outside the gateway. */
export function createServer(platform: StandIn): FastifyInstance {
	const app = fastify({
		// Stalled answers must not keep `close` waiting.
		forceCloseConnections: true,
		bodyLimit: 512 * 1024 * 1024,
		exposeHeadRoutes: false,
		ajv: { customOptions: { coerceTypes: false, allowUnionTypes: true } },
		routerOptions: { maxParamLength: 2000 },
		// Node's default of 16 kB would refuse a long dsquery.
		http: { maxHeaderSize: 8 * 1024 * 1024 },
	});
	app.register((gateway, _options, done) => {
		addGateway(gateway, platform);
		addEndpoints(gateway, platform);
		done();
	});
	app.register(
		(control, _options, done) => {
			addControlRoutes(control, platform);
			done();
		},
		{ prefix: '/__control' },
	);
	return app;
}
