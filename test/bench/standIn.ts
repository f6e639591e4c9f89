import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import type { RateLimit, RequestRecord } from '../platform/index.ts';

/** The stand-in platform in a process of its own, controlled through its control API. */
export class StandInProcess {
	readonly baseUrl: string;
	readonly key: string;
	private readonly child: ChildProcess;
	private readonly kill = () => void this.child.kill('SIGTERM');

	private constructor(child: ChildProcess, { baseUrl, key }: { baseUrl: string; key: string }) {
		this.child = child;
		this.baseUrl = baseUrl;
		this.key = key;
		process.once('exit', this.kill);
	}

	static async start(rows: { sessions: number; stations?: number }): Promise<StandInProcess> {
		const counts = ['--sessions', String(rows.sessions), '--stations', String(rows.stations ?? 20)];
		const child = spawn(process.execPath, ['test/platform/cli.ts', '--json', '--port', '0', ...counts], {
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		for await (const line of createInterface({ input: child.stdout })) {
			return new StandInProcess(child, JSON.parse(line) as { baseUrl: string; key: string });
		}
		throw new Error('The stand-in platform ended before it was ready');
	}

	/** Resets the stand-in with its rate limit and recorded requests, and sets these switches. */
	async prepare({ latencyMs, rateLimit = null }: { latencyMs: number; rateLimit?: RateLimit | null }): Promise<void> {
		await this.control('POST', '/reset');
		await this.control('PUT', '/behaviour', { latencyMs, rateLimit });
	}

	/** The requests since `prepare`. */
	async requests(): Promise<RequestRecord[]> {
		return (await this.control('GET', '/requests')) as RequestRecord[];
	}

	/** Changes one station, or all at once. */
	async changeStations(values: Record<string, unknown>, id: number | '*' = '*'): Promise<void> {
		await this.control('PATCH', `/rows/stations/${id}`, values);
	}

	async stop(): Promise<void> {
		if (this.child.exitCode !== null) return;
		process.off('exit', this.kill);
		this.kill();
		await once(this.child, 'exit');
	}

	private async control(method: string, path: string, body?: unknown): Promise<unknown> {
		const response = await fetch(`${this.baseUrl}/__control${path}`, {
			method,
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
		if (!response.ok) throw new Error(`The stand-in refused ${method} ${path}: ${await response.text()}`);
		return await response.json();
	}
}
