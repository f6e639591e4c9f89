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
import { startReceiver, type Receiver } from './e2e/receiver.ts';
import { startPair, type Pair, type ShowcaseOptions } from './showcase.ts';
import { until } from './tools.ts';

/** The pictures of docs/first-alert.md, in the order in which they are taken. */
export const WALK_PICTURES = ['new-credential', 'fetch-test-event', 'message'] as const;

/** Takes a picture of a part of the window, once everything is still; a test need not. */
type Shot = (name: (typeof WALK_PICTURES)[number], area: () => Promise<Area>) => Promise<void>;

/** A platform with stations, a new n8n, a chat that receives messages, and the window of a new user. */
interface Stage extends Pair {
	receiver: Receiver;
	page: Page;
}

/** Ten minutes take twenty seconds. */
const RATE = 30;
const ONLINE = 1;
const OFFLINE = 2;

/** What the walk needs besides the window. This n8n's clock runs fast, because an alert takes ten minutes. */
export async function startStage(options: ShowcaseOptions): Promise<Omit<Stage, 'page'>> {
	const pair = await startPair({ ...options, clockRate: RATE });
	const receiver = await startReceiver();
	options.later(() => receiver.close());
	return { ...pair, receiver };
}

/** The beginning of a message about a station. */
export const messageOf = (station: string, state: 'offline' | 'online') =>
	state === 'offline' ? `${station} has been offline since ` : `${station} is back online. `;

/**
 * Follows docs/first-alert.md with mouse and keyboard, step by step: from an n8n without credentials and
 * workflows to a published workflow whose alert has arrived.
 *
 * @returns the name of the station that went offline and came back
 * @throws if a step is not possible as that page describes it, or no alert comes
 */
export async function walkThrough(stage: Stage, shot: Shot): Promise<string> {
	const { page, n8n, receiver } = stage;

	await page.setViewportSize(PICTURE_WINDOW);
	await Panel.search(page, n8n.url, 'charging');
	const entry = (text: string) => page.locator(byTestId('node-creator-item-name')).getByText(text, { exact: true });
	await entry('Charging Station Status').click();
	const panel = await Panel.of(page, () => entry('On station goes offline or comes back').click());

	await enterCredential(stage, shot);

	await panel.type(panel.control('minutesInState'), '10');
	await executeNode(page);
	await page.locator(byTestId('output-panel')).locator(byTestId('radio-button-json')).click();
	await shot('fetch-test-event', () => unrolled(page, ['parameters', 'output']));
	await closeNode(page);

	await page.locator(byTestId('canvas-handle-plus')).click();
	await page.fill(byTestId('node-creator-search-bar'), 'http request');
	await Panel.of(page, () => entry('HTTP Request').click());
	await panel.choose(panel.control('method'), 'POST');
	await panel.type(panel.control('url'), receiver.url);
	await panel.control('sendBody').locator('.el-switch').click();
	await panel.type(panel.control('name'), 'text');
	await panel.write(panel.control('value'), '{{ $json.text }}');
	await executeNode(page);
	await shot('message', () => unrolled(page, ['input', 'parameters']));
	await closeNode(page);
	await page.setViewportSize(PICTURE_WINDOW);

	await page.click(byTestId('workflow-open-publish-modal-button'));
	const publish = page.locator(byTestId('workflowPublish-modal'));
	await publish.locator(byTestId('workflow-publish-button')).click();
	await page.getByRole('button', { name: 'Got it' }).click();

	return await outage(stage);
}

/** Makes the node's credential, as a person does who has a new key. */
async function enterCredential({ page, platform }: Stage, shot: Shot): Promise<void> {
	await page.getByRole('button', { name: 'Connect to Charging Network' }).click();
	const dialog = page.locator(byTestId('editCredential-modal'));
	const { secret } = platform.createKey({ name: 'first alert' });
	const address = dialog.locator(byTestId('parameter-input-productionUrl')).locator('input');
	await address.fill(platform.baseUrl);
	await dialog.locator(byTestId('parameter-input-apiKey')).locator('input').fill(secret);
	await shot('new-credential', () => areaOf([dialog]));
	await dialog.locator(byTestId('credential-save-button')).click();
	// n8n closes the dialog itself after a successful test.
	await dialog.waitFor({ state: 'detached' });
}

/** A station goes offline for a while, and the messages arrive. */
async function outage({ platform, receiver }: Stage): Promise<string> {
	const { Id, Name } = platform.db.prepare(`SELECT Id, Name FROM stations WHERE NetworkStatus = ${ONLINE}`).get() ?? {};
	const set = (status: number) =>
		platform.db.prepare('UPDATE stations SET NetworkStatus = ? WHERE Id = ?').run(status, Id ?? null);
	const station = String(Name);
	const polls = platform.requests.length;
	await until('the first two polls', () => platform.requests.length >= polls + 2);
	set(OFFLINE);
	const tests = receiver.received.length;
	await until('the alert', () => receiver.received.length > tests);
	set(ONLINE);
	await until('the message that it is back', () => receiver.received.length > tests + 1);
	return station;
}

async function unrolled(page: Page, parts: Parameters<typeof panelArea>[1]): Promise<Area> {
	await unrollParameters(page);
	return await panelArea(page, parts);
}
