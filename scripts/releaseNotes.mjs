// Prints what CHANGELOG.md says of a version that is released: node scripts/releaseNotes.mjs 0.1.0
// Fails where it says nothing, or has no date for it yet.

import { readFileSync } from 'node:fs';

const version = process.argv[2];
const sections = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8').split(/^## /m);
const section = sections.find((text) => text.startsWith(`[${version}] - `));
if (!section || !/^\[.*?\] - \d{4}-\d\d-\d\d\n/.test(section)) {
	console.error(`CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD".`);
	process.exit(1);
}
console.log(section.slice(section.indexOf('\n')).trim());
