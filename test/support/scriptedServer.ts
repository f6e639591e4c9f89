import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import type { IDataObject } from 'n8n-workflow';

/** A key with characters of all kinds, long enough to recognise parts of it. */
export const API_KEY = 'cnk_7Hq2-LmZ9.wXyR4tUvB8sKpD1fGj';

export interface Received {
	method: string;
	/** Path with query. */
	url: URL;
	headers: IncomingMessage['headers'];
	body: string;
}

let keys = 0;
/** State that is kept per key outlives a test, so each test has its own. */
export const ownKey = () => `${API_KEY}${++keys}`;

type Handler = (request: Received, response: ServerResponse, index: number) => unknown;

/** A server that answers as each test says, and records the requests. */
export class ScriptedServer {
	readonly received: Received[] = [];
	baseUrl = '';
	private handler: Handler = (_, response) => void response.end();
	private readonly server = createServer((request, response) => void this.answer(request, response));

	async start(): Promise<void> {
		await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
		this.baseUrl = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}

	/** Forgets earlier requests and uses this handler from now on. */
	script(handler: Handler): void {
		this.received.length = 0;
		this.handler = handler;
	}

	private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const received = {
			method: request.method ?? '',
			url: new URL(request.url ?? '/', this.baseUrl),
			headers: request.headers,
			body: await text(request),
		};
		await this.handler(received, response, this.received.push(received) - 1);
	}
}

export function sendJson(
	response: ServerResponse,
	status: number,
	body: unknown,
	headers: Record<string, string> = {},
) {
	response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Answers a list request. */
export function sendRows(response: ServerResponse, rows: IDataObject[], totalCount = rows.length) {
	sendJson(response, 200, { Items: rows, TotalCount: totalCount });
}
