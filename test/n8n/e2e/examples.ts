import assert from 'node:assert/strict';
import { it } from 'node:test';

import { checkExample } from '../check.ts';
import { EXPECTATIONS } from '../expectations.ts';
import { exampleFiles } from '../showcase.ts';
import { TIMEZONE, type Lab } from './lab.ts';

/** Imports every file in examples/ as a user does, runs it, and compares its output with SQL on the stand-in. */
export function exampleTests(lab: () => Lab): void {
	const files = new Set([...exampleFiles(), ...Object.keys(EXPECTATIONS)]);
	for (const file of [...files].sort()) {
		it(file, async () => {
			const findings = await checkExample(lab(), TIMEZONE, file);
			const differences = findings.flatMap(({ node, difference }) => (difference ? [`${node}: ${difference}`] : []));
			assert.deepEqual(differences, []);
			assert.notEqual(findings.length, 0, 'nothing was compared');
		});
	}
}
