// Checks that a version can be released, and prints what CHANGELOG.md says of it: node scripts/release.mjs 0.1.0 [FOLDER]
// Fails if that is nothing, or has no date yet, or if an address still has to be filled in.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const [version, folder = fileURLToPath(new URL('..', import.meta.url))] = process.argv.slice(2);
const read = (file) => readFileSync(resolve(folder, file), 'utf8');
const faults = [];

// The top-level domain .example belongs to nobody: whoever reports a vulnerability must reach a person.
for (const file of ['package.json', 'SECURITY.md', 'CODE_OF_CONDUCT.md', '.github/CODEOWNERS']) {
	const address = /[\w.+-]+@[\w.-]+\.example\b/.exec(read(file))?.[0];
	if (address) faults.push(`${file} has the address ${address}: put in one that reaches the maintainers.`);
}

const sections = read('CHANGELOG.md').split(/^## /m);
const section = sections.find((text) => text.startsWith(`[${version}] - `));
if (!section || !/^\[.*?\] - \d{4}-\d\d-\d\d\n/.test(section)) {
	faults.push(`CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD".`);
}

if (faults.length > 0) {
	console.error(faults.join('\n'));
	process.exit(1);
}
console.log(section.slice(section.indexOf('\n')).trim());
