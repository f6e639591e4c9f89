import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';

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

/** All promises at a glance; the reason for each that is broken. */
function verdict(cases: readonly CaseReport[]): string {
	const checks = cases.flatMap((each) => each.checks);
	const broken = checks.filter((check) => !isMet(check));
	const kept = `${checks.length - broken.length} of ${checks.length} are kept.`;
	const reasons = broken.map(
		({ what, measured, why = 'no reason is known.' }) => `- ${what} is ${round(measured)}: ${why}`,
	);
	const { lines } = checkTable(checks);
	return `## Promises\n\n${[kept, ...reasons].join('\n')}\n\n${tableText({ title: 'All of them', lines })}`;
}

function checkTable(checks: readonly Check[]): Table {
	const bound = ({ atMost, atLeast }: Check) =>
		atMost === undefined ? `at least ${cellText(atLeast)}` : `at most ${cellText(atMost)}`;
	const lines = checks.map((check) => ({
		promise: check.what,
		bound: bound(check),
		measured: round(check.measured),
		kept: isMet(check) ? 'yes' : 'NO',
	}));
	return { title: 'Promises', lines };
}

const BEGIN = '<!-- figures: written by npm run bench -- --save -->';
const END = '<!-- end of figures -->';
const PAGE = 'docs/performance-figures.md';
const DATA = 'docs/performance.json';

/**
 * Saves the figures as JSON beside the page and as tables in it, between its marks. Cases that were not run keep their
 * figures.
 *
 * @param order the names of all cases, in the order of the page
 */
export function saveReport(cases: readonly SavedCase[], order: readonly string[]): void {
	const known = existsSync(DATA) ? (JSON.parse(readFileSync(DATA, 'utf8')) as SavedCase[]) : [];
	const saved = order.flatMap(
		(name) => cases.find((each) => each.name === name) ?? known.find((each) => each.name === name) ?? [],
	);
	const text = readFileSync(PAGE, 'utf8');
	const begin = text.indexOf(BEGIN);
	const end = text.indexOf(END);
	if (begin < 0 || end < begin) throw new Error(`${PAGE} has lost the marks between which the figures stand`);
	writeFileSync(
		PAGE,
		`${text.slice(0, begin + BEGIN.length)}\n\n${[verdict(saved), ...saved.map(savedText)].join('\n')}\n${text.slice(end)}`,
	);
	writeFileSync(DATA, `${JSON.stringify(saved, undefined, '\t')}\n`);
}

function savedText({ name, title, machine: facts, ...rest }: SavedCase): string {
	const about = Object.entries(facts).map(([fact, value]) => `${fact} ${cellText(value)}`);
	const command = `npm run bench -- --only ${name}`;
	return `## ${title}\n\n\`${command}\` on ${about.join('; ')}\n\n${caseText({ title, ...rest, checks: [] })}`;
}
