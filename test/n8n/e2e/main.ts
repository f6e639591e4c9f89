import { describe } from 'node:test';
import { parseArgs } from 'node:util';

import { missingBrowser } from '../browser.ts';
import { missingCompiler, N8N_LINES, type N8nLine } from '../install.ts';
import { refuseWithout } from '../requirements.ts';
import { cleanUpOnSignals } from '../tools.ts';
import { alertTests } from './alerts.ts';
import { credentialTests } from './credential.ts';
import { editorTests } from './editor.ts';
import { exampleTests } from './examples.ts';
import { versionOf, useLab, type Lab } from './lab.ts';
import { nodeTests } from './nodes.ts';
import { triggerTests } from './trigger.ts';

const HELP = `npm run test:n8n                     tries the packed package in real n8n, old and new

  --line 1|2      only this line of n8n; may be repeated
  --part NAME     only this part: PARTS; may be repeated
  --waiting       only the parts that mostly wait for the next poll, so that they can run beside other work
  --working       only the others`;

interface Part {
	name: string;
	says: string;
	/** The lines of n8n to test it in. */
	lines: readonly N8nLine[];
	/** Whether it mostly waits for the next poll. */
	waits?: boolean;
	define: (lab: () => Lab) => void;
}

const PARTS: readonly Part[] = [
	// First, in an n8n as a beginner finds it: the others leave credentials and sessions of all kinds behind.
	{ name: 'editor', says: 'Editor', lines: ['2'], define: editorTests },
	{ name: 'credential', says: 'Credential', lines: N8N_LINES, define: credentialTests },
	{ name: 'nodes', says: 'Each node once', lines: N8N_LINES, define: nodeTests },
	{ name: 'examples', says: 'Examples', lines: ['2'], define: exampleTests },
	{ name: 'alerts', says: 'Examples that start by themselves', lines: ['2'], waits: true, define: alertTests },
	{ name: 'trigger', says: 'Charging Station Status Trigger', lines: N8N_LINES, waits: true, define: triggerTests },
];

const { values } = parseArgs({
	options: {
		line: { type: 'string', multiple: true },
		part: { type: 'string', multiple: true },
		waiting: { type: 'boolean', default: false },
		working: { type: 'boolean', default: false },
		help: { type: 'boolean', default: false },
	},
});

function main(): void {
	const names = PARTS.map(({ name }) => name);
	const unknown = [
		...(values.line ?? []).filter((line) => !N8N_LINES.some((known) => known === line)),
		...(values.part ?? []).filter((part) => !names.includes(part)),
	];
	if (values.help || unknown.length > 0) {
		if (unknown.length > 0) console.error(`There is no ${unknown.join(', no ')}.\n`);
		console.log(HELP.replace('PARTS', names.join(', ')));
		process.exitCode = unknown.length > 0 ? 1 : 0;
		return;
	}
	const lines = N8N_LINES.filter((known) => values.line?.includes(known) ?? true);
	const isAskedFor = ({ name, waits = false }: Part) =>
		(values.part?.includes(name) ?? true) && !(waits ? values.working : values.waiting);
	const partsOf = (line: N8nLine) => PARTS.filter((part) => part.lines.includes(line) && isAskedFor(part));
	const browser = lines.some((line) => partsOf(line).some(({ name }) => name === 'editor')) ? missingBrowser() : [];
	if (refuseWithout([...missingCompiler(lines), ...browser])) return;
	cleanUpOnSignals();
	for (const line of lines) {
		const parts = partsOf(line);
		if (parts.length === 0) continue;
		void describe(`n8n ${versionOf(line)}`, () => {
			const lab = useLab(line);
			for (const { says, define } of parts) void describe(says, () => define(lab));
		});
	}
}

main();
