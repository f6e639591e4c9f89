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
import { FIRST_SCREEN, firstScreen } from './firstScreen.ts';
import { outputOf, type WorkflowFile } from './client.ts';
import { PICTURES, type FirstScreenPicture, type PanelPicture } from './pictures.ts';
import { connect, startShowcase, type Showcase } from './showcase.ts';
import { startStage, walkThrough } from './walkThrough.ts';
import { endWith, REPOSITORY, run, withCleanup, type Later, type Log } from './tools.ts';

const NAMES = PICTURES.map(({ name }) => name);

const HELP = `npm run screenshots      takes the pictures of docs/images anew, in light and dark: test/n8n/pictures.ts lists them

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
async function showPanel(page: Page, where: Showcase, picture: PanelPicture): Promise<Area> {
	await page.setViewportSize(PICTURE_WINDOW);
	await openWorkflow(page, where.n8n, await importFor(where, picture.workflow));
	await openNode(page, picture.node);
	await settled(page);
	if (picture.output) {
		await executeNode(page);
		await page
			.locator(byTestId('output-panel'))
			.locator(byTestId(`radio-button-${picture.output}`))
			.click();
	}
	await settled(page);
	await unrollParameters(page);
	await tidy(page);
	if (picture.part) return await picture.part(page);
	return await panelArea(page, picture.output ? ['parameters', 'output'] : ['parameters']);
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

/** Runs the workflow, and shows its mail as a mail program would, beside an alert. */
async function takeFirstScreen(
	browser: Browser,
	where: Showcase,
	{ name, workflow, node }: FirstScreenPicture,
): Promise<void> {
	const execution = await where.n8n.execute(await importFor(where, workflow));
	const html = outputOf(execution, node)[0]?.html;
	if (typeof html !== 'string') throw new Error(`${name}: the node "${node}" gave no mail.`);
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
		await takeAndSay(page, { x: 0, y: 0, ...FIRST_SCREEN }, fileOf(name, theme));
		await context.close();
	}
}

/** The panels, in one window for each theme and an n8n with all examples; and the first screen. */
async function takePictures(
	pictures: ReadonlyArray<PanelPicture | FirstScreenPicture>,
	browser: Browser,
	later: Later,
): Promise<void> {
	const where = await startShowcase({ log, later, timezone: TIMEZONE, platform: { sessions: 20_000, stations: 250 } });
	addresses.set(where.platform.baseUrl, PLATFORM_ADDRESS);
	for (const picture of pictures) if (picture.kind === 'firstScreen') await takeFirstScreen(browser, where, picture);
	for (const theme of THEMES) {
		const page = await openEditor(browser, where.n8n, theme);
		for (const picture of pictures) {
			if (picture.kind !== 'panel') continue;
			await takeAndSay(page, await showPanel(page, where, picture), fileOf(picture.name, theme));
		}
		await page.context().close();
	}
}

/** docs/first-alert.md: a new n8n for each theme, as a beginner has it. */
async function takeWalk(browser: Browser, later: Later): Promise<void> {
	for (const theme of THEMES) {
		const stage = await startStage({ log, later, timezone: TIMEZONE });
		addresses.set(stage.platform.baseUrl, PLATFORM_ADDRESS).set(stage.receiver.url, CHAT_ADDRESS);
		const page = await openEditor(browser, stage.n8n, theme);
		await walkThrough({ ...stage, page }, async (name, area) => {
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
	const wanted = PICTURES.filter(({ name }) => values.only?.includes(name) ?? true);
	const pictures = wanted.filter((picture) => picture.kind !== 'walk');
	return await withCleanup(async (later) => {
		const browser = await openBrowser();
		later(() => browser.close());
		if (pictures.length > 0) await takePictures(pictures, browser, later);
		if (pictures.length < wanted.length) await takeWalk(browser, later);
		return 0;
	});
}

await endWith(main);
