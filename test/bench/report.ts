import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import omit from 'lodash/omit.js';

/** The content of a cell: numbers are rounded to be readable; undefined if not measured. */
export type Cell = string | number | undefined;

export interface Table {
	title: string;
	/** One object per line; the keys of the first are the columns. */
	lines: Array<Record<string, Cell>>;
	/** What limits the figures, and how to read them. */
	note?: string;
}

/** A promise that the figures keep or break. */
export interface Check {
	what: string;
	measured: number;
	/** Limits, inclusive. */
	atMost?: number;
	atLeast?: number;
	/** One sentence, shown if the promise is broken. */
	why?: string;
}

export interface CaseReport {
	title: string;
	tables: Table[];
	checks: Check[];
}

/** A case's report with the machine it was taken on. */
export interface SavedCase extends CaseReport {
	name: string;
	machine: Record<string, Cell>;
}

export function isMet({ measured, atMost, atLeast }: Check): boolean {
	return measured <= (atMost ?? Infinity) && measured >= (atLeast ?? -Infinity);
}

/** What the figures were measured on. */
export function machine(): Record<string, Cell> {
	const packageOf = (name: string) =>
		(JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')) as { version: string }).version;
	return {
		processor: `${cpus()[0]?.model.trim() ?? 'unknown'}, ${cpus().length} cores`,
		memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
		system: process.platform,
		node: process.version,
		'n8n-core': packageOf('n8n-core'),
		undici: packageOf('undici'),
		'load before': round(loadavg()[0] ?? 0),
	};
}

/** Three significant digits, the most that a shared machine reproduces. */
export function round(value: number): number {
	return Number(value.toPrecision(3));
}

function cellText(cell: Cell): string {
	if (cell === undefined) return '';
	if (typeof cell === 'string') return cell;
	return Number.isInteger(cell)
		? cell.toLocaleString('en')
		: round(cell).toLocaleString('en', { maximumFractionDigits: 3 });
}

/** A table that is readable on a terminal and in Markdown. */
function tableText({ title, lines, note }: Table): string {
	const columns = Object.keys(lines[0] ?? {});
	const cells = [columns, ...lines.map((line) => columns.map((column) => cellText(line[column])))];
	const isText = columns.map((column) => lines.some((line) => typeof line[column] === 'string'));
	const widths = columns.map((_, index) => Math.max(3, ...cells.map((row) => row[index]?.length ?? 0)));
	const text = (row: string[]) => {
		const padded = row.map((cell, index) =>
			isText[index] ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0),
		);
		return `| ${padded.join(' | ')} |`;
	};
	const line = widths.map((width, index) => (isText[index] ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
	const [head = [], ...body] = cells;
	const table = [text(head), `| ${line.join(' | ')} |`, ...body.map(text)].join('\n');
	return `### ${title}\n\n${table}\n${note === undefined ? '' : `\n${note}\n`}`;
}

export function caseText({ tables, checks }: CaseReport): string {
	const parts = tables.map(tableText);
	if (checks.length > 0) parts.push(tableText(checkTable(checks)));
	return parts.join('\n');
}

/** How many promises are kept, and the reason for each that is broken. */
function verdict(cases: readonly CaseReport[]): string {
	const checks = cases.flatMap((each) => each.checks);
	const broken = checks.filter((check) => !isMet(check));
	const kept = `The cases in test/bench set bounds, such as how many requests a list may take: ${checks.length - broken.length} of ${checks.length} are kept.`;
	const reasons = broken.map(
		({ what, measured, atMost, atLeast, why = 'no reason is known.' }) =>
			`- ${what} is ${round(measured)}, not ${bound({ atMost, atLeast })}: ${why}`,
	);
	return `## Promises\n\n${kept}\n\n${reasons.join('\n')}\n`;
}

const bound = ({ atMost, atLeast }: Pick<Check, 'atMost' | 'atLeast'>) =>
	atMost === undefined ? `at least ${cellText(atLeast)}` : `at most ${cellText(atMost)}`;

function checkTable(checks: readonly Check[]): Table {
	const lines = checks.map((check) => ({
		promise: check.what,
		bound: bound(check),
		measured: round(check.measured),
		kept: isMet(check) ? 'yes' : 'NO',
	}));
	return { title: 'Promises', lines };
}

const PAGE = 'docs/performance-figures.md';
const DATA = 'docs/performance.json';

/** One figure of several cases, which the page shows with a column for each contestant. */
interface Shown {
	title: string;
	/** How the names of the cases begin. */
	cases: string[];
	/** The column of the cases' tables that holds the figure. */
	figure: string;
}

/** What readers look for. Everything else that was measured is in the data. */
const SHOWN: readonly Shown[] = [
	{
		title: 'Lists: seconds',
		cases: ['return-all', 'deep-filter', 'other-order', 'limit', 'rate-limit'],
		figure: 'time s',
	},
	{ title: 'CSV export: seconds', cases: ['export'], figure: 'time s' },
	{ title: 'CPU time: microseconds a row', cases: ['cpu'], figure: 'CPU us a row' },
	{ title: 'Memory: most MB held above the idle process', cases: ['memory'], figure: 'held MB' },
];

/** A line for each thing that was tried, with the figure of each contestant, and how many rows came if not all did. */
function compared({ title, cases, figure }: Shown, saved: readonly SavedCase[]): Table {
	const byTry = new Map<string, Record<string, Cell>>();
	for (const each of saved.filter(({ name }) => cases.some((begin) => name.startsWith(begin)))) {
		for (const table of each.tables) {
			for (const { sessions, 'latency ms': latency, 'rows of': rows, who, ...line } of table.lines) {
				const amount = `${cellText(sessions)} sessions${latency === undefined ? '' : `, ${cellText(latency)} ms`}`;
				const what = sessions === undefined ? `${each.title} (${table.title})` : amount;
				const [came, all] = String(rows).split(' of ');
				const value = line[figure];
				const tried = byTry.get(what) ?? { what };
				tried[String(who)] = all === undefined || came === all ? value : `${cellText(value)} for ${came} rows`;
				byTry.set(what, tried);
			}
		}
	}
	const contestants = new Set([...byTry.values()].flatMap((tried) => Object.keys(tried)));
	const lines = [...byTry.values()].map((tried) =>
		Object.fromEntries([...contestants].map((contestant) => [contestant, tried[contestant]])),
	);
	return { title, lines };
}

/** What the page shows of polls: how large saved state is, docs/triggers.md says. */
function quietPolls({ lines }: Table): Table {
	return {
		title: 'Quiet polls',
		lines: lines.map((line) => omit(line, ['bytes stored', 'events', 'ended'])),
		note: '`availability` is *Goes Offline or Comes Back*; `as seeded`: one station in ten is not online.',
	};
}

/** What the figures are about. */
const ABOUT = `Written by \`npm run bench -- --save\`. Everything that was measured, as data: [performance.json](performance.json). The platform is
the tests' stand-in on the same machine: it answers from a real SQL engine and adds the latency that a case asks for.

| Contestant | What it is |
| --- | --- |
| HTTP Request node | n8n's own node with its pagination: one page after another, until a page is not full |
| raw x1, x4, x8 | undici with connections that are kept, outside n8n. The floor. Not safe against a list that changes |
| raw in n8n x4 | The same client inside a node, which no community node may do |
| helper x4 | The barest node there can be: n8n's request helper, no checks, no retries. What n8n itself costs |
| node x1, x4, x8 | This package; the number is the option *Parallel Requests* |

With latency, the requests that follow one another decide; without, the processor: n8n's request helper opens a connection for each request,
for every node alike. So the fair comparison is \`helper\`.`;

/** The page, made of everything that was measured. */
export function pageOf(saved: readonly SavedCase[]): string {
	const machines = saved.map(({ machine: facts }) =>
		Object.entries(omit(facts, 'load before'))
			.map(([fact, value]) => `${fact} ${cellText(value)}`)
			.join('; '),
	);
	const polls = saved.filter(({ name }) => name === 'polls').flatMap(({ tables }) => tables.map(quietPolls));
	const tables = [...SHOWN.map((each) => compared(each, saved)), ...polls];
	return [
		'# Performance: the figures',
		ABOUT,
		`Measured on: ${[...new Set(machines)].join(', or ')}.`,
		verdict(saved),
		...tables.map((each) => tableText(each).replace('### ', '## ')),
	]
		.map((part) => part.trimEnd())
		.join('\n\n')
		.concat('\n');
}

/**
 * Saves the figures as JSON, and the page that is made of them. Cases that were not run keep their figures.
 *
 * @param order the names of all cases, in the order of the page
 */
export function saveReport(cases: readonly SavedCase[], order: readonly string[]): void {
	const known = existsSync(DATA) ? (JSON.parse(readFileSync(DATA, 'utf8')) as SavedCase[]) : [];
	const saved = order.flatMap(
		(name) => cases.find((each) => each.name === name) ?? known.find((each) => each.name === name) ?? [],
	);
	writeFileSync(PAGE, pageOf(saved));
	writeFileSync(DATA, `${JSON.stringify(saved, undefined, '\t')}\n`);
}
