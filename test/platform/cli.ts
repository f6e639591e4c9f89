import { readFileSync } from 'node:fs';

import { Command, InvalidArgumentError } from 'commander';

import { startPlatform } from './index.ts';
import type { PlatformOptions, StandIn } from './index.ts';
import { likeReport } from './like.ts';
import { liveSessions } from './live.ts';

interface CliOptions {
	port: number;
	sessions: number;
	stations: number;
	locations: number;
	seed: number;
	idGaps: number;
	now?: string;
	key?: string;
	live: number;
	behaviour?: Record<string, unknown>;
	json?: boolean;
	like?: PlatformOptions;
}

function wholeNumber(text: string): number {
	if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
	return Number(text);
}

function timestamp(text: string): string {
	if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(text) || Number.isNaN(Date.parse(`${text}Z`))) {
		throw new InvalidArgumentError('It must be YYYY-MM-DDThh:mm:ss, in UTC.');
	}
	return text;
}

function jsonObject(text: string): Record<string, unknown> {
	try {
		const value: unknown = JSON.parse(text);
		if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
	} catch {
		// Refused below, like JSON that is not an object.
	}
	throw new InvalidArgumentError('It must be a JSON object.');
}

function reportIn(file: string): PlatformOptions {
	try {
		return likeReport(readFileSync(file, 'utf8'));
	} catch (thrown) {
		throw new InvalidArgumentError(thrown instanceof Error ? thrown.message : String(thrown));
	}
}

function help({ baseUrl, key, keyId }: StandIn, { sessions, stations }: CliOptions): string {
	const header = `-H 'API-KEY: ${key}'`;
	const list = (path: string, dsquery: unknown) =>
		`  curl -sG ${header} ${baseUrl}${path} --data-urlencode 'dsquery=${JSON.stringify(dsquery)}'`;
	const control = (method: string, path: string, body?: unknown) =>
		`  curl -sX ${method} '${baseUrl}/__control${path}'${body === undefined ? '' : ` -d '${JSON.stringify(body)}'`}`;
	return `Stand-in charging network platform: ${sessions} sessions, ${stations} stations

  Base URL  ${baseUrl}
  API key   ${key}   (CompanyAdmin; charging-sessions:read, charging-stations:read)

Ask it something
${list('/api/charging-sessions/v1', { Pager: { Skip: 0, Take: 3 }, Sort: { Sorts: [{ Field: 'Id', Dir: 'Desc' }] } })}
${list('/api/charging-sessions/v1', {
	Pager: { Skip: 0, Take: 100 },
	Filter: {
		Logic: 'And',
		Filters: [
			{ Field: 'Status', Operator: 'Eq', Value: '4' },
			{ Field: 'StartedAtUtc', Operator: 'IsMonth', Value: '2026-10-01T00:00:00' },
			{ Field: 'EnergyConsumed', Operator: 'Gt', Value: '20' },
		],
	},
	Sort: { Sorts: [{ Field: 'StartedAtUtc', Dir: 'Desc' }] },
})}
${list('/api/charging-stations/v1', {
	Filter: { Logic: 'And', Filters: [{ Field: 'NetworkStatus', Operator: 'Neq', Value: '1' }] },
})}
  curl -s ${header} ${baseUrl}/api/charging-stations/v1/1
  curl -s ${header} -H 'Content-Type: application/json' -d '{"Ids":[1,2,3]}' ${baseUrl}/api/charging-sessions/v1/export-csv

Change how it behaves (GET shows every switch)
${control('GET', '/behaviour')}
${control('PUT', '/behaviour', { rateLimit: { limit: 30, windowMs: 5000, retryAfter: 'seconds' } })}
${control('PUT', '/behaviour', { rateLimit: null, latencyMs: 200, errorBody: 'problem', takeClamp: 50 })}

Make it misbehave (drop, dropMidBody, stall, stallMidBody, drip, truncate, status, html, empty, reply; "times": null for ever)
${control('POST', '/faults', { kind: 'status', status: 503, times: 2, match: { path: '/api/charging-sessions' } })}
${control('POST', '/faults', { kind: 'stallMidBody', match: { method: 'GET', nth: 3 } })}
${control('DELETE', '/faults')}

Licence, keys, rows
${control('PUT', '/license', { active: false })}
${control('POST', `/keys/${keyId}/regenerate`)}
${control('DELETE', `/keys/${keyId}`)}
${control('PATCH', '/rows/stations/1', { NetworkStatus: 2 })}
${control('PATCH', '/rows/stations/*', { NetworkStatus: 1 })}

Let a session start, and end (finished, expired, failed); --live 6 lets six a minute
${control('POST', '/sessions')}
${control('POST', '/sessions/1/end', { outcome: 'failed' })}

See what was asked, and start afresh
${control('GET', '/requests')}
${control('POST', '/reset')}

Ctrl+C ends it.
`;
}

const program = new Command('platform')
	.description('Runs the stand-in for the charging network platform, as its specification describes it.')
	.option('--port <number>', 'port on 127.0.0.1, 0 for a free one', wholeNumber, 4010)
	.option('--sessions <number>', 'charging sessions to make up', wholeNumber, 20_000)
	.option('--stations <number>', 'charging stations to make up', wholeNumber, 250)
	.option('--locations <number>', 'locations to make up', wholeNumber, 20)
	.option('--seed <number>', 'the same seed gives the same rows', wholeNumber, 1)
	.option('--id-gaps <number>', 'ids left out at most between two sessions', wholeNumber, 0)
	.option('--now <timestamp>', 'when the made-up history ends', timestamp)
	.option('--key <secret>', 'secret of the ready-made key (otherwise random)')
	.option('--behaviour <json>', 'switches to begin with, as PUT /__control/behaviour takes them', jsonObject)
	.option('--like <file>', 'start it like the platform of this report of Check Platform (One Report)', reportIn)
	.option('--live <number>', 'sessions that start in a minute, and end some minutes later', wholeNumber, 0)
	.option('--json', 'print only one line of JSON: baseUrl and key')
	.parse();

const options = program.opts<CliOptions>();
const { like = {} } = options;
try {
	// May run for days: keep only the latest requests.
	const platform = await startPlatform({
		...options,
		...like,
		behaviour: { ...like.behaviour, ...options.behaviour },
		requestLogLimit: 20_000,
	});
	const { baseUrl, key } = platform;
	process.stdout.write(options.json ? `${JSON.stringify({ baseUrl, key })}\n` : help(platform, options));
	const endLive = liveSessions(platform, options.live);
	const end = () => {
		endLive();
		void platform.close();
	};
	for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
} catch (thrown) {
	const message = thrown instanceof Error ? thrown.message : String(thrown);
	program.error(`The stand-in could not start: ${message}`);
}
