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

const MB = 1024 ** 2;
const many = (unit: string, bytes: number) => unit.repeat(Math.floor(bytes / unit.length));
const list = (items: string) => `{"Items":[${items}{}],"TotalCount":1000000}`;
const row = (more: string) => `{"Id":1,"Name":"a","Status":4,${more}},`;
const named = (rows: number, fields: number, names: number) =>
	Array.from({ length: rows }, (_, at) => {
		const pairs = Array.from({ length: fields }, (_name, field) => `"n${(at * fields + field * 7) % names}":1`);
		return `{"Id":${at + 1},${pairs.join()}},`;
	}).join('');
const deep = `${'['.repeat(90)}${']'.repeat(90)},`;

/** JSON that a platform may send instead of a page: as large as an answer may be, and as much as one may hold. */
export const HOSTILE: Record<string, () => string> = {
	'an honest page of 1 MB': () =>
		list(many(row('"Location":"Köln, Dom","Meter":12.5,"EVSEs":[{"Id":1,"Status":2}]'), MB)),
	'16 MB of lists in lists': () => list(row(`"x":[${many(deep, 15.5 * MB)}[]]`)),
	'7.9 MB of lists in lists': () => list(row(`"x":[${many(deep, 7.9 * MB)}[]]`)),
	'140,000 values in lists': () => list(row(`"x":[${many(deep, 91 * 2 * 1_500)}[]]`)),
	'199,000 rows in another case': () => list('{"id":1,"nAME":"a"},'.repeat(199_000)),
	'49,000 rows in another case': () => list('{"id":1,"nAME":"a"},'.repeat(49_000)),
	'100 rows of 9,990 names': () => list(named(100, 9_990, 999_000)),
	'140 rows of 1,000 names of 1,490': () => list(named(140, 1_000, 1_490)),
	'13,000 rows of 10 of 1,490 names': () => list(named(13_000, 9, 1_490)),
	'15.9 MB of digits': () => list(row(`"x":${'1'.repeat(15.9 * MB)}`)),
	'7.9 MB of digits': () => list(row(`"x":${'1'.repeat(7.9 * MB)}`)),
	'16 MB of runs of 17 digits': () => list(row(`"x":[${many('12345678901234567,', 15.9 * MB)}1]`)),
	'140,000 runs of 17 digits': () => list(row(`"x":[${'12345678901234567,'.repeat(140_000)}1]`)),
	'12,000 long Ids': () => list(row(`"x":[${'{"Id":12345678901234567},'.repeat(12_000)}1]`)),
	'a text of 7.9 MB': () => list(row(`"x":"${many('\\"', 7.9 * MB)}"`)),
};

/** Answers every request with the same JSON. */
export class HostilePlatform {
	readonly key = 'bench-key';

	private readonly server: Server;

	private constructor(server: Server) {
		this.server = server;
	}

	static async start(body: string): Promise<HostilePlatform> {
		const bytes = Buffer.from(body);
		const server = createServer((request, response) => {
			request.resume();
			response.setHeader('content-type', 'application/json');
			response.end(bytes);
		});
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
		return new HostilePlatform(server);
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
