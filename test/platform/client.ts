import { request } from 'undici';

import type { StandIn } from './index.ts';

export interface Reply {
	status: number;
	text: string;
	/** The body as JSON; undefined if it is not JSON. */
	json: unknown;
}

export interface Ask {
	method?: string;
	dsquery?: unknown;
	body?: unknown;
	headers?: Record<string, string>;
	/** null sends no key. */
	key?: string | null;
	signal?: AbortSignal;
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

/** Sends a raw request to the stand-in, by default with its ready-made key. */
export async function ask(platform: StandIn, path: string, options: Ask = {}): Promise<Reply> {
	const { dsquery, body, headers = {}, key = platform.key } = options;
	const text = typeof dsquery === 'string' ? dsquery : JSON.stringify(dsquery);
	const url = `${platform.baseUrl}${path}${dsquery === undefined ? '' : `?dsquery=${encodeURIComponent(text)}`}`;
	const answer = await request(url, {
		method: options.method ?? (body === undefined ? 'GET' : 'POST'),
		headers: {
			...(key === null ? {} : { 'api-key': key }),
			...(body === undefined ? {} : { 'content-type': 'application/json' }),
			...headers,
		},
		...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
		...(options.signal ? { signal: options.signal } : {}),
	});
	const received = await answer.body.text();
	return { status: answer.statusCode, text: received, json: parsed(received) };
}

export const SESSIONS = '/api/charging-sessions/v1';
export const EXPORT = '/api/charging-sessions/v1/export-csv';
export const STATIONS = '/api/charging-stations/v1';
export const LOCATIONS = '/api/locations/v1';

export interface Envelope {
	Items: Array<Record<string, unknown>>;
	TotalCount: number;
}

/** Requests a list. Throws unless the answer is a 200. */
export async function page(platform: StandIn, path: string, dsquery?: unknown, key?: string): Promise<Envelope> {
	const reply = await ask(platform, path, { dsquery, ...(key === undefined ? {} : { key }) });
	if (reply.status !== 200) throw new Error(`${reply.status}: ${reply.text}`);
	return reply.json as Envelope;
}

/** The ids of the sessions that match one condition, in Id order. */
export async function idsWhere(platform: StandIn, field: string, operator: unknown, value: string): Promise<unknown[]> {
	const { Items } = await page(platform, SESSIONS, {
		Pager: { Skip: 0, Take: 1000 },
		Filter: { Logic: 'And', Filters: [{ Field: field, Operator: operator, Value: value }] },
	});
	return Items.map(({ Id }) => Id);
}
