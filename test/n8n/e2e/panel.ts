import assert from 'node:assert/strict';

import type { Locator, Page } from 'playwright-core';

import { byTestId, executeNode, PATIENCE_MS } from '../browser.ts';
import { until } from '../tools.ts';

/** After this long, a click on a dropdown that still loaded its entries is taken for lost. */
const LOST_CLICK_MS = 5000;

/** The open panel of a node, handled with the mouse and keyboard as a person does. */
export class Panel {
	readonly page: Page;
	private readonly parameters: Locator;

	constructor(page: Page) {
		this.page = page;
		this.parameters = page.locator(byTestId('node-parameters'));
	}

	/** Searches the node panel of an empty workflow and returns the names it offers. */
	static async search(page: Page, url: string, words: string): Promise<string[]> {
		await page.goto(`${url}/workflow/new`);
		await page.locator(byTestId('canvas-add-button')).getByRole('button').first().click();
		await page.fill(byTestId('node-creator-search-bar'), words);
		const names = page.locator(byTestId('node-creator-item-name'));
		return await until(`"${words}" is found`, async () => {
			const found = await names.allInnerTexts();
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
		await page.waitForSelector(byTestId('node-parameters'));
		return new Panel(page);
	}

	/** A control by its parameter's internal name; `position` counts controls of the same name from the top. */
	control(parameter: string, position = 0): Locator {
		const controls = this.parameters.locator(byTestId(`parameter-input-${parameter}`));
		// n8n uses this name for each of its text inputs as well.
		const own = parameter === 'field' ? controls.filter({ has: this.page.locator('.el-select') }) : controls;
		return own.nth(position);
	}

	/** Waits until as many controls of these names are visible. */
	async controlsAre(expected: Record<string, number>): Promise<void> {
		const visible = async (parameter: string) =>
			await this.parameters.locator(`${byTestId(`parameter-input-${parameter}`)}:visible`).count();
		for (const [parameter, count] of Object.entries(expected)) {
			const what = `${count} controls named ${parameter}`;
			await until(what, async () => (await visible(parameter)) === count, PATIENCE_MS);
		}
	}

	/** The options of a dropdown. */
	async options(dropdown: Locator): Promise<string[]> {
		const list = await this.unfold(dropdown);
		const texts = await list.allInnerTexts();
		await this.fold();
		return texts.map((text) => text.trim().split('\n')[0] ?? '');
	}

	/** Chooses entries of a dropdown. */
	async choose(dropdown: Locator, ...names: string[]): Promise<void> {
		const list = await this.unfold(dropdown);
		for (const name of names) await list.filter({ has: this.page.getByText(name, { exact: true }) }).click();
		await this.fold();
	}

	/** Adds an entry to a collection through its menu, which is found by its text. */
	async addTo(menu: string, entry: string): Promise<void> {
		await this.choose(this.parameters.getByPlaceholder(menu, { exact: true }).last(), entry);
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

	/** Presses *Execute step* (*Fetch Test Event* for a trigger) and returns the output or the error message. */
	async execute(): Promise<string> {
		await executeNode(this.page);
		const readable = async () => {
			const output = await this.output().innerText();
			const isError = (await this.output().locator(byTestId('node-error-view')).count()) > 0;
			return (isError || ITEMS.test(output)) && output;
		};
		return await until('the output names its items', readable, PATIENCE_MS);
	}

	/** Shows the output as a table and waits for this text: it is drawn some time after the items arrive. */
	async tableShows(text: string): Promise<void> {
		await this.output().getByText('Table', { exact: true }).click();
		await this.output().getByText(text, { exact: true }).first().waitFor();
	}

	private output(): Locator {
		return this.page.locator(byTestId('output-panel'));
	}

	private async unfold(dropdown: Locator): Promise<Locator> {
		await dropdown.scrollIntoViewIfNeeded();
		const list = this.page.locator('.el-select-dropdown__item:visible');
		// A click on a dropdown is lost while it loads its entries.
		await until('the dropdown opens', async () => {
			await dropdown.click();
			const opened = list.first().waitFor({ timeout: LOST_CLICK_MS });
			return await opened.then(
				() => true,
				() => false,
			);
		});
		return list;
	}

	/** Without Escape, which would close the whole panel. */
	private async fold(): Promise<void> {
		const list = this.page.locator('.el-select-dropdown__item:visible');
		if ((await list.count()) > 0) await this.page.locator(byTestId('tab-params')).click();
		await list.first().waitFor({ state: 'hidden' });
	}
}

const ITEMS = /([\d,.]+) items?/;

/** The number of items that the output panel shows. */
export function itemsIn(output: string): number {
	const count = ITEMS.exec(output)?.[1];
	assert.ok(count, `the output names no number of items: ${output}`);
	return Number(count.replaceAll(/[,.]/g, ''));
}
