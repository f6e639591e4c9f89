import { setTimeout as delay } from 'node:timers/promises';
import fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { AREA_NAMES, AREAS, fillAuditTrail } from './areas.ts';
import type { Access, Caller, Needed } from './access.ts';
import type { Database } from './database.ts';
import { Refusal, refusalAnswer } from './errors.ts';
import type { Answer } from './errors.ts';
import { exportCsv } from './export.ts';
import { deliver, replacedAnswer } from './faults.ts';
import type { FaultQueue } from './faults.ts';
import { envelope, readPage, type ListPage } from './lists.ts';
import { readListQuery } from './query.ts';
import { RateLimited } from './rate-limit.ts';
import type { RateLimiter } from './rate-limit.ts';
import {
	locationsResource,
	rowId,
	rowJsonSql,
	sessionsResource,
	stationDetailResource,
	stationsResource,
} from './resources.ts';
import type { Resource } from './resources.ts';
import { timestamp } from './seed.ts';
import type { AreaName, Behaviour, ListInfo, ListName, RequestRecord } from './types.ts';

/** What the routes work on; `index.ts` owns it. */
export interface Platform {
	behaviour: Behaviour;
	beforeList: ((info: ListInfo) => void) | undefined;
	exported: ((ids: number[]) => number[]) | undefined;
	lists: number;
	readonly db: Database;
	readonly access: Access;
	readonly limiter: RateLimiter;
	readonly faults: FaultQueue;
	readonly requests: RequestRecord[];
	readonly requestLogLimit: number;
}

export const CONTROL_PREFIX = '/__control';

interface Exchange {
	request: FastifyRequest;
	record: RequestRecord;
	/** All dsquery parameters of the request. */
	dsqueries: string[];
}

interface Endpoint {
	/** What the gateway requires; undefined if no credentials are needed. */
	access(behaviour: Behaviour): Needed | undefined;
	answer(platform: Platform, exchange: Exchange): Answer;
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const jsonAnswer = (body: string, status = 200): Answer => ({ status, headers: JSON_TYPE, body });

/** The path of each list, and its rows. */
const LISTS: Record<ListName, { path: string; resource: (behaviour: Behaviour) => Resource }> = {
	sessions: { path: '/api/charging-sessions/v1', resource: sessionsResource },
	stations: { path: '/api/charging-stations/v1', resource: stationsResource },
	locations: { path: '/api/locations/v1', resource: locationsResource },
	...AREAS,
};

function list(platform: Platform, { record, dsqueries }: Exchange, name: ListName): Answer {
	if (dsqueries.length > 1) throw new Refusal(400, 'The dsquery parameter was sent more than once.');
	if (record.query !== undefined && record.dsquery === undefined) {
		throw new Refusal(400, 'The dsquery parameter is not valid JSON.');
	}
	const page = pageOf(platform, name, record.query === undefined ? {} : record.dsquery);
	const { behaviour } = platform;
	const isArray = name === 'locations' && behaviour.locations.shape === 'array';
	return jsonAnswer(isArray ? `[${page.items.join(',')}]` : envelope(page, behaviour));
}

function pageOf(platform: Platform, name: ListName, dsquery: unknown): ListPage {
	const { behaviour } = platform;
	const { path, resource } = LISTS[name];
	const query = readListQuery(dsquery);
	platform.lists++;
	const info: ListInfo = { path, dsquery, count: platform.lists };
	platform.beforeList?.(info);
	if (name === 'auditTrail') fillAuditTrail(platform.db, platform.access.audit, timestamp);
	return readPage(platform.db, resource(behaviour), query, behaviour);
}

function jsonBody({ request, record }: Exchange): unknown {
	const type = request.headers['content-type'] ?? '';
	if (type.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
		throw new Refusal(415, 'The header Content-Type must be application/json.');
	}
	if (typeof record.body === 'string') throw new Refusal(400, 'The body is not valid JSON.');
	return record.body;
}

const sessions = { area: 'charging-sessions', scope: 'charging-sessions:read' };
const stations = { area: 'charging-stations', scope: 'charging-stations:read' };

const listSessions: Endpoint = {
	access: () => sessions,
	answer: (platform, exchange) => list(platform, exchange, 'sessions'),
};

const exportSessions: Endpoint = {
	access: () => sessions,
	answer: ({ db, behaviour, exported }, exchange) => ({
		status: 200,
		headers: {
			'content-type': 'text/csv; charset=utf-8',
			'content-disposition': 'attachment; filename="charging-sessions.csv"',
		},
		body: exportCsv(db, sessionsResource(behaviour), jsonBody(exchange), behaviour, exported),
	}),
};

const listStations: Endpoint = {
	access: () => stations,
	answer: (platform, exchange) => list(platform, exchange, 'stations'),
};

const readStation: Endpoint = {
	access: () => stations,
	answer: ({ db, behaviour }, { request }) => {
		const { id } = request.params as { id: string };
		const resource = stationDetailResource(behaviour);
		const key = rowId(resource, id, behaviour);
		const sql = `SELECT ${rowJsonSql(resource)} AS json FROM stations WHERE Id = ?`;
		const row = key === undefined ? undefined : db.prepare(sql).get(key);
		if (!row) throw new Refusal(404, `There is no charging station with the id ${id}.`);
		return jsonAnswer(String(row.json));
	},
};

const listLocations: Endpoint = {
	access: ({ locations }) => ({ area: 'locations', scope: locations.acceptsKeys ? locations.scope : undefined }),
	answer: (platform, exchange) => list(platform, exchange, 'locations'),
};

const listArea = (name: AreaName): Endpoint => {
	const { area, refusesKeys } = AREAS[name];
	return {
		access: () => (refusesKeys ? { area, scope: undefined, refusal: 401 } : { area, scope: `${area}:read` }),
		answer: (platform, exchange) => list(platform, exchange, name),
	};
};

const signIn: Endpoint = {
	access: () => undefined,
	answer: ({ access, behaviour }, exchange) => {
		const body = parsed(exchange.request.body as string | undefined);
		jsonBody(exchange);
		const { Email: email, Password: password } = (body ?? {}) as Record<string, unknown>;
		if (typeof email !== 'string' || typeof password !== 'string') {
			throw new Refusal(400, 'The body must be { "Email": ..., "Password": ... }.');
		}
		const token = access.signIn(email, password);
		return token === undefined
			? jsonAnswer(JSON.stringify({ TwoFactorRequired: true }), 202)
			: jsonAnswer(behaviour.token.body.replaceAll('%TOKEN%', token));
	},
};

const ROUTES: Array<{ method: 'GET' | 'POST'; url: string; endpoint: Endpoint }> = [
	{ method: 'GET', url: '/api/charging-sessions/v1', endpoint: listSessions },
	{ method: 'POST', url: '/api/charging-sessions/v1/export-csv', endpoint: exportSessions },
	{ method: 'GET', url: '/api/charging-stations/v1', endpoint: listStations },
	{ method: 'GET', url: '/api/charging-stations/v1/:id', endpoint: readStation },
	{ method: 'GET', url: '/api/locations/v1', endpoint: listLocations },
	...AREA_NAMES.map((name) => ({ method: 'GET' as const, url: AREAS[name].path, endpoint: listArea(name) })),
	{ method: 'POST', url: '/token', endpoint: signIn },
];

const notFound: Endpoint = {
	access: () => undefined,
	answer: (_platform, { record }) => {
		const known = ROUTES.find(({ url }) => new RegExp(`^${url.replace(':id', '[^/]+')}$`).test(record.path));
		if (known) throw new Refusal(405, `${record.method} is not possible here.`);
		throw new Refusal(404, `There is nothing at ${record.path}.`);
	},
};

function parsed(text: string | undefined): unknown {
	if (text === undefined) return undefined;
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

function newRecord(request: FastifyRequest, search: URLSearchParams, path: string): RequestRecord {
	const query = search.get('dsquery') ?? undefined;
	const headers = Object.entries(request.headers).map(([name, value]) => [
		name,
		SECRET_HEADERS.has(name) ? '***' : String(value),
	]);
	return {
		at: Date.now(),
		doneAt: undefined,
		method: request.method,
		path,
		query,
		dsquery: parsed(query),
		body: undefined,
		status: undefined,
		keyName: undefined,
		aborted: false,
		headers: Object.fromEntries(headers) as Record<string, string>,
		retryAfter: undefined,
		waitUntil: undefined,
		fault: undefined,
		urlLength: request.raw.url?.length ?? 0,
	};
}

/** Answers one request, from the gateway's checks to the last byte. */
class Service {
	private readonly platform: Platform;
	private readonly exchanges = new WeakMap<FastifyRequest, Exchange & { gone: AbortController }>();

	constructor(platform: Platform) {
		this.platform = platform;
	}

	/** Records the request on arrival, before its body is read. */
	arrive(request: FastifyRequest, reply: FastifyReply): void {
		const [path = '', search = ''] = splitTarget(request.raw.url ?? '');
		const parameters = new URLSearchParams(search);
		const record = newRecord(request, parameters, path);
		const { requests, requestLogLimit } = this.platform;
		requests.push(record);
		if (requests.length > requestLogLimit) requests.splice(0, requests.length - requestLogLimit);
		const gone = new AbortController();
		this.exchanges.set(request, { request, record, dsqueries: parameters.getAll('dsquery'), gone });
		const { raw } = reply;
		raw.once('finish', () => (record.doneAt = Date.now()));
		raw.once('close', () => {
			gone.abort();
			record.doneAt ??= Date.now();
			const ours = record.fault === 'drop' || record.fault === 'dropMidBody';
			record.aborted = !raw.writableFinished && !ours;
		});
	}

	async serve(request: FastifyRequest, reply: FastifyReply, endpoint: Endpoint): Promise<FastifyReply> {
		const exchange = this.exchanges.get(request);
		if (!exchange) throw new Error('A request was served that never arrived');
		const { record, gone } = exchange;
		const { behaviour, faults, access } = this.platform;
		const body = request.body as string | undefined;
		record.body = endpoint === signIn ? withoutPassword(parsed(body)) : (parsed(body) ?? body);
		const fault = faults.take(record);
		record.fault = fault?.kind;
		const sender = settle(() => access.identify(request.headers, behaviour));
		record.keyName = 'value' in sender ? sender.value.name : undefined;
		try {
			const replaced = fault && replacedAnswer(fault, behaviour, this.echoedKey(request));
			// The gateway counts a request when it arrives, however long the answer then takes.
			const caller = replaced ? undefined : settle(() => this.admit(endpoint, sender));
			if (behaviour.latencyMs > 0) await delay(behaviour.latencyMs, undefined, { signal: gone.signal });
			const answer = replaced ?? this.answer(exchange, endpoint, caller);
			if (record.fault !== 'drop') record.status = answer.status;
			answer.encoding = behaviour.encoding;
			await deliver(reply, answer, fault, gone.signal);
		} catch (fault_) {
			if (!gone.signal.aborted) throw fault_;
			if (!reply.sent) reply.hijack();
		}
		return reply;
	}

	/** The key, token or password for the answer to repeat, if `echoKey` is on and one was sent. */
	private echoedKey({ headers, body }: FastifyRequest): string | undefined {
		if (!this.platform.behaviour.echoKey) return undefined;
		const sent: unknown = parsed(typeof body === 'string' ? body : undefined);
		const password = typeof sent === 'object' && sent !== null && 'Password' in sent ? sent.Password : undefined;
		const secret = headers['api-key'] ?? /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? password;
		return typeof secret === 'string' ? secret : undefined;
	}

	private admit(endpoint: Endpoint, sender: Settled<Caller>): Caller | undefined {
		const { behaviour, limiter } = this.platform;
		if (endpoint === signIn) return undefined;
		if ('thrown' in sender) throw sender.thrown;
		const caller = sender.value;
		if (behaviour.rateLimit) limiter.admit(caller.key?.id ?? caller.name, behaviour.rateLimit);
		return caller;
	}

	private answer(exchange: Exchange, endpoint: Endpoint, admitted: Settled<Caller | undefined> | undefined): Answer {
		const { behaviour, access } = this.platform;
		const { record, request } = exchange;
		try {
			if (admitted && 'thrown' in admitted) throw admitted.thrown;
			const caller = admitted?.value;
			const needed = endpoint.access(behaviour);
			if (needed && caller) access.authorise(caller, needed, behaviour);
			const answer = endpoint.answer(this.platform, exchange);
			// Reading the audit trail is not recorded, or it would grow with every read.
			if (caller && record.path !== AREAS.auditTrail.path)
				access.record(caller.name, `${record.method} ${record.path}`, answer.status);
			return answer;
		} catch (refusal) {
			if (!(refusal instanceof Refusal)) throw refusal;
			if (refusal instanceof RateLimited) {
				record.retryAfter = refusal.wait.retryAfter;
				record.waitUntil = refusal.wait.until;
			}
			if (record.keyName !== undefined)
				access.record(record.keyName, `${record.method} ${record.path}`, refusal.status);
			return refusalAnswer(refusal, behaviour.errorBody, this.echoedKey(request));
		}
	}
}

type Settled<T> = { value: T } | { thrown: unknown };

function settle<T>(work: () => T): Settled<T> {
	try {
		return { value: work() };
	} catch (thrown) {
		return { thrown };
	}
}

function splitTarget(target: string): [string, string] {
	const mark = target.indexOf('?');
	return mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
}

/** The HTTP server with the platform's routes. `control` adds the control API outside the gateway. */
export function createServer(platform: Platform, control: (app: FastifyInstance) => void): FastifyInstance {
	const app = fastify({
		// Stalled answers must not keep `close` waiting.
		forceCloseConnections: true,
		bodyLimit: 512 * 1024 * 1024,
		exposeHeadRoutes: false,
		routerOptions: { maxParamLength: 2000 },
		// Node's default of 16 kB would refuse a long dsquery before `refuseUrlLongerThan` does.
		http: { maxHeaderSize: 8 * 1024 * 1024 },
	});
	const service = new Service(platform);
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
	app.addHook('onRequest', (request, reply, done) => {
		if (!request.url.startsWith(CONTROL_PREFIX)) service.arrive(request, reply);
		done();
	});
	for (const { method, url, endpoint } of ROUTES) {
		app.route({ method, url, handler: (request, reply) => service.serve(request, reply, endpoint) });
	}
	app.setNotFoundHandler((request, reply) =>
		request.url.startsWith(CONTROL_PREFIX)
			? reply.code(404).send({ message: `There is nothing at ${request.url}` })
			: service.serve(request, reply, notFound),
	);
	control(app);
	return app;
}
