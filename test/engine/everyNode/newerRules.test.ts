/**
 * Rules that n8n's tree documents and its published lint does not have yet (packages/@n8n/eslint-plugin-community-nodes/
 * docs/rules), as far as they apply here. docs/compatibility.md says where the others are held, and which do not apply.
 */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import fastGlob from 'fast-glob';
import type {
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { loadPackage } from '../../support/harness.ts';

const CATEGORIES = [
	...['Analytics', 'Communication', 'Data & Storage', 'Development', 'Finance & Accounting', 'Marketing & Content'],
	...['Miscellaneous', 'Productivity', 'Sales', 'Utility'],
];

let nodes: INodeTypeDescription[];
let credentials: Array<{ className: string; name: string; properties: INodeProperties[] }>;

beforeAll(async () => {
	const { nodeTypes, credentialTypes } = await loadPackage();
	nodes = Object.values(nodeTypes).map(({ type }) => NodeHelpers.getVersionedNodeType(type).description);
	credentials = Object.values(credentialTypes).map(({ type }) => ({ ...type, className: type.constructor.name }));
});

/** Every parameter of a panel, at every depth. */
function parametersOf(
	parts: readonly (INodeProperties | INodePropertyOptions | INodePropertyCollection)[],
): INodeProperties[] {
	return parts.flatMap((part) => {
		if ('values' in part) return parametersOf(part.values);
		return 'type' in part ? [part, ...parametersOf(part.options ?? [])] : [];
	});
}

/** The entries of each dropdown. */
const dropdowns = () =>
	nodes.flatMap(({ name: node, properties }) =>
		parametersOf(properties)
			.filter(({ type }) => type === 'options' || type === 'multiOptions')
			.map(({ name, options = [] }) => ({ at: `${node}: ${name}`, entries: options as INodePropertyOptions[] })),
	);

it('cred-class-name-suffix, cred-class-name-field-conventions, cred-filename-against-convention', () => {
	const files = fastGlob.sync('credentials/*.ts').map((file) => basename(file, '.credentials.ts'));
	expect(credentials.map(({ className }) => className).sort()).toEqual(files.sort());
	for (const { className, name } of credentials) {
		expect(className).toMatch(/Api$/);
		expect(name).toMatch(/^[a-z]\w*Api$/);
	}
});

it('node-class-description-name-camelcase, node-filename-against-convention', () => {
	const files = fastGlob.sync('nodes/*/*.node.ts').map((file) => basename(file, '.node.ts'));
	expect(nodes.map(({ name }) => name.replace(/^[a-z]/, (letter) => letter.toUpperCase())).sort()).toEqual(
		files.sort(),
	);
	for (const { name } of nodes) expect(name).toMatch(/^[a-z][a-zA-Z0-9]*$/);
});

it('no-ai-codex-category, no-codex-subcategories, no-logic-or-flow-nodes, valid-codex-categories, valid-node-categories', () => {
	for (const { codex } of nodes) {
		expect(codex?.categories?.length).toBeGreaterThan(0);
		expect(codex?.categories?.filter((category) => !CATEGORIES.includes(category))).toEqual([]);
		expect(codex?.subcategories).toBeUndefined();
	}
});

it('no-asterisk-in-option-names, no-duplicate-param-options', () => {
	const wrong = dropdowns().filter(({ entries }) => {
		const [names, values] = [entries.map(({ name }) => name), entries.map(({ value }) => value)];
		const isDouble = new Set(names).size < names.length || new Set(values).size < values.length;
		return isDouble || names.some((name) => name.includes('*'));
	});
	expect(wrong.map(({ at }) => at)).toEqual([]);
});

it('require-param-default', () => {
	const all = [...nodes, ...credentials].flatMap(({ name: owner, properties }) =>
		parametersOf(properties).map((parameter) => ({ at: `${owner}: ${parameter.name}`, parameter })),
	);
	expect(all.length).toBeGreaterThan(1000);
	expect(all.filter(({ parameter }) => parameter.default === undefined).map(({ at }) => at)).toEqual([]);
});

it('open-ended-node-fields: no JSON at the top level', () => {
	const json = nodes.flatMap(({ properties }) => properties.filter(({ type }) => type === 'json'));
	expect(json).toEqual([]);
});

it('resource-operation-pattern: at most five operations, each with an action', () => {
	for (const { properties } of nodes) {
		const { options = [] } = properties.find(({ name }) => name === 'operation') ?? {};
		const operations = options as INodePropertyOptions[];
		expect(operations.length).toBeLessThanOrEqual(5);
		expect(operations.filter(({ action }) => !action)).toEqual([]);
	}
});

it('single-credential-per-node: of several credentials one is shown', () => {
	for (const { credentials: offered = [] } of nodes) {
		if (offered.length === 1) continue;
		const shownFor = offered.map(({ displayOptions }) => displayOptions?.show?.authentication ?? []);
		expect(shownFor.map((values) => values.length)).toEqual(offered.map(() => 1));
		expect(new Set(shownFor.flat()).size).toBe(offered.length);
	}
});

describe('icon-contrast: at least one color of each icon stands out by 3:1', () => {
	const BACKGROUND = { light: '#ffffff', dark: '#2b2b2b' };

	/** The luminance that WCAG's contrast ratio compares. */
	function luminance(color: string): number {
		const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
			const channel = parseInt(color.slice(at, at + 2), 16) / 255;
			return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
		});
		return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
	}

	function contrast(a: string, b: string): number {
		const [lower = 0, higher = 0] = [luminance(a), luminance(b)].sort((one, other) => one - other);
		return (higher + 0.05) / (lower + 0.05);
	}

	it.each(fastGlob.sync('icons/*.svg'))('%s', (file) => {
		const colors = [...readFileSync(join(file), 'utf8').matchAll(/(?:fill|stroke)="(#[\da-f]{6})"/gi)];
		const background = file.endsWith('.dark.svg') ? BACKGROUND.dark : BACKGROUND.light;
		expect(Math.max(...colors.map(([, color = '']) => contrast(color, background)))).toBeGreaterThanOrEqual(3);
	});
});
