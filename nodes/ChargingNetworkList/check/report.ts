import type { PlatformFacts } from './facts';
import type { CheckFinding } from './findings';

/** The findings as Markdown, to be pasted into an issue, and what the stand-in can be started like: `--like`. */
export function reportOf(findings: readonly CheckFinding[], facts: PlatformFacts): string {
	const rows = findings.map(
		({ list, check, result, text, evidence }) => `| ${[list, check, result, text, evidence].map(cell).join(' | ')} |`,
	);
	return [
		'## Check Platform',
		'',
		'This report holds names and kinds of fields, counts and status codes: no other value of a row, no name of a person or station, and no key.',
		'',
		'| List | Check | Result | What it means | What shows it |',
		'|---|---|---|---|---|',
		...rows,
		'',
		'```json',
		JSON.stringify(facts),
		'```',
		'',
	].join('\n');
}

const LONGEST_CELL = 2000;

/** Text that cannot leave its cell, whatever is in it. */
function cell(text: string): string {
	const line = text.slice(0, LONGEST_CELL).replace(/\s+/g, ' ');
	return line.replace(/[\\|<>`[\]]/g, (mark) => `\\${mark}`) || '–';
}
