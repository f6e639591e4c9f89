import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import fastGlob from 'fast-glob';

const PAGES = fastGlob.sync(['*.md', 'docs/**/*.md', 'examples/*.md']);
const read = (page: string) => readFileSync(page, 'utf8');

/** The anchors that GitHub gives to headings, and those set by hand. */
function anchorsOf(text: string): Set<string> {
	const prose = text.replaceAll(/^```[^]*?^```/gm, '');
	const headings = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
		heading
			.toLowerCase()
			.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
			.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
			.replaceAll(' ', '-'),
	);
	return new Set([...headings, ...[...prose.matchAll(/<a name="([^"]+)"/g)].map(([, name = '']) => name)]);
}

function linksOf(text: string): string[] {
	const written = [...text.matchAll(/\]\(([^)\s]+)\)/g), ...text.matchAll(/(?:src|srcset)="([^"]+)"/g)];
	return written.map(([, target = '']) => target).filter((target) => !/^[a-z]+:/.test(target));
}

const RAW = 'https://raw.githubusercontent.com/charging-network/n8n-nodes-charging-network/main/';

it('npm shows the pictures of the README: their addresses are absolute, and each file is here', () => {
	const pictures = [...read('README.md').matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, address = '']) => address);
	expect(pictures.filter((address) => !address.startsWith(RAW))).toEqual([]);
	expect(pictures.filter((address) => !existsSync(address.replace(RAW, '')))).toEqual([]);
	expect(pictures.length).toBeGreaterThan(0);
});

it.each(PAGES)('%s has no broken links', (page) => {
	const broken = linksOf(read(page)).filter((link) => {
		const [path = '', anchor] = link.split('#');
		const file = path === '' ? page : join(dirname(page), path);
		return !existsSync(file) || (anchor !== undefined && !anchorsOf(read(file)).has(anchor));
	});
	expect(broken).toEqual([]);
});

it('each node and credential links to documentation that exists', () => {
	const files = fastGlob.sync(['nodes/**/*.node.json', 'nodes/**/*.ts', 'credentials/*.ts']);
	const links = files.flatMap((file) =>
		[...read(file).matchAll(/github\.com\/charging-network\/[\w-]+([^"'\s]*)/g)].map(([, target = '']) => ({
			file,
			target,
		})),
	);
	const linking = new Set(links.map(({ file }) => file));
	const mustLink = fastGlob.sync(['nodes/**/*.node.json', 'credentials/*.ts']);
	expect(mustLink.filter((file) => !linking.has(file))).toEqual([]);
	const broken = links.filter(({ target }) => {
		const [path = '', anchor] = target
			.replace(/^\/blob\/main\//, '')
			.replace('?tab=readme-ov-file', 'README.md')
			.split('#');
		return !existsSync(path) || (anchor !== undefined && !anchorsOf(read(path)).has(anchor));
	});
	expect(broken).toEqual([]);
});

it('every example is listed once in examples/README.md', () => {
	const listed = linksOf(read('examples/README.md')).filter((link) => link.endsWith('.json'));
	expect([...listed].sort()).toEqual(fastGlob.sync('*.json', { cwd: 'examples' }).sort());
});
