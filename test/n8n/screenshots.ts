import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

import type { Browser, Page } from 'playwright-core';

import {
	byTestId,
	executeNode,
	openBrowser,
	openEditor,
	openNode,
	openWorkflow,
	panelArea,
	PICTURE_WINDOW,
	settled,
	THEMES,
	unrollParameters,
	type Area,
	type Theme,
} from './browser.ts';
import { outputOf, type WorkflowFile } from './client.ts';
import { FIRST_SCREEN, firstScreen } from './firstScreen.ts';
import { PICTURES, type Picture } from './pictures.ts';
import { startReceiver } from './e2e/receiver.ts';
import { connect, readExample, startPair, startShowcase, type Showcase } from './showcase.ts';
import { walkThrough } from './walkThrough.ts';
import { endWith, REPOSITORY, run, withCleanup, type Later, type Log } from './tools.ts';

/** The pictures of docs/first-alert.md, which are taken in sequence. */
const WALK = 'walk';
/** The README's first picture. */
const FIRST = 'alert-and-report';
const NAMES = [WALK, FIRST, ...Object.keys(PICTURES)];

const HELP = `npm run screenshots      takes the pictures of docs/images anew, in light and dark

  --only NAME       one of ${NAMES.join(', ')}; may be repeated`;

/** Elements that come and go by themselves, or are beside what is shown. */
const CLUTTER = [
	'.el-notification',
	'.el-popper.is-dark',
	byTestId('floating-nodes'),
	byTestId('panel-drag-button'),
	byTestId('instance-ai-canvas-action-button'),
];

const { values } = parseArgs({
	options: { only: { type: 'string', multiple: true }, help: { type: 'boolean', default: false } },
});

const TIMEZONE = 'Europe/Berlin';
const PLATFORM_ADDRESS = 'https://api.example.com';
const CHAT_ADDRESS = 'https://chat.example.com/hooks/alerts';

const log: Log = (line) => console.log(line);

async function importFor({ n8n, credential, platform }: Showcase, workflow: WorkflowFile): Promise<string> {
	return await n8n.importWorkflow(connect(workflow, credential, platform.baseUrl));
}

/** Shows what the picture is of, and returns its area. */
async function showPanel(page: Page, where: Showcase, { workflow, node, part }: Picture): Promise<Area> {
	await page.setViewportSize(PICTURE_WINDOW);
	await openWorkflow(page, where.n8n, await importFor(where, workflow));
	await openNode(page, node);
	await settled(page);
	if (!part) {
		await executeNode(page);
		await page.locator(byTestId('output-panel')).locator(byTestId('radio-button-table')).click();
		await settled(page);
	}
	await unrollParameters(page);
	await tidy(page);
	return await (part?.(page) ?? panelArea(page, ['parameters', 'output']));
}

/** Hides what would cover something, moves the mouse away, and shows addresses as users have them. */
async function tidy(page: Page): Promise<void> {
	await page.addStyleTag({ content: `${CLUTTER.join(', ')} { display: none !important; }` });
	await page.mouse.move(0, 0);
	await settled(page);
	for (const [local, shown] of addresses) {
		const rename = { from: local, to: shown };
		await page.locator('input').evaluateAll(renameValues, rename);
		await page.getByText(local).evaluateAll(renameTexts, rename);
	}
}

/** The stand-ins' addresses on this machine, and what pictures show instead. */
const addresses = new Map<string, string>();

interface Rename {
	from: string;
	to: string;
}

function renameValues(inputs: { value: string }[], { from, to }: Rename): void {
	for (const input of inputs) {
		if (input.value.includes(from)) input.value = input.value.replace(from, to);
	}
}

function renameTexts(elements: { textContent: string }[], { from, to }: Rename): void {
	for (const element of elements) element.textContent = element.textContent.replace(from, to);
}

/** Writes a picture with fewer colours, which is hardly visible and takes a third of the bytes. */
async function take(page: Page, area: Area, file: string): Promise<void> {
	await page.screenshot({ path: file, clip: area, animations: 'disabled' });
	const advice = 'The picture could not be made small. On Debian or Ubuntu: "apt-get install -y pngquant".';
	await run('pngquant', ['--force', '--strip', '--speed', '1', '--output', file, '64', file], {
		cwd: REPOSITORY,
		advice,
	});
}

const fileOf = (name: string, theme: Theme) =>
	join(REPOSITORY, 'docs/images', `${name}${theme === 'dark' ? '-dark' : ''}.png`);

async function takeAndSay(page: Page, area: Area, file: string): Promise<void> {
	mkdirSync(dirname(file), { recursive: true });
	await take(page, area, file);
	log(file);
}

const REPORT_WIDTH = 600;

/** The mail of an example, as a mail program shows it, beside an alert in a chat. */
async function takeFirstScreen(browser: Browser, where: Showcase): Promise<void> {
	const execution = await where.n8n.execute(await importFor(where, readExample('monday-report-by-mail.json')));
	const html = outputOf(execution, 'Report')[0]?.html;
	if (typeof html !== 'string') throw new Error('The node "Report" gave no mail.');
	for (const theme of THEMES) {
		const context = await browser.newContext({
			viewport: { width: REPORT_WIDTH, height: 100 },
			colorScheme: theme,
			deviceScaleFactor: 2,
		});
		const page = await context.newPage();
		await page.setContent(html);
		const report = await page.screenshot({ fullPage: true, animations: 'disabled' });
		await page.setViewportSize(FIRST_SCREEN);
		await page.setContent(firstScreen(report, theme));
		await takeAndSay(page, { x: 0, y: 0, ...FIRST_SCREEN }, fileOf(FIRST, theme));
		await context.close();
	}
}

/** Panels, in one window for each theme. */
async function takePanels(pictures: [string, Picture][], browser: Browser, where: Showcase): Promise<void> {
	for (const theme of THEMES) {
		const page = await openEditor(browser, where.n8n, theme);
		for (const [name, picture] of pictures) {
			await takeAndSay(page, await showPanel(page, where, picture), fileOf(name, theme));
		}
		await page.context().close();
	}
}

/** docs/first-alert.md: a new n8n for each theme, as a beginner has it. */
async function takeWalk(browser: Browser, later: Later): Promise<void> {
	for (const theme of THEMES) {
		const pair = await startPair({ log, later, timezone: TIMEZONE });
		const receiver = await startReceiver(later);
		addresses.set(pair.platform.baseUrl, PLATFORM_ADDRESS).set(receiver.url, CHAT_ADDRESS);
		const page = await openEditor(browser, pair.n8n, theme);
		await walkThrough({ ...pair, receiver, page, minutes: 10 }, async (name, area) => {
			await tidy(page);
			await takeAndSay(page, await area(), fileOf(name, theme));
		});
		await page.context().close();
	}
}

async function main(): Promise<number> {
	const unknown = (values.only ?? []).filter((name) => !NAMES.includes(name));
	if (values.help || unknown.length > 0) {
		if (unknown.length > 0) log(`There is no ${unknown.join(', no ')}.\n`);
		log(HELP);
		return unknown.length > 0 ? 1 : 0;
	}
	const isWanted = (name: string) => values.only?.includes(name) ?? true;
	return await withCleanup(async (later) => {
		const browser = await openBrowser();
		later(() => browser.close());
		if (isWanted(WALK)) await takeWalk(browser, later);
		const panels = Object.entries(PICTURES).filter(([name]) => isWanted(name));
		if (panels.length === 0 && !isWanted(FIRST)) return 0;
		const platform = { sessions: 20_000, stations: 250 };
		const where = await startShowcase({ log, later, timezone: TIMEZONE, platform });
		addresses.set(where.platform.baseUrl, PLATFORM_ADDRESS);
		if (isWanted(FIRST)) await takeFirstScreen(browser, where);
		await takePanels(panels, browser, where);
		return 0;
	});
}

await endWith(main);
