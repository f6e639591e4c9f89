import { MOST_REQUESTS } from './listProbe';
import type { Finding } from './findings';

/** The findings as Markdown, to be pasted into an issue. Others than *as specified* come with what was asked. */
export function reportOf(findings: readonly Finding[]): string {
	const rows = findings.map(
		({ list, check, result, text, evidence }) => `| ${[list, check, result, text, evidence].map(cell).join(' | ')} |`,
	);
	return [
		'## Check Platform',
		'',
		`At most ${MOST_REQUESTS} requests, read only. This report holds no value of a row, no name and no key.`,
		'',
		'| List | Check | Result | What it means | What was asked, and what came |',
		'|---|---|---|---|---|',
		...rows,
		'',
	].join('\n');
}

const LONGEST_CELL = 2000;

/** Text that cannot leave its cell, whatever is in it. */
function cell(text: string): string {
	const line = text.slice(0, LONGEST_CELL).replace(/\s+/g, ' ');
	return line.replace(/[\\|<>`[\]]/g, (mark) => `\\${mark}`) || '–';
}
