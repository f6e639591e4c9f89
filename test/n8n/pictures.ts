import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import type { INodeParameters } from 'n8n-workflow';
import type { Browser, Page } from 'playwright-core';

import { outputOf, type WorkflowFile } from './client.ts';
import { areaOf, byTestId, openBrowser, openEditor, Panel, WINDOW } from './panel.ts';
import { importFor, readExample, startPair, startShowcase, workflowOf, type Pair, type Showcase } from './showcase.ts';
import { REPOSITORY, run, runProgram } from './tools.ts';
import { chatOf, walkThrough, type Shot } from './walkThrough.ts';

/** A picture of a node's open panel. */
interface Picture {
	workflow: WorkflowFile;
	/** The node whose panel is opened, by its name in the workflow. */
	node: string;
	/** Only the filter. Otherwise the node is executed first, and its output is beside the parameters, as a table. */
	isFilter?: true;
}

const FINISHED: INodeParameters = {
	operation: 'getAll',
	returnAll: true,
	logic: 'And',
	filters: {
		status: [{ operator: 'In', values: ['4'] }],
		startedAtUtc: [{ operator: 'InPeriod', period: 'lastMonth' }],
		energyConsumed: [{ operator: 'Gt', value: 20 }],
	},
	sort: { by: [{ field: 'StartedAtUtc', direction: 'Desc' }] },
};

/** The pictures of panels in docs/images: `<name>.png`, and `<name>-dark.png` for the dark theme. */
const PANELS: Readonly<Record<string, Picture>> = {
	'charging-sessions': { workflow: workflowOf('chargingSessions', FINISHED), node: 'chargingSessions' },
	'check-platform': {
		workflow: workflowOf('chargingNetworkList', { operation: 'checkPlatform' }),
		node: 'chargingNetworkList',
	},
	group: { workflow: readExample('monday-report-by-mail.json'), node: 'Sessions Worth a Look', isFilter: true },
};

/** The pictures of docs/first-alert.md, which are taken in sequence. */
const WALK = 'walk';
/** The README's first picture. */
const FIRST = 'alert-and-report';
const NAMES = [WALK, FIRST, ...Object.keys(PANELS)];

const HELP = `npm run screenshots      takes the pictures of docs/images anew, in light and dark

  --only NAME       one of ${NAMES.join(', ')}; may be repeated`;

const THEMES = ['light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

/** Hides what comes and goes by itself, or is beside what is shown. */
const TIDY = `.el-notification, .el-popper.is-dark, ${byTestId('floating-nodes')}, ${byTestId('panel-drag-button')},
	${byTestId('instance-ai-canvas-action-button')} { display: none !important }`;

/** The editor's animations take no longer. */
const STILL_MS = 1500;

/** What takes a part of the window, once everything is still, and writes it with few colours, in a third of the bytes. */
const shotOf = (page: Page, { platform }: Pair, theme: Theme): Shot => {
	const addresses = [
		[chatOf(platform).url, 'https://chat.example.com/hooks/alerts'],
		[platform.baseUrl, 'https://api.example.com'],
	] as const;
	return async (name, area) => {
		await page.mouse.move(0, 0);
		// It may make the window taller; where things are then is seen once they are still.
		await area();
		await sleep(STILL_MS);
		const clip = await area();
		await page.locator('input, :text("http://127.0.0.1")').evaluateAll(rename, addresses);
		const file = join(REPOSITORY, 'docs/images', `${name}${theme === 'dark' ? '-dark' : ''}.png`);
		await page.screenshot({ path: file, clip, animations: 'disabled', style: TIDY });
		await page.setViewportSize(WINDOW);
		await run('pngquant', ['--force', '--strip', '--speed', '1', '--output', file, '64', file], {
			advice: 'The picture could not be made small. On Debian or Ubuntu: "apt-get install -y pngquant".',
		});
		console.log(file);
	};
};

/** Shows addresses as users have them, in place of the stand-in's on this machine. */
function rename(elements: { value?: string; textContent: string }[], addresses: readonly (readonly string[])[]): void {
	for (const element of elements) {
		for (const [from = '', to = ''] of addresses) {
			if (element.value?.includes(from)) element.value = element.value.replace(from, to);
			if (element.textContent.includes(from)) element.textContent = element.textContent.replace(from, to);
		}
	}
}

async function takePanel(page: Page, where: Showcase, theme: Theme, name: string, picture: Picture): Promise<void> {
	const id = await importFor(where, picture.workflow, where.credential);
	const panel = await Panel.open(page, where.n8n.url, id, picture.node);
	if (!picture.isFilter) {
		await panel.execute();
		await panel.output.locator(byTestId('radio-button-table')).click();
	}
	const shot = shotOf(page, where, theme);
	await shot(name, async () => {
		if (!picture.isFilter) return await panel.area(panel.output);
		await panel.unroll();
		const form = page.locator(byTestId('fixed-collection-filters')).first();
		return await areaOf([form, page.locator(byTestId('parameter-input-logic')).last()], 12);
	});
}

/** The mail of an example, as a mail program shows it, beside an alert in a chat. */
async function takeFirst(browser: Browser, where: Showcase, theme: Theme): Promise<void> {
	const execution = await where.n8n.execute(where.workflows.get('monday-report-by-mail.json') ?? '');
	const mail = outputOf(execution, 'Report')[0]?.html as string;
	const size = { width: 880, height: 430 };
	const page = await browser.newPage({ viewport: { ...size, width: 600 }, deviceScaleFactor: 2, colorScheme: theme });
	await page.setContent(mail);
	const report = `data:image/png;base64,${(await page.screenshot({ fullPage: true })).toString('base64')}`;
	await page.setViewportSize(size);
	const template = readFileSync(join(REPOSITORY, 'test/n8n/alert-and-report.html'), 'utf8');
	await page.setContent(template.replace('REPORT', report));
	await shotOf(page, where, theme)(FIRST, () => Promise.resolve({ x: 0, y: 0, ...size }));
}

await runProgram(async () => {
	const { values } = parseArgs({
		options: { only: { type: 'string', multiple: true }, help: { type: 'boolean' } },
	});
	const wanted = values.only ?? NAMES;
	if (values.help || wanted.some((name) => !NAMES.includes(name))) throw new Error(HELP);
	const browser = await openBrowser();
	const where = wanted.some((name) => name !== WALK) ? await startShowcase('2') : undefined;
	for (const theme of THEMES) {
		if (wanted.includes(WALK)) {
			// A new n8n, as a beginner has it.
			const pair = await startPair('2');
			const page = await openEditor(browser, pair.n8n, theme);
			await walkThrough(pair, page, '10', shotOf(page, pair, theme));
		}
		if (!where) continue;
		if (wanted.includes(FIRST)) await takeFirst(browser, where, theme);
		const page = await openEditor(browser, where.n8n, theme);
		for (const [name, picture] of Object.entries(PANELS)) {
			if (wanted.includes(name)) await takePanel(page, where, theme, name, picture);
		}
	}
});
