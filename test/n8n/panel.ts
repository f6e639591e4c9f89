import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { chromium, type Browser, type Locator, type Page } from 'playwright-core';

import type { N8nClient } from './client.ts';
import { REPOSITORY, until } from './tools.ts';

/** How long what the editor shows may take on a busy machine. */
const PATIENCE_MS = 120_000;
/** After this long, a click on a dropdown that still loaded its entries is taken for lost. */
const LOST_CLICK_MS = 5000;
/** Wide enough for a table beside the parameters, narrow enough to be read at the width of a page of the docs. */
export const WINDOW = { width: 1366, height: 900 };
/** Enough for all parameters of a panel. */
const TALL = { ...WINDOW, height: 2600 };

export const byTestId = (id: string) => `[data-test-id="${id}"]`;

/**
 * Starts this machine's Chromium, or the one named by CHROMIUM, without a window.
 *
 * @throws with what to install if there is none
 */
export async function openBrowser(): Promise<Browser> {
	const known = JSON.parse(readFileSync(join(REPOSITORY, 'scripts/chromium.json'), 'utf8')) as string[];
	const executablePath = process.env.CHROMIUM ?? known.find((file) => existsSync(file));
	if (!executablePath) {
		throw new Error(
			'There is no Chromium on this machine. On Debian or Ubuntu: "apt-get install -y chromium". Where it is somewhere else, name its program in the variable CHROMIUM.',
		);
	}
	return await chromium.launch({ executablePath });
}

/** Opens n8n in a window of its own, and logs in as the owner. */
export async function openEditor(browser: Browser, n8n: N8nClient, colorScheme: 'light' | 'dark'): Promise<Page> {
	// n8n follows the system's theme by default. Twice the pixels, so that text is sharp in a picture of a part.
	const page = await browser.newPage({ viewport: WINDOW, deviceScaleFactor: 2, colorScheme });
	page.setDefaultTimeout(PATIENCE_MS);
	await page.goto(`${n8n.url}/signin`);
	await page.fill('input[name="emailOrLdapLoginId"]', n8n.owner.email);
	await page.fill('input[name="password"]', n8n.owner.password);
	await page.keyboard.press('Enter');
	await page.waitForURL((url) => !url.pathname.includes('signin'));
	return page;
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

/** The open panel of a node, handled with the mouse and keyboard as a person does. */
export class Panel {
	readonly page: Page;
	readonly parameters: Locator;
	readonly output: Locator;

	constructor(page: Page) {
		this.page = page;
		this.parameters = page.locator(byTestId('node-parameters'));
		this.output = page.locator(byTestId('output-panel'));
	}

	/** Searches the node panel of an empty workflow and returns the names it offers. */
	static async search(page: Page, url: string, words: string): Promise<string[]> {
		await page.goto(`${url}/workflow/new`);
		await page.locator(byTestId('canvas-add-button')).getByRole('button').first().click();
		await page.fill(byTestId('node-creator-search-bar'), words);
		return await until(`"${words}" is found`, async () => {
			const found = await page.locator(byTestId('node-creator-item-name')).allInnerTexts();
			// The best hit comes first; others may have the words among their aliases.
			return found[0]?.toLowerCase().includes(words) && found;
		});
	}

	/** Adds a search result to the canvas, with this action if it has any, and waits for its panel. */
	static async add(page: Page, name: string, action?: string): Promise<Panel> {
		const entry = (text: string) => page.locator(byTestId('node-creator-item-name')).getByText(text, { exact: true });
		await entry(name).click();
		if (action !== undefined) {
			// If there is a trigger of the same name, an empty workflow shows the actions folded.
			const folded = page.getByText(/^Actions \(\d+\)/);
			await entry(action).or(folded).first().waitFor();
			if ((await entry(action).count()) === 0) await folded.click();
			await entry(action).click();
		}
		return await new Panel(page).shown();
	}

	/** Opens the panel of a node in a workflow. */
	static async open(page: Page, url: string, workflowId: string, name: string): Promise<Panel> {
		await page.goto(`${url}/workflow/${workflowId}`);
		const node = page.locator(`${byTestId('canvas-node')}[data-node-name=${JSON.stringify(name)}]`);
		await node.waitFor();
		await page.click(byTestId('zoom-to-fit'));
		await node.dblclick();
		return await new Panel(page).shown();
	}

	private async shown(): Promise<this> {
		await this.parameters.waitFor();
		return this;
	}

	async close(): Promise<void> {
		await this.page.click(byTestId('ndv-close-button'));
		await this.parameters.waitFor({ state: 'detached' });
	}

	/** A control by its parameter's internal name; `position` counts controls of the same name from the top. */
	control(parameter: string, position = 0): Locator {
		const controls = this.parameters.locator(byTestId(`parameter-input-${parameter}`));
		// n8n uses this name for each of its text inputs as well.
		const own = parameter === 'field' ? controls.filter({ has: this.page.locator('.el-select') }) : controls;
		return own.nth(position);
	}

	/** Chooses entries of a dropdown. */
	async choose(dropdown: Locator, ...names: string[]): Promise<void> {
		const list = this.page.locator('.el-select-dropdown__item:visible');
		await dropdown.scrollIntoViewIfNeeded();
		// A click on a dropdown is lost while it loads its entries.
		await until('the dropdown opens', async () => {
			await dropdown.click();
			const opened = list.first().waitFor({ timeout: LOST_CLICK_MS });
			return await opened.then(
				() => true,
				() => false,
			);
		});
		for (const name of names) await list.filter({ has: this.page.getByText(name, { exact: true }) }).click();
		// One of several entries stays open. Escape would close the whole panel.
		if ((await list.count()) > 0) await this.page.locator(byTestId('tab-params')).click();
		await list.first().waitFor({ state: 'hidden' });
	}

	/** Adds an entry to a collection through its menu, which is found by its text. */
	async addTo(menu: string, entry: string): Promise<void> {
		await this.choose(this.parameters.getByPlaceholder(menu, { exact: true }).last(), entry);
	}

	async flip(toggle: string): Promise<void> {
		await this.control(toggle).locator('.el-switch').click();
	}

	async type(control: Locator, text: string): Promise<void> {
		await control.locator('input').fill(text);
		await control.locator('input').blur();
	}

	/** Types an expression; n8n recognises the braces and makes the field an expression. */
	async write(control: Locator, expression: string): Promise<void> {
		await control.locator('input').fill(expression);
		await control.locator(byTestId('inline-expression-editor-input')).waitFor();
		await this.page.locator(byTestId('tab-params')).click();
		// n8n shows the result below an expression while it is being edited.
		await this.page.locator(`${byTestId('inline-expression-editor-output')}:visible`).waitFor({ state: 'hidden' });
	}

	/**
	 * Presses *Execute step* (*Fetch Test Event* for a trigger) and waits for the output: n8n shows it, reads the whole
	 * execution, and shows that; then the button can be pressed again. On a busy machine n8n 2.41 sometimes drops the items
	 * at that; then the step is executed once more, as a person would do it.
	 */
	async execute(): Promise<void> {
		const button = this.page.locator(byTestId('node-execute-button'));
		await until('the output stays in the panel', async () => {
			const whole = this.page.waitForResponse(/\/rest\/executions\/\d+/);
			await Promise.all([whole.then(async (response) => await response.finished()), button.click()]);
			await button.and(this.page.locator(':not([disabled]):not([aria-busy="true"])')).waitFor();
			return await this.output.locator(byTestId('ndv-items-count')).first().isVisible();
		});
	}

	/** Shows the output in this way and waits for this text: it is drawn some time after the items arrive. */
	async shows(view: 'table' | 'json', text: string): Promise<void> {
		await this.output.locator(byTestId(`radio-button-${view}`)).click();
		await this.output.getByText(text).first().waitFor();
	}

	/** Makes the window tall enough to show all parameters at once. */
	async unroll(): Promise<void> {
		await this.page.setViewportSize(TALL);
	}

	/** All parameters and what is beside them, from the tabs down to the last parameter. */
	async area(beside: Locator): Promise<Area> {
		await this.unroll();
		const items = `${byTestId('parameter-item')}:visible, ${byTestId('collection-parameter-add')}:visible`;
		const { x, width } = await areaOf([this.parameters, beside]);
		const content = [this.page.locator(byTestId('tab-params')), ...(await this.parameters.locator(items).all())];
		const { y, height } = await areaOf(content);
		return { x, y: y - 16, width, height: height + 40 };
	}
}
