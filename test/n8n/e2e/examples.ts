import assert from 'node:assert/strict';
import { it } from 'node:test';

import { checkExample, filesToCheck } from '../check.ts';
import { TIMEZONE, type Lab } from './lab.ts';

/** Runs every file in examples/ once, as a user who imported it does, and compares with SQL on the stand-in's rows. */
export function exampleTests(lab: () => Lab): void {
	for (const file of filesToCheck()) {
		it(file, async () => assert.deepEqual(await checkExample(lab(), TIMEZONE, file), []));
	}
}
