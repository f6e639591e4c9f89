/** What the pages quote is there: messages of the nodes, and labels of panels. */

import { readFileSync } from 'node:fs';
import fastGlob from 'fast-glob';
import escapeRegExp from 'lodash/escapeRegExp';
import type { INodeProperties, INodePropertyCollection, INodePropertyMode, INodePropertyOptions } from 'n8n-workflow';

import { loadPackage } from '../../support/harness.ts';

/** The texts of the product. What is filled in is `*`; texts that are put together over several lines are one. */
const SOURCES = fastGlob
	.sync('{nodes,credentials}/**/*.ts')
	.map((file) => readFileSync(file, 'utf8'))
	.join('\n')
	.replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '*')
	.replace(/['`"] \+\s*['`"]/g, '')
	.replace(/\\'/g, "'");

const FEWEST_WORDS = 3;
const MOST_FILLED_IN = 0.4;

/** Whether a message of the product has these words: at least three in a row, but for what is filled in. */
function isSaid(fragment: string): boolean {
	const words = fragment.split(' ');
	let filledIn = 0;
	for (let at = 0; at < words.length; ) {
		let end = words.length;
		while (end - at >= FEWEST_WORDS && !SOURCES.includes(words.slice(at, end).join(' '))) end--;
		const isThere = end - at >= FEWEST_WORDS;
		filledIn += isThere ? 0 : 1;
		at = isThere ? end : at + 1;
	}
	return SOURCES.includes(fragment) || filledIn <= words.length * MOST_FILLED_IN;
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
	'Additional Fields',
	'Aggregation',
	'Append or Update Row',
	'Bearer Auth',
	'Call n8n Workflow Tool',
	'Cell Format',
	'Combine By',
	'Community nodes',
	'Continue (using error output)',
	'Create data table',
	'Create new credential',
	'Custom',
	'Data tables',
	'Download raw file',
	'Do not save',
	'Error Workflow',
	'Execute Once',
	'Execute Sub-workflow',
	'Execute step',
	'Execute workflow',
	'Executions',
	'Fetch Test Event',
	'Fields To Match Have Different Names',
	'Fields to Split By',
	'File not found',
	'From Text/CSV',
	'From file',
	'From scratch',
	'If Row Does Not Exist',
	'Import',
	'Import CSV',
	'Import from File',
	'Inactive',
	'Include Other Input Fields',
	'Input 1 Field',
	'Input 2 Field',
	'Insert',
	'Insert or Update',
	'Install',
	'Install a community node',
	'Let Google Sheets format',
	'Let n8n format',
	'Let the model define this parameter',
	'Max. Tries',
	'Migration Report',
	'More details',
	'Not known',
	'On Error',
	'Output Type',
	'Overview',
	'Parameter "Date" is required',
	'Parse Mode',
	'Predefined Credential Type',
	'Previous Executions',
	'Quiet stations',
	'Remove Duplicates',
	'SQLITE_ERROR',
	'Send and Wait for Response',
	'Set Manually',
	'Simplify',
	'Specific Domains',
	'Tool Description',
	'Trigger Interval',
	'Trigger at Day of Month',
	'Trigger at Hour',
	'Upsert',
	'Wait Between Tries',
	'With an end (%)',
	'Workflow could not be published',
	'XLSX',
]);

type Entry = INodeProperties | INodePropertyMode | INodePropertyOptions | INodePropertyCollection;

/** All names that a panel shows, also without what stands behind them in brackets, or "Names or IDs". */
function* namesIn(entries: readonly Entry[]): Generator<string> {
	for (const entry of entries) {
		for (const name of [
			'displayName' in entry ? entry.displayName : entry.name,
			'action' in entry ? entry.action : '',
		]) {
			if (name) yield name;
		}
		yield* namesIn([
			...(('options' in entry ? entry.options : undefined) ?? []),
			...('values' in entry ? entry.values : []),
			...(('modes' in entry ? entry.modes : undefined) ?? []),
		]);
	}
}

/** The names of workflows and nodes in the examples. */
function* namesInExamples(): Generator<string> {
	for (const file of fastGlob.sync('examples/*.json')) {
		const { name, nodes } = JSON.parse(readFileSync(file, 'utf8')) as { name: string; nodes: Array<{ name: string }> };
		yield name;
		for (const node of nodes) yield node.name;
	}
}

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

const PAGES = fastGlob.sync('{README.md,SECURITY.md,docs/**/*.md,examples/README.md}');

describe('labels in italics are names that a panel shows', () => {
	let names: string;

	beforeAll(async () => {
		const { nodeTypes, credentialTypes } = await loadPackage();
		const nodes = Object.values(nodeTypes).flatMap(({ type }) =>
			'description' in type && 'properties' in type.description ? type.description : [],
		);
		const credentials = Object.values(credentialTypes).map(({ type }) => type);
		const all = [...nodes, ...credentials].flatMap(({ displayName, properties }) => [
			displayName,
			...namesIn(properties),
		]);
		names = [...all, ...namesInExamples()].join('|');
	});

	/** Whole words of a name, in any case. n8n writes "On" before an event, and counts entries. */
	function isPartOfName(label: string): boolean {
		const words = escapeRegExp(label.replace(/^On | \d+$/g, ''));
		return new RegExp(`(?<!\\w)${words}(?!\\w)`, 'i').test(names);
	}

	it.each(PAGES)('%s', (page) => {
		const isName = (label: string) =>
			OF_OTHERS.has(label) || LIVE.test(label) || SOURCES.includes(label) || isPartOfName(label);
		expect(labelsIn(page).filter((label) => !isName(label))).toEqual([]);
	});
});
