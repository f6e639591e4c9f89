import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { startPlatform } from './index.ts';
import type { PlatformOptions, StandIn } from './index.ts';
import { likeReport } from './like.ts';
import { timestamp } from './lists.ts';
import { STATUS_CODES } from './tables.ts';
import { FAULT_KINDS } from './types.ts';

const HELP = `npm run platform         starts the stand-in for the charging network platform, until Ctrl-C

  -- --port NUMBER       port on 127.0.0.1, 0 for a free one (4010)
  --sessions NUMBER      charging sessions to make up (20000)
  --stations NUMBER      charging stations to make up (250)
  --rows SQL             changes the rows that were made up
  --key SECRET           secret of the ready-made key (random)
  --like FILE            start it like the platform of this report of Check Platform (One Report)
  --behaviour JSON       switches to begin with, as PUT /__control/behaviour takes them
  --json                 print only one line of JSON: baseUrl and key
`;

function wholeNumber(name: string, text: string): number {
	if (!/^\d+$/.test(text)) throw new TypeError(`--${name} must be a whole number`);
	return Number(text);
}

function help({ baseUrl, key, keyId }: StandIn): string {
	const header = `-H 'API-KEY: ${key}'`;
	const list = (path: string, dsquery: unknown) =>
		`  curl -sG ${header} ${baseUrl}${path} --data-urlencode 'dsquery=${JSON.stringify(dsquery)}'`;
	const control = (method: string, path: string, body?: unknown) =>
		`  curl -sX ${method} '${baseUrl}/__control${path}'${body === undefined ? '' : ` -d '${JSON.stringify(body)}'`}`;
	return `The stand-in charging network platform

  Base URL  ${baseUrl}
  API key   ${key}   (charging-sessions:read, charging-stations:read)

Ask it something
${list('/api/charging-sessions/v1', { Pager: { Skip: 0, Take: 3 }, Sort: { Sorts: [{ Field: 'Id', Dir: 'Desc' }] } })}
${list('/api/charging-stations/v1', {
	Filter: { Logic: 'And', Filters: [{ Field: 'NetworkStatus', Operator: 'Neq', Value: '1' }] },
})}
  curl -s ${header} ${baseUrl}/api/charging-stations/v1/1
  curl -s ${header} -H 'Content-Type: application/json' -d '{"Ids":[1,2,3]}' ${baseUrl}/api/charging-sessions/v1/export-csv

Change how it behaves (GET shows every switch)
${control('GET', '/behaviour')}
${control('PUT', '/behaviour', { rateLimit: { limit: 30, windowMs: 5000, retryAfter: 'seconds' } })}
${control('PUT', '/behaviour', { rateLimit: null, latencyMs: 200, takeClamp: 50 })}

Make it misbehave (${FAULT_KINDS.join(', ')}; "times": null for ever)
${control('POST', '/faults', { kind: 'status', status: 503, times: 2, match: { path: '/api/charging-sessions' } })}
${control('POST', '/faults', { kind: 'stall', match: { method: 'GET', nth: 3 } })}
${control('DELETE', '/faults')}

License, keys, rows
${control('PUT', '/license', { active: false })}
${control('POST', `/keys/${keyId}/regenerate`)}
${control('DELETE', `/keys/${keyId}`)}
${control('PATCH', '/rows/stations/1', { NetworkStatus: 2 })}
${control('PATCH', '/rows/stations/*', { NetworkStatus: 1 })}

Let a session start, and fail
${control('POST', '/sessions')}
${control('PATCH', '/rows/sessions/1', { Status: STATUS_CODES.session.failed })}

See what was asked, and start afresh
${control('GET', '/requests')}
${control('POST', '/reset')}

Ctrl+C ends it.
`;
}

async function start(): Promise<void> {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '4010' },
			sessions: { type: 'string', default: '20000' },
			stations: { type: 'string', default: '250' },
			rows: { type: 'string' },
			key: { type: 'string' },
			like: { type: 'string' },
			behaviour: { type: 'string', default: '{}' },
			json: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) {
		process.stdout.write(HELP);
		return;
	}
	const like: PlatformOptions = values.like === undefined ? {} : likeReport(readFileSync(values.like, 'utf8'));
	const platform = await startPlatform({
		port: wholeNumber('port', values.port),
		sessions: wholeNumber('sessions', values.sessions),
		stations: wholeNumber('stations', values.stations),
		locations: 20,
		now: timestamp(Date.now()),
		rows: values.rows,
		key: values.key,
		...like,
		behaviour: { ...like.behaviour, ...(JSON.parse(values.behaviour) as object) },
	});
	const { baseUrl, key } = platform;
	process.stdout.write(values.json ? `${JSON.stringify({ baseUrl, key })}\n` : help(platform));
	for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void platform.close());
}

await start().catch((thrown: Error) => {
	console.error(`The stand-in could not start: ${thrown.message}`);
	process.exitCode = 1;
});
