/** What belongs to a node, an operation or an option. Each sentence that is missing names the file and what to add there. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

import fastGlob from 'fast-glob';
import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';

import { prepare } from '../../support/harness.ts';
import { descriptions, entriesOf } from '../../support/nodes.ts';

interface Node {
	description: INodeTypeDescription;
	/** `nodes/<Node>` */
	folder: string;
	/** The `.node.ts` */
	file: string;
	/** The page that the codex file leads to, or an empty text. */
	page: string;
}

const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
/** A name may go on in the next line. */
const inOneLine = (text: string) => text.replaceAll(/\s+/g, ' ');
/** What n8n's own search must find; tested in a real n8n only. */
const SEARCH = 'test/n8n/e2e/editor.ts';
let nodes: Node[];

beforeAll(async () => {
	const files = fastGlob.sync('nodes/*/*.node.ts');
	nodes = (await descriptions()).map((description) => {
		const ending = `/${description.name}.node.ts`.toLowerCase();
		const file = files.find((path) => path.toLowerCase().endsWith(ending));
		if (!file) throw new Error(`The node ${description.name} has no file ${description.name}.node.ts`);
		const url = description.codex?.resources?.primaryDocumentation?.[0]?.url ?? '';
		return { description, folder: dirname(file), file, page: /docs\/[^#]+/.exec(url)?.[0] ?? '' };
	});
});

/** Sentences for what is not there. */
const lacking = (...parts: Array<[isThere: unknown, sentence: string]>) =>
	parts.filter(([isThere]) => !isThere).map(([, sentence]) => sentence);

it('a node has a codex file with words to find it by, a page, an icon, and tests', () => {
	const searched = /const ALL = \[[^\]]*\]/.exec(read(SEARCH))?.[0] ?? '';
	const missing = nodes.flatMap(({ description, folder, file, page }) => {
		const { displayName, codex, iconUrl } = description;
		// n8n's search drops the word, where a trigger has more than one event.
		const found = [displayName, displayName.replace(/ Trigger$/, '')];
		// n8n's loader makes addresses of the files.
		const icons = typeof iconUrl === 'object' ? Object.values(iconUrl) : [];
		return lacking(
			[codex?.alias?.length, `${file.replace(/ts$/, 'json')}: add "alias", the words to find the node by.`],
			[
				existsSync(page),
				`docs: add a page, or a part of one, for the node, and its address to the codex file in ${folder}.`,
			],
			[icons.length === 2, `${file}: add icon: { light, dark }, files in icons/.`],
			[existsSync(`test/engine/${basename(folder)}`), `test/engine: add a folder ${basename(folder)}.`],
			[found.some((name) => searched.includes(`'${name}'`)), `${SEARCH}: add '${found[1]}' to ALL.`],
		);
	});
	expect(missing).toEqual([]);
});

it('an operation has a subtitle, a hint for builders, and its place on the page of the node', async () => {
	const missing: string[] = [];
	for (const { description, folder, file, page } of nodes) {
		const hint = JSON.stringify(description.builderHint ?? '');
		for (const { name, value } of entriesOf(description, 'operation')) {
			const operation = String(value);
			missing.push(
				...lacking(
					[
						await subtitleOf(description, operation),
						`${file}: the subtitle has no words for the operation ${operation}.`,
					],
					[
						isNamed(hint, operation) || isNamed(hint, name),
						`${folder}/builderHint.ts: say what the operation ${operation} is for.`,
					],
					[inOneLine(read(page)).includes(name), `${page}: describe the operation *${name}*.`],
				),
			);
		}
	}
	expect(missing).toEqual([]);
});

/** Whether a text has a name, not only as a part of another: `get` of `getAll`. */
const isNamed = (text: string, name: string) => new RegExp(`\\b${name}\\b(?! Many)`).test(text);

/** The subtitle that n8n shows for a node with this operation. */
async function subtitleOf({ name, subtitle = '' }: INodeTypeDescription, operation: string): Promise<unknown> {
	const { workflow, node } = await prepare({ type: name, parameters: { operation }, credential: {} });
	return workflow.expression.getSimpleParameterValue(node, subtitle, 'internal', {});
}

it('an option is described in docs, on any page, and what is declared is used', () => {
	const pages = inOneLine(fastGlob.sync('docs/**/*.md').map(read).join('\n'));
	const sources = fastGlob.sync('nodes/**/*.ts', { ignore: ['**/builderHint.ts'] });
	const source = sources.map(read).join('\n');
	const isUsed = (name: string) => [...source.matchAll(new RegExp(`\\b${name}\\b`, 'g'))].length > 1;
	const missing = nodes.flatMap(({ description: { properties }, folder, page }) => {
		const options = properties.flatMap(({ name, options: inside }) => (name === 'options' ? inside : []));
		const declared = [...properties, ...(options as INodeProperties[])].filter(
			({ name, type }) => type !== 'notice' && type !== 'hidden' && name !== 'pollTimes',
		);
		return [
			...(options as INodeProperties[]).flatMap(({ displayName }) => {
				const label = displayName.replace(/ Names? or IDs?$/, '');
				return lacking([pages.includes(label), `${page}: say what the option *${label}* does.`]);
			}),
			...declared.flatMap(({ name }) =>
				lacking([isUsed(name), `${folder}: the parameter ${name} is declared, but nothing uses its value.`]),
			),
		];
	});
	expect(missing).toEqual([]);
});
