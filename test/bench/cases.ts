import { existsSync } from 'node:fs';

import { contest, median, Results, sampleOf } from './contest.ts';
import type { Contestant, Sample, Task } from './contest.ts';
import { HOSTILE, HostilePlatform, HUGE, HugePlatform } from './hugeAnswers.ts';
import { OUTAGE_TABLES } from './outageTables.ts';
import { PAGE, queryOf, SESSIONS } from './query.ts';
import { round } from './report.ts';
import type { CaseReport, Check, Table } from './report.ts';
import { StandInProcess } from './standIn.ts';
import type { ReadJob } from './types.ts';
import type { Workers } from './workers.ts';

/** What the cases use. */
export interface Bench {
	quick: boolean;
	workers: Workers;
	/** The stand-in with this many rows. Stops the previous one. */
	platform(rows: { sessions: number; stations?: number }): Promise<StandInProcess>;
	progress(text: string): void;
}

export interface Case {
	name: string;
	about: string;
	inQuick?: boolean;
	run(bench: Bench): Promise<CaseReport>;
}

const HTTP = 'HTTP Request node';
const LANES = [1, 4, 8];
/** Installed with the real n8n; without it the HTTP Request node is skipped. */
export const HAS_NODES_BASE = existsSync('test/n8n/node_modules/n8n-nodes-base');

type Read = Partial<Pick<ReadJob, 'limit' | 'filter' | 'sort'>>;

const reads = (reader: ReadJob['reader'], lanes: readonly number[], read: Read): Contestant[] =>
	lanes.map((parallel) => ({ label: `${reader} x${parallel}`, task: { kind: 'read', reader, parallel, ...read } }));

const httpRequest = (read: Read): Contestant[] =>
	HAS_NODES_BASE ? [{ label: HTTP, task: { kind: 'read', reader: 'httpRequest', parallel: 1, ...read } }] : [];

/** As many rounds as can be run in reasonable time. */
function roundsFor({ quick }: Bench, pages: number, latencyMs: number): number {
	if (quick) return 2;
	const sequentialMs = pages * (latencyMs + 3);
	return sequentialMs < 1_000 ? 7 : sequentialMs < 10_000 ? 5 : sequentialMs < 30_000 ? 3 : 1;
}

const refused = ({ requests }: Sample) => requests.filter(({ status }) => status === 429).length;
const cpuOf = ({ cpuMs }: Sample) => cpuMs;

/** One line for each contestant. */
function lines(results: Results, totalRows: number): Table['lines'] {
	return results.labels().map((label) => {
		const { rows, requests, status } = results.one(label);
		const parallel = / x(\d)$/.exec(label)?.[0];
		const raw = `raw${parallel ?? ' x1'}`;
		return {
			who: label,
			'time s': results.median(label, ({ ms }) => ms) / 1000,
			'times as fast as HTTP Request': results.has(HTTP) ? results.ratio(HTTP, label) : undefined,
			'time / raw': results.has(raw) ? results.ratio(label, raw) : undefined,
			'CPU us a row': (results.median(label, cpuOf) * 1000) / Math.max(1, rows),
			requests: requests.length,
			'rows of': `${rows.toLocaleString('en')} of ${totalRows.toLocaleString('en')}`,
			ended: status,
		};
	});
}

/** Checks that the node needs at most three requests per lane more than the least possible. */
function requestChecks(results: Results, scene: string, least: number): Check[] {
	return LANES.filter((lanes) => results.has(`node x${lanes}`)).map((lanes) => ({
		what: `${scene}: requests of node x${lanes}, least possible ${least.toLocaleString('en')}`,
		measured: Math.max(...results.of(`node x${lanes}`).map(({ requests }) => requests.length)),
		atMost: least + 3 * lanes,
	}));
}

/** Return All of this many sessions at one latency; one case each, since the slow ones take many minutes. */
function returnAll(sessions: number, latencyMs: number, inQuick = false): Case {
	const scene = `${sessions.toLocaleString('en')} sessions, ${latencyMs} ms`;
	return {
		name: `return-all-${sessions}-${latencyMs}ms`,
		about: `Return All of ${scene} of latency`,
		inQuick,
		async run(bench) {
			const platform = await bench.platform({ sessions });
			const helper = latencyMs < 200 && !bench.quick ? reads('helper', [4], {}) : [];
			const contestants = [...httpRequest({}), ...reads('raw', LANES, {}), ...helper, ...reads('node', LANES, {})];
			const rounds = roundsFor(bench, sessions / PAGE, latencyMs);
			bench.progress(`${contestants.length} contestants, ${roundsText(rounds)}`);
			const results = await contest(platform, bench.workers, contestants, { latencyMs, rounds });
			const checks = requestChecks(results, scene, Math.ceil(sessions / PAGE));
			if (sessions === 10_000 && latencyMs === 50) checks.push(...speedChecks(results, scene));
			const table = { title: roundsText(rounds), lines: lines(results, sessions) };
			return { title: `Return All: ${scene}`, tables: [table], checks };
		},
	};
}

const roundsText = (rounds: number) => (rounds === 1 ? 'one round' : `medians of ${rounds} rounds`);

const growth: Case = {
	name: 'growth',
	about: 'What a row of 1,000, 10,000 and 100,000 costs the node',
	async run(bench) {
		const table: Table['lines'] = [];
		const checks: Check[] = [];
		const first = new Map<number, { ms: number; cpuMs: number }>();
		for (const sessions of [1_000, 10_000, 100_000]) {
			const platform = await bench.platform({ sessions });
			for (const latencyMs of [0, 50, 200]) {
				bench.progress(`${sessions.toLocaleString('en')} sessions, ${latencyMs} ms`);
				const rounds = Math.min(9, Math.ceil(900 / ((sessions / PAGE) * (latencyMs + 3))) + 2);
				const results = await contest(platform, bench.workers, reads('node', [4], {}), { latencyMs, rounds });
				const ms = results.median('node x4', (sample) => sample.ms) / sessions;
				const cpuMs = results.median('node x4', cpuOf) / sessions;
				const few = first.get(latencyMs) ?? { ms, cpuMs };
				first.set(latencyMs, few);
				table.push({
					sessions,
					'latency ms': latencyMs,
					'time, us a row': ms * 1000,
					'CPU, us a row': cpuMs * 1000,
					'time / of 1,000': ms / few.ms,
					'CPU / of 1,000': cpuMs / few.cpuMs,
				});
				if (sessions < 100_000) continue;
				const what = `node x4, ${latencyMs} ms: for one row of 100,000 against one of 1,000`;
				checks.push({ what: `${what}, time`, measured: ms / few.ms, atMost: 1.3 });
				checks.push({ what: `${what}, CPU`, measured: cpuMs / few.cpuMs, atMost: 1.3 });
			}
		}
		return { title: 'Growth', tables: [{ title: 'node x4, medians', lines: table }], checks };
	},
};

function speedChecks(results: Results, scene: string): Check[] {
	const why =
		"between an answer and the next request lie n8n's request helper and a new connection, a millisecond or two for each of the requests that are answered together, more where others want the processor, too (see load before).";
	const toRaw = [
		{ what: `${scene}: time of node x4 / raw x4`, measured: results.ratio('node x4', 'raw x4'), atMost: 1.1, why },
		{ what: `${scene}: time of node x8 / raw x8`, measured: results.ratio('node x8', 'raw x8'), atMost: 1.15, why },
	];
	if (!results.has(HTTP)) return toRaw;
	return [
		{ what: `${scene}: node x4, times as fast as ${HTTP}`, measured: results.ratio(HTTP, 'node x4'), atLeast: 3.5 },
		{ what: `${scene}: time of node x1 / ${HTTP}`, measured: results.ratio('node x1', HTTP), atMost: 1 },
		...toRaw,
	];
}

const cpu: Case = {
	name: 'cpu',
	about: 'CPU time of a row without latency, and what of it is n8n',
	async run(bench) {
		const table: Table = {
			title: 'Four requests at a time, 0 ms',
			lines: [],
			note: 'CPU time of the whole process, garbage collection and compiling included, after a warm-up. "raw in n8n" is the raw client inside a node of the same engine: undici, JSON.parse and n8n\'s item wrapping. "helper, no rows" sends as many requests through n8n\'s request helper as the others, but no row matches: what the helper takes before any row is delivered.',
		};
		const checks: Check[] = [];
		for (const sessions of [1_000, 10_000, 100_000]) {
			bench.progress(`${sessions.toLocaleString('en')} sessions`);
			const platform = await bench.platform({ sessions });
			const noRows: Contestant = {
				label: 'helper x4, no rows',
				task: { kind: 'read', reader: 'helper', parallel: 4, pagesWithoutRows: sessions / PAGE },
			};
			const contestants = [
				...[...reads('raw', [4], {}), ...reads('raw in n8n', [4], {}), noRows],
				...[...reads('helper', [4], {}), ...reads('node', [4], {})],
			];
			const rounds = bench.quick ? 2 : sessions > 10_000 ? 5 : 15;
			const results = await contest(platform, bench.workers, contestants, { latencyMs: 0, rounds });
			for (const label of results.labels()) {
				table.lines.push({
					sessions,
					who: label,
					'CPU us a row': (results.median(label, cpuOf) * 1000) / sessions,
					'CPU / raw x4': results.ratio(label, 'raw x4', cpuOf),
					'CPU / raw in n8n x4': results.ratio(label, 'raw in n8n x4', cpuOf),
					'CPU / helper x4': results.ratio(label, 'helper x4', cpuOf),
				});
			}
			if (sessions < 10_000) continue;
			const scene = `${sessions.toLocaleString('en')} sessions, 0 ms`;
			const share = results.ratio('helper x4, no rows', 'raw in n8n x4', cpuOf);
			checks.push(
				{
					what: `${scene}: CPU of node x4 / raw x4 in n8n`,
					measured: results.ratio('node x4', 'raw in n8n x4', cpuOf),
					atMost: 1.5,
					why: `n8n's request helper opens a connection for each page and goes through axios: it takes ${round(share)} times the CPU of the raw client in n8n before it has delivered a single row.`,
				},
				{
					what: `${scene}: CPU of node x4 / the barest node on n8n's request helper, x4`,
					measured: results.ratio('node x4', 'helper x4', cpuOf),
					atMost: 1.1,
				},
			);
		}
		return { title: 'CPU time', tables: [table], checks };
	},
};

/** Four levels of groups, 24 conditions; about every third session matches. */
function deepFilter(): object {
	const condition = (Field: string, Operator: string, Value: string) => ({ Field, Operator, Value });
	const leaf = (from: number) => ({
		Logic: 'And',
		Filters: [
			condition('EnergyConsumed', 'GteLt', `${from},${from + 8}`),
			condition('StartedAtUtc', 'Gt', '2020-01-01T00:00:00'),
			condition('Status', 'In', '4,6'),
		],
	});
	const level = (from: number, depth: number): object =>
		depth === 0
			? leaf(from)
			: { Logic: 'Or', Filters: [level(from, depth - 1), level(from + 8 * 2 ** (depth - 1), depth - 1)] };
	return { Logic: 'And', Filters: [level(0, 3), condition('Id', 'Gt', '0')] };
}

const filtered: Case = {
	name: 'deep-filter',
	about: 'Return All of 10,000 sessions through a filter of four levels',
	async run(bench) {
		const platform = await bench.platform({ sessions: 10_000 });
		const read = { filter: deepFilter() };
		const contestants = [...httpRequest(read), ...reads('raw', [1, 4], read), ...reads('node', [1, 4], read)];
		const results = await contest(platform, bench.workers, contestants, { latencyMs: 50, rounds: 3 });
		const { rows } = results.one('raw x1');
		return {
			title: 'Deep filter',
			tables: [{ title: '10,000 sessions, 25 conditions on four levels, 50 ms', lines: lines(results, rows) }],
			checks: requestChecks(results, 'Deep filter', Math.ceil(rows / PAGE)),
		};
	},
};

const sorted: Case = {
	name: 'other-order',
	about: 'Return All of 10,000 sessions by start time, read by position',
	async run(bench) {
		const platform = await bench.platform({ sessions: 10_000 });
		const read = { sort: 'StartedAtUtc' };
		const contestants = [...httpRequest(read), ...reads('raw', LANES, read), ...reads('node', LANES, read)];
		const results = await contest(platform, bench.workers, contestants, { latencyMs: 50, rounds: 3 });
		return {
			title: 'Another order',
			tables: [{ title: '10,000 sessions by StartedAtUtc, 50 ms', lines: lines(results, 10_000) }],
			checks: requestChecks(results, 'By StartedAtUtc', Math.ceil(9_999 / (PAGE - 1))),
		};
	},
};

const limited: Case = {
	name: 'limit',
	about: 'Limit 50 of 100,000 sessions',
	inQuick: true,
	async run(bench) {
		const platform = await bench.platform({ sessions: bench.quick ? 10_000 : 100_000 });
		const read = { limit: 50 };
		const contestants = [...httpRequest(read), ...reads('raw', [1], read), ...reads('node', [1, 4, 8], read)];
		const results = await contest(platform, bench.workers, contestants, { latencyMs: 50, rounds: 7 });
		const most = Math.max(...results.of('node x8').map(({ requests }) => requests.length));
		return {
			title: 'Limit',
			tables: [{ title: 'The first 50, 50 ms', lines: lines(results, 50) }],
			checks: [{ what: 'Limit 50: requests of node x8', measured: most, atMost: 1 }],
		};
	},
};

const rateLimited: Case = {
	name: 'rate-limit',
	about: '10,000 sessions under a rate limit of 30 requests in 5 s',
	async run(bench) {
		const sessions = 10_000;
		const platform = await bench.platform({ sessions });
		const rateLimit = { limit: 30, windowMs: 5_000, window: 'fixed', retryAfter: 'seconds' } as const;
		const contestants = [...httpRequest({}), ...reads('raw', LANES, {}), ...reads('node', LANES, {})];
		const results = await contest(platform, bench.workers, contestants, { latencyMs: 50, rateLimit, rounds: 1 });
		const least = sessions / PAGE;
		const checks = LANES.flatMap((lanes): Check[] => {
			const label = `node x${lanes}`;
			return [
				{ what: `${label}: rows delivered`, measured: results.one(label).rows, atLeast: sessions, atMost: sessions },
				{ what: `${label}: time / raw x${lanes}`, measured: results.ratio(label, `raw x${lanes}`), atMost: 1.1 },
			];
		});
		const windows = Math.ceil(least / rateLimit.limit);
		return {
			title: 'Rate limit',
			tables: [
				{
					title: '10,000 sessions, 30 requests in 5 s, 50 ms, one round',
					lines: results.labels().map((label) => ({
						...lines(results, sessions).find(({ who }) => who === label),
						'refused with 429': refused(results.one(label)),
					})),
					note: `Least possible: ${least} requests that are answered and ${windows - 1} refusals, one for each window but the last, since only a refusal says how long to wait.`,
				},
			],
			checks,
		};
	},
};

const exportPath = (sample: Sample) => sample.requests.filter(({ method }) => method === 'POST');
/** From the first chunk's arrival to the last one's end, as the platform saw it. */
function postingMs(sample: Sample): number {
	const posts = exportPath(sample);
	return Math.max(...posts.map(({ doneAt }) => doneAt ?? 0)) - Math.min(...posts.map(({ at }) => at));
}

/** Export of this many sessions; one case each. */
function exported(sessions: number): Case {
	return {
		name: `export-${sessions}`,
		about: `Export of ${sessions.toLocaleString('en')} sessions into one CSV file`,
		async run(bench) {
			const table: Table = {
				title: 'List and export into one file, 500 ids a request',
				lines: [],
				note: 'The raw client lists the same Ids four requests at a time, posts the same chunks one after another on one connection and streams the answers to a file, unchecked.',
			};
			const checks: Check[] = [];
			const platform = await bench.platform({ sessions });
			for (const latencyMs of [0, 50]) {
				bench.progress(`${latencyMs} ms`);
				const contestants = (['raw', 'node'] as const).map((exporter) => ({
					label: `${exporter} export`,
					task: { kind: 'export' as const, exporter, idsPerRequest: 500 },
				}));
				const rounds = sessions > 10_000 && latencyMs > 0 ? 3 : 7;
				const results = await contest(platform, bench.workers, contestants, { latencyMs, rounds });
				for (const { label } of contestants) {
					const sample = results.one(label);
					table.lines.push({
						sessions,
						'latency ms': latencyMs,
						who: label,
						'time s': results.median(label, ({ ms }) => ms) / 1000,
						'time / raw': results.ratio(label, 'raw export'),
						'posting s': results.median(label, postingMs) / 1000,
						'posting / raw': results.ratio(label, 'raw export', postingMs),
						'CPU us a row': (results.median(label, cpuOf) * 1000) / sessions,
						requests: sample.requests.length,
						records: sample.rows,
						ended: sample.status,
					});
				}
				if (sessions < 100_000) continue;
				checks.push({
					what: `Export of 100,000 sessions, ${latencyMs} ms: posting / raw`,
					measured: results.ratio('node export', 'raw export', postingMs),
					atMost: 1.2,
					why: "without latency the platform answers faster than n8n's request helper opens the connection for the next part, which the raw client keeps.",
				});
			}
			return { title: `CSV export of ${sessions.toLocaleString('en')}`, tables: [table], checks };
		},
	};
}

const hugeAnswers: Case = {
	name: 'huge-answers',
	about: 'An answer of 200 MB to an export: how long n8n is blocked, how soon Stop ends it, and memory',
	async run(bench) {
		const lines: Table['lines'] = [];
		const checks: Check[] = [];
		const ids = (count: number) => Array.from({ length: count }, (_, index) => index + 1).join();
		for (const [what, line] of Object.entries(HUGE)) {
			for (const sessions of [1, 5000]) {
				const platform = await HugePlatform.start(line, 200);
				const { baseUrl, key } = platform;
				const job = { kind: 'export', exporter: 'node', idsPerRequest: 5000, sessionIds: ids(sessions) } as const;
				const watched = { ...job, baseUrl, key, watchLoop: true, watchMemory: 'resident' } as const;
				const warmUp = { ...job, sessionIds: '1', baseUrl, key };
				bench.progress(`${what}, ${sessions} sessions`);
				// The first of many halvings is enough.
				const stopAfterMs = sessions > 1 ? 2_000 : undefined;
				const { ms, blockedMs, memoryMb, status } = await bench.workers.runAlone(warmUp, { ...watched, stopAfterMs });
				const stopped = await bench.workers.runAlone(warmUp, { ...watched, stopAfterMs: 100 });
				const scene = `${what}, ${sessions} asked for`;
				lines.push({
					answer: scene,
					'time s': ms / 1000,
					ended: status,
					'blocked ms': blockedMs,
					'resident MB': memoryMb,
					'stop at 0.1 s, ended s': stopped.ms / 1000,
				});
				checks.push(
					{ what: `${scene}: blocked, ms`, measured: blockedMs ?? Number.NaN, atMost: 50 },
					{ what: `${scene}: stopped, s`, measured: stopped.ms / 1000, atMost: 1.1 },
				);
				await platform.stop();
			}
		}
		return { title: 'Answers of 200 MB', tables: [{ title: 'One request each', lines }], checks };
	},
};

/** What one `JSON.parse` may take, and our own work between two turns, in milliseconds of CPU time. */
const MOST_BLOCKED_MS = 120;

const hostileAnswers: Case = {
	name: 'hostile-answers',
	about: 'Lists as large and as full as an answer may be: how long n8n is blocked, with 1 GB of heap',
	async run(bench) {
		const lines: Table['lines'] = [];
		const checks: Check[] = [];
		for (const [answer, make] of Object.entries(HOSTILE)) {
			const platform = await HostilePlatform.start(make());
			const { baseUrl, key } = platform;
			for (const operation of ['getAll', 'checkPlatform'] as const) {
				bench.progress(`${answer}, ${operation}`);
				const job = { kind: 'operation', operation, baseUrl, key } as const;
				const honest = await HostilePlatform.start('{"Items":[{"Id":1}],"TotalCount":1}');
				const warmUp = { ...job, baseUrl: honest.baseUrl };
				const outcome = await bench.workers
					.runAlone(warmUp, { ...job, watchLoop: true, watchMemory: 'resident' }, 1024)
					.catch((): undefined => undefined);
				await honest.stop();
				const { ms = NaN, blockedMs, blockedCpuMs = Infinity, ownMs, memoryMb, message } = outcome ?? {};
				const ended = outcome ? (message ?? outcome.status) : 'n8n ended';
				lines.push({
					answer: `${answer}, ${operation}`,
					'time s': ms / 1000,
					'blocked ms': blockedMs,
					'blocked CPU ms': blockedCpuMs,
					'without collection': ownMs,
					'resident MB': memoryMb,
					ended: ended.slice(0, 60),
				});
				checks.push({
					what: `${answer}, ${operation}: blocked, CPU ms`,
					measured: blockedCpuMs,
					atMost: MOST_BLOCKED_MS,
				});
			}
			await platform.stop();
		}
		return { title: 'Hostile answers', tables: [{ title: 'At 1 GB of heap', lines }], checks };
	},
};

const outages: Case = {
	name: 'outages',
	about: 'Availability of tables of outages larger than any operator has: how long n8n is blocked',
	async run(bench) {
		const lines: Table['lines'] = [];
		const { baseUrl, key } = await bench.platform({ sessions: 10, stations: 250 });
		for (const table of Object.keys(OUTAGE_TABLES)) {
			for (const result of ['stations', 'outages'] as const) {
				bench.progress(`${table}, ${result}`);
				const job = { kind: 'availability', table, result, baseUrl, key } as const;
				const outcome = await bench.workers.runAlone({ ...job, table: '' }, { ...job, watchLoop: true });
				const { ms, blockedMs, blockedCpuMs = Infinity, ownMs, rows, status } = outcome;
				lines.push({
					table: `${table}, ${result}`,
					'time s': ms / 1000,
					'blocked ms': blockedMs,
					'blocked CPU ms': blockedCpuMs,
					'without collection': ownMs,
					items: rows,
					ended: status,
				});
			}
		}
		return { title: 'Availability of large tables', tables: [{ title: '250 stations', lines }], checks: [] };
	},
};

const memory: Case = {
	name: 'memory',
	about: 'Highest memory of each, in processes of their own',
	async run(bench) {
		const lines: Table['lines'] = [];
		for (const sessions of [10_000, 100_000]) {
			const platform = await bench.platform({ sessions });
			const list = (reader: ReadJob['reader'], parallel: number): Task => ({ kind: 'read', reader, parallel });
			const contestants: Contestant[] = [
				...httpRequest({}),
				{ label: 'raw x4', task: list('raw', 4) },
				{ label: 'helper x4', task: list('helper', 4) },
				{ label: 'node x4', task: list('node', 4) },
				{ label: 'node export', task: { kind: 'export', exporter: 'node', idsPerRequest: 500 } },
			];
			for (const { label, task } of contestants) {
				bench.progress(`${sessions.toLocaleString('en')} sessions, ${label}`);
				await platform.prepare({ latencyMs: 0 });
				const { baseUrl, key } = platform;
				const reader = task.kind === 'read' ? task.reader : 'node';
				const warmUp: ReadJob = { kind: 'read', reader, parallel: 4, limit: PAGE, baseUrl, key };
				const most = async (watchMemory: 'resident' | 'held') => {
					const { memoryMb } = await bench.workers.runAlone(warmUp, { ...task, baseUrl, key, watchMemory });
					return memoryMb ?? Number.NaN;
				};
				const held = await most('held');
				lines.push({
					sessions,
					who: label,
					'held MB': held,
					'held bytes a row': (held * 1e6) / sessions,
					'resident MB': await most('resident'),
				});
			}
		}
		return {
			title: 'Memory',
			tables: [
				{
					title: 'Most memory above the idle process, no latency',
					lines,
					note: 'Held is what is left after collecting garbage, looked at every 100 ms: what a container needs at least. Resident includes what V8 has not collected yet, because nothing pressed it to. The HTTP Request node gives 100 rows an item; Split Out, which makes items of them, is not counted.',
				},
			],
			checks: [],
		};
	},
};

const deepPages: Case = {
	name: 'deep-pages',
	about: "What one page costs at growing depth on the stand-in's SQL engine",
	async run(bench) {
		const sessions = 100_000;
		const platform = await bench.platform({ sessions });
		await platform.prepare({ latencyMs: 0 });
		const answer = async (query: object) => {
			const url = `${platform.baseUrl}${SESSIONS}?dsquery=${encodeURIComponent(JSON.stringify(query))}`;
			const response = await fetch(url, { headers: { 'API-KEY': platform.key } });
			return (await response.json()) as { Items: Array<{ Id: number }>; TotalCount: number };
		};
		const ask = async (query: object) => (await answer(query)).Items;
		const timed = async (query: object): Promise<number> => {
			const times: number[] = [];
			for (let n = 0; n < 15; n++) {
				const began = performance.now();
				await ask(query);
				times.push(performance.now() - began);
			}
			return median(times);
		};
		const lanes = 4;
		// A filter as users have it: every row that is skipped or counted must be evaluated.
		const conditions = [
			{ Field: 'Status', Operator: 'Eq', Value: '4' },
			{ Field: 'EnergyConsumed', Operator: 'Gt', Value: '5' },
		];
		const filter = (...more: object[]) => ({ filter: { Logic: 'And', Filters: [...more, ...conditions] } });
		const idAt = async (row: number): Promise<number> => {
			const [found] = await ask({ ...queryOf(filter()), Pager: { Skip: row, Take: 1 } });
			return found?.Id ?? 0;
		};
		const { TotalCount: matching } = await answer({ ...queryOf(filter()), Pager: { Skip: 0, Take: 1 } });
		const share = Math.floor(matching / lanes);
		const lines: Array<Record<string, number>> = [];
		for (let step = 0; step <= 12; step++) {
			const depth = Math.min(Math.floor((step * matching) / 12), matching - PAGE - 1) + (step === 0 ? 1 : 0);
			bench.progress(`row ${depth.toLocaleString('en')}`);
			const end = (Math.floor(depth / share) + 1) * share;
			const beyond = { Field: 'Id', Operator: 'Gt', Value: String(await idAt(depth - 1)) };
			const short = end < matching - lanes ? [{ Field: 'Id', Operator: 'Lt', Value: String(await idAt(end)) }] : [];
			const byTime = { ...filter(), sort: 'StartedAtUtc' };
			lines.push({
				'from row': depth,
				'Skip, ms a page': await timed({ ...queryOf(filter()), Pager: { Skip: depth, Take: PAGE } }),
				'Skip by start time, ms': await timed({ ...queryOf(byTime), Pager: { Skip: depth, Take: PAGE } }),
				'Id walk x4, ms a page': await timed({ ...queryOf(filter(beyond, ...short)), Pager: { Skip: 0, Take: PAGE } }),
			});
		}
		const longest = Math.max(
			...lines.flatMap((line) => [line['Skip, ms a page'] ?? 0, line['Id walk x4, ms a page'] ?? 0]),
		);
		const bar = (ms = 0) => '#'.repeat(Math.max(1, Math.round((ms / longest) * 24)));
		const walk = lines.map((line) => line['Id walk x4, ms a page'] ?? 0);
		return {
			title: 'Deep pages',
			tables: [
				{
					title: `100,000 sessions of which ${matching.toLocaleString('en')} match a filter, one page of 100, no latency, medians of 15`,
					lines: lines.map((line) => ({
						...line,
						'Skip curve': bar(line['Skip, ms a page']),
						'Id walk curve': bar(line['Id walk x4, ms a page']),
					})),
				},
			],
			checks: [
				{
					what: "Id walk: the slowest page's time / the first page's",
					measured: Math.max(...walk) / (walk[0] ?? 1),
					atMost: 1.3,
					why: 'a page takes a few milliseconds, and a busy machine adds as much; the curve shows that it does not rise with depth.',
				},
			],
		};
	},
};

const polls: Case = {
	name: 'polls',
	about: 'Polls of the status trigger on 100 to 100,000 stations',
	async run(bench) {
		const lines: Table['lines'] = [];
		const checks: Check[] = [];
		const situations = [
			{ event: 'availability', fleet: 'all online' },
			{ event: 'availability', fleet: 'as seeded' },
			{ event: 'statusChange', fleet: 'as seeded' },
		] as const;
		for (const stations of [100, 1_000, 10_000, 100_000]) {
			const platform = await bench.platform({ sessions: 10, stations });
			for (const { event, fleet } of situations) {
				bench.progress(`${stations.toLocaleString('en')} stations, ${event}, ${fleet}`);
				await platform.prepare({ latencyMs: 0 });
				if (fleet === 'all online') await platform.changeStations({ NetworkStatus: 1 });
				const count = stations > 10_000 ? 3 : 10;
				const task: Task = { kind: 'poll', event, polls: count };
				const sample = await sampleOf(platform, (job) => bench.workers.run('polls', job), task);
				const requests = sample.requests.length / count;
				lines.push({
					stations,
					event,
					fleet,
					'requests a poll': requests,
					'ms a poll': sample.ms / count,
					'CPU ms a poll': sample.cpuMs / count,
					'bytes stored': sample.storedBytes,
					events: sample.rows,
					ended: sample.message ?? sample.status,
				});
				if (fleet === 'all online') {
					const what = `${stations.toLocaleString('en')} stations, all online: requests a poll`;
					checks.push({ what, measured: requests, atMost: 1 });
				}
			}
		}
		return { title: 'Trigger polls', tables: [{ title: 'Quiet polls, no latency', lines }], checks };
	},
};

const unusual: Case = {
	name: 'unusual',
	about: 'Polls for status changes that read the unusual of 10,000 and 100,000 stations, beside a reading of all',
	async run(bench) {
		const lines: Table['lines'] = [];
		const checks: Check[] = [];
		const fleets = [
			{ stations: 10_000, every: 50, mostRequests: 5, count: 5 },
			{ stations: 100_000, every: 200, mostRequests: 8, count: 2 },
		];
		for (const { stations, every, mostRequests, count } of fleets) {
			const scene = `${stations.toLocaleString('en')} stations, ${stations / every} of them offline`;
			const platform = await bench.platform({ sessions: 10, stations });
			await platform.prepare({ latencyMs: 0 });
			await platform.changeStations({ NetworkStatus: 1 });
			for (let id = every; id <= stations; id += every) await platform.changeStations({ NetworkStatus: 2 }, id);
			const rounds = bench.quick ? 1 : 3;
			bench.progress(`${scene}, ${roundsText(rounds)}`);
			const results = new Results();
			for (let round = 0; round < rounds; round++) {
				for (const [label, readsAll] of [
					['unusual', false],
					['all', true],
				] as const) {
					// prettier-ignore
					const task: Task = { kind: 'poll', event: 'statusChange', polls: count, readsAll };
					results.add(label, await sampleOf(platform, (job) => bench.workers.run('polls', job), task));
				}
			}
			for (const label of results.labels()) {
				const { requests, storedBytes, message, status } = results.one(label);
				lines.push({
					stations,
					unusual: stations / every,
					read: label,
					'requests a poll': requests.length / count,
					'ms a poll': results.median(label, ({ ms }) => ms) / count,
					'CPU ms a poll': results.median(label, cpuOf) / count,
					'time / all': results.ratio(label, 'all'),
					'bytes stored': storedBytes,
					ended: message ?? status,
				});
			}
			checks.push(
				{
					what: `${scene}: requests a poll`,
					measured: results.one('unusual').requests.length / count,
					atMost: mostRequests,
				},
				{
					what: `${scene}: time of a poll / of one that reads all`,
					measured: results.ratio('unusual', 'all'),
					atMost: 0.5,
				},
			);
		}
		return { title: 'Polls for status changes', tables: [{ title: 'Quiet polls, no latency', lines }], checks };
	},
};

export const CASES: readonly Case[] = [
	...[0, 50, 200].map((latencyMs) => returnAll(1_000, latencyMs)),
	...[0, 50, 200].map((latencyMs) => returnAll(10_000, latencyMs, latencyMs === 50)),
	...[0, 50, 200].map((latencyMs) => returnAll(100_000, latencyMs)),
	cpu,
	growth,
	filtered,
	sorted,
	limited,
	rateLimited,
	...[1_000, 10_000, 100_000].map(exported),
	hugeAnswers,
	hostileAnswers,
	outages,
	memory,
	deepPages,
	polls,
	unusual,
];

/** Makes every contestant's process load and compile its code before anything is measured. */
export async function warmUp(bench: Bench): Promise<void> {
	const platform = await bench.platform({ sessions: 10_000 });
	const contestants = [
		...httpRequest({}),
		...reads('raw', LANES, {}),
		...reads('helper', [4], {}),
		...reads('node', LANES, {}),
	];
	await contest(platform, bench.workers, contestants, { latencyMs: 0, rounds: bench.quick ? 2 : 4 });
}
