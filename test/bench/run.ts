/** Measures how fast these nodes are, beside a raw client, n8n's own helper and its HTTP Request node, and prints a table. */
import '../support/setup.ts';
import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';

import {
	exportWithNode,
	HAS_HTTP_REQUEST,
	pollOf,
	readWithHelper,
	readWithHttpRequest,
	readWithNode,
} from './nodes.ts';
import { control, type Platform, startStandIn } from './platform.ts';
import { exportRaw, readRaw } from './raw.ts';

const ROWS = { sessions: 10_000, stations: 10_000, latencyMs: 50 };
/** One station in so many is offline. */
const OFFLINE = 200;
const ROUNDS = 3;
const PARALLEL = { 1: 'one request after another', 4: 'four at a time', 8: 'eight at a time' };

const HELPER = "n8n's helper";
const OURS = 'These nodes';
const CONTESTANTS = ['Raw client', HELPER, OURS, 'HTTP Request'] as const;
/** How long these nodes take beside the helper. */
const RATIO = 'Beside the helper';
type Contestant = (typeof CONTESTANTS)[number];
const COLUMNS = [...CONTESTANTS, RATIO];

/** Something to measure: what each contestant does, which returns how many rows came, if it counts them. */
interface Line {
	what: string;
	rows?: number;
	runs: Partial<Record<Contestant, () => Promise<number | void>>>;
}

function readings(platform: Platform): Line[] {
	return Object.entries(PARALLEL).map(([lanes, words]) => {
		const parallel = Number(lanes);
		return {
			what: `Read ${shown(ROWS.sessions)} sessions, ${words}`,
			rows: ROWS.sessions,
			runs: {
				'Raw client': async () => (await readRaw(platform, parallel)).length,
				[HELPER]: async () => await readWithHelper(platform, parallel),
				[OURS]: async () => await readWithNode(platform, parallel),
				...(HAS_HTTP_REQUEST && parallel === 1 && { 'HTTP Request': async () => await readWithHttpRequest(platform) }),
			},
		};
	});
}

async function polls(platform: Platform): Promise<Line[]> {
	await control(platform, 'PATCH', '/rows/stations/*', { NetworkStatus: 1 });
	for (let id = OFFLINE; id <= ROWS.stations; id += OFFLINE) {
		await control(platform, 'PATCH', `/rows/stations/${id}`, { NetworkStatus: 2 });
	}
	const events = { availability: 'Goes Offline or Comes Back', statusChange: 'Status Changes' };
	const stations = `${shown(ROWS.stations)} stations, ${ROWS.stations / OFFLINE} of them offline`;
	const lines: Line[] = [];
	for (const [event, words] of Object.entries(events)) {
		lines.push({ what: `A poll of ${stations}: *${words}*`, runs: { [OURS]: await pollOf(platform, event) } });
	}
	return lines;
}

/** Seconds, each the median of some rounds. In each round all contestants run one after another. */
async function measure({ what, rows, runs }: Line): Promise<Record<string, string>> {
	process.stderr.write(`${what.replaceAll('*', '')}\n`);
	const seconds = new Map<string, number[]>();
	for (let round = 0; round < ROUNDS; round++) {
		for (const [contestant, run] of Object.entries(runs)) {
			const began = performance.now();
			const came = await run();
			const took = (performance.now() - began) / 1000;
			if (came !== rows && rows !== undefined) throw new Error(`${contestant}, ${what}: ${String(came)} rows came`);
			seconds.set(contestant, [...(seconds.get(contestant) ?? []), took]);
		}
	}
	const cells = [...seconds].map(([contestant, all]) => [contestant, `${median(all).toPrecision(2)} s`] as const);
	const [ours, helper] = [OURS, HELPER].map((contestant) => median(seconds.get(contestant) ?? []));
	const ratio = (ours ?? Number.NaN) / (helper ?? Number.NaN);
	return { what, ...Object.fromEntries(cells), ...(Number.isFinite(ratio) && { [RATIO]: ratio.toFixed(2) }) };
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const shown = (count: number) => count.toLocaleString('en');

function machine(): string {
	const core = JSON.parse(readFileSync('node_modules/n8n-core/package.json', 'utf8')) as { version: string };
	const [processor] = cpus();
	const load = (loadavg()[0] ?? 0).toFixed(1);
	return `${cpus().length} cores (${processor?.model.trim()}), Node.js ${process.version}, n8n-core ${core.version}; load before: ${load}`;
}

async function main(): Promise<void> {
	const facts = machine();
	const platform = await startStandIn(ROWS);
	const toCsv: Line = {
		what: `Export ${shown(ROWS.sessions)} sessions to a CSV file`,
		runs: {
			'Raw client': async () => await exportRaw(platform),
			[OURS]: async () => await exportWithNode(platform),
		},
	};
	const lines = [...readings(platform), toCsv];
	process.stderr.write('Warming up\n');
	for (const { runs } of lines) for (const run of Object.values(runs)) await run();
	const measured: Array<Record<string, string>> = [];
	for (const line of [...lines, ...(await polls(platform))]) measured.push(await measure(line));
	const rowOf = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
	const table = [
		rowOf([`The platform takes ${ROWS.latencyMs} ms for each answer`, ...COLUMNS]),
		rowOf(['---', ...COLUMNS.map(() => '---:')]),
		...measured.map((line) => rowOf(['what', ...COLUMNS].map((name) => line[name] ?? '–'))),
	];
	process.stdout.write(`\n${table.join('')}\n${facts}\n`);
	process.exit();
}

void main().catch((error: unknown) => {
	console.error(error);
	process.exit(1);
});
