import { describe } from 'node:test';
import { parseArgs } from 'node:util';

import { N8N_LINES, type N8nLine } from '../install.ts';
import { cleanUpOnSignals } from '../tools.ts';
import { credentialTests } from './credential.ts';
import { editorTests } from './editor.ts';
import { exampleTests } from './examples.ts';
import { firstAlertTests } from './firstAlert.ts';
import { versionOf, useLab, type Lab } from './lab.ts';
import { triggerTests } from './trigger.ts';

interface Part {
	lines: readonly N8nLine[];
	define: (lab: () => Lab) => void;
	/** It starts what it needs itself. */
	isAlone?: true;
}

const PARTS: Record<string, Part> = {
	editor: { lines: ['2'], define: editorTests },
	firstAlert: { lines: ['2'], define: firstAlertTests, isAlone: true },
	credential: { lines: N8N_LINES, define: credentialTests },
	examples: { lines: N8N_LINES, define: exampleTests },
	trigger: { lines: N8N_LINES, define: triggerTests },
};

const HELP = `npm run test:n8n                     tries the packed package in real n8n, old and new

  --line 1|2      only this line of n8n; may be repeated
  --part NAME     only this part: ${Object.keys(PARTS).join(', ')}; may be repeated`;

function main(): void {
	const { values } = parseArgs({
		options: {
			line: { type: 'string', multiple: true },
			part: { type: 'string', multiple: true },
			help: { type: 'boolean', default: false },
		},
	});
	const lines = N8N_LINES.filter((line) => values.line?.includes(line) ?? true);
	const parts = Object.entries(PARTS).filter(([name]) => values.part?.includes(name) ?? true);
	const isKnown = lines.length === (values.line ?? N8N_LINES).length && parts.length >= (values.part ?? []).length;
	if (values.help || !isKnown) {
		console.log(HELP);
		process.exitCode = values.help ? 0 : 1;
		return;
	}
	cleanUpOnSignals();
	// Much of it is waiting for the next poll, so both lines run side by side.
	void describe('n8n', { concurrency: true }, () => {
		for (const line of lines) {
			const wanted = parts.filter(([, part]) => part.lines.includes(line));
			for (const alone of [false, true])
				defineParts(
					line,
					wanted.filter(([, { isAlone = false }]) => isAlone === alone),
				);
		}
	});
}

function defineParts(line: N8nLine, parts: ReadonlyArray<[string, Part]>): void {
	if (parts.length === 0) return;
	void describe(`n8n ${versionOf(line)}`, { concurrency: false }, () => {
		const lab = parts.some(([, { isAlone }]) => !isAlone) ? useLab(line) : NO_LAB;
		for (const [name, { define }] of parts) void describe(name, { concurrency: false }, () => define(lab));
	});
}

const NO_LAB = () => {
	throw new Error('This part starts what it needs itself.');
};

main();
