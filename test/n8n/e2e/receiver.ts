import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { IDataObject } from 'n8n-workflow';

/** The far end of a workflow: receives JSON bodies and files, keeps them, and gives the last file to who asks for it. */
export interface Receiver {
	url: string;
	received: IDataObject[];
	/** Bodies that are not JSON, as text. */
	files: string[];
	/** Delays all answers until `release`. */
	hold: () => void;
	release: () => void;
	close: () => void;
}

/** Starts a receiver. Bodies that match `refuses` are answered with 503 and not kept. */
export async function startReceiver(refuses: (body: IDataObject) => boolean = () => false): Promise<Receiver> {
	const received: IDataObject[] = [];
	const files: string[] = [];
	const held: ServerResponse[] = [];
	let holding = false;
	const answer = (response: ServerResponse) =>
		response.writeHead(200, { 'content-type': 'application/json' }).end('{ "ok": true }');
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			if (request.method === 'GET') {
				response.writeHead(200, { 'content-type': 'text/csv' }).end(files.at(-1));
				return;
			}
			const text = Buffer.concat(chunks).toString();
			if (request.headers['content-type']?.includes('json')) {
				const body = JSON.parse(text) as IDataObject;
				if (refuses(body)) {
					response.writeHead(503).end();
					return;
				}
				received.push(body);
			} else files.push(text);
			if (holding) held.push(response);
			else answer(response);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		received,
		files,
		hold: () => (holding = true),
		release: () => {
			holding = false;
			for (const response of held.splice(0)) answer(response);
		},
		close: () => {
			server.closeAllConnections();
			server.close();
		},
	};
}
