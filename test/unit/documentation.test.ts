import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import fastGlob from 'fast-glob';

const PAGES = fastGlob.sync(['*.md', 'docs/*.md']);
const read = (page: string) => readFileSync(page, 'utf8');

/** The names by which GitHub lets a link point at a heading, and those given by hand. */
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

describe.each(PAGES)('%s', (page) => {
	it('has no link that leads nowhere', () => {
		const broken = linksOf(read(page)).filter((link) => {
			const [path = '', anchor] = link.split('#');
			const file = path === '' ? page : join(dirname(page), path);
			return !existsSync(file) || (anchor !== undefined && !anchorsOf(read(file)).has(anchor));
		});
		expect(broken).toEqual([]);
	});
});

it('every picture is shown, in light and in dark', () => {
	const shown = new Set(PAGES.flatMap((page) => linksOf(read(page)).map((link) => join(dirname(page), link))));
	const pictures = fastGlob.sync('docs/images/*.png');
	const dark = (file: string) => file.replace(/(-dark)?\.png$/, '-dark.png');
	expect(pictures.filter((file) => !shown.has(file))).toEqual([]);
	expect(pictures.filter((file) => !existsSync(dark(file)))).toEqual([]);
});

it('the pictures of examples are of examples there are', () => {
	const pictures = fastGlob.sync('docs/images/examples/*').map((file) => basename(file, '.png'));
	expect(pictures.filter((name) => !existsSync(`examples/${name}.json`))).toEqual([]);
});

it('each node and credential has its documentation where n8n links to it', () => {
	const anchors = anchorsOf(read('README.md'));
	const texts = fastGlob.sync(['nodes/**/*.node.json', 'credentials/*.ts']).map(read).join();
	const linked = [...texts.matchAll(/github\.com\/charging-network\/[^"'\s]*?#([\w-]+)/g)].map(([, anchor]) => anchor);
	expect(linked.length).toBeGreaterThan(5);
	expect(linked.filter((anchor) => !anchors.has(anchor ?? ''))).toEqual([]);
});
