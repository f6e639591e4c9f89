import { readFileSync } from 'node:fs';

import fastGlob from 'fast-glob';
import { DateTime } from 'luxon';
import type { IDataObject, INode, IWorkflowBase } from 'n8n-workflow';

import { evaluate, fieldOf } from '../support/expression';

/**
 * Nodes of n8n-nodes-base and @n8n/n8n-nodes-langchain that n8n 3 removes, according to the migration report of
 * n8n 2.41, which `npm run test:n8n` asks as well.
 */
const REMOVED_NODES = new Set([
	...[
		'aiTransform',
		'cron',
		'function',
		'functionItem',
		'htmlExtract',
		'iCal',
		'interval',
		'itemLists',
		'moveBinaryData',
	],
	...['openAi', 'readBinaryFile', 'readBinaryFiles', 'readPDF', 'workflowTrigger', 'writeBinaryFile'],
	...['code', 'documentBinaryInputLoader', 'documentJsonInputLoader', 'lmOpenAi', 'manualChatTrigger'].map(langchain),
	...['memoryChatRetriever', 'openAiAssistant', 'toolHttpRequest', 'toolSerpApi', 'vectorStoreInMemoryInsert'].map(
		langchain,
	),
	...['vectorStoreInMemoryLoad', 'vectorStorePineconeInsert', 'vectorStorePineconeLoad'].map(langchain),
	...['vectorStoreSupabaseInsert', 'vectorStoreSupabaseLoad'].map(langchain),
]);
const REMOVED_HELPERS = ['$getPairedItem', '$evaluateExpression'];
/** Nodes that can have more than one output: n8n 3 changes what *Always Output Data* does there. */
const SEVERAL_OUTPUTS = new Set(['if', 'switch', 'compareDatasets', 'splitInBatches', 'textClassifier']);
/** Nodes that send: mail, chat, tickets, files, sheets. */
const SENDING = new Set(['emailSend', 'slack', 'httpRequest', 'googleSheets']);
/** Nodes that start a workflow, and those of them that a person or another workflow starts. */
const STARTS = /trigger$|^webhook$/i;
const STARTED = /^(manualTrigger|executeWorkflowTrigger)$/;

function langchain(name: string): string {
	return `langchain.${name}`;
}

/** The node type without its package; nodes of the AI package keep `langchain.`. */
const nameOf = ({ type }: INode) => type.replace(/^n8n-nodes-base\./, '').replace(/^@n8n\/n8n-nodes-/, '');

/** What in a workflow no longer works in n8n 3, or works differently. */
function troubleIn({ nodes }: Pick<IWorkflowBase, 'nodes'>): string[] {
	return nodes.flatMap((node) => {
		const name = nameOf(node);
		const text = JSON.stringify(node.parameters);
		return [
			...(REMOVED_NODES.has(name) ? [`${node.name} is a removed node`] : []),
			...REMOVED_HELPERS.filter((helper) => text.includes(helper)).map((helper) => `${node.name} uses ${helper}`),
			...(name === 'executeWorkflow' && node.parameters.mode === 'each'
				? [`${node.name} runs once for each item`]
				: []),
			...(name === 'langchain.agent' && node.typeVersion < 2 ? [`${node.name} is an agent of version 1`] : []),
			...(node.alwaysOutputData && SEVERAL_OUTPUTS.has(name) ? [`${node.name} always outputs data`] : []),
		];
	});
}

const readWorkflow = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as IWorkflowBase;

describe.each(fastGlob.sync('examples/*.json'))('%s', (file) => {
	it('uses nothing that n8n 3 removes', () => {
		expect(troubleIn(readWorkflow(file))).toEqual([]);
	});

	it('has no optional access by a variable in an expression: n8n 2.41 may give nothing for value?.[name]', () => {
		const { nodes } = readWorkflow(file);
		expect(nodes.filter(({ parameters }) => JSON.stringify(parameters).includes('?.['))).toEqual([]);
	});

	it('has one note, which says once what has to be done before', () => {
		const { nodes } = readWorkflow(file);
		const notes = nodes.filter((node) => nameOf(node) === 'stickyNote');
		const found = notes.flatMap(({ parameters }) => JSON.stringify(parameters.content).match(/\*\*[^*]*:\*\*/g) ?? []);
		const isPublished = nodes.some((node) => STARTS.test(nameOf(node)) && !STARTED.test(nameOf(node)));
		expect(notes).toHaveLength(1);
		expect(found.filter((text) => /before|set.*up/i.test(text))).toEqual([
			isPublished ? '**Before you publish it:**' : '**Before you run it:**',
		]);
	});

	it('names credentials by an id: one that is chosen in place of null, n8n 2.41 does not save', () => {
		const used = readWorkflow(file).nodes.flatMap(({ credentials = {} }) => Object.values(credentials));
		expect(used.filter(({ id }) => id !== 'choose-yours')).toEqual([]);
	});

	it('asks whoever opens its page for a password, and its links do nothing for a link preview', () => {
		const open = readWorkflow(file).nodes.filter((node) => {
			const { authentication, options } = node.parameters as { authentication?: string; options?: IDataObject };
			if (['webhook', 'formTrigger'].includes(nameOf(node))) return authentication !== 'basicAuth';
			return nameOf(node) === 'wait' && node.parameters.resume === 'webhook' && options?.ignoreBots !== true;
		});
		expect(open.map(({ name }) => name)).toEqual([]);
	});

	it('tries again what it sends', () => {
		const sending = readWorkflow(file).nodes.filter((node) => SENDING.has(nameOf(node)));
		expect(sending.filter(({ retryOnFail }) => retryOnFail !== true).map(({ name }) => name)).toEqual([]);
	});

	it('does not rely on the memory of Remove Duplicates, which stops for good after 10,000 entries', () => {
		const remembering = readWorkflow(file).nodes.filter(
			({ type, parameters }) =>
				type === 'n8n-nodes-base.removeDuplicates' && parameters.operation === 'removeItemsSeenInPreviousExecutions',
		);
		expect(remembering).toEqual([]);
	});
});

it('stations-still-offline-daily.json: a message that every chat takes, however many and however long the names', () => {
	const text = (stations: number, name: string) =>
		evaluate(fieldOf('stations-still-offline-daily.json', 'Message', 'text'), {
			input: Array.from({ length: stations }, (_, Id) => ({ Id, Name: name })),
			now: DateTime.now(),
		}) as string;
	expect(text(2, 'Depot')).toBe('2 stations are offline:\n• Depot\n• Depot');
	expect(text(250, 'Depot').split('\n').slice(-2)).toEqual(['• Depot', 'and 230 more']);
	expect(text(250, 'x'.repeat(500)).length).toBeLessThanOrEqual(1_900);
});

it('there are few enough to choose from', () => {
	expect(fastGlob.sync('examples/*.json').length).toBeLessThanOrEqual(23);
});

it('the check finds what n8n 3 removes', () => {
	const node = (type: string, typeVersion: number, parameters: INode['parameters'] = {}): INode => ({
		id: type,
		name: type,
		type,
		typeVersion,
		position: [0, 0],
		parameters,
	});
	const workflow = {
		nodes: [
			node('n8n-nodes-base.function', 1),
			node('@n8n/n8n-nodes-langchain.code', 1),
			node('@n8n/n8n-nodes-langchain.agent', 1.7),
			node('n8n-nodes-base.executeWorkflow', 1.2, { mode: 'each' }),
			node('n8n-nodes-base.set', 3.4, { value: '={{ $getPairedItem("A", 0, 0) }}' }),
			{ ...node('n8n-nodes-base.if', 2), alwaysOutputData: true },
			node('n8n-nodes-base.code', 2),
		],
	};
	expect(troubleIn(workflow)).toHaveLength(6);
});
