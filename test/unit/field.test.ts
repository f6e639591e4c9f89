import { existsSync, readFileSync } from 'node:fs';

// test/field.md says of each situation that people reported where, and which test holds what these nodes do.

const rows = readFileSync('test/field.md', 'utf8')
	.split('\n')
	.filter((line) => line.startsWith('| ') && !/^\| (---|Where) /.test(line));

const contentOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

it.each(rows)('%s', (row) => {
	expect(row).toMatch(/^\| [^|]+ (#|PR )\d+ \|/);
	const tests = [...row.matchAll(/`(test\/[^`]+)` \*([^*]+)\*/g)];
	expect(tests).not.toEqual([]);
	for (const [, file = '', words = ''] of tests) expect(contentOf(file)).toContain(words);
});
