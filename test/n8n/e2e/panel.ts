import assert from 'node:assert/strict';

import type { Locator, Page } from 'playwright-core';

import { byTestId, executeNode, settled } from '../browser.ts';
import { until } from '../tools.ts';

const OPENING_MS = 5000;

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
		await names.first().waitFor();
		await settled(page);
		return await names.allInnerTexts();
	}

	/** Adds what the search has found to the canvas, where it has actions with one of them, and waits for its panel. */
	static async add(page: Page, name: string, action?: string): Promise<Panel> {
		const entry = (text: string) => page.locator(byTestId('node-creator-item-name')).getByText(text, { exact: true });
		await entry(name).click();
		return await Panel.of(page, async () => {
			if (action === undefined) await page.getByRole('button', { name: 'Add to workflow' }).click();
			else {
				// Where there is a trigger of the same name, the actions are folded in an empty workflow.
				const folded = page.getByText(/^Actions \(\d+\)/);
				await entry(action).or(folded).first().waitFor();
				if ((await entry(action).count()) === 0) await folded.click();
				await entry(action).click();
			}
		});
	}

	/** The panel that opens after this. */
	static async of(page: Page, opening: () => Promise<void>): Promise<Panel> {
		await opening();
		await page.waitForSelector(byTestId('node-parameters'));
		await settled(page);
		return new Panel(page);
	}

	/** One of the panel's controls by the parameter's internal name; `position` counts those of the same name from above. */
	control(parameter: string, position = 0): Locator {
		const controls = this.parameters.locator(byTestId(`parameter-input-${parameter}`));
		// n8n gives this very name to each of its text inputs as well.
		const own = parameter === 'field' ? controls.filter({ has: this.page.locator('.el-select') }) : controls;
		return own.nth(position);
	}

	/** How many controls of that name are to be seen. */
	async count(parameter: string): Promise<number> {
		return await this.parameters.locator(`${byTestId(`parameter-input-${parameter}`)}:visible`).count();
	}

	/** What a dropdown offers. */
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

	/** Adds an entry to a collection by its menu, which is found by its text. */
	async addTo(menu: string, entry: string): Promise<void> {
		await this.choose(this.parameters.getByPlaceholder(menu, { exact: true }).last(), entry);
	}

	async type(control: Locator, text: string): Promise<void> {
		await control.locator('input').fill(text);
		await control.locator('input').blur();
	}

	/** Writes an expression; n8n notices the braces and takes the field for one. */
	async write(control: Locator, expression: string): Promise<void> {
		await control.locator('input').fill(expression);
		await control.locator(byTestId('inline-expression-editor-input')).waitFor();
		await this.page.locator(byTestId('tab-params')).click();
		await settled(this.page);
	}

	/** What the picker of a resource offers. */
	async resources(parameter: string): Promise<string[]> {
		const entries = await this.openResources(parameter);
		return await entries.allInnerTexts();
	}

	/** Types into the picker's search and chooses the only entry that is left. */
	async pick(parameter: string, name: string): Promise<void> {
		const entries = await this.openResources(parameter);
		await this.page.locator(`${byTestId('rlc-search')}:visible`).fill(name);
		await entries.filter({ hasText: name }).first().waitFor();
		await settled(this.page);
		assert.deepEqual((await entries.allInnerTexts()).length, 1, 'the search is done by the platform');
		await entries.first().click();
		await settled(this.page);
	}

	private async openResources(parameter: string): Promise<Locator> {
		const entries = this.page.locator(`${byTestId('rlc-item')}:visible`);
		if ((await entries.count()) === 0) await this.control(parameter).locator(byTestId('rlc-input')).click();
		await entries.first().waitFor();
		await settled(this.page);
		return entries;
	}

	/** Presses *Execute step* (of a trigger: *Fetch Test Event*) and returns what the output says, or the message. */
	async execute(): Promise<string> {
		await executeNode(this.page);
		return await this.output().innerText();
	}

	/** Shows the output as a table and waits until these texts are in it: it is drawn a while after the items are there. */
	async tableShows(...texts: string[]): Promise<void> {
		await this.output().getByText('Table', { exact: true }).click();
		await until(
			`the table shows ${texts.join(', ')}`,
			async () => {
				const shown = await this.output().innerText();
				return texts.every((text) => shown.includes(text));
			},
			30_000,
		);
	}

	private output(): Locator {
		return this.page.locator(byTestId('output-panel'));
	}

	private async unfold(dropdown: Locator): Promise<Locator> {
		await dropdown.scrollIntoViewIfNeeded();
		const list = this.page.locator('.el-select-dropdown__item:visible');
		// While a dropdown loads its entries, a click on it is lost.
		await until('the dropdown opens', async () => {
			await dropdown.click();
			const opened = list.first().waitFor({ timeout: OPENING_MS });
			return await opened.then(
				() => true,
				() => false,
			);
		});
		await settled(this.page);
		return list;
	}

	/** Escape would close the whole panel. */
	private async fold(): Promise<void> {
		const list = this.page.locator('.el-select-dropdown__item:visible');
		if ((await list.count()) > 0) await this.page.locator(byTestId('tab-params')).click();
		await list.first().waitFor({ state: 'hidden' });
		await settled(this.page);
	}
}

/** The number of items that the output panel names. */
export function itemsIn(output: string): number {
	const count = /([\d,.]+) items?/.exec(output)?.[1];
	assert.ok(count, `the output names no number of items: ${output}`);
	return Number(count.replaceAll(/[,.]/g, ''));
}
