import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { chromium, type Browser, type Locator, type Page } from 'playwright-core';

import type { N8nClient } from './client.ts';
import { REPOSITORY, until } from './tools.ts';

export const THEMES = ['light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const EXECUTABLES = JSON.parse(readFileSync(join(REPOSITORY, 'scripts/chromium.json'), 'utf8')) as string[];

/** Without the last four, Chromium contacts its maker's servers at every start. */
const FLAGS = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/** Size of the editor's window, in CSS pixels. */
const WINDOW = { width: 1600, height: 1000 };
/** Wide enough for a table beside the parameters, narrow enough to be read at the width of a page. */
export const PICTURE_WINDOW = { width: 1366, height: 900 };
/** Twice the pixels, so that text is sharp in a picture of a part of the window. */
const PIXEL_RATIO = 2;

/** How long what the editor shows may take on a busy machine. */
export const PATIENCE_MS = 120_000;

/**
 * Starts this machine's Chromium, or the one named by CHROMIUM, without a window.
 *
 * @throws with what to install if there is none
 */
export async function openBrowser(): Promise<Browser> {
	const executablePath = process.env.CHROMIUM ?? EXECUTABLES.find((file) => existsSync(file));
	if (!executablePath) {
		throw new Error(
			'There is no Chromium on this machine. On Debian or Ubuntu: "apt-get install -y chromium". Where it is somewhere else, name its program in the variable CHROMIUM.',
		);
	}
	return await chromium.launch({ executablePath, args: FLAGS });
}

/** Opens n8n in a window of its own, and logs in as the owner. */
export async function openEditor(browser: Browser, n8n: N8nClient, theme: Theme = 'light'): Promise<Page> {
	// n8n follows the system's theme by default.
	const context = await browser.newContext({ viewport: WINDOW, deviceScaleFactor: PIXEL_RATIO, colorScheme: theme });
	const page = await context.newPage();
	page.setDefaultTimeout(PATIENCE_MS);
	await page.goto(`${n8n.url}/signin`);
	await page.fill('input[name="emailOrLdapLoginId"]', n8n.owner.email);
	await page.fill('input[name="password"]', n8n.owner.password);
	await page.keyboard.press('Enter');
	await page.waitForURL((url) => !url.pathname.includes('signin'));
	return page;
}

/** Opens a workflow on the canvas, as large as fits. */
export async function openWorkflow(page: Page, n8n: N8nClient, workflowId: string): Promise<void> {
	await page.goto(`${n8n.url}/workflow/${workflowId}`);
	await page.waitForSelector(byTestId('canvas-node'));
	await page.click(byTestId('zoom-to-fit'));
}

/** A node on the canvas, by the name it has there. */
const canvasNode = (page: Page, name: string) =>
	page.locator(`${byTestId('canvas-node')}[data-node-name=${JSON.stringify(name)}]`);

/** Opens a node's panel by a double click on the canvas. */
export async function openNode(page: Page, name: string): Promise<void> {
	await canvasNode(page, name).dblclick();
	await page.waitForSelector(byTestId('node-parameters'));
}

/** Closes the panel that is open. */
export async function closeNode(page: Page): Promise<void> {
	await page.click(byTestId('ndv-close-button'));
	await page.waitForSelector(byTestId('node-parameters'), { state: 'detached' });
}

/**
 * Presses *Execute step* in the open panel and waits for the output or the error message: n8n shows it, reads the whole
 * execution, and shows that; then the button can be pressed again. On a busy machine n8n 2.41 sometimes drops the items
 * at that; then the step is executed once more, as a person would do it.
 */
export async function executeNode(page: Page): Promise<void> {
	const button = page.locator(byTestId('node-execute-button'));
	const result = page
		.locator(byTestId('output-panel'))
		.locator(`${byTestId('ndv-items-count')}, ${byTestId('node-error-view')}`)
		.first();
	await until('the output stays in the panel', async () => {
		const whole = page.waitForResponse(/\/rest\/executions\/\d+/);
		await Promise.all([whole.then(async (response) => await response.finished()), button.click()]);
		await button.and(page.locator(':not([disabled]):not([aria-busy="true"])')).waitFor();
		return await result.isVisible();
	});
}

/** A part of the window, in CSS pixels. */
export interface Area {
	x: number;
	y: number;
	width: number;
	height: number;
}

/** The smallest area that contains all of these elements, plus a margin. */
export async function areaOf(elements: readonly Locator[], margin = 0): Promise<Area> {
	const boxes = await Promise.all(elements.map(async (element) => await element.boundingBox()));
	const seen = boxes.filter((box) => box !== null);
	if (seen.length < boxes.length) throw new Error('Something that belongs in the picture is not visible.');
	const left = Math.min(...seen.map(({ x }) => x)) - margin;
	const top = Math.min(...seen.map(({ y }) => y)) - margin;
	const right = Math.max(...seen.map(({ x, width }) => x + width)) + margin;
	const bottom = Math.max(...seen.map(({ y, height }) => y + height)) + margin;
	return { x: left, y: top, width: right - left, height: bottom - top };
}

/** The properties that are read of an element inside the page. */
interface Box {
	scrollHeight: number;
	clientHeight: number;
	parentElement: Box | null;
}

/** Makes the window tall enough to show all parameters of the open panel at once. */
export async function unrollParameters(page: Page): Promise<void> {
	const hidden = await page.locator(byTestId('node-parameters')).evaluate((element: Box) => {
		// The element itself or one around it scrolls what does not fit.
		let most = 0;
		for (let box: Box | null = element; box; box = box.parentElement) {
			most = Math.max(most, box.scrollHeight - box.clientHeight);
		}
		return most;
	});
	const { width, height } = page.viewportSize() ?? WINDOW;
	await page.setViewportSize({ width, height: height + hidden });
	await settled(page);
}

const PANEL_PARTS = { input: 'ndv-input-panel', parameters: 'node-parameters', output: 'output-panel' } as const;

/** Parts of the open panel side by side, down to the last parameter. */
export async function panelArea(page: Page, parts: readonly (keyof typeof PANEL_PARTS)[]): Promise<Area> {
	const parameters = page.locator(byTestId('node-parameters'));
	const inside = `${byTestId('parameter-item')}:visible, ${byTestId('collection-parameter-add')}:visible`;
	const content = await areaOf(await parameters.locator(inside).all());
	const { x, width } = await areaOf(parts.map((part) => page.locator(byTestId(PANEL_PARTS[part]))));
	const { y, height } = await areaOf([page.locator(byTestId('tab-params')), parameters]);
	const top = y - 16;
	const bottom = Math.min(y + height, content.y + content.height + 24);
	return { x, y: top, width, height: bottom - top };
}

export const byTestId = (id: string) => `[data-test-id="${id}"]`;

/** For pictures: waits until nothing is loading, and the editor's animations are over. */
export async function settled(page: Page): Promise<void> {
	await page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => undefined);
	await page.waitForTimeout(700);
}
