import { describe } from 'node:test';
import { parseArgs } from 'node:util';

import { N8N_LINES, type N8nLine } from '../install.ts';
import { openBrowser, openEditor } from '../panel.ts';
import { startPair, startShowcase, type Pair } from '../showcase.ts';
import { agentTests } from './agent.ts';
import { chatTests } from './chats.ts';
import { credentialTests } from './credential.ts';
import { editorTests, firstAlertTests } from './editor.ts';
import { exampleTests } from './examples.ts';
import { oddRowTests } from './oddRows.ts';
import { onErrorTests } from './onError.ts';
import { triggerTests } from './trigger.ts';

const IN_BOTH = {
	credential: credentialTests,
	examples: exampleTests,
	oddRows: oddRowTests,
	onError: onErrorTests,
	agent: agentTests,
	chats: chatTests,
	trigger: triggerTests,
};
const PARTS = [...Object.keys(IN_BOTH), 'editor', 'firstAlert'];

const HELP = `npm run test:n8n      tries the packed package in real n8n, old and new

  --line 1|2          only this line of n8n
  --part NAME         only this part: ${PARTS.join(', ')} (the last two: in 2 only)`;

const { values } = parseArgs({ options: { line: { type: 'string' }, part: { type: 'string' } } });
const lines = N8N_LINES.filter((line) => line === (values.line ?? line));
const parts = PARTS.filter((part) => part === (values.part ?? part));
if (lines.length === 0 || parts.length === 0) {
	console.error(HELP);
	process.exit(1);
}

const editorOf = async ({ n8n }: Pair) => await openEditor(await openBrowser(), n8n, 'light');

async function showcaseTests(line: N8nLine): Promise<void> {
	const showcase = await startShowcase(line);
	const page = line === '2' && parts.includes('editor') ? await editorOf(showcase) : undefined;
	if (page) void describe('editor', () => editorTests(showcase, page));
	for (const [name, define] of Object.entries(IN_BOTH)) {
		if (parts.includes(name)) void describe(name, () => define(showcase));
	}
}

// Much of it is waiting for the next poll, so all of them run side by side.
void describe('n8n', { concurrency: true }, () => {
	if (lines.includes('2') && parts.includes('firstAlert')) {
		void describe('first alert', { concurrency: 1 }, async () => {
			const pair = await startPair('2');
			firstAlertTests(pair, await editorOf(pair));
		});
	}
	if (values.part === 'firstAlert') return;
	for (const line of lines) void describe(`n8n ${line}`, { concurrency: 1 }, async () => await showcaseTests(line));
});
