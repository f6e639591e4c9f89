import { describe } from 'node:test';
import { parseArgs } from 'node:util';

import { DateTime } from 'luxon';

import { missingBrowser } from '../browser.ts';
import { missingCompiler, N8N_LINES, type N8nLine } from '../install.ts';
import { refuseWithout } from '../requirements.ts';
import { cleanUpOnSignals } from '../tools.ts';
import { alertTests } from './alerts.ts';
import { credentialTests } from './credential.ts';
import { editorTests } from './editor.ts';
import { exampleTests, migrationTests } from './examples.ts';
import { TIMEZONE, versionOf, useLab, type Lab } from './lab.ts';
import { mcpTests } from './mcp.ts';
import { nodeTests } from './nodes.ts';
import { schemaTests } from './schema.ts';
import { sessionTriggerTests } from './sessionTrigger.ts';
import { startTests } from './start.ts';
import { toolTests } from './tool.ts';
import { triggerTests } from './trigger.ts';
import { userTests } from './user.ts';

const HELP = `npm run test:n8n                     tries the packed package in real n8n, old and new

  --line 1|2      only this line of n8n; may be repeated
  --night         what only the nightly run tries, too: session events, and all of it but the editor in n8n 1
  --part NAME     only this part: PARTS; may be repeated
  --at HH:MM      by a clock, of the tests and of n8n, that says so now in the workflows' time zone
  --waiting       only the parts that mostly wait for the next poll, so that they can run beside other work
  --working       only the others`;

interface Part {
	name: string;
	says: string;
	/** The lines of n8n to test it in. */
	lines: readonly N8nLine[];
	/** The lines to test it in with `--night`. */
	atNight?: readonly N8nLine[];
	/** Whether it mostly waits for the next poll. */
	waits?: boolean;
	define: (lab: () => Lab) => void;
}

const PARTS: readonly Part[] = [
	// First, in an n8n as a beginner finds it: the others leave credentials and sessions of all kinds behind.
	{ name: 'editor', says: 'Editor', lines: ['2'], define: editorTests },
	{ name: 'credential', says: 'Credential', lines: N8N_LINES, define: credentialTests },
	{ name: 'nodes', says: 'Each node once', lines: ['1'], define: nodeTests },
	{ name: 'examples', says: 'Examples', lines: ['2'], atNight: N8N_LINES, define: exampleTests },
	{ name: 'migration', says: 'Move to n8n 3', lines: ['2'], define: migrationTests },
	{
		name: 'alerts',
		says: 'Examples that start by themselves',
		lines: ['2'],
		atNight: N8N_LINES,
		waits: true,
		define: alertTests,
	},
	{ name: 'trigger', says: 'Charging Station Status Trigger', lines: N8N_LINES, waits: true, define: triggerTests },
	{ name: 'schema', says: 'Fields shown before the first run', lines: ['2'], define: schemaTests },
	{ name: 'start', says: 'npm start', lines: ['2'], define: startTests },
	{ name: 'user', says: 'Signed-in user', lines: ['2'], atNight: N8N_LINES, define: userTests },
	{
		name: 'session-trigger',
		says: 'Charging Session Events Trigger',
		lines: [],
		atNight: N8N_LINES,
		waits: true,
		define: sessionTriggerTests,
	},
	{ name: 'tool', says: 'Tools of an AI agent', lines: ['2'], atNight: N8N_LINES, define: toolTests },
	{ name: 'mcp', says: 'Tools of an MCP client', lines: ['2'], atNight: N8N_LINES, define: mcpTests },
];

const { values } = parseArgs({
	options: {
		line: { type: 'string', multiple: true },
		part: { type: 'string', multiple: true },
		waiting: { type: 'boolean', default: false },
		working: { type: 'boolean', default: false },
		at: { type: 'string' },
		night: { type: 'boolean', default: false },
		help: { type: 'boolean', default: false },
	},
});

/** Sets the clock of this process, and of each n8n that it starts. */
async function setClock(time: string): Promise<void> {
	process.env.CLOCK_OFFSET = String(DateTime.fromISO(time, { zone: TIMEZONE }).toMillis() - Date.now());
	await import('../clock.ts');
}

async function main(): Promise<void> {
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
	const linesOf = ({ lines, atNight }: Part) => (values.night && atNight) || lines;
	const isAskedFor = ({ name, waits = false }: Part) =>
		(values.part?.includes(name) ?? true) && !(waits ? values.working : values.waiting);
	const partsOf = (line: N8nLine) => PARTS.filter((part) => linesOf(part).includes(line) && isAskedFor(part));
	const browser = lines.some((line) => partsOf(line).some(({ name }) => name === 'editor')) ? missingBrowser() : [];
	if (refuseWithout([...missingCompiler(lines), ...browser])) return;
	cleanUpOnSignals();
	if (values.at !== undefined) await setClock(values.at);
	for (const line of lines) {
		const parts = partsOf(line);
		if (parts.length === 0) continue;
		void describe(`n8n ${versionOf(line)}`, () => {
			const lab = useLab(line);
			for (const { says, define } of parts) void describe(says, () => define(lab));
		});
	}
}

await main();
