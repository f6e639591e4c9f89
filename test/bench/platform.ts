import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export const SESSIONS = '/api/charging-sessions/v1';
export const EXPORT = '/api/charging-sessions/v1/export-csv';
export const TAKE = 100;

export interface Platform {
	baseUrl: string;
	key: string;
}

/** The dsquery of a page by position. */
export function queryOfPage(skip: number): string {
	return JSON.stringify({ Pager: { Skip: skip, Take: TAKE }, Sort: { Sorts: [{ Field: 'Id', Dir: 'Asc' }] } });
}

/**
 * SQL that gives sessions the Ids of one organization on a platform that it shares with others: with gaps, and three times
 * as dense in the later half.
 */
function withGaps(sessions: number): string {
	const half = Math.floor(sessions / 2);
	const [sparse, dense] = ['-Id * 9 - (-Id * 7919) % 8', `${half * 9} + (-Id - ${half}) * 3 - (-Id * 7919) % 3`];
	return `UPDATE sessions SET Id = -Id; UPDATE sessions SET Id = iif(-Id <= ${half}, ${sparse}, ${dense})`;
}

/** Starts the stand-in in a process of its own, which ends with this one. */
export async function startStandIn(rows: { sessions: number; stations: number; latencyMs: number }): Promise<Platform> {
	const { sessions, stations, latencyMs } = rows;
	const behaviour = JSON.stringify({ latencyMs });
	const counts = ['--sessions', String(sessions), '--stations', String(stations)];
	counts.push('--rows', withGaps(sessions), '--behaviour', behaviour);
	const child = spawn(process.execPath, ['test/platform/cli.ts', '--json', '--port', '0', ...counts], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	process.once('exit', () => child.kill('SIGTERM'));
	for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
	for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line) as Platform;
	throw new Error('The stand-in platform ended before it was ready');
}

/** One of the stand-in's controls: `npm run platform` prints what there is. */
export async function control({ baseUrl }: Platform, method: string, path: string, body?: object): Promise<unknown> {
	const response = await fetch(`${baseUrl}/__control${path}`, { method, body: body && JSON.stringify(body) });
	if (!response.ok) throw new Error(`The stand-in refused ${method} ${path}: ${await response.text()}`);
	return await response.json();
}
