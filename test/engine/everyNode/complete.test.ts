/** What belongs to a node, an operation or an option. Each sentence that is missing names the file and what to add there. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

import fastGlob from 'fast-glob';
import type { INodeProperties, INodePropertyOptions, INodeTypeDescription } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { loadPackage, prepare } from '../../support/harness.ts';

interface Node {
	description: INodeTypeDescription;
	/** `nodes/<Node>` */
	folder: string;
	/** The `.node.ts` */
	file: string;
	/** The page that the codex leads to, or an empty text. */
	page: string;
}

interface Codex {
	alias?: string[];
	resources?: { primaryDocumentation?: Array<{ url: string }> };
}

/** A name may go on in the next line. */
const inOneLine = (text: string) => text.replaceAll(/\s+/g, ' ');
const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
/** What n8n's own search must find; tested in a real n8n only. */
const SEARCH = 'test/n8n/e2e/editor.ts';
let nodes: Node[];

beforeAll(async () => {
	const { nodeTypes } = await loadPackage();
	nodes = Object.entries(nodeTypes).map(([name, { type }]) => {
		const file = fastGlob
			.sync('nodes/*/*.node.ts')
			.find((path) => basename(path).toLowerCase() === `${name.toLowerCase()}.node.ts`);
		if (!file) throw new Error(`The node ${name} has no file ${name}.node.ts`);
		const codex = JSON.parse(read(file.replace(/ts$/, 'json')) || '{}') as Codex;
		const url = codex.resources?.primaryDocumentation?.[0]?.url ?? '';
		return {
			description: NodeHelpers.getVersionedNodeType(type).description,
			folder: dirname(file),
			file,
			page: /docs\/[^#]+/.exec(url)?.[0] ?? '',
		};
	});
});

it('every node is in package.json', () => {
	const files = fastGlob.sync('nodes/*/*.node.ts');
	const unlisted = files.filter((file) => !nodes.some((node) => node.file === file));
	expect(
		unlisted.map((file) => `package.json: add ${file} to n8n.nodes, as dist/${file.replace(/ts$/, 'js')}.`),
	).toEqual([]);
});

/** The operations of a node, as its dropdown has them. */
const operationsOf = ({ description }: Node) =>
	description.properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options = [] }) => options as INodePropertyOptions[]);

it('a node has a codex file with words to find it by, a page, an icon, and tests', () => {
	const searched = /const ALL = \[[^\]]*\]/.exec(read(SEARCH))?.[0] ?? '';
	const missing = nodes.flatMap(({ description, folder, file, page }) => {
		const codex = JSON.parse(read(file.replace(/ts$/, 'json')) || '{}') as Codex;
		// n8n's search drops the word, where a trigger has more than one event.
		const found = description.displayName.replace(/ Trigger$/, '');
		// n8n's loader makes addresses of the files.
		const icons = typeof description.iconUrl === 'object' ? Object.values(description.iconUrl) : [];
		return [
			...(codex.alias?.length ? [] : [`${file.replace(/ts$/, 'json')}: add "alias", the words to find the node by.`]),
			...(existsSync(page)
				? []
				: [`docs: add a page, or a part of one, for the node, and its address to the codex file in ${folder}.`]),
			...(icons.length === 2 ? [] : [`${file}: add icon: { light, dark }, files in icons/.`]),
			...(existsSync(`test/engine/${basename(folder)}`) ? [] : [`test/engine: add a folder ${basename(folder)}.`]),
			...(searched.includes(`'${found}'`) || searched.includes(`'${description.displayName}'`)
				? []
				: [`${SEARCH}: add '${found}' to ALL.`]),
		];
	});
	expect(missing).toEqual([]);
});

it('an operation has a subtitle, an output schema, a hint for builders, and its place on the page of the node', async () => {
	const missing: string[] = [];
	for (const node of nodes) {
		const { description, folder, file, page } = node;
		const schemas = fastGlob.sync(`${folder}/__schema__/**/*.json`).map((path) => basename(path, '.json'));
		const resource = description.properties.find(({ name }) => name === 'resource')?.default as string;
		const hint = JSON.stringify(description.builderHint ?? '');
		for (const { name, value } of operationsOf(node)) {
			const operation = String(value);
			const subtitle = await subtitleOf(description, operation);
			if (!subtitle) missing.push(`${file}: the subtitle has no words for the operation ${operation}.`);
			if (!schemas.includes(operation))
				missing.push(`${folder}/__schema__/v1.0.0/${resource}: add ${operation}.json, the output's schema.`);
			if (!isNamed(hint, operation) && !isNamed(hint, name))
				missing.push(`${folder}/builderHint.ts: say what the operation ${operation} is for.`);
			if (!inOneLine(read(page)).includes(name)) missing.push(`${page}: describe the operation *${name}*.`);
		}
	}
	expect(missing).toEqual([]);
});

/** Whether a text has a name, not only as a part of another: `get` of `getAll`. */
const isNamed = (text: string, name: string) => new RegExp(`\\b${name}\\b(?! Many)`).test(text);

/** The subtitle that n8n shows for a node with this operation. */
async function subtitleOf({ name, subtitle = '' }: INodeTypeDescription, operation: string): Promise<string> {
	const { workflow, node } = await prepare({ type: name, parameters: { operation }, credential: {} });
	return String(workflow.expression.getSimpleParameterValue(node, subtitle, 'internal', {}) ?? '');
}

it('an option is described in docs, on any page', () => {
	const pages = inOneLine(fastGlob.sync('docs/**/*.md').map(read).join('\n'));
	const missing = nodes.flatMap(({ description, page }) =>
		description.properties
			.filter(({ name }) => name === 'options')
			.flatMap(({ options }) => options as INodeProperties[])
			.map(({ displayName }) => displayName.replace(/ Names? or IDs?$/, ''))
			.filter((name) => !pages.includes(name))
			.map((name) => `${page}: say what the option *${name}* does.`),
	);
	expect(missing).toEqual([]);
});

it('the value of every parameter and option that a node declares is used', () => {
	const source = fastGlob
		.sync('nodes/**/*.ts', { ignore: ['**/builderHint.ts'] })
		.map(read)
		.join('\n');
	const unread = nodes.flatMap(({ description, folder }) =>
		namesIn(description.properties)
			.filter((name) => [...source.matchAll(new RegExp(`\\b${name}\\b`, 'g'))].length < 2)
			.map((name) => `${folder}: the parameter ${name} is declared, but nothing uses its value.`),
	);
	expect(unread).toEqual([]);
});

/** Read by n8n. */
const READ_OTHERWISE = ['pollTimes'];

/** Names of parameters, and of those in the Options collection, but what is only shown. */
function namesIn(properties: readonly INodeProperties[]): string[] {
	return properties
		.filter(({ name, type }) => type !== 'notice' && type !== 'hidden' && !READ_OTHERWISE.includes(name))
		.flatMap(({ name, options }) => (name === 'options' ? namesIn(options as INodeProperties[]) : [name]));
}
