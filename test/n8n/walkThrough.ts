import type { Page } from 'playwright-core';

import {
	areaOf,
	byTestId,
	closeNode,
	executeNode,
	panelArea,
	PICTURE_WINDOW,
	unrollParameters,
	type Area,
} from './browser.ts';
import { Panel } from './e2e/panel.ts';
import type { Receiver } from './e2e/receiver.ts';
import type { Pair } from './showcase.ts';

/** Takes a picture of a part of the window, once everything is still; a test need not. */
type Shot = (name: string, area: () => Promise<Area>) => Promise<void>;

/** A platform with stations, a new n8n, a chat that receives messages, and the window of a new user. */
interface Stage extends Pair {
	receiver: Receiver;
	page: Page;
	/** What is entered as *Alert Only After (Minutes)*. */
	minutes: number;
}

/** The name of the key that is entered into the credential. */
export const WALK_KEY = 'first alert';

/**
 * Follows docs/first-alert.md with mouse and keyboard, step by step, from an n8n without credentials and workflows to a
 * workflow that has sent the test events to the chat, and is ready to be published.
 *
 * @throws if a step is not possible as that page describes it
 */
export async function walkThrough(stage: Stage, shot: Shot): Promise<void> {
	const { page, n8n, receiver, minutes } = stage;

	await page.setViewportSize(PICTURE_WINDOW);
	await Panel.search(page, n8n.url, 'charging');
	const panel = await Panel.add(page, 'Charging Station Status', 'On station goes offline or comes back');

	await enterCredential(stage, shot);

	await panel.type(panel.control('minutesInState'), String(minutes));
	await executeNode(page);
	await page.locator(byTestId('output-panel')).locator(byTestId('radio-button-json')).click();
	await shot('fetch-test-event', () => unrolled(page, ['parameters', 'output']));
	await closeNode(page);

	await page.locator(byTestId('canvas-handle-plus')).click();
	await page.fill(byTestId('node-creator-search-bar'), 'http request');
	await Panel.add(page, 'HTTP Request');
	await panel.choose(panel.control('method'), 'POST');
	await panel.type(panel.control('url'), receiver.url);
	await panel.control('sendBody').locator('.el-switch').click();
	await panel.type(panel.control('name'), 'text');
	await panel.write(panel.control('value'), '{{ $json.text }}');
	await executeNode(page);
	await shot('message', () => unrolled(page, ['input', 'parameters']));
	await closeNode(page);
	await page.setViewportSize(PICTURE_WINDOW);
}

/** Makes the node's credential, as a person does who has a new key. */
async function enterCredential({ page, platform }: Stage, shot: Shot): Promise<void> {
	await page.getByRole('button', { name: 'Connect to Charging Network' }).click();
	const dialog = page.locator(byTestId('editCredential-modal'));
	const { secret } = platform.createKey({ name: WALK_KEY });
	const address = dialog.locator(byTestId('parameter-input-productionUrl')).locator('input');
	await address.fill(platform.baseUrl);
	await dialog.locator(byTestId('parameter-input-apiKey')).locator('input').fill(secret);
	await shot('new-credential', () => areaOf([dialog]));
	await dialog.locator(byTestId('credential-save-button')).click();
	// n8n closes the dialog itself after a successful test.
	await dialog.waitFor({ state: 'detached' });
}

async function unrolled(page: Page, parts: Parameters<typeof panelArea>[1]): Promise<Area> {
	await unrollParameters(page);
	return await panelArea(page, parts);
}
