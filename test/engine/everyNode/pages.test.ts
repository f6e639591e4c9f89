/** What the pages quote is there: messages of the nodes, and labels of panels. */

import { readFileSync } from 'node:fs';
import fastGlob from 'fast-glob';
import escapeRegExp from 'lodash/escapeRegExp';

import { descriptions } from '../../support/nodes.ts';

/** The texts of the product. What is filled in is `*`; texts that are put together over several lines are one. */
const SOURCES = fastGlob
	.sync('{nodes,credentials}/**/*.ts')
	.map((file) => readFileSync(file, 'utf8'))
	.join('\n')
	.replace(/^\s*(?:\/\*\*|\*|\/\/) .*$/gm, '')
	.replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '*')
	.replace(/['`"] \+\s*['`"]/g, '')
	.replace(/\\'/g, "'");

/** Whether a message of the product has these words: at least three in a row, but for some that are filled in. */
function isSaid(fragment: string): boolean {
	const words = fragment.split(' ');
	const isThere = (_: string, at: number) =>
		[at - 2, at - 1, at].some((from) => from >= 0 && SOURCES.includes(words.slice(from, from + 3).join(' ')));
	return SOURCES.includes(fragment) || words.filter(isThere).length >= words.length * 0.6;
}

/** The first column of each table under a heading of troubleshooting. */
function messages(): string[] {
	return readFileSync('docs/troubleshooting.md', 'utf8')
		.split('\n')
		.filter((line) => line.startsWith('| ') && !/^\| (?:Message|Note) \|/.test(line))
		.map((line) => line.split(' | ')[0]?.slice(2) ?? '');
}

it.each(messages().filter((message) => !/from n8n|in a dropdown/.test(message)))('a node says: %s', (message) => {
	const fragments = message
		.replace(/\([^)]*\)/g, '*')
		.split(/\*[^*]+\*|\*|…|“|”| \/ |;/)
		.map((fragment) => fragment.trim().replace(/^[,:.]\s*|\s*[,:.]$/g, ''));
	expect(fragments.filter((fragment) => fragment.length >= 8 && !isSaid(fragment))).toEqual([]);
});

/** What n8n, a spreadsheet or a chat calls something that the pages send people to. */
const OF_OTHERS = new Set([
	// n8n's editor, and other nodes
	'Append or Update',
	'Create an issue',
	'Uninstall package',
	'Transform Data',
	'Update an issue',
	'Community nodes',
	'Continue (using error output)',
	'Create data table',
	'Create new credential',
	'Data tables',
	'Do not save',
	'Download raw file',
	'Error Workflow',
	'Execute step',
	'Execute workflow',
	'Execute Query',
	'Executions',
	'Fetch Test Event',
	'File not found',
	'From file',
	'Import',
	'Import CSV',
	'Import from File',
	'Get row(s)',
	'Got it',
	'Inactive',
	'Install',
	'Install a community node',
	'Let the model define this parameter',
	'Max. Tries',
	'More details',
	'New workflow',
	'On Error',
	'Overview',
	'SQLITE_ERROR',
	'Stop Workflow',
	'Predefined Credential Type',
	'Retry On Fail',
	'Trigger Interval',
	'Wait Between Tries',
	'Workflow could not be published',
	// its nodes
	'Accept all data',
	'Additional Fields',
	'Aggregation',
	'Append or Update Row',
	'Cell Format',
	'Chat ID',
	'Combine By',
	'Email Format',
	'Execute Sub-workflow',
	'Extra Output',
	'Fallback Output',
	'Fields to Split By',
	'If Row Does Not Exist',
	'Include Other Input Fields',
	'Insert',
	'Insert or Update',
	'Let n8n format',
	'Output Type',
	'Parameter "Date" is required',
	'Parse Mode',
	'Send and Wait for Response',
	'Send a text message',
	'Set Manually',
	'Tool Description',
	'Trigger at Day of Month',
	'Trigger at Hour',
	'Upsert',
	'Using JSON',
]);

/** Fields of the platform, and entries that dropdowns make of its rows. */
const LIVE = /^(?:Code \d+|Finished|Failed|Online|Tariffs|[A-Z][a-z]+(?:[A-Z][a-z]+)+|Id)$/;

/** Texts in italics that look like a label: up to six words from a capital letter on, without the sign that ends a sentence. */
function labelsIn(page: string): string[] {
	const text = readFileSync(page, 'utf8')
		.replace(/```[\s\S]*?```|`[^`]*`|\*\*[^*]+\*\*/g, ' ')
		.replace(/\s+/g, ' ');
	return [...text.matchAll(/(?<![*\w])\*([^*…]+)\*(?!\*)/g)]
		.flatMap(([, quoted = '']) => quoted.split(/ (?:→|>) |: /))
		.filter((label) => /^[A-Z]/.test(label) && !/[.?:,]$/.test(label) && label.split(' ').length <= 6);
}

/** What the panels show, and the examples. */
let names: string;
beforeAll(async () => {
	const examples = fastGlob.sync('examples/*.json').map((file) => readFileSync(file, 'utf8'));
	names = [JSON.stringify(await descriptions()), SOURCES, ...examples].join('\n');
});

/** Whole words, in any case. n8n writes "On" before an event, and counts entries. */
function isName(label: string): boolean {
	const words = escapeRegExp(label.replace(/^On | \d+$/g, ''));
	return OF_OTHERS.has(label) || LIVE.test(label) || new RegExp(`(?<!\\w)${words}(?!\\w)`, 'i').test(names);
}

it.each(fastGlob.sync('{README.md,SECURITY.md,docs/**/*.md,examples/README.md}'))(
	'%s: labels in italics are names that a panel shows',
	(page) => {
		expect(labelsIn(page).filter((label) => !isName(label))).toEqual([]);
	},
);
