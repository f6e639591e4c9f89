import { request } from 'undici';

import type { StandIn } from './index.ts';

export interface Reply {
	status: number;
	text: string;
	/** The body as JSON; undefined if it is not JSON. */
	json: unknown;
}

interface Ask {
	method?: string;
	dsquery?: unknown;
	body?: unknown;
	/** null sends no key. */
	key?: string | null;
	token?: string;
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

const written = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** Sends a raw request to the stand-in, by default with its ready-made key. */
export async function ask(platform: StandIn, path: string, options: Ask = {}): Promise<Reply> {
	const { dsquery, body, key = platform.key, token } = options;
	const answer = await request(platform.baseUrl + path, {
		method: options.method ?? (body === undefined ? 'GET' : 'POST'),
		...(dsquery !== undefined && { query: { dsquery: written(dsquery) } }),
		headers: {
			...(key !== null && { 'api-key': key }),
			...(token !== undefined && { authorization: `Bearer ${token}` }),
			...(body !== undefined && { 'content-type': 'application/json' }),
		},
		...(body !== undefined && { body: written(body) }),
	});
	const text = await answer.body.text();
	return { status: answer.statusCode, text, json: parsed(text) };
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
export async function page(platform: StandIn, path: string, dsquery?: unknown): Promise<Envelope> {
	const { status, text, json } = await ask(platform, path, { dsquery });
	if (status !== 200) throw new Error(`${status}: ${text}`);
	return json as Envelope;
}
