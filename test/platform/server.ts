import { setTimeout as delay } from 'node:timers/promises';
import fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import type { Caller, Needed } from './access.ts';
import { JSON_TYPE, Refusal, refusalAnswer, type Answer } from './errors.ts';
import { exportCsv } from './export.ts';
import { deliver, replacedAnswer } from './faults.ts';
import type { StandIn } from './index.ts';
import { listAnswer } from './lists.ts';
import { readListQuery } from './query.ts';
import { RateLimited } from './rate-limit.ts';
import { fillAuditTrail } from './seed.ts';
import { LIST_NAMES, pathOf, rowId, rowJsonSql, stationDetailFields, TABLES } from './tables.ts';
import type { Behaviour, ListName, RequestRecord } from './types.ts';

export const CONTROL_PREFIX = '/__control';
const KEPT_RECORDS = 100_000;

interface Exchange {
	request: FastifyRequest;
	record: RequestRecord;
	/** How often the request has a dsquery parameter. */
	dsqueries: number;
	/** Fires when the client has disconnected. */
	gone: AbortController;
}

interface Endpoint {
	method: 'GET' | 'POST';
	url: string;
	/** What the gateway requires; undefined if no credentials are needed. */
	needs(behaviour: Behaviour): Needed | undefined;
	answer(platform: StandIn, exchange: Exchange): Answer;
}

const jsonAnswer = (body: string, status = 200): Answer => ({ status, headers: JSON_TYPE, body });

const listOf = (list: ListName): Endpoint => ({
	...{ method: 'GET', url: pathOf(list) },
	needs: ({ locationsScope }) => {
		const { area, refusesKeys } = TABLES[list];
		if (refusesKeys) return { scope: undefined, refusal: 401 };
		return { scope: list === 'locations' ? locationsScope : `${area}:read` };
	},
	answer: (platform, { record, dsqueries }) => {
		if (dsqueries > 1) throw new Refusal(400, 'The dsquery parameter was sent more than once.');
		if (record.query !== undefined && record.dsquery === undefined) {
			throw new Refusal(400, 'The dsquery parameter is not valid JSON.');
		}
		const query = readListQuery(record.dsquery ?? {});
		platform.lists++;
		platform.beforeList?.({ path: record.path, dsquery: record.dsquery ?? {}, count: platform.lists });
		if (list === 'auditTrail') fillAuditTrail(platform.db, platform.access.audit);
		return jsonAnswer(listAnswer(platform.db, list, query, platform.behaviour));
	},
});

const exportSessions: Endpoint = {
	...{ method: 'POST', url: `${pathOf('sessions')}/export-csv` },
	needs: () => ({ scope: 'charging-sessions:read' }),
	answer: ({ db, behaviour, exported }, exchange) => ({
		status: 200,
		headers: {
			'content-type': 'text/csv; charset=utf-8',
			'content-disposition': 'attachment; filename="charging-sessions.csv"',
		},
		body: exportCsv(db, jsonBody(exchange), behaviour, exported),
	}),
};

const readStation: Endpoint = {
	...{ method: 'GET', url: `${pathOf('stations')}/:id` },
	needs: () => ({ scope: 'charging-stations:read' }),
	answer: ({ db, behaviour }, { request }) => {
		const { id } = request.params as { id: string };
		const key = rowId('stations', id, behaviour);
		const sql = `SELECT ${rowJsonSql(stationDetailFields(behaviour), behaviour)} AS json FROM stations WHERE Id = ?`;
		const row = key === undefined ? undefined : db.prepare(sql).get(key);
		if (!row) throw new Refusal(404, `There is no charging station with the id ${id}.`);
		return jsonAnswer(String(row.json));
	},
};

const signIn: Endpoint = {
	...{ method: 'POST', url: '/token' },
	needs: () => undefined,
	answer: ({ access, behaviour }, exchange) => {
		jsonBody(exchange);
		const { Email: email, Password: password } = (parsed(exchange.request.body) ?? {}) as Record<string, unknown>;
		if (typeof email !== 'string' || typeof password !== 'string') {
			throw new Refusal(400, 'The body must be { "Email": ..., "Password": ... }.');
		}
		const token = access.signIn(email, password);
		if (token === undefined) return jsonAnswer('{"TwoFactorRequired":true}', 202);
		return jsonAnswer(behaviour.token.body.replaceAll('%TOKEN%', token));
	},
};

const ENDPOINTS: Endpoint[] = [...LIST_NAMES.map(listOf), exportSessions, readStation, signIn];

const nothing: Omit<Endpoint, 'method' | 'url'> = {
	needs: () => undefined,
	answer: (_platform, { record: { method, path } }) => {
		const isKnown = ENDPOINTS.some(({ url }) => new RegExp(`^${url.replace(':id', '[^/]+')}$`).test(path));
		throw isKnown
			? new Refusal(405, `${method} is not possible here.`)
			: new Refusal(404, `There is nothing at ${path}.`);
	},
};

function jsonBody({ request, record }: Exchange): unknown {
	const [type = ''] = (request.headers['content-type'] ?? '').split(';');
	if (type.trim().toLowerCase() !== 'application/json') {
		throw new Refusal(415, 'The header Content-Type must be application/json.');
	}
	if (typeof record.body === 'string') throw new Refusal(400, 'The body is not valid JSON.');
	return record.body;
}

function parsed(text: unknown): unknown {
	if (typeof text !== 'string') return undefined;
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

/** The control API shows requests, but never passwords. */
function withoutPassword(body: unknown): unknown {
	return typeof body === 'object' && body !== null && 'Password' in body ? { ...body, Password: '***' } : body;
}

const SECRET_HEADERS = new Set(['api-key', 'authorization']);

function newRecord({ method, headers }: FastifyRequest, url: string): RequestRecord {
	const [path = '', search = ''] = url.split(/\?(.*)/s);
	const query = new URLSearchParams(search).get('dsquery') ?? undefined;
	const shown = Object.entries(headers).map(([name, value]) => [
		name,
		SECRET_HEADERS.has(name) ? '***' : String(value),
	]);
	return {
		...{ at: Date.now(), doneAt: undefined, status: undefined, keyName: undefined, waitUntil: undefined },
		...{ method, path, query, dsquery: parsed(query), body: undefined, urlLength: url.length },
		headers: Object.fromEntries(shown) as Record<string, string>,
	};
}

/** Answers one request, from the gateway's checks to the last byte. */
class Service {
	private readonly platform: StandIn;
	private readonly exchanges = new WeakMap<FastifyRequest, Exchange>();

	constructor(platform: StandIn) {
		this.platform = platform;
	}

	/** Records the request on arrival, before its body is read. */
	arrive(request: FastifyRequest, reply: FastifyReply): void {
		const url = request.raw.url ?? '';
		const record = newRecord(request, url);
		const { requests } = this.platform;
		requests.push(record);
		if (requests.length > KEPT_RECORDS) requests.shift();
		const gone = new AbortController();
		const dsqueries = url.split(/[?&]dsquery=/).length - 1;
		this.exchanges.set(request, { request, record, dsqueries, gone });
		reply.raw.once('finish', () => (record.doneAt = Date.now()));
		reply.raw.once('close', () => {
			gone.abort();
			record.doneAt ??= Date.now();
		});
	}

	async serve(request: FastifyRequest, reply: FastifyReply, endpoint: Pick<Endpoint, 'needs' | 'answer'>) {
		const exchange = this.exchanges.get(request);
		if (!exchange) throw new Error('A request was served that never arrived');
		const { record, gone } = exchange;
		const { behaviour, faults } = this.platform;
		const body = parsed(request.body) ?? request.body;
		record.body = endpoint === signIn ? withoutPassword(body) : body;
		const fault = faults.take(record);
		const caller = this.platform.access.identify(request.headers, behaviour);
		record.keyName = caller instanceof Refusal ? undefined : caller.name;
		try {
			const replaced = fault && replacedAnswer(fault, behaviour);
			// The gateway counts a request when it arrives, however long the answer then takes.
			const refusal = replaced || endpoint === signIn ? undefined : this.refusalAtGate(caller);
			if (behaviour.latencyMs > 0) await delay(behaviour.latencyMs, undefined, { signal: gone.signal });
			const answer = replaced ?? this.answer(exchange, endpoint, refusal ?? caller);
			if (fault?.kind !== 'drop') record.status = answer.status;
			await deliver(reply, answer, fault, gone.signal);
		} catch (thrown) {
			if (!gone.signal.aborted) throw thrown;
			if (!reply.sent) reply.hijack();
		}
		return reply;
	}

	private refusalAtGate(caller: Caller | Refusal): Refusal | undefined {
		const { behaviour, limiter } = this.platform;
		if (caller instanceof Refusal) return caller;
		return behaviour.rateLimit && limiter.admit(caller.key?.id ?? caller.name, behaviour.rateLimit);
	}

	private answer(exchange: Exchange, endpoint: Pick<Endpoint, 'needs' | 'answer'>, caller: Caller | Refusal): Answer {
		const { behaviour, access } = this.platform;
		const { record } = exchange;
		// Reading the audit trail is not recorded, or it would grow with every read.
		const isRecorded = record.path !== pathOf('auditTrail');
		const note = ({ status }: { status: number }) => {
			if (record.keyName !== undefined && isRecorded)
				access.record(record.keyName, `${record.method} ${record.path}`, status);
		};
		try {
			if (caller instanceof Refusal && endpoint !== signIn) throw caller;
			const needed = endpoint.needs(behaviour);
			if (needed && !(caller instanceof Refusal)) access.authorise(caller, needed, behaviour);
			const answer = endpoint.answer(this.platform, exchange);
			note(answer);
			return answer;
		} catch (refusal) {
			if (!(refusal instanceof Refusal)) throw refusal;
			if (refusal instanceof RateLimited) record.waitUntil = refusal.until;
			note(refusal);
			return refusalAnswer(refusal, behaviour.errorBody);
		}
	}
}

/** The HTTP server with the platform's endpoints. `control` adds the control API outside the gateway. */
export function createServer(platform: StandIn, control: (app: FastifyInstance) => void): FastifyInstance {
	const app = fastify({
		// Stalled answers must not keep `close` waiting.
		forceCloseConnections: true,
		bodyLimit: 512 * 1024 * 1024,
		exposeHeadRoutes: false,
		routerOptions: { maxParamLength: 2000 },
		// Node's default of 16 kB would refuse a long dsquery.
		http: { maxHeaderSize: 8 * 1024 * 1024 },
	});
	const service = new Service(platform);
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
	app.addHook('onRequest', (request, reply, done) => {
		if (!request.url.startsWith(CONTROL_PREFIX)) service.arrive(request, reply);
		done();
	});
	for (const endpoint of ENDPOINTS) {
		const { method, url } = endpoint;
		app.route({ method, url, handler: (request, reply) => service.serve(request, reply, endpoint) });
	}
	app.setNotFoundHandler((request, reply) =>
		request.url.startsWith(CONTROL_PREFIX)
			? reply.code(404).send({ message: `There is nothing at ${request.url}` })
			: service.serve(request, reply, nothing),
	);
	control(app);
	return app;
}
