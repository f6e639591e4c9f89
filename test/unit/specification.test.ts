import { existsSync, readFileSync } from 'node:fs';

// test/specification.md says of each rule of the specification where it is in the product, and which test holds it.

const rows = readFileSync('test/specification.md', 'utf8')
	.split('\n')
	.filter((line) => line.startsWith('| ') && !/^\| (---|Rule|Part|Row|Not shown) /.test(line));

const contentOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

it.each(rows)('%s', (row) => {
	const exported = [...row.matchAll(/`((?:nodes|credentials)\/[^`]+)` (\w+)/g)];
	const tests = [...row.matchAll(/`(test\/[^`]+)` \*([^*]+)\*/g)];
	expect(exported).not.toEqual([]);
	expect(tests).not.toEqual([]);
	for (const [, file = '', name = ''] of exported) {
		expect(contentOf(file)).toMatch(new RegExp(`\\bexport\\b[^;]*\\b${name}\\b`));
	}
	for (const [, file = '', words = ''] of tests) expect(contentOf(file)).toContain(words);
});
