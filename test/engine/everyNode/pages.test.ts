/** What the pages quote is there: messages of the nodes, and labels of panels. */

import { readFileSync } from 'node:fs';
import fastGlob from 'fast-glob';
import escapeRegExp from 'lodash/escapeRegExp';
import type { INodeProperties, IWorkflowBase } from 'n8n-workflow';

import { loadPackage } from '../../support/harness.ts';
import { descriptions, parametersOf } from '../../support/nodes.ts';

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
	// n8n's editor
	...[
		'Community nodes',
		'Create data table',
		'Create new credential',
		'Data tables',
		'Do not save',
		'Download raw file',
	],
	...['Error Workflow', 'Execute step', 'Execute workflow', 'Executions', 'Fetch Test Event', 'File not found'],
	...['From file', 'Import', 'Import CSV', 'Import from File', 'Inactive', 'Install', 'Install a community node'],
	...['Let the model define this parameter', 'Max. Tries', 'More details', 'On Error', 'Overview', 'SQLITE_ERROR'],
	...['Predefined Credential Type', 'Trigger Interval', 'Wait Between Tries', 'Workflow could not be published'],
	// its nodes
	...['Additional Fields', 'Aggregation', 'Append or Update Row', 'Cell Format', 'Combine By', 'Execute Sub-workflow'],
	...['Fields To Match Have Different Names', 'Fields to Split By', 'If Row Does Not Exist', 'Input 1 Field'],
	...['Include Other Input Fields', 'Input 2 Field', 'Insert', 'Insert or Update', 'Let n8n format', 'Output Type'],
	...['Parameter "Date" is required', 'Parse Mode', 'Send and Wait for Response', 'Set Manually', 'Tool Description'],
	...['Trigger at Day of Month', 'Trigger at Hour', 'Upsert'],
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

const PAGES = fastGlob.sync('{README.md,SECURITY.md,docs/**/*.md,examples/README.md}');

describe('labels in italics are names that a panel shows', () => {
	let names: string;

	beforeAll(async () => {
		const { credentialTypes } = await loadPackage();
		const credentials = Object.values(credentialTypes).map(({ type }) => type);
		const panels = [...(await descriptions()), ...credentials].flatMap(({ displayName, properties }) => [
			displayName,
			...parametersOf(properties).flatMap(namesOf),
		]);
		const examples = fastGlob.sync('examples/*.json').flatMap((file) => {
			const { name, nodes } = JSON.parse(readFileSync(file, 'utf8')) as IWorkflowBase;
			return [name, ...nodes.map((node) => node.name)];
		});
		names = [...panels, ...examples].join('|');
	});

	/** What a panel shows of a parameter: its label, and those of its choices. */
	const namesOf = ({ displayName, options = [], modes = [] }: INodeProperties): string[] => [
		displayName,
		...[...options, ...modes].flatMap((entry) => {
			if ('displayName' in entry) return entry.displayName;
			return 'action' in entry && entry.action ? [entry.name, entry.action] : entry.name;
		}),
	];

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
