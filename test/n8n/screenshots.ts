import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';

import startCase from 'lodash/startCase.js';
import type { INode } from 'n8n-workflow';
import type { Page } from 'playwright-core';

import {
	byTestId,
	closeNode,
	executeNode,
	openBrowser,
	openEditor,
	openNode,
	openWorkflow,
	parameterPicture,
	THEMES,
	type Theme,
} from './browser.ts';
import { N8nClient, type WorkflowFile } from './client.ts';
import { connect, CREDENTIAL_TYPE, exampleFiles, EXAMPLES, startShowcase, type Showcase } from './showcase.ts';
import { endWith, withCleanup, type Later, type Log } from './tools.ts';

const HELP = `npm run screenshots -- --out FOLDER   pictures of the nodes' panels in the editor, light and dark

  --workflow FILE   an example to open; may be repeated (all of examples/, and each node without any settings)
  --node NAME       a node without any settings, for instance chargingSessions; may be repeated
  --theme THEME     light or dark only
  --run             also execute each node and take a picture of the whole panel with its output
  --url URL --email ADDRESS --password TEXT
                    an n8n that is running already ("npm start" prints all three); otherwise one is started`;

const PACKAGE = 'n8n-nodes-charging-network.';
const TRIGGER = 'n8n-nodes-base.manualTrigger';

const { values } = parseArgs({
	options: {
		out: { type: 'string' },
		workflow: { type: 'string', multiple: true },
		node: { type: 'string', multiple: true },
		theme: { type: 'string' },
		run: { type: 'boolean', default: false },
		url: { type: 'string' },
		email: { type: 'string' },
		password: { type: 'string' },
		help: { type: 'boolean', default: false },
	},
});

const log: Log = (line) => console.log(line);

/** The n8n to take pictures of, and what is needed to make an imported workflow run in it. */
type Target = Pick<Showcase, 'credential'> & { n8n: N8nClient; address: string };

interface Subject {
	/** First part of the pictures' names. */
	name: string;
	workflow: WorkflowFile;
}

async function target(later: Later): Promise<Target> {
	const { url, email, password } = values;
	if (url === undefined) {
		const showcase = await startShowcase({
			log,
			later,
			timezone: 'Europe/Berlin',
			platform: { sessions: 20_000, stations: 250 },
		});
		return { ...showcase, address: showcase.platform.baseUrl };
	}
	if (!email || !password) throw new Error('--url needs --email and --password: "npm start" prints all three.');
	const n8n = new N8nClient(url.replace(/\/$/, ''), { email, password });
	await n8n.logIn();
	const credentials = await n8n.request<{ id: string; name: string; type: string }[]>('GET', '/credentials');
	const credential = credentials.find(({ type }) => type === CREDENTIAL_TYPE);
	if (!credential) throw new Error('That n8n has no Charging Network credential.');
	return { n8n, credential: { id: credential.id, name: credential.name }, address: '' };
}

function subjects(): Subject[] {
	const everything = !values.workflow && !values.node;
	const files = values.workflow ?? (everything ? exampleFiles().map((file) => join(EXAMPLES, file)) : []);
	const nodes = values.node ?? (everything ? packageNodes() : []);
	return [
		...nodes.map((node) => ({ name: node, workflow: bareWorkflow(node) })),
		...files.map((file) => ({
			name: basename(file, '.json'),
			workflow: JSON.parse(readFileSync(file, 'utf8')) as WorkflowFile,
		})),
	];
}

/** The internal names of the package's nodes: "dist/nodes/A/ChargingSessions.node.js" is chargingSessions. */
function packageNodes(): string[] {
	const { n8n } = JSON.parse(readFileSync('package.json', 'utf8')) as { n8n: { nodes: string[] } };
	return n8n.nodes
		.map((file) => basename(file, '.node.js'))
		.map((name) => name.charAt(0).toLowerCase() + name.slice(1));
}

/** A workflow with one node as it is right after it was added. */
function bareWorkflow(node: string): WorkflowFile {
	const name = startCase(node);
	const make = (title: string, type: string, x: number): INode => ({
		id: title,
		name: title,
		type,
		typeVersion: 1,
		position: [x, 0],
		parameters: {},
	});
	const added: INode = {
		...make(name, PACKAGE + node, 240),
		credentials: { [CREDENTIAL_TYPE]: { id: '', name: '' } },
	};
	if (/trigger$/i.test(node)) return { name: node, nodes: [added], connections: {} };
	const connections = { Start: { main: [[{ node: name, type: 'main' as const, index: 0 }]] } };
	return { name: node, nodes: [make('Start', TRIGGER, 0), added], connections };
}

async function photograph(
	page: Page,
	{ n8n }: Target,
	{ name, workflow }: Subject,
	id: string,
	theme: Theme,
): Promise<void> {
	const out = values.out ?? '';
	const take = async (part: string, picture: (file: string) => Promise<unknown>) => {
		const file = join(out, `${name}-${part}-${theme}.png`);
		await picture(file);
		log(file);
	};
	await openWorkflow(page, n8n, id);
	await take('canvas', (file) => page.screenshot({ path: file }));
	for (const node of workflow.nodes.filter(({ type }) => type.startsWith(PACKAGE))) {
		const part = node.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
		await openNode(page, node.name);
		await take(part, (file) => parameterPicture(page, file));
		if (values.run) {
			await executeNode(page);
			await take(`${part}-output`, (file) => page.locator(byTestId('ndv')).screenshot({ path: file }));
		}
		await closeNode(page);
	}
}

async function main(): Promise<number> {
	const out = values.out;
	if (values.help || !out) {
		log(HELP);
		return values.help ? 0 : 1;
	}
	mkdirSync(out, { recursive: true });
	return await withCleanup(async (later) => {
		const browser = await openBrowser();
		later(() => browser.close());
		const where = await target(later);
		const imported = [];
		for (const subject of subjects()) {
			const id = await where.n8n.importWorkflow(connect(subject.workflow, where.credential, where.address));
			imported.push({ subject, id });
		}
		for (const theme of THEMES.filter((candidate) => !values.theme || candidate === values.theme)) {
			const page = await openEditor(browser, where.n8n, theme);
			for (const { subject, id } of imported) await photograph(page, where, subject, id, theme);
			await page.context().close();
		}
		return 0;
	});
}

await endWith(main);
