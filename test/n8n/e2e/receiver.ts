import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { IDataObject } from 'n8n-workflow';

import type { Later } from '../tools.ts';

/** The far end of a workflow: receives JSON bodies and keeps them. */
export interface Receiver {
	url: string;
	received: IDataObject[];
}

export async function startReceiver(later: Later): Promise<Receiver> {
	const received: IDataObject[] = [];
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			received.push(JSON.parse(Buffer.concat(chunks).toString()) as IDataObject);
			response.writeHead(200, { 'content-type': 'application/json' }).end('{ "ok": true }');
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	later(() => {
		server.closeAllConnections();
		server.close();
	});
	const { port } = server.address() as AddressInfo;
	return { url: `http://127.0.0.1:${port}`, received };
}
