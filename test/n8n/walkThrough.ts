import type { Page } from 'playwright-core';

import type { StandIn } from '../platform/index.ts';
import { areaOf, byTestId, Panel, type Area } from './panel.ts';
import type { Pair } from './showcase.ts';

/** Takes a picture of a part of the window; a test need not. */
export type Shot = (name: string, area: () => Promise<Area>) => Promise<void>;

/** The name of the key that is entered into the credential. */
export const WALK_KEY = 'first alert';

/** A chat that takes messages: the stand-in has it, beside what a platform has. */
export const chatOf = ({ baseUrl, faults, requests }: StandIn) => ({
	url: `${baseUrl}/hooks/alerts`,
	open: () =>
		faults.add({ kind: 'reply', status: 200, body: { ok: true }, times: Infinity, match: { path: '/hooks' } }),
	texts: () =>
		requests.filter(({ path }) => path === '/hooks/alerts').map(({ body }) => (body as { text: string }).text),
});

/**
 * Follows docs/first-alert.md with mouse and keyboard, step by step, from an n8n without credentials and workflows to a
 * workflow that has sent the test events to the chat, and is ready to be published.
 *
 * @param minutes what is entered as *Alert Only After (Minutes)*
 * @throws if a step is not possible as that page describes it
 */
export async function walkThrough(
	{ n8n, platform }: Pair,
	page: Page,
	minutes: string,
	shot: Shot = () => Promise.resolve(),
): Promise<void> {
	await Panel.search(page, n8n.url, 'charging');
	const panel = await Panel.add(page, 'Charging Station Status', 'On station goes offline or comes back');

	await page.getByRole('button', { name: 'Connect to Charging Network' }).click();
	const dialog = page.locator(byTestId('editCredential-modal'));
	const field = (name: string) => dialog.locator(byTestId(`parameter-input-${name}`)).locator('input');
	await field('productionUrl').fill(platform.baseUrl);
	await field('apiKey').fill(platform.createKey({ name: WALK_KEY }).secret);
	await shot('new-credential', () => areaOf([dialog]));
	await dialog.locator(byTestId('credential-save-button')).click();
	// n8n closes the dialog itself after a successful test.
	await dialog.waitFor({ state: 'detached' });

	await panel.type(panel.control('minutesInState'), minutes);
	await panel.execute();
	await panel.shows('json', 'Sample');
	await shot('fetch-test-event', () => panel.area(panel.output));
	await panel.close();

	const chat = chatOf(platform);
	chat.open();
	await page.locator(byTestId('canvas-handle-plus')).click();
	await page.fill(byTestId('node-creator-search-bar'), 'http request');
	await Panel.add(page, 'HTTP Request');
	await panel.choose(panel.control('method'), 'POST');
	await panel.type(panel.control('url'), chat.url);
	await panel.flip('sendBody');
	await panel.type(panel.control('name'), 'text');
	await panel.write(panel.control('value'), '{{ $json.text }}');
	await panel.execute();
	await shot('message', () => panel.area(page.locator(byTestId('ndv-input-panel'))));
	await panel.close();
	await shot('first-alert', async () => {
		await page.click(byTestId('zoom-to-fit'));
		const area = await areaOf(await page.locator(byTestId('canvas-node')).all(), 60);
		// Names and settings are below a node.
		return { ...area, y: area.y + 24 };
	});
}
