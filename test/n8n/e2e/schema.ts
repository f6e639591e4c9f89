import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';

import fastGlob from 'fast-glob';

import { REPOSITORY } from '../tools.ts';
import type { Lab } from './lab.ts';

/** `nodes/<Folder>/__schema__/v1.0.0/<resource>/<operation>.json`, or `…/v1.0.0.json` for a node without operations. */
const SCHEMA_FILE = /^nodes\/(\w+)\/__schema__\/v([\d.]+)(.*)\.json$/;

/**
 * The URL where the editor finds the fields of a node that has not run. That every node and operation has a correct
 * schema is tested in test/engine/everyNode/outputSchema.test.ts.
 */
export function schemaTests(lab: () => Lab): void {
	for (const file of fastGlob.sync('nodes/*/__schema__/**/*.json', { cwd: REPOSITORY })) {
		it(`n8n serves ${file}`, async () => {
			const [, folder = '', version = '', path = ''] = SCHEMA_FILE.exec(file) ?? [];
			const node = `n8n-nodes-charging-network.${folder.charAt(0).toLowerCase()}${folder.slice(1)}`;
			const response = await fetch(`${lab().n8n.url}/schemas/${node}/${version}${path}.json`);
			assert.equal(response.status, 200);
			assert.deepEqual(await response.json(), JSON.parse(readFileSync(join(REPOSITORY, file), 'utf8')));
		});
	}
}
