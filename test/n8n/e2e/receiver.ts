import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { IDataObject } from 'n8n-workflow';

/** The far end of a workflow: takes JSON bodies and keeps them. */
export interface Receiver {
	url: string;
	received: IDataObject[];
	close: () => void;
}

export async function startReceiver(): Promise<Receiver> {
	const received: IDataObject[] = [];
	const server = createServer((request, response) => {
		let text = '';
		request.on('data', (chunk: Buffer) => (text += chunk.toString()));
		request.on('end', () => {
			received.push(JSON.parse(text) as IDataObject);
			response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		received,
		close: () => {
			server.closeAllConnections();
			server.close();
		},
	};
}
