/** What belongs to a node, an operation or an option. Each sentence that is missing names the file and what to add there. */
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

import fastGlob from 'fast-glob';
import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';

import { descriptions, entriesOf } from '../../support/nodes.ts';

/** Something that must be there, and a sentence for where it is not. */
type Part = [isThere: boolean, sentence: string];

/** A name may go on in the next line. */
const inOneLine = (file: string) => readFileSync(file, 'utf8').replaceAll(/\s+/g, ' ');
const PAGES = fastGlob.sync('docs/**/*.md').map(inOneLine).join(' ');
/** What n8n's own search must find; tested in a real n8n only. */
const SEARCH = 'test/n8n/e2e/editor.ts';
const [SEARCHED = ''] = /const ALL = \[[^\]]*\]/.exec(inOneLine(SEARCH)) ?? [];

/** The folder of a node, and the page that its codex file leads to. */
function placesOf({ name, codex }: INodeTypeDescription): { folder: string; page: string } {
	const [file = ''] = fastGlob.sync(`nodes/*/${name}.node.ts`, { caseSensitiveMatch: false });
	const url = codex?.resources?.primaryDocumentation?.[0]?.url ?? '';
	return { folder: dirname(file), page: /docs\/[^#]+/.exec(url)?.[0] ?? '' };
}

function partsOfNode(node: INodeTypeDescription): Part[] {
	const { folder } = placesOf(node);
	const tests = `test/engine/${basename(folder)}`;
	// n8n's search drops the word, where a trigger has more than one event.
	const names = [node.displayName, node.displayName.replace(/ Trigger$/, '')];
	return [
		[Boolean(node.codex?.alias?.length), `${folder}, codex file: add "alias", the words to find the node by.`],
		[fastGlob.sync(`${tests}/*`).length > 0, `${tests}: add tests.`],
		[names.some((name) => SEARCHED.includes(`'${name}'`)), `${SEARCH}: add '${names[1]}' to ALL.`],
	];
}

function partsOfOperations(node: INodeTypeDescription): Part[] {
	const { folder, page } = placesOf(node);
	const hint = node.builderHint?.searchHint ?? '';
	return entriesOf(node, 'operation').flatMap(({ name, value }): Part[] => {
		// Not only as a part of another: `get` of `getAll`.
		const isInHint = [String(value), name].some((word) => new RegExp(`\\b${word}\\b(?! Many)`).test(hint));
		return [
			[isInHint, `${folder}/builderHint.ts: say what the operation ${String(value)} is for.`],
			[inOneLine(page).includes(name), `${page}: describe the operation *${name}*.`],
		];
	});
}

function partsOfOptions(node: INodeTypeDescription): Part[] {
	const options = node.properties.flatMap(({ name, options: inside }) => (name === 'options' ? inside : []));
	return (options as INodeProperties[]).map(({ displayName }) => [
		PAGES.includes(displayName.replace(/ Names? or IDs?$/, '')),
		`${placesOf(node).page}: say what the option *${displayName}* does.`,
	]);
}

it.each([
	['a node has words to find it by, and tests', partsOfNode],
	['an operation has a hint for builders, and its place on the page of the node', partsOfOperations],
	['an option is described in docs, on any page', partsOfOptions],
])('%s', async (_, partsOf) => {
	const missing = (await descriptions()).flatMap(partsOf).filter(([isThere]) => !isThere);
	expect(missing.map(([, sentence]) => sentence)).toEqual([]);
});
