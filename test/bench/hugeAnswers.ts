import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const PIECE = 64 * 1024;

/** What a platform may send instead of the few records asked for. Each is repeated until the answer is large. */
export const HUGE: Record<string, string> = {
	'ordinary rows': '1,4,12.5,2026-11-01T00:00:00,"Köln, Dom",EUR\r\n',
	'short rows': '1,\n',
	commas: ',',
	quotes: '""',
	'rows of others': '987654321,4,12.5,2026-11-01T00:00:00,Wien,EUR\r\n',
};

/** A platform that answers every export with `megabytes` of the same, and every list without rows. */
export class HugePlatform {
	readonly key = 'bench-key';
	/** Bytes handed to the last connection. */
	sentBytes = 0;

	private readonly server: Server;

	private constructor(server: Server) {
		this.server = server;
	}

	static async start(line: string, megabytes: number): Promise<HugePlatform> {
		const piece = Buffer.from(line.repeat(Math.ceil(PIECE / line.length)));
		const server = createServer((request, response) => {
			request.resume();
			if (request.method === 'GET') {
				response.setHeader('content-type', 'application/json');
				return void response.end('{"Items":[],"TotalCount":0}');
			}
			response.setHeader('content-type', 'text/csv');
			response.write('Id,Status,EnergyConsumed,StartedAtUtc,Place,Currency\r\n');
			platform.sentBytes = 0;
			const send = () => {
				while (platform.sentBytes < megabytes * 1e6 && !response.destroyed) {
					platform.sentBytes += piece.length;
					if (!response.write(piece)) return void response.once('drain', send);
				}
				response.end();
			};
			send();
		});
		const platform = new HugePlatform(server);
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
		return platform;
	}

	get baseUrl(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		this.server.close();
		await once(this.server, 'close');
	}
}
