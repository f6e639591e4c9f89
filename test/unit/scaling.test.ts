import { readFileSync } from 'node:fs';

import { TABLES } from '../support/stationTrigger/scaling.ts';

it.each(TABLES)('docs/scaling.md has the figures that the tests measure: %#', (table) => {
	expect(readFileSync('docs/scaling.md', 'utf8')).toContain(table);
});
